"""Every way to search gives the values and the moves of plain minimax."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.knowledge import integer_score_of, score_of, tactics_of
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.depth_first.search_state import WIN
from jaxgames.search.evaluators.integer_score import MAX_SCORE, UNITS, Learned, Rounded
from jaxgames.search.minimax import PLY, Minimax
from jaxgames.search.minimax import WIN as MINIMAX_WIN
from tests.jaxgames.search import test_minimax
from tests.jaxgames.search.depth_first import games
from tests.jaxgames.search.test_minimax import Pairs, unequal_heaps

PLIES = 30
NUMBER = 120  # positions; in one of seven the game is over
WAYS = {
    "no pruning": {"pruning": "none"},
    "alpha-beta": {"pruning": "alpha_beta", "deepening": False},
    "pvs": {"pruning": "pvs"},
    "pvs and table": {"pruning": "pvs", "table_bits": 10},
    "pvs and small table": {"pruning": "pvs", "table_bits": 2, "deepening": False},
}


def exact_eighths(state):
    """Scores that a float and a whole number hold exactly, with many ties."""
    return jnp.round(score_of(ONITAMA)(state) * 8) / 8


ONITAMA = jaxgames.make("onitama", max_plies=PLIES)
MURUS = jaxgames.make("murus_gallicus", max_plies=PLIES)


@functools.cache
def minimax(env, score, depth, number):
    """Returns the values in whole units and the mask of best actions by the older search."""
    search = jax.jit(Minimax(env.rules, score, depth).search)
    result = jax.device_get(search(games.positions(env, number, PLIES)))
    values = result.value.astype(np.float64)
    wins = np.abs(values) > 1
    plies = (MINIMAX_WIN - np.abs(values)) / PLY
    value = np.where(wins, np.sign(values) * (WIN - plies), values * UNITS)
    best = np.zeros((number, env.num_actions + 1), bool)
    actions = np.where(result.is_best, result.actions, env.num_actions)
    np.put_along_axis(best, actions, True, axis=1)
    return value.astype(np.int64), best[:, :-1]


def found_by(search, boards, params=(), depth=None):
    """Returns what a search finds; its full depth is an argument like any, for the same program."""
    if depth is None:
        depth = jnp.full(len(jax.tree.leaves(boards)[0]), search.max_depth)
    return jax.device_get(games.search(search, boards, params, depth))


@pytest.mark.parametrize(
    "way",
    [pytest.param(way, marks=pytest.mark.slow if way == "no pruning" else ()) for way in WAYS],
)
def test_onitama_has_the_values_and_moves_of_minimax(way):
    value, best = minimax(ONITAMA, exact_eighths, 3, NUMBER)
    search = DepthFirst(ONITAMA.rules, Rounded(ONITAMA.rules, exact_eighths), 3, **WAYS[way])
    found = found_by(search, games.positions(ONITAMA, NUMBER, PLIES))
    running = best.any(axis=1)
    assert 0.8 * NUMBER <= running.sum() < NUMBER
    np.testing.assert_array_equal(found.value, value)
    assert best[np.flatnonzero(running), found.action[running]].all()
    assert (found.action[~running] == -1).all() and (found.depth[~running] == 0).all()
    assert (found.statistics.nodes[~running] == 0).all()


class FavoursTheActor:
    """Values of afterstates: a score times a parameter, and a bonus for the seat that acted."""

    def returns(self, params, state, seat):
        values = params["scale"] * jax.vmap(exact_eighths)(state)
        return values + jnp.where(jnp.arange(2) == seat[:, None], 0.125, -0.125)


def as_learned(state):
    """The same as a score, with the parameter -1."""
    bonus = jnp.where(jnp.arange(2) == state.seat, -0.125, 0.125)
    return bonus - exact_eighths(state)


@pytest.mark.parametrize("way", ["no pruning", "pvs and table"])
def test_learned_values_are_searched_with_parameters_that_all_lanes_share(way):
    value, best = minimax(ONITAMA, as_learned, 2, NUMBER)
    score = Learned(ONITAMA.rules, FavoursTheActor())
    search = DepthFirst(ONITAMA.rules, score, 2, shares_params=True, **WAYS[way])
    boards = games.positions(ONITAMA, NUMBER, PLIES)
    found = found_by(search, boards, {"scale": jnp.float32(-1.0)})
    np.testing.assert_array_equal(found.value, value)
    running = best.any(axis=1)
    assert best[np.flatnonzero(running), found.action[running]].all()
    other = found_by(search, boards, {"scale": jnp.float32(1.0)})
    assert (other.value != value).any()
    # A player tells the value as a return.
    told = jax.device_get(DepthFirstPlayer(search).decision(boards, found).values)
    seat = np.asarray(jax.vmap(ONITAMA.rules.to_move)(boards))
    expected = np.where(np.abs(value) > MAX_SCORE, np.sign(value), value / UNITS)
    np.testing.assert_allclose(told[np.arange(NUMBER), seat], expected)


@dataclasses.dataclass(frozen=True)
class Coarse:
    """The usual score in steps so large that there are ties."""

    score: object

    def __call__(self, params, state):
        return self.score(params, state) // 5000


MURUS_WAYS = {
    "alpha-beta": {"pruning": "alpha_beta", "deepening": False},
    "pvs": {"pruning": "pvs"},
    "pvs, table and tactics": {
        "pruning": "pvs",
        "table_bits": 10,
        "tactics": tactics_of(MURUS),
    },
}


@pytest.mark.slow
def test_murus_gallicus_has_one_value_whatever_the_way():
    score, one = integer_score_of(MURUS)
    params = jax.tree.map(lambda x: jnp.broadcast_to(x, (NUMBER, *x.shape)), one)
    boards = games.positions(MURUS, NUMBER, PLIES)
    rules, coarse = MURUS.rules, Coarse(score)
    plain = DepthFirst(rules, coarse, 2, pruning="none", deepening=False)
    expected = found_by(plain, boards, params)
    assert (expected.depth > 0).sum() >= 0.8 * NUMBER
    assert len(np.unique(expected.value)) > 20
    for way, settings in MURUS_WAYS.items():
        found = found_by(DepthFirst(rules, coarse, 2, **settings), boards, params)
        np.testing.assert_array_equal(found.value, expected.value, err_msg=way)
        assert found.statistics.nodes.sum() < expected.statistics.nodes.sum() / 2


@pytest.mark.parametrize("depth", [3, 6])
def test_a_seat_that_moves_twice_keeps_its_sign(depth):
    rules = Pairs()
    heaps = test_minimax.positions(rules)
    result = jax.device_get(jax.jit(Minimax(rules, unequal_heaps, depth).search)(heaps))
    search = DepthFirst(rules, Rounded(rules, unequal_heaps), depth, table_bits=6)
    found = found_by(search, heaps)
    wins = np.abs(result.value) > 1
    assert 0 < wins.sum() < len(wins)
    np.testing.assert_array_equal(np.sign(found.value), np.sign(result.value))
    np.testing.assert_array_equal(np.abs(found.value) > MAX_SCORE, wins)
    np.testing.assert_array_equal(found.value[~wins], result.value[~wins] * UNITS)
    plies = (MINIMAX_WIN - np.abs(result.value[wins].astype(np.float64))) / PLY
    np.testing.assert_array_equal(np.abs(found.value[wins]), WIN - plies)


def test_each_lane_has_its_own_depth_and_the_iterations_those_of_less_depth():
    search = DepthFirst(ONITAMA.rules, Rounded(ONITAMA.rules, exact_eighths), 3)
    depth = jnp.arange(NUMBER) % 3 + 1
    found = found_by(search, games.positions(ONITAMA, NUMBER, PLIES), depth=depth)
    running = found.depth > 0
    for plies in (1, 2, 3):
        value, _ = minimax(ONITAMA, exact_eighths, plies, NUMBER)
        here = running & (depth == plies)
        np.testing.assert_array_equal(found.value[here], value[here])
        deeper = running & (found.depth >= plies)
        np.testing.assert_array_equal(found.iterations.value[deeper, plies - 1], value[deeper])
    # Only what is proven to be won or lost is not searched deeper.
    early = running & (found.depth < depth)
    assert (np.abs(found.value[early]) > MAX_SCORE).all()
    np.testing.assert_array_equal(found.iterations.nodes.sum(axis=1), found.statistics.nodes)


def test_the_variation_leads_to_the_value():
    rules = ONITAMA.rules
    score = Rounded(rules, exact_eighths)
    boards = games.positions(ONITAMA, NUMBER, PLIES)
    found = found_by(DepthFirst(rules, score, 3), boards)
    legal, step = jax.jit(jax.vmap(rules.legal_actions)), jax.jit(jax.vmap(rules.step))
    game, sign = boards, np.ones(NUMBER, int)
    over = np.asarray(jax.vmap(rules.is_over)(boards))
    running = ~over
    for ply in range(3):
        action = found.variation[:, ply].astype(int)
        plays = running & ~over
        assert (action[~plays] == -1).all()
        assert np.asarray(legal(game))[np.flatnonzero(plays), action[plays]].all()
        moved = step(game, jnp.maximum(action, 0))
        game = jax.tree.map(
            lambda x, y, m=plays: jnp.where(m.reshape(-1, *[1] * (x.ndim - 1)), x, y), moved, game
        )
        sign = np.where(plays, -sign, sign)
        over = np.asarray(jax.vmap(rules.is_over)(game))
    static = np.asarray(jax.vmap(lambda state: score((), state))(game))
    certain = np.abs(found.value) > MAX_SCORE
    assert (over[running] >= certain[running]).all() and certain.sum() > 5
    quiet = running & ~over
    np.testing.assert_array_equal(found.value[quiet], (sign * static)[quiet])
    np.testing.assert_array_equal(found.variation[running, 0], found.action[running])


def test_every_lane_may_have_its_own_score():

    def scaled(params, state):
        return params * Rounded(ONITAMA.rules, exact_eighths)((), state)

    factors = jnp.where(jnp.arange(NUMBER) % 2 == 0, 1, -1)
    search = DepthFirst(ONITAMA.rules, scaled, 2, table_bits=8)
    found = found_by(search, games.positions(ONITAMA, NUMBER, PLIES), factors)
    value, best = minimax(ONITAMA, exact_eighths, 2, NUMBER)
    even = (np.arange(NUMBER) % 2 == 0) & best.any(axis=1)
    np.testing.assert_array_equal(found.value[even], value[even])
    assert (found.value[1::2] != value[1::2]).mean() > 0.1


TRANSPOSED = {
    "onitama": (ONITAMA, 48, 5),
    "murus_gallicus": (MURUS, 32, 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", TRANSPOSED)
def test_values_of_the_table_are_right_where_positions_are_met_again(game):
    env, number, depth = TRANSPOSED[game]
    score, one = integer_score_of(env)
    params = jax.tree.map(lambda x: jnp.broadcast_to(x, (number, *jnp.shape(x))), one)
    boards = games.positions(env, number, PLIES)
    plain = found_by(DepthFirst(env.rules, score, depth, "alpha_beta"), boards, params)
    found = found_by(DepthFirst(env.rules, score, depth, "pvs", 12), boards, params)
    np.testing.assert_array_equal(found.value, plain.value)
    np.testing.assert_array_equal(found.iterations.value, plain.iterations.value)
    assert found.statistics.cuts.sum() > 1000
    assert found.statistics.nodes.sum() < plain.statistics.nodes.sum()
