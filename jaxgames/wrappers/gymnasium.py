"""Games for Gymnasium: `Env` for one game and `VectorEnv` for many in one compiled step.

    import gymnasium
    import jaxgames.wrappers.gymnasium  # registers "jaxgames/onitama-v0" and the other games

    env = gymnasium.make("jaxgames/onitama-v0")
    envs = gymnasium.make_vec("jaxgames/onitama-v0", num_envs=1024)

The other seats play inside of each step (`versus`). `action_masks()` says which actions are legal,
as algorithms of sb3-contrib ask for it; an illegal action ends the game with reward -1.
Observations are float32.
"""

import copy
import functools
from typing import Any, cast

import gymnasium
import jax
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from jaxtyping import PRNGKeyArray

import jaxgames
from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env
from jaxgames.internal import jax_modes
from jaxgames.internal.argument_checks import check_action, check_actions
from jaxgames.internal.caches import WithoutCaches
from jaxgames.wrappers import gym_spaces, versus

VERSION = 0  # of the interface, not of the rules of a game


class GymnasiumGame(WithoutCaches, gymnasium.Env[Any, Any]):
    """One game for one player."""

    def __init__(self, game: versus.Versus, render_mode: str | None = None) -> None:
        gym_spaces.check_render_mode(render_mode)
        self.metadata = {"render_modes": list(gym_spaces.RENDER_MODES), "render_fps": 1}
        self.game = game
        self.render_mode = render_mode
        self.observation_space = gym_spaces.observation_space(game.env)
        self.action_space = gym_spaces.action_space(game.env)
        self._state: versus.VersusState | None = None
        self._key: PRNGKeyArray | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Returns the first observation and `{"action_mask": ...}` of a new game."""
        super().reset(seed=seed, options=options)
        self._key = gym_spaces.draw_key(self.np_random)
        self._state = self._init(self._next_key())
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Returns observation, reward, terminated, truncated and `{"action_mask": ...}`."""
        state, number = self._current(), check_action(action, self.game.num_actions)
        self._state = state = self._step(state, number, self._next_key())
        self._show()
        reward, terminated = float(state.reward), bool(state.terminated)
        return self._observation(), reward, terminated, bool(state.truncated), self._info()

    def action_masks(self) -> np.ndarray:
        """Returns `[num_actions]` bool: the legal actions."""
        return np.asarray(self._current().legal_action_mask)

    def render(self) -> Any:
        """Returns the position as text (`ansi`) or an SVG drawing (`svg`), or prints it."""
        env = self.game.env
        return gym_spaces.render(env, env.wrap(self._current().game), self.render_mode)

    @functools.cached_property
    def _init(self) -> Any:
        return jax.jit(self.game.init)

    @functools.cached_property
    def _step(self) -> Any:
        return jax.jit(self.game.step)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _current(self) -> versus.VersusState:
        if self._state is None:
            raise ValueError("the environment has no game yet; call reset first")
        return self._state

    def _next_key(self) -> PRNGKeyArray:
        self._key, key = jax.random.split(cast(PRNGKeyArray, self._key))
        return key

    def _observation(self) -> Any:
        return gym_spaces.to_host(as_floats(self._current().observation))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks().astype(np.int8)}


class GymnasiumVectorGame(WithoutCaches, gymnasium.vector.VectorEnv[Any, Any, np.ndarray]):
    """Many games for one player, all played in one compiled step.

    A game that ends is followed by a new one in the same step (`AutoresetMode.SAME_STEP`).
    `infos["final_obs"]` then holds the last observation of each game that ended, in an array over
    all games; `infos["_final_obs"]` says which games these are. Observations and masks cannot be
    written to.
    """

    def __init__(self, game: versus.Versus, num_envs: int = 1) -> None:
        if not isinstance(num_envs, int | np.integer) or isinstance(num_envs, bool) or num_envs < 1:
            raise ValueError(f"num_envs must be a whole number of at least 1, got {num_envs!r}")
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.game = game
        self.num_envs = int(num_envs)
        self.single_observation_space = gym_spaces.observation_space(game.env)
        self.single_action_space = gym_spaces.action_space(game.env)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._running: tuple[versus.VersusState, PRNGKeyArray] | None = None
        self._masks = np.zeros((0,), bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Returns the first observations and `{"action_mask": ...}` of new games in all rows."""
        super().reset(seed=seed, options=options)
        key = gym_spaces.draw_key(self.np_random)
        self._running, observation, masks = self._init(key)
        self._masks = np.asarray(masks)
        return gym_spaces.to_host(observation), self._info()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Returns observations, rewards, terminations, truncations and infos of all games."""
        running = self._current()
        numbers = check_actions(actions, self.num_envs, self.game.num_actions)
        self._running, observation, masks, reached = self._step(running, numbers)
        self._masks = np.asarray(masks)
        # Copies, since wrappers of Gymnasium change rewards in place.
        rewards, terminated, truncated = (np.array(part) for part in reached[1:])
        infos = self._info()
        done = terminated | truncated
        if done.any():
            infos |= {"final_obs": gym_spaces.to_host(reached[0]), "_final_obs": done}
        return gym_spaces.to_host(observation), rewards, terminated, truncated, infos

    def action_masks(self) -> np.ndarray:
        """Returns `[num_envs, num_actions]` bool: the legal actions of each game."""
        self._current()
        return self._masks

    def __copy__(self) -> "GymnasiumVectorGame":
        # A step writes over the arrays of the games, so a copy needs its own.
        return copy.deepcopy(self)

    @functools.cached_property
    def _init(self) -> Any:
        return jax.jit(self._init_all)

    @functools.cached_property
    def _step(self) -> Any:
        return jax.jit(self._step_all, donate_argnums=0)

    def _current(self) -> tuple[versus.VersusState, PRNGKeyArray]:
        if self._running is None:
            raise ValueError("the environment has no games yet; call reset first")
        return self._running

    def _info(self) -> dict[str, Any]:
        everywhere = np.ones((self.num_envs,), bool)
        return {"action_mask": self._masks, "_action_mask": everywhere}

    @jax_modes.standard
    def _init_all(self, key: PRNGKeyArray) -> Any:
        init_key, key = jax.random.split(key)
        states = jax.vmap(self.game.init)(jax.random.split(init_key, self.num_envs))
        return (states, key), as_floats(states.observation), states.legal_action_mask

    @jax_modes.standard
    def _step_all(self, running: Any, actions: Any) -> Any:
        states, key = running
        step_key, key = jax.random.split(key)
        keys = jax.random.split(step_key, self.num_envs)
        states, reached = jax.vmap(self.game.step_auto_reset)(states, actions, keys)
        last = (
            as_floats(reached.observation),
            reached.reward,
            reached.terminated,
            reached.truncated,
        )
        return (states, key), as_floats(states.observation), states.legal_action_mask, last


def make(game: str | Env, *, render_mode: str | None = None, **options: Any) -> GymnasiumGame:
    """Returns one game as a Gymnasium environment.

    Args:
        game: the id of a game, or an environment.
        render_mode: `"human"` prints the position, `"ansi"` returns its text, `"svg"` a drawing.
        **options: `opponent` and `seat` as in `versus.make`, and options of the game.

    Raises:
        ValueError: as `versus.make`, or for an unknown render mode.
    """
    return GymnasiumGame(versus.make(game, **options), render_mode)


def make_vec(game: str | Env, *, num_envs: int = 1, **options: Any) -> GymnasiumVectorGame:
    """Returns many games as one Gymnasium vector environment.

    Args:
        game: the id of a game, or an environment.
        num_envs: the number of games.
        **options: `opponent` and `seat` as in `versus.make`, and options of the game.

    Raises:
        ValueError: as `versus.make`, or for a number of games below 1.
    """
    return GymnasiumVectorGame(versus.make(game, **options), num_envs)


def _register_all() -> None:
    for game in jaxgames.available():
        gymnasium.register(
            id=f"jaxgames/{game}-v{VERSION}",
            entry_point=f"{__name__}:make",
            vector_entry_point=f"{__name__}:make_vec",
            kwargs={"game": game},
        )


_register_all()
