"""Whole runs: command line, learning side by side, resuming, and what a run leaves behind."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs import presets
from jaxgames.matches.match import match
from jaxgames.players import registry
from papers.onitama_report import train
from papers.onitama_report.config import (
    ARCHITECTURES,
    DEVICE_CLASSES,
    EvaluationConfig,
    LearnerConfig,
    OpponentConfig,
    preset,
)
from papers.onitama_report.ddpg.run import Ddpg, _figures
from papers.onitama_report.ddpg.steps import VALID_RATE_TURNS, PlayStats
from papers.onitama_report.tests.ddpg.small import CONFIG
from tests.locations import CHECKOUT
from tests.train import runs
from train import run_record

# One learner alone, whose validity network freezes at once.
ALONE = dataclasses.replace(
    CONFIG,
    architecture="dual",
    seed=1,
    seeds=1,
    episodes=3,
    learner=dataclasses.replace(CONFIG.learner, freeze_valid_rate=0.0),
)
LEARNERS = ("actions_only-seed_0", "actions_only-seed_1", "dual-seed_0", "dual-seed_1")


def learn(folder, config=CONFIG, **changes) -> Ddpg:
    run = Ddpg(dataclasses.replace(config, run_dir=str(folder), **changes))
    assert run.run()
    return run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("ddpg") / "run"
    learn(folder)
    return folder


def test_run_leaves_its_record_curves_and_one_file_for_each_learner(whole):
    names = {path.name for path in whole.iterdir()}
    assert names == {
        "actors", "checkpoints", "config.json", "learning_curve.png", "lock", "metrics.jsonl",
        "record.json", "tensorboard",
    }  # fmt: skip
    assert {path.stem for path in (whole / "actors").iterdir()} == set(LEARNERS)
    assert (whole / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    for name in LEARNERS:
        rows = [row for row in runs.read(whole) if f"play/episodes/{name}" in row]
        episodes = [row[f"play/episodes/{name}"] for row in rows]
        # Figures stop with the iteration in which the last game ends.
        assert episodes == sorted(episodes) and episodes[-1] >= 12
        assert all(number < 12 for number in episodes[:-1])
        assert all(0 <= row[f"play/valid_mass/{name}"] <= 1 for row in rows)
        assert all(2 <= row[f"play/legal_actions/{name}"] <= 40 for row in rows)
        assert all(row.get(f"play/game_length/{name}", 3) <= 30 for row in rows)
        has_validity = any(f"learner/validity_loss/{name}" in row for row in rows)
        assert has_validity == name.startswith("dual")
        assert any(f"learner/critic_loss/{name}" in row for row in rows)


def test_exported_actor_plays_a_match(whole):
    env = jaxgames.make("onitama_report")
    spec = f"ddpg:actor={whole / 'actors' / 'dual-seed_1.npz'}"
    players = [registry.make(spec, env), registry.make("random", env)]
    result = match(env, players, jax.random.key(0), num_games=4)
    assert (result.returns.sum(axis=1) == 0).all() and (result.plies > 2).all()


def test_run_that_stopped_goes_on_as_if_it_had_not(whole, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Ddpg, "is_finished", lambda run, stop: run.iteration >= 3)
        learn(tmp_path / "parts")
    assert len(runs.read(tmp_path / "parts")) == 3
    parts = learn(tmp_path / "parts")
    assert parts.is_resumed
    assert runs.read(tmp_path / "parts") == runs.read(whole)
    for name in LEARNERS:
        with (
            np.load(tmp_path / "parts" / "actors" / f"{name}.npz") as found,
            np.load(whole / "actors" / f"{name}.npz") as wanted,
        ):
            assert found.files == wanted.files
            for entry in wanted.files:
                np.testing.assert_array_equal(found[entry], wanted[entry])


def test_learner_that_has_reached_its_last_game_learns_no_more(tmp_path):
    with Ddpg(dataclasses.replace(CONFIG, run_dir=str(tmp_path / "run"))) as run:
        for _ in range(3):
            run.advance()
        before = jax.device_get(run.arrays()[0])
        run._episodes = np.array([12, 0, 0, 99])
        numbers = run.advance()
        after = jax.device_get(run.arrays()[0])
    for row, name in enumerate(LEARNERS):
        stays = row in (0, 3)
        assert (f"play/episodes/{name}" in numbers) == (not stays)
        assert (f"learner/actor_loss/{name}" in numbers) == (not stays)
        architecture, _, seed = name.partition("-seed_")
        pair = [tree[architecture]["actions"]["kernel"][int(seed)] for tree in (before, after)]
        assert np.array_equal(*pair) == stays


def test_learning_begins_with_a_full_batch_and_makes_all_updates_of_an_iteration(tmp_path):
    with Ddpg(dataclasses.replace(CONFIG, run_dir=str(tmp_path / "run"))) as run:
        assert run.config.updates == 2
        # The replay holds up to 16 transitions of each learner, then a batch, then twice as many.
        for steps in (0, 2, 4):
            run.advance()
            for learners in run._learners:
                for adam in (learners.actor_adam, learners.critic_adam):
                    assert adam[0].count.tolist() == [steps] * 2


def test_gradient_steps_of_an_iteration_have_batches_of_their_own(tmp_path):
    with Ddpg(dataclasses.replace(CONFIG, run_dir=str(tmp_path / "run"))) as run:
        for _ in range(2):
            run.advance()
        keys, everyone = jax.random.split(jax.random.key(3)), np.ones(2, bool)

        def losses(number):
            learners = jax.tree.map(jnp.copy, run._learners[0])  # the step takes what it is given
            metrics = run.steps.learn(0, learners, run._play, everyone, keys, number)[1]
            return np.asarray(metrics["critic_loss"])

        assert (losses(0) != losses(1)).all()
        assert (losses(0) == losses(0)).all()


def test_valid_rate_is_averaged_over_many_turns_and_below_its_threshold_freezes_nothing(tmp_path):
    with Ddpg(dataclasses.replace(CONFIG, run_dir=str(tmp_path / "run"))) as run:
        wanted, remembered = np.zeros(len(LEARNERS)), np.zeros(len(LEARNERS))
        for _ in range(2):  # until then the replay holds every turn
            numbers, size = run.advance(), np.asarray(run._play.replay.size)
            rates = np.array([numbers[f"play/valid_rate/{name}"] for name in LEARNERS])
            wanted += (size - remembered) / VALID_RATE_TURNS * (rates - wanted)
            remembered = size
        np.testing.assert_allclose(run._play.valid_rate, wanted, rtol=1e-5)
        assert (wanted > 0).all() and not run._play.is_frozen.any()


@pytest.mark.slow
def test_learners_differ_and_random_numbers_do_not_depend_on_company(whole, tmp_path):
    # The first games are played before anything is learned. Networks that compute in another batch
    # may differ in the last bits.
    with Ddpg(dataclasses.replace(ALONE, run_dir=str(tmp_path / "run"))) as run:
        assert run.names == ["dual-seed_1"]
        first, together = run.advance(), runs.read(whole)[0]
    for figure in ("legal_actions", "episodes", "valid_rate"):
        name = f"play/{figure}/dual-seed_1"
        assert first[name] == together[name]
    assert together["play/legal_actions/dual-seed_0"] != together["play/legal_actions/dual-seed_1"]


@pytest.mark.slow
def test_dual_freezes_its_validity_network_for_good(tmp_path):
    with Ddpg(dataclasses.replace(ALONE, run_dir=str(tmp_path / "run"))) as run:
        fresh = jax.device_get(run.arrays()[0]["dual"])
        while not run._play.is_frozen.all():
            run.iterate()
        frozen = jax.device_get(run.arrays()[0]["dual"])
        run.iterate()
        after = jax.device_get(run.arrays()[0]["dual"])
    for part in ("validity", "validity_preprocess"):
        jax.tree.map(np.testing.assert_array_equal, frozen[part], after[part])
    assert not np.array_equal(fresh["actions"]["kernel"], after["actions"]["kernel"])


def test_evaluation_scores_every_actor(tmp_path):
    evaluation = EvaluationConfig(every=1000, games=4, opponents=("random", "first_legal"))
    learn(tmp_path / "run", ALONE, evaluation=evaluation)
    rows = runs.read(tmp_path / "run")
    assert rows[0]["iteration"] == 0
    for row in (rows[0], rows[-1]):
        for opponent in ("random", "first_legal"):
            assert 0 <= row[f"evaluation/dual-seed_1/{opponent}"] <= 1


def test_figures_of_play_are_shares_of_the_turns_and_of_the_games():
    second = PlayStats(
        turns=40, legal_actions=300, valid_choices=30, valid_mass=10.0, games=8, wins=4, draws=1,
        plies=96, episodes=20, depth=2, remembered=99,
    )  # fmt: skip
    without_games = second._replace(games=0, wins=0, draws=0, plies=0)
    stats = PlayStats(*(np.array(x) for x in zip(without_games, second, strict=True)))
    of_turns = {
        "play/episodes/x": 20,
        "play/opponent_depth/x": 2,
        "play/valid_rate/x": 0.75,
        "play/valid_mass/x": 0.25,
        "play/legal_actions/x": 7.5,
    }
    assert _figures("x", 0, stats) == of_turns
    of_games = {"play/win_rate/x": 0.5, "play/draw_rate/x": 0.125, "play/game_length/x": 12}
    assert _figures("x", 1, stats) == of_turns | of_games


def test_other_settings_are_refused_and_more_episodes_accepted(whole, tmp_path):
    with pytest.raises(ValueError, match=r"learner.tau: there 0.005, asked for 0.5"):
        learn(whole, learner=dataclasses.replace(CONFIG.learner, tau=0.5))
    with pytest.raises(ValueError, match="architecture: there 'actions_only,dual', asked for 'd"):
        learn(whole, architecture="dual")
    learn(tmp_path / "run", ALONE)
    assert learn(tmp_path / "run", ALONE, episodes=6).done == 6


def test_record_without_a_younger_setting_counts_as_what_it_was_then(tmp_path):
    folder = tmp_path / "run"
    config = dataclasses.replace(ALONE, run_dir=str(folder))
    run_record.open_run(config, "1").lock.close()
    record = json.loads((folder / "record.json").read_text())
    del record["run"]["learner.judged_policy"]
    (folder / "record.json").write_text(json.dumps(record))
    run_record.open_run(config, "1").lock.close()
    raw = dataclasses.replace(config.learner, judged_policy="raw")
    with pytest.raises(ValueError, match="judged_policy: there 'masked', asked for 'raw'"):
        run_record.open_run(dataclasses.replace(config, learner=raw), "1")


def test_folder_of_another_program_is_refused(tmp_path):
    folder = str(tmp_path / "run")
    ddpg = dataclasses.replace(presets.preset("onitama_report", "cpu"), run_dir=folder)
    run_record.open_run(ddpg, "1").lock.close()
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    record["sessions"][0]["command"] = ["python", "-m", "train.alphazero", "--seed=0"]
    (tmp_path / "run" / "record.json").write_text(json.dumps(record))
    with pytest.raises(ValueError, match=r"run of another program, train.alphazero; choose anoth"):
        run_record.open_run(dataclasses.replace(ALONE, run_dir=folder), "1")


GAME = "--game=onitama_report"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--game is missing; available: onitama_report"),
        (["--game=onitama"], "no actor: unknown game 'onitama'; available: onitama_report"),
        ([GAME, "--preset=gpu"], "preset: unknown value 'gpu'; available: auto, cpu, accelerator"),
        ([GAME, "--architecture=duel"], "'duel'; available: actions_only, val_after_actions,"),
        ([GAME, "--architecture=duel"], "did you mean 'dual'?"),
        ([GAME, "--architecture=dual,dual"], "architecture=dual,dual names one twice"),
        ([GAME, "--architecture=all,dual"], "architecture=all,dual: all stands alone"),
        ([GAME, "--run-dir="], "run_dir must name a folder, got ''"),
        (
            [GAME, "--learner.actor-learning-rate=inf"],
            "learner.actor_learning_rate must be finite, got inf",
        ),
        ([GAME, "--learner.judged-policy=mask"], "'mask'; available: masked, raw; did you mean"),
        ([GAME, "--play.transition=own"], "'own'; available: own_turn, after_move"),
        ([GAME, "--opponent.kind=mtcs"], "'mtcs'; available: minimax, mcts, random; did you mean"),
        (
            [GAME, "--opponent.kind=mcts", "--opponent.simulations=200000"],
            "opponent.simulations must be from 1 to 131072, got 200000",
        ),
        ([GAME, "--opponent.first-depth=5"], "opponent.first_depth must be from 1 to 4, got 5"),
        ([GAME, "--opponent.wins=101"], "opponent.wins must be from 1 to 100, got 101"),
        ([GAME, "--play.lanes=104"], "opponent.window must hold a game of each lane"),
        (
            [GAME, "--learner.validity-loss=bces"],
            "'bces'; available: mse, bce; did you mean 'bce'?",
        ),
        ([GAME, "--learner.discount=1.5"], "learner.discount must be from 0.0 to 1.0, got 1.5"),
        (
            [GAME, "--learner.turns-per-update=7"],
            "must be a multiple of learner.turns_per_update=7",
        ),
        ([GAME, "--learner.replay-capacity=100"], "must hold the turns of an iteration"),
        (
            [GAME, "--learner.replay-capacity=2000000000"],
            "learner.replay_capacity must be from 1 to 100000000, got 2000000000",
        ),
        ([GAME, "--network.channels=0"], "network.channels must be from 1 to 2048, got 0"),
        ([GAME, "--network.hidden=1000000"], "network.hidden must be from 1 to 8192, got 1000000"),
        ([GAME, "--seeds=0"], "seeds must be from 1 to 1024, got 0"),
        ([GAME, "--seeds=100000000"], "seeds must be from 1 to 1024, got 100000000"),
        (
            [GAME, "--learner.validity-weight=inf"],
            "learner.validity_weight must be finite, got inf",
        ),
        ([GAME, "--episodes=0"], "episodes must be at least 1, got 0"),
        ([GAME, "--evaluation.games=3"], "evaluation.games must be even, got 3"),
        ([GAME, "--evaluation.opponents", "minmax"], "'minmax'"),
        ([GAME, "--env-options=max_plies=0"], "max_plies"),
    ],
)
def test_mistake_ends_with_status_2_and_names_value_and_choice(arguments, words, capsys):
    assert words in runs.message(train.main, arguments, capsys)


def test_presets_are_valid_and_all_means_the_eight_of_the_report():
    for name in DEVICE_CLASSES:
        config = preset("onitama_report", name)
        assert config.preset == name and config.architectures == ("val_branch_actions",)
        assert dataclasses.replace(config, architecture="all").architectures == ARCHITECTURES
    cpu = preset("onitama_report", "cpu")
    assert cpu.learner.batch_size == 64 and cpu.learner.turns_per_update == 8
    assert LearnerConfig().batch_size == 512 and LearnerConfig().turns_per_update == 1
    assert (OpponentConfig().wins, OpponentConfig().window) == (60, 100)


def test_help_and_mistakes_do_not_import_jax():
    runs.check_that_parsing_needs_no_jax("papers.onitama_report.train", GAME, "--seed=-1")


@pytest.mark.slow
def test_program_stopped_by_a_signal_goes_on_bit_for_bit(whole, tmp_path):
    arguments = [
        GAME, "--preset=cpu", "--env-options=max_plies=30", "--architecture=actions_only,dual",
        "--seeds=2", "--episodes=12", "--network.channels=2", "--network.hidden=8",
        "--play.lanes=4", "--play.turns=4", "--opponent.max-depth=2", "--opponent.window=6",
        "--opponent.wins=2", "--learner.batch-size=20", "--learner.replay-capacity=40",
        "--evaluation.every=0", f"--run-dir={tmp_path / 'parts'}",
    ]  # fmt: skip

    def start() -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "papers.onitama_report.train", *arguments],
            cwd=CHECKOUT,
            env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    stopped = start()
    path, deadline = tmp_path / "parts" / "metrics.jsonl", time.monotonic() + 300
    while not (path.exists() and path.read_bytes().count(b"\n") >= 1):
        assert stopped.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)
    stopped.send_signal(signal.SIGTERM)
    assert stopped.wait(timeout=300) == 0, stopped.communicate()[0]
    last = start()
    output, _ = last.communicate(timeout=300)
    assert last.returncode == 0, output
    assert runs.read(tmp_path / "parts") == runs.read(whole)
