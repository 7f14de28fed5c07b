import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.matches.match import match
from jaxgames.players import registry
from jaxgames.players.depth_first import DepthFirstPlayer, per_lane
from jaxgames.players.murus_gallicus.evaluation import Defence, parameters
from jaxgames.players.opening_book import book, storage
from jaxgames.players.opening_book.player import BookParams, BookThen
from jaxgames.search.agent import Watcher
from jaxgames.search.tree import packing
from tests.jaxgames.players.murus_gallicus import boards

KEY = jax.random.key(0)


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("murus_gallicus")


def compiled(player):
    return jax.jit(player.agent.act)


def batch_of(env, *texts):
    games = [env.text_to_state(text).game for text in texts]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *games)


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        pytest.param("murus_gallicus", "alpha_beta:depth=2", marks=pytest.mark.slow),
        ("murus_gallicus", "negascout:depth=2"),
        ("onitama", "negamax:depth=2"),
        ("onitama", "negascout:depth=2"),
    ],
)
def test_searches_win_where_a_move_wins_at_once(game, spec):
    env = jaxgames.make(game)
    text = {
        "murus_gallicus": "t7/8/3T4/8/8/8/7T r",
        "onitama": "bb1bb/2R2/5/4B/rr1rr r ox,boar|horse,elephant|crab 0",
    }[game]
    games = batch_of(env, text)
    player = registry.make(spec, env)
    decision, _ = compiled(player)(player.params, player.agent.reset(1), games, KEY)
    child = env.rules.step(jax.tree.map(lambda x: x[0], games), decision.action[0], None)
    assert bool(env.rules.is_over(child))
    seat = int(env.rules.to_move(jax.tree.map(lambda x: x[0], games)))
    assert decision.values[0, seat] == 1 and decision.values[0, 1 - seat] == -1


def test_latch_is_thrown_for_the_rest_of_the_game(env):
    standing = "t7/8/8/8/2WWTC2/8/8 r"
    broken = "t7/8/8/8/2WW1C2/8/T7 r"
    player = registry.make("ms2:depth=1,table=none", env)
    act = compiled(player)
    memory = player.agent.reset(2)
    _, memory = act(player.params, memory, batch_of(env, standing, broken), KEY)
    assert memory.tolist() == [True, False]
    _, memory = act(player.params, memory, batch_of(env, broken, broken), KEY)
    assert memory.tolist() == [True, False]


def test_parameters_of_a_lane_follow_its_latch():
    params = per_lane(parameters("ms2"), Defence(), jnp.array([True, False]), 2)
    assert params.uses_tables.tolist() == [False, True]
    assert params.weights.w_tower.tolist() == [1000, 1000]
    params = per_lane(parameters("ms1", "ms1"), None, (), 3)
    assert params.tables.shape[0] == 3 and params.uses_tables.tolist() == [True] * 3


def test_latched_player_moves_by_the_features_alone(env):
    games = boards.games()
    games = jax.tree.map(lambda x: x[300:332], games)
    player = registry.make("ms2:depth=1,table=none", env)
    act = compiled(player)
    fresh, _ = act(player.params, player.agent.reset(32), games, KEY)
    thrown = jnp.ones(32, bool)
    latched, _ = act(player.params, thrown, games, KEY)
    without = player.params._replace(uses_tables=jnp.bool_(False))
    plain, _ = act(without, player.agent.reset(32), games, KEY)
    np.testing.assert_array_equal(latched.action, plain.action)
    assert (np.asarray(latched.action) != np.asarray(fresh.action)).any()


@pytest.mark.parametrize(
    "game", [pytest.param("murus_gallicus", marks=pytest.mark.slow), "onitama"]
)
def test_negascout_beats_random_play(game):
    env = jaxgames.make(game)
    players = [registry.make(spec, env) for spec in ("negascout:depth=2", "random")]
    result = match(env, players, KEY, num_games=20)
    assert (result.winner == 0).sum() >= 19


@pytest.mark.slow
def test_course_players_beat_random_play(env):
    for spec in ("ms1:depth=1", "ms3:depth=1,table=4,weights=evolved"):
        players = [registry.make(name, env) for name in (spec, "random")]
        result = match(env, players, KEY, num_games=20)
        assert (result.winner == 0).sum() >= 18, spec


def test_players_are_hashable(env):
    for spec in ("negascout", "ms2"):
        agent = registry.make(spec, env).agent
        assert isinstance(agent, DepthFirstPlayer)
        assert hash(agent) == hash(registry.make(spec, env).agent)


def test_captures_beyond_the_depth_win_games():
    env = jaxgames.make("onitama")
    specs = ("negascout:depth=1,quiescence=3", "negascout:depth=1")
    players = [registry.make(spec, env) for spec in specs]
    result = match(env, players, KEY, num_games=40, opening_plies=4)
    assert (result.winner == 0).sum() >= 30


def test_third_milestone_opens_from_its_book(env, tmp_path):
    start = env.rules.init(KEY)
    words = np.asarray(packing.pack(jax.tree.map(lambda x: x[None], start)))
    opened = book.make(words, np.array([[7, 0]]), np.array([[0.5, 0.5]]), np.zeros((1, 2)))
    path = tmp_path / "book.npz"
    storage.save(path, opened, storage.describe(env, {}))
    player = registry.make(f"ms3:depth=1,table=none,book={path},book_moves=1", env)
    games = jax.tree.map(lambda x: jnp.stack([x] * 32), start)
    act = compiled(player)
    decision, memory = act(player.params, player.agent.reset(32), games, KEY)
    assert set(decision.action.tolist()) == {0, 7}
    decision, _ = act(player.params, memory, games, KEY)
    assert not {0, 7} & set(decision.action.tolist())


def test_latch_is_thrown_by_a_position_of_the_book_too(env):
    games = batch_of(env, "t7/8/8/8/2WWTC2/8/8 r", "t7/8/8/8/2WW1C2/8/T7 r")
    opened = book.make(
        np.asarray(packing.pack(games)),
        np.array([[0], [0]], np.int32),
        np.ones((2, 1), np.float32),
        np.zeros((2, 2), np.float32),
    )
    player = registry.make("ms3:depth=1,table=none", env)
    agent = BookThen(env.rules, player.agent)
    assert isinstance(player.agent, Watcher)
    act = jax.jit(agent.act)
    params = BookParams(opened, player.params)
    decision, memory = act(params, agent.reset(2), games, KEY)
    assert decision.action.tolist() == [0, 0]  # of the book
    assert memory.agent.tolist() == [True, False]


def test_latch_can_be_left_out(env):
    for spec in ("ms2:pst_latch=false", "ms3:pst_latch=false"):
        assert registry.make(spec, env).agent.latch is None
