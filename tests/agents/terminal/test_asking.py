import io

import jax
import pytest

import jaxgames
from agents.terminal.asking import Command, ask_move, matching
from agents.terminal.console import Console, Left
from tests.agents.terminal.consoles import Scripted

ENV = jaxgames.make("onitama")
STATE = ENV.text_to_state("bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0")


def ask(*lines, **options):
    console = Scripted(*lines)
    return ask_move(ENV, STATE, console, "Ann", **options), console


@pytest.mark.parametrize("answer", ["boar:c1c2", " BOAR:C1c2 ", "Boar:c", "boar:c1"])
def test_a_move_is_read_in_any_case_and_its_beginning_is_enough(answer):
    action, console = ask(answer, note="7 seconds left")
    assert ENV.action_to_text(STATE, action) == "boar:c1c2"
    assert " 1 r r R r r 1" in console.text and "7 seconds left" in console.text
    assert console.prompts == ["Ann (seat 0), your move or ?: "]


def test_what_is_not_a_move_is_asked_again():
    action, console = ask("", "boar", "boer:c1c2", "nonsense", "ox:a1a2")
    assert ENV.action_to_text(STATE, action) == "ox:a1a2"
    assert len(console.prompts) == 5
    assert "5 moves begin with 'boar':\n  boar:a1a2  boar:b1b2" in console.text
    assert "'boer:c1c2' is not a legal move; did you mean 'boar:c1c2'?" in console.text
    assert "'nonsense' is not a legal move; ? lists the legal moves" in console.text


def test_help_lists_commands_and_moves():
    _, console = ask("?", "? ox", "POSITION", "board", "ox:a1a2", commands={"save FILE": "write"})
    assert "save FILE      write" in console.text
    assert "10 legal moves" in console.text and "5 legal moves" in console.text
    assert ENV.state_to_text(STATE) in console.text
    assert console.text.count(" 1 r r R r r 1") == 2


def test_commands_are_handed_on_and_a_slip_is_offered_the_nearest():
    commands = {"save FILE": "write", "undo": "take back"}
    assert ask("Save My File.oni", commands=commands)[0] == Command("save", "My File.oni")
    answer, console = ask("undoo", "undo", commands=commands)
    assert answer == Command("undo", "")
    assert "did you mean 'undo'?" in console.text


@pytest.mark.parametrize(
    ("lines", "message"), [(("quit",), "the game was left"), ((), "the input is over")]
)
def test_a_person_may_leave(lines, message):
    with pytest.raises(Left, match=message):
        ask(*lines)


def test_an_exact_move_wins_over_longer_ones():
    moves = {0: "pass", 1: "pass BON1", 2: "send FIRE 3"}
    assert matching(moves, "PASS") == {0: "pass"}
    assert matching(moves, "pass  bon1") == {1: "pass BON1"}
    assert matching(moves, "pas") == {0: "pass", 1: "pass BON1"}
    assert matching(moves, "x") == {}


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("output", "variables", "expected"),
    [
        (Screen(), {}, True),
        (io.StringIO(), {}, False),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": ""}, True),
        (Screen(), {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_whose_user_wants_them(monkeypatch, output, variables, expected):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    console = Console(output=output)
    assert console.has_colours == expected
    board = ENV.text_board(ENV.init(jax.random.key(0)), colours=console.has_colours)
    assert ("\x1b[" in board) == expected
