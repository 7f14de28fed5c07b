"""Whole runs: command line, learning side by side, resuming, and what a run leaves behind."""

import dataclasses
import functools
import json
import pathlib
import shutil
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs import presets
from jaxgames.onitama.cards import MAX_MOVES
from papers.onitama_report import train
from papers.onitama_report.config import (
    ARCHITECTURES,
    DEVICE_CLASSES,
    EvaluationConfig,
    LearnerConfig,
    OpponentConfig,
    preset,
)
from papers.onitama_report.ddpg import run as ddpg_run
from papers.onitama_report.ddpg.run import Ddpg, _figures
from papers.onitama_report.ddpg.steps import VALID_RATE_TURNS, PlayStats
from papers.onitama_report.game.rules import ACTIONS_PER_PIECE, MASTER
from papers.onitama_report.tests.ddpg.small import CONFIG, set_in_its_ways
from tests.train import runs
from train import run_record
from train.run import Snapshot, TrainingRun

# One learner alone, whose validity network freezes at once.
ALONE = dataclasses.replace(
    CONFIG,
    architecture="dual",
    seed=1,
    seeds=1,
    episodes=3,
    learner=dataclasses.replace(CONFIG.learner, freeze_valid_rate=0.0),
)
EVALUATION = EvaluationConfig(every=1000, games=4, opponents=("random", "first_legal"))
LEARNERS = ("actions_only-seed_0", "actions_only-seed_1", "dual-seed_0", "dual-seed_1")


program_of = functools.cache(Ddpg)  # runs with the same settings share what is compiled


def opened(folder, settings=CONFIG, **changes) -> TrainingRun:
    settings = dataclasses.replace(settings, **changes)
    return TrainingRun(program_of(settings), dataclasses.replace(settings, run_dir=str(folder)))


def learn(folder, settings=CONFIG, **changes) -> TrainingRun:
    training = opened(folder, settings, **changes)
    assert training.run()
    return training


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("ddpg") / "run"
    learn(folder, evaluation=EVALUATION)
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
        for row in (runs.read(whole)[0], runs.read(whole)[-1]):
            for opponent in EVALUATION.opponents:
                assert 0 <= row[f"evaluation/{name}/{opponent}"] <= 1


def test_run_that_stopped_goes_on_as_if_it_had_not(whole, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(TrainingRun, "is_finished", lambda run, stop: run.now.iteration >= 3)
        learn(tmp_path / "parts", evaluation=EVALUATION)
    assert [row["iteration"] for row in runs.read(tmp_path / "parts")] == [0, 1, 2, 3]
    assert learn(tmp_path / "parts", evaluation=EVALUATION).is_resumed
    assert runs.read(tmp_path / "parts") == runs.read(whole)
    for name in LEARNERS:
        path = f"actors/{name}.npz"
        runs.assert_same_file(tmp_path / "parts" / path, whole / path)


def test_learning_begins_with_a_full_batch_and_ends_with_the_last_game(tmp_path):
    """A run, looked at after each iteration."""
    wanted, remembered = np.zeros(len(LEARNERS)), np.zeros(len(LEARNERS))
    with opened(tmp_path / "run", evaluation=EVALUATION) as run:
        assert run._config.updates == 2
        # The replay holds up to 16 transitions of each learner, then a batch, then twice as many.
        for steps in (0, 2, 4):
            numbers, play = run.advance(), run.now.state.play
            for learners in run.now.state.learners:
                for adam in (learners.actor_adam, learners.critic_adam):
                    assert adam[0].count.tolist() == [steps] * 2
            if steps == 4:  # the replay no longer holds every turn
                break
            # The valid rate is averaged over many turns; below its threshold it freezes nothing.
            size = np.asarray(play.replay.size)
            rates = np.array([numbers[f"play/valid_rate/{name}"] for name in LEARNERS])
            wanted += (size - remembered) / VALID_RATE_TURNS * (rates - wanted)
            remembered = size
            np.testing.assert_allclose(play.valid_rate, wanted, rtol=1e-5)
            assert not play.is_frozen.any()
        assert (wanted > 0).all()

        # Gradient steps of an iteration have batches of their own.
        keys, everyone = jax.random.split(jax.random.key(3)), np.ones(2, bool)

        def losses(number):
            state = jax.tree.map(jnp.copy, run.now.state)  # the step takes what it is given
            steps = run._program.steps
            metrics = steps.learn(0, state.learners[0], state.play, everyone, keys, number)[1]
            return np.asarray(metrics["critic_loss"])

        assert (losses(0) != losses(1)).all()
        assert (losses(0) == losses(0)).all()

        # A learner that has reached its last game learns no more.
        before = jax.device_get(run._program.split(run.now.state)[0])
        play = play.replace(episodes=jnp.array([12, 0, 0, 99]))
        run.now = run.now._replace(state=run.now.state.replace(play=play))
        numbers = run.advance()
        after = jax.device_get(run._program.split(run.now.state)[0])
    for row, name in enumerate(LEARNERS):
        stays = row in (0, 3)
        assert (f"play/episodes/{name}" in numbers) == (not stays)
        assert (f"learner/actor_loss/{name}" in numbers) == (not stays)
        architecture, _, seed = name.partition("-seed_")
        pair = [tree[architecture]["actions"]["kernel"][int(seed)] for tree in (before, after)]
        assert np.array_equal(*pair) == stays


@pytest.mark.slow
def test_learners_differ_and_random_numbers_do_not_depend_on_company(whole, tmp_path):
    # The first games are played before anything is learned. Networks that compute in another batch
    # may differ in the last bits.
    with opened(tmp_path / "run", ALONE) as run:
        assert run._program.names == ["dual-seed_1"]
        first, together = run.advance(), runs.read(whole)[1]
    for figure in ("legal_actions", "episodes", "valid_rate"):
        name = f"play/{figure}/dual-seed_1"
        assert first[name] == together[name]
    assert together["play/legal_actions/dual-seed_0"] != together["play/legal_actions/dual-seed_1"]


@pytest.mark.slow
def test_dual_freezes_its_validity_network_for_good(tmp_path):
    with opened(tmp_path / "run", ALONE) as run:
        fresh = jax.device_get(run.now.state.learners[0].actor)
        while not run.now.state.play.is_frozen.all():
            run.advance()
        frozen = jax.device_get(run.now.state.learners[0].actor)
        run.advance()
        after = jax.device_get(run.now.state.learners[0].actor)
    for part in ("validity", "validity_preprocess"):
        jax.tree.map(np.testing.assert_array_equal, frozen[part], after[part])
    assert not np.array_equal(fresh["actions"]["kernel"], after["actions"]["kernel"])


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
    folder = shutil.copytree(whole, tmp_path / "run")
    with opened(folder, episodes=14) as run:
        assert run.is_resumed and run.done >= 12


def test_the_score_of_an_evaluation_is_the_actor_s_and_not_that_of_its_opponent(monkeypatch):
    """Whoever steps aside and back loses to first_legal; a master that runs ahead beats it."""
    monkeypatch.setattr(ddpg_run, "fold_in", lambda keys, number: jax.random.key(0)[None])
    settings = dataclasses.replace(
        ALONE, evaluation=EvaluationConfig(games=4, opponents=("first_legal",))
    )
    program = Ddpg(settings)
    action = np.arange(program.env.num_actions)
    is_master, move = action // ACTIONS_PER_PIECE == MASTER, action % MAX_MOVES

    def score(preference):
        actor = jax.tree.map(
            lambda x: x[None], set_in_its_ways(program.steps.actors[0], preference)
        )
        state = types.SimpleNamespace(learners=[types.SimpleNamespace(actor=actor)])
        scores = program.evaluate(Snapshot(pathlib.Path(), state))
        return scores["evaluation/dual-seed_1/first_legal"]

    assert score(4 * (move == 2) + 8 * (move == 3)) < 0.5
    assert score(12 * is_master + 4 * (move == 1) + 2 * (move == 0)) > 0.5


def test_record_without_a_younger_setting_counts_as_what_it_was_then(tmp_path):
    folder = tmp_path / "run"
    config = dataclasses.replace(ALONE, run_dir=str(folder))
    run_record.open_run(config, "1").lock.release()
    record = json.loads((folder / "record.json").read_text())
    del record["run"]["learner.judged_policy"]
    (folder / "record.json").write_text(json.dumps(record))
    run_record.open_run(config, "1").lock.release()
    raw = dataclasses.replace(config.learner, judged_policy="raw")
    with pytest.raises(ValueError, match="judged_policy: there 'masked', asked for 'raw'"):
        run_record.open_run(dataclasses.replace(config, learner=raw), "1")
    # A run of another program.
    other = dataclasses.replace(
        presets.preset("alphazero", "onitama_report", "cpu"), run_dir=str(folder)
    )
    with pytest.raises(ValueError, match=r"run of another program.*; choose another"):
        run_record.open_run(other, "1")


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
def test_program_stopped_by_a_signal_goes_on_bit_for_bit(tmp_path):
    arguments = [
        GAME, "--preset=cpu", "--env-options=max_plies=30", "--architecture=actions_only,dual",
        "--seeds=2", "--episodes=12", "--network.channels=2", "--network.hidden=8",
        "--play.lanes=4", "--play.turns=4", "--opponent.max-depth=2", "--opponent.window=6",
        "--opponent.wins=2", "--learner.batch-size=20", "--learner.replay-capacity=40",
        "--evaluation.every=1000", "--evaluation.games=4", "--evaluation.opponents", "random",
        "first_legal", f"--run-dir={tmp_path / 'parts'}",
    ]  # fmt: skip
    program = "papers.onitama_report.train"
    assert runs.run_until(program, arguments, "SIGTERM:logged:1") == 0
    runs.run(program, arguments)
    runs.run(program, [*arguments[:-1], f"--run-dir={tmp_path / 'whole'}"])
    assert runs.read(tmp_path / "parts") == runs.read(tmp_path / "whole")
