"""Games for Stoix: environments in its interface, Stoa.

    env = stoix.make("onitama", opponent=my_agent)
    state, timestep = env.reset(key)
    state, timestep = env.step(state, action)

The other seats play inside of each step (`versus`). `timestep.observation` is a dictionary with
`agent_view` (float32), `action_mask` and `step_count`, the names that networks of Stoix read; the
mask is in `timestep.extras` as well. An illegal action ends the game with reward -1.
"""

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import PRNGKeyArray
from stoa import spaces
from stoa.env_types import StepType, TimeStep
from stoa.environment import Environment

from jaxgames.boards.packed_planes import as_floats
from jaxgames.internal import jax_modes
from jaxgames.wrappers import versus
from jaxgames.wrappers.observations import as_dict, make_space


class StoaState(struct.PyTreeNode):
    """One game, with the key that its next step and wrappers of Stoa draw from."""

    game: versus.VersusState
    rng_key: PRNGKeyArray


class StoaGame(Environment):
    """A game for one player as a Stoa environment."""

    def __init__(self, game: versus.Versus) -> None:
        self.game = game

    @jax_modes.standard
    def reset(self, rng_key: PRNGKeyArray, env_params: Any = None) -> tuple[StoaState, TimeStep]:
        """Returns the state and the time step at the start of a game."""
        del env_params
        game_key, state_key = jax.random.split(rng_key)
        game = self.game.init(game_key)
        return StoaState(game, state_key), _time_step(game, jnp.asarray(StepType.FIRST))

    @jax_modes.standard
    def step(
        self, state: StoaState, action: Any, env_params: Any = None
    ) -> tuple[StoaState, TimeStep]:
        """Returns the state and the time step after `action`; a game that ended stays ended."""
        del env_params
        step_key, next_key = jax.random.split(state.rng_key)
        game = self.game.step(state.game, action, step_key)
        step_type = jnp.where(game.truncated, StepType.TRUNCATED, StepType.MID)
        step_type = jnp.where(game.terminated, StepType.TERMINATED, step_type)
        return StoaState(game, next_key), _time_step(game, step_type)

    def observation_space(self, env_params: Any = None) -> spaces.DictSpace:
        """Returns the space of observations."""
        del env_params
        env = self.game.env
        return spaces.DictSpace(
            {
                "agent_view": make_space(env.observation_shape, _view, spaces.DictSpace),
                "action_mask": spaces.BoundedArraySpace((env.num_actions,), bool, False, True),
                "step_count": spaces.BoundedArraySpace((), jnp.int32, 0, env.max_steps),
            },
            name="observation",
        )

    def action_space(self, env_params: Any = None) -> spaces.DiscreteSpace:
        """Returns the space of actions."""
        del env_params
        return spaces.DiscreteSpace(self.game.num_actions, dtype=jnp.int32, name="action")

    def state_space(self, env_params: Any = None) -> spaces.DictSpace:
        """Returns the space of the arrays of a game, by their paths."""
        del env_params
        shapes = jax.eval_shape(self.game.init, jax.eval_shape(lambda: jax.random.key(0))).game
        return spaces.DictSpace(
            {
                jax.tree_util.keystr(path): spaces.ArraySpace(leaf.shape, leaf.dtype)
                for path, leaf in jax.tree.leaves_with_path(shapes)
            },
            name="state",
        )

    def render(self, state: StoaState, env_params: Any = None) -> Any:
        """Returns an SVG drawing of the position (host side; needs the `render` extra)."""
        del env_params
        return self.game.env.render(self.game.env.wrap(state.game.game))


def make(game: Any, **options: Any) -> StoaGame:
    """Returns a game as a Stoa environment.

    Args:
        game: the id of a game, or an environment.
        **options: `opponent` and `seat` as in `versus.make`, and options of the game. By default
            all other seats play uniformly random legal actions, in every game.

    Raises:
        ValueError: as `versus.make`.
    """
    return StoaGame(versus.make(game, **options))


def _time_step(game: versus.VersusState, step_type: Any) -> TimeStep:
    observation = {
        "agent_view": as_dict(as_floats(game.observation)),
        "action_mask": game.legal_action_mask,
        "step_count": game.step_count,
    }
    return TimeStep(
        step_type=step_type.astype(jnp.int8),
        reward=game.reward,
        discount=jnp.where(game.terminated, 0.0, 1.0).astype(jnp.float32),
        observation=observation,
        extras={"action_mask": game.legal_action_mask},
    )


def _view(shape: tuple[int, ...]) -> spaces.ArraySpace:
    return spaces.ArraySpace(shape, jnp.float32)
