"""Hashing of whole batches in 32-bit words, since 64-bit numbers are switched off by default."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

NUM_WORDS = 2  # of a fingerprint
_SEEDS = np.array([0x9E3779B9, 0x3C6EF372], np.uint32)  # any two different numbers would do


def mix(word: UInt32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns another word, each bit of which depends on all bits of the first; one to one.

    Source: "lowbias32" of C. Wellons, "Prospecting for Hash Functions", 2018.
    """
    word = (word ^ (word >> 16)) * np.uint32(0x7FEB352D)
    word = (word ^ (word >> 15)) * np.uint32(0x846CA68B)
    return word ^ (word >> 16)


def fingerprints(rows: UInt32[Array, "B words"]) -> UInt32[Array, "B 2"]:
    """Returns 64 bits for each row of words, that differ for different rows but for bad luck."""
    found = jnp.broadcast_to(jnp.asarray(_SEEDS), (rows.shape[0], NUM_WORDS))
    for column in range(rows.shape[1]):
        found = mix(found ^ rows[:, column, None]) + jnp.asarray(_SEEDS)
    return found
