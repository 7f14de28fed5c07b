"""Random games, and the comparisons that all checks share."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames.rules import Rules

NUM_GAMES = 32
MAX_PLIES = 256  # playouts are cut here


class Playouts(NamedTuple):
    """Random games: leaves `[T, games, ...]`; after its end a game repeats its last state."""

    states: Any
    actions: jax.Array  # int32[T, games], the action taken in that state
    over: jax.Array  # bool[T, games], whether that state is over


def require(condition: Any, promise: str) -> None:
    """Raises `AssertionError` unless all of `condition` is true."""
    if not np.all(np.asarray(condition)):
        raise AssertionError(f"broken promise: {promise}")


def require_equal(left: Any, right: Any, promise: str) -> None:
    """Raises `AssertionError` unless two trees have equal structure, dtypes and values."""
    structures: list[Any] = [jax.tree.structure(tree) for tree in (left, right)]
    require(structures[0] == structures[1], f"{promise} (the trees differ in structure)")
    for (path, a), b in zip(jax.tree.leaves_with_path(left), jax.tree.leaves(right), strict=True):
        name = jax.tree_util.keystr(path)
        of_leaf = f" of {name}" if name else ""  # a tree that is one array has no names
        a, b = np.asarray(a), np.asarray(b)
        require(a.dtype == b.dtype and a.shape == b.shape, f"{promise} (type{of_leaf})")
        require((a == b) | ((a != a) & (b != b)), f"{promise} (value{of_leaf})")


def play(rules: Rules, seed: int = 0, num_games: int = NUM_GAMES) -> Playouts:
    """Returns random games of at most `MAX_PLIES` plies."""

    def ply(states: Any, key: PRNGKeyArray) -> tuple[Any, Playouts]:
        word_key, step_key = jax.random.split(key)
        words = jax.random.bits(word_key, (num_games,), jnp.uint32)
        actions = jax.vmap(rules.sample_action)(states, words)
        over = jax.vmap(rules.is_over)(states)
        moved = jax.vmap(rules.step)(states, actions, jax.random.split(step_key, num_games))
        following = jax.vmap(where)(over, states, moved)
        return following, Playouts(states, actions, over)

    init_key, play_key = jax.random.split(jax.random.key(seed))
    first = jax.jit(jax.vmap(rules.init))(jax.random.split(init_key, num_games))
    keys = jax.random.split(play_key, min(rules.max_steps, MAX_PLIES) + 1)
    return jax.jit(lambda states, keys: jax.lax.scan(ply, states, keys)[1])(first, keys)


def where(condition: jax.Array, left: Any, right: Any) -> Any:
    """Returns `left` or `right`, chosen for whole trees."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), left, right)


def at(batch: Any, index: Any) -> Any:
    """Returns the elements of a batch of trees that an index of any kind selects."""
    return jax.tree.map(lambda leaf: leaf[index], batch)


def map2(function: Callable) -> Callable:
    """Returns `function` over the two leading axes (plies and games) of `Playouts`."""
    return jax.jit(jax.vmap(jax.vmap(function)))


def words(key: PRNGKeyArray, number: int) -> jax.Array:
    """Returns `number` random words."""
    return jax.random.bits(key, (number,), jnp.uint32)
