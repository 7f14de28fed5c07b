"""The experiments of the Onitama report: valid moves, training of the actors, the tournament.

    python -m train.ddpg --game=onitama_report --architecture=all --run-dir=runs/ddpg-all
    python -m benchmarks.studies.onitama_report --runs runs/ddpg-all

docs/studies/onitama_report.md shows the results.
"""

import argparse
import pathlib
from collections.abc import Sequence
from typing import Any

from benchmarks import environment, measuring
from benchmarks.studies.onitama_report import report

NAME = "study_onitama_report"
PARTS = ("moves", "training", "tournament")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes one record."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    with measuring.user_errors(parser):
        if options.games % 2:
            raise ValueError(f"--games must be even, for both seats; got {options.games}")
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
        help="folders of `python -m train.ddpg`; the actors of the first one play",
    )
    parser.add_argument(
        "--actor-seed", type=measuring.natural, default=0, help="seed of the actors that play"
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
        help="results of the tournament, from which a stopped one goes on (default: %(default)s)",
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

    def add(
        title: str, part: tuple[list[str], dict[str, Any]], picture: pathlib.Path | None
    ) -> None:
        text.extend([f"## {title}", "", *part[0], ""])
        if picture is not None:
            text.extend([f"![{title}]({picture.name})", ""])
        numbers[title] = part[1]

    if "moves" in options.parts:
        found = moves.play(jaxgames.make(report.GAME), options.turns, options.seed)
        picture = options.output.with_name(f"{options.output.stem}_moves.png")
        moves.draw(found, picture)
        add("Valid moves", moves.lines(found), picture)
    if "training" in options.parts:
        trainings = curves.trainings(options.runs)
        add("Training", curves.lines(trainings), None)
        verdicts += claims.of_training(trainings)
    if "tournament" in options.parts:
        options.saved.parent.mkdir(parents=True, exist_ok=True)
        actors = options.runs[0] / "actors"
        specs = tournament.players(actors, options.actor_seed, options.network, options.depths)
        played = tournament.play(specs, options.games, options.seed, options.saved)
        picture = options.output.with_name(f"{options.output.stem}_tournament.png")
        tournament.draw(played, picture)
        add("Tournament", tournament.lines(played), picture)
        verdicts += claims.of_tournament(played)
    if verdicts:
        add("Claims", (claims.lines(verdicts), {"verdicts": [v._asdict() for v in verdicts]}), None)
    return text, numbers


if __name__ == "__main__":
    main()
