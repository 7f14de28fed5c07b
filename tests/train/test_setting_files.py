"""Settings from files: what `config.json` of a run holds, JSON and YAML, and their mistakes."""

import dataclasses
import json

import pytest

from configs import presets
from tests.train import counting_program, runs
from tests.train.counting_program import StepConfig, main, parse
from train import alphazero, setting_files
from train.afterstates import __main__ as afterstates_program
from train.muzero import __main__ as muzero_program


def write(path, content) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return f"--config={path}"


@pytest.mark.parametrize(
    ("program", "parse"),
    [
        ("alphazero", alphazero.parse),
        ("muzero", muzero_program.parse),
        ("afterstates", afterstates_program.parse),
    ],
)
def test_the_settings_of_a_run_give_the_same_settings_again(program, parse, tmp_path):
    """Of every type of field, numbers, texts, lists and what is not given."""
    for game in ("onitama", "tribes"):
        for device_class in ("cpu", "many"):
            config = presets.preset(program, game, device_class)
            config = dataclasses.replace(config, seed=3, max_minutes=1.5, run_dir="runs/x")
            config = dataclasses.replace(config, minutes=None)  # what they choose is in the file
            option = write(tmp_path / "config.json", dataclasses.asdict(config))
            assert parse([option]) == config


def test_options_win_over_files_and_later_files_over_earlier_ones(tmp_path):
    first = write(tmp_path / "1.json", {"game": "nim", "seed": 1, "step": {"size": 2}})
    second = write(tmp_path / "2.json", {"step.size": 3, "iterations": 5, "max_minutes": None})
    config = parse([first, second, "--iterations=9"])
    assert (config.game, config.seed, config.step.size, config.iterations) == ("nim", 1, 3, 9)
    assert parse(["--config", str(tmp_path / "1.json"), "--step.size=4"]).step.size == 4
    assert parse([first, "--preset=many"]).iterations == 7  # the file changes the preset
    assert parse([write(tmp_path / "3.json", {"game": "nim", "preset": "many"})]).iterations == 7


def test_yaml_reads_like_json(tmp_path):
    pytest.importorskip("yaml")
    text = (
        "game: nim\nmax_minutes: 2e-3  # a text in YAML\nstep: {rates: [1, 2.5], is_fast: true}\n"
    )
    config = parse([write(tmp_path / "settings.yaml", text)])
    assert config.max_minutes == 2e-3
    assert config.step == StepConfig(rates=(1.0, 2.5), is_fast=True)


def test_older_names_are_read(tmp_path):
    option = write(tmp_path / "c.json", {"game": "onitama", "selfplay": {"reuse_subtree": True}})
    assert alphazero.parse([option]).selfplay.reuse


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"step": {"sise": 2}}, "unknown setting 'step.sise'; did you mean 'step.size'?"),
        ({"iteration": 2}, "unknown setting 'iteration'; did you mean 'iterations'?"),
        ({"step": 3}, "unknown setting 'step'"),
        ({"step.size": "2"}, "step.size must be of type int, got '2'"),
        ({"step.size": 2.5}, "step.size must be of type int, got 2.5"),
        ({"step.size": True}, "step.size must be of type int, got True"),
        ({"step.is_fast": 1}, "step.is_fast must be of type bool, got 1"),
        ({"step.rates": 0.5}, "step.rates must be a list, got 0.5"),
        ({"step.rates": ["low"]}, "step.rates must be a number, got 'low'"),
        ({"seed": None}, "seed must be of type int, got None"),
        ({"max_minutes": True}, "max_minutes must be a number, got True"),
        ({"iterations": 0}, "iterations must be at least 1, got 0"),
        ({"logger": "wanbd"}, "unknown logger 'wanbd'"),
        ({"max_minutes": 10**400}, "max_minutes must be from -1.8e+308 to 1.8e+308, got a longer"),
        ({"step.rates": [1, -(10**400)]}, "step.rates must be from -1.8e+308"),
        ({"step": {"size": 1}, "step.size": 2}, "c.json: step.size is given twice; keep one"),
        ('{"seed": 1, "seed": 1}', "c.json: seed is given twice; keep one"),
        ('{"step": {"size": 1, "size": 2}}', "c.json: size is given twice; keep one"),
        ('{"step": {"size": 1}, "step": {}}', "c.json: step is given twice; keep one"),
        ("[1]", "must hold settings by name, got [1]"),
        ("{", "c.json: "),
    ],
)
def test_mistakes_in_a_file_end_with_status_2(content, words, tmp_path, capsys):
    option = write(tmp_path / "c.json", content)
    assert words in runs.message(main, ["--game=nim", option], capsys)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed: 1\n'seed': 2\n", "c.yml: seed is given twice; keep one"),
        ("step:\n  size: 1\n  size: 1\n", "c.yml: size is given twice; keep one"),
        ("step: {size: 1}\nstep.size: 2\n", "c.yml: step.size is given twice; keep one"),
        ("step: &step\n  size: *step\n", "c.yml: groups are nested too deep"),
    ],
)
def test_mistakes_in_a_file_of_yaml_end_with_status_2(text, words, tmp_path, capsys):
    pytest.importorskip("yaml")
    option = write(tmp_path / "c.yml", text)
    assert words in runs.message(main, ["--game=nim", option], capsys)


def test_yaml_may_change_what_it_takes_from_elsewhere(tmp_path):
    pytest.importorskip("yaml")
    text = "step: &base {size: 3}\nother: {<<: *base, <<: {size: 1}, size: 4}\n"
    write(tmp_path / "c.yml", text)
    found = setting_files.read("--config", str(tmp_path / "c.yml"))
    assert found == {"step.size": 3, "other.size": 4}


def test_an_older_name_and_its_new_one_are_the_same_setting(tmp_path, capsys):
    selfplay = {"reuse_subtree": True, "reuse": False}
    option = write(tmp_path / "c.json", {"game": "onitama", "selfplay": selfplay})
    assert "selfplay.reuse is given twice" in runs.message(alphazero.main, [option], capsys)


def test_a_file_that_cannot_be_read_is_named(tmp_path, capsys):
    missing = f"--config={tmp_path / 'none.json'}"
    assert "cannot read" in runs.message(main, ["--game=nim", missing], capsys)
    pytest.importorskip("yaml")
    option = write(tmp_path / "c.yml", "a: [1")
    assert "no YAML" in runs.message(main, ["--game=nim", option], capsys)


def test_groups_may_be_written_with_a_dot():
    config = counting_program.preset("nim", "cpu")
    nested, dotted = {"step": {"size": 5}}, {"step.size": 5}
    assert setting_files.flatten(nested) == dotted
    assert setting_files.changed(config, dotted, "here").step.size == 5
