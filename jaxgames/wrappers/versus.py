"""`versus`: a game as a problem for one player, since the other seats play inside of each step.

    env = versus.make("onitama", opponent=my_agent)  # at a seat that each game draws
    state = jax.vmap(env.init)(keys)
    state, reached = jax.vmap(env.step_auto_reset)(state, actions, keys)

All of it is pure JAX, so thousands of games go on at once inside `jax.jit`. An opponent is a
function `opponent(state, key) -> action` of one game's `State`, or an agent (`search.Agent`), which
acts in all games of the batch at once. Several opponents are a pool: each other seat draws one of
them at the start of each game.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

import jaxgames
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.batching.trees import choose
from jaxgames.env import Env
from jaxgames.internal import jax_modes
from jaxgames.internal.argument_checks import check_action, check_key
from jaxgames.rules import Action, GameStateT, Seat
from jaxgames.search.agent import Agent
from jaxgames.state import State
from jaxgames.wrappers.auto_reset import ENDING_SHARE
from jaxgames.wrappers.opponents import AgentOpponent as AgentOpponent
from jaxgames.wrappers.opponents import Opponent, as_opponent

WAITING_SHARE = 1 / 4  # of the games, wait for a further ply of an opponent in the same turn
START = 1  # number under which the key of a new game is drawn; the key of the step has number 0


class VersusState(struct.PyTreeNode, Generic[GameStateT]):
    """One game as its player sees it. All arrays are unbatched; `jax.vmap` adds the batch axis."""

    game: GameStateT
    """The game's own state; the player is to move there, unless the game is over."""
    seat: Int32[Array, ""]
    """The seat of the player."""
    opponents: Int32[Array, "players"]
    """The number of the opponent at each seat; at the player's own seat it means nothing."""
    observation: Any
    """The observation of the player."""
    legal_action_mask: Bool[Array, "actions"]
    """The legal actions of the player; all true once the game is over."""
    reward: Float[Array, ""]
    """Reward of the player for the last step; non-zero only on the step that ends the game."""
    terminated: Bool[Array, ""]
    """Whether the game has ended by its rules (or by an illegal action)."""
    truncated: Bool[Array, ""]
    """Whether the game was cut off at `max_steps`."""
    step_count: Int32[Array, ""]
    """Number of plies of the game so far, by all seats."""


class VersusTransition(NamedTuple):
    """The states that one step leads to."""

    state: VersusState
    """The state to act in next: a new game where the old one ended. Its reward is zero."""
    reached: VersusState
    """The state that the action led to, with reward, `terminated` and `truncated`."""


class _Progress(NamedTuple):
    """What changes with a ply of any seat: a `State` without what can be computed."""

    game: Any
    rewards: Float[Array, "players"]
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]
    step_count: Int32[Array, ""]


class _Start(NamedTuple):
    progress: _Progress
    seat: Int32[Array, ""]
    opponents: Int32[Array, "players"]


# Compared by identity: an opponent may hold arrays, which have no hash.
@dataclasses.dataclass(frozen=True, eq=False)
class Versus(Generic[GameStateT]):
    """A game for one player: pure functions of one game, as `Env` has them."""

    env: Env[GameStateT]
    opponents: tuple[Opponent, ...]
    """The pool of opponents; each other seat draws one at the start of a game."""
    seat: int | None = None
    """The seat of the player; None draws it at the start of each game."""

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.env.num_actions

    @property
    def observation_shape(self) -> Any:
        """Shape of the observation: a tuple, or a tree of tuples if it has several arrays."""
        return self.env.observation_shape

    @jax_modes.standard
    def init(self, key: PRNGKeyArray) -> VersusState[GameStateT]:
        """Returns a new game in which the player is to move.

        A game that the other seats end before the player's first turn is over from the start.

        Raises:
            ValueError: if `key` is not one random key.
        """
        check_key(key, "init")
        return self._view(*self._start(key))

    @jax_modes.standard
    def step(
        self, state: VersusState[GameStateT], action: Action, key: PRNGKeyArray
    ) -> VersusState[GameStateT]:
        """Plays `action`, then the plies of the other seats until the player is to move again.

        Args:
            state: the state to act in; after the end of a game a step changes nothing.
            action: an action; an illegal one ends the game, as in `Env.step`.
            key: the opponents' choices and the chance of the game.

        Raises:
            ValueError: for anything but the state of one game, one integer and one random key.
        """
        if not isinstance(state, VersusState):
            raise ValueError(f"step takes a VersusState, got {type(state).__name__}")
        if state.step_count.shape != ():
            raise ValueError("step takes the state of one game; for a batch use jax.vmap")
        check_key(key, "step")
        return self._view(self._moved(state, action, key), state.seat, state.opponents)

    @jax_modes.standard
    def step_auto_reset(
        self, state: VersusState[GameStateT], action: Action, key: PRNGKeyArray
    ) -> VersusTransition:
        """Plays `action` as `step` does and starts a new game where that ended the old one.

        New games are set up only where games have ended. Inside `jit`, parts of the reached state
        that the caller does not read are not computed.
        """
        # Keys take a good part of the time of a small game on a CPU, so that of a new game is drawn
        # only where there is one.
        reached = self.step(state, action, jax.random.fold_in(key, 0))
        done = reached.terminated | reached.truncated
        return VersusTransition(self.restart_where(done, reached, key), reached)

    @jax_modes.standard
    def restart_where(
        self, done: Bool[Array, ""], state: VersusState[GameStateT], key: PRNGKeyArray
    ) -> VersusState[GameStateT]:
        """Returns a new game where `done` holds, at the cost of those games alone, else `state`.

        `key` may be that of `step_auto_reset`, which draws its other random numbers elsewhere.
        """

        def start(key: PRNGKeyArray) -> _Start:
            return self._start(jax.random.fold_in(key, START))

        going_on = _Start(self._before(state), state.seat, state.opponents)
        share = ENDING_SHARE * self.env.num_players  # several plies are played in one step
        return self._view(*where_needed(done, start, going_on, key, share=share))

    def _start(self, key: PRNGKeyArray) -> _Start:
        deal_key, seat_key, pool_key, play_key = jax.random.split(key, 4)
        num_players = self.env.num_players
        progress = _progress(self.env.init(deal_key))
        if self.seat is None:
            seat = jax.random.randint(seat_key, (), 0, num_players, jnp.int32)
        else:
            seat = jnp.int32(self.seat)
        if len(self.opponents) == 1:
            opponents = jnp.zeros((num_players,), jnp.int32)
        else:
            size = len(self.opponents)
            opponents = jax.random.randint(pool_key, (num_players,), 0, size, jnp.int32)
        return _Start(self._after_opponents(progress, seat, opponents, play_key), seat, opponents)

    def _moved(
        self, state: VersusState[GameStateT], action: Action, key: PRNGKeyArray
    ) -> _Progress:
        chance_key = None
        if self.env.rules.stochastic:
            chance_key, key = jax.random.split(key)
        moved = _progress(self.env.step(self._state(self._before(state)), action, chance_key))
        return self._after_opponents(moved, state.seat, state.opponents, key)

    def _before(self, state: VersusState[GameStateT]) -> _Progress:
        no_rewards = jnp.zeros((self.env.num_players,), jnp.float32)
        return _Progress(
            state.game, no_rewards, state.terminated, state.truncated, state.step_count
        )

    def _after_opponents(
        self, progress: _Progress, seat: Seat, opponents: Int32[Array, "players"], key: PRNGKeyArray
    ) -> _Progress:
        """Returns the game after plies of the other seats, at the player's next turn or the end."""

        def is_waiting(progress: _Progress) -> Bool[Array, ""]:
            is_over = progress.terminated | progress.truncated
            return ~is_over & (self.env.rules.to_move(progress.game) != seat)

        def ply(progress: _Progress, number: int | Int32[Array, ""]) -> _Progress:
            choice_key, chance_key = jax.random.fold_in(key, number), None
            if self.env.rules.stochastic:
                choice_key, chance_key = jax.random.split(choice_key)
            action = self._choice(progress, opponents, choice_key)
            return _progress(self.env.step(self._state(progress), action, chance_key))

        if self.env.rules.seats_alternate:
            for number in range(self.env.num_players - 1):
                progress = choose(is_waiting(progress), ply(progress, number), progress)
            return progress

        def body(carry: tuple[Int32[Array, ""], _Progress]) -> tuple[Int32[Array, ""], _Progress]:
            number, progress = carry
            waiting = is_waiting(progress)
            after = where_needed(waiting, ply, progress, progress, number, share=WAITING_SHARE)
            return number + 1, after

        return jax.lax.while_loop(
            lambda carry: is_waiting(carry[1]), body, (jnp.int32(0), progress)
        )[1]

    def _choice(
        self, progress: _Progress, opponents: Int32[Array, "players"], key: PRNGKeyArray
    ) -> Action:
        """Returns the action of the opponent who is to move."""
        if len(self.opponents) == 1:
            return self.opponents[0](self._state(progress), key)
        chosen = opponents[self.env.rules.to_move(progress.game)]
        action = jnp.int32(0)
        for number, opponent in enumerate(self.opponents):

            def act(
                progress: _Progress, key: PRNGKeyArray, opponent: Opponent = opponent
            ) -> Action:
                return check_action(opponent(self._state(progress), key), self.env.num_actions)

            action = where_needed(
                chosen == number, act, action, progress, key, share=1 / len(self.opponents)
            )
        return action

    def _state(self, progress: _Progress) -> State[GameStateT]:
        state = self.env.wrap(progress.game)
        is_over = progress.terminated | progress.truncated
        return state.replace(
            rewards=progress.rewards,
            terminated=progress.terminated,
            truncated=progress.truncated,
            legal_action_mask=state.legal_action_mask | is_over,
            step_count=progress.step_count,
        )

    def _view(
        self, progress: _Progress, seat: Seat, opponents: Int32[Array, "players"]
    ) -> VersusState[GameStateT]:
        rules = self.env.rules
        is_over = progress.terminated | progress.truncated
        return VersusState(
            game=progress.game,
            seat=seat,
            opponents=opponents,
            observation=self.env.observe_game(progress.game, seat),
            legal_action_mask=rules.legal_actions(progress.game) | is_over,
            reward=progress.rewards[seat],
            terminated=progress.terminated,
            truncated=progress.truncated,
            step_count=progress.step_count,
        )


def _progress(state: State) -> _Progress:
    return _Progress(state.game, state.rewards, state.terminated, state.truncated, state.step_count)


def versus(
    env: Env[GameStateT],
    opponent: Opponent | Agent | Sequence[Opponent | Agent] | None = None,
    seat: int | None = None,
) -> Versus[GameStateT]:
    """Returns `env` as a game for one player.

    Args:
        env: an environment.
        opponent: who plays the other seats: a function of a game's `State` and a key, an agent, or
            a pool of them, of which each other seat draws one at the start of a game. None plays
            uniformly random legal actions.
        seat: the seat of the player; None draws it at the start of each game.

    Raises:
        ValueError: for a seat that does not exist, an empty pool, or something that cannot play.
    """
    if not isinstance(env, Env):
        raise ValueError(f"versus takes an environment, got {env!r}; use jaxgames.make")
    if seat is not None:
        is_number = isinstance(seat, int | np.integer) and not isinstance(seat, bool)
        if not is_number or not 0 <= seat < env.num_players:
            raise ValueError(
                f"seat must be a number from 0 to {env.num_players - 1}, or None to draw it; "
                f"got {seat!r}"
            )
    pool: list[Any] = [opponent]
    if isinstance(opponent, Sequence) and not isinstance(opponent, str):  # a text is no pool
        pool = list(opponent)
    if not pool:
        raise ValueError("opponent is an empty pool; expected at least one opponent")
    return Versus(env, tuple(as_opponent(env, member) for member in pool), seat)


def make(
    game: str | Env,
    *,
    opponent: Opponent | Agent | Sequence[Opponent | Agent] | None = None,
    seat: int | None = None,
    **options: Any,
) -> Versus:
    """Returns a game for one player.

    Args:
        game: the id of a game, or an environment.
        opponent: as in `versus`.
        seat: as in `versus`.
        **options: options of the game, as `jaxgames.make` takes them.

    Raises:
        ValueError: as `jaxgames.make` and `versus`, or for options besides an environment.
    """
    return versus(make_env(game, options), opponent, seat)


def make_env(game: str | Env, options: dict[str, Any]) -> Env:
    """Returns the environment that wrappers are made around.

    Raises:
        ValueError: as `jaxgames.make`, or for options besides an environment.
    """
    if not isinstance(game, Env):
        return jaxgames.make(game, **options)
    if options:
        raise ValueError(
            f"option {next(iter(options))!r} goes with the id of a game; "
            f"an environment ({game.id}) already has its options"
        )
    return game
