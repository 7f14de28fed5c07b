"""Solved endgames for training: values, best moves, and the positions that are drawn."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.golden.core import perft
from jaxgames.batching import trees
from jaxgames.onitama import endgames, notation, solved_positions
from jaxgames.onitama.rules import Onitama
from tests.jaxgames.onitama.test_endgames import (
    RULES,
    SEED_CARDS,
    masters_only,
    sampled_positions,
    seed_records,
)

CARDS = jnp.asarray(SEED_CARDS, jnp.int32)


def test_positions_of_indices_have_these_indices():
    index = jnp.asarray(np.flatnonzero(endgames.is_position())[:: 10**5 // 2], jnp.int32)
    games = endgames.positions(index, CARDS)
    np.testing.assert_array_equal(endgames.indices(games, CARDS), index)
    assert not jax.vmap(RULES.is_over)(games).any()
    assert endgames.is_position().sum() == 9_174_270


def test_best_moves_reach_the_value_of_their_position():
    index, games = sampled_positions(SEED_CARDS)
    table = masters_only(SEED_CARDS)
    moves = jax.device_get(endgames.moves_of(games, CARDS))
    best = solved_positions.best_moves(table, moves)
    for row, value in enumerate(table[index].tolist()):
        reply = table[moves.successors[row]].astype(int)
        distance = np.sign(reply) * (abs(reply) + 1)
        own = np.where(moves.wins[row], 1, -distance)
        np.testing.assert_array_equal(best[row], moves.legal[row] & (own == value))
    assert best.any(axis=1).all() and not best.all(axis=1).any()


@pytest.mark.slow
def test_best_moves_are_those_of_the_golden_data():
    records = [record for record in seed_records() if record["men"] <= 3]
    games = trees.stack([notation.text_to_state(RULES, record["fen"]) for record in records])
    moves = jax.device_get(endgames.moves_of(games, CARDS))
    best = solved_positions.best_moves(endgames.solved(SEED_CARDS), moves)
    for row, record in enumerate(records):
        game = jax.tree.map(lambda x, row=row: x[row], games)
        actions = moves.actions[row, best[row]].tolist()
        texts = [notation.action_to_text(RULES, game, action) for action in actions]
        assert sorted(texts) == sorted(record["best"]), record["fen"]
    assert len(records) > 10


def test_drawn_positions_have_their_values_and_best_moves(monkeypatch):
    """Solves masters alone, for speed, and draws from all that are not drawn."""
    solve = functools.partial(endgames.solve, max_students=0)
    table = solve(SEED_CARDS)
    monkeypatch.setattr(endgames, "solve", solve)
    monkeypatch.setattr(endgames, "is_position", lambda: np.zeros(endgames.TABLE_SIZE, bool))
    rules = Onitama(deal="dragon,elephant|goose,monkey|rooster", max_plies=60)
    solved = solved_positions.draw(rules, 3)
    games = solved.games
    index = endgames.indices(games, CARDS)
    own = solved.values[np.arange(len(index)), games.seat]
    np.testing.assert_array_equal(own, np.sign(table[index]))
    np.testing.assert_array_equal(solved.values.sum(axis=1), 0)
    assert {-1, 1} == set(own.tolist()) and {0, 1} == set(games.seat.tolist())
    assert games.ply.max() <= 30
    legal = jax.vmap(rules.legal_actions)(games)
    assert (solved.best <= np.asarray(legal)).all() and solved.best.any(axis=1).all()


def masters_alone() -> np.ndarray:
    """Returns which numbers are those of positions without students."""
    squares = [np.asarray(x) for x in endgames.placements(max_students=0)]
    found = np.zeros(endgames.SHAPE, bool)
    found[:, *squares] = True
    return found.reshape(-1)


@pytest.mark.parametrize("max_plies", [2, 3, 4, 5])
def test_labels_are_those_of_the_game_with_its_limit(max_plies, monkeypatch):
    """Plays all lines to their ends, with masters alone."""
    table = masters_only(SEED_CARDS)
    assert np.abs(table[: endgames.NO_MOVE]).max() > 5
    monkeypatch.setattr(endgames, "solve", lambda ids: table)
    monkeypatch.setattr(endgames, "is_position", masters_alone)
    monkeypatch.setattr(solved_positions, "CARD_SETS", 1)
    monkeypatch.setattr(solved_positions, "POSITIONS", 90)
    rules = Onitama(deal="dragon,elephant|goose,monkey|rooster", max_plies=max_plies)
    solved = solved_positions.draw(rules, 0)
    assert (solved.games.ply < max_plies).all()

    edges, scores = perft.action_scores(rules, solved.games, max_plies)
    worth = np.full(solved.best.shape, -perft.WIN)
    worth[edges.parents, edges.actions] = scores
    best = worth.max(axis=1)
    np.testing.assert_array_equal(solved.best, worth == best[:, None])
    own = solved.values[np.arange(len(best)), solved.games.seat]
    np.testing.assert_array_equal(own, np.sign(best))
    assert set(own.tolist()) == ({-1, 0} if max_plies == 2 else {-1, 0, 1})


def test_a_limit_below_all_solved_positions_is_refused(monkeypatch):
    monkeypatch.setattr(endgames, "solve", lambda ids: masters_only(SEED_CARDS))
    monkeypatch.setattr(endgames, "is_position", lambda: np.zeros(endgames.TABLE_SIZE, bool))
    rules = Onitama(deal="dragon,elephant|goose,monkey|rooster", max_plies=1)
    with pytest.raises(ValueError, match="max_plies=1 ends all solved positions too early"):
        solved_positions.draw(rules, 0)
