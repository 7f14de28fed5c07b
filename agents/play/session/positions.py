"""Positions of a game on the host, without observations, whose programs take long to compile."""

import functools
import importlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from jaxgames.analysis import host_states
from jaxgames.env import Env
from jaxgames.internal import texts
from jaxgames.internal.program_cache import cached_jit
from jaxgames.records.building import key_digits
from jaxgames.records.replay import key_words
from jaxgames.state import State

GENERATOR = "threefry2x32"  # of random keys, as in records


def start(env: Env[Any], seed: int) -> str:
    """Returns the text of the starting position that a seed draws."""
    # Not a whole state, whose legal actions would be compiled here, too.
    game = jax.device_get(_deal(env, jax.random.key(seed)))
    return importlib.import_module(_notation(env)).state_to_text(env.rules, game)


def _notation(env: Env[Any]) -> str:
    """Returns the module of a game's notation."""
    if env.notation is None:
        raise ValueError(f"{env.id} has no notation registered")
    return env.notation


def read(env: Env[Any], text: str) -> State[Any]:
    """Returns the position that a text describes.

    Raises:
        ValueError: if the text is malformed; names the part and what was expected.
    """
    game = jax.tree.map(jnp.asarray, _game(env, text))
    return jax.device_get(host_states.without_observation(env, game))


def check(env: Env[Any], text: str) -> None:
    """Raises a `ValueError` unless a text describes a position; compiles nothing."""
    _game(env, text)


def _game(env: Env[Any], text: str) -> Any:
    return importlib.import_module(_notation(env)).text_to_state(env.rules, texts.plain(text))


def new_key(env: Env[Any], seed: int, number: int) -> str:
    """Returns the random key of a step as records write it; nothing in games without chance.

    Args:
        env: the game.
        seed: the seed of the game.
        number: the number of the new position in its game.
    """
    if not env.rules.stochastic:
        return ""
    key = jax.random.fold_in(jax.random.key(seed, impl=GENERATOR), number)
    return key_digits(key)


def step(env: Env[Any], state: State[Any], action: int, key: str) -> State[Any]:
    """Returns the position after a legal action.

    Args:
        env: the game.
        state: the position.
        action: the action.
        key: the random key of the step, of `new_key`.

    Raises:
        ValueError: for another key, in a game with chance.
    """
    words = jnp.array(key_words(env, key), jnp.uint32)
    chance = jax.random.wrap_key_data(words, impl=GENERATOR)
    return jax.device_get(host_states.step(env, state, np.int32(action), chance))


def compile_board(env: Env[Any]) -> State[Any]:
    """Compiles what the board of a position needs; returns a position."""
    state = read(env, start(env, 0))
    env.legal_moves(state)
    env.click_paths(state)
    points(env, state)
    env.render(state, seat=int(state.current_player))
    return state


def compile_moves(env: Env[Any], state: State[Any]) -> None:
    """Compiles what a move needs; `state` is any game in progress."""
    action = next(iter(env.legal_moves(state)))
    completes_action(env, state, action)
    step(env, state, action, new_key(env, 0, 1))


def points(env: Env[Any], state: State[Any]) -> list[int] | None:
    """Returns the game points of every seat; None in games without points."""
    if not env.rules.counts_points:
        return None
    return np.asarray(_points(env, state.game)).astype(int).tolist()


def completes_action(env: Env[Any], state: State[Any], action: int) -> bool:
    """Returns whether an action completes what a player calls an action."""
    return bool(_completes_action(env, state.game, np.int32(action)))


@functools.partial(cached_jit.jit, static_argnames="env")
def _deal(env: Env[Any], key: Array) -> Any:
    return env.rules.init(key)


@functools.partial(cached_jit.jit, static_argnames="env")
def _points(env: Env[Any], game: Any) -> Array:
    return env.rules.score(game)


@functools.partial(cached_jit.jit, static_argnames="env")
def _completes_action(env: Env[Any], game: Any, action: Array) -> Array:
    return env.rules.completes_action(game, action)
