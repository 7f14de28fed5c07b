"""Plays table 1 of the Tribes paper and counts what its complexity analysis counts.

    python -m papers.tribes.study --games 500

A file keeps all finished games. Another file beside it keeps the batch in progress, which takes
minutes. A stopped run goes on from these files, and a run with more games plays the missing ones.
Several runs may play different pairs at the same time, each with its own file; `--add` joins them.
papers/tribes/README.md shows the results.
"""

import argparse
import contextlib
import pathlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agents import command_line
from benchmarks import environment, measuring
from jaxgames.internal import files
from papers import results
from papers.tribes.study import (
    complexity,
    games,
    paper,
    table,
)

PAPER = "tribes"


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays the games that are missing, and writes the record of all."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        pairs = check(options)
        settings = games.Settings(
            options.calls,
            options.seed,
            options.env_options.strip(),
            games.canonical(options.parameters),
        )
        env = games.make_env(settings.env_options, settings.parameters)
        is_default = options.output.resolve() == parser.default_output(options).resolve()
        if is_default and not (settings.has_paper_rules and settings.calls == paper.CALLS):
            raise ValueError(
                "--output: games by other rules or with other calls need a result file of their own"
            )
        measuring.prepare_output(options.output, [options.saved])
        is_new = not options.saved.exists()
        batches = [] if is_new else games.load("--saved", options.saved, settings)
        for path in options.add:
            others = games.load("--add", path, settings)
            new = games.unknown(batches, others)
            batches += new
            if len(new) < len(others):
                print(
                    f"--add: {path}: {len(others) - len(new)} of {len(others)} batches left out, "
                    "with games that are there already",
                    file=sys.stderr,
                )
        options.saved.parent.mkdir(parents=True, exist_ok=True)
        files.check_writable("--saved", options.saved)
        if options.add:
            games.save(options.saved, settings, batches)
        for batch in batches:  # a run may have been killed between two files
            games.checkpoint_of(options.saved, (batch.first, batch.second), batch.start).discard()
        began = time.perf_counter()
        due = games.missing(batches, pairs, options.games // 2, options.batch // 2)
        planned = count(batches) + sum(2 * len(groups) for _, groups in due)
        if known := games_replaced(options.output, settings, planned):
            raise ValueError(
                f"--output: {options.output} is the result of {known} games, these are {planned}; "
                "name another file"
            )
        for done, (pair, groups) in enumerate(due):
            if time.perf_counter() - began > 60 * options.max_minutes:
                print(f"stopped by --max-minutes; {len(due) - done} batches left", file=sys.stderr)
                break
            checkpoint = games.checkpoint_of(options.saved, pair, groups.start)
            with progress_bar(f"{pair[0]} v {pair[1]}", 2 * len(groups)) as checkpoint.report:
                batches.append(games.play(env, pair, groups, settings, checkpoint))
            games.save(options.saved, settings, batches)
            checkpoint.discard()
            ranks = batches[-1].features["rank"]
            wins = sum(first == 1 for first, _ in ranks)
            print(
                f"{done + 1}/{len(due)} {pair[0]} v {pair[1]}: {wins} of {len(ranks)} games, "
                f"{batches[-1].seconds:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        write(options, settings, batches)


@contextlib.contextmanager
def progress_bar(name: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Shows the number of finished games in a terminal; yields the function that updates it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (name, BarColumn(), MofNCompleteColumn(), "games,", TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, _: progress.update(task, completed=done)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "papers.tribes.study",
        description="Table 1 and the complexity analysis of the Tribes paper.",
    )
    parser.add_argument(
        "--games",
        type=measuring.positive,
        default=paper.GAMES,
        help="of each pair; an even number (default: %(default)s)",
    )
    parser.add_argument(
        "--calls",
        type=measuring.positive,
        default=paper.CALLS,
        help="of the forward model, for a decision of a player that searches "
        "(default: %(default)s, as in the paper)",
    )
    parser.add_argument(
        "--players",
        nargs="+",
        choices=list(paper.PLAYERS),
        default=list(paper.PLAYERS),
        help="two or more (default: all)",
    )
    parser.add_argument(
        "--env-options",
        default="",
        help="options of the game that differ from the paper's, such as fog=true",
    )
    parser.add_argument(
        "--parameters",
        default="{}",
        metavar="JSON",
        help="parameters of the game that differ, such as '{\"tier_points\": [0, 0, 0]}'",
    )
    parser.add_argument(
        "--batch",
        type=measuring.positive,
        default=100,
        help="games that are played and saved together; a player decides a half or a quarter of "
        "them at once; an even number (default: %(default)s)",
    )
    parser.add_argument(
        "--max-minutes",
        type=_minutes,
        default=float("inf"),
        help="begin no batch after this time (default: no limit)",
    )
    parser.add_argument("--seed", type=measuring.seed, default=0)
    parser.add_argument(
        "--saved",
        type=pathlib.Path,
        default=pathlib.Path("runs") / f"study_{PAPER}.json",
        help="file of the games (default: %(default)s)",
    )
    parser.add_argument(
        "--add",
        nargs="+",
        action="extend",
        type=pathlib.Path,
        default=[],
        metavar="FILE",
        help="files of games that other runs have played with the same settings, to be added",
    )
    measuring.add_output(parser, f"papers/{PAPER}/study")
    return parser


def _minutes(text: str) -> float:
    """Reads a time from the command line.

    Raises:
        argparse.ArgumentTypeError: for anything but a number from 0 on.
    """
    try:
        minutes = float(text)
    except ValueError:
        minutes = float("nan")
    if not minutes >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of minutes, got {text!r}")
    return minutes


def check(options: argparse.Namespace) -> list[games.Pair]:
    """Returns the pairs to play.

    Raises:
        ValueError: for numbers that do not fit each other, or a single player.
    """
    for name in ("batch", "games"):
        number = getattr(options, name)
        if number % 2:
            raise ValueError(f"--{name} must be even, for both tribes; got {number}")
    if len(set(options.players)) < len(options.players):
        raise ValueError(f"--players names one twice: {', '.join(options.players)}")
    pairs = [pair for pair in paper.WINS if set(pair) <= set(options.players)]
    if not pairs:
        raise ValueError(f"--players: two at least, got {', '.join(options.players)}")
    return pairs


def count(batches: Sequence[games.Batch]) -> int:
    """Returns the number of games."""
    return sum(len(batch.features["rank"]) for batch in batches)


def games_replaced(output: pathlib.Path, settings: games.Settings, number: int) -> int:
    """Returns the number of games of an existing result that has more games; 0 without one.

    Raises:
        ValueError: if the existing result has other settings, or its file of numbers holds games.
    """
    described = _described(settings)
    path = output.with_suffix(".json")
    try:
        numbers = files.parse_json(path.read_bytes())
    except (OSError, ValueError):  # no result of this study
        return 0
    if isinstance(numbers, dict) and "batches" in numbers:
        raise ValueError(f"--output: {path}, which goes with it, holds games; name another file")
    try:
        record = numbers["environment"]
        known = int(record["games"])
        found = {name: record.get(name) for name in described}
    except (ArithmeticError, LookupError, TypeError, ValueError):  # no result of this study
        return 0
    files.check_identity("--output", output, found, described)
    return known if known > number else 0


def write(
    options: argparse.Namespace, settings: games.Settings, batches: Sequence[games.Batch]
) -> None:
    """Writes the record and, if games of the observed pair were counted, the picture.

    If the existing result has more games, the record is printed and not written.
    """
    number = count(batches)
    known = games_replaced(options.output, settings, number)
    record = environment.record() | _described(settings) | {
        "games": number,
        "seconds of play": round(sum(batch.seconds for batch in batches)),
    }  # fmt: skip
    lines, numbers = table.report(batches)
    choices, counted = complexity.report(batches)
    if choices:
        lines += ["", "## Complexity", "", *choices]
        if not known:
            folder = results.figures_of(options.output, PAPER)
            folder.mkdir(parents=True, exist_ok=True)
            picture = folder / f"{options.output.stem}.png"
            complexity.draw(batches, picture)
            lines += ["", f"![choices by turn]({results.link(picture, options.output)})"]
    page = measuring.page("Tribes: table 1 and complexity", record, lines)
    if known:
        print(page)
        print(
            f"--output: {options.output} stays the result of {known} games; these {number} are in "
            f"--saved {options.saved}",
            file=sys.stderr,
        )
        return
    numbers = {"environment": record, "table": numbers, "complexity": counted}
    measuring.write_result(options.output, page, numbers)


def _described(settings: games.Settings) -> dict[str, Any]:
    """Returns the settings as a result file names them."""
    return {
        "options of the game": settings.env_options or "as in the paper",
        "changed parameters": settings.parameters,
        "forward-model calls a decision": settings.calls,
        "seed": settings.seed,
    }


if __name__ == "__main__":
    command_line.run(main)
