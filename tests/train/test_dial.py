"""`--minutes`: what is chosen for a time, and that it is chosen once."""

import dataclasses
import itertools
import json
import math
import re
import time

import jax
import pytest

from configs import presets
from configs.alphazero import EvaluationConfig
from configs.training import NO_LIMIT
from tests.train import runs
from tests.train.test_resume import ARGUMENTS
from tests.train.test_run import Counting
from train import alphazero, alphazero_learner, dial, run_record
from train.dial import Schedule, Seconds, choose_rung, schedule
from train.run import TrainingRun

RUNGS = range(-3, 4)
NO_MATCHES = EvaluationConfig(every=0)
MINUTES = [2.0**n for n in range(-4, 15)]
COSTS = {
    "as expected": lambda rung: 2.0 ** (rung + max(rung, 0)),
    "overhead": lambda rung: 3.0 + 0.5 * 4.0**rung,
    "the same": lambda rung: 5.0,
    "too dear above": lambda rung: 1.0 if rung <= 0 else 10.0**rung,
}


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_more_minutes_never_choose_less(cost):
    rungs = [choose_rung(cost, minutes, 100, RUNGS) for minutes in MINUTES]
    assert rungs == sorted(rungs)
    assert (rungs[0], rungs[-1]) == (RUNGS[0], RUNGS[-1])
    for rung, longer in itertools.pairwise(zip(rungs, MINUTES, strict=True)):
        if rung[0] == longer[0]:
            first, second = (schedule(Seconds(cost(r), 2.0), m) for r, m in (rung, longer))
            assert first.iterations <= second.iterations


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
def test_a_rung_leaves_the_iterations_that_it_needs(cost):
    for minutes in MINUTES:
        rung = choose_rung(cost, minutes, 100, RUNGS)
        if rung > RUNGS[0]:
            assert 60 * minutes / cost(rung) >= 100 * 2 ** max(rung, 0)


def test_few_rungs_are_timed():
    timed = []

    def cost(rung):
        timed.append(rung)
        return COSTS["as expected"](rung)

    assert choose_rung(cost, 2.0, 100, RUNGS) == 0
    assert set(timed) == {-3, 0}


def test_the_schedule_fills_the_minutes():
    # 12 of 120 seconds are for evaluations: one at the start, five others.
    assert schedule(Seconds(1.0, 2.0), 2.0) == Schedule(iterations=108, evaluate_every=22)
    assert schedule(Seconds(1.0, 0.01), 2.0).evaluate_every == 6  # not more than 20
    assert schedule(Seconds(1.0, 2.0), 2.0, evaluate_every=4) == Schedule(80, 4)
    assert schedule(Seconds(1.0, 0.0), 2.0, evaluate_every=0) == Schedule(120, 0)
    assert schedule(Seconds(1.0, 500.0), 2.0) == Schedule(60, 60)
    assert schedule(Seconds(500.0, 2.0), 2.0).iterations == 1
    assert schedule(Seconds(0.01, 0.0), 1e9).iterations == NO_LIMIT


def test_iterations_with_a_teacher_take_their_own_time():
    slow = Seconds(2.0, 0.0, taught=0.5, taught_iterations=40)
    assert (slow.of(30), slow.of(50)) == (15.0, 40.0)
    for minutes in (0.1, 0.3, 0.5, 2.0):
        iterations = schedule(slow, minutes, evaluate_every=0).iterations
        assert slow.of(iterations) <= 60 * minutes < slow.of(iterations + 1)
    # 40 s for those with the teacher and their matches, 80 for the others.
    assert schedule(slow._replace(evaluation=1.0), 2.0, evaluate_every=2).iterations == 72


def test_both_kinds_of_iterations_are_timed(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(dial.time, "monotonic", lambda: clock[0])

    class Taught(Counting):
        def iterate(self, state, iteration):
            clock[0] += 0.5 if iteration < 3 else 2.0
            return super().iterate(state, iteration)

    assert dial._time_iterations(Taught(), 3) == Seconds(2.0, 0.0, 0.5, 3)
    assert dial._time_iterations(Taught(), 0).taught_iterations == 0


@dataclasses.dataclass
class Timed:
    """A program that is only timed."""

    seconds: float


@pytest.fixture
def settle(tmp_path, monkeypatch):
    """Settles a run of Onitama; the time of an iteration is that of its games and its network."""

    def time_iterations(program, taught):
        return Seconds(program.seconds, 0.0, program.seconds / 4, taught)

    monkeypatch.setattr(dial, "_time_iterations", time_iterations)
    monkeypatch.setattr(dial, "_time_evaluation", lambda program: 10.0)

    def make_program(config):
        work = config.network.blocks * config.network.channels**2
        return Timed(config.selfplay.lanes * (1 + work / 2048) / 256)

    def settled(minutes, named=(), make=make_program, **changes):
        preset = presets.preset("alphazero", "onitama", "cpu")
        config = dataclasses.replace(preset, minutes=minutes, run_dir=f"{tmp_path}/run", **changes)
        asked = set() if minutes is None else {"minutes"}
        return dial.settle(config, {*asked, *changes, *named}, make)

    return settled


def test_longer_runs_have_larger_networks_and_decay_to_their_end(settle):
    short, medium, long = (settle(minutes).config for minutes in (0.5, 5.0, 120.0))
    assert [x.selfplay.lanes for x in (short, medium, long)] == [32, 128, 128]
    assert [x.learner.updates for x in (short, medium, long)] == [8, 32, 32]
    networks = [(x.network.channels, x.network.blocks) for x in (short, medium, long)]
    assert networks == [(32, 2), (32, 2), (72, 8)]
    assert [x.replay.capacity // 131_072 for x in (short, medium, long)] == [0, 1, 4]
    for config in (short, medium, long):
        assert config.minutes is None
        assert config.learner.decay_steps == config.iterations * config.learner.updates
        assert config.learner.warmup_steps <= config.learner.decay_steps / 20
        assert 1 <= config.iterations / config.evaluation.every <= dial.MOST_EVALUATIONS + 1


def test_given_settings_stay(settle):
    preset = presets.preset("alphazero", "onitama", "cpu")
    given = {f"network.{name}": x for name, x in vars(preset.network).items()}
    given |= {"learner.decay_steps": 7, "evaluation.every": 0, "selfplay.lanes": 128}
    config, record = settle(
        60.0, given, learner=dataclasses.replace(preset.learner, decay_steps=7),
        evaluation=dataclasses.replace(preset.evaluation, every=0),
    )  # fmt: skip
    assert config.network == preset.network
    assert (config.learner.decay_steps, config.evaluation.every) == (7, 0)
    assert not record["chosen"].keys() & given.keys()
    assert config.iterations == 3600


def test_games_at_once_and_updates_shrink_together_or_not_at_all(settle):
    for name in ("selfplay.lanes", "learner.updates"):
        config = settle(0.5, [name]).config
        assert (config.selfplay.lanes, config.learner.updates) == (128, 32)


def test_a_teacher_counts_in_what_is_chosen(settle):
    alone = settle(5.0, evaluation=NO_MATCHES)
    taught = settle(5.0, evaluation=NO_MATCHES, teacher="random")
    assert taught.config.iterations == alone.config.iterations + 30  # 40 take a quarter as long


def test_rungs_that_the_program_refuses_are_left_out(settle):
    def make_program(config):
        if config.selfplay.lanes < 64:
            raise ValueError("too few games")
        return Timed(config.selfplay.lanes)

    assert settle(0.01, make=make_program).config.selfplay.lanes == 64


def test_rungs_beyond_the_memory_of_the_device_are_left_out(settle, monkeypatch):
    def out_of_memory_from(lanes, error="RESOURCE_EXHAUSTED: Out of memory"):
        def time_iterations(program, taught):
            if program.seconds >= lanes:
                raise jax.errors.JaxRuntimeError(error)
            return Seconds(1e-3 * program.seconds)

        monkeypatch.setattr(dial, "_time_iterations", time_iterations)
        return settle(60.0, make=lambda config: Timed(config.selfplay.lanes)).config

    assert out_of_memory_from(128).selfplay.lanes == 64
    assert out_of_memory_from(128, "INTERNAL: CUDA_ERROR_OUT_OF_MEMORY").selfplay.lanes == 64
    with pytest.raises(ValueError, match=r"minutes: the memory .* small for the smallest sizes"):
        out_of_memory_from(16)
    with pytest.raises(jax.errors.JaxRuntimeError, match="INTERNAL"):
        out_of_memory_from(128, "INTERNAL: a fault of another kind")

    def evaluate(program):
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")

    monkeypatch.setattr(dial, "_time_evaluation", evaluate)
    with pytest.raises(ValueError, match=r"small for an evaluation \(evaluation.games=64\)"):
        out_of_memory_from(math.inf)


def test_a_stored_network_keeps_its_sizes(settle):
    config = settle(120.0, start="runs/teacher").config
    assert config.network == presets.preset("alphazero", "onitama", "cpu").network


def test_a_run_goes_on_with_what_was_chosen(settle):
    def refuse(config):
        raise AssertionError("a run that exists is not timed")

    config, record = settle(60.0)
    run_record.open_run(config, "1", record).lock.release()
    saved = json.loads((run_record.check_folder(config) / "config.json").read_text())
    assert saved["minutes"] is None and saved["iterations"] == config.iterations
    assert settle(60.0, make=refuse).config == config
    longer = settle(None, ["iterations"], make=refuse, iterations=9999).config
    assert longer == dataclasses.replace(config, iterations=9999)
    run_record.open_run(longer, "1").lock.release()
    assert settle(60.0, make=refuse).config == config
    with pytest.raises(ValueError, match="was started for 60 minutes, asked for 30"):
        settle(30.0, make=refuse)


def test_a_run_of_iterations_goes_on_by_its_preset_and_takes_no_minutes(settle):
    config = settle(None).config
    assert config.iterations == 160
    run_record.open_run(config, "1").lock.release()
    with pytest.raises(ValueError, match="was started without minutes, asked for 30"):
        settle(30.0)


def test_a_run_by_minutes_is_finished_at_the_iterations_chosen(settle):
    config, record = settle(60.0)
    folder, lock = run_record.open_run(config, "1", record)
    lock.release()
    planned = dataclasses.replace(config, minutes=60.0, iterations=160)
    run_record.add_end(folder, done=160, minutes=9.0)
    assert not run_record.is_finished(planned)
    run_record.add_end(folder, done=config.iterations, minutes=60.0)
    assert run_record.is_finished(planned)


class Sleeping(Counting):
    """Takes a while for an iteration."""

    def iterate(self, state, iteration):
        time.sleep(0.1)
        return super().iterate(state, iteration)

    def evaluate(self, now):
        return {"evaluation/search/random": 0.5}


@pytest.mark.parametrize("learns", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_tiny_run_chooses_trains_and_is_not_chosen_again(learns, tmp_path, capsys, monkeypatch):
    if not learns:
        monkeypatch.setattr(alphazero_learner, "make_program", lambda config: Sleeping())
    arguments = [word for word in ARGUMENTS if "iterations" not in word]
    arguments += ["--minutes=0.001", "--cpu-devices=1", f"--run-dir={tmp_path / 'run'}"]
    alphazero.main(arguments)
    assert re.search(r"0\.001 minutes, .* iteration: iterations=1, ", capsys.readouterr().err)
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    assert record["dial"]["chosen"].keys() == {
        "iterations", "learner.decay_steps", "learner.warmup_steps",
    }  # fmt: skip
    monkeypatch.setattr(TrainingRun, "run", lambda training: training.is_resumed)
    monkeypatch.setattr(dial, "_choose", None)
    alphazero.main(arguments)
    assert [row["iteration"] for row in runs.read(tmp_path / "run")] == [0, 1]
