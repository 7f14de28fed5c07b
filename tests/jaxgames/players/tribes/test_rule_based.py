"""The rule-based agent of Tribes plays as the recorded one does, and well."""

import jax
import numpy as np
import pytest

import jaxgames
from benchmarks import host_batches
from benchmarks.golden.core.records import read_records
from benchmarks.golden.tribes.games import FIELDS, games_of
from benchmarks.golden.tribes.recorded_game import read_game
from benchmarks.golden.tribes.replay import rules_of
from jaxgames.matches.match import match
from jaxgames.players import registry
from jaxgames.tribes.engine.actions import END_TURN
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage
from papers.tribes.study.games import first_positions, make_env
from tests.golden_reports import shared_directory
from tests.jaxgames.players.tribes import scoring
from tests.jaxgames.tribes import recorded

TILES = 121
# Decisions of rule-based agents in the whole golden data.
SHARED = {
    "games_paper_levels": 36248,
    "games_tribes": 7402,
    "games_multi": 12154,
    "games_fog": 4621,
    "games_search": 3015,
    "games_mixed": 550,
}


def check(recorded_games, rules, every=1):
    """Returns the number of decisions checked: all recorded ones are among our best."""
    seen = list(scoring.decisions(recorded_games, rules, every))
    assert [(one.name, one.decision) for one in seen if not one.is_best] == []
    return len(seen), sum(one.num_best == 1 for one in seen)


def test_recorded_agents_play_what_ours_scores_highest():
    games = ("paper_levels", "33"), ("search", "3"), ("tribes", "10")
    recorded_games = [recorded.game(*game) for game in games]
    number, unique = check(recorded_games, Tribes())
    assert (number, unique) == (551, 167)


@pytest.mark.slow
def test_recorded_agents_among_three_tribes():
    recorded_game = recorded.game("multi", "1")
    number, _ = check([recorded_game], rules_of(recorded_game.head))
    assert number > 100


@pytest.mark.slow
@pytest.mark.parametrize("file", SHARED)
def test_all_recorded_agents_play_what_ours_scores_highest(file):
    lines = read_records(shared_directory("tribes") / f"{file}.jsonl.gz", FIELDS)
    recorded_games = [read_game(game["lines"]) for game in games_of(lines)]
    by_rules = {}
    for recorded_game in recorded_games:
        by_rules.setdefault(rules_of(recorded_game.head), []).append(recorded_game)
    assert sum(check(part, rules)[0] for rules, part in by_rules.items()) == SHARED[file]


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("tribes")


@pytest.fixture(scope="module")
def positions():
    """Positions of one game, from its beginning to its end."""
    recorded_game = recorded.game("paper_levels", "33")
    rows = np.linspace(0, len(recorded_game.decisions) - 1, scoring.LANES).astype(int)
    return host_batches.take(recorded_game.states, rows)


def decide(env, spec, states, seed=0):
    player = registry.make(spec, env)
    act = jax.jit(player.agent.act)
    memory = player.agent.reset(len(states.phase))
    decision, after = act(player.params, memory, states, jax.random.key(seed))
    assert memory == after == ()
    return jax.device_get(decision)


def test_all_best_actions_have_the_same_chance(env, positions):
    scores = scoring.score(
        [host_batches.take(positions, i) for i in range(scoring.LANES)], env.rules
    )
    highest = np.maximum(scores.sub_actions.max(axis=(1, 2)), scores.of_tribe.max(axis=1))
    best = scores.sub_actions == highest[:, None, None]
    of_tribe = scores.of_tribe == highest[:, None]
    number = best.sum(axis=(1, 2)) + of_tribe.sum(axis=1)
    assert (number > 1).sum() > 20

    first = decide(env, "rule_based", positions)
    assert not first.values.any()
    expected = np.concatenate([best.sum(axis=2), of_tribe], axis=1) / number[:, None]
    np.testing.assert_allclose(first.policy[:, : TILES + 27], expected, rtol=1e-6)
    assert not first.policy[:, TILES + 27 :].any()
    lanes = np.arange(scoring.LANES)
    assert (first.policy[lanes, first.action] > 0).all()
    others = decide(env, "rule_based", positions, seed=1)
    assert (others.action != first.action).any()

    # On the tile that was chosen, each of its best sub-actions; nothing depends on other tiles.
    of_tile = best.any(axis=2)
    tile = of_tile.argmax(axis=1)
    chosen = positions.replace(
        phase=np.full_like(positions.phase, Stage.SUB_ACTION), selected=tile.astype(np.int16)
    )
    second = decide(env, "rule_based", chosen)
    there = of_tile.any(axis=1)
    sub_actions = best[lanes, tile]
    share = sub_actions / np.maximum(sub_actions.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(second.policy[there, : share.shape[1]], share[there], rtol=1e-6)


def test_doing_nothing_ends_the_turn_where_it_can(env, positions):
    legal = np.asarray(jax.jit(jax.vmap(env.rules.legal_actions))(positions))
    action = decide(env, "do_nothing", positions).action
    can = legal[:, TILES + END_TURN]
    assert can.sum() > 20
    assert (action[can] == TILES + END_TURN).all()
    assert legal[np.arange(len(action)), action].all()


@pytest.mark.parametrize("name", ["rule_based", "do_nothing"])
def test_other_games_have_no_such_agent(name):
    message = f"unknown game for the agent {name}: 'onitama'; available: tribes"
    with pytest.raises(ValueError, match=message):
        registry.make(name, jaxgames.make("onitama"))


def share_against_random_play(env, better, num_games, starts=None):
    players = [registry.make(spec, env) for spec in (better, "random:of=actions")]
    result = match(env, players, jax.random.key(0), num_games, starts=starts)
    return (result.winner == 0).mean()


@pytest.mark.slow
def test_the_rules_beat_random_play(env):
    assert share_against_random_play(env, "rule_based", 256) > 0.95


@pytest.mark.slow
def test_looking_ahead_beats_random_play_on_the_levels_of_the_paper():
    env = make_env()
    assert share_against_random_play(env, "osla", 400, first_positions(env, range(200))) > 0.95
