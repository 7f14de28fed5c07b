"""Games for loops that are written for gymnax 1.0, such as those of PureJaxRL.

    env, params = gymnax.make("onitama", opponent=my_agent)
    observation, state = env.reset(key, params)
    observation, state, reward, terminated, truncated, info = env.step(key, state, action, params)

The other seats play inside of each step (`versus`). `state.legal_action_mask` holds the legal
actions; an illegal one ends the game with reward -1. Observations are float32.
"""

import functools
from typing import Any, cast

import jax
import jax.numpy as jnp
from flax import struct
from gymnax.environments import environment, spaces
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from jaxgames.boards.packed_planes import as_floats
from jaxgames.internal import jax_modes
from jaxgames.rules import Action
from jaxgames.wrappers import versus
from jaxgames.wrappers.observations import make_space


@struct.dataclass
class EnvState(environment.EnvState):
    """The state of one game."""

    game: versus.VersusState
    """The game as its player sees it; `time` is the number of the player's decisions so far."""

    @property
    def legal_action_mask(self) -> Bool[Array, "actions"]:
        """The legal actions of the player."""
        return self.game.legal_action_mask


@struct.dataclass
class EnvParams(environment.EnvParams):
    """Parameters: only the limit of `max_steps_in_episode` decisions of the player."""


class GymnaxGame(environment.Environment[EnvState, EnvParams]):
    """A game for one player as a gymnax environment."""

    def __init__(self, game: versus.Versus) -> None:
        super().__init__()
        self.game = game

    @property
    def default_params(self) -> EnvParams:
        """Parameters with the limit of the game itself."""
        return EnvParams(max_steps_in_episode=self.game.env.max_steps)

    @property
    def name(self) -> str:
        """Id of the game."""
        return self.game.env.id

    @property
    def num_actions(self) -> int:
        """Size of the action space."""
        return self.game.num_actions

    # Not that of the base class, which would set up a new game in every step.
    @functools.partial(jax.jit, static_argnames=("self",))
    @jax_modes.standard
    def step(
        self,
        key: PRNGKeyArray,
        state: EnvState,
        action: int | float | Array,
        params: EnvParams | None = None,
    ) -> tuple[Any, EnvState, Array, Array, Array, dict[Any, Any]]:
        """Returns observation, state, reward, terminated, truncated and info, as gymnax 1.0 does.

        A game that ended is followed by a new one: observation and state are those of its start,
        `info["final_observation"]` is the last of the old game.
        """
        params = self.default_params if params is None else params
        step_key, reset_key = jax.random.split(key)
        last_observation, reached, reward, terminated, info = self.step_env(
            step_key, state, action, params
        )
        truncated = self.is_truncated(reached, params) & ~terminated
        done = terminated | truncated
        following = EnvState(
            time=jnp.where(done, 0, reached.time),
            game=self.game.restart_where(done, reached.game, reset_key),
        )
        info |= {
            "terminated": terminated,
            "truncated": truncated,
            "final_observation": last_observation,
        }
        observation = as_floats(following.game.observation)
        return observation, following, reward, terminated, truncated, info

    def step_env(
        self, key: PRNGKeyArray, state: EnvState, action: int | float | Array, params: EnvParams
    ) -> tuple[Any, EnvState, Float[Array, ""], Bool[Array, ""], dict[Any, Any]]:
        """Returns observation, state, reward, terminated and info, without a new game."""
        del params
        game = self.game.step(state.game, cast(Action, action), key)
        reached = EnvState(time=state.time + 1, game=game)
        info = {"discount": jnp.where(game.terminated, 0.0, 1.0)}
        return as_floats(game.observation), reached, game.reward, game.terminated, info

    def reset_env(self, key: PRNGKeyArray, params: EnvParams) -> tuple[Any, EnvState]:
        """Returns observation and state of a new game."""
        del params
        game = self.game.init(key)
        return as_floats(game.observation), EnvState(time=jnp.int32(0), game=game)

    def observe(self, key: PRNGKeyArray, state: EnvState, action: Any, params: EnvParams) -> Any:
        """Returns the observation of the player."""
        del key, action, params
        return as_floats(state.game.observation)

    def is_truncated(self, state: EnvState, params: EnvParams) -> Bool[Array, ""]:
        """Returns whether a limit has cut the game off: that of the game or of the parameters."""
        return state.game.truncated | (state.time >= params.max_steps_in_episode)

    def is_terminated(self, state: EnvState, params: EnvParams) -> Bool[Array, ""]:
        """Returns whether the game has ended by its rules."""
        del params
        return state.game.terminated

    def action_space(self, params: EnvParams | None = None) -> spaces.Discrete:
        """Returns the space of actions; `state.legal_action_mask` says which are legal."""
        del params
        return spaces.Discrete(self.num_actions)

    def observation_space(self, params: EnvParams | None = None) -> spaces.Box | spaces.Dict:
        """Returns the space of observations: a `Dict` if they have several arrays."""
        del params
        space: spaces.Box | spaces.Dict = make_space(self.game.observation_shape, _box, spaces.Dict)
        return space


def make(game: Any, **options: Any) -> tuple[GymnaxGame, EnvParams]:
    """Returns a game as a gymnax environment, and its default parameters, as `gymnax.make` does.

    Args:
        game: the id of a game, or an environment.
        **options: `opponent` and `seat` as in `versus.make`, and options of the game. By default
            all other seats play uniformly random legal actions, in every game.

    Raises:
        ValueError: as `versus.make`.
    """
    env = GymnaxGame(versus.make(game, **options))
    return env, env.default_params


def _box(shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(-jnp.inf, jnp.inf, shape, jnp.float32)
