"""`Against`: games of the learner against an opponent that stays as it is.

The learner finds what this opponent does wrong: it approaches a best response. Its score is a lower
bound of how far the opponent can be exploited (`benchmarks/exploitability.py`).

Source: F. Timbers, N. Bard, E. Lockhart, M. Lanctot, M. Schmid, N. Burch, J. Schrittwieser, T.
Hubert, M. Bowling, "Approximate exploitability: learning a best response", IJCAI 2022. There the
tree search of the learner asks the opponent for its moves. Here the network learns to expect them.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from jaxgames import Env, Rules
from jaxgames.internal import jax_modes
from jaxgames.search.agent import Agent, Decision, GameStates, Memory, Params
from jaxgames.search.evaluators.evaluator import Evaluator
from train.selfplay import Plies


class AgainstParams(NamedTuple):
    """The parameters of both sides."""

    learner: Params
    opponent: Params


class AgainstMemory(NamedTuple):
    """What is kept between two plies of a lane."""

    is_learners: Bool[Array, "B"]
    """Whether the next ply is the learner's; it is in one half of the lanes."""
    learner: Memory


@jax_modes.standard_methods
@dataclasses.dataclass(frozen=True)
class Against:
    """The learner and its opponent in turns; as an agent of self-play, in lanes of an even number.

    While the learner moves in one half of the lanes, the opponent moves in the other half, so
    neither searches a position that is not its own. A new game goes on with the turns of its lane:
    who lost by the last move of the old one has the first move of the new one.

    The policy of a ply of the opponent is the move that it makes, and no exploration changes it.
    The values there are those of the learner's network, since the opponent's own say what it
    expects against itself. The opponent judges every position with a fresh memory.
    """

    rules: Rules[Any]
    learner: Agent
    network: Evaluator
    opponent: Agent

    def reset(self, batch_size: int) -> AgainstMemory:
        """Returns the memory of new games, in whose first half the learner moves first."""
        is_learners = jnp.arange(batch_size) < batch_size // 2
        return AgainstMemory(is_learners, self.learner.reset(batch_size))

    def act(
        self, params: AgainstParams, memory: AgainstMemory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, AgainstMemory]:
        """Returns the learner's decisions in its half of the lanes, and the opponent's moves."""
        own_key, other_key, judge_key = jax.random.split(key, 3)
        half = len(memory.is_learners) // 2
        is_first = memory.is_learners[0]  # the learner's half

        def part(tree: Any, is_first: Any) -> Any:
            return jax.tree.map(lambda x: jnp.where(is_first, x[:half], x[half:]), tree)

        def whole(own: Any, other: Any) -> Any:
            def joined(a: Array, b: Array) -> Array:
                return jnp.where(is_first, jnp.concatenate([a, b]), jnp.concatenate([b, a]))

            return jax.tree.map(joined, own, other)

        own, kept = self.learner.act(
            params.learner, part(memory.learner, is_first), part(state, is_first), own_key
        )
        theirs = part(state, ~is_first)
        made, _ = self.opponent.act(params.opponent, self.opponent.reset(half), theirs, other_key)
        values = self.network(params.learner, theirs, judge_key).values
        action = made.action.astype(own.action.dtype)
        policy = jax.nn.one_hot(action, self.rules.num_actions, dtype=own.policy.dtype)
        decision = whole(own, Decision(action, policy, values.astype(own.values.dtype)))
        waiting = part(memory.learner, ~is_first)
        return decision, AgainstMemory(~memory.is_learners, whole(kept, waiting))


def check(env: Env[Any], lanes: int) -> None:
    """Checks that the seats of a game can be shared, and the lanes halved.

    Raises:
        ValueError: if they cannot.
    """
    if env.num_players != 2 or not env.rules.seats_alternate:
        raise ValueError(
            f"selfplay.opponent is for games of two seats that move in turns, which {env.id} is "
            "not; train.afterstates has play.opponents for every game"
        )
    if lanes % 2:
        raise ValueError(
            f"selfplay.lanes must be even on each device where there is an opponent, got {lanes}"
        )


def total_score(rules: Rules[Any], plies: Plies, is_learners: Bool[Array, "B"]) -> Float[Array, ""]:
    """Returns the learner's score (1 for a win, 1/2 for a draw), summed over games that ended.

    Args:
        rules: of the game.
        plies: the record `[T, B]`.
        is_learners: the lanes in which its first ply is the learner's.
    """
    seat = jax.vmap(jax.vmap(rules.to_move))(plies.game)
    turns = is_learners ^ (jnp.arange(len(seat))[:, None] % 2 == 1)
    seat = jnp.where(turns, seat, 1 - seat)
    own = jnp.take_along_axis(plies.returns.astype(jnp.float32), seat[..., None], axis=-1)[..., 0]
    return jnp.where(plies.ended, (own + 1) / 2, 0.0).sum()
