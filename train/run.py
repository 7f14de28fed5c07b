"""A run of a program that learns: open its folder, go on where it stopped, loop, save.

What is learned, and how, is in the program (`Program`).
"""

import dataclasses
import logging
import pathlib
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from configs.training import NO_LIMIT, RunConfig
from jaxgames.internal import compilation_cache
from jaxgames.pictures import learning_curve
from train import game_pictures, loggers, metrics, parallel, run_record, setting_files
from train.checkpoint import FOLDER, Checkpoints
from train.progress import TrainingProgress
from train.signals import StopRequest


class Snapshot(NamedTuple):
    """A run after some iterations."""

    directory: pathlib.Path
    state: Any
    """The state of the program."""
    iteration: int = 0
    """Iterations done."""
    minutes: float = 0.0
    """Minutes spent on them."""


class Program(Protocol):
    """What is learned, and how. All that changes is in its state, a pytree of arrays."""

    @property
    def game_version(self) -> str:
        """Version of the rules of the game."""
        ...

    def initial_state(self) -> Any:
        """Returns the state before the first iteration."""
        ...

    def iterate(self, state: Any, iteration: int) -> tuple[Any, dict[str, float]]:
        """Runs one iteration, the first is 0; returns the state after it, and its metrics."""
        ...

    def done(self, state: Any, iteration: int) -> int:
        """Returns the units of progress done; the run ends when they reach `RunConfig.goal`."""
        ...

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Returns the problem of an iteration for which the run must end; None if there is none.

        Such an iteration is neither evaluated nor saved.
        """
        ...

    def evaluate(self, now: Snapshot) -> dict[str, float]:
        """Returns scores of what has been learned; they must not influence the learning."""
        ...

    def split(self, state: Any) -> tuple[Any, Any]:
        """Returns the learned arrays of a state, and the others, as checkpoints hold them."""
        ...

    def join(self, params: Any, rest: Any) -> Any:
        """Returns the state that `split` divided."""
        ...

    def describe(self, iteration: int) -> dict[str, Any]:
        """Returns plain values that are saved with the arrays."""
        ...

    def write_results(self, now: Snapshot) -> None:
        """Writes what was learned, at the end."""
        ...

    def closing_lines(self, directory: pathlib.Path) -> tuple[str, str]:
        """Returns two lines for the end: where the results are, and a command that uses them."""
        ...

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws the course of the run from its metrics.

        Raises:
            ValueError: if they cannot be drawn.
        """
        ...


class TrainingRun:
    """A program at work in the folder of a run; a context manager that releases the folder."""

    def __init__(self, program: Program, config: RunConfig, dial: Mapping[str, Any] | None = None):
        """Opens the folder of the run, and reads its newest checkpoint if there is one.

        Args:
            program: what is learned.
            config: the settings.
            dial: for the record of a new run (`run_record.open_run`).

        Raises:
            ValueError: if the folder holds another run, another process works on it, no checkpoint
                can be read, one holds other arrays, the metrics so far cannot be read, or a logger
                is unknown or not installed.
            OSError: if the folder cannot be written.
        """
        self._clock = time.monotonic()
        self._program, self._config = program, config
        self._makers = loggers.load(config.logger) if parallel.is_main_process() else {}
        directory, self._lock = run_record.open_run(config, program.game_version, dial)
        self._checkpoints = Checkpoints(directory / FOLDER, config.checkpoint.keep)
        self.now = Snapshot(directory, program.initial_state())
        self.is_resumed = self._restore()

    def __enter__(self) -> "TrainingRun":
        return self

    def __exit__(self, *error: object) -> None:
        self._checkpoints.close()
        if self._lock is not None:
            self._lock.release()

    def _restore(self) -> bool:
        """Goes on from the newest checkpoint; returns whether there is one."""
        log = self.now.directory / metrics.FILE_NAME
        if log.exists():
            metrics.read_metrics(log)
        arrays = self._program.split(self.now.state)
        saved = self._checkpoints.restore_latest(*arrays, self._description())
        if saved is not None:
            state = self._program.join(saved.params, saved.state)
            self.now = Snapshot(self.now.directory, state, saved.iteration, saved.meta["minutes"])
        return saved is not None

    def _save(self) -> None:
        """Saves a checkpoint, unless this iteration has one."""
        arrays = self._program.split(self.now.state)
        self._checkpoints.save(self.now.iteration, *arrays, self._description())

    def _description(self) -> dict[str, Any]:
        return self._program.describe(self.now.iteration) | {"minutes": self.now.minutes}

    @property
    def done(self) -> int:
        """Units of progress done."""
        return self._program.done(self.now.state, self.now.iteration)

    def advance(self) -> dict[str, float]:
        """Runs one iteration, and the evaluation that is due after it; returns the metrics."""
        state, numbers = self._program.iterate(self.now.state, self.now.iteration)
        self.now = self.now._replace(state=state, iteration=self.now.iteration + 1)
        self._count_time()  # an evaluation stores the minutes with the best network
        if self._program.problem(numbers) is None:
            numbers |= self._evaluate_if_due()
        self._count_time()
        return numbers | {"time/minutes": self.now.minutes}

    def _count_time(self) -> None:
        """Adds the time since it was last counted to the minutes of the run."""
        now = time.monotonic()
        self.now = self.now._replace(minutes=self.now.minutes + (now - self._clock) / 60)
        self._clock = now

    def _evaluate_if_due(self) -> dict[str, float]:
        """Returns the scores of an evaluation if one is due now, else nothing."""
        is_due = self._is_due(self._config.evaluation.every)
        return self._program.evaluate(self.now) if is_due else {}

    def _is_due(self, every: int) -> bool:
        """Whether something that happens `every` iterations (0: never) happens now."""
        is_last = self.done >= self._config.goal
        return every > 0 and (self.now.iteration % every == 0 or is_last)

    def is_finished(self, stop: StopRequest) -> bool:
        """Whether to stop; the clock or the signal of any process stops all of them."""
        limit = self._config.max_minutes
        ends_now = stop.requested or (limit is not None and self.now.minutes >= limit)
        return self.done >= self._config.goal or parallel.any_process(ends_now)

    def run(self) -> bool:
        """Runs until the goal, `max_minutes` or a signal.

        Returns whether the run ended well: false if an iteration had a problem; the checkpoints
        before that are kept.

        Raises:
            loggers.CannotBeginError: if a logger cannot begin.
            OSError: if the folder of the run cannot be written, for instance on a full disk.
        """
        compilation_cache.announce_long_compilations()
        with StopRequest() as stop:
            try:
                is_well = self._run_until(stop)
            except loggers.CannotBeginError:
                raise
            except OSError as error:
                raise OSError(
                    f"{self.now.directory} cannot be written or read: {error}; the same command "
                    "goes on from the last checkpoint"
                ) from error
            if is_well and self.now.iteration > 0:
                self._program.write_results(self.now)
                if parallel.is_main_process():
                    self._draw_curves()
                    run_record.add_end(self.now.directory, self.done, self.now.minutes)
                    print(*self._program.closing_lines(self.now.directory), sep="\n")
        return is_well

    def _draw_curves(self) -> None:
        """Draws the curves; if the metrics were lost, only the picture is missing."""
        folder = self.now.directory
        try:
            self._program.draw_curves(folder / metrics.FILE_NAME, folder / learning_curve.FILE_NAME)
        except ValueError as error:
            logging.getLogger(__name__).warning("no learning curve: %s", error)

    def _logged(self) -> loggers.LoggedRun:
        """Returns what loggers are told of this session."""
        return loggers.LoggedRun(
            self.now.directory,
            # A run that ended before its first checkpoint is logged anew.
            self.now.iteration if self.is_resumed else -1,
            run_record.identity(self.now.directory) if parallel.is_main_process() else "",
            setting_files.flatten(dataclasses.asdict(self._config)),
            self._draw_curves,
        )

    def _log_pictures(self, log: loggers.Loggers) -> None:
        """Logs pictures of the games that the evaluation of this iteration kept, if it did."""
        if log.takes_pictures:
            for name, png in game_pictures.of_iteration(self.now.directory, self.now.iteration):
                log.log_picture(self.now.iteration, name, png)

    def _run_until(self, stop: StopRequest) -> bool:
        """Runs until the goal, `max_minutes` or the signal; closes log, display and folder."""
        folder, unit, goal = self.now.directory, self._config.UNIT, self._config.goal
        shown, limit = None if goal == NO_LIMIT else goal, self._config.max_minutes
        with (
            self,
            TrainingProgress(self.done, shown, unit=unit, max_minutes=limit) as display,
            loggers.Loggers(self._makers, self._logged()) as log,
        ):
            if self.done >= goal:
                display.message(f"{folder} is finished; raise --{unit}s to go on")
            elif self.is_resumed:
                display.message(f"going on with {folder} at {unit} {self.done}")
            elif scores := self._evaluate_if_due():
                log.log(0, scores)
                self._log_pictures(log)
                display.update(0, scores)
            while not self.is_finished(stop):
                numbers = self.advance()
                log.log(self.now.iteration, numbers)
                self._log_pictures(log)
                display.update(self.done, numbers)
                if problem := self._program.problem(numbers):
                    display.message(
                        f"iteration {self.now.iteration}: {problem}; "
                        f"stopped, {folder} keeps the checkpoints before it"
                    )
                    return False
                if self._is_due(self._config.checkpoint.every):
                    self._save()
            self._save()
        return True
