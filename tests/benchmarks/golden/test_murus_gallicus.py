"""The golden command detects every kind of wrong record of Murus Gallicus."""

import json
import pathlib

import pytest

from benchmarks.golden import __main__ as command
from tests.benchmarks.golden.test_golden import changed, write
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "murus_gallicus"


def records(file: str) -> list[dict]:
    return [json.loads(line) for line in (COMMITTED / file).read_text().splitlines()]


def whole(file: str) -> dict:
    return json.loads((COMMITTED / file).read_text())


def run(path: pathlib.Path, *options: str) -> int:
    return command.main(["--game=murus_gallicus", f"--path={path}", "--max-depth=3", *options])


GAME = min(records("random_games.jsonl"), key=lambda record: record["plies"])
MOVES = min(records("transitions.jsonl"), key=lambda record: len(record["children"]))
PERFT = next(r for r in records("perft.jsonl") if r["variant"] == "basic" and len(r["perft"]) == 4)
WIN = next(r for r in records("solved.jsonl") if r["dtm"] == 3)
LOSS = next(r for r in records("solved.jsonl") if r["dtm"] == 2)


# file, record, path of the changed entry, wrong value, what the command says about it
CORRUPTED = {
    "number of legal actions": (
        "random_games.jsonl", GAME, ("nlegal", 3), 99,
        "ply 4, number of legal actions: the record has 99",
    ),
    "illegal action": (
        "random_games.jsonl", GAME, ("actions", 2), 895, "ply 3, action: the record has 895"
    ),
    "action out of range": (
        "random_games.jsonl", GAME, ("actions", 2), 10**12, "ply 3, action: the record has 1000000"
    ),
    "move": ("random_games.jsonl", GAME, ("moves", 5), "a1-a2", "ply 6, text of action"),
    "final position": ("random_games.jsonl", GAME, ("final",), "8 r", "final: the record has"),
    "result": ("random_games.jsonl", GAME, ("result",), 0, "result: the record has 0"),
    "reason": ("random_games.jsonl", GAME, ("reason",), "cap", "reason: the record has 'cap'"),
    "plies": ("random_games.jsonl", GAME, ("plies",), 7, "number of plies: the record has 7"),
    "missing move": (
        "transitions.jsonl", MOVES, ("children",), MOVES["children"][1:], "legal actions: the rec"
    ),
    "text of a move": ("transitions.jsonl", MOVES, ("children", 0, 0), "a1-a2", "move a1-a2: the"),
    "successor": ("transitions.jsonl", MOVES, ("children", 0, 2), "8 r", "the record has ["),
    "outcome of a move": ("transitions.jsonl", MOVES, ("children", 0, 3), 5, "the record has ["),
    "variant": ("transitions.jsonl", MOVES, ("variant",), "fire4", "variant: the record has fire4"),
    "position": ("perft.jsonl", PERFT, ("fen",), "8/8 r", "position: the record has '8/8 r'"),
    "finished position": (
        "perft.jsonl", PERFT, ("fen",), "8/8/8/8/8/8/8 r", "the game gives its end (no move)"
    ),
    "count": ("perft.jsonl", PERFT, ("perft", 1), 5, "perft: the record has"),
    "wrong rules": ("perft.jsonl", PERFT, ("variant",), "fire8", "perft: the record has"),
    "missing best move": ("solved.jsonl", WIN, ("best",), [], "best: the record has []"),
    "distance too short": (
        "solved.jsonl", WIN, ("dtm",), 1, "dtm: the record has 1, the game gives no result within 1"
    ),
    "distance too long": ("solved.jsonl", WIN, ("dtm",), 5, "dtm: the record has 5, the game giv"),
    "value": ("solved.jsonl", LOSS, ("value",), 1, "value: the record has 1, the game gives -1"),
    "best move of a loss": ("solved.jsonl", LOSS, ("best",), ["a1-a3"], "best: the record has"),
    "stones": ("solved.jsonl", WIN, ("stones",), 9, "stones: the record has 9"),
}  # fmt: skip


@pytest.mark.parametrize("case", CORRUPTED)
def test_one_wrong_value_is_printed_with_its_record_and_exits_with_1(case, tmp_path, capsys):
    file, record, path, value, message = CORRUPTED[case]
    wrong = changed(record, *path, value=value)
    right = [other for other in records(file) if other["id"] != record["id"]][:1]
    assert run(write(tmp_path, file, *right, wrong)) == 1
    output = capsys.readouterr().out
    assert "1 different" in output and message in output
    assert "first difference, record 2" in output and json.dumps(wrong) in output


WHOLE = {
    "cycle position": ("cycle.json", ("fens", 3), "8/8/8/8/8/8/8 r", "position 3: the record has"),
    "cycle with another start": ("cycle.json", ("start",), "8/5tww/8/8/8/5TWW/8 r", "position 0"),
    "illegal move of the cycle": (
        "cycle.json", ("moves", 2), "a1-a3", "line: the record has legal moves, the game gives an"
    ),
    "number of wins": ("exhaustive_counts.json", ("rows", 3, "win"), 7, "win: the record has 7"),
    "number of losses by distance": (
        "exhaustive_counts.json", ("rows", 3, "by_dtm", "0"), 7, "by_dtm: the record has {'0': 7"
    ),
    "side": ("exhaustive_counts.json", ("rows", 3, "to_move"), "x", "to_move: the record has x"),
    "mean length": (
        "stats.json", ("variants", "default", "mean_len"), 36, "default, average mean_len: the rec"
    ),
    "share of Roman wins": (
        "stats.json", ("variants", "default", "roman"), 100_000, "default, average roman: the rec"
    ),
    "unknown variant": ("stats.json", ("variants",), {"fire4": {}}, "variant: the record has fi"),
}  # fmt: skip


# Each case checks a file anew, which takes long where games are played or positions are counted.
QUICK_CASES = ("cycle position", "cycle with another start", "unknown variant")


@pytest.mark.parametrize(
    "case", [x if x in QUICK_CASES else pytest.param(x, marks=pytest.mark.slow) for x in WHOLE]
)
def test_one_wrong_value_of_a_whole_file_is_detected(case, tmp_path, capsys):
    file, path, value, message = WHOLE[case]
    wrong = changed(whole(file), *path, value=value)
    (tmp_path / file).write_text(json.dumps(wrong, indent=1))
    assert run(tmp_path) == 1
    output = capsys.readouterr().out
    assert "1 different" in output and message in output


COUNTS = whole("exhaustive_counts.json")
del COUNTS["rows"][2]["win"]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("cycle.json", "[1]", "cycle.json: expected a JSON object, got [1]"),
        ("cycle.json", "{", "cycle.json: not JSON"),
        ("cycle.json", '{"start": "8 r"}', "cycle.json: field 'moves' is missing"),
        ("exhaustive_counts.json", json.dumps(COUNTS), "json, rows[2]: field 'win' is missing"),
        ("exhaustive_counts.json", '{"rows": 1}', "'rows' must be a list of an object, got 1"),
    ],
)
def test_malformed_file_of_one_object_exits_with_2(file, text, message, tmp_path, capsys):
    (tmp_path / file).write_text(text)
    assert run(tmp_path) == 2
    assert message in capsys.readouterr().err


def test_chosen_files_are_checked_and_no_others(tmp_path, capsys):
    write(tmp_path, "perft.jsonl", changed(PERFT, "perft", 1, value=5))
    write(tmp_path, "random_games.jsonl", GAME)
    assert run(tmp_path, "--files", "random_games.jsonl") == 0
    assert capsys.readouterr().out == "random_games.jsonl: 1 of 1 records equal\n"
