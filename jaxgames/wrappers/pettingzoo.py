"""Games for PettingZoo: an AEC environment with one agent `seat_<n>` for each seat.

    env = pettingzoo.make("onitama")
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        action = None if terminated or truncated else policy(observation)
        env.step(action)

An observation is a dictionary of `observation` (float32) and `action_mask` (int8), as in the
classic games of PettingZoo. An illegal action ends the game: -1 for its seat, the others share +1.
"""

import functools
from typing import Any, cast

import jax
import numpy as np
from gymnasium import spaces
from jaxtyping import PRNGKeyArray
from pettingzoo import AECEnv

from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env
from jaxgames.internal.caches import WithoutCaches
from jaxgames.state import State
from jaxgames.wrappers import gym_spaces
from jaxgames.wrappers.versus import make_env


class PettingZooGame(WithoutCaches, AECEnv[str, Any, Any]):
    """All seats of one game as agents that act one at a time."""

    def __init__(self, env: Env, render_mode: str | None = None) -> None:
        super().__init__()
        gym_spaces.check_render_mode(render_mode)
        self.env = env
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{env.id}_v{env.version}",
            "render_modes": list(gym_spaces.RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(env.num_players)]
        self.agents: list[str] = []
        self._observation_spaces = [self._new_space() for _ in self.possible_agents]
        self._action_spaces = [gym_spaces.action_space(env) for _ in self.possible_agents]
        self._generator = np.random.default_rng()
        self._state: State | None = None
        self._key: PRNGKeyArray | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of observations of an agent."""
        return self._observation_spaces[self._seat_of(agent)]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of actions of an agent."""
        return self._action_spaces[self._seat_of(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new game; a seed makes it and the chance of its steps repeatable."""
        del options
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        key = gym_spaces.draw_key(self._generator)
        init_key, self._key = jax.random.split(key)
        self._state = self.env.init(init_key)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._to_move()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Plays the action of `agent_selection`."""
        state = self._current()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._key, key = jax.random.split(cast(PRNGKeyArray, self._key))
        self._state = state = self.env.step(state, action, key)
        rewards = np.asarray(state.rewards).tolist()
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, bool(state.terminated))
        self.truncations = dict.fromkeys(self.agents, bool(state.truncated))
        self.agent_selection = self._to_move()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns what an agent may know, and its legal actions: none if it is not to move."""
        state, seat = self._current(), self._seat_of(agent)
        seen = self._observed(state, np.int32(seat))
        is_over = bool(state.terminated | state.truncated)
        acts = not is_over and agent == self._to_move()
        mask = np.asarray(state.legal_action_mask) & acts
        return {"observation": gym_spaces.to_host(seen), "action_mask": mask.astype(np.int8)}

    def render(self) -> Any:
        """Returns the position as text (`ansi`) or an SVG drawing (`svg`), or prints it."""
        return gym_spaces.render(self.env, self._current(), self.render_mode)

    def close(self) -> None:
        """Does nothing: there is no window and no process."""

    def _new_space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": gym_spaces.observation_space(self.env),
                "action_mask": gym_spaces.mask_space(self.env),
            }
        )

    @functools.cached_property
    def _observed(self) -> Any:
        return jax.jit(lambda state, seat: as_floats(self.env.observe(state, seat)))

    def _current(self) -> State:
        if self._state is None:
            raise ValueError("the environment has no game yet; call reset first")
        return self._state

    def _seat_of(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise ValueError(f"agent must be one of {self.possible_agents}, got {agent!r}")
        return self.possible_agents.index(agent)

    def _to_move(self) -> str:
        return self.possible_agents[int(self._current().current_player)]


def make(game: str | Env, *, render_mode: str | None = None, **options: Any) -> PettingZooGame:
    """Returns a game as a PettingZoo AEC environment.

    Args:
        game: the id of a game, or an environment.
        render_mode: `"human"` prints each position, `"ansi"` returns its text, `"svg"` a drawing.
        **options: options of the game, such as `num_players`.

    Raises:
        ValueError: as `jaxgames.make`, or for an unknown render mode.
    """
    return PettingZooGame(make_env(game, options), render_mode)
