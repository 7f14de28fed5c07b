"""Games for JaxMARL: an environment with one agent `agent_<n>` for each seat.

    env = jaxmarl.make("onitama")
    observations, state = env.reset(key)
    masks = env.get_avail_actions(state)
    observations, state, rewards, dones, infos = env.step(key, state, actions)

All agents act in every step, as JaxMARL wants it. The seat to move plays its action; all others
wait, and the only action that is available to them is the last one, which does nothing. Whatever a
waiting seat plays is ignored. An illegal action of the seat to move ends the game: -1 for its seat,
the others share +1. Observations are float32.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jaxmarl.environments import multi_agent_env, spaces
from jaxtyping import Array, Bool, PRNGKeyArray

from jaxgames.batching import trees
from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env
from jaxgames.internal import jax_modes
from jaxgames.state import State
from jaxgames.wrappers.auto_reset import auto_reset
from jaxgames.wrappers.observations import as_dict, make_space
from jaxgames.wrappers.versus import make_env

ByAgent = dict[str, Any]
_Stepped = tuple[ByAgent, "EnvState", ByAgent, ByAgent, ByAgent]


@struct.dataclass
class EnvState(multi_agent_env.State):
    """The state of one game; `step` is the number of plies."""

    game: State


class JaxMarlGame(multi_agent_env.MultiAgentEnv):
    """All seats of one game as agents, of which one moves and the others wait."""

    def __init__(self, env: Env, flat: bool = False) -> None:
        super().__init__(env.num_players)
        self.env = env
        self.flat = flat
        space = make_space(env.observation_shape, _box, spaces.Dict)
        if flat:
            seen = jax.eval_shape(lambda: self._seen(env.init(jax.random.key(0))))
            space = _box(seen.shape[1:])
        self.no_op = env.num_actions
        """The action of a seat that waits."""
        self.observation_spaces = dict.fromkeys(self.agents, space)
        self.action_spaces = dict.fromkeys(self.agents, spaces.Discrete(env.num_actions + 1))

    @property
    def name(self) -> str:
        """Id of the game."""
        return self.env.id

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        """All agents in one class: every seat has the same actions and observations."""
        return {"seat": list(self.agents)}

    @functools.partial(jax.jit, static_argnums=0)
    @jax_modes.standard
    def reset(self, key: PRNGKeyArray) -> tuple[ByAgent, EnvState]:
        """Returns the observations and the state of a new game."""
        state = _wrapped(self.env.init(key))
        return self.get_obs(state), state

    # Not that of the base class, which would set up a new game in every step.
    @functools.partial(jax.jit, static_argnums=0)
    @jax_modes.standard
    def step(
        self,
        key: PRNGKeyArray,
        state: EnvState,
        actions: ByAgent,
        reset_state: EnvState | None = None,
    ) -> _Stepped:
        """Returns observations, state, rewards, dones and infos.

        A game that ended is followed by a new one, or by `reset_state`: observations and state are
        those of its start.
        """
        action = self._action(state, actions)
        following, reached = auto_reset(self.env).step(state.game, action, key)
        if reset_state is not None:
            ended = reached.terminated | reached.truncated
            following = trees.choose(ended, reset_state.game, reached)
        after = _wrapped(following)
        return self.get_obs(after), after, *self._outcome(reached)

    def step_env(self, key: PRNGKeyArray, state: EnvState, actions: ByAgent) -> _Stepped:
        """Returns what `step` does, without a new game."""
        reached = self.env.step(state.game, self._action(state, actions), key)
        after = _wrapped(reached)
        return self.get_obs(after), after, *self._outcome(reached)

    def get_obs(self, state: EnvState) -> ByAgent:
        """Returns the observation of each seat, from its own point of view."""
        seen = self._seen(state.game)
        return {
            agent: jax.tree.map(lambda x, seat=seat: x[seat], seen)
            for seat, agent in enumerate(self.agents)
        }

    @functools.partial(jax.jit, static_argnums=0)
    def get_avail_actions(self, state: EnvState) -> ByAgent:
        """Returns the mask of each agent: the legal actions, or waiting alone."""
        game = state.game
        moves = ~(game.terminated | game.truncated)
        legal = jnp.append(game.legal_action_mask, False)
        waits = jnp.arange(self.no_op + 1) == self.no_op
        return {
            agent: jnp.where(moves & (game.current_player == seat), legal, waits)
            for seat, agent in enumerate(self.agents)
        }

    def _action(self, state: EnvState, actions: ByAgent) -> Array:
        of_seats = jnp.stack([jnp.asarray(actions[agent]) for agent in self.agents])
        return of_seats[state.game.current_player]

    def _outcome(self, reached: State) -> tuple[ByAgent, ByAgent, ByAgent]:
        """Returns rewards, dones and infos."""
        done: Bool[Array, ""] = reached.terminated | reached.truncated
        rewards = {agent: reached.rewards[seat] for seat, agent in enumerate(self.agents)}
        dones = dict.fromkeys((*self.agents, "__all__"), done)
        return rewards, dones, {"truncated": jnp.full(self.num_agents, reached.truncated)}

    def _seen(self, state: State) -> Any:
        """Returns the observations of all seats, the seat being the first axis of each array."""
        seats = jnp.arange(self.num_agents)
        seen = jax.vmap(self.env.observe_game, (None, 0))(state.game, seats)
        seen = as_dict(as_floats(seen))
        if not self.flat:
            return seen
        parts = [x.reshape(self.num_agents, -1) for x in jax.tree.leaves(seen)]
        return jnp.concatenate(parts, axis=1)


def make(game: str | Env, *, flat: bool = False, **options: Any) -> JaxMarlGame:
    """Returns a game as a JaxMARL environment.

    Args:
        game: the id of a game, or an environment.
        flat: whether an observation is one vector, which the rollout manager of JaxMARL's
            Q-learning needs in games whose observations have several arrays.
        **options: options of the game, such as `num_players`.

    Raises:
        ValueError: as `jaxgames.make`.
    """
    return JaxMarlGame(make_env(game, options), flat)


def _wrapped(game: State) -> EnvState:
    return EnvState(done=game.terminated | game.truncated, step=game.step_count, game=game)


def _box(shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(-jnp.inf, jnp.inf, shape, jnp.float32)
