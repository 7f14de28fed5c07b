"""The transposition table: values and best moves of positions that were searched.

Each lane has `2**bits` entries of three words: the check word of the hash, the value, and one word
for bound, depth, action and age. A new entry replaces an old one of at most its depth, and any
entry of an earlier search.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.search.depth_first.rows import read, written

ENTRY_WORDS = 3
EXACT, LOWER, UPPER = 1, 2, 3  # bounds; 0 marks an empty entry
# Fields of the third word, lowest first.
ACTION_BITS, BOUND_BITS, DEPTH_BITS, AGE_BITS = 16, 2, 8, 6
NUM_AGES = 2**AGE_BITS

Entries = UInt32[Array, "B*size 3"]


class TranspositionTable(NamedTuple):
    """The tables of a batch."""

    entries: Entries
    age: UInt32[Array, ""]  # number of the search, modulo NUM_AGES


class Entry(NamedTuple):
    """The entries of some positions."""

    is_known: Bool[Array, "W"]
    value: Int32[Array, "W"]  # wins count their plies from this position
    bound: Int32[Array, "W"]
    depth: Int32[Array, "W"]  # plies searched below the position
    action: Int32[Array, "W"]  # its best move


def empty(batch_size: int, bits: int) -> TranspositionTable:
    """Returns tables without entries.

    Raises:
        ValueError: for more entries than 32-bit numbers can count.
    """
    if batch_size << bits >= 2**31:
        raise ValueError(
            f"{batch_size} tables of 2^{bits} entries are too many: at most 2^31 entries of "
            f"{ENTRY_WORDS * 4} bytes in all"
        )
    entries = jnp.zeros((batch_size << bits, ENTRY_WORDS), jnp.uint32)
    return TranspositionTable(entries, jnp.uint32(0))


def aged(table: TranspositionTable) -> TranspositionTable:
    """Returns the tables for the next search; their entries count as old."""
    return table._replace(age=(table.age + 1) % NUM_AGES)


def rows(lane: Int32[Array, "W"], hashes: UInt32[Array, "W 2"], bits: int) -> Int32[Array, "W"]:
    """Returns the row of `entries` that belongs to each position."""
    index = (hashes[:, 0] & ((1 << bits) - 1)).astype(jnp.int32)
    return (lane << bits) | index


def probe(entries: Entries, row: Int32[Array, "W"], hashes: UInt32[Array, "W 2"]) -> Entry:
    """Returns the entries of positions."""
    found = read(entries, row)
    meta = found[:, 2]
    bound = _field(meta, ACTION_BITS, BOUND_BITS)
    return Entry(
        is_known=(found[:, 0] == hashes[:, 1]) & (bound > 0),
        value=jax.lax.bitcast_convert_type(found[:, 1], jnp.int32),
        bound=bound,
        depth=_field(meta, ACTION_BITS + BOUND_BITS, DEPTH_BITS),
        action=_field(meta, 0, ACTION_BITS),
    )


def store(
    table: TranspositionTable,
    row: Int32[Array, "W"],
    hashes: UInt32[Array, "W 2"],
    entry: Entry,
    is_stored: Bool[Array, "W"],
) -> tuple[TranspositionTable, Bool[Array, "W"]]:
    """Returns the tables with new entries, and the mask of entries that were written.

    Entries are written where `is_stored` holds and the old entry may be replaced. `entry.is_known`
    is not read.
    """
    old = read(table.entries, row)[:, 2]
    old_depth = _field(old, ACTION_BITS + BOUND_BITS, DEPTH_BITS)
    old_age = _field(old, ACTION_BITS + BOUND_BITS + DEPTH_BITS, AGE_BITS)
    is_old = old_age != table.age.astype(jnp.int32)
    replaces = is_stored & ((entry.depth >= old_depth) | is_old)
    meta = entry.depth | (table.age.astype(jnp.int32) << DEPTH_BITS)
    meta = (meta << BOUND_BITS | entry.bound) << ACTION_BITS | entry.action
    words = jnp.stack([hashes[:, 1], _word(entry.value), _word(meta)], axis=1)
    return table._replace(entries=written(table.entries, row, words, replaces)), replaces


def _field(meta: UInt32[Array, "W"], first: int, width: int) -> Int32[Array, "W"]:
    return ((meta >> first) & ((1 << width) - 1)).astype(jnp.int32)


def _word(number: Int32[Array, "W"]) -> UInt32[Array, "W"]:
    return jax.lax.bitcast_convert_type(number, jnp.uint32)
