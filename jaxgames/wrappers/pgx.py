"""`PgxEnv`: an environment as a `pgx.Env`, so that a loop written for pgx runs unchanged.

Observations are float32, as in many games of pgx. Differences that remain: drawings come from
`Env.render`, and `observation` may be a tree of arrays.
"""

from typing import Any

import jax
import jax.numpy as jnp
import pgx.core
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env
from jaxgames.internal import jax_modes
from jaxgames.state import State


class PgxState(struct.PyTreeNode):
    """The fields of a pgx state, indexed by player id; `inner` is indexed by seat."""

    current_player: Int32[Array, ""]
    observation: Any
    rewards: Float[Array, "players"]  # indexed by player id
    terminated: Bool[Array, ""]
    truncated: Bool[Array, ""]
    legal_action_mask: Bool[Array, "actions"]
    _step_count: Int32[Array, ""]
    inner: State
    seat_of_player: Int32[Array, "players"]
    _env_id: str = struct.field(pytree_node=False, default="")

    @property
    def env_id(self) -> str:
        """Id of the environment."""
        return self._env_id


# Code for pgx asks `isinstance(state, pgx.State)`. Deriving from that class would bring drawing
# methods that know the games of pgx only.
pgx.core.State.register(PgxState)


class PgxEnv(pgx.core.Env):
    """A `pgx.Env` around an environment of this library.

    Args:
        env: the environment.
        random_seats: whether `init` draws the seats of the players, as the two-player games of pgx
            do. With False, player ids are seats.
    """

    def __init__(self, env: Env, random_seats: bool = False) -> None:
        super().__init__()
        self.env = env
        self.random_seats = random_seats

    def init(self, key: PRNGKeyArray) -> PgxState:
        """Returns the state at the start of a game."""
        seat_key, game_key = jax.random.split(key)
        seats = jnp.arange(self.num_players, dtype=jnp.int32)
        if self.random_seats:
            seats = jax.random.permutation(seat_key, seats)
        return self._from_inner(self.env.init(game_key), seats)

    def step(self, state: PgxState, action: Array, key: PRNGKeyArray | None = None) -> PgxState:
        """Returns the state after `action`; `key` is needed by stochastic games only."""
        # A wrapper of pgx may have cleared the flags for a new game, so the outer flags count.
        inner = state.inner.replace(terminated=state.terminated, truncated=state.truncated)
        return self._from_inner(self.env.step(inner, action, key), state.seat_of_player)

    def observe(self, state: PgxState, player_id: Array | None = None) -> Any:
        """Returns the observation of a player, by default of the player that must act."""
        player = state.current_player if player_id is None else player_id
        return self._observe(state, player)

    def _from_inner(self, inner: State, seat_of_player: Int32[Array, "players"]) -> PgxState:
        return PgxState(
            current_player=jnp.argmax(seat_of_player == inner.current_player).astype(jnp.int32),
            observation=as_floats(inner.observation),
            rewards=inner.rewards[seat_of_player],
            terminated=inner.terminated,
            truncated=inner.truncated,
            legal_action_mask=inner.legal_action_mask,
            _step_count=inner.step_count,
            inner=inner,
            seat_of_player=seat_of_player,
            _env_id=self.id,
        )

    @jax_modes.standard
    def _init(self, key: PRNGKeyArray) -> PgxState:
        return self.init(key)

    @jax_modes.standard
    def _step(self, state: PgxState, action: Array, key: PRNGKeyArray) -> PgxState:
        return self.step(state, action, key)

    @jax_modes.standard
    def _observe(self, state: PgxState, player_id: Array) -> Any:
        return as_floats(self.env.observe(state.inner, state.seat_of_player[player_id]))

    @property
    def id(self) -> str:
        """Id of the environment."""
        return self.env.id

    @property
    def version(self) -> str:
        """Version of the rules, action numbers and observation."""
        return self.env.version

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self.env.num_players

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.env.num_actions

    @property
    def observation_shape(self) -> Any:
        """Shape of the observation."""
        return self.env.observation_shape
