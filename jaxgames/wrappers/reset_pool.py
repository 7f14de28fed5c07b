"""`ResetPool`: prepared initial states, for resets that cost next to nothing.

Under `vmap`, an `init` inside a step runs for every game at every step, although few games end.
A pool is set up once (and renewed as often as wanted); a reset then only picks from it.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Int32, PRNGKeyArray, UInt32

from jaxgames.internal import jax_modes

StateT = TypeVar("StateT")


class ResetPool(struct.PyTreeNode, Generic[StateT]):
    """Initial states with a leading axis. A pytree, so `jit` takes it as an argument."""

    states: StateT

    @property
    def size(self) -> int:
        """Number of states in the pool."""
        return int(jax.tree.leaves(self.states)[0].shape[0])

    @jax_modes.standard
    def draw(self, word: UInt32[Array, ""]) -> StateT:
        """Returns a uniformly random state of the pool from one random word."""
        index = self._position(word)
        return jax.tree.map(lambda leaf: leaf[index], self.states)

    @jax_modes.standard
    def draw_window(self, word: UInt32[Array, ""], num_games: int) -> StateT:
        """Returns one state for each game of a batch from one random word for the whole batch.

        The states are neighbours in the pool, from a random position on (the end is followed by the
        start). Each game meets every state equally often and no two games of a batch meet the same
        one, at the price of a copy of consecutive memory instead of a gather.

        Raises:
            ValueError: (while tracing) if the pool is smaller than the batch.
        """
        if num_games > self.size:
            raise ValueError(f"a pool of {self.size} states cannot serve {num_games} games")
        start = self._position(word)

        def window(leaf: jax.Array) -> jax.Array:
            wrapped = jnp.concatenate([leaf, leaf[: num_games - 1]])
            return jax.lax.dynamic_slice_in_dim(wrapped, start, num_games)

        return jax.tree.map(window, self.states)

    def _position(self, word: UInt32[Array, ""]) -> Int32[Array, ""]:
        # Chances differ from uniform by less than size / 2**32, relatively.
        return (word % jnp.uint32(self.size)).astype(jnp.int32)


def make_reset_pool(
    init: Callable[[PRNGKeyArray], StateT], key: PRNGKeyArray, size: int
) -> ResetPool[StateT]:
    """Returns a pool of `size` states made by `init`, for instance `env.rules.init`.

    Raises:
        ValueError: if `size` is not positive.
    """
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
        raise ValueError(f"size of a reset pool must be at least 1, got {size!r}")
    states: Any = jax.vmap(init)(jax.random.split(key, size))
    return ResetPool(states)
