r"""The experiments of the Onitama report: valid moves, training of the actors, the tournament.

    python -m papers.onitama_report.train --game=onitama_report --architecture=all \
        --run-dir=runs/ddpg-all
    python -m papers.onitama_report.study --runs runs/ddpg-all

papers/onitama_report/README.md shows the results.
"""

import argparse
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

from agents import command_line
from benchmarks import environment, measuring
from papers import results
from papers.onitama_report.study import report

PAPER = "onitama_report"
PARTS = ("moves", "training", "tournament")
TRAININGS = (
    ("--runs", "Training", "training"),
    ("--extended", "Long training", "extended"),
    ("--wrong-rollout", "Training with the wrong rollout", "wrong_rollout"),
    ("--raw", "Training judged before the mask", "raw"),
)
"""Option, title and picture of each kind of training."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes one record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        if options.games % 2:
            raise ValueError(f"--games must be even, for both seats; got {options.games}")
        for name in ("actor_seeds", "depths"):
            given = getattr(options, name)
            if len(set(given)) < len(given):
                raise ValueError(f"--{name.replace('_', '-')}: {given} names one twice")
        _check_runs(options)
        # Pictures and record stand or fall together: a study that fails leaves the old ones.
        with tempfile.TemporaryDirectory() as folder:
            text, numbers = study(options, pathlib.Path(folder))
            record = environment.record() | {"seed": options.seed}
            page = measuring.page("The Onitama report", record, text)
            drawn = results.figures_of(options.output, PAPER)
            pictures = {
                drawn / path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()
            }
            measuring.write_result(
                options.output, page, {"environment": record, **numbers}, pictures
            )


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "papers.onitama_report.study",
        description="The experiments of the Onitama report.",
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument(
        "--turns",
        type=measuring.positive,
        default=report.TURNS,
        help="of part 'moves', at least (default: %(default)s)",
    )
    for option, what in {
        "--runs": "folders of `python -m papers.onitama_report.train`, whose actors play",
        "--extended": f"folders of the long training, of {report.LONG_ACTOR} alone",
        "--wrong-rollout": "folders of trainings with --play.transition=after_move",
        "--raw": "folders of trainings with --learner.judged-policy=raw",
    }.items():
        parser.add_argument(
            option, nargs="+", type=pathlib.Path, default=[], metavar="DIR", help=what
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
    parser.add_argument("--seed", type=measuring.seed, default=0)
    parser.add_argument(
        "--saved",
        type=pathlib.Path,
        default=pathlib.Path("runs") / f"study_{PAPER}.json",
        help="results of the first tournament, from which a stopped one goes on; those of others "
        "stand beside it (default: %(default)s)",
    )
    measuring.add_output(parser, f"papers/{PAPER}/study")
    return parser


def _check_runs(options: argparse.Namespace) -> None:
    """Raises a `ValueError` if the parts need runs that are not named."""
    of_others = options.extended or options.wrong_rollout or options.raw
    need = {"tournament"} if of_others else {"tournament", "training"}
    if not options.runs and need & set(options.parts):
        raise ValueError(
            "--runs: name the folder of a run of papers.onitama_report.train, or --parts moves"
        )


def study(options: argparse.Namespace, drawings: pathlib.Path) -> tuple[list[str], dict[str, Any]]:
    """Returns the lines of the record, and its numbers; draws the pictures in a folder."""
    import jaxgames
    from papers.onitama_report.study import (
        claims,
        curves,
        moves,
        times,
        tournament,
        tournament_claims,
        verdicts,
    )
    from papers.onitama_report.study.plan import prepare

    plan = prepare(options)
    text: list[str] = []
    numbers: dict[str, Any] = {"runs": plan.described()}
    findings: list[verdicts.Verdict] = []

    def add(title: str, part: tuple[list[str], dict[str, Any]], *pictures: pathlib.Path) -> None:
        text.extend([f"## {title}", "", *part[0], ""])
        for picture in pictures:
            path = results.figures_of(options.output, PAPER) / picture.name
            text.extend([f"![{title}]({results.link(path, options.output)})", ""])
        numbers[title] = part[1]

    def picture(name: str) -> pathlib.Path:
        return drawings / f"{options.output.stem}_{name}.png"

    if "moves" in options.parts:
        env = jaxgames.make(report.GAME)
        found = {
            ties: moves.play(env, opponent, options.turns, options.seed)
            for ties, opponent in moves.OPPONENTS.items()
        }
        moves.draw(found, picture("moves"))
        add("Valid moves", moves.lines(found), picture("moves"))
        findings += claims.of_moves(found)
    if "training" in options.parts:
        for option, title, name in TRAININGS:
            if plan.runs[option]:
                curves.draw(plan.runs[option], picture(name))
                add(title, curves.lines(plan.trainings[option]), picture(name))
        right, long, wrong, raw = (plan.trainings[option] for option, _, _ in TRAININGS)
        # Without --runs this is no study of the report, but a look at some other trainings.
        findings += claims.of_training(right) if right else []
        findings += claims.of_extended(long) if right or long else []
        findings += claims.of_wrong_rollout(wrong, right) if right or wrong else []
        findings += claims.of_raw(raw) if right or raw else []
    if "tournament" in options.parts:
        played = [tournament.play(specs, config) for specs, config in plan.tournaments]
        pictures = picture("tournament"), picture("elo")
        tournament.draw(played[0], *pictures)
        add("Tournament", tournament.lines(played), *pictures)
        findings += tournament_claims.of_tournaments(played)
    if plan.spent:
        add("Times", times.lines(plan.spent))
    plain = [verdict._asdict() | {"confirmed": verdict.confirmed} for verdict in findings]
    add("Claims", (verdicts.lines(findings), {"verdicts": plain}))
    return text, numbers


if __name__ == "__main__":
    command_line.run(main)
