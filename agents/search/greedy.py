"""One step of look-ahead: the action after which the game's heuristic likes the position most.

All legal actions of all games of a batch stand in one list, which is judged in parts of a fixed
size. So the cost follows the number of legal actions that there are, not the most there can be.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from agents import checks
from agents.agent import Decision, GameStates, Params
from agents.evaluators.heuristic import Score, score_of
from agents.search import candidates
from jaxgames import Env, Rules
from jaxgames.boards import bits

_UNJUDGED = -jnp.inf


@dataclasses.dataclass(frozen=True)
class Greedy:
    """Takes an action whose successor is best for the seat that acts; among equals by chance.

    Raises:
        ValueError: for a game with chance or hidden information, whose successors it cannot know,
            or a setting out of range.
    """

    rules: Rules[Any]
    score: Score
    width: int = 8  # actions judged at once, for each game of the batch

    def __post_init__(self) -> None:
        """Checks that successors are known."""
        if self.rules.stochastic or not self.rules.perfect_information:
            raise ValueError(
                f"greedy looks at successors; {type(self.rules).__name__} has chance or hidden "
                "information"
            )
        checks.count("width", self.width)

    def reset(self, batch_size: int) -> tuple[()]:
        """Returns the empty memory."""
        del batch_size
        return ()

    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns the best action of each game; `values` are those of its successor."""
        del params
        mask = jax.vmap(self.rules.legal_actions)(state)
        # A game that is over has nothing to judge.
        mask &= ~jax.vmap(self.rules.is_over)(state)[:, None]
        worth, values = self._judge(state, mask)
        is_best = worth == worth.max(axis=-1, keepdims=True)
        policy = is_best / is_best.sum(axis=-1, keepdims=True)
        action = jax.random.categorical(key, jnp.log(policy), axis=-1).astype(jnp.int32)
        chosen = jnp.take_along_axis(values, action[:, None, None], axis=1)[:, 0]
        return Decision(action, policy, chosen), memory

    def _judge(
        self, state: GameStates, mask: Bool[Array, "B actions"]
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B actions players"]]:
        """Returns what each legal action is worth to the seat that acts, and to all seats."""
        num_games, num_actions = mask.shape
        words = candidates.pack(mask)
        upto = jnp.cumsum(bits.count(words).sum(axis=-1))  # legal actions up to each game
        seat = jax.vmap(self.rules.to_move)(state)
        size = num_games * self.width

        def part(carry: tuple[Int32[Array, ""], Array, Array]) -> tuple[Array, Array, Array]:
            done, worth, values = carry
            place = done + jnp.arange(size)
            game = jnp.searchsorted(upto, place, side="right")
            is_there = game < num_games
            game = jnp.minimum(game, num_games - 1)
            slot = place - jnp.where(game > 0, upto[game - 1], 0)
            action = candidates.action_at(words[game], slot[:, None])[:, 0]
            action = jnp.where(is_there, action, 0)
            found = self._values_after(jax.tree.map(lambda x: x[game], state), action)
            row = jnp.where(is_there, game, num_games)
            own = jnp.take_along_axis(found, seat[game][:, None], axis=1)[:, 0]
            worth = worth.at[row, action].set(own, mode="drop")
            return done + size, worth, values.at[row, action].set(found, mode="drop")

        start = (
            jnp.int32(0),
            jnp.full((num_games, num_actions), _UNJUDGED),
            jnp.zeros((num_games, num_actions, self.rules.num_players)),
        )
        return jax.lax.while_loop(lambda carry: carry[0] < upto[-1], part, start)[1:]

    def _values_after(
        self, state: GameStates, action: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        after = jax.vmap(lambda s, a: self.rules.step(s, a, None))(state, action)
        is_over = jax.vmap(self.rules.is_over)(after)
        returns = jax.vmap(self.rules.returns)(after)
        return jnp.where(is_over[:, None], returns, jax.vmap(self.score)(after))


def make_greedy(env: Env[Any], *, width: int = 8) -> tuple[Greedy, Params]:
    """Returns the greedy agent with the game's heuristic.

    Raises:
        ValueError: for a game without heuristic, or one whose successors are not known.
    """
    return Greedy(env.rules, score_of(env), width), ()
