"""A lane's result does not depend on the other lanes, on chunks, or on an older table."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first import rows
from jaxgames.search.depth_first import search as search_module
from jaxgames.search.depth_first.search import UNLIMITED, DepthFirst
from tests import turn_nim
from tests.jaxgames.search.depth_first import games
from tests.jaxgames.search.depth_first.games import KEY
from tests.turn_nim import TurnNim

ENV = jaxgames.make("onitama", max_plies=30)
SCORE, _ = integer_score_of(ENV)
SEARCH = DepthFirst(ENV.rules, SCORE, 3, table_bits=8, tactics=tactics_of(ENV))
NUMBER = 4 * rows.FEW_LANES  # so many that lanes must wait for each other
GAMES = games.positions(ENV, NUMBER, 25)


def assert_equal(first, second):
    jax.tree.map(np.testing.assert_array_equal, jax.device_get(first), jax.device_get(second))


@pytest.fixture(scope="module")
def whole():
    return jax.device_get(games.search(SEARCH, GAMES))


def test_lanes_are_independent_of_the_batch(whole):
    few = 20
    noise = SEARCH.start((), GAMES, KEY).noise
    # The same lanes in a small batch; chance at the root comes with the lane.
    some = jax.tree.map(lambda x: x[:few], GAMES)
    alone = SEARCH.start((), some, KEY)._replace(noise=noise[:few])
    found = SEARCH.result(jax.jit(SEARCH.advance)((), alone, 10**6))
    expected = jax.tree.map(lambda x: x[:few], whole._replace(table=None))
    assert_equal(found._replace(table=None), expected)


@pytest.mark.parametrize(
    "number",
    [20, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, search_module.MOST_IN_TURN))],
)
def test_lanes_together_and_in_turn_are_one_search(whole, number, monkeypatch):
    some = jax.tree.map(lambda x: x[:number], GAMES)
    started = SEARCH.start((), some, KEY)
    in_turn = SEARCH.result(jax.jit(SEARCH.advance)((), started, 10**6))
    monkeypatch.setattr(search_module, "MOST_IN_TURN", 0)
    # A function of its own, since programs are kept by the function.
    together = SEARCH.result(jax.jit(lambda s: SEARCH.advance((), s, 10**6))(started))
    assert_equal(in_turn, together)


def test_a_number_of_moves_ends_a_piece():
    some = jax.tree.map(lambda x: x[:3], GAMES)
    advance = jax.jit(lambda s, nodes: SEARCH.advance((), s, UNLIMITED, nodes))
    begun = SEARCH.start((), some, KEY)
    most = 1 + ENV.rules.max_legal_actions  # moves of one step
    for nodes in (1, 10, 100):
        made = advance(begun, nodes).statistics.nodes
        assert ((made >= nodes) & (made < nodes + most)).all()


def test_searches_under_vmap_are_those_of_a_loop(whole):
    few = jax.tree.map(lambda x: x[:4, None], GAMES)
    found = jax.jit(jax.vmap(lambda game, key: SEARCH.search((), game, key), (0, None)))(few, KEY)
    np.testing.assert_array_equal(found.value[:, 0], whole.value[:4])


def test_a_search_in_pieces_is_the_same_search(whole):
    advance = jax.jit(SEARCH.advance, donate_argnums=1)
    progress = jax.jit(SEARCH.start)((), GAMES, KEY)
    pieces = 0
    while progress.is_active.any():
        progress = advance((), progress, 23)
        pieces += 1
    assert pieces > 3
    assert_equal(SEARCH.result(progress), whole)


@pytest.mark.slow
def test_compiled_or_not_the_result_is_the_same():
    few = turn_nim.both_seats(turn_nim.all_positions()[-2:])
    search = DepthFirst(TurnNim(), lambda params, state: jnp.int32(0), 1, table_bits=2)
    with jax.disable_jit():
        plain = search.search((), few, KEY)
    assert_equal(plain, games.search(search, few))


def test_an_older_table_saves_nodes_and_changes_no_value(whole):
    again = jax.device_get(games.search(SEARCH, GAMES, table=whole.table))
    np.testing.assert_array_equal(again.value, whole.value)
    assert again.statistics.nodes.sum() < 0.6 * whole.statistics.nodes.sum()
    assert again.statistics.hits.sum() > whole.statistics.hits.sum()
    assert (again.statistics.cuts <= again.statistics.hits).all()
    assert (again.statistics.hits <= again.statistics.probes).all()
    assert int(again.table.age) == int(whole.table.age) + 1


def test_equal_moves_of_the_root_are_all_played():
    def zero(params, state):
        return jnp.int32(0)

    start = jax.vmap(ENV.rules.init)(jnp.broadcast_to(jax.random.key(7), (NUMBER,)))
    search = DepthFirst(ENV.rules, zero, 2, deepening=False)
    found = jax.device_get(games.search(search, start))
    legal = np.flatnonzero(ENV.rules.legal_actions(jax.tree.map(lambda x: x[0], start)))
    played, counts = np.unique(found.action, return_counts=True)
    assert set(played) == set(legal)
    expected = NUMBER / len(legal)
    assert ((counts - expected) ** 2 / expected).sum() < 40  # chi-square, about 10 moves
