import numpy as np
import pytest

from jaxgames.terra_mystica.state import Phase, Spades, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import Special
from tests.jaxgames.terra_mystica.drawn import FIVE, TWO, cells, change, draw, start
from tests.svg_trees import having, words


def decision(state: TerraMysticaState, **options) -> str:
    return words(having(draw(state, **options), "heading")[0])[1]


@pytest.mark.parametrize(
    ("pending", "expected"),
    [
        ({}, "take an action"),
        ({"actions": 2}, "take two actions"),
        ({"actions": 0}, "convert or end the turn"),
        ({"favors": 2}, "choose 2 favor tiles"),
        ({"favors": 1, "towns": 1}, "choose a favor tile, choose a town tile"),
        ({"cult_steps": 2}, "take 2 cult steps"),
        ({"bridges": 1}, "place a bridge"),
        ({"spades": 3, "source": Spades.STRONGHOLD}, "use 3 spades"),
        ({"priests": 3}, "turn up to 3 workers into priests"),
        ({"special": Special.SANDSTORM}, "turn a neighbouring hex to desert"),
        ({"special": Special.RIDE}, "place a dwelling on any forest"),
        ({"special": Special.TRADING_POST}, "upgrade a dwelling for free"),
        ({"buildable": cells("A2 E7")}, "build on A2 or E7"),
    ],
)
def test_open_choices_are_named(pending, expected):
    state = change(start(seat=1), "pending", **pending)
    assert decision(state) == f"Halflings: {expected}"


def test_key_for_one_of_several_cults_is_a_choice():
    state = change(start(), "pending", refused=0b11)
    assert decision(state) == "Engineers: take an action"
    state = change(state, "players", keys=[1, 0])
    assert decision(state) == "Engineers: choose the cult to complete with a key"


@pytest.mark.parametrize(
    ("factions", "fields", "expected"),
    [
        (("", ""), {"phase": Phase.FACTIONS, "placed": 1}, "Seat 1: choose a faction"),
        (TWO, {"phase": Phase.DWELLINGS, "placed": 2}, "Halflings: place a first dwelling"),
        (TWO, {"phase": Phase.CARDS}, "Halflings: choose a bonus card"),
        (
            ("cultists", "giants"),
            {"phase": Phase.REACTION},
            "Cultists: take a cult step, as an opponent took power",
        ),
    ],
)
def test_phases_are_named(factions, fields, expected):
    assert decision(start(factions, **fields)) == expected


def test_offered_power_is_the_amount_that_can_be_taken():
    state = start(FIVE, phase=Phase.LEECH, seat=1)
    state = change(state, "leech", amounts=[[3, 0, 0, 0, 5], [0, 0, 4, 0, 0]])
    assert decision(state) == "Mermaids: take 5 power for 4 VP, or decline"
    state = change(state, "players", vp=[20, 20, 20, 20, 2])
    assert decision(state) == "Mermaids: take 3 power for 2 VP, or decline"
    full = np.array([[5, 7, 0]] * 4 + [[0, 0, 12]])
    state = change(state, "players", bowls=full)
    assert decision(state) == "Witches: take 3 power for 2 VP, or decline"


def test_cult_spades_are_named():
    state = change(start(phase=Phase.CULT_SPADES, seat=1), "players", cult_spades=[1, 2])
    assert decision(state) == "Halflings: use 2 spades of the cult bonus"


@pytest.mark.parametrize(
    ("vp", "expected"),
    [
        ([90, 101], "Halflings win with 101 VP"),
        ([77, 77], "Engineers and Halflings share the win with 77 VP"),
    ],
)
def test_end_names_the_winner_and_nobody_decides(vp, expected):
    state = change(start(phase=Phase.OVER, round=6), "players", vp=vp)
    root = draw(state)
    assert words(having(root, "heading")[0]) == ["Game over", expected]
    assert not any("to decide" in text for text in words(root))
