"""Every record of the project says which program it measured."""

import functools
import json
import pathlib
import shlex
import subprocess
import sys

import pytest

from benchmarks import environment, measuring

REVISION_PROBLEM = environment.revision_problem  # the suite replaces it, see conftest.py
RECORDS = sorted(environment.RESULTS.rglob("*.json"))


def name_of(record: pathlib.Path) -> str:
    return record.relative_to(environment.RESULTS).as_posix()


def environment_of(record: pathlib.Path) -> dict:
    content = json.loads(record.read_text())
    return content.get("environment", {}) if isinstance(content, dict) else {}


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_records_are_of_a_clean_commit_of_the_history_or_say_why_not(record):
    entries = environment_of(record)
    if "revision" not in entries:
        assert record.stem.endswith("games"), "a record without its environment"
        return
    if "historical" in entries:
        assert record.parent.name != "speed", "speed is measured anew in minutes"
        page = record.with_suffix(".md").read_text()
        assert f"- historical: {entries['historical']}" in page
        return
    assert entries["revision"].isalnum(), "files differed from the commit"
    assert entries["revision"] != "unknown"
    if environment.is_shallow():
        pytest.skip("a shallow clone does not hold old commits")
    assert environment.is_in_history(entries["revision"]), entries["revision"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small checkout with one commit, in the place of the project's."""
    results = tmp_path / "benchmarks" / "results"
    results.mkdir(parents=True)
    (tmp_path / "program.py").write_text("one")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    monkeypatch.setattr(environment, "CHECKOUT", tmp_path)
    monkeypatch.setattr(environment, "RESULTS", results)
    monkeypatch.setattr(environment, "revision_problem", REVISION_PROBLEM)
    monkeypatch.setattr(environment, "revision_at_start", functools.cache(environment.git_revision))
    return tmp_path


def parse(*arguments: str):
    parser = measuring.Parser("benchmarks.some", "Measures something.")
    parser.add_argument("--game", default="nim")
    measuring.add_output(parser, "speed/some_{game}")
    return parser.parse(arguments)


def test_a_record_of_the_project_names_the_clean_commit_that_was_started(checkout):
    assert parse().output == environment.RESULTS / "speed" / "some_nim.md"
    assert parse("--game=go").output == environment.RESULTS / "speed" / "some_go.md"
    (environment.RESULTS / "x.md").write_text("a record")  # results are not part of the program
    assert environment.revision_problem() is None
    started = environment.git_revision()
    assert environment.is_in_history(started)
    (checkout / "program.py").write_text("two")
    assert environment.record()["revision"] == started != environment.git_revision()


def test_a_revision_of_another_branch_or_of_nobody_is_not_in_the_history(checkout):
    git = ["git", "-C", str(checkout), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "checkout", "-q", "--detach"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "elsewhere"], check=True)
    elsewhere = environment.git_revision()
    assert environment.is_in_history(elsewhere)
    subprocess.run([*git, "checkout", "-q", "-"], check=True)
    assert not environment.is_in_history(elsewhere)
    assert not environment.is_in_history("0123abc")


def test_changed_files_are_measured_elsewhere_or_with_a_mark_only(checkout, capsys):
    (checkout / "program.py").write_text("two")
    with pytest.raises(SystemExit) as stop:
        parse()
    assert stop.value.code == 2
    assert "files differ from the commit" in capsys.readouterr().err
    assert not environment.is_in_history(environment.git_revision())
    assert not parse(f"--output={checkout / 'x.md'}").allow_dirty
    assert parse("--allow-dirty").allow_dirty
    record = environment.record()
    assert record["revision"].endswith("+")
    line = f"- revision: {record['revision']} (with changes that are not committed)"
    assert line in environment.markdown(record)


def test_the_command_of_a_record_can_be_given_to_a_shell(monkeypatch):
    program = str(environment.CHECKOUT / "benchmarks" / "ahead_of_time" / "__main__.py")
    arguments = ["--programs", "random play, lean", "--env-options=factions=engineers,halflings"]
    monkeypatch.setattr(sys, "argv", [program, *arguments])
    written = environment.command()
    assert shlex.split(written) == ["python", "-m", "benchmarks.ahead_of_time", *arguments]
    assert written.endswith("'random play, lean' --env-options=factions=engineers,halflings")
