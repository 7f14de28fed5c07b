import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from agents import command_line
from jaxgames.internal import compilation_cache
from tests.locations import CHECKOUT


@pytest.fixture
def caches(monkeypatch):
    """Returns the folders that were chosen for the compilation cache."""
    chosen = []
    monkeypatch.setattr(compilation_cache, "enable", chosen.append)
    return chosen


@pytest.mark.parametrize(
    "plugin", [["--plugin=tests.points_nim"], ["--plugin", "tests.points_nim"]]
)
def test_common_options_are_applied_and_taken_away(caches, plugin):
    arguments = ["--game=onitama", *plugin, "--agents", "random", "--compilation-cache=off"]
    assert command_line.begin(arguments) == ["--game=onitama", "--agents", "random"]
    assert caches == ["off"]


def test_without_common_options_nothing_changes(caches):
    assert command_line.begin(["replay", "games.jsonl"]) == ["replay", "games.jsonl"]
    assert caches == [None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plugin=nowhere"], "--plugin: cannot import 'nowhere'"),
        (["--plugin=tests.nowhere.more"], "--plugin: cannot import 'tests.nowhere.more'"),
        (["--plugin"], "--plugin needs a value"),
        (["--compilation-cache"], "--compilation-cache needs a value"),
    ],
)
@pytest.mark.usefixtures("caches")
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        command_line.begin(arguments)
    with pytest.raises(SystemExit, match="2"):
        command_line.begin_or_exit("program", arguments)


@pytest.mark.usefixtures("caches")
def test_several_plugins_are_imported_in_order(monkeypatch):
    imported = []
    monkeypatch.setattr(command_line.importlib, "import_module", imported.append)
    command_line.begin(["--plugin=first", "--plugin", "second"])
    assert imported == ["first", "second"]


def test_plugins_are_known_for_another_process():
    arguments = [
        "--game=onitama",
        "--plugin=first",
        "--compilation-cache=off",
        "--plugin",
        "second",
    ]
    assert command_line.plugins_of(arguments) == ["first", "second"]


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (OSError(28, "No space left on device", "out"), 1, "No space left on device: 'out'\n"),
    ],
)
def test_what_happens_to_any_program_ends_it_with_a_line(capsys, error, status, line):
    def main():
        raise error

    with pytest.raises(SystemExit) as exit_:
        command_line.run(main)
    assert exit_.value.code == status
    assert capsys.readouterr().err.endswith(line)


@pytest.mark.parametrize("status", [None, 0, 1, 2])
def test_status_of_a_program_is_that_of_its_process(status):
    with pytest.raises(SystemExit) as exit_:
        command_line.run(lambda: status)
    assert exit_.value.code == status


def test_mistakes_of_the_program_keep_their_traceback():
    def main():
        raise TypeError("a mistake")

    with pytest.raises(TypeError, match="a mistake"):
        command_line.run(main)


COMMANDS = sorted(
    ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__main__")
    for folder in ("agents", "benchmarks", "papers", "train")
    for path in (CHECKOUT / folder).rglob("*.py")
    if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_run_by_the_function_for_all(command):
    path = pathlib.Path(importlib.util.find_spec(command).origin)
    path = path.with_name("__main__.py") if path.name == "__init__.py" else path
    source = path.read_text(encoding="utf-8")
    in_frame = f'if __name__ == "__main__":\n    commands.run("{path.stem}")\n'
    assert in_frame in source or source.endswith(
        'if __name__ == "__main__":\n    command_line.run(main)\n'
    )


def start(*command, **options):
    return subprocess.Popen(
        [sys.executable, *command], cwd=CHECKOUT, stderr=subprocess.PIPE, text=True, **options
    )


@pytest.mark.parametrize("command", ["agents.arena", "train.alphazero", "benchmarks.throughput"])
def test_help_into_a_closed_pipe_ends_quietly(command):
    reading, writing = os.pipe()
    process = start("-m", command, "--help", stdout=writing)
    os.close(writing)
    os.close(reading)
    assert process.communicate(timeout=120)[1] == ""
    assert process.returncode in (0, 1, command_line.CLOSED_PIPE_STATUS)  # argparse, rich, ours


WAIT = """
import pathlib, signal, sys, time
from agents import command_line
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite under nohup ignores it
def main():
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(600)
command_line.run(main)
"""


COLLECTING = """
import gc, signal, sys, time
from agents import command_line
signal.signal(signal.SIGINT, signal.default_int_handler)
raised = []
def callback(phase, info):  # JAX has such a one
    if not raised:
        raised.append(phase)
        signal.raise_signal(signal.SIGINT)
def main():
    gc.callbacks.append(callback)
    gc.collect()
    time.sleep(60)
command_line.run(main)
"""


def test_ctrl_c_that_meets_the_garbage_collector_is_not_lost():
    process = start("-c", COLLECTING)
    assert process.communicate(timeout=50)[1] == "interrupted\n"
    assert process.returncode == 130


def test_ctrl_c_ends_a_program_with_a_line(tmp_path):
    process = start("-c", WAIT, str(tmp_path / "started"))
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=120)[1] == "interrupted\n"
    assert process.returncode == 130


FAKES = {
    # Imported by the module of the command itself.
    "tyro": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(600)\n",
    # Imported within `main`; modules in C turn the interrupt into another error.
    "jax": (
        "import os, signal, time\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(600)\n"
        "except KeyboardInterrupt:\n    raise ImportError('while initializing') from None\n"
    ),
}
HEED = (
    "import runpy, signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "sys.argv = ['-m', *sys.argv[2:]]\n"
    "runpy.run_module({module!r}, run_name='__main__', alter_sys=True)\n"
)


@pytest.mark.parametrize("module", sorted(FAKES))
def test_ctrl_c_while_starting_ends_with_a_line(tmp_path, module):
    (tmp_path / f"{module}.py").write_text(FAKES[module])
    path = os.pathsep.join([str(tmp_path), str(CHECKOUT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", HEED.format(module="train.alphazero"), "-m", "--game=onitama"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize(
    "command", ["agents.arena", "papers.murus_gallicus.evolution", "benchmarks.golden"]
)
def test_closed_outputs_end_no_program(command):
    done = subprocess.run(
        ["sh", "-c", f"exec '{sys.executable}' -m {command} --help >&-"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_default_cache_that_cannot_be_written_is_left_out(monkeypatch, tmp_path, capsys):
    for name in (compilation_cache.VARIABLE, "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "file").touch()
    monkeypatch.setattr(compilation_cache, "default_folder", lambda: tmp_path / "file" / "cache")
    assert compilation_cache.enable() is None
    assert "compiled programs are not kept" in capsys.readouterr().err
    with pytest.raises(ValueError, match="cannot write to"):
        compilation_cache.enable(str(tmp_path / "file" / "cache"))
