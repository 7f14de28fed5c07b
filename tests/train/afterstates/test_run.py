"""Runs of `python -m train.afterstates`: they learn, resume bit for bit, and are played."""

import functools
import json

import jax
import numpy as np
import pytest

from jaxgames.matches.match import match
from jaxgames.matches.statistics import score
from jaxgames.networks import network_files
from jaxgames.players import registry
from jaxgames.players.registry import make_env
from tests.train import runs
from train import metrics
from train.afterstates import __main__ as program
from train.afterstates.run import make_program
from train.evaluation import Matches
from train.network_program import NetworkProgram
from train.run import TrainingRun

TINY = (
    "--game=onitama",
    "--preset=cpu",
    "--cpu-devices=1",
    "--network.hidden",
    "16",
    "--play.lanes=16",
    "--play.plies=8",
    "--play.past-share=0.25",
    "--play.past-every=1",
    "--play.opponent-share=0.25",
    "--play.opponents",
    "random",
    "--learner.batch-size=32",
    "--learner.updates=3",
    "--learner.window=2",
    "--evaluation.games=4",
    "--evaluation.every=1",
    "--checkpoint.every=1",
)


@pytest.fixture(scope="module")
def run():
    """Trains in a folder with further options; all runs share what is compiled."""
    learner = make_program(program.parse(TINY)).learner

    def train(folder, *more: str) -> TrainingRun:
        config = program.parse([*TINY, f"--run-dir={folder}", *more])
        return runs.learn(functools.partial(NetworkProgram, learner), config)

    return train


@pytest.fixture(scope="module")
def whole(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    run(folder, "--iterations=4")
    return folder


@pytest.mark.parametrize("stops", [(3, 4), pytest.param((1, 3, 4), marks=pytest.mark.slow)])
def test_a_resumed_run_ends_like_a_whole_one(run, whole, tmp_path, stops):
    for iterations in stops:
        run(tmp_path / "parts", f"--iterations={iterations}")
    assert runs.read(tmp_path / "parts") == runs.read(whole)
    runs.assert_same_file(tmp_path / "parts/network.npz", whole / "network.npz")


def test_a_run_leaves_network_record_and_curves(whole):
    assert (whole / "learning_curve.png").stat().st_size > 10_000
    record = json.loads((whole / "record.json").read_text())
    assert record["run"]["learner.trace"] == 0.9
    rows = runs.read(whole)
    assert [row["iteration"] for row in rows] == [0, 1, 2, 3, 4]
    assert {"learner/loss", "selfplay/actions"} <= rows[1].keys()
    assert "evaluation/afterstate/random" in rows[4]


def test_the_network_plays_and_is_refused_elsewhere(whole):
    env = make_env("onitama", "")
    path = whole / "network.npz"
    player = registry.make(f"afterstate:network={path}", env)
    result = match(env, (player, registry.make("random", env)), jax.random.key(0), 8)
    assert result.returns.shape == (8, 2)
    from_run = registry.make(f"afterstate:network={whole},noise=0.1", env)
    runs.assert_same(from_run.params.values, player.params)
    with pytest.raises(ValueError, match="search on them with evaluator=afterstates,network="):
        registry.make(f"gumbel:network={path}", env)
    with pytest.raises(ValueError, match="was trained for game 'onitama', not 'murus_gallicus'"):
        registry.make(f"afterstate:network={path}", make_env("murus_gallicus", ""))


@pytest.mark.parametrize(
    "spec",
    [
        "negascout:depth=2,table=6,network={}",
        pytest.param("mc:budget=16,depth=4,network={}", marks=pytest.mark.slow),
        pytest.param("rhea:budget=16,depth=4,network={}", marks=pytest.mark.slow),
        pytest.param("planning_mcts:budget=16,depth=4,network={}", marks=pytest.mark.slow),
    ],
)
def test_searches_judge_by_the_network(whole, spec):
    env = make_env("onitama", "")
    player = registry.make(spec.format(whole), env)
    jax.tree.map(
        np.testing.assert_array_equal,
        player.params,
        registry.make(f"afterstate:network={whole}", env).params,
    )
    games = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 4))
    decision, _ = player.act(player.agent.reset(4), games, jax.random.key(1))
    legal = np.asarray(jax.vmap(env.rules.legal_actions)(games))
    assert legal[np.arange(4), decision.action].all()
    with pytest.raises(ValueError, match="holds no values of afterstates"):
        registry.make(spec.format("onitama"), env)


def test_depth_first_searches_need_seats_that_alternate():
    for spec, game, options in (
        ("negascout:depth=1,network=terra_mystica", "terra_mystica", ""),
        ("alpha_beta:depth=1,network=nowhere", "murus_gallicus", "redistribute_start=true"),
    ):
        with pytest.raises(ValueError, match="seats take turns with every action"):
            registry.make(spec, make_env(game, options))


def test_a_new_run_may_start_from_a_network(whole):
    learning = make_program(program.parse([*TINY, f"--start={whole}"]))
    params = registry.make(f"afterstate:network={whole}", learning.learner.env).params
    runs.assert_same(jax.device_get(learning.initial_state().params), params)


def test_the_network_of_the_best_evaluation_is_exported(run, tmp_path, capsys, monkeypatch):
    scores, seen = iter([1.0, 0.75, 0.25, 0.75, 0.5, 0.25, 0.0]), []

    def evaluate(matches, params, key, games):
        seen.append(params)
        return {"evaluation/afterstate/random": next(scores), "points/afterstate/random": 100.0}

    monkeypatch.setattr(Matches, "__call__", evaluate)

    def learn(iterations, *more):
        options = ["--export-best", f"--export={tmp_path / 'best.npz'}", *more]
        run(tmp_path / "run", f"--iterations={iterations}", *options)
        return network_files.load_network(tmp_path / "best.npz")

    learn(2)  # the untrained network is evaluated first, and is never the best
    params, meta = learn(4)
    assert (meta["iteration"], meta["score"]) == (3, 0.75)
    # Its minutes contain its last iteration, which came before its evaluation.
    lines = metrics.read_metrics(tmp_path / "run" / metrics.FILE_NAME)
    minutes = [line["time/minutes"] for line in lines if line["iteration"] in (2, 3)]
    assert np.mean(minutes) < meta["minutes"] <= minutes[1]
    assert "of iteration 3, the best evaluation" in capsys.readouterr().out
    runs.assert_same(params, seen[3])
    loaded, _ = network_files.load_network(tmp_path / "run" / "network.npz")
    runs.assert_same(loaded, params)
    # Scores by other matches cannot be compared with these.
    _, meta = learn(6, "--evaluation.games=6")
    assert (meta["iteration"], meta["score"]) == (5, 0.25)

    (tmp_path / "run" / "best.npz").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"best\.npz"):
        learn(7)


def test_a_run_without_evaluation_exports_its_newest_network(run, tmp_path):
    run(tmp_path / "run", "--iterations=1000", "--evaluation.every=50", "--export-best",
        "--max-minutes=0.0001")  # fmt: skip
    _, meta = network_files.load_network(tmp_path / "run" / "network.npz")
    assert meta["iteration"] == 1


@pytest.mark.slow
def test_values_learn_to_beat_random_play(tmp_path):
    options = [
        f"--run-dir={tmp_path / 'learns'}",
        "--iterations=25",
        "--play.lanes=128",
        "--play.plies=16",
        "--play.past-share=0",
        "--play.opponent-share=0.0",
        "--play.opponents",
        "--learner.batch-size=256",
        "--learner.updates=60",
        "--evaluation.every=0",
    ]
    runs.learn(make_program, program.parse([*TINY, *options]))
    env = make_env("onitama", "")
    player = registry.make(f"afterstate:network={tmp_path / 'learns'}", env)
    result = match(env, (player, registry.make("random", env)), jax.random.key(1), 64)
    assert score(np.asarray(result.returns)).mean > 0.9
