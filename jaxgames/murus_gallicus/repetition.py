"""Earlier positions of a game, for the option `repetition_draw`.

Each position is kept as a fingerprint of 64 bits: one word for the position, one for its mirror
image. Reflecting a game then exchanges the words, so the symmetry of the game extends to its past.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, Int32, UInt32

from jaxgames.murus_gallicus.moves import Stones

LANES = 2
# A position recurs after 8 plies at the earliest. No capture is undone, so each side must restore
# its stones by its own moves and shots on empty cells. This takes at least four: the changes of two
# or three never cancel out, except of shots alone. But these only make walls, and walls do not
# act.
LEAST_CYCLE = 8
# Odd constants of the multiplicative hash; any with well mixed bits would do.
MULTIPLIERS = np.array([0x9E3779B1, 0x85EBCA77], np.uint32)

History = UInt32[Array, "plies 2"]


def empty(max_plies: int) -> History:
    """Returns a history without positions; entry `t` will be that of ply `t`."""
    return jnp.zeros((max_plies, LANES), jnp.uint32)


def fingerprint(own: Stones, other: Stones, seat: Int8[Array, ""]) -> UInt32[Array, "2"]:
    """Returns two words that differ for different positions or seats to move; never zero."""
    lanes = [_mix((own, other), seat), _mix((own.reflected(), other.reflected()), seat)]
    return jnp.stack(lanes) | 1


def occurrences(history: History, current: UInt32[Array, "2"]) -> Int32[Array, ""]:
    """Returns how often a position has occurred, this time included."""
    return 1 + (history == current).all(axis=-1).sum(dtype=jnp.int32)


def reflected(history: History) -> History:
    """Returns the history of the game with left and right exchanged."""
    return history[:, ::-1]


def _mix(stones: tuple[Stones, Stones], seat: Int8[Array, ""]) -> UInt32[Array, ""]:
    first, second = MULTIPLIERS
    value = jnp.asarray(seat).astype(jnp.uint32)
    for word in jax.tree.leaves(stones):
        value = (value ^ word) * first
        value = (value ^ (value >> 15)) * second
        value = value ^ (value >> 13)
    return value
