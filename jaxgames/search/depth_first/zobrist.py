"""Zobrist hashing of any game's positions (Zobrist, "A new hashing method", 1970).

Each value of each byte of a packed state has a random key. The hash of a position is the exclusive
or of the keys of its bytes. So everything in the state counts: the seat to move, and the number of
plies where the rules count them.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from jaxgames.search.agent import Params

SEED = 1970
LANES = 2  # words of a hash: one finds the entry of a table, the other checks it
BYTES_PER_WORD = 4
BYTE_VALUES = 256


def keys(num_words: int) -> UInt32[np.ndarray, "bytes 256 2"]:
    """Returns the keys for states of `num_words` words, the same in every call."""
    size = (num_words * BYTES_PER_WORD, BYTE_VALUES, LANES)
    return np.random.default_rng(SEED).integers(2**32, size=size, dtype=np.uint32)


def position_hash(words: UInt32[Array, "B words"]) -> UInt32[Array, "B 2"]:
    """Returns the hash of each packed state."""
    batch_size, num_words = words.shape
    values = jax.lax.bitcast_convert_type(words, jnp.uint8).reshape(batch_size, -1)
    first = np.arange(num_words * BYTES_PER_WORD) * BYTE_VALUES
    chosen = jnp.asarray(keys(num_words).reshape(-1, LANES))[values + first]
    return jax.lax.reduce(chosen, np.uint32(0), jax.lax.bitwise_xor, (1,))


def salt(params: Params, batch_size: int) -> UInt32[Array, "B 2"]:
    """Returns a hash of the parameters of each lane; `params` have a leading axis `B`.

    Combined with the hash of a position, it separates the values of different evaluations.
    """
    multipliers = np.array([0x9E3779B1, 0x85EBCA77], np.uint32)
    mixed = jnp.zeros((batch_size, LANES), jnp.uint32)
    for index, leaf in enumerate(jax.tree.leaves(params)):
        if jnp.issubdtype(leaf.dtype, jnp.floating):
            leaf = jax.lax.bitcast_convert_type(leaf.astype(jnp.float32), jnp.uint32)
        bits = leaf.astype(jnp.uint32)
        bits = bits.reshape(batch_size, -1)
        weights = np.random.default_rng([SEED, index]).integers(
            2**32, size=(bits.shape[1], LANES), dtype=np.uint32
        )
        # Multiply-shift hashing of vectors (Dietzfelbinger, 1996): a random odd factor for each
        # number, and the high bits brought down.
        products = bits[:, :, None] * jnp.asarray(weights | 1)
        mixed = (mixed ^ products.sum(axis=1, dtype=jnp.uint32)) * multipliers
        mixed = mixed ^ (mixed >> 16)
    return mixed
