"""When a training run reached which strength, read from the files in its folder."""

import pathlib
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames.internal import files
from train import metrics

EVALUATION = "evaluation/"
GOALS = {"random": (0.95,)}  # scores to reach, by the opponent's spec
OTHER_GOALS = (0.60, 0.95)


class Run(NamedTuple):
    """The files in the folder of a run."""

    rows: Sequence[Mapping[str, Any]]  # metrics, one row for each iteration
    config: Mapping[str, Any]
    session: Mapping[str, Any]  # the last one: command, hardware, versions

    @property
    def positions(self) -> int:
        """Positions of self-play in one iteration."""
        play = self.config["selfplay"]
        return int(play["lanes"] * play["plies"])


class Milestone(NamedTuple):
    """When a player first reached a score against an opponent; None if it did not."""

    player: str  # `search`, or `network` for its policy without search
    opponent: str
    goal: float
    iteration: int | None
    minutes: float | None
    score: float  # at that time, or the best one if the goal was not reached


def report(folder: pathlib.Path) -> Report:
    """Returns the report on a run that was trained before.

    Raises:
        ValueError: if a file is missing or damaged, or no scores were recorded.
    """
    run = read_run(folder)
    try:
        return Report(
            "Time to milestones of strength",
            render(run),
            {"milestones": [milestone._asdict() for milestone in milestones(run)]},
            {
                "run": folder.name,
                "trained with": " ".join(["python", *run.session["command"][1:]]),
                "trained on": run.session["hardware"],
                "trained by versions": run.session["versions"],
                "seed of the run": run.config["seed"],
            },
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder} lacks what is reported of a run: {error!r}") from error


def read_run(run: pathlib.Path) -> Run:
    """Reads the folder of a run.

    Raises:
        ValueError: if a file is missing or damaged, or no scores were recorded.
    """
    names = (metrics.FILE_NAME, "config.json", "record.json")
    missing = [name for name in names if not (run / name).is_file()]
    if missing:
        raise ValueError(f"{run} is not the folder of a run: it has no {', '.join(missing)}")
    rows = metrics.read_metrics(run / names[0])
    if not any(name.startswith(EVALUATION) for row in rows for name in row):
        raise ValueError(f"{run / names[0]} holds no evaluation; was the run too short for one?")
    try:
        config, saved = (files.parse_json((run / name).read_bytes()) for name in names[1:])
        return Run(rows, config, saved["sessions"][-1])
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{run}: config.json or record.json is damaged: {error!r}") from error


def milestones(run: Run) -> list[Milestone]:
    """Returns when each player reached each goal against each opponent."""
    names = {name for row in run.rows for name in row if name.startswith(EVALUATION)}
    result = []
    for name in sorted(names):
        _, player, opponent = name.split("/", 2)
        rows = [row for row in run.rows if row.get(name) is not None]
        for goal in GOALS.get(opponent, OTHER_GOALS):
            first = next((row for row in rows if row[name] >= goal), None)
            if first is None:
                best = max(row[name] for row in rows)
                result.append(Milestone(player, opponent, goal, None, None, best))
                continue
            # The evaluation before the first iteration has no time.
            minutes = first.get("time/minutes", 0.0)
            found = Milestone(player, opponent, goal, first["iteration"], minutes, first[name])
            result.append(found)
    return result


def render(run: Run) -> list[str]:
    """Returns the lines of the result file below the record."""
    last, config = run.rows[-1], run.config
    speed = "time/positions_per_second"
    rates = [row[speed] for row in run.rows if speed in row and row["iteration"] > 1]
    middle = f"{statistics.median(rates):,.0f} positions/s (median), " if rates else ""
    return [
        f"{last['iteration']} iterations of {run.positions:,} positions in "
        f"{last['time/minutes']:.1f} minutes; {middle}evaluations not counted. Minutes are those "
        "of the run: self-play, learning, evaluations and compilation. A score is from "
        f"{config['evaluation']['games']} games, with seats swapped; `search` has "
        f"{config['evaluation']['simulations']} simulations and no noise, `network` no search.",
        "",
        *measuring.table(
            ["player", "opponent", "goal", "minutes", "iteration", "positions", "score"],
            [_row(run, milestone) for milestone in milestones(run)],
        ),
    ]


def _row(run: Run, milestone: Milestone) -> list[str]:
    cells = [milestone.player, milestone.opponent, f"{100 * milestone.goal:.0f} %"]
    score = f"{100 * milestone.score:.1f} %"
    if milestone.iteration is None or milestone.minutes is None:
        return [*cells, "not reached", "", "", f"{score} at best"]
    positions = f"{milestone.iteration * run.positions:,}"
    return [*cells, f"{milestone.minutes:.1f}", str(milestone.iteration), positions, score]
