"""The command: what it checks first, what it keeps, and what it does when a worker dies."""

import json
import pathlib
import sys

import pytest

from benchmarks import environment
from benchmarks.ahead_of_time import __main__ as command
from benchmarks.ahead_of_time import kept, targets, worker
from configs import presets
from tests.benchmarks.ahead_of_time.results import compiled
from tests.locations import CHECKOUT

REFUSED = {"error": "XlaError: too large"}
RECORD = {
    "command": "x",
    "revision": "1a2b3c4",
    "device": "1 x cpu (cpu)",
    "cpu": "some cpu",
    "python": "3.11",
    "versions": {"jax": "1", "jaxlib": "1"},
}


class Bench:
    """The command with a worker that compiles nothing."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.fails: list[str] = []  # programs that the compiler refuses
        self.ends: dict[str, int] = {}  # programs at which the worker ends, with its status
        self.calls: list[tuple[dict[str, str], list[str]]] = []  # options and programs of workers

    def run(self, *arguments: str) -> int:
        """Returns the exit status of the command for two programs of Onitama on an H100."""
        self.calls = []
        chosen = ["--target=h100", "--game=onitama", "--programs", "init", "step"]
        places = [f"--kept={self.folder / 'kept'}", f"--output={self.folder / 'report.md'}"]
        return command.main([*chosen, *places, *arguments])

    def work(self, line: list[str]) -> int:
        """Writes the results of the programs of a worker's command line and returns its status."""
        words = line[len(command.WORKER) :]
        options = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
        programs = [word for word in words if not word.startswith("--")]
        self.calls.append((options, programs))
        case = options["target"], options["game"], options["preset"], int(options["batch"])
        for program in programs:
            if program in self.ends:
                return self.ends[program]
            found = REFUSED if program in self.fails else compiled()
            kept.write(pathlib.Path(options["folder"]) / kept.file_name(*case, program), found)
        return 0

    @property
    def compiled(self) -> list[list[str]]:
        """The programs of each worker of the last run."""
        return [programs for _, programs in self.calls]

    @property
    def found(self) -> dict:
        """What the report says about each program."""
        rows = json.loads((self.folder / "report.json").read_text())["rows"]
        return {row["program"]: row["found"] for row in rows}


@pytest.fixture
def record(monkeypatch):
    """Returns the record of a machine, which tests may change; no process is asked for it."""
    found = dict(RECORD)
    monkeypatch.setattr(command, "record_of_machine", lambda: found)
    monkeypatch.setattr(command, "ask", lambda target: "")
    monkeypatch.setattr(environment, "revision_problem", lambda: None)
    return found


@pytest.fixture
def bench(tmp_path, monkeypatch, record):
    made = Bench(tmp_path)
    monkeypatch.setattr(command, "run_worker", made.work)
    return made


def test_what_is_kept_is_not_compiled_again(bench):
    assert bench.run() == 0
    assert bench.compiled == [["init", "step"]]
    assert bench.run() == 0
    assert bench.compiled == []
    assert bench.found == {"init": compiled(), "step": compiled()}


def test_another_batch_of_random_play_changes_no_program_of_a_training(bench):
    bench.run("--batch=8", "--programs", "step", "learning")
    bench.run("--batch=16", "--programs", "step", "learning")
    assert bench.compiled == [["step"]]


@pytest.mark.parametrize(
    "changes",
    [
        {"revision": "5d6e7f8"},
        {"versions": {"jax": "1", "jaxlib": "2"}},
        {"python": "3.12"},
        {},  # other flags
    ],
)
def test_another_program_or_compiler_compiles_again(bench, record, changes, monkeypatch):
    bench.run()
    record.update(changes)
    if not changes:
        monkeypatch.setenv("XLA_FLAGS", "--xla_something=1")
    bench.run()
    assert bench.compiled == [["init", "step"]]


def test_the_device_counts_only_where_programs_run(bench, record):
    bench.run("--target", "h100", "here")
    record["device"] = "1 x NVIDIA H200 (gpu)"
    bench.run("--target", "h100", "here")
    assert [options["target"] for options, _ in bench.calls] == ["here"]


@pytest.mark.parametrize(
    ("plugin", "problem", "reason"),
    [
        ((), "files differ", "no result is kept for another call: files differ"),
        (("--plugin=json",), None, "the plugin json is not part of the checkout"),
    ],
)
def test_nothing_is_used_again_if_nothing_names_the_code(
    bench, monkeypatch, capsys, plugin, problem, reason
):
    bench.run()
    monkeypatch.setattr(environment, "revision_problem", lambda: problem)
    for _ in range(2):
        assert bench.run(*plugin) == 0
        assert bench.compiled == [["init", "step"]]
    assert reason in capsys.readouterr().err


def test_plugins_reach_the_worker_and_the_key(bench):
    bench.run()
    bench.run("--plugin=tests.points_nim")
    ((options, programs),) = bench.calls
    assert options["plugin"] == "tests.points_nim"
    assert programs == ["init", "step"]


def test_errors_are_tried_again_and_give_status_1(bench):
    bench.fails = ["step"]
    assert bench.run() == 1
    assert bench.found == {"init": compiled(), "step": REFUSED}
    bench.ends = {"step": -9}
    bench.run()
    assert bench.found["step"] == {"error": "the compiler ended with signal 9 (Killed)"}
    bench.fails, bench.ends = [], {}
    assert bench.run() == 0
    assert bench.compiled == [["step"]]


@pytest.mark.parametrize(("status", "end"), [(-6, "signal 6 (Aborted)"), (3, "exit status 3")])
def test_a_worker_that_dies_costs_one_program(bench, status, end):
    bench.ends = {"init": status}
    assert bench.run() == 1
    assert bench.compiled == [["init", "step"], ["step"]]
    assert bench.found["init"] == {"error": f"the compiler ended with {end}"}
    assert bench.found["step"] == compiled()
    assert "1 of 2 programs compile" in (bench.folder / "report.md").read_text()


def test_a_signal_is_a_negative_status():
    assert command.run_worker([sys.executable, "-c", "import os; os.abort()"]) == -6


@pytest.mark.parametrize("content", ['{"compile_seconds": 1', "[]", "{}", '{"error": 1}', "\xff"])
def test_damaged_files_are_compiled_again(bench, capsys, content):
    bench.run()
    (path,) = (bench.folder / "kept").rglob("*-step.json")
    path.write_bytes(content.encode("latin-1"))
    assert bench.run() == 0
    assert bench.compiled == [["step"]]
    assert bench.found["step"] == compiled()
    assert f"{path} is damaged and not used\n" in capsys.readouterr().err


def test_by_default_all_games_with_a_preset_are_compiled(bench):
    arguments = ["--target=h100", "--programs=init", f"--output={bench.folder / 'all.md'}"]
    assert command.main([*arguments, f"--kept={bench.folder / 'kept'}"]) == 0
    games = [options["game"] for options, _ in bench.calls]
    assert {"onitama", "murus_gallicus", "terra_mystica", "tribes"} <= set(games)
    assert sorted(games) == sorted(presets.games("alphazero"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "h10"], "did you mean 'h100'?"),
        (["--target", "h100", "v5e"], "cannot compile for v5e: no libtpu"),
        (["--programs", "steps"], "did you mean 'step'?"),
        (["--programs", "steps"], '"init", "step", "random play, lean", '),
        (["--game", "onitma"], "did you mean 'onitama'?"),
        (["--preset", "cpus"], "did you mean 'cpu'?"),
        (["--kept=pyproject.toml"], "is a file, expected a folder"),
        (["--kept=pyproject.toml/x"], "cannot make the folder"),
    ],
)
def test_mistakes_are_answered_before_anything_is_compiled(
    bench, capsys, monkeypatch, arguments, message
):
    def refuse(target):
        if target == "v5e":
            raise ValueError("cannot compile for v5e: no libtpu")

    monkeypatch.setattr(command, "ask", refuse)
    monkeypatch.chdir(CHECKOUT)
    with pytest.raises(SystemExit) as ended:
        bench.run(*arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert bench.calls == []


def test_help_quotes_the_names_of_programs(capsys):
    with pytest.raises(SystemExit):
        command.make_parser().parse_args(["--help"])
    assert '"random play, lean", "random play, full"' in " ".join(capsys.readouterr().out.split())


# What the process for a target does, and the message about the target.
ANSWERS = [
    ("print('no libtpu'); sys.exit(2)", "^no libtpu$"),
    (
        "print('no lock', file=sys.stderr, flush=True); os.abort()",
        r"the target v5e: .* signal 6 \(Aborted\); no lock",
    ),
]


@pytest.mark.parametrize(("code", "message"), ANSWERS)
def test_a_process_says_what_is_wrong_with_a_target(monkeypatch, code, message):
    monkeypatch.setattr(command, "WORKER", [sys.executable, "-c", f"import os, sys; {code}"])
    with pytest.raises(ValueError, match=message):
        command.ask("v5e")


def test_the_record_is_made_by_another_process(monkeypatch):
    code = """print('noise'); print('{"device": "1 x cpu (cpu)", "command": "worker"}')"""
    monkeypatch.setattr(command, "WORKER", [sys.executable, "-c", code])
    monkeypatch.delattr(environment, "record")  # which would start a backend
    assert command.record_of_machine() == {
        "device": "1 x cpu (cpu)",
        "command": environment.command(),
        "revision": environment.revision_at_start(),
    }


def test_the_process_prints_what_the_compiler_of_a_target_lacks(monkeypatch, capsys):
    def devices(target):
        raise ValueError(f"cannot compile for {target.name}:\nno plugin")

    monkeypatch.setattr(targets, "devices", devices)
    monkeypatch.setattr(targets, "set_environment", lambda target: None)
    assert worker.main(["--target=h100"]) == worker.PROBLEM_STATUS
    assert capsys.readouterr().out == "cannot compile for h100: no plugin\n"
