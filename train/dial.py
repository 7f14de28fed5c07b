"""`--minutes`: the sizes and the schedule of a run, chosen by timing short pieces of it.

A ladder of sizes (`TrainingConfig.rung`) is climbed from its lowest rung to the highest one with
which enough iterations fit into the minutes and the memory of the device suffices. J. Neumann and
C. Gros, "Scaling laws for a multi-agent reinforcement learning model", ICLR 2023, find that the
best size of AlphaZero's network grows with the time of training to the power of about 0.63. So a
network that takes four times as long is chosen where it leaves twice as many iterations as its
predecessor needs.

What was chosen is written into the record of the run before it starts, and is never chosen anew.
"""

import contextlib
import functools
import math
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import jax

from configs.training import NO_LIMIT, TrainingConfig
from train import loggers, parallel, run_record, setting_files
from train.run import Program, Snapshot

ConfigT = TypeVar("ConfigT", bound=TrainingConfig)
LOWEST, HIGHEST = -3, 3
TIMED_ITERATIONS = 2
EVALUATION_SHARE = 0.1  # of the minutes
MOST_EVALUATIONS = 20
_NETWORK = "network."
_OF_ITERATION = (".lanes", ".updates")
_OUT_OF_MEMORY = ("RESOURCE_EXHAUSTED", "OUT_OF_MEMORY")


class _TooLarge(ValueError):
    """The memory of the device does not suffice."""


class Settled(NamedTuple, Generic[ConfigT]):
    """The settings of a run."""

    config: ConfigT
    """With everything chosen: it has no `minutes` any more."""
    dial: dict[str, Any] | None = None
    """The minutes of a new run and what was chosen for them, for its record."""


class Seconds(NamedTuple):
    """What parts of a run take, compiled."""

    iteration: float
    """Infinite where the memory of the device is too small."""
    evaluation: float = 0.0
    taught: float = 0.0
    """Of an iteration with a teacher, if there is one."""
    taught_iterations: int = 0
    """The first iterations, which take `taught`."""

    def of(self, iterations: int) -> float:
        """Returns what so many iterations of a run take, without evaluations."""
        taught = min(iterations, self.taught_iterations)
        return taught * self.taught + (iterations - taught) * self.iteration

    def iterations_in(self, seconds: float, evaluation: float = 0.0) -> int:
        """Returns the iterations that fit into a time, at least one.

        Args:
            seconds: the time.
            evaluation: the share of an evaluation that comes with each iteration.
        """
        taught, iteration = self.taught + evaluation, self.iteration + evaluation
        if seconds < self.taught_iterations * taught:
            return max(1, int(seconds / taught))
        left = seconds - self.taught_iterations * taught
        return min(max(1, self.taught_iterations + int(left / iteration)), NO_LIMIT)


class Schedule(NamedTuple):
    """The course of a run."""

    iterations: int
    evaluate_every: int
    """Iterations between evaluations; 0: none."""


def settle(
    config: ConfigT, named: Collection[str], make_program: Callable[[ConfigT], Program]
) -> Settled[ConfigT]:
    """Returns the settings with all that `minutes` leaves open.

    A run that exists has what its record says, whatever the minutes are by default.

    Args:
        config: the settings.
        named: the settings that were given, by dotted names; they stay as they are.
        make_program: makes the program that is timed.

    Raises:
        ValueError: if the run exists and was started with other minutes than those given, or if
            the program or the folder of the run refuses the settings.
    """
    directory = run_record.check_folder(config)
    if run_record.exists(directory):
        return Settled(_resumed(config, named, directory))
    if config.minutes is None:
        return Settled(config)
    loggers.load(config.logger)  # a missing package is told before anything is timed
    make_program(config)  # so is a setting that does not fit the game
    _say(f"choosing the sizes for {config.minutes:g} minutes on this machine")
    chosen, seconds = _choose(config, named, make_program)
    text = ", ".join(f"{name}={value}" for name, value in chosen.items())
    _say(f"{config.minutes:g} minutes, {seconds.iteration:.3g} s for an iteration: {text}")
    dial = {"minutes": config.minutes, "chosen": chosen, "seconds": seconds._asdict()}
    return Settled(_with(config, chosen), dial)


def _resumed(config: ConfigT, named: Collection[str], directory: pathlib.Path) -> ConfigT:
    dial = run_record.dial(directory)
    started = None if dial is None else dial["minutes"]
    if "minutes" in named and config.minutes not in (None, started):
        raise ValueError(
            f"the run in {directory} was started "
            f"{'without minutes' if started is None else f'for {started:g} minutes'}, asked for "
            f"{config.minutes:g}: leave --minutes out to go on with it, raise --iterations to "
            "prolong it, or choose another --run-dir"
        )
    chosen = {} if dial is None else dial["chosen"]
    return _with(config, {name: x for name, x in chosen.items() if name not in named})


def _with(config: ConfigT, chosen: Mapping[str, Any]) -> ConfigT:
    return setting_files.changed(config, {**chosen, "minutes": None}, "settings by minutes")


def _choose(
    config: ConfigT, named: Collection[str], make_program: Callable[[ConfigT], Program]
) -> tuple[dict[str, Any], Seconds]:
    """Returns what was chosen, and what it takes."""
    minutes = config.minutes
    assert minutes is not None

    def sizes_of(rung: int) -> dict[str, Any]:
        return {name: x for name, x in config.rung(rung).items() if name not in named}

    @functools.cache
    def program_of(rung: int) -> Program:
        return make_program(_with(config, sizes_of(rung)))

    @functools.cache
    def measured(rung: int) -> Seconds:
        try:
            with _within_memory("the smallest sizes"):
                return _time_iterations(program_of(rung), config.taught_iterations)
        except _TooLarge:
            if rung == rungs[0]:
                raise
            return Seconds(math.inf)

    def seconds_of(rung: int) -> float:
        """Returns the mean seconds of the iterations that a rung needs."""
        needed = config.LEAST_ITERATIONS * 2 ** max(rung, 0)
        return measured(rung).of(needed) / needed

    def is_possible(rung: int) -> bool:
        try:
            program_of(rung)
        except ValueError:  # too few games, for instance for the opponents of a training
            return False
        return True

    rungs = _rungs(config, named)
    while rungs[0] < 0 and not is_possible(rungs[0]):
        rungs = rungs[1:]
    rung = choose_rung(seconds_of, minutes, config.LEAST_ITERATIONS, rungs)
    seconds = measured(rung)
    every = config.evaluation.every if "evaluation.every" in named else None
    chosen = sizes_of(rung)
    if every != 0:
        with _within_memory(f"an evaluation (evaluation.games={config.evaluation.games})"):
            seconds = seconds._replace(evaluation=_time_evaluation(program_of(rung)))
    course = schedule(seconds, minutes, every)
    chosen |= {"iterations": course.iterations, "evaluation.every": course.evaluate_every}
    chosen |= _with(config, chosen).schedule(course.iterations)
    return {name: x for name, x in chosen.items() if name not in named}, seconds


def _rungs(config: TrainingConfig, named: Collection[str]) -> range:
    """Returns the rungs that the devices and the given settings leave.

    Games at once and updates are halved together or not at all. There is no larger network where
    all of its sizes are given.
    """
    iteration = {name for name in config.rung(-1) if name.endswith(_OF_ITERATION)}
    lowest = 0 if iteration & set(named) else LOWEST
    lanes, _ = config.split_sizes
    least = jax.device_count() * parallel.LEAST_LANES
    while lowest < 0 and (lanes * 2**lowest < least or (lanes * 2**lowest) % jax.device_count()):
        lowest += 1
    network = {name for name in config.rung(1) if name.startswith(_NETWORK)}
    return range(lowest, (HIGHEST if network - set(named) else 0) + 1)


def choose_rung(
    seconds_of: Callable[[int], float], minutes: float, least_iterations: int, rungs: range
) -> int:
    """Returns the rung of a run that has enough iterations; the lowest if none has.

    The ladder is climbed as far as the rungs are expected to fit by the time of one below them, and
    do. More minutes never choose a lower rung.

    Args:
        seconds_of: maps a rung to the seconds of an iteration, which do not fall with the rung; it
            is asked for few rungs.
        minutes: of the run.
        least_iterations: that rungs up to 0 need; each rung above needs twice as many as the one
            below it.
        rungs: the rungs in question.
    """

    def fits(rung: int, seconds: float) -> bool:
        return seconds * least_iterations * 2 ** max(rung, 0) <= 60 * minutes

    def expected(rung: int, known: int) -> float:
        """At most twice as long for each rung up to 0, four times for each above."""
        return seconds_of(known) * _expected_cost(rung) / _expected_cost(known)

    rung = rungs[0]
    while True:
        reachable = [n for n in rungs if n > rung and fits(n, expected(n, rung))]
        while reachable and not fits(reachable[-1], seconds_of(reachable[-1])):
            reachable.pop()
        if not reachable:
            return rung
        rung = reachable[-1]


def _expected_cost(rung: int) -> float:
    return float(2.0 ** (rung + max(rung, 0)))


def schedule(seconds: Seconds, minutes: float, evaluate_every: int | None = None) -> Schedule:
    """Returns the iterations that fit into the minutes with their evaluations, at least one.

    Args:
        seconds: what iterations and evaluations take.
        minutes: of the run.
        evaluate_every: iterations between evaluations, 0 for none; None: as many evaluations as
            take a tenth of the time, from 1 to `MOST_EVALUATIONS` beside the one at the start.
    """
    total = 60 * minutes
    if evaluate_every is not None:
        share = seconds.evaluation / evaluate_every if evaluate_every else 0.0
        return Schedule(seconds.iterations_in(total, share), evaluate_every)
    affordable = EVALUATION_SHARE * total / max(seconds.evaluation, 1e-9) - 1
    count = min(max(int(affordable), 1), MOST_EVALUATIONS)
    left = max(total - (count + 1) * seconds.evaluation, total / 2)
    iterations = seconds.iterations_in(left)
    return Schedule(iterations, math.ceil(iterations / count))


def _time_iterations(program: Program, taught: int) -> Seconds:
    """Returns the seconds of iterations, the same in all processes.

    Args:
        program: what is timed.
        taught: the first iterations, which have a teacher.
    """
    state = program.initial_state()
    found = []
    for first in sorted({0, taught}):
        state, _ = program.iterate(state, first)
        started = time.monotonic()
        for number in range(TIMED_ITERATIONS):
            state, _ = program.iterate(state, first + (number + 1 if first == taught else 0))
        found.append(parallel.of_main_process((time.monotonic() - started) / TIMED_ITERATIONS))
    return Seconds(found[-1], taught=found[0] if taught else 0.0, taught_iterations=taught)


def _time_evaluation(program: Program) -> float:
    """Returns the seconds of an evaluation, the same in all processes; its files are dropped."""
    with tempfile.TemporaryDirectory() as folder:
        start = Snapshot(pathlib.Path(folder), program.initial_state())
        program.evaluate(start)
        started = time.monotonic()
        program.evaluate(start)
    return parallel.of_main_process(time.monotonic() - started)


@contextlib.contextmanager
def _within_memory(what: str) -> Iterator[None]:
    """Turns a lack of memory on the device, in what is timed, into `_TooLarge`."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if not any(text in str(error) for text in _OUT_OF_MEMORY):
            raise
        raise _TooLarge(f"minutes: the memory of the device is too small for {what}") from error


def _say(text: str) -> None:
    if parallel.is_main_process():
        print(text, file=sys.stderr, flush=True)
