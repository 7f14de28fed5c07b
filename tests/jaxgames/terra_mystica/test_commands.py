"""Words for actions: every action has its own, and they are those of the online platform."""

import pytest

from jaxgames.terra_mystica.engine.actions import COUNTS, NUM_ACTIONS, Kind, encode
from jaxgames.terra_mystica.text.commands import ACTIONS, command


@pytest.mark.parametrize(
    ("kind", "argument", "text"),
    [
        (Kind.TERRAFORM, 0, "transform A1 to Y"),
        (Kind.TERRAFORM, 538, "transform I12 to R"),
        (Kind.BUILD, 38, "build E7"),
        (Kind.UPGRADE, 2, "upgrade A1 to SH"),
        (Kind.UPGRADE, 307, "upgrade I12 to SA"),
        (Kind.BRIDGE, 0, "bridge A3:C1"),
        (Kind.CONNECT, 35, "connect r35"),
        (Kind.SEND, 0, "send FIRE 3"),
        (Kind.SEND, 11, "send AIR 1"),
        (Kind.ADVANCE_SHIP, 0, "advance ship"),
        (Kind.POWER, 5, "action ACT6"),
        (Kind.BUY_BRIDGE, 0, "action ACTE"),
        (Kind.CULT, 2, "+1 EARTH"),
        (Kind.FAVOR, 11, "+1 FAV12"),
        (Kind.TOWN, 7, "+1 TW8"),
        (Kind.PASS, 9, "pass BON10"),
        (Kind.PASS, 10, "pass"),
        (Kind.TAKE_POWER, 0, "leech"),
        (Kind.CONVERT, 0, "burn 1"),
        (Kind.CONVERT, 2, "convert 3pw to 1w"),
        (Kind.CONVERT, 9, "convert 1w to 1p"),
        (Kind.END, 0, "end"),
        (Kind.FACTION, 13, "faction witches"),
        (Kind.DIG, 0, "dig 1"),
    ],
)
def test_actions_have_the_words_of_the_ledger(kind, argument, text):
    assert command(encode(kind, argument)) == text
    assert ACTIONS[text] == encode(kind, argument)


def test_every_action_has_a_command_of_its_own():
    texts = {command(action) for action in range(NUM_ACTIONS)}
    assert len(texts) == NUM_ACTIONS == sum(COUNTS.values())
    assert all(ACTIONS[command(action)] == action for action in range(NUM_ACTIONS))


def test_special_actions_and_cult_steps_are_named_as_in_the_case_at_hand():
    special = encode(Kind.SPECIAL)
    assert command(special, "ACTW") == "action ACTW"
    assert {ACTIONS[f"action ACT{letter}"] for letter in "ACGNSW"} == {special}
    assert command(encode(Kind.CULT), steps=2) == "+2 FIRE"


def test_bridges_are_known_in_both_directions():
    assert ACTIONS["bridge C1:A3"] == ACTIONS["bridge A3:C1"] == encode(Kind.BRIDGE)


def test_a_number_without_action_is_refused():
    with pytest.raises(ValueError, match="actions are 0 to 1076, got 1077"):
        command(NUM_ACTIONS)
