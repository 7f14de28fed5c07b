"""The training runs that a study reads, and the checks of their settings."""

import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from jaxgames.internal import files, jax_settings
from papers.onitama_report.config import DdpgConfig
from papers.onitama_report.study import report

_AS_A_RULE = {"play.transition": "own_turn", "learner.judged_policy": "masked"}
TRAINED: Mapping[str, Mapping[str, Any]] = {
    "--runs": _AS_A_RULE,
    "--extended": {**_AS_A_RULE, "architecture": report.LONG_ACTOR},
    "--wrong-rollout": {**_AS_A_RULE, "play.transition": "after_move"},
    "--raw": {**_AS_A_RULE, "learner.judged_policy": "raw"},
}
"""Settings that the runs of an option must have."""
_ALWAYS = {"game": report.GAME, "env_options": ""}
_TYPES = {"architecture": str, "seed": int, "seeds": int}
_OWN = {*_TYPES, "devices.platform", "devices.count"}
"""Settings in which the runs of one option may differ: learners and machine."""


class Run(NamedTuple):
    """The folder of a run."""

    folder: pathlib.Path
    settings: Mapping[str, Any]
    """Settings that decide its results, with dotted names."""
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
        ValueError: for a folder without a run of `papers.onitama_report.train`, a run whose
            settings do not fit its option, a folder or learner that is given twice, and runs of one
            option with different settings.
    """
    found = {option: [_open(option, x) for x in given] for option, given in folders.items()}
    for option, runs in found.items():
        _refuse_differences(option, runs)
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
    if not isinstance(settings, dict) or "architecture" not in settings:
        raise ValueError(f"{option}: {folder} holds a run, but none of papers.onitama_report.train")
    for name, wanted_type in _TYPES.items():
        if type(settings.get(name)) is not wanted_type:
            raise ValueError(f"{option}: {folder}/record.json names no {name}")
    settings = {**jax_settings.RECORDED, **DdpgConfig.YOUNGER, **settings}
    for name, wanted in {**_ALWAYS, **TRAINED[option]}.items():
        value = settings.get(name)
        if value != wanted:
            raise ValueError(f"{option}: {folder} has {name}={value!r}, expected {wanted!r}")
    episodes = _read(option, folder, "config.json").get("episodes")
    if not isinstance(episodes, int):
        raise ValueError(f"{option}: {folder}/config.json names no number of episodes")
    return Run(folder, settings, episodes)


def _read(option: str, folder: pathlib.Path, name: str) -> dict[str, Any]:
    try:
        content = files.parse_json((folder / name).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(
            f"{option}: {folder} holds no run of papers.onitama_report.train (no {name})"
        ) from None
    except ValueError as error:
        raise ValueError(f"{option}: {folder / name} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{option}: {folder / name} is not the file of a run")
    return content


def _refuse_differences(option: str, runs: Sequence[Run]) -> None:
    """Raises a `ValueError` if runs whose learners are averaged were trained in different ways."""
    everything = [{"episodes": run.episodes, **run.settings} for run in runs]
    for run, settings in zip(runs[1:], everything[1:], strict=True):
        for name in sorted({*everything[0], *settings} - _OWN):
            first, other = everything[0].get(name), settings.get(name)
            if first != other:
                raise ValueError(
                    f"{option}: {runs[0].folder} has {name}={first!r}, but {run.folder} {other!r}"
                )


def _refuse_twice(named: Iterable[tuple[str, Any]]) -> None:
    """Raises a `ValueError` if two of the things (with how to name them) are equal."""
    seen = set()
    for name, thing in named:
        if thing in seen:
            raise ValueError(f"{name} is given twice")
        seen.add(thing)
