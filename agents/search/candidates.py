"""Short lists of legal actions, so that a search tree needs no row over all possible actions.

Slot `j` of a position's list is its `j`-th legal action in the order of the action numbers. The
list is rebuilt from the mask where needed; it never leaves the search.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, UInt32

from jaxgames.boards import bits


def pack(mask: Bool[Array, "B actions"]) -> UInt32[Array, "B words"]:
    """Returns the masks packed into words."""
    return jax.vmap(bits.pack)(mask)


def action_at(words: UInt32[Array, "B words"], slot: Int32[Array, "B K"]) -> Int32[Array, "B K"]:
    """Returns the action in each slot of packed masks; a slot past the end gives some action."""
    counts = bits.count(words)
    index = jnp.zeros_like(slot)
    rank, chosen = slot, jnp.broadcast_to(words[:, :1], slot.shape)
    before = jnp.zeros_like(counts[:, :1])
    for position in range(1, words.shape[1]):
        before = before + counts[:, position - 1 : position]
        later = slot >= before
        index = jnp.where(later, position, index)
        rank = jnp.where(later, slot - before, rank)
        chosen = jnp.where(later, words[:, position : position + 1], chosen)
    return bits.WORD_BITS * index + bits.select(chosen, rank)


def legal_list(
    words: UInt32[Array, "B words"], size: int
) -> tuple[Int32[Array, "B K"], Bool[Array, "B K"]]:
    """Returns the first `size` legal actions and which slots of that list are filled."""
    slots = jnp.broadcast_to(jnp.arange(size), (words.shape[0], size))
    filled = slots < bits.count(words).sum(axis=-1, keepdims=True)
    return jnp.where(filled, action_at(words, slots), 0), filled


def to_dense(
    by_slot: Float[Array, "B K"], mask: Bool[Array, "B actions"]
) -> Float[Array, "B actions"]:
    """Returns numbers by slot as numbers by action; zero for illegal actions."""
    slot = jnp.cumsum(mask, axis=-1) - 1
    slot = jnp.minimum(slot, by_slot.shape[-1] - 1)
    return jnp.where(mask, jnp.take_along_axis(by_slot, jnp.maximum(slot, 0), axis=-1), 0.0)
