"""Sweeps: every combination, mistakes, a kill, side by side, Slurm, and what comes out."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from tests.locations import CHECKOUT
from tests.train import counting_program, runs
from train import run_record, sweep, sweep_plan

PROGRAM = "tests.train.counting_program"
FOUR = {"step.size": [1, 2], "seed": [0, 1], "max_minutes": 60}
COUNTS = [[1, 2, 3], [2, 4, 6], [2, 4, 6], [3, 6, 9]]
NAMES = ("step.size=1,seed=0", "step.size=1,seed=1", "step.size=2,seed=0", "step.size=2,seed=1")


def planned(folder, content, *options: str) -> sweep_plan.Sweep:
    path = folder / "grid.json"
    path.write_text(json.dumps(content))
    options = ("--game=nim", *options)
    return sweep_plan.plan(counting_program.COMMAND, options, str(path), str(folder / "sweep"))


def options_of(folder, content=FOUR) -> list[str]:
    (folder / "grid.json").write_text(json.dumps(content))
    return ["--game=nim", f"--sweep={folder / 'grid.json'}", f"--run-dir={folder / 'sweep'}"]


def sessions(folder) -> list[dict]:
    return json.loads((folder / "record.json").read_text())["sessions"]


def counts(folder) -> list[float]:
    return [row["learner/count"] for row in runs.read(folder) if "learner/count" in row]


def test_a_run_for_each_combination_with_seeds_in_one_group(tmp_path):
    found = planned(tmp_path, FOUR, "--iterations=5")
    assert tuple(run.name for run in found.runs) == NAMES
    assert [run.group for run in found.runs] == ["step.size=1"] * 2 + ["step.size=2"] * 2
    assert [(run.config.step.size, run.config.seed) for run in found.runs] == [
        (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip
    assert {run.config.iterations for run in found.runs} == {5}
    assert found.runs[3].config.directory == str(tmp_path / "sweep" / NAMES[3])
    assert not (tmp_path / "sweep").exists()


def test_a_list_of_lists_tries_settings_that_are_lists_and_names_stay_different(tmp_path):
    found = planned(tmp_path, {"step": {"rates": [[0.5], [0.5, 1.0]]}})
    assert [run.config.step.rates for run in found.runs] == [(0.5,), (0.5, 1.0)]
    assert len({run.name for run in found.runs}) == 2
    assert all("/" not in run.name and " " not in run.name for run in found.runs)


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ({"sed": [0, 1]}, "", "unknown setting 'sed'; did you mean 'seed'?"),
        ({"seed": [0, -1]}, "", "seed must be from 0"),
        ({"seed": []}, "", "lists no value of seed"),
        ({"seed": [0, 0]}, "", "lists seed=0 twice"),
        ({"seed": [0, 1]}, "--seed=3", "both set seed; keep one"),
        ({"step.is_fast": [True]}, "--step.no-is-fast", "both set step.is_fast; keep one"),
        ({"step.rates": [0.5]}, "", "step.rates must be a list, got 0.5"),
        ({"run_dir": "x"}, "", "chooses a run_dir for each run"),
        ({"seed": [0]}, "--jobs=0", "jobs must be at least 1, got 0"),
        ({"seed": [0]}, "--step.sise=1", "--step.size"),
    ],
)
def test_mistakes_end_with_status_2_and_make_no_folder(content, options, words, tmp_path, capsys):
    arguments = [*options_of(tmp_path, content), *options.split()]
    assert words in runs.message(counting_program.main, arguments, capsys)
    assert not (tmp_path / "sweep").exists()


def test_a_sweep_that_is_killed_goes_on_and_loses_nothing(tmp_path):
    arguments = [sys.executable, "-m", PROGRAM, *options_of(tmp_path)]
    place = {"cwd": CHECKOUT, "capture_output": True, "text": True}
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    kill = environment | {counting_program.KILL_AT: f"{NAMES[1]}:2"}
    killed = subprocess.run(arguments, env=kill, **place)
    assert killed.returncode == -signal.SIGKILL
    folders = [tmp_path / "sweep" / name for name in NAMES]
    assert [folder.exists() for folder in folders] == [True, True, False, False]
    assert len(counts(folders[1])) == 2

    done = subprocess.run(arguments, env=environment, **place)
    assert done.returncode == 0, done.stderr
    assert "sweep: 1 of 4 runs are finished" in done.stderr
    assert [len(sessions(folder)) for folder in folders] == [1, 2, 1, 1]
    assert [counts(folder) for folder in folders] == COUNTS
    assert "| step.size=1 | 2 of 2 | 3 | 4.5 ± 2.1 % |" in done.stdout
    assert "| step.size=2 | 2 of 2 | 3 | 7.5 ± 2.1 % |" in done.stdout
    assert (tmp_path / "sweep" / "table.md").read_text() in done.stdout
    assert (tmp_path / "sweep" / "curves.png").read_bytes().startswith(b"\x89PNG")

    again = subprocess.run(arguments, env=environment, **place)
    assert again.returncode == 0 and done.stdout.endswith(again.stdout)
    assert "begins" not in again.stderr
    assert [len(sessions(folder)) for folder in folders] == [1, 2, 1, 1]


@pytest.mark.slow
def test_side_by_side_a_run_that_fails_stops_no_other(tmp_path):
    options = options_of(tmp_path, {"seed": [0, 1, 2]})
    (tmp_path / "sweep" / "seed=1").mkdir(parents=True)
    (tmp_path / "sweep" / "seed=1" / "thesis.txt").write_text("precious")
    output = runs.run(PROGRAM, [*options, "--jobs=2"], status=1)
    assert "sweep: seed=1 FAILED with status 2" in output
    assert "| run | 2 of 3 | 3 |" in output
    assert "holds no run" in (tmp_path / "sweep" / "seed=1.log").read_text()
    assert runs.run(PROGRAM, [*options, "--iterations=4"], status=1).count("begins") == 3
    assert counts(tmp_path / "sweep" / "seed=2") == [3, 6, 9, 12]


@pytest.mark.slow
def test_the_program_for_ray_trains_every_run_as_the_sweep_does(tmp_path):
    """The one on the page, with another program to train, on a cluster of two processes."""
    pytest.importorskip("ray", reason="ray is not installed")
    (code,) = re.findall(r"```python\n(.*?)```", (CHECKOUT / "docs/sweeps.md").read_text(), re.S)
    for old, new in (
        ('"train.alphazero", "--game=onitama"', f'"{PROGRAM}", "--game=nim"'),
        ("runs/sweep-grid", str(tmp_path / "sweep")),
        ("ray.init()", "ray.init(num_cpus=2, include_dashboard=False)"),
    ):
        assert code.count(old) == 1
        code = code.replace(old, new)
    runs.run(PROGRAM, [*options_of(tmp_path), "--slurm"])
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-c", code]
    printed = subprocess.check_output(command, text=True, cwd=CHECKOUT, env=environment)
    assert "[0, 0, 0, 0]" in printed.splitlines()  # lines of tasks may come after it
    output = runs.run(PROGRAM, options_of(tmp_path))
    assert "sweep: 4 of 4 runs are finished" in output and "begins" not in output
    folders = [tmp_path / "sweep" / name for name in NAMES]
    assert [counts(folder) for folder in folders] == COUNTS


def test_a_run_on_which_another_process_works_is_left_to_it(tmp_path):
    found = planned(tmp_path, {"seed": [0]})
    folder = tmp_path / "sweep" / "seed=0"
    folder.mkdir(parents=True)
    assert not run_record.is_locked(str(folder))
    held = run_record.lock(folder)
    assert run_record.is_locked(str(folder))
    runner = sweep._Runner(found, ["false"], [None])
    runner._start()
    assert not runner._active and len(runner._waiting) == 1
    held.release()
    assert not run_record.is_locked(str(folder))


def test_processes_share_the_gpus(monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,6")
    assert sweep._shares(1) == [None]
    assert sweep._shares(2) == ["4,6", "5"]
    with pytest.raises(ValueError, match="jobs must be at most 3, one for each GPU, got 4"):
        sweep._shares(4)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    assert sweep._shares(4) == [None] * 4


def test_an_array_job_has_a_task_for_each_run(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        counting_program.main([*options_of(tmp_path), "--iterations=2", "--slurm"])
    assert stop.value.code == 0
    script = capsys.readouterr().out
    assert "#SBATCH --array=0-3\n" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    # The command of a task, read by the shell that would run it.
    shown = script.replace("exec ", "printf '%s\\n' ")
    task = {**os.environ, "SLURM_ARRAY_TASK_ID": "2"}
    words = subprocess.check_output(["bash"], input=shown, text=True, env=task).splitlines()
    assert words[:3] == [sys.executable, "-m", PROGRAM]
    config = counting_program.parse(words[3:])
    assert (config.step.size, config.seed, config.iterations) == (2, 0, 2)
    assert config.directory == str(tmp_path / "sweep" / NAMES[2])


@pytest.mark.parametrize("name", ["my sweep", "50% off", "it's", 'a "b" c', "a #1", "plain"])
def test_a_folder_of_any_name_reaches_sbatch_and_the_program(name, tmp_path):
    found = planned(tmp_path, {"seed": [0, 1]})._replace(folder=tmp_path / name)
    script = sweep.slurm_script(found, ["train"])
    directives = re.findall(r"^#SBATCH (.*)$", script, re.M)
    options = dict(shlex.split(line, comments=True)[0].partition("=")[::2] for line in directives)
    assert options["--job-name"] == name
    patterns = {"%%": "%", "%a": "1"}
    logs = re.sub(r"%.", lambda pattern: patterns[pattern.group()], options["--output"])
    assert logs == str(tmp_path / name / "1.log")
    shown = script.replace("exec train", "printf '%s\\n'")
    task = {**os.environ, "SLURM_ARRAY_TASK_ID": "1"}
    words = subprocess.check_output(["bash"], input=shown, text=True, env=task).splitlines()
    assert words[1] == f"--run-dir={tmp_path / name / 'seed=1'}"


def test_a_folder_that_sbatch_cannot_be_told_is_refused_before_it_is_made(tmp_path, capsys):
    arguments = [*options_of(tmp_path)[:2], f"--run-dir={tmp_path}/a\\b", "--slurm"]
    assert "choose another --run-dir" in runs.message(counting_program.main, arguments, capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["grid.json"]
