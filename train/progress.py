"""The progress of a run: a bar in a terminal, elsewhere a line now and then."""

import sys
import time
from collections.abc import Mapping

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from train import parallel

_SECONDS_BETWEEN_LINES = 30.0
_EVALUATION = "evaluation/"

# The metrics that are shown of an iteration, with their formats.
_SHOWN = {
    "time/positions_per_second": "{:,.0f} positions/s",
    "time/turns_per_second": "{:,.0f} turns/s",
    "time/games_per_second": "{:,.1f} games/s",
    "selfplay/game_length": "{:.1f} plies a game",
    "selfplay/points": "{:.1f} points",
    "match/plies": "{:.1f} plies a game",
    "learner/policy_loss": "policy loss {:.3f}",
    "learner/value_loss": "value loss {:.3f}",
}


class TrainingProgress:
    """Shows iterations as they end; silent in all processes but the first."""

    def __init__(
        self,
        done: int,
        goal: int | None,
        console: Console | None = None,
        unit: str = "iteration",
        max_minutes: float | None = None,
    ):
        """Starts at `done` of `goal` units; `max_minutes` end a run earlier."""
        # Said here, since rich takes FORCE_COLOR, which notebooks set, for a terminal.
        is_terminal = sys.stderr.isatty()
        is_quiet = not parallel.is_main_process()
        self._console = console or Console(stderr=True, quiet=is_quiet, force_terminal=is_terminal)
        self._goal = goal
        self._max_minutes = max_minutes
        self._unit = unit
        self._last_line = -float("inf")
        self._first: tuple[float, int] | None = None
        self._bar = Progress(
            TextColumn(unit),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=goal, completed=done)

    def update(self, done: int, metrics: Mapping[str, float]) -> None:
        """Shows the metrics of the iteration that has just ended; evaluations stay on screen."""
        text = ", ".join(
            form.format(metrics[name]) for name, form in _SHOWN.items() if name in metrics
        )
        self._bar.update(self._task, completed=done, description=text)
        if self._first is None and done > 0:
            self._first = time.monotonic(), done
        scores = summarise_scores(metrics)
        if scores or (not self._console.is_terminal and self._is_due(done)):
            self._line(done, text, scores, self._time_left(done, metrics))

    def message(self, text: str) -> None:
        """Prints a line that stays."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def __enter__(self) -> "TrainingProgress":
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def _is_due(self, done: int) -> bool:
        waited = time.monotonic() - self._last_line
        return waited >= _SECONDS_BETWEEN_LINES or done == self._goal

    def _line(self, done: int, *texts: str) -> None:
        self._last_line = time.monotonic()
        count = f"{done}" if self._goal is None else f"{done}/{self._goal}"
        self.message("; ".join(filter(None, [f"{self._unit} {count}", *texts])))

    def _time_left(self, done: int, metrics: Mapping[str, float]) -> str:
        """Returns an estimate by all units of this session but the first, which compiles.

        It is at most what `max_minutes` leave.
        """
        left = []
        if self._goal is not None and self._first is not None and done > self._first[1]:
            started, first = self._first
            seconds = (time.monotonic() - started) / (done - first) * (self._goal - done)
            left.append(seconds / 60)
        if self._max_minutes is not None and "time/minutes" in metrics:
            left.append(self._max_minutes - metrics["time/minutes"])
        return f"{min(left):.0f} min left" if left and min(left) > 0 else ""


def summarise_scores(metrics: Mapping[str, float]) -> str:
    """Returns the scores of an evaluation: `search vs random 97%, ...`."""
    scores = {name: value for name, value in metrics.items() if is_score(name)}
    return ", ".join(f"{' vs '.join(players_of(name))} {x:.0%}" for name, x in scores.items())


def is_score(name: str) -> bool:
    """Returns whether a metric is the score (0 to 1) in a match: `evaluation/PLAYER/OPPONENT`."""
    return name.startswith(_EVALUATION) and name.count("/") >= 2


def players_of(name: str) -> tuple[str, str]:
    """Returns player and opponent of a score; the opponent's name may hold a path."""
    _, player, opponent = name.split("/", 2)
    return player, opponent
