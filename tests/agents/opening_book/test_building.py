"""What is in a book: the likely positions, each with its best moves, found by UCT."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents.opening_book import building
from jaxgames import Env, sampling
from jaxgames.batching.trees import select_rows
from jaxgames.players.opening_book import book as books
from jaxgames.players.opening_book.book import NO_MOVE
from jaxgames.search.depth_first import zobrist
from jaxgames.search.tree import packing
from jaxgames.testing import playouts
from tests import turn_nim
from tests.gamble import Gamble
from tests.hidden_coin import HiddenCoin
from tests.jaxgames.players.opening_book.books import (
    CONFIG,
    ENV,
    POSITIONS,
    small,
    start,
    where_known,
    words,
)


@functools.cache
def looked_up():
    """Returns what the small book says of all positions of the game."""
    return jax.device_get(jax.jit(books.find)(small(), POSITIONS))


def test_every_entry_is_found_and_nothing_else():
    found = looked_up()
    expected = where_known(small(), POSITIONS)
    np.testing.assert_array_equal(found.is_known, expected)
    assert expected.sum() == len(small()) < len(expected)


def test_entries_found_are_those_of_the_position():
    found = looked_up()
    rows = (words(POSITIONS)[:, None] == np.asarray(small().words)).all(axis=-1)
    lane, row = np.nonzero(rows)
    for name in ("actions", "shares", "values"):
        np.testing.assert_array_equal(
            getattr(found, name)[lane], np.asarray(getattr(small(), name))[row]
        )


def test_equal_hashes_do_not_make_positions_equal():
    book = small()
    other = book.replace(words=book.words ^ 1)
    found = books.find(other, POSITIONS)
    assert not found.is_known[where_known(book, POSITIONS)].any()


def test_hashes_that_begin_alike_are_told_apart(monkeypatch):
    position_hash = zobrist.position_hash

    def without_first_word(rows):
        return position_hash(rows).at[:, 0].set(7)

    monkeypatch.setattr(zobrist, "position_hash", without_first_word)
    old = jax.device_get(small())
    book = books.make(old.words, old.actions, old.shares, old.values)
    assert (book.keys[:, 0] == 7).all()
    np.testing.assert_array_equal(
        books.find(book, POSITIONS).is_known, where_known(book, POSITIONS)
    )


def test_moves_are_legal_with_shares_that_add_up():
    found = looked_up()
    actions, shares = found.actions[found.is_known], found.shares[found.is_known]
    mask = np.asarray(jax.vmap(ENV.rules.legal_actions)(POSITIONS))[found.is_known]
    is_move = actions != NO_MOVE
    assert np.take_along_axis(mask, np.maximum(actions, 0), axis=1)[is_move].all()
    assert ((shares > 0) == is_move).all() and is_move[:, 0].all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
    assert (np.diff(shares, axis=1) <= 0).all()
    assert (shares >= 0.999 * CONFIG.least_share * shares[:, :1])[is_move].all()
    assert is_move.sum(axis=1).max() == CONFIG.choices


def test_first_moves_are_mostly_good():
    found = looked_up()
    where = np.flatnonzero(found.is_known)
    positions = [(turn_nim.all_positions() * 2)[i] for i in where]
    wrong = turn_nim.mistakes(positions, found.actions[where, 0])
    assert len(wrong) <= len(positions) // 4


def test_a_seat_with_the_book_stays_in_it_for_all_its_moves():
    # A move is two plies here, and each of them counts: the rules do not say otherwise.
    book = building.build(ENV, dataclasses.replace(CONFIG, positions=1000, replies=6, moves=4))
    games = start(64)
    by_book = np.arange(64) % 2  # the seat that plays from the book

    @jax.jit
    def ply(games, key):
        found, over = books.find(book, games), jax.vmap(ENV.rules.is_over)(games)
        words = sampling.random_words(key, 64)
        offered = jax.vmap(sampling.sample_mask)(found.actions != NO_MOVE, words)
        offered = jnp.take_along_axis(found.actions, offered[:, None], axis=1)[:, 0]
        other = jax.vmap(ENV.rules.sample_action)(games, words)
        after = jax.vmap(ENV.rules.step)(games, jnp.where(games.seat == by_book, offered, other))
        return select_rows(over, games, after), found.is_known | over

    for number in range(6):
        games, is_known = ply(games, jax.random.key(number))
        assert is_known.all()
    assert not jax.vmap(ENV.rules.is_over)(games).all()


def test_book_ends_when_every_seat_has_made_its_moves():
    # The first two plies are those of seat 0, the next two of seat 1.
    book = building.build(ENV, dataclasses.replace(CONFIG, moves=2))
    found = packing.unpack(book.words, playouts.at(start(1), 0))
    assert ((found.seat == 1) | (found.heaps.sum(axis=1) == sum(turn_nim.HEAPS))).all()
    assert {0, 1} == set(found.seat.tolist())


def test_most_likely_positions_are_kept_and_the_same_seed_gives_the_same_book():
    few = building.build(ENV, dataclasses.replace(CONFIG, positions=1))
    assert len(few) < len(small())
    again = building.build(ENV, CONFIG)
    jax.tree.map(np.testing.assert_array_equal, again, small())
    other = building.build(ENV, dataclasses.replace(CONFIG, seed=1))
    assert not np.array_equal(other.shares, small().shares)


@pytest.mark.parametrize("rules", [Gamble(), HiddenCoin()])
def test_games_with_chance_or_secrets_have_no_book(rules):
    with pytest.raises(ValueError, match="needs a game without chance and hidden information"):
        building.build(Env("other", rules), CONFIG)


def test_positions_of_a_book_are_different():
    book = jax.device_get(small())
    rows = (book.words, book.actions, book.shares, book.values)
    with pytest.raises(ValueError, match="two positions of a book are the same"):
        books.make(*(np.concatenate([x, x[:1]]) for x in rows))
    with pytest.raises(ValueError, match="at least one position"):
        books.make(*(x[:0] for x in rows))
