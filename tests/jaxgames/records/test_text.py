import json
import re
import subprocess
import sys

import numpy as np
import pytest

from jaxgames import records
from jaxgames.records import Move, Record, Seat

RECORD = Record(
    game="onitama-v1",
    options={"deck": ["boar", "ox"], "max_plies": 60},
    seats=(Seat(), Seat("minimax:depth=2", "Mo \u2028 \N{SNOWMAN}")),
    start='a "position"\n',
    moves=(
        Move("boar:c1c2", values=(0.5, -0.5), seconds=1.25, comment="why\nnot"),
        Move("illegal:17", key="00000001fffffffe"),
    ),
    end="the end",
    returns=(-1.0, 1.0),
    ending="time",
    random="threefry2x32",
    comment="a game",
    tags={"pairing": 3, "more": {"a": [1, None]}},
    versions={"jaxgames": "1"},
)
PLAIN = Record("onitama-v1", {}, (Seat("a"), Seat("b")), "here")


@pytest.mark.parametrize("record", [RECORD, PLAIN, PLAIN._replace(moves=(Move("x"),))])
def test_text_is_read_back(record):
    text = records.to_text(record)
    assert records.from_text(text) == [record]
    assert records.from_text(text + records.to_text(PLAIN) + text) == [record, PLAIN, record]
    assert len(text.splitlines()) == len(record.moves) + 2
    assert text.isascii()


def test_what_is_empty_is_left_out():
    lines = [json.loads(line) for line in records.to_text(PLAIN).splitlines()]
    assert lines[0] == {
        "record": 1,
        "game": "onitama-v1",
        "seats": [{"agent": "a"}, {"agent": "b"}],
        "start": "here",
    }
    assert set(lines[1]) == {"returns", "checksum"}


def test_files_are_written_whole_and_appended(tmp_path):
    path = tmp_path / "game.jsonl"
    records.write(path, RECORD)
    records.append(path, PLAIN, RECORD)
    assert records.read(str(path)) == [RECORD, PLAIN, RECORD]
    records.write(path, PLAIN)
    assert records.read(path) == [PLAIN]


def test_a_record_written_by_hand_needs_no_checksum():
    text = (
        '{"record": 1, "game": "onitama-v1", "seats": [{"agent": "a"}, {"agent": "b"}], '
        '"start": "here"}\n\n{"move": "x"}\n{"returns": null}\n'
    )
    assert records.from_text(text) == [PLAIN._replace(moves=(Move("x"),))]


def test_every_flipped_bit_is_noticed():
    content = records.to_text(RECORD).encode()
    random = np.random.default_rng(0)
    for place in random.choice(len(content) - 1, 300, replace=False):
        changed = bytearray(content)
        changed[place] ^= 1 << random.integers(8)
        with pytest.raises(ValueError, match=r"."):
            records.from_text(changed.decode())


@pytest.mark.parametrize("keep", range(4))
def test_a_game_that_is_cut_off_is_refused_or_left_out(keep, tmp_path):
    text = records.to_text(PLAIN) + "\n".join(records.to_text(RECORD).splitlines()[:keep])
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    assert records.read(path, drop_cut_off=True) == [PLAIN]
    if keep:
        with pytest.raises(ValueError, match=f"game 2 is cut off after {keep - 1} moves"):
            records.read(path)


def test_a_line_that_is_cut_off_is_named():
    lines = records.to_text(RECORD).splitlines()
    with pytest.raises(ValueError, match="game 1, after 1 moves: line 3: not JSON"):
        records.from_text("\n".join(lines[:2]) + "\n" + lines[2][:-3])


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (0, {"record": 2}, "game 1: this version reads records of format 1, got 2"),
        (0, {"gamee": "x"}, "game 1: unknown key 'gamee'; did you mean 'game'?"),
        (0, {"game": 7}, "game 1, game: expected a text, got 7"),
        (0, {"seats": {}}, "game 1, seats: expected a list of seats, got {}"),
        (0, {"seats": [1]}, "game 1, seat 0: expected an object, got 1"),
        (0, {"seats": [{"agent": None}]}, "game 1, seat 0, agent: expected a text, got None"),
        (0, {"options": []}, "game 1, options: expected an object, got []"),
        (0, {"versions": {"jax": 1}}, "game 1, versions, jax: expected a text, got 1"),
        (1, {"move": 3}, "game 1, move 1, move: expected a text, got 3"),
        (1, {"mover": 3}, "game 1, move 1: unknown key 'mover'; did you mean 'move'?"),
        (1, {"values": [1]}, "game 1, move 1, values: expected a number for each of 2 seats"),
        (1, {"values": [True, 1]}, "game 1, move 1, values: expected a number, got True"),
        (1, {"seconds": -1}, "game 1, move 1, seconds: expected a number from 0 on, got -1"),
        (2, {"key": "xyz"}, "game 1, move 2, key: expected words of 8 hexadecimal digits, got 'x"),
        (3, {"returns": [1]}, "game 1, returns: expected a number for each of 2 seats, got [1.0]"),
        (3, {"returns": 1}, "game 1, returns: expected a list of numbers, got 1"),
        (3, {"end": None}, "game 1, end: expected a text, got None"),
        (3, {"more": 1}, "game 1, last line: unknown key 'more'"),
    ],
)
def test_what_is_wrong_is_named(line, change, message):
    lines = [json.loads(text) for text in records.to_text(RECORD).splitlines()]
    del lines[-1]["checksum"]
    lines[line] |= change
    with pytest.raises(ValueError, match=re.escape(message)):
        records.from_text("".join(f"{json.dumps(content)}\n" for content in lines))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no game in it"),
        ("1. e4 e5", "line 1: not JSON"),
        ("[1]", r"line 1: expected an object, got \[1\]"),
        ('{"a": 1, "a": 2}', "line 1: key 'a' stands twice in one object"),
        ('{"move": "x"}', "line 1: expected the first line of a game"),
        ("[" * 100_000, "line 1: nested too deeply"),
        (7, "expected the text of a record, got 7"),
        (records.to_text(PLAIN).splitlines()[0] + '\n{"x": 1}', "game 1, line 2: expected a move"),
        (2 * (records.to_text(PLAIN).splitlines()[0] + "\n"), "game 1 has no last line: line 2"),
    ],
)
def test_other_texts_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        records.from_text(text)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"there is no file .*game"):
        records.read(tmp_path / "game.jsonl")
    (tmp_path / "game.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"game\.jsonl is not a file of game records, or damaged"):
        records.read(tmp_path / "game.jsonl")


def test_reading_starts_no_jax():
    code = (
        "import sys; from jaxgames.records import from_text; "
        "assert not {'jax', 'agents'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
