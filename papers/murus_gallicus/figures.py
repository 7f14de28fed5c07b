"""Draws the figures of the study of Murus Gallicus from its records.

    python -m papers.murus_gallicus.figures

Each record of `papers.murus_gallicus.study` becomes a picture beside the page of the paper.
"""

import argparse
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from agents import command_line
from benchmarks import measuring
from jaxgames.internal import files
from papers import results
from papers.murus_gallicus import study

BAR = 0.45  # inches


def main(arguments: Sequence[str] | None = None) -> None:
    """Draws the records that are asked for."""
    parser = argparse.ArgumentParser(
        epilog=command_line.HELP,
        prog="python -m papers.murus_gallicus.figures",
        description="The figures of the study of Murus Gallicus, from its records.",
    )
    parser.add_argument("--parts", nargs="+", choices=list(FIGURES), default=list(FIGURES))
    parser.add_argument(
        "--results",
        type=pathlib.Path,
        default=results.RECORDS / study.GAME,
        help="folder of the records",
    )
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        default=results.figures(study.GAME),
        help="folder of the figures",
    )
    options = parser.parse_args(
        command_line.begin_or_exit("python -m papers.murus_gallicus.figures", arguments)
    )
    with measuring.user_errors(parser):
        for part in options.parts:
            record = options.results / f"{part}.json"
            if not record.is_file():
                raise ValueError(
                    f"there is no record {record}; make it by `python -m "
                    f"papers.murus_gallicus.study --parts {part}`"
                )
            figure = FIGURES[part](files.parse_json(record.read_bytes())[part])
            options.output.mkdir(parents=True, exist_ok=True)
            # Text as text, and names that do not change: the same record gives the same file.
            with rc_context({"svg.fonttype": "none", "svg.hashsalt": study.GAME}):
                figure.savefig(options.output / f"{part}.svg", metadata={"Date": None})


def nodes(record: Mapping[str, Any]) -> Figure:
    """Draws the nodes of each iteration, ours and those that the paper's program logged."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    positions = (("Start", study.START), ("Middle game", study.MIDDLE_GAME))
    for index, (axes, (title, text)) in enumerate(zip(panels, positions, strict=True)):
        for color, search in enumerate(record["searches"]):
            kind, counts = search["kind"], search["nodes"][index]
            axes.plot(range(1, len(counts) + 1), counts, f"C{color}o-", label=f"{kind}, ours")
            logged = study.LOGGED.get((text, kind))
            if logged is not None:
                axes.plot(range(1, len(logged) + 1), logged, f"C{color}s:", label=f"{kind}, paper")
        axes.set(title=title, xlabel="depth", yscale="log")
    panels[0].set_ylabel("nodes of the iteration")
    panels[0].legend(frameon=False)
    return figure


def contests(record: Sequence[Mapping[str, Any]]) -> Figure:
    """Draws the score of each match's first player with its standard error."""
    figure = Figure(figsize=(8, 1 + BAR * len(record)), layout="constrained")
    axes = figure.subplots()
    names = [f"{found['first']} v {found['second']}" for found in record]
    scores, errors = ([100 * found[name] for found in record] for name in ("mean", "error"))
    axes.barh(names, scores, xerr=errors, color="C0", height=0.6)
    axes.axvline(50, color="grey", linewidth=0.8)
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="score of the first in %, with one standard error")
    return figure


def times(record: Sequence[Sequence[Mapping[str, Any]]]) -> Figure:
    """Draws the least, mean and most seconds of a move of each player."""
    rows = [
        (f"{player['name']}, in {pair[0]['name']} v {pair[1]['name']}", player["seconds"])
        for pair in record
        for player in pair
    ]
    figure = Figure(figsize=(8, 1 + BAR * len(rows)), layout="constrained")
    axes = figure.subplots()
    names = [name for name, _ in rows]
    least, mean, most = zip(*(seconds for _, seconds in rows), strict=True)
    axes.hlines(names, least, most, color="C0", linewidth=3, label="least to most")
    axes.plot(mean, names, "C1o", label="mean")
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="seconds a move, by the players' clock")
    figure.legend(loc="outside upper right", ncols=2, frameon=False)
    return figure


FIGURES: Mapping[str, Callable[[Any], Figure]] = {
    "nodes": nodes,
    "ladder": contests,
    "milestones": contests,
    "book": contests,
    "times": times,
}


if __name__ == "__main__":
    command_line.run(main)
