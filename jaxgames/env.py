"""`Env`: the one shell around any `Rules`.

What a step means for illegal actions, finished games and step limits is defined here, once, for
all games. Texts and pictures are in `pictures/host_face.py`.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.boards import bits, packed_planes
from jaxgames.internal import jax_modes
from jaxgames.internal.argument_checks import check_action, check_key, check_seat
from jaxgames.internal.program_cache import cached_jit
from jaxgames.pictures.host_face import HostFace
from jaxgames.rules import Action, GameStateT, Seat
from jaxgames.state import State

_ACTIONS = "num_actions is the number of actions, state.legal_action_mask says which are legal"
_OBSERVATION = "observation_shape and observation_spec describe the observation"
_ELSEWHERE = {
    "reset": "init(key) begins a game, jaxgames.wrappers.auto_reset one after another",
    "observation_space": _OBSERVATION,
    "action_space": _ACTIONS,
    "action_spec": _ACTIONS,
}
"""Names that environments of other libraries have, and what an `Env` has in their place."""


@dataclasses.dataclass(frozen=True)
class Env(HostFace[GameStateT]):
    """A game as an environment: pure functions `init`, `step` and `observe` of one game.

    There is no `reset`: `init` gives a new game, and `jaxgames.wrappers.auto_reset` starts one
    where another has ended. Seat 0 begins unless the game's document says otherwise. An illegal
    action ends the game: the mover gets -1, the others share +1. A step after the end changes
    nothing and gives no rewards.
    """

    observation_dtype: str | None = None
    """Type of all arrays of the observation, `"float32"`; None: as the game gives them.

    The numbers are the same. A game keeps planes of yes and no as bits (`PackedPlanes`), which
    `observation.astype(jnp.float32)` makes the array that a network reads."""

    if not TYPE_CHECKING:  # type checkers know all attributes that there are

        def __getattr__(self, name: str) -> Any:
            """Raises an `AttributeError`, which knows the words of other libraries."""
            if name not in _ELSEWHERE:
                return object.__getattribute__(self, name)  # raises what it has raised before
            raise AttributeError(
                f"an Env has no {name!r}: {_ELSEWHERE[name]}; "
                "jaxgames.wrappers has the interfaces of other libraries"
            )

    @property
    def version(self) -> str:
        """Version of the rules, action numbers and observation."""
        return self.rules.version

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return self.rules.num_players

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.rules.num_actions

    @property
    def max_steps(self) -> int:
        """Number of steps after which a game is truncated."""
        return self.rules.max_steps

    @functools.cached_property
    def observation_spec(self) -> Any:
        """The observation with `jax.ShapeDtypeStruct`, shapes and types, in the place of arrays."""
        seat = jax.ShapeDtypeStruct((), jnp.int32)
        return jax.eval_shape(self.observe_game, self._game_spec, seat)

    @property
    def observation_shape(self) -> Any:
        """Shape of the observation: a tuple, or a tree of tuples if it has several arrays.

        `PackedPlanes` count as the array that a network reads.
        """
        return packed_planes.shapes(self.observation_spec)

    def init(self, key: PRNGKeyArray) -> State[GameStateT]:
        """Returns the state at the start of a game.

        Raises:
            ValueError: if `key` is a batch of keys; use `jax.vmap(env.init)(keys)`.
        """
        check_key(key, "init")
        return self._run(Env._init, key)

    def _init(self, key: PRNGKeyArray) -> State[GameStateT]:
        # Much of a first position is the same in all games. XLA would compute the mask and the
        # observation of a batch from these constants, for minutes, while it compiles.
        return self._wrap(jax.lax.optimization_barrier(self.rules.init(key)))

    def wrap(self, game: GameStateT) -> State[GameStateT]:
        """Returns the `State` around a position, with a step count of zero.

        Raises:
            ValueError: if `game` is not the state of one game of these rules.
        """
        if isinstance(game, State):
            raise ValueError(
                f"wrap takes the game state of {self.id}, got a State; pass state.game"
            )
        game = _from_host(game)
        self._check_game(game, "wrap")
        return self._run(Env._wrap, game)

    def _wrap(self, game: GameStateT) -> State[GameStateT]:
        no_rewards = jnp.zeros((self.num_players,), jnp.float32)
        return self._state(game, no_rewards, self.rules.is_over(game), jnp.int32(0))

    def step(
        self, state: State[GameStateT], action: Action, key: PRNGKeyArray | None = None
    ) -> State[GameStateT]:
        """Returns the state after `action`; `key` is needed by stochastic games only.

        Raises:
            ValueError: for a stochastic game without key, a batch, or an action that is not an
                integer.
        """
        state = _from_host(self._check_state(state, "step"))
        action = check_action(action, self.num_actions)
        if self.rules.stochastic and key is None:
            raise ValueError(f"{self.id} is stochastic: step(state, action, key) needs a key")
        if key is not None:
            check_key(key, "step")
        return self._run(Env._step, state, action, key)

    def _step(
        self, state: State[GameStateT], action: Action, key: PRNGKeyArray | None
    ) -> State[GameStateT]:
        was_over = state.terminated | state.truncated
        in_range = (action >= 0) & (action < self.num_actions)
        # Otherwise XLA on a CPU chooses the action anew in each loop that updates an array.
        safe_action = bits.computed_once(jnp.where(in_range, action, 0))
        illegal = ~(in_range & state.legal_action_mask[safe_action])

        moved = self.rules.step(state.game, safe_action, key)
        keep = was_over | illegal
        game = jax.tree.map(lambda old, new: jnp.where(keep, old, new), state.game, moved)
        terminated = self.rules.is_over(game) | illegal
        rewards = jnp.where(illegal, self._penalty(state.current_player), self.rules.returns(game))
        rewards = jnp.where(was_over, 0.0, rewards)
        step_count = state.step_count + jnp.where(was_over, 0, 1)
        return self._state(
            game, rewards, jnp.where(was_over, state.terminated, terminated), step_count
        )

    def observe(self, state: State[GameStateT], player: Seat) -> Any:
        """Returns what `player` may know of the game, from its point of view.

        Raises:
            ValueError: for a batch, or a seat that does not exist.
        """
        state = self._check_state(state, "observe")
        player = check_seat(player, self.num_players, "observe")
        return self._run(Env.observe_game, _from_host(state.game), player)

    def observe_game(self, game: GameStateT, player: Seat) -> Any:
        """Returns what `player` may know of a position, without checks, in the type of `make`."""
        observation = self.rules.observe(game, player)
        if self.observation_dtype is None:
            return observation
        return packed_planes.as_floats(observation, self.observation_dtype)

    def mover_reward(
        self, before: State[GameStateT], after: State[GameStateT]
    ) -> Float[Array, "*batch"]:
        """Returns the reward of the seat that moved, for one game or any batch of games.

        Args:
            before: the state in which it acted.
            after: the state that its action led to; from `auto_reset`, the one that was reached.
        """
        is_mover = jnp.arange(self.num_players) == before.current_player[..., None]
        return (after.rewards * is_mover).sum(axis=-1)

    def sample_action(self, state: State[GameStateT], key: PRNGKeyArray) -> Action:
        """Returns a uniformly random legal action, at the price of one random word.

        Raises:
            ValueError: for a batch; use `jax.vmap(env.sample_action)(states, keys)`.
        """
        state = self._check_state(state, "sample_action")
        check_key(key, "sample_action")
        return self._run(Env._sample_action, _from_host(state.game), key)

    def _sample_action(self, game: GameStateT, key: PRNGKeyArray) -> Action:
        return self.rules.sample_action(game, jax.random.bits(key, (), jnp.uint32))

    @jax_modes.standard
    def _run(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Returns `method(self, *arguments)`; on the host, by a program compiled once per rules."""
        leaves = jax.tree.leaves((self.rules, arguments))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return method(self, *arguments)
        result = _run_compiled(self, method, *arguments)
        return result.shown_by(self) if isinstance(result, State) else result

    def _state(
        self,
        game: GameStateT,
        rewards: Float[Array, "players"],
        terminated: Bool[Array, ""],
        step_count: Int32[Array, ""],
    ) -> State[GameStateT]:
        truncated = ~terminated & (step_count >= self.max_steps)
        current_player = self.rules.to_move(game).astype(jnp.int32)
        return State(
            game=game,
            current_player=current_player,
            observation=self.observe_game(game, current_player),
            rewards=jnp.where(truncated, 0.0, rewards).astype(jnp.float32),
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=self.rules.legal_actions(game) | terminated | truncated,
            step_count=step_count,
        )

    def _penalty(self, mover: Seat) -> Float[Array, "players"]:
        share = 1.0 / max(self.num_players - 1, 1)
        return jnp.where(jnp.arange(self.num_players) == mover, -1.0, share)


@functools.partial(cached_jit.jit, static_argnames=("env", "method"))
def _run_compiled(env: Env[Any], method: Callable[..., Any], *arguments: Any) -> Any:
    return method(env, *arguments)


@jax_modes.standard
def random_actions(env: Env, state: State, key: PRNGKeyArray) -> Int32[Array, "B"]:
    """Returns one uniformly random legal action for each game of a batch of states.

    Raises:
        ValueError: for anything else than a batch of states with one axis and a single key.
    """
    if not isinstance(state, State):
        raise ValueError(f"random_actions takes a batch of states, got {type(state).__name__}")
    check_key(key, "random_actions")
    if state.step_count.ndim != 1:
        raise ValueError(
            f"random_actions takes a batch of games with one axis, got {state.step_count.shape}; "
            "for one game use env.sample_action"
        )
    words = sampling.random_words(key, state.step_count.shape[0])
    return jax.vmap(env.rules.sample_action)(state.game, words)


def _from_host(tree: Any) -> Any:
    """Returns a pytree with JAX arrays for NumPy arrays, which rules need not accept."""
    return jax.tree.map(
        lambda x: jnp.asarray(x) if isinstance(x, np.ndarray | np.generic) else x, tree
    )
