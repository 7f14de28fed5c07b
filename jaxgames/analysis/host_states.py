"""States of single games on the host, without observations, which are slow to compile.

All programs that play one game at a time share these, so each is compiled once.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.boards.notation import legal_actions
from jaxgames.env import Env
from jaxgames.internal.program_cache import cached_jit
from jaxgames.matches import scheduling
from jaxgames.state import State

_LEFT_OUT: Any = {"observation": (), "legal_action_mask": ()}


def begin(env: Env[Any], key: PRNGKeyArray) -> State[Any]:
    """Returns the start of a game, without the observation, slow to compile."""
    return _with_mask(env, _begin(env, key))


def step(env: Env[Any], state: State[Any], action: Any, key: PRNGKeyArray) -> State[Any]:
    """Returns the position after an action, as `begin` returns it."""
    return _with_mask(env, _step(env, state, action, key))


def without_observation(env: Env[Any], game: Any) -> State[Any]:
    """Returns the state of a position, as `begin` returns it."""
    return _with_mask(env, _wrap(env, game))


def _with_mask(env: Env[Any], state: State[Any]) -> State[Any]:
    # The legal actions have a program of their own, which the lists of moves use, too.
    mask = legal_actions(env.rules, state.game) | state.terminated | state.truncated
    return state.replace(legal_action_mask=mask)


@functools.partial(cached_jit.jit, static_argnames="env")
def _begin(env: Env[Any], key: PRNGKeyArray) -> State[Any]:
    return env.init(key).replace(**_LEFT_OUT)


@functools.partial(cached_jit.jit, static_argnames="env")
def _step(env: Env[Any], state: State[Any], action: Array, key: PRNGKeyArray) -> State[Any]:
    return env.step(state, action, key).replace(**_LEFT_OUT)


@functools.partial(cached_jit.jit, static_argnames="env")
def _wrap(env: Env[Any], game: Any) -> State[Any]:
    return env.wrap(game).replace(**_LEFT_OUT)


@functools.partial(cached_jit.jit, static_argnames="env")
def known_to(env: Env[Any], game: Any, seat: Int32[Array, ""], key: PRNGKeyArray) -> Any:
    """Returns a position as a seat may know it, with the rest drawn at random."""
    return env.rules.determinize(game, seat, key)


@functools.partial(cached_jit.jit, static_argnames="env")
def legal_instead(
    env: Env[Any], action: Int32[Array, ""], game: Any, seen: Any, key: PRNGKeyArray
) -> Int32[Array, ""]:
    """Returns an action decided in `seen`; a random legal one if hidden facts make it illegal."""
    actions, games, known = jax.tree.map(lambda x: jnp.asarray(x)[None], (action, game, seen))
    return scheduling.legal_instead(env.rules, actions, games, known, key)[0]
