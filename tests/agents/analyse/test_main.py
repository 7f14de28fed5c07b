"""`python -m agents.analyse`: the table, JSON lines, mistakes."""

import io
import json
import sys

import pytest

import jaxgames
from agents.analyse import __main__ as program
from agents.analyse import queries
from jaxgames import records

QUIET = "bbBbb/5/5/5/rrRrr r tiger,crab|ox,horse|crane 0"
WIN_IN_ONE = "2B2/1b3/2R2/5/5 r tiger,crab|ox,horse|crane 8"


def call(monkeypatch, *arguments, text=""):
    monkeypatch.setattr(sys, "argv", ["analyse", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return program.main()


def answers(monkeypatch, capsys, lines, *arguments):
    text = "".join(line + "\n" for line in lines)
    assert call(monkeypatch, "--agent=random", "--json", *arguments, text=text) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_table_shows_the_position_after_the_moves_and_the_best_moves(
    monkeypatch, capsys, tmp_path
):
    picture = tmp_path / "board.svg"
    options = f"--position={QUIET}", f"--picture={picture}", "--moves", "tiger:c1c3"
    assert call(monkeypatch, "--agent=alpha_beta:depth=1", *options) == 0
    out = capsys.readouterr().out
    assert "bbBbb/5/2R2/5/rr1rr b" in out and "seat 1 to move, plays" in out
    assert "score" in out and "variation" in out
    assert picture.read_text().startswith("<svg")


def test_the_position_is_drawn_in_pixels(monkeypatch, tmp_path):
    picture = tmp_path / "board.png"
    assert call(monkeypatch, "--agent=random", f"--picture={picture}") == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["game.jsonl", "game.oni"])
def test_the_last_position_of_a_file_in_which_somebody_moves_is_shown(
    monkeypatch, capsys, tmp_path, name
):
    env = jaxgames.make("onitama")
    start = env.text_to_state(QUIET)
    game = records.from_moves(env, start, ["tiger:c1c3"], ["random", "random"])
    won = records.from_moves(env, env.text_to_state(WIN_IN_ONE), ["tiger:c3c5"], ["human"] * 2)
    path = tmp_path / name
    if name.endswith("oni"):
        records.export_game(env, path, game)
    else:
        records.write(path, game, won)
    assert call(monkeypatch, "--agent=random", f"--file={path}", "--game=tribes", "--last") == 0
    expected = "bbBbb/5/2R2/5/rr1rr b" if name.endswith("oni") else "2B2/1b3/2R2/5/5 r"
    assert capsys.readouterr().out.startswith(expected)


@pytest.mark.parametrize("batch", ["--batch=1", "--batch=8"])
def test_every_turn_asked_for_has_an_answer(monkeypatch, capsys, batch):
    query = {"id": "x", "position": QUIET, "moves": ["tiger:c1c3"], "analyzeTurns": [0, 1]}
    found = answers(monkeypatch, capsys, [json.dumps(query), "", json.dumps({"id": 7})], batch)
    asked = [("x", 0), ("x", 1), (7, 0)]
    assert [(answer["id"], answer["turnNumber"]) for answer in found] == asked
    assert [answer["rootInfo"]["currentPlayer"] for answer in found[:2]] == [0, 1]
    for answer in found:
        assert answer["moveInfos"][0]["move"] == answer["move"]
        assert [move["order"] for move in answer["moveInfos"]] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("nonsense", "Expecting value"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "expected a JSON object"),
        ('{"id": NaN}', "NaN is no JSON"),
        ('{"maxVisit": 3}', "unknown field 'maxVisit'"),
        ('{"position": 3}', "expected a text, got 3"),
        ('{"position": "r"}', "expected 4 fields"),
        ('{"moves": "tiger:c1c3"}', "expected a list of texts"),
        (json.dumps({"position": QUIET, "moves": ["tiger:c1c4"]}), "ply 0: move 'tiger:c1c4'"),
        ('{"analyzeTurns": [1]}', "numbers from 0 to 0"),
        ('{"analyzeTurns": [true]}', "numbers from 0 to 0"),
        ('{"analyzeTurns": []}', "numbers from 0 to 0"),
        (json.dumps({"position": WIN_IN_ONE, "moves": ["tiger:c3c5"]}), "the game is over"),
        (json.dumps({"moves": ["x"] * 1000}), "a game has at most"),
        ('{"id": "' + "x" * queries.MAX_LINE + '"}', "a query has at most"),
    ],
)
def test_a_bad_query_is_answered_and_the_next_one_too(monkeypatch, capsys, query, message):
    bad, good = answers(monkeypatch, capsys, [query, '{"id": "next"}'])
    assert message in bad["error"]
    assert good["id"] == "next" and "moveInfos" in good


def test_the_answer_to_a_bad_query_has_its_id(monkeypatch, capsys):
    (answer,) = answers(monkeypatch, capsys, ['{"id": "q", "position": ""}'])
    assert answer["id"] == "q" and "error" in answer
