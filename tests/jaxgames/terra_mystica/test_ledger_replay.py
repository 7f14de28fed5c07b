"""Ledgers that are played by the rules."""

import jax
import pytest

from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.text import ledger_writing
from jaxgames.terra_mystica.text.commands import command
from jaxgames.terra_mystica.text.ledger_replay import replay
from tests.jaxgames.terra_mystica import random_games

RULES = TerraMystica(factions="witches,giants")
FACTIONS = [list(RULES.fixed_factions or ())[seat] for seat in range(2)]
START_OF_LEDGERS = setup.start(2, FACTIONS, [1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4])
START = jax.jit(RULES.init)(jax.random.key(5))


@pytest.fixture(scope="module")
def moves():
    """Decisions of a random game, as pairs of seat and action."""
    return random_games.play(RULES, START, seed=0).moves


def test_the_first_command_that_is_not_legal_is_named(moves):
    _, *lines = ledger_writing.write(RULES, START, moves)
    with pytest.raises(ValueError, match=r"line 3, .*is not legal; legal for the giants: build"):
        replay(RULES, START, [*lines[:2], "giants: build A1"])
    with pytest.raises(ValueError, match=r"line 2, .* is out of turn: the giants decide"):
        replay(RULES, START, [lines[0], lines[0]])
    extra = f"{lines[-1].partition(':')[0]}: send FIRE 3"
    with pytest.raises(ValueError, match="comes after the end of the game"):
        replay(RULES, START, [*lines, extra])


SETUP = ["build A10", "build A9", "build A12", "build C3", "pass BON1", "pass BON2"]
STAND = ["witches: upgrade A10 to TP", "giants: upgrade A9 to TP"]


def played(*lines: str) -> list[str]:
    """Returns the decisions that follow the set-up, as seat and command."""
    decisions = replay(RULES, START_OF_LEDGERS, [*SETUP, *lines]).decisions
    return [f"{d.seat} {command(d.action)}" for d in decisions[len(SETUP) :]]


def test_answers_are_taken_from_where_they_stand():
    in_order = played(STAND[0], "giants: leech 1 from witches", STAND[1], "witches: leech")
    assert "1 leech" in in_order and "0 leech" in in_order
    late = played(STAND[0], STAND[1], "leech 1 from green", "witches: leech 1 from red")
    assert late == in_order


def test_an_answer_may_stand_before_the_turn_of_the_giver_is_over():
    lines = [STAND[0], "giants: leech", STAND[1], "witches: leech"]
    early = played(
        *lines, "witches: upgrade A10 to TE", "giants: leech 2 from green", "green: +FAV9"
    )
    favor = early.index("0 +1 FAV9")
    assert early[favor - 1] == "0 upgrade A10 to TE"
    assert early[-1] == "1 leech"


def test_answers_to_no_offer_have_no_effect_if_they_decline():
    assert played("giants: decline", "witches: burn 1") == ["0 burn 1"]
    with pytest.raises(ValueError, match="line 7, 'giants: leech': 'leech' is out of turn"):
        played("giants: leech", "witches: burn 1")


def test_an_answer_that_is_missing_is_named():
    message = (
        "line 7, .*: expected a later 'leech' or 'decline' of the giants, for . power of the w"
    )
    with pytest.raises(ValueError, match=message):
        played(*STAND)
