"""Where numbers and pictures of a run go: files, TensorBoard, trackers, other packages' loggers.

`--logger=jsonl,tensorboard,wandb` names them. Another package adds one as an entry point of the
group `jaxgames.loggers`, a function that maps a `LoggedRun` to a `Logger`:

    [project.entry-points."jaxgames.loggers"]
    my_tracker = "my_package.tracking:MyLogger"
"""

import contextlib
import importlib
import importlib.metadata
import pathlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from jaxgames.internal.messages import unknown
from train.loggers.outages import Outages, reason

GROUP = "jaxgames.loggers"
ALWAYS = "jsonl"
"""The logger of every run: curves, tables and resumption read its file."""
_BUILT_IN = {
    ALWAYS: "train.metrics:MetricsFile",
    "curve": "train.loggers.curve:CurvePicture",
    "tensorboard": "train.loggers.tensorboard:EventFile",
    "wandb": "train.loggers.wandb:WandbLogger",
    "mlflow": "train.loggers.mlflow:MlflowLogger",
    "trackio": "train.loggers.trackio:TrackioLogger",
}


class LoggedRun(NamedTuple):
    """What a logger is told of a run when a session of it begins."""

    directory: pathlib.Path
    """Folder of the run."""
    iteration: int = -1
    """Iterations done. Later ones that are logged already will be run and logged again; -1 if the
    run begins anew."""
    identity: str = ""
    """Name that no other run has; the same in each session of the run."""
    settings: Mapping[str, Any] = {}
    """Plain values by dotted names, such as `learner.batch_size`."""
    draw_curve: Callable[[], None] = lambda: None
    """Draws the learning curve so far into the folder of the run."""


class Logger(Protocol):
    """One place for the numbers and pictures of a run.

    Any method may raise any exception, for instance because a server is away: see `Loggers`.
    """

    takes_pictures: bool
    """Whether `log_picture` does anything."""

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds the numbers of an iteration; they need not be finite."""
        ...

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds a picture, the bytes of a PNG file."""
        ...

    def close(self) -> None:
        """Writes what is still in memory."""
        ...


MakeLogger = Callable[[LoggedRun], Logger]


class CannotBeginError(OSError):
    """A logger cannot begin a session of a run, for instance because nobody is logged in."""


class Loggers:
    """Several loggers as one; a context manager that closes them.

    The logger of every run is the run's own record, so its errors are raised. An error of any other
    one is told when its outage begins, and the training goes on. That logger is called again the
    next time; it never gets what it has missed.
    """

    def __init__(self, makers: Mapping[str, MakeLogger], run: LoggedRun):
        """Begins a session of a run in each of them, by their names.

        Raises:
            CannotBeginError: if one of them cannot, other than the logger of every run.
        """
        self._outages = Outages()
        self._loggers: dict[str, Logger] = {}
        with contextlib.ExitStack() as closing:
            for name, make in makers.items():
                self._loggers[name] = _begin(name, make, run)
                closing.callback(self._close, name)
            self._closing = closing.pop_all()

    @property
    def takes_pictures(self) -> bool:
        """Whether one of them takes pictures."""
        return any(logger.takes_pictures for logger in self._loggers.values())

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds the numbers of an iteration to all of them."""
        for name, logger in self._loggers.items():
            with self._watched(name, "log"):
                logger.log(iteration, numbers)

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds a picture to those that take pictures."""
        for logger_name, logger in self._loggers.items():
            if logger.takes_pictures:
                with self._watched(logger_name, "log_picture"):
                    logger.log_picture(iteration, name, png)

    def close(self) -> None:
        """Closes all of them, the last first, even if one of them fails."""
        self._closing.close()

    def _close(self, name: str) -> None:
        with self._watched(name, "close"):
            self._loggers[name].close()

    def _watched(self, name: str, method: str) -> contextlib.AbstractContextManager[None]:
        """Returns what lets the training go on after an error, if the logger may fail."""
        return contextlib.nullcontext() if name == ALWAYS else self._outages.of(name, method)

    def __enter__(self) -> "Loggers":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _begin(name: str, make: MakeLogger, run: LoggedRun) -> Logger:
    try:
        return make(run)
    except Exception as error:
        if name == ALWAYS:
            raise
        raise CannotBeginError(f"--logger={name} cannot begin: {reason(error)}") from error


def check(setting: str) -> tuple[str, ...]:
    """Returns the names in a setting such as `tensorboard,wandb`, with the logger of every run.

    Raises:
        ValueError: for an unknown name; offers the nearest.
    """
    names = [name for name in map(str.strip, setting.split(",")) if name]
    for name in names:
        if name not in _BUILT_IN and name not in _of_other_packages():
            choices = (*_BUILT_IN, *sorted(_of_other_packages()))
            raise ValueError(unknown("logger", name, choices))
    return tuple(dict.fromkeys([ALWAYS, *names]))


def load(setting: str) -> dict[str, MakeLogger]:
    """Returns what makes the loggers that a setting names, by their names.

    Raises:
        ValueError: for an unknown name, or a logger whose package is missing.
    """
    return {name: _load(name) for name in check(setting)}


def _load(name: str) -> MakeLogger:
    try:
        if name not in _BUILT_IN:
            make: MakeLogger = _of_other_packages()[name].load()
            return make
        module, _, attribute = _BUILT_IN[name].partition(":")
        make = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        advice = f"; pip install 'jaxgames[{name}]'" if name in _BUILT_IN else ""
        raise ValueError(f"--logger={name} cannot be used: {error}{advice}") from error
    return make


def _of_other_packages() -> dict[str, importlib.metadata.EntryPoint]:
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=GROUP)}
