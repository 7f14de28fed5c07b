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


def open_run(config, game_version: str):
    """Opens a run and lets go of it, as the end of a session does."""
    folder, lock = run_record.open_run(config, game_version)
    lock.close()
    return folder


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


def test_a_repository_around_an_installation_is_none_of_the_runs(tmp_path, monkeypatch):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    monkeypatch.setattr(run_record, "_CHECKOUT", tmp_path)
    assert run_record.describe_session()["git"]["revision"]
    (tmp_path / "site-packages").mkdir()
    monkeypatch.setattr(run_record, "_CHECKOUT", tmp_path / "site-packages")
    assert run_record.describe_session()["git"] == {"revision": None, "dirty": None}


def test_default_folder_is_named_after_game_and_seed(config):
    assert dataclasses.replace(config, run_dir=None, seed=7).directory == "runs/onitama-7"


def test_same_run_goes_on_in_a_new_session_and_keeps_its_files(config):
    folder = open_run(config, "1")
    (folder / "metrics.jsonl").write_text("kept")
    assert open_run(config, "1") == folder
    assert len(read(folder, "record.json")["sessions"]) == 2
    assert (folder / "metrics.jsonl").read_text() == "kept"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("iterations", 5),
        ("max_minutes", 3.0),
        ("export", "net.npz"),
        ("evaluation.every", 7),
        ("evaluation.opponents", ("random",)),
        ("checkpoint.keep", 9),
    ],
)
def test_settings_outside_the_training_may_change(config, name, value):
    folder = open_run(config, "1")
    open_run(change(config, name, value), "1")
    group, _, field = name.rpartition(".")
    saved = read(folder, "config.json")
    expected = list(value) if isinstance(value, tuple) else value
    assert (saved[group] if group else saved)[field] == expected


def test_a_run_goes_on_whose_record_has_older_names_of_settings(config):
    folder = open_run(config, "1")
    record = (folder / "record.json").read_text()
    names = {"max_considered": "max_considered_actions", "reuse": "reuse_subtree"}
    for present, older in names.items():
        assert f'"selfplay.{present}"' in record
        record = record.replace(f'"selfplay.{present}"', f'"selfplay.{older}"')
    (folder / "record.json").write_text(record)
    assert open_run(config, "1") == folder
    assert "selfplay.max_considered" in read(folder, "record.json")["run"]
    (folder / "record.json").write_text(record)
    with pytest.raises(ValueError, match=r"selfplay.max_considered: there 16, asked for 3"):
        open_run(change(config, "selfplay.max_considered", 3), "1")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("seed", 1, "seed: there 0, asked for 1"),
        ("env_options", "", "env_options: there 'deck=all', asked for ''"),
        ("network.blocks", 9, "network.blocks: there 3, asked for 9"),
        ("learner.decay_steps", 77, "learner.decay_steps: there 10000, asked for 77"),
        ("selfplay.gumbel_scale", 0.5, "selfplay.gumbel_scale: there 1.0, asked for 0.5"),
    ],
)
def test_other_run_is_refused_with_both_values_and_nothing_changes(config, name, value, words):
    folder = open_run(config, "1")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    old = config.network.blocks, config.learner.decay_steps
    words = words.replace("there 3", f"there {old[0]}").replace("there 10000", f"there {old[1]}")
    with pytest.raises(ValueError, match="holds another run") as error:
        open_run(change(config, name, value), "1")
    assert words in str(error.value)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_every_difference_is_named(config):
    open_run(config, "1")
    with pytest.raises(ValueError, match="holds another run") as error:
        open_run(change(change(config, "seed", 4), "network.channels", 8), "2")
    for name in ("game_version: there '1', asked for '2'", "seed: there 0", "network.channels"):
        assert name in str(error.value)


def test_every_training_setting_belongs_to_the_identity_of_a_run(config):
    run = run_record.describe_run(config, "1")
    for group in ("network", "selfplay", "replay", "learner"):
        for field in dataclasses.fields(getattr(config, group)):
            assert f"{group}.{field.name}" in run
    assert {"game", "env_options", "seed", "game_version", "devices.count"} <= run.keys()


def test_folder_of_something_else_is_refused(config, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("precious")
    with pytest.raises(ValueError, match=r"not empty and holds no run \(no record.json\)"):
        open_run(config, "1")
    with pytest.raises(ValueError, match="is a file"):
        open_run(change(config, "run_dir", str(tmp_path / "run" / "thesis.txt")), "1")
    assert (tmp_path / "run" / "thesis.txt").read_text() == "precious"


def test_damaged_record_is_refused(config):
    folder = open_run(config, "1")
    (folder / "record.json").write_text('{"run": ')
    with pytest.raises(ValueError, match=r"record\.json is not the record of a run"):
        open_run(config, "1")


def test_folder_of_a_process_killed_while_writing_the_record_is_used(config, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "record.json.tmp").write_text('{"ru')
    assert (open_run(config, "1") / "record.json").exists()


def test_changed_versions_are_reported(config, caplog, monkeypatch):
    open_run(config, "1")
    monkeypatch.setattr(run_record.importlib.metadata, "version", lambda name: "99")
    with caplog.at_level(logging.WARNING, "train.run_record"):
        open_run(config, "1")
    assert f"versions.jax {jax.__version__} -> 99" in caplog.text


@pytest.mark.parametrize(
    ("name", "value"), [("jax_default_prng_impl", "rbg"), ("jax_threefry_partitionable", False)]
)
def test_another_random_number_generator_is_another_run(config, name, value):
    folder = open_run(config, "1")
    here = read(folder, "record.json")["run"][name]
    jax.config.update(name, value)
    try:
        with pytest.raises(ValueError, match=f"{name}: there {here!r}, asked for {value!r}"):
            open_run(config, "1")
    finally:
        jax.config.update(name, here)
    open_run(config, "1")


def test_records_without_settings_of_jax_count_as_its_defaults(config):
    folder = open_run(config, "1")
    record = read(folder, "record.json")
    for name in jax_settings.RECORDED:
        del record["run"][name]
    (folder / "record.json").write_text(json.dumps(record))
    open_run(config, "1")
    jax.config.update("jax_random_seed_offset", 7)
    try:
        (folder / "record.json").write_text(json.dumps(record))
        with pytest.raises(ValueError, match="jax_random_seed_offset: there 0, asked for 7"):
            open_run(config, "1")
    finally:
        jax.config.update("jax_random_seed_offset", 0)


def test_changed_flags_of_xla_are_reported(config, caplog, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--before=1")
    open_run(config, "1")
    monkeypatch.setenv("XLA_FLAGS", "--after=1")
    open_run(config, "1")
    assert "XLA_FLAGS '--before=1' -> '--after=1'" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        '{"run": 3, "sessions": []}',
        '{"run": {}, "sessions": 3}',
        '{"run": {}, "sessions": [3]}',
        '{"run": {}, "sessions": [{"command": 3}]}',
        '{"run": {}, "sessions": [{"hardware": []}]}',
        '{"run": {}}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_records_of_wrong_types_are_refused(config, text):
    folder = open_run(config, "1")
    (folder / "record.json").write_text(text)
    with pytest.raises(ValueError, match=r"record\.json is not the record of a run"):
        open_run(config, "1")


def test_of_two_sessions_that_start_at_once_one_is_refused_before_it_reads(config):
    first = run_record.open_run(config, "1")
    record = (first.directory / "record.json").read_bytes()
    with pytest.raises(ValueError, match="another process works on the run"):
        run_record.open_run(config, "1")
    assert (first.directory / "record.json").read_bytes() == record
    first.lock.close()


def test_a_lock_of_a_killed_process_and_a_refused_run_lock_nothing(config, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "lock").touch()
    open_run(config, "1")
    with pytest.raises(ValueError, match="holds another run"):
        open_run(change(config, "seed", 1), "1")
    open_run(config, "1")


OPEN = """
import dataclasses, pathlib, sys, time
from jaxgames.internal import jax_settings
from tests.locations import CHECKOUT
from configs import presets
from train import run_record
config = dataclasses.replace(presets.preset("alphazero", "onitama", "cpu"), run_dir=sys.argv[1])
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
    ready = [tmp_path / str(number) for number in range(3)]
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
    assert sum("another process works on the run" in line for line in lines) == 2
    assert len(read(run, "record.json")["sessions"]) == 1


def test_folder_that_another_process_works_on_is_refused(tmp_path):
    held = run_record.lock(tmp_path)
    with pytest.raises(ValueError, match="another process works on the run"):
        run_record.lock(tmp_path)
    held.close()
    run_record.lock(tmp_path).close()
