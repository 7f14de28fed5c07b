"""The command `jaxgames` from a checkout; `tests/test_wheel.py` runs it from a wheel."""

import importlib
import os
import subprocess
import sys

import pytest

import jaxgames
from jaxgames import __main__ as command
from jaxgames.internal import programs
from tests.locations import CHECKOUT


@pytest.mark.parametrize(
    ("line", "program", "options"),
    [
        ("play", "play", []),
        ("play onitama", "play", ["--game=onitama"]),
        ("play onitama-v1 --port=0", "play", ["--game=onitama-v1", "--port=0"]),
        ("play --game=tribes", "play", ["--game=tribes"]),
        ("arena onitama --agents a b", "arena", ["--game=onitama", "--agents", "a", "b"]),
        ("arena replay games.jsonl", "arena", ["replay", "games.jsonl"]),
        ("analyse onitama", "analyse", ["--game=onitama"]),
        ("analyse games.jsonl --top=3", "analyse", ["--file=games.jsonl", "--top=3"]),
        ("analyse games/one", "analyse", ["--file=games/one"]),
        ("warm onitama tribes", "warm", ["--games", "onitama", "tribes"]),
        ("warm", "warm", []),
        ("export onitama --format=onnx", "export", ["onitama", "--format=onnx"]),
        ("train onitama", "train", ["--game=onitama"]),
        ("train alphazero onitama", "train", ["--game=onitama"]),
        ("train muzero onitama --seed=1", "train muzero", ["--game=onitama", "--seed=1"]),
        ("train afterstates --help", "train afterstates", ["--help"]),
    ],
)
def test_a_command_line_names_a_program_and_its_options(line, program, options):
    assert command.program_of(line.split()) == (program, options)


def test_the_work_of_a_program_needs_the_extra_of_the_program():
    assert programs.extra("agents.mcp.server") == "mcp"
    assert programs.extra("agents.arena.program") == programs.extra("papers.any") == "play"


def test_every_program_is_there():
    for program in programs.PROGRAMS.values():
        assert callable(importlib.import_module(program.module).main)


def run(*words, folder=CHECKOUT):
    return subprocess.run(
        [sys.executable, "-m", "jaxgames", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
    )


def test_alone_it_lists_commands_and_games_without_jax():
    code = (
        "import sys\nfrom jaxgames import __main__ as command\nsys.argv[1:] = []\n"
        "try: command.main()\nfinally: print('jax' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "False")
    assert "  jaxgames train [alphazero|muzero|afterstates] GAME  " in done.stdout
    assert f"\n  terra_mystica   {jaxgames.summaries()['terra_mystica']}" in done.stdout
    assert done.stdout.startswith(run("--help").stdout)


def test_mistakes_and_versions_are_answered_in_a_line(tmp_path):
    done = run("plai", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("jaxgames: unknown command 'plai'; available: play, arena,")
    assert run("version").stdout.startswith(f"jaxgames {jaxgames.__version__} (jax ")


def test_a_program_runs_in_any_folder(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("raise RuntimeError('another package')")
    done = run("arena", "onitama", "--agents", "random", folder=tmp_path)
    assert done.returncode == 2
    assert "agents: a tournament needs at least two" in done.stderr


def test_a_missing_package_is_named_with_its_extra(tmp_path):
    (tmp_path / "tyro.py").write_text("raise ModuleNotFoundError('no tyro', name='tyro')")
    for words, extra in (("play",), "play"), (("train", "onitama"), "train"):
        done = run(*words, folder=tmp_path)
        name = words[0]
        assert (done.returncode, done.stderr) == (
            2,
            f"jaxgames {name} needs the package tyro: pip install 'jaxgames[{extra}]'\n",
        )
