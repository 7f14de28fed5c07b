"""`WaitingItems`: the list of the items of a batch that need a computation, read in groups."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.boards import bits


class WaitingItems(NamedTuple):
    """The items of all lanes that need a computation, as a list in their order."""

    upto: Int32[Array, "lanes"]
    """The number of items in the list up to the end of each lane."""
    words: UInt32[Array, "lanes words"] | None
    """The items of each lane as bits; None if a lane has one item."""

    @classmethod
    def of(cls, needed: Bool[Array, "lanes items"]) -> "WaitingItems":
        """Returns the list of the items that are needed."""
        upto = jnp.cumsum(needed.sum(axis=1, dtype=jnp.int32))
        return cls(upto, jax.vmap(bits.pack)(needed) if needed.shape[1] > 1 else None)

    def group(
        self, start: Int32[Array, ""], size: int, num_items: int
    ) -> tuple[Int32[Array, "size"], Int32[Array, "size"], Int32[Array, "size"]]:
        """Returns lane, a lane that exists, and item of the entries from `start` on, in order.

        Past the end of the list, the lane does not exist, and the other two are the last ones.
        """
        num_lanes = self.upto.shape[0]
        entry = start + jnp.arange(size)
        if isinstance(num_lanes, int):
            lane = jnp.searchsorted(self.upto, entry, side="right", method="scan_unrolled")
        else:  # a program exported for batches of any size: a bisection has as many steps as bits
            lane = (self.upto <= entry[:, None]).sum(axis=1)
        lane = bits.computed_once(lane.astype(jnp.int32))
        known = jnp.minimum(lane, num_lanes - 1)
        item = jnp.zeros_like(lane)
        if self.words is not None:
            rank = entry - jnp.where(known > 0, self.upto[known - 1], 0)
            item = jax.vmap(bits.select_packed)(self.words[known], rank)
        return lane, known, bits.computed_once(jnp.where(lane == known, item, num_items - 1))
