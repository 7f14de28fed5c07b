"""Mistakes on the command lines of all commands: exit status 2 and a reason, before any work."""

import importlib
import math
import pathlib
import re
import subprocess
import sys

import pytest

from configs.clock import ClockConfig
from configs.opening_book import BookConfig
from configs.play import PlayConfig

ARENA = "arena", "--agents", "random"
TWO = *ARENA, "first_legal"
ANALYSE = "analyse", "--agent=random"
CLOCK = "clock", "--players", "ms1"
BOOK = ("opening_book",)
LONG = "x" * 250


def call(monkeypatch, command, *arguments):
    """Returns the status with which a command ends."""
    monkeypatch.setattr(sys, "argv", [command, *arguments])
    try:
        return importlib.import_module(f"agents.{command}.__main__").main()
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*ARENA, "minmax"), "unknown agent 'minmax'"),
        ((*ARENA, "minimax:dept=2"), "unknown field 'dept'"),
        ((*TWO, "--game=onitma"), "did you mean 'onitama'"),
        ((*TWO, "--env-options=dek=all"), "unknown field 'dek'"),
        ((*TWO, "--plot=scores.txt"), "plot must end in"),
        ((*TWO, "--plot=/no/such/dir/x.png"), "there is no directory"),
        ((*TWO, f"--plot={LONG}.png"), "xx.png: File name too long"),
        ((*TWO, f"--output={LONG}"), "xx: File name too long"),
        ((*ARENA, "mcts:simulations=99999999"), "simulations must be at most 16777216"),
        (
            (*TWO, "--games=6", "--cpu-devices=2"),
            "cpu_devices must divide the 3 groups of games that start alike, got 2; nearest: 1",
        ),
        ((*TWO, "--opening-plies=200"), "opening_plies must be from 0 to 199"),
        (("arena", "replay", "/none.jsonl"), "there is no file"),
        (ARENA, "agents"),
        ((*ARENA, "random"), "random"),
        ((*TWO, "--games=3"), "games"),
        ((*TWO, "--games=99999999998"), "games"),
        ((*TWO, "--games=many"), "games"),
        ((*TWO, "--anchor=minimax"), "anchor"),
        ((*TWO, "--seed=-1"), "seed"),
        ((*TWO, "--k-factor=0"), "k_factor"),
        ((*TWO, "--save-games=games.jsonl"), "save_games"),
        ((*TWO, "--format=swiss"), "round_robin"),
        (("analyse", "--agent=minmax"), "unknown agent 'minmax'"),
        ((*ANALYSE, "--game=onitma"), "did you mean 'onitama'"),
        ((*ANALYSE, "--position=x"), "expected 4 fields"),
        ((*ANALYSE, "--game=tribes", "--moves", "end turn"), "name a position"),
        ((*ANALYSE, "--file=nowhere.jsonl"), "nowhere.jsonl"),
        ((*ANALYSE, "--file=game.pgn"), "unknown format of onitama '.pgn'; available: .jsonl"),
        ((*ANALYSE, "--json", "--file=x.jsonl"), "json"),
        ((*ANALYSE, "--json", "--top=0"), "top must be"),
        ((*ANALYSE, "--json", "--picture=x.pdf"), "picture must"),
        ((*ANALYSE, "--json", "--position=x"), "json"),
        ((*CLOCK, "ms5"), "unknown player with a clock 'ms5'"),
        ((*CLOCK, "ms2", "--game=onitama"), "ms1 plays murus_gallicus only"),
        ((*CLOCK, "ms2", "--output=no/where.json"), "there is no directory no"),
        ((*CLOCK, "ms2", "--output=/"), "output: / is a directory"),
        ((*BOOK, "--game=onitma", "--output=book.npz"), "unknown environment 'onitma'"),
        ((*BOOK, "--env-options=varant=basic", "--output=book.npz"), "unknown field 'varant'"),
        ((*BOOK, "--output=missing/book.npz"), "output: there is no directory missing"),
        ((*BOOK, f"--output={LONG}.npz"), "xx.npz: File name too long"),
    ],
)
def test_bad_input_ends_with_status_2_and_a_reason(monkeypatch, capsys, arguments, message):
    assert call(monkeypatch, *arguments) == 2
    streams = capsys.readouterr()
    assert message in re.sub(r"[\s│]+", " ", streams.out + streams.err)


@pytest.mark.parametrize(
    ("config", "options", "message"),
    [
        (ClockConfig, {"games": 0}, "games must be at least 2, got 0"),
        (ClockConfig, {"games": 3}, "games must be an even number, got 3"),
        (ClockConfig, {"games": 2**31}, "games must be at most 2147483647, got 2147483648"),
        (ClockConfig, {"opening_plies": -1}, "opening_plies must be at least 0, got -1"),
        (ClockConfig, {"seconds": math.inf}, "seconds must be more than 0 and finite, got inf"),
        (ClockConfig, {"scale": 0.0}, "scale must be more than 0 and finite, got 0.0"),
        (ClockConfig, {"scale": math.nan}, "scale must be more than 0 and finite, got nan"),
        (ClockConfig, {"seed": -1}, "seed must be from 0"),
        (BookConfig, {"moves": 0}, "moves must be at least 1, got 0"),
        (BookConfig, {"starts": 2**31}, "starts must be at most 2147483647, got 2147483648"),
        (BookConfig, {"replies": 3}, "replies must be at least choices=4, so that the book goes"),
        (BookConfig, {"c": -1.0}, "c must be at least 0, got -1.0"),
        (BookConfig, {"least_share": 1.5}, "least_share must be from 0 to 1, got 1.5"),
        (BookConfig, {"seed": -1}, "seed must be from 0 to 2**32 - 1, got -1"),
        (
            BookConfig,
            {"output": pathlib.Path("book.txt")},
            "output must end in .npz, got book.txt",
        ),
        (PlayConfig, {"save": "x"}, "save belongs to games on the terminal: add --terminal"),
        (PlayConfig, {"terminal": True, "port": 0}, "port belongs to the page: leave --terminal"),
        (PlayConfig, {"terminal": True, "browser": False}, "browser belongs to the page"),
        (PlayConfig, {"terminal": True, "seed": -1}, "seed must be from 0"),
        (PlayConfig, {"seats": ("human",)}, "seats belongs to one game: name it with --game"),
        (PlayConfig, {"env_options": "x=1"}, "env_options belongs to one game"),
        (
            PlayConfig,
            {"terminal": True, "load": "x", "position": "y"},
            "load and position both say where",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(config, options, message):
    needed = {
        ClockConfig: {"players": ("ms1", "ms2")},
        BookConfig: {"output": pathlib.Path("book.npz")},
    }
    with pytest.raises(ValueError, match=re.escape(message)):
        config(**needed.get(config, {}) | options)


HELP = """
import sys
from agents.{}.__main__ import main
sys.argv = ["command", "--help"]
try:
    main()
except SystemExit as end:
    assert end.code == 0
assert "jax" not in sys.modules, "the help text waits for jax"
"""


@pytest.mark.parametrize("command", ["analyse", "arena", "clock", "opening_book", "play"])
def test_help_explains_the_options_without_importing_jax(command):
    done = subprocess.run(
        [sys.executable, "-c", HELP.format(command)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "--plugin" in done.stdout and "--game" in done.stdout
