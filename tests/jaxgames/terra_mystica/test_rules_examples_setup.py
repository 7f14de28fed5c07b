"""Examples of the rules: set-up, income, turn order, passing, the end of a round."""

import numpy as np
import pytest

from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import (
    MAIN,
    OPTIONS,
    before_setup,
    hexes_of,
    position,
    seat,
)


def test_first_dwellings_go_forth_and_back_then_to_nomads_then_to_chaos_magicians():
    game = before_setup("chaosmagicians", "nomads", "witches")
    movers = []
    for name in ("A5", "C3", "F4", "D3", "F3", "D4"):
        movers.append(game.mover)
        assert game.decision == Due.DWELLING
        game = game.play(f"build {name}")
    # Chaos magicians start, but place only at the very end.
    assert movers == [1, 2, 2, 1, 1, 0]
    assert game.decision == Due.CARD


def test_first_dwellings_may_stand_on_any_free_hex_of_the_own_colour():
    game = before_setup("witches", "dwarves", "mermaids")
    assert game.legal == {f"build {name}" for name in hexes_of("G")}
    game = game.play("build C3", "build E7")
    assert game.legal == {f"build {name}" for name in hexes_of("B")}
    # The witches' second dwelling, after both of the mermaids and the second of the dwarves.
    game = game.play("build D5", "build H4", "build C2")
    assert game.mover == 0
    assert game.legal == {f"build {name}" for name in hexes_of("G") - {"C3"}}


def test_first_dwellings_cost_nothing_and_give_neither_power_nor_points():
    game = before_setup("witches", "dwarves", "mermaids")
    # E7, D5 and C3 are neighbours; with the scoring tile for dwellings nothing changes either.
    later = game.play("build C3", "build E7", "build D5", "build H4", "build C2", "build F4")
    assert [game.until(later, number) for number in range(3)] == [{}, {}, {}]


def test_bonus_cards_are_chosen_in_reverse_order_and_the_rest_get_a_coin():
    game = before_setup("witches", "dwarves", "mermaids").play(
        *("build C3", "build E7", "build D5", "build H4", "build C2", "build F4")
    )
    cards = {f"pass BON{number}" for number in range(1, 7)}
    assert (game.mover, game.legal) == (2, cards)
    game = game.play("pass BON3")
    assert (game.mover, game.legal) == (1, cards - {"pass BON3"})
    game = game.play("pass BON1")
    assert (game.mover, game.legal) == (0, cards - {"pass BON3", "pass BON1"})
    game = game.play("pass BON5")
    assert (game.mover, game.decision) == (0, Due.ACTION)
    coins = {"BON1": 0, "BON2": 1, "BON3": 0, "BON4": 1, "BON5": 0, "BON6": 1}
    assert game.text["cards"] == coins


def test_the_first_round_begins_with_income():
    start = before_setup("witches", "dwarves", "mermaids")
    game = start.play(
        *("build C3", "build E7", "build D5", "build H4", "build C2", "build F4"),
        *("pass BON3", "pass BON1", "pass BON5"),
    )
    # Two dwellings: 3 workers. BON3: 6 coins; BON1: 2 coins; BON5: a worker and 3 power.
    assert start.until(game, 0) == {"w": 4, "pw": [-3, 3, 0]}
    assert start.until(game, 1) == {"c": 2, "w": 3}
    assert start.until(game, 2) == {"c": 6, "w": 3}


def test_factions_of_a_draft_are_chosen_in_seat_order_and_differ_in_colour():
    game = before_setup(rules=OPTIONS)
    assert (game.mover, len(game.legal)) == (0, 14)
    game = game.play("faction witches")
    assert game.mover == 1
    assert "faction auren" not in game.legal and len(game.legal) == 12
    game = game.play("faction halflings")
    assert game.mover == 2 and len(game.legal) == 10
    game = game.play("faction engineers")
    assert game.decision == Due.DWELLING
    assert [game.row(number)["faction"] for number in range(3)] == [
        "witches",
        "halflings",
        "engineers",
    ]
    assert (game.row(2)["c"], game.row(2)["w"], game.row(2)["pw"]) == (10, 2, [3, 9, 0])


# --- Turn order and passing ---------------------------------------------------------------------

PASSING = [seat("witches", D="C3"), seat("swarmlings", D="D2"), seat("giants", D="I1")]


def test_seats_act_clockwise_until_all_have_passed():
    game = position(*PASSING)
    game = game.play("send FIRE 1", "end")
    assert game.mover == 1
    game = game.play("pass BON1", "end")
    assert game.mover == 2
    game = game.play("send FIRE 1", "end")
    assert game.mover == 0
    game = game.play("send FIRE 1", "end")
    assert game.mover == 2, "seat 1 has passed"
    game = game.play("pass BON2", "end")
    # The last seat goes on alone.
    game = game.play("send FIRE 1", "end")
    assert game.mover == 0
    assert game.text["round"] == 1
    game = game.play("pass BON4", "end")
    assert game.text["round"] == 2


def _pass_in_order_1_2_0(rules):
    game = position(*PASSING, rules=rules)
    game = game.play("send FIRE 1", "end", "pass BON1", "end", "send FIRE 1", "end")
    return game.play("send FIRE 1", "end", "pass BON2", "end", "pass BON4", "end")


def test_who_passes_first_starts_the_next_round_clockwise():
    game = _pass_in_order_1_2_0(MAIN)
    assert game.text["order"] == [1, 2, 0]
    # The order is not that of passing: 2 passes first, then 1, then 0.
    game = game.play("send AIR 1", "end", "pass BON3", "end", "send AIR 1", "end")
    game = game.play("pass BON5", "end", "pass BON8", "end")
    assert game.text["order"] == [2, 0, 1]
    assert game.mover == 2


def test_in_passing_order_the_next_round_goes_as_the_seats_passed():
    game = _pass_in_order_1_2_0(OPTIONS)
    assert game.text["order"] == [1, 2, 0]
    # Seat 2 passes first and goes to the end of the list; 1 follows 0 as before.
    game = game.play("send AIR 1", "end", "pass BON3", "end")
    assert game.text["order"] == [1, 0, 2] and game.mover == 0
    game = game.play("send AIR 1", "end", "pass BON5", "end")
    assert game.text["order"] == [0, 2, 1] and game.mover == 0
    game = game.play("pass BON8", "end")
    assert game.text["order"] == [2, 1, 0]
    assert game.mover == 2


def test_passing_takes_another_card_with_its_coins():
    cards = {"BON1": 2, "BON2": 0, "BON3": 0, "BON4": 1, "BON5": 0, "BON8": 0}
    game = position(*PASSING, cards=cards)
    assert game.those("pass") == {"pass BON1", "pass BON2", "pass BON4"}, "not the own card"
    later = game.play("pass BON1")
    assert game.until(later) == {"c": 2}
    assert later.row()["bon"] == "BON1"
    assert later.text["cards"]["BON1"] == 0
    later = later.play("end")
    assert "pass BON3" in later.legal, "the returned card can be taken by the next"


def test_the_last_round_ends_without_taking_a_card():
    game = position(*PASSING, round=6)
    assert game.those("pass") == {"pass"}
    later = game.play("pass")
    assert later.row()["bon"] == ""


def test_cards_that_nobody_took_get_a_coin_at_the_start_of_the_next_round():
    cards = {"BON1": 0, "BON2": 0, "BON3": 0, "BON4": 3, "BON5": 0, "BON8": 0}
    game = position(*PASSING, cards=cards)
    game = game.play("pass BON1", "end", "pass BON2", "end", "pass BON3", "end")
    assert game.text["cards"] == {
        **{"BON1": 0, "BON2": 0, "BON3": 0},
        **{"BON4": 4, "BON5": 1, "BON8": 1},
    }


# --- Points for passing -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "points"),
    [("BON1", 0), ("BON3", 0), ("BON6", 8), ("BON7", 4), ("BON9", 3)],
)
def test_bonus_cards_score_structures_when_returned(card, points):
    row = seat("witches", D="A3 C3 D1", TP="C4 E9", SH="F2", SA="F4", bon=card)
    game = position(row)
    later = game.play("pass BON2" if card != "BON2" else "pass BON1")
    assert game.until(later).get("vp", 0) == points
    assert later.sources() == ({"BONUS_CARD": points} if points else {})


@pytest.mark.parametrize(("posts", "points"), [("", 0), ("C3", 2), ("C3 C4 D1", 3)])
def test_favor_12_scores_trading_posts_at_passing(posts, points):
    game = position(seat("witches", D="A3", TP=posts, fav="FAV12"))
    later = game.play("pass BON1")
    assert later.sources() == ({"FAVOR": points} if points else {})


def test_favor_12_scores_4_points_for_4_trading_posts():
    game = position(seat("witches", TP="A3 C3 C4 D1", fav="FAV12"))
    assert game.change("pass BON1") == {"vp": 4}


def test_bonus_card_10_scores_own_shipping_at_passing():
    row = seat("witches", D="A3", ship=2, bon="BON10")
    game = position(row, rules=OPTIONS)
    later = game.play("pass BON1")
    assert later.sources() == {"BONUS_CARD": 6}


# --- The end of a round -------------------------------------------------------------------------


def _end_round(*rows, scoring, rules=MAIN, **fields):
    """Returns round 1 before anybody passes, and the beginning of what follows its end."""
    tiles = [scoring] + [f"SCORE{n}" for n in range(2, 9) if f"SCORE{n}" != scoring]
    game = position(*rows, rules=rules, scoring=tiles[:6], **fields)
    return game, game.play("pass BON1", "end", "pass BON2", "end", "pass BON4", "end")


# Without structures: a worker of the faction board. BON1: 2 coins. The rest is the cult bonus.
INCOME = {"c": 2, "w": 1}


@pytest.mark.parametrize(
    ("scoring", "cult", "change"),
    [
        ("SCORE1", [0, 0, 3, 0], {"c": 5, "w": 1}),
        ("SCORE3", [0, 7, 0, 0], {"c": 2, "w": 1, "p": 1}),
        ("SCORE3", [0, 8, 0, 0], {"c": 2, "w": 1, "p": 2}),
        ("SCORE4", [5, 0, 0, 0], {"c": 2, "w": 3}),
        ("SCORE5", [4, 0, 0, 0], {"c": 2, "w": 1, "pw": [-2, 0, 2]}),
        ("SCORE7", [0, 0, 0, 9], {"c": 2, "w": 5}),
        ("SCORE3", [9, 3, 9, 9], INCOME),
        ("SCORE4", [1, 9, 9, 9], INCOME),
        ("SCORE5", [3, 9, 9, 9], INCOME),
        ("SCORE7", [9, 9, 9, 1], INCOME),
        ("SCORE1", [9, 9, 0, 9], INCOME),
    ],
)
def test_the_cult_bonus_is_given_once_for_each_full_number_of_steps(scoring, cult, change):
    row = seat("darklings", cult=cult, p=0)
    game, later = _end_round(row, scoring=scoring)
    assert later.text["round"] == 2
    assert game.until(later) == change


@pytest.mark.parametrize(
    ("scoring", "cult", "spades"),
    [
        ("SCORE2", [0, 0, 8, 0], 2),
        ("SCORE2", [9, 9, 3, 9], 0),
        ("SCORE6", [0, 5, 0, 0], 1),
        ("SCORE8", [0, 0, 0, 4], 1),
    ],
)
def test_the_cult_bonus_of_some_tiles_is_spades(scoring, cult, spades):
    _, later = _end_round(seat("witches", D="C3", cult=cult), scoring=scoring)
    assert later.row()["spades"] == spades
    assert later.text["phase"] == ("cult_spades" if spades else "actions")


def test_score_9_gives_coins_for_priests_on_the_cult_board():
    spots = {
        **{"FIRE": [0, -1, 0, -1], "WATER": [1, -1, -1, -1]},
        **{"EARTH": [-1, 0, 1, -1], "AIR": [-1] * 4},
    }
    row = seat("witches", D="C3", p=2)
    game, later = _end_round(row, scoring="SCORE9", rules=OPTIONS, spots=spots)
    assert game.until(later) == {"c": 2 + 3 * 2, "w": 2}


def test_bonus_comes_before_income_and_priests_above_the_cap_are_lost():
    spots = {"FIRE": [0, 0, 0, -1], "WATER": [-1] * 4, "EARTH": [-1] * 4, "AIR": [-1] * 4}
    # Three of seven priests are on the board; one more is left from the bonus of two.
    row = seat("witches", D="C3", cult=[0, 9, 0, 0], p=3, TE="F4")
    game, later = _end_round(row, scoring="SCORE3", spots=spots)
    assert game.until(later) == {"c": 2, "w": 2, "p": 1}


def test_action_spaces_and_special_actions_are_free_again_in_the_next_round():
    row = seat("witches", D="C3", SH="F4", fav="FAV6", bon="BON2", used="BON FAV6 SH")
    game, later = _end_round(row, scoring="SCORE2", actions=["ACT1", "ACT6"])
    assert later.text["actions"] == []
    assert later.row()["used"] == []
    assert not any(row["passed"] for row in later.text["players"])
    assert "action FAV6" not in game.legal
    # Seat 0 passed first and holds BON1 now.
    assert {"action FAV6", "action ACTW", "action BON1"} <= later.legal


@pytest.mark.parametrize("rules", [MAIN, OPTIONS])
def test_cult_spades_are_used_in_the_order_of_the_coming_round(rules):
    rows = [seat("witches", D="C3", cult=[0, 0, 4, 0]), *PASSING[1:]]
    rows[1] = seat("swarmlings", D="D2", cult=[0, 0, 4, 0])
    rows[2] = seat("halflings", D="I1", cult=[0, 0, 8, 0])
    game = position(*rows, rules=rules).play("send FIRE 1", "end", "send FIRE 1", "end")
    game = game.play("pass BON1", "end", "pass BON2", "end", "pass BON4", "end")
    movers = []
    for name, colour in (("H1", "U"), ("I2", "U"), ("D5", "G"), ("D1", "B")):
        assert game.decision == Due.CULT_SPADES
        movers.append(game.mover)
        game = game.play(f"transform {name} to {colour}")
    # Order of passing: 2, 0, 1, the same as clockwise from 2. Two spades of seat 2: two hexes.
    assert movers == [2, 2, 0, 1]
    assert game.text["round"] == 2 and game.mover == 2


def test_there_is_no_cult_bonus_after_the_last_round():
    row = seat("witches", D="C3", cult=[0, 0, 8, 0])
    tiles = ["SCORE3", "SCORE4", "SCORE5", "SCORE6", "SCORE7", "SCORE2"]
    game = position(row, round=6, scoring=tiles)
    later = game.play("pass", "end", "pass", "end", "pass", "end")
    assert later.text["phase"] == "over"
    assert later.row()["spades"] == 0
    assert later.legal == set()
    assert np.asarray(game.rules.is_over(later.state))
