"""Plays table 1 of the Tribes paper and counts what its complexity analysis counts.

    python -m papers.tribes.study --games 500

A file keeps all finished games. Another file beside it keeps the batch in progress, which takes
minutes. A stopped run goes on from these files, and a run with more games plays the missing ones.
papers/tribes/README.md shows the results.
"""

import argparse
import contextlib
import json
import pathlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

from agents import command_line
from benchmarks import environment, measuring
from jaxgames.internal import checks, files
from papers import studies
from papers.tribes.study import complexity, games, paper, table

PAPER = "tribes"


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays the games that are missing, and writes the record of all."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        pairs = pairs_of(options)
        settings = settings_of(options)
        env = games.make_env(settings.env_options, settings.parameters)
        is_default = options.output.resolve() == parser.default_output(options).resolve()
        if is_default and settings != games.Settings(paper.CALLS, options.seed):
            raise ValueError(
                "--output: games by other rules or with other calls need a result file of their own"
            )
        measuring.prepare_output(options.output, [options.saved])
        options.saved.parent.mkdir(parents=True, exist_ok=True)
        files.check_writable("--saved", options.saved)
        batches = games.load(options.saved, settings)
        began = time.perf_counter()
        due = games.missing(batches, pairs, options.games // 2, options.batch // 2)
        for done, (pair, groups) in enumerate(due):
            if time.perf_counter() - began > 60 * options.max_minutes:
                print(f"stopped by --max-minutes; {len(due) - done} batches left", file=sys.stderr)
                break
            name = f"{'-'.join(pair)}-{groups.start}"
            checkpoint = studies.checkpoint("--saved", options.saved, name)
            with progress_bar(f"{pair[0]} v {pair[1]}", 2 * len(groups)) as checkpoint.report:
                batches.append(games.play(env, pair, groups, settings, checkpoint))
            games.save(options.saved, settings, batches)
            checkpoint.discard()
            print(f"{done + 1}/{len(due)}: {batches[-1].seconds:.0f} s", file=sys.stderr)
        write(options, settings, batches)


@contextlib.contextmanager
def progress_bar(name: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Shows the number of finished games in a terminal; yields the function that updates it."""
    columns = (name, BarColumn(), MofNCompleteColumn(), "games,", TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, _: progress.update(task, completed=done)


def make_parser() -> measuring.Parser:
    """Returns the command line."""
    parser = measuring.Parser("papers.tribes.study", "Table 1 and complexity of the Tribes paper.")
    add, names = parser.add_argument, list(paper.PLAYERS)
    add("--games", type=measuring.positive, default=paper.GAMES, help="of each pair; even")
    calls = "of the forward model, for a decision of a player that searches"
    add("--calls", type=measuring.positive, default=paper.CALLS, help=calls)
    add("--players", nargs="+", choices=names, default=names, help="two or more (default: all)")
    add("--env-options", default="", help="options that differ from the paper's, as fog=true")
    changed = "parameters of the game that differ, such as '{\"tier_points\": [0, 0, 0]}'"
    add("--parameters", default="{}", metavar="JSON", help=changed)
    batch = "games that are played and saved together; even (default: %(default)s)"
    add("--batch", type=measuring.positive, default=100, help=batch)
    add("--max-minutes", type=float, default=float("inf"), help="begin no batch after this time")
    add("--seed", type=measuring.seed, default=0)
    saved = pathlib.Path("runs") / f"study_{PAPER}.json"
    add("--saved", type=pathlib.Path, default=saved, help="file of the games")
    measuring.add_output(parser, f"papers/{PAPER}/study")
    return parser


def pairs_of(options: argparse.Namespace) -> list[games.Pair]:
    """Returns the pairs to play.

    Raises:
        ValueError: for odd numbers, a single player, or a time that is none.
    """
    for name in ("batch", "games"):
        number = getattr(options, name)
        if number % 2:
            raise ValueError(f"--{name} must be even, for both tribes; got {number}")
    if not options.max_minutes >= 0:
        raise ValueError(f"--max-minutes must be at least 0, got {options.max_minutes}")
    pairs = [pair for pair in paper.WINS if set(pair) <= set(options.players)]
    if not pairs:
        raise ValueError(f"--players: two at least, got {', '.join(options.players)}")
    return pairs


def settings_of(options: argparse.Namespace) -> games.Settings:
    """Returns the settings of all games.

    Raises:
        ValueError: for parameters that are no JSON object.
    """
    changed = checks.parsed(options.parameters, "--parameters")
    if not isinstance(changed, dict):
        raise ValueError(
            '--parameters must be an object such as {"tier_points": [0, 0, 0]}, '
            f"got {options.parameters[:80]!r}"
        )
    texts = options.env_options.strip(), json.dumps(changed, sort_keys=True)
    return games.Settings(options.calls, options.seed, *texts)


def write(
    options: argparse.Namespace, settings: games.Settings, batches: Sequence[games.Batch]
) -> None:
    """Writes the record and, if games of the observed pair were counted, the picture."""
    record = environment.record() | {
        "options of the game": settings.env_options or "as in the paper",
        "changed parameters": settings.parameters,
        "forward-model calls a decision": settings.calls,
        "seed": settings.seed,
        "games": sum(len(batch.features["rank"]) for batch in batches),
        "seconds of play": round(sum(batch.seconds for batch in batches)),
    }
    lines, numbers = table.report(batches)
    choices, counted = complexity.report(batches)
    figures = {}
    if choices:
        lines += ["", "## Complexity", "", *choices]
        figures[f"{options.output.stem}.png"] = complexity.draw(batches)
    numbers = {"table": numbers, "complexity": counted}
    title = "Tribes: table 1 and complexity"
    studies.write(options.output, PAPER, title, record, lines, numbers, figures)


if __name__ == "__main__":
    command_line.run(main)
