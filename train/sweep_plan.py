"""The runs of a sweep: every combination of the values that a file lists.

The file has the form of a `--config` file, but a setting may have a list of values to try:
`{"seed": [0, 1], "learner.updates": [16, 32], "iterations": 40}` are four runs. A setting that is
itself a list, such as the opponents of an evaluation, has a list of lists.
"""

import hashlib
import itertools
import json
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from configs.training import RunConfig
from jaxgames.internal import files
from train import cli, setting_files

_NOT_IN_NAMES = re.compile(r"[^\w.=,+-]")
_LONGEST_NAME = 120
_SEED = "seed"


class PlannedRun(NamedTuple):
    """One run of a sweep."""

    name: str
    """Name of its folder, such as `learner.updates=16,seed=1`."""
    group: str
    """The same without the seed: runs of a group differ by chance only."""
    settings: dict[str, Any]
    """The settings of the file, by dotted names."""
    config: RunConfig
    """All settings. If the devices decide on a preset, a run that has not begun has that of a CPU.
    """


class Sweep(NamedTuple):
    """All runs of a sweep."""

    folder: pathlib.Path
    runs: tuple[PlannedRun, ...]

    def options(self, name: str) -> list[str]:
        """Returns what a run of a name has on its command line beside the options of all runs."""
        return [f"{cli.CONFIG}={self.folder / name}.json", f"--run-dir={self.folder / name}"]

    def write_settings(self) -> None:
        """Writes the file with the settings of each run.

        Raises:
            OSError: if one cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        texts = {self.folder / f"{run.name}.json": run.settings for run in self.runs}
        files.replace_all({path: f"{json.dumps(x, indent=2)}\n" for path, x in texts.items()})


def plan(
    program: cli.CommandLine[Any], options: Sequence[str], path: str, folder: str | None
) -> Sweep:
    """Returns the runs of a file.

    Args:
        program: the command line of the program.
        options: the options of all runs, without those that every command takes.
        path: the file.
        folder: the folder of the sweep; None: `runs/sweep-NAME`, by the name of the file.

    Raises:
        ValueError: for a file that cannot be read, an unknown setting or wrong value, or a setting
            that the command line has, too.
    """
    listed = setting_files.read(cli.SWEEP, path)
    _check_options(options, listed)
    tried = [name for name, value in listed.items() if isinstance(value, list)]
    values = [value if isinstance(value, list) else [value] for value in listed.values()]
    whole = pathlib.Path(folder or f"runs/sweep-{pathlib.Path(path).stem}").resolve()
    runs: dict[str, PlannedRun] = {}
    for combination in itertools.product(*values):
        settings = dict(zip(listed, combination, strict=True))
        name = _name({name: settings[name] for name in tried})
        group = _name({name: settings[name] for name in tried if name != _SEED})
        if name in runs:
            raise ValueError(f"{cli.SWEEP}: {path} lists {name} twice")
        config = _config(program, options, settings, whole / name)
        runs[name] = PlannedRun(name, group, settings, config)
    if not runs:
        empty = next(name for name in tried if not listed[name])
        raise ValueError(f"{cli.SWEEP}: {path} lists no value of {empty}")
    return Sweep(whole, tuple(runs.values()))


def _check_options(options: Sequence[str], listed: Mapping[str, Any]) -> None:
    """Refuses a setting of the file that is on the command line, too, which would win."""
    for name in sorted(setting_files.named_by(options) & listed.keys()):
        raise ValueError(f"{cli.SWEEP} and the command line both set {name}; keep one")
    if "run_dir" in listed:
        raise ValueError(f"{cli.SWEEP} chooses a run_dir for each run; leave it out of the file")


def _config(
    program: cli.CommandLine[Any],
    options: Sequence[str],
    settings: Mapping[str, Any],
    folder: pathlib.Path,
) -> RunConfig:
    """Returns all settings of a run; a run that has begun says which preset it started from."""
    words = program.take_apart([*options, f"--run-dir={folder}"], settings)
    begun = folder / "config.json"
    if words.start == "auto" and begun.is_file():
        start = setting_files.read(cli.SWEEP, str(begun)).get(program.based_on, words.start)
        words = words._replace(start=start)
    config: RunConfig = program.settings(words)
    return config


def _name(settings: Mapping[str, Any]) -> str:
    """Returns the name of some settings, fit for a folder and different for different ones."""
    texts = [x if isinstance(x, str) else json.dumps(x) for x in settings.values()]
    whole = ",".join(f"{name}={text}" for name, text in zip(settings, texts, strict=True))
    name = _NOT_IN_NAMES.sub("-", whole)[:_LONGEST_NAME]
    if name != whole:
        name += "-" + hashlib.sha256(whole.encode()).hexdigest()[:6]
    return name or "run"
