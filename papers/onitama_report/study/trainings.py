"""The course of the trainings: valid rate, win rate, and the depth of the opponent."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks import measuring
from jaxgames.internal import files, jax_settings
from papers.onitama_report.config import DdpgConfig
from papers.onitama_report.ddpg import plots
from papers.onitama_report.study import report
from papers.onitama_report.study.claims import estimate
from train.metrics import FILE_NAME

LAST_SHARE = 0.1  # of a training, over which its end (and its beginning) is averaged
FAST = 0.9  # valid rate that counts as learned
_AS_A_RULE = {
    "game": report.GAME,
    "env_options": "",
    "play.transition": "own_turn",
    "learner.judged_policy": "masked",
}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "runs": _AS_A_RULE,
    "extended": _AS_A_RULE | {"architecture": report.LONG_ACTOR},
    "wrong_rollout": _AS_A_RULE | {"play.transition": "after_move"},
    "raw": _AS_A_RULE | {"learner.judged_policy": "raw"},
}
"""Settings that the runs of an option must have."""
_OWN = {"architecture", "seed", "seeds", "devices.platform", "devices.count"}
"""Settings in which the runs of one option may differ: learners and machine."""


def read(option: str, folders: Sequence[pathlib.Path]) -> list[dict[str, Any]]:
    """Returns the numbers of the learners of some runs.

    Args:
        option: by which the runs were named.
        folders: those of runs of `papers.onitama_report.train`.

    Raises:
        ValueError: for a folder without a run that has begun, a run whose settings do not fit the
            option or the other runs, and a learner that is given twice.
    """
    flag = f"--{option.replace('_', '-')}"
    learners: list[dict[str, Any]] = []
    others: dict[str, Any] = {}
    for folder in folders:
        try:
            record = files.parse_json((folder / "record.json").read_bytes())["run"]
            goal = files.parse_json((folder / "config.json").read_bytes())["episodes"]
            rows = plots.read_rows(folder / FILE_NAME)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ValueError(
                f"{flag}: {folder} holds no run of papers.onitama_report.train: {error}"
            ) from None
        settings = {**jax_settings.RECORDED, **DdpgConfig.YOUNGER, **record, "episodes": goal}
        shared = {name: x for name, x in settings.items() if name not in _OWN}
        for name, wanted in {**SETTINGS[option], **others}.items():
            if settings.get(name) != wanted:
                raise ValueError(
                    f"{flag}: {folder} has {name}={settings.get(name)!r}, expected {wanted!r}"
                )
        others = shared
        for name in plots.learners_of(rows):
            architecture, _, seed = name.rpartition("-")
            if any((x["architecture"], x["seed"]) == (architecture, seed) for x in learners):
                raise ValueError(f"{flag}: {name} of {folder} is given twice")
            learner = {"architecture": architecture, "seed": seed, "goal": goal}
            learners.append(learner | numbers(rows, name))
    return learners


def numbers(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Returns the figures of one learner; None for one without games, episodes or steps.

    Args:
        rows: the metrics of its run.
        name: of the learner in them.
    """
    episodes, valid, _ = plots.figures(rows, name, "play/valid_rate")
    _, depth, _ = plots.figures(rows, name, "play/opponent_depth")
    _, rate, games = plots.figures(rows, name, "play/win_rate")
    _, losses, _ = plots.figures(rows, name, "learner/validity_loss")
    wins = np.where(games > 0, rate * games, 0.0)
    first, last = episodes <= LAST_SHARE * episodes[-1], episodes >= 0.9 * episodes[-1]

    def mean(of: Any) -> float | None:
        return float(wins[of].sum() / games[of].sum()) if games[of].sum() else None

    def after(holds: Any) -> float | None:
        return float(episodes[holds][0]) if holds.any() else None

    at_first = depth == 1
    total = np.cumsum(games[at_first])
    rates = wins[at_first] / np.maximum(games[at_first], 1)
    smooth = plots.smooth(total, rates, games[at_first], report.WINDOW)[total >= report.WINDOW]
    known = losses[last & ~np.isnan(losses)]
    start, end = mean(first), mean(last)
    return {
        "episodes": int(episodes[-1]),
        "valid_rate": float(np.nanmean(valid[last])),  # at the end
        "learned_after": after(valid >= FAST),  # episodes
        "deeper_after": after(depth >= 2),  # episodes until the opponent looked two plies ahead
        "best_wins": float(smooth.max()) if len(smooth) else None,  # at depth 1
        "wins_deeper": mean(depth == 2),
        "last_wins_deeper": mean(last & (depth == 2)),
        "deepest": int(depth.max()),
        "first_wins": start,
        "last_wins": end,
        "gain": None if start is None or end is None else end - start,
        "validity_loss": float(known.mean()) if len(known) else None,
    }


def lines(learners: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the part of the page, from the numbers of its learners."""
    rows = [
        [
            x["architecture"],
            x["seed"].removeprefix("seed_"),
            f"{x['episodes']:,}" + (f" of {x['goal']:,}" * (x["episodes"] < x["goal"])),
            _text(x["valid_rate"]),
            *(_text(x[name], ",.0f", "never") for name in ("learned_after", "deeper_after")),
            *(_text(x[name]) for name in ("best_wins", "wins_deeper", "last_wins_deeper")),
        ]
        for x in learners
    ]
    header = ["actor", "seed", "episodes", "valid rate at the end", f"valid rate {FAST} after",
              "depth 2 after", "best win rate at depth 1", "win rate at depth 2",
              "at the end"]  # fmt: skip
    ends = []
    for actor in sorted({x["architecture"] for x in learners}):
        own = [x for x in learners if x["architecture"] == actor]
        cells = []
        for name, form in (("last_wins", ".2f"), ("valid_rate", ".2f"), ("validity_loss", ".3f")):
            known = [x[name] for x in own if x.get(name) is not None]
            cells.append(estimate(known, form))
        ends.append([actor, *cells])
    return [
        "Valid rate: how often the actor's likeliest action is valid before the mask. The best win "
        f"rate is over {report.WINDOW} games or more.",
        "",
        *measuring.table(header, rows),
        "",
        "The last tenth of each training, by actor: means over seeds with their 95 % t interval, "
        "in brackets the value of each seed.",
        "",
        *measuring.table(["actor", "win rate", "valid rate", "validity loss"], ends),
    ]


def _text(number: float | None, form: str = ".2f", missing: str = "-") -> str:
    return missing if number is None else f"{number:{form}}"
