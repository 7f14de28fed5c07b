"""Move ordering: keys that say which move of a node is searched next.

A node stores one key for each legal move: the priority in the high bits, the action in the low
bits. All keys differ, so the next move has the greatest key below the last one. Nothing is sorted
or marked.

The parts of a priority, from the highest: whether the table or the previous iteration names
the move; the bonus of the game's tactics; whether the move is a killer, which refuted a sibling
(Akl and Newborn, 1977); its history, how often it cut a search (Schaeffer, 1983). At the root, a
random number replaces the history. The first of equal moves stays the best, so chance decides
between the moves that are best at depth 1, or without deepening between all best moves.
"""

from typing import Any, Protocol

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, UInt32

KEY_BITS = 31  # int32 without the sign
FIRST = 2**KEY_BITS - 1  # above every key
BONUS_BITS = 6
WIN_BONUS = 2**BONUS_BITS - 1  # of a move that wins at once: the largest there is
KILLERS = 2
_KILLER_BITS = 2
_MAX_HISTORY_BITS = 14  # so that history fits into 16 bits with a sign
_MIX = np.uint32(0x9E3779B1)


class Tactics(Protocol):
    """Knowledge of the moves of a game; must be hashable. Methods take one position."""

    def noisy(self, state: Any) -> Bool[Array, "actions"]:
        """Returns the mask of actions, such as captures, that make a static score unreliable."""
        ...

    def bonus(self, state: Any, actions: Int32[Array, "slots"]) -> Int32[Array, "slots"]:
        """Returns the promise of legal actions, from 0 to 63."""
        ...


def action_bits(num_actions: int) -> int:
    """Returns the bits of a key that hold the action."""
    return max(1, (num_actions - 1).bit_length())


def history_bits(num_actions: int) -> int:
    """Returns the bits of a key that hold the history."""
    rest = KEY_BITS - action_bits(num_actions) - 1 - BONUS_BITS - _KILLER_BITS
    return min(rest, _MAX_HISTORY_BITS)


def max_history(num_actions: int) -> int:
    """Returns the greatest history: one less than its bits hold, since a key adds one."""
    return (1 << history_bits(num_actions)) - 2


def action_of(key: Int32[Array, "B"], num_actions: int) -> Int32[Array, "B"]:
    """Returns the action of a key."""
    return key & ((1 << action_bits(num_actions)) - 1)


def greatest(numbers: Int32[Array, "B slots"]) -> Int32[Array, "B"]:
    """Returns the greatest number of each row, by halving: far faster on a CPU than a reduction."""
    while (size := numbers.shape[1]) > 1:
        half = -(-size // 2)
        numbers = jnp.maximum(numbers[:, :half], numbers[:, size - half :])
    return numbers[:, 0]


def keys(
    actions: Int32[Array, "W slots"],
    is_used: Bool[Array, "W slots"],
    *,
    first: Int32[Array, "W"],
    bonus: Int32[Array, "W slots"] | int,
    killers: Int32[Array, "W 2"],
    history: Int32[Array, "W slots"],
    num_actions: int,
) -> Int32[Array, "W slots"]:
    """Returns the keys of moves, 0 for unused slots. Action `first` leads, unless it is -1."""
    latest, earlier = (actions == killers[:, index, None] for index in range(KILLERS))
    killer = jnp.where(latest, 2, earlier.astype(jnp.int32))
    priority = (actions == first[:, None]).astype(jnp.int32)
    priority = (priority << BONUS_BITS) | bonus
    priority = (priority << _KILLER_BITS) | killer
    priority = (priority << history_bits(num_actions)) | (history + 1)
    return jnp.where(is_used, (priority << action_bits(num_actions)) | actions, 0)


def chance(
    actions: Int32[Array, "W slots"], noise: UInt32[Array, "W"], num_actions: int
) -> Int32[Array, "W slots"]:
    """Returns a random number for each move, in the range of the history."""
    mixed = (actions.astype(jnp.uint32) + 1) * _MIX ^ noise[:, None]
    mixed = (mixed ^ (mixed >> 15)) * _MIX
    numbers = (mixed >> (32 - history_bits(num_actions))).astype(jnp.int32)
    return jnp.minimum(numbers, max_history(num_actions))


def learned(
    history: Int16[Array, "W"], depth: Int32[Array, "W"], num_actions: int
) -> Int16[Array, "W"]:
    """Returns the history of moves after they cut a search of `depth` plies; never too great."""
    most = max_history(num_actions)
    old = history.astype(jnp.int32)
    gain = jnp.minimum(depth * depth, most)
    return (old + gain - old * gain // most).astype(jnp.int16)
