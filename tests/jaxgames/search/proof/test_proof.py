"""The exact solver against golden endings, exhaustive search, and the bounds it must keep."""

import functools
import json
import re
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from agents.games.onitama.score import material
from benchmarks import solved_positions
from benchmarks.golden.core import runner
from jaxgames.onitama.rules import Onitama
from jaxgames.search.exhaustive import host_batches
from jaxgames.search.minimax import Minimax
from jaxgames.search.proof.search import NO_ACTION, ProofSearch
from jaxgames.testing import playouts
from tests import turn_nim
from tests.gamble import Gamble
from tests.hidden_coin import HiddenCoin
from tests.jaxgames.search.tree import hlo
from tests.locations import GOLDEN
from tests.three_nim import ThreeNim
from tests.turn_nim import CHOOSING, TurnNim

COMMITTED = GOLDEN
MURUS = jaxgames.make("murus_gallicus")
NODES, WIDTH = 2**15, 8
SAMPLE = 96  # of the shared records, if they are at hand


class Endings(NamedTuple):
    games: object
    values: np.ndarray
    distances: np.ndarray
    best: np.ndarray


def golden(game, file):
    """Returns the shared file of a game, or the small one of this repository."""
    shared = runner.shared_directory(game) / file
    return shared if shared.is_file() else COMMITTED / game / file


@functools.cache
def murus_endings():
    lines = golden("murus_gallicus", "solved.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))[:SAMPLE]]
    states = [MURUS.text_to_state(row["fen"]) for row in rows]
    best = np.zeros((len(rows), MURUS.num_actions), bool)
    for i, (row, state) in enumerate(zip(rows, states, strict=True)):
        best[i, [MURUS.text_to_action(state, move) for move in row["best"]]] = True
    games = jax.tree.map(jnp.asarray, host_batches.stack([state.game for state in states]))
    values, distances = (np.array([row[name] for row in rows]) for name in ("value", "dtm"))
    return Endings(games, values, distances, best)


@functools.cache
def onitama_endings():
    folder = golden("onitama", "tablebase.jsonl").parent
    solved = solved_positions.read_positions(folder, SAMPLE, seed=0)
    games = jax.tree.map(jnp.asarray, solved.games)
    return Endings(games, solved.values, solved.distances, solved.best)


@functools.partial(jax.jit, static_argnums=0)
def solve(search, state):
    return search.solve(state)


@functools.partial(jax.jit, static_argnums=0)
def prove(search, state, attacker, plies):
    return search.prove(state, attacker, plies)


@pytest.mark.slow
def test_endings_of_murus_gallicus_have_the_values_of_the_records():
    endings = murus_endings()
    found = jax.device_get(solve(ProofSearch(MURUS.rules, NODES, WIDTH), endings.games))
    np.testing.assert_array_equal(found.value[found.is_known], endings.values[found.is_known])
    assert found.is_known[endings.distances <= 3].all()
    assert found.is_known.mean() > 0.9
    at_once = endings.distances == 1
    assert endings.best[at_once, found.action[at_once]].all()


@pytest.mark.slow
def test_wins_of_murus_gallicus_take_as_long_as_in_the_records():
    endings = murus_endings()
    search = ProofSearch(MURUS.rules, NODES, WIDTH)
    seat = endings.games.seat.astype(jnp.int32)
    attacker = jnp.where(endings.values > 0, seat, 1 - seat)
    near = (endings.distances > 0) & (endings.distances <= 5)
    for plies, is_won in ((endings.distances, True), (endings.distances - 1, False)):
        found = jax.device_get(prove(search, endings.games, attacker, jnp.asarray(plies)))
        assert (found.is_proved[near] == is_won).all()
        assert (found.is_disproved[near] != is_won).all()
        if is_won:
            # The move of a winner who has no ply to spare is one of the best.
            moves = near & (endings.values > 0)
            assert endings.best[moves, found.action[moves]].all() and moves.sum() >= 5


def test_endings_of_onitama_have_the_values_of_the_records():
    endings = onitama_endings()
    found = jax.device_get(solve(ProofSearch(solved_positions.RULES, 4096, WIDTH), endings.games))
    np.testing.assert_array_equal(found.value[found.is_known], endings.values[found.is_known])
    near = (endings.distances > 0) & (endings.distances <= 3)
    assert found.is_known[near].all() and near.sum() >= 5
    assert not found.is_known[endings.values == 0].any()  # a draw lasts for 200 plies


PLIES = 12  # so short a game that it is often drawn
SHORT = Onitama(max_plies=PLIES)


@functools.cache
def short_games():
    """Returns positions of short games of Onitama with at most four plies to go, some over."""
    states = playouts.play(SHORT, seed=1).states
    chosen = [playouts.at(states, ply) for ply in (PLIES - 4, PLIES - 3, PLIES)]
    return jax.tree.map(lambda *x: jnp.concatenate(x), *chosen)


def test_wins_draws_and_losses_are_those_of_exhaustive_search():
    games, search = short_games(), jax.jit(Minimax(SHORT, material, 4).search)
    found = jax.device_get(solve(ProofSearch(SHORT, NODES, WIDTH), games))
    over = np.asarray(jax.vmap(SHORT.is_over)(games))
    assert found.is_known.all()
    np.testing.assert_array_equal(found.value[~over], np.sign(search(games).value)[~over])
    assert {-1, 0, 1} == set(found.value[~over].tolist())
    # The moves keep the values.
    after = jax.vmap(lambda s, a: SHORT.step(s, a, None))(games, jnp.maximum(found.action, 0))
    ended = np.asarray(jax.vmap(SHORT.is_over)(after))
    value = np.where(ended, returns(after, games.seat), -np.sign(search(after).value))
    np.testing.assert_array_equal(value[~over], found.value[~over])
    # What is over is known at once.
    np.testing.assert_array_equal(found.value[over], returns(games, games.seat)[over])
    assert over.any() and (found.action[over] == NO_ACTION).all()
    assert (found.nodes[over] == 2).all()


def returns(games, seat):
    """Returns the outcome for one seat of each game."""
    return np.asarray(jax.vmap(SHORT.returns)(games))[np.arange(len(seat)), seat]


POSITIONS = turn_nim.all_positions()
NIM = turn_nim.both_seats(POSITIONS)


@functools.cache
def solved_nim(nodes=2**14, max_active=None):
    return jax.device_get(solve(ProofSearch(TurnNim(), nodes, max_active), NIM))


def test_a_seat_that_moves_twice_is_the_same_seat():
    found = solved_nim()
    assert found.is_known.all()
    expected = [turn_nim.best_outcome(position) for position in POSITIONS * 2]
    np.testing.assert_array_equal(found.value, expected)
    assert turn_nim.mistakes(POSITIONS * 2, found.action) == []


def test_answers_do_not_depend_on_how_many_are_looked_for_at_once():
    some, every = solved_nim(max_active=7), solved_nim()
    np.testing.assert_array_equal(some.value, every.value)
    np.testing.assert_array_equal(some.is_known, every.is_known)


def test_a_tree_never_has_more_nodes_than_allowed():
    few = solved_nim(nodes=24)
    every = solved_nim()
    assert few.nodes.max() <= 2 * 24
    assert few.is_known.any() and not few.is_known.all()
    np.testing.assert_array_equal(few.value[few.is_known], every.value[few.is_known])
    assert (few.value[~few.is_known] == 0).all()
    # Also without an answer there is a legal move.
    mask = np.asarray(jax.vmap(TurnNim().legal_actions)(NIM))
    assert mask[np.arange(len(mask)), few.action].all()


def test_no_ply_is_enough_for_nothing():
    games = turn_nim.batch([((1, 0, 0), 0), ((1, 0, 0), CHOOSING)], 0)
    search = ProofSearch(TurnNim(), 64)
    for plies, proved in ((0, [False, False]), (1, [True, False]), (2, [True, True])):
        limit = jnp.full(2, plies, jnp.int32)
        found = jax.device_get(prove(search, games, jnp.zeros(2, jnp.int32), limit))
        assert found.is_proved.tolist() == proved
        assert found.is_disproved.tolist() == [not won for won in proved]


def test_no_loop_copies_or_rewrites_the_trees():
    size, nodes = 4, 4096
    games = turn_nim.batch([((3, 3, 2), CHOOSING)] * size, 0)
    text = jax.jit(ProofSearch(TurnNim(), nodes, 3).solve).lower(games).compile().as_text()
    assert f"[{2 * size},{nodes}" in text
    assert hlo.rewritten_in_loops(text, 2 * size * nodes) == []


@pytest.mark.parametrize(
    ("rules", "settings", "message"),
    [
        (ThreeNim(), {}, "proof-number search needs two seats, not 3"),
        (Gamble(), {}, "proof-number search needs a game without chance and hidden state"),
        (HiddenCoin(), {}, "proof-number search needs a game without chance and hidden state"),
        (TurnNim(), {"nodes": 1}, "nodes must be from 2 to 2**30 - 1, got 1"),
        (TurnNim(), {"max_active": 0}, "max_active must be at least 1 or None, got 0"),
    ],
)
def test_what_cannot_be_solved_is_refused(rules, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ProofSearch(rules, **settings)
