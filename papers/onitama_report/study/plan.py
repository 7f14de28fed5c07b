"""The inputs of a study, found and checked before anything is played."""

import argparse
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agents.arena.tournament import check
from benchmarks import measuring
from configs.tournament import TournamentConfig
from jaxgames.players import registry
from papers.onitama_report.study import (
    curves,
    report,
    times,
    tournament,
)
from papers.onitama_report.study.curves import Training
from papers.onitama_report.study.runs import TRAINED, Run, open_all


class Plan(NamedTuple):
    """The runs that a study reads and the tournaments that it plays; empty for other parts."""

    runs: Mapping[str, Sequence[Run]]
    """By the option that names them."""
    trainings: Mapping[str, Sequence[Training]]
    """Their learners."""
    tournaments: Sequence[tuple[Mapping[str, str], TournamentConfig]]
    """Players and settings, for the actors of each seed."""
    spent: Sequence[times.Time]
    """Times of the trainings that the study reads, and of our network."""

    def described(self) -> dict[str, Any]:
        """Returns the folders and settings of the runs, for the record."""
        return {
            option: [
                {"folder": str(x.folder), "episodes": x.episodes, "settings": dict(x.settings)}
                for x in runs
            ]
            for option, runs in self.runs.items()
        }


def prepare(options: argparse.Namespace) -> Plan:
    """Returns the plan for the command line, and makes the folders that are written to.

    Raises:
        ValueError: for runs, actors, a network, a depth or saved results that do not fit.
        OSError: if a file cannot be read or a folder cannot be written.
    """
    saved = [
        _saved(options.saved, seed, is_first=number == 0)
        for number, seed in enumerate(options.actor_seeds)
    ]
    measuring.prepare_output(options.output, saved)
    runs = open_all({option: getattr(options, _field_of(option)) for option in TRAINED})
    trainings: dict[str, list[Training]] = {option: [] for option in runs}
    spent: list[times.Time] = []
    if "training" in options.parts:
        for option, opened in runs.items():
            episodes = report.LONG_EPISODES if option == "--extended" else report.EPISODES
            trainings[option] = curves.trainings(option, opened, episodes)
        spent += times.of_runs(runs)
    tournaments = []
    if "tournament" in options.parts:
        tournaments = _tournaments(options, runs["--runs"], saved)
        spent += times.of_network(options.network)
    return Plan(runs, trainings, tournaments, spent)


def _field_of(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def _tournaments(
    options: argparse.Namespace, runs: Sequence[Run], saved: Sequence[pathlib.Path]
) -> list[tuple[Mapping[str, str], TournamentConfig]]:
    """Returns the tournament of each seed of the actors, with minimax and ours in the first."""
    options.saved.parent.mkdir(parents=True, exist_ok=True)
    players = [tournament.nine_players(runs, seed) for seed in options.actor_seeds]
    for option, specs in {
        "--network": tournament.others(options.network, []),
        "--depths": tournament.others(None, options.depths),
    }.items():
        _check(option, specs)
        players[0] |= specs
    found: list[tuple[Mapping[str, str], TournamentConfig]] = []
    for specs, path in zip(players, saved, strict=True):
        config = tournament.settings(specs, options.games, options.seed, path)
        _check_saved(config)
        found.append((specs, config))
    return found


def _check_saved(config: TournamentConfig) -> None:
    """Finds out whether a tournament can be played; its results file is blamed on `--saved`."""
    try:
        check(config)
    except ValueError as error:
        of_file = str(error).removeprefix("output: ")
        raise ValueError(f"--saved: {of_file}" if of_file != str(error) else of_file) from None


def _check(option: str, specs: Mapping[str, str]) -> None:
    """Makes players, so that a wrong one is blamed on its option."""
    env = registry.make_env(report.GAME, tournament.OPTIONS)
    for spec in specs.values():
        try:
            registry.make(spec, env)
        except ValueError as error:
            hint = "; actors play by --runs" if "ddpg:actor" in str(error) else ""
            raise ValueError(f"{option}: {error}{hint}") from None


def _saved(path: pathlib.Path, seed: int, *, is_first: bool) -> pathlib.Path:
    return path if is_first else path.with_name(f"{path.stem}_seed_{seed}{path.suffix}")
