"""The experiments of the Onitama report: valid moves, training of the actors, the tournament.

    python -m train.ddpg --game=onitama_report --architecture=all --run-dir=runs/ddpg-all
    python -m benchmarks.studies.onitama_report --runs runs/ddpg-all

docs/studies/onitama_report.md shows the results.
"""

import argparse
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks import environment, measuring
from benchmarks.studies.onitama_report import report

if TYPE_CHECKING:
    from agents.arena.tournament import Tournament

NAME = "study_onitama_report"
PARTS = ("moves", "training", "tournament")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes one record."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    with measuring.user_errors(parser):
        if options.games % 2:
            raise ValueError(f"--games must be even, for both seats; got {options.games}")
        if len(set(options.actor_seeds)) < len(options.actor_seeds):
            raise ValueError(f"--actor-seeds: {options.actor_seeds} names one twice")
        if not options.runs and set(options.parts) - {"moves"}:
            raise ValueError("--runs: name the folder of a run of train.ddpg, or --parts moves")
        text, numbers = study(options)
        record = environment.record() | {"seed": options.seed}
        page = measuring.page("The Onitama report", record, text)
        measuring.write_result(options.output, page, {"environment": record, **numbers})


def make_parser() -> argparse.ArgumentParser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.studies.onitama_report",
        description="The experiments of the Onitama report.",
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument(
        "--turns",
        type=measuring.positive,
        default=report.TURNS,
        help="of part 'moves', at least (default: %(default)s)",
    )
    parser.add_argument(
        "--runs",
        nargs="+",
        type=pathlib.Path,
        default=[],
        metavar="DIR",
        help="folders of `python -m train.ddpg`, whose actors play",
    )
    parser.add_argument(
        "--extended",
        nargs="+",
        type=pathlib.Path,
        default=[],
        metavar="DIR",
        help="folders of the long training",
    )
    parser.add_argument(
        "--actor-seeds",
        nargs="+",
        type=measuring.natural,
        default=[0],
        metavar="SEED",
        help="of the actors that play: a tournament for each, minimax and ours only in the first "
        "(default: 0)",
    )
    parser.add_argument(
        "--network", help="trained network for onitama_report, to play in the tournament as well"
    )
    parser.add_argument(
        "--depths",
        nargs="*",
        type=measuring.positive,
        default=[1, 2, 3, 4],
        help="of the minimax players in the tournament (default: 1 2 3 4)",
    )
    parser.add_argument(
        "--games",
        type=measuring.positive,
        default=report.GAMES,
        help="of each pair of the tournament (default: %(default)s)",
    )
    parser.add_argument("--seed", type=measuring.natural, default=0)
    parser.add_argument(
        "--saved",
        type=pathlib.Path,
        default=pathlib.Path("runs") / f"{NAME}.json",
        help="results of the first tournament, from which a stopped one goes on; those of others "
        "stand beside it (default: %(default)s)",
    )
    measuring.add_output(parser, NAME)
    return parser


def study(options: argparse.Namespace) -> tuple[list[str], dict[str, Any]]:
    """Returns the lines of the record, and its numbers; draws the pictures."""
    import jaxgames
    from benchmarks.studies.onitama_report import claims, curves, moves, tournament

    text: list[str] = []
    numbers: dict[str, Any] = {}
    verdicts: list[claims.Verdict] = []

    def add(title: str, part: tuple[list[str], dict[str, Any]], *pictures: pathlib.Path) -> None:
        text.extend([f"## {title}", "", *part[0], ""])
        for picture in pictures:
            text.extend([f"![{title}]({picture.name})", ""])
        numbers[title] = part[1]

    def picture(name: str) -> pathlib.Path:
        return options.output.with_name(f"{options.output.stem}_{name}.png")

    if "moves" in options.parts:
        env = jaxgames.make(report.GAME)
        found = {
            ties: moves.play(env, opponent, options.turns, options.seed)
            for ties, opponent in moves.OPPONENTS.items()
        }
        moves.draw(found, picture("moves"))
        add("Valid moves", moves.lines(found), picture("moves"))
    if "training" in options.parts:
        trainings = curves.trainings(options.runs)
        curves.draw(options.runs, picture("training"))
        add("Training", curves.lines(trainings), picture("training"))
        verdicts += claims.of_training(trainings)
        if options.extended:
            trainings = curves.trainings(options.extended)
            curves.draw(options.extended, picture("extended"))
            add("Long training", curves.lines(trainings), picture("extended"))
            verdicts += claims.of_extended(trainings)
    if "tournament" in options.parts:
        played = tournaments(options)
        pictures = picture("tournament"), picture("elo")
        tournament.draw(played[0], *pictures)
        add("Tournament", tournament.lines(played), *pictures)
        verdicts += claims.of_tournaments(played)
    if verdicts:
        add("Claims", (claims.lines(verdicts), {"verdicts": [v._asdict() for v in verdicts]}))
    return text, numbers


def tournaments(options: argparse.Namespace) -> "list[Tournament]":
    """Plays the tournament of each seed of the actors, with minimax and ours in the first."""
    from benchmarks.studies.onitama_report import tournament

    options.saved.parent.mkdir(parents=True, exist_ok=True)
    specs = [tournament.nine_players(options.runs, seed) for seed in options.actor_seeds]
    specs[0] |= tournament.others(options.network, options.depths)
    played: list[Tournament] = []
    for seed, of_seed in zip(options.actor_seeds, specs, strict=True):
        saved = options.saved
        if played:
            saved = saved.with_name(f"{saved.stem}_seed_{seed}{saved.suffix}")
        played.append(tournament.play(of_seed, options.games, options.seed, saved))
    return played


if __name__ == "__main__":
    main()
