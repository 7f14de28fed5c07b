"""The golden command: what it prints, what it detects, and how it fails on bad input."""

import copy
import gzip
import json
import pathlib
import subprocess
import sys

import pytest

from benchmarks.golden import __main__ as command
from benchmarks.golden.core import runner
from benchmarks.golden.core.records import (
    EQUAL,
    Status,
    different,
    read_records,
)
from benchmarks.golden.core.runner import FileReport
from tests.locations import CHECKOUT

COMMITTED = CHECKOUT / "tests" / "golden" / "onitama"


def record_of(file: str, where=lambda record: True) -> dict:
    lines = (COMMITTED / file).read_text().splitlines()
    return next(record for record in map(json.loads, lines) if where(record))


def write(directory: pathlib.Path, file: str, *records: dict) -> pathlib.Path:
    (directory / file).write_text("".join(json.dumps(record) + "\n" for record in records))
    return directory


def run(path: pathlib.Path, *options: str, game: str = "onitama") -> int:
    return command.main([f"--game={game}", f"--path={path}", "--max-depth=3", *options])


def changed(record: dict, *path, value) -> dict:
    """Returns a copy with one entry changed; `path` leads to it."""
    result = copy.deepcopy(record)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    assert inner[path[-1]] != value
    inner[path[-1]] = value
    return result


GAME = record_of("random_games.jsonl")
LIMIT = record_of("limit_games.jsonl")
STUCK = record_of("no_move.jsonl")
PERFT = record_of("perft_sensei.jsonl")
WIN_IN_3 = record_of("tablebase.jsonl", lambda r: r["dtm"] == 3 and len(r["best"]) == 1)
WIN_IN_1 = record_of("tablebase.jsonl", lambda r: r["dtm"] == 1)
LOSS_IN_2 = record_of("tablebase.jsonl", lambda r: r["dtm"] == 2)

# file, record, path of the changed entry, wrong value, what the command says about it
CORRUPTED = {
    "number of legal actions": (
        "random_games.jsonl", GAME, ("nlegal", 3), 99,
        "ply 4, number of legal actions: the record has 99",
    ),
    "action": (
        "random_games.jsonl", GAME, ("actions", 2), 201,
        "ply 3, action: the record has 201",
    ),
    "action out of range": (
        "random_games.jsonl", GAME, ("actions", 2), 10**12,
        "ply 3, action: the record has 1000000000000",
    ),
    "move": ("random_games.jsonl", GAME, ("moves", 5), "ox:a1a2", "ply 6, text of action"),
    "final position": ("random_games.jsonl", GAME, ("final",), GAME["start"], "final: the rec"),
    "winner": ("random_games.jsonl", GAME, ("winner",), "draw", "winner: the record has 'draw'"),
    "plies": ("random_games.jsonl", GAME, ("plies",), 7, "number of plies: the record has 7"),
    "start": (
        "random_games.jsonl", GAME, ("start",), GAME["start"].replace(" 0", " 00"),
        "position: the record has",
    ),
    "reason": ("limit_games.jsonl", LIMIT, ("reason",), "stone", "the game gives 'limit'"),
    "successor": (
        "no_move.jsonl", STUCK, ("moves",), [STUCK["moves"][0], STUCK["moves"][1] | {"next": "?"}],
        "moves: the record has",
    ),
    "missing successor": (
        "no_move.jsonl", STUCK, ("moves",), STUCK["moves"][:1], "moves: the record has"
    ),
    "position with a move": (
        "no_move.jsonl", STUCK, ("fen",), PERFT["fen"], "legal actions: the record has only the pas"
    ),
    "count": ("perft_sensei.jsonl", PERFT, ("perft", 1), 5, "perft: the record"),
    "count of ends": ("perft_sensei.jsonl", PERFT, ("ended", 2), 7, "ended: the record"),
    "missing best move": (
        "tablebase.jsonl", LOSS_IN_2, ("best",), LOSS_IN_2["best"][1:], "best: the record has"
    ),
    "illegal best move": (
        "tablebase.jsonl", WIN_IN_3, ("best",), ["ox:a1a2"], "best move: the record has 'ox:a1a2'"
    ),
    "distance too short": (
        "tablebase.jsonl", WIN_IN_3, ("dtm",), 1,
        "dtm: the record has 1, the game gives no result within 1 plies",
    ),
    "distance too long": (
        "tablebase.jsonl", WIN_IN_1, ("dtm",), 3, "dtm: the record has 3, the game gives 1"
    ),
    "value": ("tablebase.jsonl", WIN_IN_3, ("value",), -1, "value with distance 3: the record ha"),
    "men": ("tablebase.jsonl", WIN_IN_3, ("men",), 9, "men: the record has 9"),
}  # fmt: skip


@pytest.mark.parametrize("case", CORRUPTED)
def test_one_wrong_value_is_printed_with_its_record_and_exits_with_1(case, tmp_path, capsys):
    file, record, path, value, message = CORRUPTED[case]
    wrong = changed(record, *path, value=value)
    assert run(write(tmp_path, file, record, wrong)) == 1
    output = capsys.readouterr().out
    assert f"{file}: " in output and "1 different" in output
    assert "first difference, record 2" in output and message in output
    assert json.dumps(wrong) in output


def test_the_first_of_several_differences_is_printed(tmp_path, capsys):
    wrong = [WIN_IN_3 | {"men": men} for men in (7, 8)]
    assert run(write(tmp_path, "tablebase.jsonl", WIN_IN_3, *wrong)) == 1
    output = capsys.readouterr().out
    assert "1 of 3 records equal, 2 different" in output
    assert "has 7" in output and "has 8" not in output


def test_records_beyond_the_chosen_depth_are_not_checked_and_not_equal(tmp_path, capsys):
    distant = record_of("tablebase.jsonl", lambda r: r["dtm"] == 5)
    write(tmp_path, "tablebase.jsonl", WIN_IN_3, distant)
    assert run(write(tmp_path, "perft_sensei.jsonl", PERFT)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "perft_sensei.jsonl: 0 of 1 records equal, 1 not checked" in lines
    assert "tablebase.jsonl: 1 of 2 records equal, 1 not checked" in lines
    assert "  1 not checked: counts deeper than 3 plies (equal so far)" in lines


def test_all_of_a_record_within_the_chosen_depth_is_equal(tmp_path, capsys):
    short = PERFT | {"perft": PERFT["perft"][:3], "ended": PERFT["ended"][:3]}
    assert run(write(tmp_path, "perft_sensei.jsonl", short)) == 0
    assert "perft_sensei.jsonl: 1 of 1 records equal\n" in capsys.readouterr().out


def test_missing_and_unknown_files_are_named_as_not_checked(tmp_path, capsys):
    write(tmp_path, "openings.jsonl", {"fen": ""})
    write(tmp_path, "README.md")
    assert run(write(tmp_path, "no_move.jsonl", STUCK)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "no_move.jsonl: 1 of 1 records equal" in lines
    assert "openings.jsonl: not checked (unknown file)" in lines
    assert "limit_games.jsonl: not checked (no such file)" in lines
    assert not any("README" in line for line in lines)


def test_the_report_variant_checks_only_games_with_its_five_cards(tmp_path, capsys):
    other = record_of("random_games.jsonl", lambda r: "goose" not in r["start"])
    directory = write(tmp_path, "random_games.jsonl", GAME, other)
    assert run(directory, game="onitama_report") == 0
    output = capsys.readouterr().out
    assert "random_games.jsonl: 1 of 2 records equal, 1 not checked" in output
    assert "1 not checked: other cards than those of this variant" in output


def test_the_report_variant_detects_a_wrong_record(tmp_path, capsys):
    wrong = changed(GAME, "nlegal", 0, value=41)
    assert run(write(tmp_path, "random_games.jsonl", wrong), game="onitama_report") == 1
    assert "ply 1, number of legal actions: the record has 41" in capsys.readouterr().out


# Files of a folder, options beside the game and the folder, and what the command says.
NO_MOVE = {"no_move.jsonl": json.dumps(STUCK) + "\n"}
MISSING, WRONG = '{"fen": "", "perft": []}', '{"fen": "", "perft": ["1"], "ended": []}'
BAD_INPUTS = {
    "not JSON": ({"perft_mid.jsonl": "{"}, [], "perft_mid.jsonl, line 1: not JSON"),
    "not an object": ({"perft_mid.jsonl": "[1]"}, [], "line 1: expected a JSON object, got [1]"),
    "missing field": ({"perft_mid.jsonl": MISSING}, [], "line 1: field 'ended' is missing"),
    "wrong kind": ({"perft_mid.jsonl": WRONG}, [], "'perft' must be a list of int, got ['1']"),
    "missing folder": ({}, ["--path={}/nowhere"], "nowhere does not exist; expected a directory"),
    "file as folder": (NO_MOVE, ["--path={}/no_move.jsonl"], "is not a directory"),
    "nothing to compare": ({"random_games.jsonl": ""}, [], "could be compared"),
    "no golden data": ({}, [], "has no golden data of 'onitama'"),
    "unknown game": ({}, ["--game=onitma"], "did you mean 'onitama'?"),
    "no depth": (NO_MOVE, ["--max-depth=0"], "max_depth must be at least 1, got 0"),
    "records without names": (NO_MOVE, ["--records", "a"], "have no names, so that 'a' cannot"),
    "unknown file": (NO_MOVE, ["--files", "games.jsonl"], "has no file 'games.jsonl'; available: "),
    "unknown record": (
        {},
        [
            "--game=terra_mystica",
            f"--path={COMMITTED.parent / 'terra_mystica'}",
            *("--files", "selfplay_2p_engineers_halflings.jsonl.gz", "--records", "evh103"),
        ],
        "no record of terra_mystica is named 'evh103'; did you mean evh1031 or evh1048?",
    ),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_input_that_cannot_be_used_exits_with_2(case, tmp_path, capsys):
    files, options, message = BAD_INPUTS[case]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert run(tmp_path, *(option.format(tmp_path) for option in options)) == 2
    assert message in capsys.readouterr().err


def test_the_shared_data_is_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.setenv(runner.VARIABLE, str(tmp_path))
    assert runner.shared_directory("onitama_report") == tmp_path / "onitama"
    monkeypatch.delenv(runner.VARIABLE)
    expected = CHECKOUT.parent / "shared" / "golden" / "onitama"
    assert runner.shared_directory("onitama") == expected


def test_a_report_without_differences_has_none_to_print():
    report = FileReport("empty.jsonl")
    assert report.first_difference() is None and not report.has_difference
    assert report.count(Status.EQUAL) == 0 and report.lines() == [
        "empty.jsonl: 0 of 0 records equal"
    ]


def test_parsing_the_command_line_does_not_import_jax():
    code = "import sys, benchmarks.golden.__main__; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=False).returncode == 0


def test_a_report_can_name_records_count_kinds_and_describe_several_differences():
    records = tuple({"id": name} for name in "abcd")
    verdicts = (
        different("points", 1, 2, kind="vp"),
        EQUAL,
        different("points", 3, 4, kind="vp"),
        different("coins", 5, 6, kind="c"),
    )
    report = FileReport("games.jsonl.gz", records, verdicts, key="id")
    assert report.lines(differences=2) == [
        "games.jsonl.gz: 1 of 4 records equal, 3 different",
        "  2 different: vp",
        "  1 different: c",
        "  first difference, record 1 (a): points: the record has 1, the game gives 2",
        "  next difference, record 3 (c): points: the record has 3, the game gives 4",
    ]


def test_several_differences_are_printed_on_demand(tmp_path, capsys):
    wrong = [WIN_IN_3 | {"men": men} for men in (7, 8, 9)]
    write(tmp_path, "tablebase.jsonl", *wrong)
    assert run(tmp_path, "--differences=2") == 1
    output = capsys.readouterr().out
    assert "has 7" in output and "has 8" in output and "has 9" not in output


def test_compressed_records_are_read_as_others(tmp_path):
    for suffix, opened in (("", open), (".gz", gzip.open)):
        path = tmp_path / f"no_move.jsonl{suffix}"
        with opened(path, "wb") as file:
            file.write(json.dumps(STUCK).encode())
        assert read_records(path, {"fen": str}) == [STUCK]
