"""Gymnasium spaces of games, and host-side pictures: what the two Farama interfaces share."""

from typing import Any

import jax
import numpy as np
from gymnasium import spaces
from jaxtyping import Array

from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.state import State
from jaxgames.wrappers.observations import as_dict, make_space

RENDER_MODES = ("human", "ansi", "svg")


def observation_space(env: Env) -> spaces.Space[Any]:
    """Returns the space of float32 observations: a `Dict` if they have several arrays."""
    space: spaces.Space[Any] = make_space(env.observation_shape, _box, spaces.Dict)
    return space


def action_space(env: Env) -> spaces.Discrete:
    """Returns the space of action numbers."""
    return spaces.Discrete(env.num_actions)


def mask_space(env: Env) -> spaces.Box:
    """Returns the space of masks of legal actions."""
    return spaces.Box(0, 1, (env.num_actions,), np.int8)


def to_host(tree: Any) -> Any:
    """Returns a tree as NumPy arrays, in a dictionary if the tree is a named tuple."""
    return jax.tree.map(np.asarray, as_dict(tree))


def draw_key(generator: np.random.Generator) -> Array:
    """Returns a random key whose seed a generator draws."""
    return jax.random.key(int(generator.integers(2**31)))


def check_render_mode(mode: str | None) -> None:
    """Checks the name of a render mode.

    Raises:
        ValueError: if there is no such mode.
    """
    if mode is not None and not isinstance(mode, str):
        raise ValueError(f"render_mode must be a text or None, got {mode!r}")
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(unknown("render mode", mode, RENDER_MODES))


def render(env: Env, state: State, mode: str | None) -> Any:
    """Returns the position as text (`ansi`) or as an SVG drawing (`svg`); `human` prints it."""
    if mode == "svg":
        return env.render(state)
    if mode is None:
        return None
    text = env.state_to_text(state)
    if mode == "ansi":
        return text
    print(text)
    return None


def _box(shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(-np.inf, np.inf, shape, np.float32)
