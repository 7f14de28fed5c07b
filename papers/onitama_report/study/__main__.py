r"""The experiments of the Onitama report: valid moves, training of the actors, the tournament.

    python -m papers.onitama_report.train --game=onitama_report --architecture=all \
        --run-dir=runs/ddpg-all
    python -m papers.onitama_report.study --runs runs/ddpg-all

papers/onitama_report/README.md shows the results.
"""

import argparse
import functools
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import jaxgames
from agents import command_line
from agents.arena import plots as matrices
from agents.arena.tournament import check
from benchmarks import environment, measuring
from configs.tournament import TournamentConfig
from papers import studies
from papers.onitama_report.ddpg import plots
from papers.onitama_report.study import claims, moves, report, tournament, trainings
from train.metrics import FILE_NAME

PAPER = "onitama_report"
PARTS = ("moves", "training", "tournament")
TITLES = {
    "runs": "Training",
    "extended": "Long training",
    "wrong_rollout": "Training with the wrong rollout",
    "raw": "Training judged before the mask",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the parts that are asked for and writes one record."""
    parser = make_parser()
    options = parser.parse(arguments)
    with measuring.user_errors(parser):
        learners = {name: trainings.read(name, getattr(options, name)) for name in TITLES}
        needs = {"tournament"} if any(learners.values()) else {"training", "tournament"}
        if not options.runs and needs & set(options.parts):
            raise ValueError("--runs: name the folder of a run, or --parts moves")
        configs = tournaments(options) if "tournament" in options.parts else []
        saved = [config.output for _, config in configs if config.output]
        measuring.prepare_output(options.output, saved)
        for _, config in configs:
            check(config)
        sections, numbers, figures = study(options, learners, configs)
        lines = [x for title, part in sections.items() for x in (f"## {title}", "", *part, "")]
        record = environment.record() | {"seed": options.seed}
        title = "The Onitama report"
        studies.write(options.output, PAPER, title, record, lines, numbers, figures)


def make_parser() -> measuring.Parser:
    """Returns the command line."""
    parser = measuring.Parser("papers.onitama_report.study", "The experiments of the report.")
    add, path = parser.add_argument, pathlib.Path
    add("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    add("--turns", type=measuring.positive, default=report.TURNS, help="of part 'moves', at least")
    for option, what in {
        "--runs": "folders of `python -m papers.onitama_report.train`, whose actors play",
        "--extended": f"folders of the long training, of {report.LONG_ACTOR} alone",
        "--wrong-rollout": "folders of trainings with --play.transition=after_move",
        "--raw": "folders of trainings with --learner.judged-policy=raw",
    }.items():
        add(option, nargs="+", type=path, default=[], metavar="DIR", help=what)
    seeds = "of the actors that play: a tournament for each, minimax and ours only in the first"
    add("--actor-seeds", nargs="+", type=measuring.natural, default=[0], help=seeds)
    add("--network", help="trained network for onitama_report, to play in the tournament as well")
    depths = "of the minimax players (default: 1 2 3 4)"
    add("--depths", nargs="*", type=measuring.positive, default=[1, 2, 3, 4], help=depths)
    add("--games", type=measuring.positive, default=report.GAMES, help="of each pair; even")
    add("--seed", type=measuring.seed, default=0)
    saved = "results of the first tournament, from which a stopped one goes on; others beside it"
    add("--saved", type=path, default=path("runs") / f"study_{PAPER}.json", help=saved)
    measuring.add_output(parser, f"papers/{PAPER}/study")
    return parser


def tournaments(options: argparse.Namespace) -> list[tuple[dict[str, str], TournamentConfig]]:
    """Returns the players of each seed of the actors and the settings of their tournament.

    Minimax and our network play in the first.
    """
    found = []
    for number, seed in enumerate(options.actor_seeds):
        more = (options.network, options.depths) if number == 0 else (None, [])
        specs = tournament.players(options.runs, seed, *more)
        saved = options.saved
        if number:
            saved = saved.with_name(f"{saved.stem}_seed_{seed}{saved.suffix}")
        saved.parent.mkdir(parents=True, exist_ok=True)
        config = TournamentConfig(
            game=report.GAME,
            env_options=tournament.OPTIONS,
            agents=tuple(specs.values()),
            games=options.games,
            seed=options.seed,
            output=saved,
        )
        found.append((specs, config))
    return found


def study(
    options: argparse.Namespace,
    learners: Mapping[str, Sequence[Mapping[str, Any]]],
    configs: Sequence[tuple[Mapping[str, str], TournamentConfig]],
) -> tuple[dict[str, list[str]], dict[str, Any], dict[str, Any]]:
    """Returns the sections of the page, their numbers, and the pictures."""
    sections: dict[str, list[str]] = {}
    numbers: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    name = options.output.stem
    if "moves" in options.parts:
        env, found = jaxgames.make(report.GAME), {}
        for ties, opponent in moves.OPPONENTS.items():
            counts = moves.play(env, opponent, options.turns, options.seed)
            both = ("actor", counts[:, 0]), ("opponent", counts[:, 1])
            found[ties] = {who: moves.summary(own) for who, own in both}
        numbers["Valid moves"], sections["Valid moves"] = found, moves.lines(found)
        figures[f"{name}_moves.png"] = moves.draw(found)
    if "training" in options.parts:
        for option, title in TITLES.items():
            if own := learners[option]:
                numbers[title], sections[title] = {"trainings": own}, trainings.lines(own)
                metrics = [folder / FILE_NAME for folder in getattr(options, option)]
                picture = f"{name}_{'training' if option == 'runs' else option}.png"
                figures[picture] = functools.partial(plots.plot_curves, metrics)
        sections["Claims about trainings"] = claims.lines(learners)
    if configs:
        played = [tournament.play(*each) for each in configs]
        by_seed = [tournament.numbers(each) for each in played]
        numbers["Tournament"], sections["Tournament"] = by_seed, tournament.lines(by_seed)
        figures[f"{name}_tournament.png"] = functools.partial(matrices.plot_matrices, played[0])
        figures[f"{name}_elo.png"] = tournament.draw(played[0])
    return sections, numbers, figures


if __name__ == "__main__":
    command_line.run(main)
