import subprocess
import sys

import pytest

from agents.arena import __main__ as program

HELP_WITHOUT_JAX = """
import sys
from agents.arena.__main__ import main
sys.argv = ["arena", "--help"]
try:
    main()
except SystemExit as end:
    assert end.code == 0
assert "jax" not in sys.modules, "the help text waits for jax"
"""


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["arena", *arguments])
    return program.main()


def test_help_explains_the_options_without_importing_jax():
    done = subprocess.run(
        [sys.executable, "-c", HELP_WITHOUT_JAX], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for option in ("--agents", "--games", "--output", "--plot", "--anchor", "--seed"):
        assert option in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "minmax"], "unknown agent 'minmax'"),
        (["random", "minimax:dept=2"], "unknown field 'dept'"),
        (["random", "first_legal", "--game=onitma"], "did you mean 'onitama'"),
        (["random", "first_legal", "--env-options=dek=all"], "unknown field 'dek'"),
        (["random", "first_legal", "--plot=scores.txt"], "plot must end in"),
        (["random", "first_legal", "--plot=/no/such/dir/x.png"], "there is no directory"),
        (["random", "first_legal", "--opening-plies=200"], "opening_plies must be from 0 to 199"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_a_reason(monkeypatch, capsys, arguments, message):
    assert call(monkeypatch, "--agents", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["random"],
        ["random", "random"],
        ["random", "first_legal", "--games=3"],
        ["random", "first_legal", "--games=many"],
        ["random", "first_legal", "--anchor=minimax"],
        ["random", "first_legal", "--seed=-1"],
    ],
)
def test_bad_options_end_with_exit_code_2(monkeypatch, capsys, arguments):
    with pytest.raises(SystemExit) as end:
        call(monkeypatch, "--agents", *arguments)
    assert end.value.code == 2
    assert "error" in (lambda streams: streams.out + streams.err)(capsys.readouterr()).lower()


def test_a_run_prints_the_table_and_writes_both_files(monkeypatch, capsys, tmp_path):
    results, picture = tmp_path / "results.json", tmp_path / "scores.png"
    options = [
        "--games=20",
        f"--output={results}",
        f"--plot={picture}",
        "--env-options=max_plies=60",
    ]
    assert call(monkeypatch, "--agents", "first_legal", "minimax:depth=1", *options) == 0
    text = capsys.readouterr().out
    assert "first_legal v minimax:depth=1" in text
    assert "20 games a pairing" in text
    assert results.exists()
    assert picture.read_bytes().startswith(b"\x89PNG")
