import io
import re

import jax
import pytest

import jaxgames
from agents.analyse import game_files
from agents.play import __main__ as program
from agents.play import terminal
from agents.play.terminal import TerminalGame
from configs.play import PlayConfig
from jaxgames import records
from jaxgames.env import Env
from jaxgames.players import plugs
from tests.agents.terminal.consoles import Scripted
from tests.gamble import Gamble

ENV = jaxgames.make("onitama", max_plies=6, deal="boar,ox|elephant,horse|crab")
START = "bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0"


def table(*lines, specs=("human", "first_legal"), env=ENV, start=START):
    made = TerminalGame(env, specs, Scripted(*lines), seed=0)
    if start is not None:
        made.new(env.text_to_state(start))
    return made


def test_a_person_plays_an_agent_to_the_end(tmp_path):
    path = tmp_path / "game.jsonl"
    game = table("boar:a1", "OX:B", "resign")
    terminal.play(game, path)
    assert "first_legal (seat 1): elephant:" in game.console.text
    assert "game over (resignation): human -1, first_legal 1" in game.console.text
    (record,) = records.read(path)
    records.check(record)
    assert (record.returns, record.ending, len(record.moves)) == ((-1.0, 1.0), "resignation", 4)


def test_agents_play_among_themselves_and_two_people_at_one_terminal():
    game = table(specs=("first_legal", "random"))
    terminal.play(game)
    assert "game over: first_legal 0, random 0" in game.console.text
    game = table("boar:a1", "elephant:a", "quit", specs=("human:name=Ann", "human:name=Bo"))
    terminal.play(game)
    assert [prompt.split(",")[0] for prompt in game.console.prompts] == [
        "Ann (seat 0)",
        "Bo (seat 1)",
        "Ann (seat 0)",
    ]
    assert game.console.text.endswith("the game was left\n")


def test_a_game_names_the_player_that_best_stands_for(monkeypatch):
    monkeypatch.setitem(plugs._loaded, "onitama", plugs.GameAgents(best={2: ("first_legal",)}))
    game = table("quit", specs=("human", "best"))
    assert [seat.agent for seat in game.record.seats] == ["human", "first_legal"]


def test_moves_are_taken_back():
    game = table("undo", "boar:a1", "ox:b1", "undo", "undo", "quit")
    terminal.play(game)
    assert "there is nothing to undo" in game.console.text
    assert game.record == records.begin(game.env, game.states[0], game.specs)
    assert len(game.states) == 1


def test_a_game_is_saved_and_loaded(tmp_path):
    path, other = tmp_path / "a game.jsonl", tmp_path / "game.oni"
    game = table("boar:a1", f"save {path}", f"save {other}", "new", f"load {path}", "quit")
    terminal.play(game)
    (record,) = records.read(path)
    assert game.record == record and len(record.moves) == 2
    assert records.import_game(ENV, other).moves == record.moves
    again = table(f"load {other}", "quit", start=None)
    terminal.play(again)
    assert again.record.moves == record.moves and len(again.states) == 3


@pytest.mark.parametrize("name", ["game.JSONL", "game.Json", "GAME.ONI"])
def test_files_may_have_capital_suffixes(name, tmp_path):
    """As other systems write them."""
    path = tmp_path / name
    terminal.play(table("boar:a1", f"save {path}", "quit"))
    again = table(f"load {path}", "quit", start=None)
    terminal.play(again)
    assert len(again.record.moves) == 2
    assert game_files.read(path, "murus_gallicus", "")[1].moves == again.record.moves


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("load nothing.jsonl", "error: there is no file nothing.jsonl"),
        ("save no/where.jsonl", "error: "),
        (
            "save game.pgn",
            "unknown format of onitama '.pgn'; available: .jsonl, .json, .record, .oni",
        ),
    ],
)
def test_a_mistake_does_not_end_the_game(line, message):
    game = table(line, "boar:a1", "quit")
    terminal.play(game)
    assert message in game.console.text and len(game.record.moves) == 2


def test_a_game_that_cannot_be_saved_goes_on(tmp_path):
    game = table("boar:a1", "quit")
    terminal.play(game, tmp_path / "game.pgn")
    assert "error: the game is not saved: " in game.console.text
    assert len(game.record.moves) == 2


@pytest.mark.parametrize("name", ["game.jsonl", "game.record", "game"])
def test_the_program_takes_game_and_options_from_a_record(monkeypatch, tmp_path, name):
    env = jaxgames.make("murus_gallicus", variant="basic")
    start = env.init(jax.random.key(0))
    move = next(iter(env.legal_moves(start).values()))
    game = records.from_moves(env, start, [move], ["human", "human"])
    records.write(tmp_path / name, game)
    played = []
    monkeypatch.setattr(terminal, "play", lambda table, save: played.append(table))
    terminal.run(PlayConfig(terminal=True, load=tmp_path / name))
    assert played[0].env == env and len(played[0].record.moves) == 1


def test_a_game_of_other_options_is_not_loaded(tmp_path):
    path = tmp_path / "game.jsonl"
    env = jaxgames.make("onitama")
    records.write(path, records.begin(env, env.text_to_state(START), ("human", "random")))
    game = table(f"load {path}", "quit")
    terminal.play(game)
    assert "is a game of onitama-v1 with options {}; start the program for it" in game.console.text


def test_chance_is_recorded_and_taken_back(tmp_path):
    env = Env("gamble", Gamble(), notation="tests.gamble")
    game = table(specs=("first_legal", "random"), env=env, start=None)
    game.play(1)
    assert len(list(records.positions(env, game.record))) == 2
    first = game.record.moves[0].key
    assert re.fullmatch("[0-9a-f]{16}", first)


def test_seats_are_checked():
    with pytest.raises(ValueError, match="onitama has 2 seats, got 1"):
        TerminalGame(ENV, ("human",), Scripted())
    with pytest.raises(ValueError, match="unknown agent 'humann'"):
        TerminalGame(ENV, ("humann", "random"), Scripted())


def test_the_program_reads_the_terminal(monkeypatch, capsys, tmp_path):
    path = tmp_path / "game.jsonl"
    options = ["--terminal", "--seats", "human", "first_legal", f"--save={path}"]
    options += ["--env-options=max_plies=6", f"--position={START}"]
    monkeypatch.setattr("sys.argv", ["agents.play", *options])
    monkeypatch.setattr("sys.stdin", io.StringIO("boar:a1\n"))
    assert program.main() == 0
    text = capsys.readouterr().out
    assert f"the input is over; it is in {path}" in text and "\x1b" not in text
    assert len(records.read(path)[0].moves) == 2
