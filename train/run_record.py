"""The folder of a run: a new folder gets a record, an existing one must belong to the same run.

`record.json` describes the run, and for each session when, how and on what machine it was started.
`config.json` holds the settings as last used. Nothing is ever erased.
"""

import contextlib
import dataclasses
import datetime
import hashlib
import importlib.metadata
import json
import logging
import os
import pathlib
import platform
import secrets
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import filelock
import jax

import jaxgames
from configs.alphazero import ENDGAMES
from configs.training import RunConfig, TrainingConfig
from jaxgames.internal import files, git, jax_settings, programs, texts
from train.setting_files import flatten

_CHECKSUM_OF_STARTS = "selfplay.starts.sha256"  # runs of the first days of the setting lack it
_SECONDS_FOR_THE_LOCK = 1.0
LOCK = "lock"
"""Name of the file that a session keeps locked."""
_PACKAGES = ("evosax", "flax", "jax", "jaxlib", "mctx", "numpy", "optax", "orbax-checkpoint")
_CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
_log = logging.getLogger(__name__)


class OpenRun(NamedTuple):
    """The folder of a run while a session works on it."""

    directory: pathlib.Path
    lock: filelock.BaseFileLock | None
    """The lock of the folder, which is held; None in all processes but the first."""


def open_run(
    config: RunConfig, game_version: str, dial: Mapping[str, Any] | None = None
) -> OpenRun:
    """Returns the folder of the run, made if it is new, with this session added to its record.

    All processes call it; process 0 writes. The lock is taken before anything is read: of two
    sessions that start at the same moment, one is refused.

    Args:
        config: all settings.
        game_version: of the rules.
        dial: the minutes of a new run and what was chosen for them (`dial.py`).

    Raises:
        ValueError: if the folder holds another run or something else, and names every difference;
            or if another session works on it.
        OSError: if the folder cannot be written.
    """
    directory = check_folder(config)
    if jax.process_index() == 0:
        directory.mkdir(parents=True, exist_ok=True)
    held = lock(directory)
    try:
        _add_session(directory, config, game_version, dial)
    except BaseException:
        if held is not None:
            held.release()
        raise
    return OpenRun(directory, held)


def check_folder(config: RunConfig) -> pathlib.Path:
    """Returns the folder of a run, which need not exist; it is left as it is.

    Raises:
        ValueError: if there is something else than a run.
    """
    files.check_local("run_dir", config.directory)
    directory = pathlib.Path(config.directory).resolve()
    if directory.exists() and not directory.is_dir():
        raise ValueError(f"run folder {directory} is a file")
    if not directory.exists() or exists(directory):
        return directory
    if any(path.suffix != ".tmp" and path.name != LOCK for path in directory.iterdir()):
        raise ValueError(f"folder {directory} is not empty and holds no run (no record.json)")
    return directory


def exists(directory: pathlib.Path) -> bool:
    """Returns whether a folder holds a run."""
    return (directory / "record.json").exists()


def _add_session(
    directory: pathlib.Path,
    config: RunConfig,
    game_version: str,
    dial: Mapping[str, Any] | None,
) -> None:
    """Adds this session to the record, which must be of the same run."""
    record_path = directory / "record.json"
    run = describe_run(config, game_version)
    sessions: list[dict[str, Any]] = []
    name = secrets.token_hex(8)
    if record_path.exists():
        record = _read(record_path)
        _check_same_program(directory, record, run)
        unknown = {name: run[name] for name in run.keys() & {_CHECKSUM_OF_STARTS}}
        older = {**jax_settings.RECORDED, **config.YOUNGER, **unknown}
        named = {config.RENAMED.get(name, name): value for name, value in record["run"].items()}
        _check_same_run(directory, {**older, **named}, run)
        sessions = record["sessions"]
        name = record.get("identity", name)  # which records of older versions lack
        dial = record.get("dial")
    session = describe_session()
    if sessions:
        _warn_of_changes(sessions[-1], session)
    if jax.process_index() == 0:
        # The record comes first: it alone decides whose folder this is.
        sessions = [*sessions, session]
        chosen = {} if dial is None else {"dial": dial}
        write_json(record_path, {"identity": name, "run": run, **chosen, "sessions": sessions})
        write_json(directory / "config.json", dataclasses.asdict(config))


def lock(directory: pathlib.Path) -> filelock.BaseFileLock | None:
    """Returns the lock of a run's folder, which is held; keep it while working on the run.

    The system releases the lock however the process ends. Only process 0 of several takes it.

    Raises:
        ValueError: if another process works on the run.
    """
    if jax.process_index() != 0:
        return None
    held = filelock.FileLock(directory / LOCK, thread_local=False)
    try:
        # A sweep that asks whether somebody works on the run holds the lock for a moment.
        held.acquire(timeout=_SECONDS_FOR_THE_LOCK)
    except filelock.Timeout:
        raise ValueError(f"another process works on the run in {directory}") from None
    return held


def identity(directory: pathlib.Path) -> str:
    """Returns a name of 16 digits that no other run has, and that this one keeps."""
    name: str = _read(directory / "record.json")["identity"]
    return name


def add_end(directory: pathlib.Path, done: int, minutes: float) -> None:
    """Records how far the session came that ends well now, its results are written."""
    record = _read(directory / "record.json")
    record["sessions"][-1]["ended"] = {"done": done, "minutes": minutes}
    write_json(directory / "record.json", record)


def is_finished(config: RunConfig) -> bool:
    """Returns whether a run has reached its goal, or its limit in time, and written its results.

    Raises:
        ValueError: if there is a record that cannot be read.
    """
    path = pathlib.Path(config.directory) / "record.json"
    record = _read(path) if path.is_file() else {"sessions": []}
    ended = record["sessions"][-1].get("ended") if record["sessions"] else None
    if ended is None:
        return False
    goal, limit = config.goal, config.max_minutes
    if isinstance(config, TrainingConfig) and config.minutes is not None and "dial" in record:
        goal = record["dial"]["chosen"].get("iterations", goal)
    return ended["done"] >= goal or (limit is not None and ended["minutes"] >= limit)


def dial(directory: pathlib.Path) -> dict[str, Any] | None:
    """Returns the `minutes` of a run and the settings `chosen` for them; None if it has none.

    Raises:
        ValueError: if the record cannot be read.
    """
    dial: dict[str, Any] | None = _read(directory / "record.json").get("dial")
    return dial


def is_locked(directory: str) -> bool:
    """Returns whether a process works on the run in a folder; asks no device."""
    path = pathlib.Path(directory) / LOCK
    if not path.exists():
        return False
    held = filelock.FileLock(path)
    try:
        held.acquire(blocking=False)
    except filelock.Timeout:
        return True
    held.release()
    return False


def num_cpu_devices(directory: str) -> int | None:
    """Returns the number of CPU devices of the run in a folder; None if none has begun on a CPU.

    Raises:
        ValueError: if there is a record that cannot be read.
    """
    path = pathlib.Path(directory) / "record.json"
    run = _read(path)["run"] if path.is_file() else {}
    number = run.get("devices.count")
    return number if run.get("devices.platform") == "cpu" and isinstance(number, int) else None


def describe_run(config: RunConfig, game_version: str) -> dict[str, Any]:
    """Returns everything that decides the results of a run, bit for bit on CPU."""
    settings = {
        name: value
        for name, value in flatten(dataclasses.asdict(config)).items()
        if not name.startswith(config.CHANGEABLE)
    }
    devices = {"devices.platform": jax.default_backend(), "devices.count": jax.device_count()}
    others = {"game_version": game_version, **devices, **jax_settings.current()}
    return {**settings, **_checksum_of_starts(settings.get("selfplay.starts")), **others}


def _checksum_of_starts(starts: str | None) -> dict[str, str]:
    """Returns the checksum of a file of positions, whose text may change while its name stays."""
    if starts is None or starts == ENDGAMES or not (path := pathlib.Path(starts)).is_file():
        return {}
    return {_CHECKSUM_OF_STARTS: hashlib.sha256(path.read_bytes()).hexdigest()}


def describe_session() -> dict[str, Any]:
    """Returns when, how and on what this process was started."""
    return {
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": [sys.executable, *sys.orig_argv[1:]],
        "git": _git(),
        "versions": {"python": platform.python_version(), "jaxgames": jaxgames.__version__}
        | _installed(_PACKAGES),
        "xla_flags": jax_settings.xla_flags(),
        "hardware": {
            "host": platform.node(),
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "device": jax.devices()[0].device_kind,
            "devices": jax.device_count(),
            "processes": jax.process_count(),
        },
    }


def write_json(path: pathlib.Path, content: dict[str, Any]) -> None:
    """Writes a file in one step: a reader finds the old content or the new, never a part."""
    files.replace(path, json.dumps(content, indent=2) + "\n")


def _installed(packages: tuple[str, ...]) -> dict[str, str]:
    """Returns the versions of the installed ones of some packages; some belong to an extra."""
    versions = {}
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        record = files.parse_json(path.read_bytes())
        run, sessions = record["run"], record["sessions"]
        is_run = isinstance(run, dict) and _is_dial(record.get("dial"))
        if is_run and isinstance(sessions, list) and all(map(_is_session, sessions)):
            return record
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"{path} is not the record of a run")


def _is_dial(dial: Any) -> bool:
    """Whether an entry is the minutes of a run and what was chosen, or is not there."""
    if dial is None:
        return True
    is_number = isinstance(dial, dict) and isinstance(dial.get("minutes"), int | float)
    return is_number and isinstance(dial.get("chosen"), dict)


def _is_session(session: Any) -> bool:
    """Whether an entry has what is compared with the next session, as far as it has it at all."""
    if not isinstance(session, dict) or not isinstance(session.get("command", []), list):
        return False
    groups = ("versions", "git", "hardware", "ended")
    return all(isinstance(session.get(name, {}), dict) for name in groups)


def _check_same_program(
    directory: pathlib.Path, record: dict[str, Any], run: dict[str, Any]
) -> None:
    """Raises a `ValueError` if each of two runs has groups of settings that the other lacks."""
    there, here = (
        {name.partition(".")[0] for name in names if "." in name} for names in (record["run"], run)
    )
    if there - here and here - there:
        command = record["sessions"][0].get("command", []) if record["sessions"] else []
        module = command[command.index("-m") + 1 :][:1] if "-m" in command else []
        program = f"of another program, {module[0]}" if module else "of another program"
        raise ValueError(f"folder {directory} holds a run {program}; choose another --run-dir")


def _check_same_run(directory: pathlib.Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    differences = [
        f"  {name}: there {old.get(name, 'unknown')!r}, asked for {new.get(name, 'unknown')!r}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name, "unknown") != new.get(name, "unknown")
    ]
    if differences:
        raise ValueError(
            f"folder {directory} holds another run:\n"
            + "\n".join(differences)
            + "\nRepeat the settings of that run, with its files as they were, to go on with it, "
            "or choose another --run-dir."
        )


def _warn_of_changes(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Warns of changed versions and devices, with which a run may not repeat exactly."""
    before = flatten({name: old.get(name, {}) for name in ("versions", "git")})
    before["device"] = _device_kind(old)
    after = flatten({name: new[name] for name in ("versions", "git")})
    after["device"] = _device_kind(new)
    changed = [
        f"{name} {before[name]} -> {after[name]}"
        for name in sorted(before.keys() & after.keys())
        if before[name] != after[name]
    ]
    if flags := jax_settings.xla_flags_changed(old.get("xla_flags")):
        changed.append(flags)
    if changed:
        _log.warning("the run goes on with changes that may alter results: %s", ", ".join(changed))


def _device_kind(session: dict[str, Any]) -> str | None:
    return session.get("hardware", {}).get("device")


def _git() -> dict[str, Any]:
    """Returns the revision of the checkout and whether it has changes; nulls without git.

    A wheel is in no checkout: its revision is null, whatever repository holds the environment.
    """
    if programs.IN_WHEEL.is_dir():
        return {"revision": None, "dirty": None}
    status, revision = (
        git.ask(_CHECKOUT, *words) for words in (("status", "--porcelain"), ("rev-parse", "HEAD"))
    )
    return {"revision": revision, "dirty": None if status is None else bool(status)}


def cpu_model() -> str:
    """Returns the name of the processor of this machine."""
    try:
        lines = texts.read("/proc/cpuinfo").splitlines()
    except OSError:
        return platform.processor()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
