"""The number of choices that a turn offers: the paper's analysis of complexity, beside its figures.

A figure is a mean over turn numbers of the mean over games in that turn, so that games that end
early are missing in late turns only. The paper's figures are such means too: those of the whole
game are the means of its halves, weighted by their 25 and 26 turns.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.figure import Figure

from benchmarks import measuring
from papers.tribes.study import paper
from papers.tribes.study.games import OBSERVED, Batch

PARTS = {
    "whole game": slice(0, None),
    "first half": slice(0, paper.HALF),
    "second half": slice(paper.HALF, None),
}
MEASURES = ("decisions a turn", "choices a decision", "lg of choices a turn")


class Turns(NamedTuple):
    """The counts of all games; `nan` in turns that were not played."""

    values: Float[np.ndarray, "games players turns 3"]
    """In the order of `MEASURES`."""
    won: Bool[np.ndarray, "games players"]


def turns_of(batches: Sequence[Batch]) -> Turns | None:
    """Returns the counts of the games of the observed pair; None without such games."""
    batches = [batch for batch in batches if batch.turns is not None]
    if not batches:
        return None
    counted = np.concatenate([np.asarray(batch.turns, np.float64) for batch in batches])
    ranks = np.concatenate([np.asarray(batch.features["rank"]) for batch in batches])
    decisions, choices, logarithms = np.moveaxis(counted, -1, 0)
    decisions = np.where(decisions > 0, decisions, np.nan)
    values = np.stack([decisions, choices / decisions, logarithms + 0 * decisions], axis=-1)
    return Turns(values, ranks == 1)


def report(batches: Sequence[Batch]) -> tuple[list[str], dict[str, Any]]:
    """Returns the lines of the report, and its numbers; none without games."""
    turns = turns_of(batches)
    if turns is None:
        return [], {}
    names = " v ".join(OBSERVED)
    lines = [
        f"{len(turns.won)} games {names}. A decision is one action, the end of the turn included; "
        "its choices are all legal actions. Figures are means over turn numbers of means over "
        "games. In brackets the standard error over games, then the difference from the paper in "
        "these errors (the paper states no errors, and rounds logarithms). Of the choices of a "
        "turn, the logarithm is averaged. A planner knows the last turn and goes on longer in it; "
        "the second table leaves it out.",
        "",
    ]
    table, numbers = _figures(turns.values)
    without, numbers["without the last turn"] = _figures(turns.values[:, :, :-1])
    lines += [*table, "", *without, ""]
    winners, losers = (_last_branching(turns, won) for won in (True, False))
    numbers["lg of choices in the last turns"] = {
        "winners": winners._asdict(), "losers": losers._asdict(),
    }  # fmt: skip
    branching = numbers[MEASURES[2]]["whole game"]["mean"]
    size = branching * len(OBSERVED) * paper.TURNS
    early = sum(np.isnan(turns.values[:, :, -1, 0]).all(axis=1))
    lines += [
        f"{early} of the games ended before the last turn. "
        f"In turns {paper.TURNS - paper.LAST_TURNS + 1} to {paper.TURNS} of {paper.TURNS + 1} "
        "winners choose among "
        f"10^{winners.mean:.1f} (10^{paper.BRANCHING_OF_WINNERS:.0f} in the paper), losers among "
        f"10^{losers.mean:.1f} sequences of actions a turn. Two players and {paper.TURNS} turns "
        f"make a tree of 10^{size:.0f} leaves (10^1500).",
    ]
    return lines, numbers


def _figures(
    values: Float[np.ndarray, "games players turns 3"],
) -> tuple[list[str], dict[str, Any]]:
    """Returns the table of all measures, beside the paper's, and its numbers."""
    table, numbers = [], {}
    for number, (measure, stated) in enumerate(zip(MEASURES, paper.COMPLEXITY, strict=True)):
        ours = {part: _mean(values[:, :, where, number]) for part, where in PARTS.items()}
        numbers[measure] = {part: average._asdict() for part, average in ours.items()}
        rounded = 0.5 if measure == MEASURES[2] else 0.0
        shown = [_text(*both, rounded) for both in zip(ours.values(), stated, strict=True)]
        table.append([measure, "ours", *shown])
        table.append(["", "paper", *map(str, stated)])
    return measuring.table(["", "", *PARTS], table), numbers


def draw(batches: Sequence[Batch]) -> Figure:
    """Draws choices and branching by turn, of winners and losers."""
    turns = turns_of(batches)
    if turns is None:
        raise ValueError("no games were counted")
    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, number, label in zip(
        panels, (1, 2), ("legal actions of a decision", "lg of choices of a turn"), strict=True
    ):
        for who, won, style in (("winners", True, "-"), ("losers", False, "--")):
            chosen = np.where((turns.won == won)[..., None], turns.values[..., number], np.nan)
            played = np.isfinite(chosen).any(axis=(0, 1))
            means = np.nanmean(chosen[:, :, played], axis=(0, 1))
            axes.plot(np.flatnonzero(played) + 1, means, style, label=who)
        axes.set(xlabel="turn", ylabel=label, xlim=(1, paper.TURNS + 1), ylim=(0, None))
        axes.grid(alpha=0.3)
    panels[0].legend(frameon=False)
    return figure


def _mean(values: Float[np.ndarray, "games players turns"]) -> paper.Average:
    """Returns the mean over turn numbers; games are independent, turns of one game are not."""
    played = np.isfinite(values)
    counts, sums = played.sum(axis=1), np.where(played, values, 0).sum(axis=1)

    def mean(counts: Float[np.ndarray, "turns"], sums: Float[np.ndarray, "turns"]) -> float:
        reached = counts > 0
        return float((sums[reached] / counts[reached]).mean()) if reached.any() else np.nan

    all_counts, all_sums = counts.sum(axis=0), sums.sum(axis=0)
    # The jackknife: how the mean changes when one game is left out.
    games = len(values)
    others = [mean(all_counts - counts[game], all_sums - sums[game]) for game in range(games)]
    error = np.sqrt((games - 1) * np.var(others))
    return paper.Average(mean(all_counts, all_sums), float(error))


def _last_branching(turns: Turns, won: bool) -> paper.Average:
    """Returns the branching of the last turns without the very last, which planners prolong."""
    last = slice(paper.TURNS - paper.LAST_TURNS, paper.TURNS)
    chosen = np.where((turns.won == won)[..., None], turns.values[..., 2], np.nan)
    return _mean(chosen[:, :, last])


def _text(ours: paper.Average, stated: float, rounded: float) -> str:
    """Returns a mean and its difference from a stated figure, which is exact to `rounded`."""
    off = ours.mean - stated
    difference = np.sign(off) * max(abs(off) - rounded, 0) / ours.error if ours.error else np.nan
    return f"{ours.mean:.2f} ({ours.error:.2f}), {difference:+.1f}"
