"""Solved endings of both games: the value, the distance and the best moves are found."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from benchmarks import solved_positions
from benchmarks.golden.core.runner import shared_directory
from jaxgames.batching import trees
from jaxgames.murus_gallicus import notation
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.depth_first.search_state import WIN
from jaxgames.search.evaluators.integer_score import MAX_SCORE
from tests.jaxgames.search.depth_first.games import search as compiled_search
from tests.locations import GOLDEN

COMMITTED = GOLDEN


def murus_records(path, most_plies):
    lines = (path / "solved.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return [record for record in records if 0 < record["dtm"] <= most_plies]


def assert_solved(records, plies):
    env = jaxgames.make("murus_gallicus")
    games = trees.stack([notation.text_to_state(env.rules, record["fen"]) for record in records])
    games = jax.tree.map(jnp.asarray, games)
    score, one = integer_score_of(env)
    params = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(records), *x.shape)), one)
    search = DepthFirst(env.rules, score, plies, table_bits=12, tactics=tactics_of(env))
    found = jax.device_get(compiled_search(search, games, params))
    value = np.array([record["value"] for record in records])
    distance = np.array([record["dtm"] for record in records])
    np.testing.assert_array_equal(found.value, value * (WIN - distance))
    np.testing.assert_array_equal(found.depth, distance)
    for index, record in enumerate(records):
        if record["best"]:
            game = jax.tree.map(lambda x, i=index: x[i], games)
            move = notation.action_to_text(env.rules, game, int(found.action[index]))
            assert move in record["best"], record["id"]


@pytest.mark.slow
def test_committed_endings_of_murus_gallicus():
    records = murus_records(COMMITTED / "murus_gallicus", 7)
    assert len(records) >= 5
    assert_solved(records, 7)


@pytest.mark.slow
def test_shared_endings_of_murus_gallicus():
    path = shared_directory("murus_gallicus")
    if not path.exists():
        pytest.skip("no shared golden data (set JAXGAMES_GOLDEN)")
    records = murus_records(path, 7)
    assert len(records) > 100
    assert_solved(records, 7)


def test_endgames_of_onitama():
    solved = solved_positions.read_positions(COMMITTED / "onitama", 100, seed=0)
    env = jaxgames.make("onitama", deck="all")
    score, _ = integer_score_of(env)
    search = DepthFirst(env.rules, score, 5, table_bits=10, tactics=tactics_of(env))
    found = jax.device_get(compiled_search(search, solved.games))
    distance = np.abs(solved.distances)
    near = (distance > 0) & (distance <= 5)
    assert near.sum() > 20
    sign = solved.values[near]
    np.testing.assert_array_equal(found.value[near], sign * (WIN - distance[near]))
    assert (np.abs(found.value[~near]) < MAX_SCORE).all()
    wins = near & (found.value > 0)
    assert solved.best[np.flatnonzero(wins), found.action[wins]].all()
