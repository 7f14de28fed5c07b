"""The transposition table and the hash that finds its entries."""

import jax
import jax.numpy as jnp
import numpy as np

import jaxgames
from jaxgames.search.depth_first import transposition_table, zobrist
from jaxgames.search.depth_first.transposition_table import EXACT, LOWER, UPPER, Entry
from jaxgames.search.tree import packing
from tests.jaxgames.search import test_minimax

BITS = 3


def entry(value=0, bound=EXACT, depth=1, action=0):
    fields = [jnp.array([x], jnp.int32) for x in (value, bound, depth, action)]
    return Entry(jnp.array([True]), *fields)


def put(table, lane, hashes, new, is_stored=True):
    hashes = jnp.array([hashes], jnp.uint32)
    row = transposition_table.rows(jnp.array([lane]), hashes, BITS)
    table, stored = transposition_table.store(table, row, hashes, new, jnp.array([is_stored]))
    return table, bool(stored[0])


def get(table, lane, hashes):
    hashes = jnp.array([hashes], jnp.uint32)
    found = transposition_table.probe(
        table.entries, transposition_table.rows(jnp.array([lane]), hashes, BITS), hashes
    )
    return jax.tree.map(lambda x: x.item(), found)


def test_what_is_stored_is_found_in_its_lane_only():
    table = transposition_table.empty(4, BITS)
    new = entry(value=-(2**29) + 3, bound=UPPER, depth=64, action=2**15 - 1)
    table, stored = put(table, 2, (13, 99), new)
    assert stored
    assert get(table, 2, (13, 99)) == Entry(True, -(2**29) + 3, UPPER, 64, 2**15 - 1)
    assert not get(table, 1, (13, 99)).is_known
    assert not get(table, 2, (13, 98)).is_known
    assert not get(table, 2, (14, 99)).is_known
    assert not put(table, 2, (13, 99), new, is_stored=False)[1]


def test_the_deeper_result_stays_until_it_is_old():
    table, _ = put(transposition_table.empty(1, BITS), 0, (5, 1), entry(value=7, depth=4))
    shallow = entry(value=8, depth=3, bound=LOWER)
    same_place = (5 + 2**BITS, 2)
    after, stored = put(table, 0, same_place, shallow)
    assert not stored and get(after, 0, (5, 1)).value == 7
    after, stored = put(table, 0, same_place, shallow._replace(depth=jnp.array([4])))
    assert stored and not get(after, 0, (5, 1)).is_known
    after, stored = put(transposition_table.aged(table), 0, same_place, shallow)
    assert stored and get(after, 0, same_place) == Entry(True, 8, LOWER, 3, 0)


def test_ages_begin_anew_after_the_last():
    table = transposition_table.empty(1, BITS)
    for _ in range(transposition_table.NUM_AGES):
        table = transposition_table.aged(table)
    assert int(table.age) == 0


def test_a_hash_is_the_exclusive_or_of_the_keys_of_the_bytes():
    words = np.random.default_rng(0).integers(2**32, size=(50, 3), dtype=np.uint32)
    keys = zobrist.keys(3)
    expected = np.bitwise_xor.reduce(keys[np.arange(12), words.view(np.uint8)], axis=1)
    np.testing.assert_array_equal(zobrist.position_hash(jnp.asarray(words)), expected)


def test_positions_have_different_hashes_and_the_seat_to_act_counts():
    rules = jaxgames.make("murus_gallicus").rules
    games = test_minimax.positions(rules, 1000, 30)
    words = np.asarray(packing.pack(games))
    hashes = np.asarray(zobrist.position_hash(jnp.asarray(words)))
    number = len(np.unique(words, axis=0))
    assert number > 700
    assert len(np.unique(hashes, axis=0)) == number
    assert len(np.unique(hashes[:, 0])) == len(np.unique(hashes[:, 1])) == number
    other = games.replace(seat=1 - games.seat)
    assert (zobrist.position_hash(packing.pack(other)) != hashes).all()


def test_salt_tells_parameters_apart():
    params = (jnp.array([1, 1, 2]), jnp.array([[0, 5], [5, 0], [0, 5]], jnp.uint32))
    salt = np.asarray(zobrist.salt(params, 3))
    assert len(np.unique(salt[:, 0])) == len(np.unique(salt[:, 1])) == 3
    assert (np.asarray(zobrist.salt((), 3)) == 0).all()
    # Numbers that a float would not tell apart, and floats that an integer would not.
    near = (jnp.array([2**27, 2**27 + 1], jnp.uint32), jnp.array([0.25, 0.75]))
    for index in range(2):
        words = np.asarray(zobrist.salt(near[index], 2))
        assert len(np.unique(words[:, 0])) == len(np.unique(words[:, 1])) == 2
