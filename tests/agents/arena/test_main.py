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
        (["random", "first_legal", f"--plot={'x' * 250}.png"], "xx.png: File name too long"),
        (["random", "first_legal", f"--output={'x' * 250}"], "xx: File name too long"),
        (["random", "mcts:simulations=99999999"], "simulations must be at most 16777216"),
        (
            ["random", "first_legal", "--games=6", "--cpu-devices=2"],
            "cpu_devices must divide the 3 groups of games that start alike, got 2; nearest: 1",
        ),
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
        ["random", "first_legal", "--games=99999999998"],
        ["random", "first_legal", "--games=many"],
        ["random", "first_legal", "--anchor=minimax"],
        ["random", "first_legal", "--seed=-1"],
        ["random", "first_legal", "--k-factor=0"],
        ["random", "first_legal", "--save-games=games.jsonl"],
    ],
)
def test_bad_options_end_with_exit_code_2(monkeypatch, capsys, arguments):
    with pytest.raises(SystemExit) as end:
        call(monkeypatch, "--agents", *arguments)
    assert end.value.code == 2
    assert "error" in (lambda streams: streams.out + streams.err)(capsys.readouterr()).lower()


def test_an_unknown_format_is_answered_with_the_known_ones(monkeypatch, capsys):
    with pytest.raises(SystemExit) as end:
        call(monkeypatch, "--agents", "random", "first_legal", "--format=swiss")
    assert end.value.code == 2
    error = capsys.readouterr().err
    for text in ("swiss", "round_robin", "gauntlet", "knockout"):
        assert text in error


def test_a_knockout_prints_its_tables_and_writes_files_that_replay(monkeypatch, capsys, tmp_path):
    results, picture = tmp_path / "results.json", tmp_path / "scores.png"
    games, drawing = tmp_path / "games.jsonl", tmp_path / "scores.svg"
    options = [
        "--format=knockout",
        "--games=8",
        f"--output={results}",
        f"--save-games={games}",
        "--opening-plies=4",
        *("--plot", str(picture), str(drawing)),
        "--env-options=max_plies=60",
    ]
    assert call(monkeypatch, "--agents", "first_legal", "random", *options) == 0
    text = capsys.readouterr().out
    assert "first_legal v random" in text
    assert "Knock-out, 8 games a pairing" in text
    assert "better seed" in text
    assert results.exists()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in drawing.read_text()

    monkeypatch.setattr(sys, "argv", ["arena", "replay", str(games), "--show=2"])
    assert program.main() == 0
    text = capsys.readouterr().out
    assert text.startswith("random v first_legal\n")
    assert "8 games of onitama-v1: moves, results and final positions agree" in text
    monkeypatch.setattr(sys, "argv", ["arena", "replay", str(games), "--show=9"])
    assert program.main() == 2
    assert "show must be from 1 to 8, got 9" in capsys.readouterr().err


def test_replay_of_a_missing_file_ends_with_exit_code_2(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["arena", "replay", str(tmp_path / "none.jsonl")])
    assert program.main() == 2
    assert "there is no file" in capsys.readouterr().err
