"""States of single games on the host, without observations, which are slow to compile.

All programs that play one game at a time share these, so each is compiled once.
"""

import functools
from typing import Any

from jaxtyping import Array, PRNGKeyArray

from jaxgames.env import Env
from jaxgames.internal.program_cache import cached_jit
from jaxgames.state import State


@functools.partial(cached_jit.jit, static_argnames="env")
def begin(env: Env[Any], key: PRNGKeyArray) -> State[Any]:
    """Returns the start of a game, without the observation, slow to compile."""
    return env.init(key).replace(observation=())


@functools.partial(cached_jit.jit, static_argnames="env")
def step(env: Env[Any], state: State[Any], action: Array, key: PRNGKeyArray) -> State[Any]:
    """Returns the position after an action, as `begin` returns it."""
    return env.step(state, action, key).replace(observation=())


@functools.partial(cached_jit.jit, static_argnames="env")
def without_observation(env: Env[Any], game: Any) -> State[Any]:
    """Returns the state of a position, as `begin` returns it."""
    return env.wrap(game).replace(observation=())
