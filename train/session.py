"""One call of a training program: open the run's folder, go on where it stopped, loop, save.

What a program learns, and how, is in the class that it derives from `Session`.
"""

import abc
import logging
import pathlib
import time
from typing import Any, Protocol

from configs.training import CheckpointConfig
from jaxgames.internal import compilation_cache
from train import metrics, parallel, run_record
from train.checkpoint import Checkpoints
from train.progress import TrainingProgress
from train.signals import StopRequest


class Config(run_record.RunConfig, Protocol):
    """The settings that every training program has."""

    @property
    def max_minutes(self) -> float | None:
        """Minutes in total after which the run ends, if given."""
        ...

    @property
    def checkpoint(self) -> CheckpointConfig:
        """Settings of the checkpoints that a run resumes from."""
        ...


class Session(abc.ABC):
    """The parts of a program that do not change during one call, and the progress of the run.

    It is a context manager. At its end it waits for the checkpoints and releases the folder. A
    derived class sets up its state, calls `restore`, and implements the abstract methods.
    """

    def __init__(self, config: Config, game_version: str):
        """Opens the folder of the run.

        Raises:
            ValueError: if the folder holds another run, or another process works on it.
            OSError: if the folder cannot be written.
        """
        self._clock = time.monotonic()
        self._config = config
        self.directory, self._lock = run_record.open_run(config, game_version)
        self._checkpoints = Checkpoints(self.directory / "checkpoints", config.checkpoint.keep)
        self.iteration = 0  # iterations done
        self.minutes = 0.0  # spent on them
        self.is_resumed = False

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self._checkpoints.close()
        if self._lock is not None:
            self._lock.close()

    @property
    @abc.abstractmethod
    def goal(self) -> int:
        """Units of progress in total, those before a resume included."""

    @property
    def done(self) -> int:
        """Units done; the run ends when they reach `goal`."""
        return self.iteration

    @property
    def unit(self) -> str:
        """The unit of progress; with an s added, the name of the setting that is the goal."""
        return "iteration"

    @abc.abstractmethod
    def iterate(self) -> dict[str, float]:
        """Runs one iteration; returns its metrics."""

    @abc.abstractmethod
    def evaluate(self) -> dict[str, float]:
        """Returns scores of what has been learned; they must not influence the learning."""

    @property
    @abc.abstractmethod
    def evaluate_every(self) -> int:
        """Iterations between evaluations; 0 for none."""

    @abc.abstractmethod
    def problem(self, numbers: dict[str, float]) -> str | None:
        """Returns the problem of an iteration for which the run must end; None if there is none.

        Such an iteration is neither evaluated nor saved.
        """

    @abc.abstractmethod
    def arrays(self) -> tuple[Any, Any]:
        """Returns all that changes: the learned arrays, and the others that a resume needs."""

    @abc.abstractmethod
    def set_arrays(self, params: Any, rest: Any) -> None:
        """Takes back what `arrays` returned."""

    @abc.abstractmethod
    def describe(self) -> dict[str, Any]:
        """Returns plain values that are saved with the arrays."""

    @abc.abstractmethod
    def write_results(self) -> None:
        """Writes what was learned, at the end."""

    @abc.abstractmethod
    def closing_lines(self) -> tuple[str, str]:
        """Returns two lines for the end: where the results are, and a command that uses them."""

    @abc.abstractmethod
    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws the course of the run from its metrics; a `ValueError` if they cannot be drawn."""

    def restore(self) -> None:
        """Goes on from the newest checkpoint, if there is one.

        Raises:
            ValueError: if no checkpoint can be read, it holds other arrays, or the metrics so far
                cannot be read.
        """
        log = self.directory / metrics.FILE_NAME
        if log.exists():
            metrics.read_metrics(log)
        found = self._checkpoints.restore_latest(*self.arrays(), self._meta())
        if found is not None:
            self.iteration, self.minutes = found.iteration, found.meta["minutes"]
            self.set_arrays(found.params, found.state)
            self.is_resumed = True

    def save(self) -> None:
        """Saves a checkpoint, unless this iteration has one."""
        self._checkpoints.save(self.iteration, *self.arrays(), self._meta())

    def _meta(self) -> dict[str, Any]:
        return self.describe() | {"minutes": self.minutes}

    def advance(self) -> dict[str, float]:
        """Runs one iteration, and the evaluation that is due after it; returns the metrics."""
        numbers = self.iterate()
        self.iteration += 1
        self._count_time()  # an evaluation stores the minutes with the best network
        if self.problem(numbers) is None:
            numbers |= self.evaluate_if_due()
        self._count_time()
        return numbers | {"time/minutes": self.minutes}

    def _count_time(self) -> None:
        """Adds the time since it was last counted to the minutes of the run."""
        now = time.monotonic()
        self.minutes += (now - self._clock) / 60
        self._clock = now

    def evaluate_if_due(self) -> dict[str, float]:
        """Returns the scores of an evaluation if one is due now, else nothing."""
        return self.evaluate() if self.is_due(self.evaluate_every) else {}

    def is_due(self, every: int) -> bool:
        """Whether something that happens `every` iterations (0: never) happens now."""
        is_last = self.done >= self.goal
        return every > 0 and (self.iteration % every == 0 or is_last)

    def is_finished(self, stop: StopRequest) -> bool:
        """Whether to stop; the clock or the signal of any process stops all of them."""
        limit = self._config.max_minutes
        ends_now = stop.requested or (limit is not None and self.minutes >= limit)
        return self.done >= self.goal or parallel.any_process(ends_now)

    def run(self) -> bool:
        """Runs until the goal, `max_minutes` or a signal.

        Returns whether the run ended well: false if an iteration had a problem; the checkpoints
        before that are kept.

        Raises:
            OSError: if the folder of the run cannot be written, for instance on a full disk.
        """
        compilation_cache.announce_long_compilations()
        with StopRequest() as stop:
            try:
                is_well = self._run_until(stop)
            except OSError as error:
                raise OSError(
                    f"{self.directory} cannot be written or read: {error}; the same command goes "
                    "on from the last checkpoint"
                ) from error
            if is_well and self.iteration > 0:
                self.write_results()
                self._draw_curves()
                self._say_where_results_are()
        return is_well

    def _say_where_results_are(self) -> None:
        """Prints where the results are, and how to use them."""
        if parallel.is_main_process():
            for line in self.closing_lines():
                print(line)

    def _draw_curves(self) -> None:
        """Draws the curves; if the metrics were lost, only the picture is missing."""
        if not parallel.is_main_process():
            return
        log, picture = self.directory / metrics.FILE_NAME, self.directory / "learning_curve.png"
        try:
            self.draw_curves(log, picture)
        except ValueError as error:
            logging.getLogger(__name__).warning("no learning curve: %s", error)

    def _run_until(self, stop: StopRequest) -> bool:
        """Runs until the goal, `max_minutes` or the signal; closes log, display and folder."""
        with (
            self,
            TrainingProgress(self.done, self.goal, unit=self.unit) as display,
            # A run that ended before its first checkpoint starts its log anew.
            metrics.MetricsLog(self.directory, self.iteration if self.is_resumed else -1) as log,
        ):
            if self.done >= self.goal:
                display.message(f"{self.directory} is finished; raise --{self.unit}s to go on")
            elif self.is_resumed:
                display.message(f"going on with {self.directory} at {self.unit} {self.done}")
            elif scores := self.evaluate_if_due():
                log.write(0, scores)
                display.update(0, scores)
            while not self.is_finished(stop):
                numbers = self.advance()
                log.write(self.iteration, numbers)
                display.update(self.done, numbers)
                if problem := self.problem(numbers):
                    display.message(
                        f"iteration {self.iteration}: {problem}; "
                        f"stopped, {self.directory} keeps the checkpoints before it"
                    )
                    return False
                if self.is_due(self._config.checkpoint.every):
                    self.save()
            self.save()
        return True
