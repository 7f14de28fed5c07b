"""A run folder is made, continued or refused, never erased."""

import dataclasses
import json
import logging
import subprocess
import sys
import time

import jax
import pytest

from configs import presets
from jaxgames.internal import jax_settings
from tests.locations import CHECKOUT
from train import run_record


@pytest.fixture
def config(tmp_path):
    preset = presets.preset("alphazero", "onitama", "cpu")
    return dataclasses.replace(preset, run_dir=str(tmp_path / "run"), env_options="deck=all")


def open_run(config, game_version: str = "1"):
    """Opens a run and lets go of it, as the end of a session does."""
    folder, lock = run_record.open_run(config, game_version)
    lock.release()
    return folder


def refused(config, words: str, game_version: str = "1") -> str:
    """Checks that a run is refused; returns the whole message."""
    with pytest.raises(ValueError, match=words) as error:
        open_run(config, game_version)
    return str(error.value)


def change(config, name: str, value):
    group, _, field = name.rpartition(".")
    if not group:
        return dataclasses.replace(config, **{field: value})
    inner = dataclasses.replace(getattr(config, group), **{field: value})
    return dataclasses.replace(config, **{group: inner})


def read(folder, name: str):
    return json.loads((folder / name).read_text())


def test_new_run_records_settings_code_versions_and_hardware(config):
    folder = open_run(config, "3")
    assert read(folder, "config.json")["selfplay"]["lanes"] == config.selfplay.lanes
    record = read(folder, "record.json")
    assert record["run"]["game_version"] == "3"
    assert record["run"]["seed"] == 0
    assert record["run"]["devices.platform"] == "cpu"
    (session,) = record["sessions"]
    assert session["versions"]["jax"] == jax.__version__
    assert session["hardware"]["cores"] >= 1 and session["hardware"]["cpu"]
    assert {"revision", "dirty"} == session["git"].keys()
    assert session["command"] and session["started"].endswith("+00:00")
    for group in ("network", "selfplay", "replay", "learner"):
        for field in dataclasses.fields(getattr(config, group)):
            assert f"{group}.{field.name}" in record["run"]
    assert {"game", "env_options", "devices.count"} <= record["run"].keys()


def test_a_repository_around_an_installation_is_none_of_the_runs(tmp_path, monkeypatch):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    monkeypatch.setattr(run_record, "_CHECKOUT", tmp_path)
    assert run_record.describe_session()["git"]["revision"]
    (tmp_path / "site-packages").mkdir()
    monkeypatch.setattr(run_record, "_CHECKOUT", tmp_path / "site-packages")
    assert run_record.describe_session()["git"] == {"revision": None, "dirty": None}


def test_same_run_goes_on_in_a_new_session_and_keeps_its_files(config):
    folder = open_run(config)
    (folder / "metrics.jsonl").write_text("kept")
    assert open_run(config) == folder
    assert len(read(folder, "record.json")["sessions"]) == 2
    assert (folder / "metrics.jsonl").read_text() == "kept"


def test_settings_outside_the_training_may_change(config):
    folder = open_run(config)
    for name, value in (
        ("iterations", 5),
        ("max_minutes", 3.0),
        ("export", "net.npz"),
        ("evaluation.every", 7),
        ("evaluation.opponents", ("random",)),
        ("checkpoint.keep", 9),
    ):
        config = change(config, name, value)
        open_run(config)
        group, _, field = name.rpartition(".")
        saved = read(folder, "config.json")
        expected = list(value) if isinstance(value, tuple) else value
        assert (saved[group] if group else saved)[field] == expected


def test_a_run_goes_on_whose_record_has_older_names_of_settings(config):
    folder = open_run(config)
    record = (folder / "record.json").read_text()
    names = {"max_considered": "max_considered_actions", "reuse": "reuse_subtree"}
    for present, older in names.items():
        assert f'"selfplay.{present}"' in record
        record = record.replace(f'"selfplay.{present}"', f'"selfplay.{older}"')
    (folder / "record.json").write_text(record)
    assert open_run(config) == folder
    assert "selfplay.max_considered" in read(folder, "record.json")["run"]
    (folder / "record.json").write_text(record)
    changed = change(config, "selfplay.max_considered", 3)
    refused(changed, r"selfplay.max_considered: there 16, asked for 3")


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": (0, 1)},
        {"env_options": ("deck=all", "")},
        {"network.blocks": (None, 9)},
        {"learner.decay_steps": (None, 77)},
        {"selfplay.gumbel_scale": (1.0, 0.5)},
        {"seed": (0, 4), "network.channels": (None, 8), "game_version": ("1", "2")},
    ],
)
def test_other_run_is_refused_with_all_differences_and_nothing_changes(config, changes):
    folder, other = open_run(config), config
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    recorded = read(folder, "record.json")["run"]
    for name, (_, value) in changes.items():
        other = other if name == "game_version" else change(other, name, value)
    message = refused(other, "holds another run", changes.get("game_version", (None, "1"))[1])
    for name, (there, asked) in changes.items():
        there = recorded[name] if there is None else there
        assert f"{name}: there {there!r}, asked for {asked!r}" in message
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_file_of_starts_that_has_changed_is_another_run(config, tmp_path):
    starts = tmp_path / "starts.txt"
    starts.write_text("one position")
    config = change(config, "selfplay.starts", str(starts))
    open_run(config)
    open_run(config)
    starts.write_text("another position")
    refused(config, "selfplay.starts.sha256: there '")
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    del record["run"]["selfplay.starts.sha256"]
    (tmp_path / "run" / "record.json").write_text(json.dumps(record))  # as older versions wrote it
    open_run(config)
    starts.write_text("one position")
    refused(config, "selfplay.starts.sha256: there '")


def test_a_file_with_the_name_of_endgames_is_no_file_of_starts(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = change(config, "selfplay.starts", "endgames")
    open_run(config)
    (tmp_path / "endgames").write_text("something")
    open_run(config)


def test_folder_of_something_else_is_refused(config, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("precious")
    refused(config, r"not empty and holds no run \(no record.json\)")
    refused(change(config, "run_dir", str(tmp_path / "run" / "thesis.txt")), "is a file")
    assert (tmp_path / "run" / "thesis.txt").read_text() == "precious"


def test_rests_of_a_killed_process_and_a_refused_run_lock_nothing(config, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "record.json.tmp").write_text('{"ru')
    (tmp_path / "run" / "lock").touch()
    assert (open_run(config) / "record.json").exists()
    refused(change(config, "seed", 1), "holds another run")
    open_run(config)


def test_changed_versions_and_flags_are_reported(config, caplog, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--before=1")
    open_run(config)
    monkeypatch.setenv("XLA_FLAGS", "--after=1")
    monkeypatch.setattr(run_record.importlib.metadata, "version", lambda name: "99")
    with caplog.at_level(logging.WARNING, "train.run_record"):
        open_run(config)
    assert f"versions.jax {jax.__version__} -> 99" in caplog.text
    assert "XLA_FLAGS '--before=1' -> '--after=1'" in caplog.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("jax_default_prng_impl", "rbg"),
        ("jax_threefry_partitionable", False),
        ("jax_random_seed_offset", 7),
    ],
)
def test_other_random_numbers_are_another_run_also_of_records_that_lack_them(config, name, value):
    folder = open_run(config)
    record = read(folder, "record.json")
    here = record["run"][name]
    for setting in jax_settings.RECORDED:
        del record["run"][setting]
    jax.config.update(name, value)
    try:
        refused(config, f"{name}: there {here!r}, asked for {value!r}")
        (folder / "record.json").write_text(json.dumps(record))
        refused(config, f"{name}: there {here!r}, asked for {value!r}")
    finally:
        jax.config.update(name, here)
    open_run(config)


def test_damaged_records_are_refused(config):
    folder = open_run(config)
    for text in (
        '{"run": ',
        '{"run": 3, "sessions": []}',
        '{"run": {}, "sessions": 3}',
        '{"run": {}, "sessions": [3]}',
        '{"run": {}, "sessions": [{"command": 3}]}',
        '{"run": {}, "sessions": [{"hardware": []}]}',
        '{"run": {}}',
        "[" * 100_000,
        "\x00",
    ):
        (folder / "record.json").write_text(text)
        refused(config, r"record\.json is not the record of a run")


OPEN = """
import dataclasses, pathlib, sys, time
from configs import presets
from train import run_record
preset = presets.preset("alphazero", "onitama", "cpu")
config = dataclasses.replace(preset, run_dir=sys.argv[1])
pathlib.Path(sys.argv[2]).touch()
while not pathlib.Path(sys.argv[3]).exists():
    time.sleep(0.0001)
try:
    held = run_record.open_run(config, "1")
except ValueError as error:
    print(error)
else:
    print("opened", flush=True)
    sys.stdin.read()
"""


def test_one_of_several_processes_opens_a_run(tmp_path):
    start, run = tmp_path / "start", tmp_path / "run"
    ready = [tmp_path / str(number) for number in range(2)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(run), str(path), str(start)],
            cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for path in ready
    ]  # fmt: skip
    while not all(path.exists() for path in ready):
        assert all(process.poll() is None for process in processes)
        time.sleep(0.01)
    start.touch()
    lines = [process.stdout.readline() for process in processes]
    for process in processes:
        process.communicate("")
    assert lines.count("opened\n") == 1
    assert sum("another process works on the run" in line for line in lines) == 1
    assert len(read(run, "record.json")["sessions"]) == 1


def test_a_run_is_finished_when_its_last_session_wrote_results_and_reached_its_limits(config):
    assert not run_record.is_finished(config)
    folder = open_run(config)
    assert not run_record.is_finished(config)
    run_record.add_end(folder, done=5, minutes=2.0)
    assert not run_record.is_finished(config)
    assert run_record.is_finished(change(config, "iterations", 5))
    assert not run_record.is_finished(change(config, "iterations", 6))
    assert run_record.is_finished(change(config, "max_minutes", 2.0))
    assert not run_record.is_finished(change(config, "max_minutes", 2.5))
    open_run(config)  # a session that is killed before its end
    assert not run_record.is_finished(change(config, "iterations", 5))


def test_a_run_keeps_its_identity_also_if_its_record_had_none(config):
    folder = open_run(config)
    first = run_record.identity(folder)
    open_run(config)
    assert run_record.identity(folder) == first and len(first) == 16
    record = read(folder, "record.json")
    del record["identity"]
    (folder / "record.json").write_text(json.dumps(record))
    open_run(config)
    assert len(run_record.identity(folder)) == 16


def test_a_run_that_is_worked_on_is_refused_before_it_is_read(config):
    first = run_record.open_run(config, "1")
    record = (first.directory / "record.json").read_bytes()
    refused(config, "another process works on the run")
    assert (first.directory / "record.json").read_bytes() == record
    first.lock.release()
    open_run(config)
