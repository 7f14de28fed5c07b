"""Which runs of `train.ddpg` the study reads, and that they were trained for what they are read."""

import json
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.studies.onitama_report import report
from configs.ddpg import DdpgConfig

TRAINED: Mapping[str, Mapping[str, Any]] = {
    "--runs": {"play.transition": "own_turn"},
    "--extended": {"play.transition": "own_turn", "architecture": report.LONG_ACTOR},
    "--wrong-rollout": {"play.transition": "after_move"},
}
"""Settings that the runs of an option must have."""
_ALWAYS = {"game": report.GAME, "env_options": ""}


class Run(NamedTuple):
    """The folder of a run."""

    folder: pathlib.Path
    settings: Mapping[str, Any]
    """Those that decide its results, with dotted names."""
    episodes: int
    """Of every learner, when the run is finished."""

    @property
    def learners(self) -> list[tuple[str, int]]:
        """Architecture and seed of each learner."""
        text = self.settings["architecture"]
        names = DdpgConfig(report.GAME, architecture=text).architectures
        first = self.settings["seed"]
        return [(x, seed) for x in names for seed in range(first, first + self.settings["seeds"])]


def open_all(folders: Mapping[str, Sequence[pathlib.Path]]) -> dict[str, list[Run]]:
    """Returns the runs of each option.

    Args:
        folders: by an option of `TRAINED`.

    Raises:
        ValueError: for a folder without a run of `train.ddpg`, a run that was trained for something
            else than its option means, and for a folder or learner that is given twice.
    """
    found = {option: [_open(option, x) for x in given] for option, given in folders.items()}
    places = [(option, run.folder) for option, runs in found.items() for run in runs]
    _refuse_twice((f"{option}: {folder}", folder.resolve()) for option, folder in places)
    for option, runs in found.items():
        _refuse_twice(
            (f"{option}: {run.folder}: {name} with seed {seed}", (name, seed))
            for run in runs
            for name, seed in run.learners
        )
    return found


def _open(option: str, folder: pathlib.Path) -> Run:
    record = _read(option, folder, "record.json")
    settings = record.get("run")
    if not isinstance(settings, dict) or not {"architecture", "seeds"} <= settings.keys():
        raise ValueError(f"{option}: {folder} holds a run, but none of train.ddpg")
    for name, wanted in {**_ALWAYS, **TRAINED[option]}.items():
        value = settings.get(name)
        if value != wanted:
            raise ValueError(f"{option}: {folder} has {name}={value!r}, expected {wanted!r}")
    episodes = _read(option, folder, "config.json").get("episodes")
    if not isinstance(episodes, int):
        raise ValueError(f"{option}: {folder}/config.json names no number of episodes")
    return Run(folder, {**DdpgConfig.YOUNGER, **settings}, episodes)


def _read(option: str, folder: pathlib.Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{option}: {folder} holds no run of train.ddpg (no {name})") from None
    except ValueError as error:
        raise ValueError(f"{option}: {folder / name} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{option}: {folder / name} is not the file of a run")
    return content


def _refuse_twice(named: Iterable[tuple[str, Any]]) -> None:
    """Raises a `ValueError` if two of the things (with how to name them) are equal."""
    seen = set()
    for name, thing in named:
        if thing in seen:
            raise ValueError(f"{name} is given twice")
        seen.add(thing)
