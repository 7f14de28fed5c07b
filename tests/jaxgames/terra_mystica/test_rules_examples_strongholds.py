"""Examples of the rules: what strongholds bring at once, and their special actions."""

import pytest

from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import position, seat

FREE_TILES = ["SCORE3", "SCORE4", "SCORE5", "SCORE6", "SCORE7", "SCORE2"]
NEXT_ROUND_TURN = ("end", "send AIR 1", "end", "send AIR 1", "end")


def at_once(name, **fields):
    """Returns a game before and after the stronghold on A13 is built."""
    game = position(seat(name, TP="A13", **fields))
    return game, game.play("upgrade A13 to SH")


def price_aside(name, **fields):
    """Returns what the stronghold changes besides coins and workers."""
    game, later = at_once(name, **fields)
    return {key: value for key, value in game.until(later).items() if key not in "cw"}


@pytest.mark.parametrize(
    ("name", "fields", "change"),
    [
        ("alchemists", {"pw": [6, 6, 0]}, {"pw": [-6, 0, 6]}),
        ("auren", {}, {}),
        ("chaosmagicians", {}, {}),
        ("cultists", {}, {"vp": 7}),
        ("darklings", {}, {}),
        ("dwarves", {}, {}),
        ("engineers", {}, {}),
        ("fakirs", {}, {"range": 1}),
        ("giants", {}, {}),
        ("halflings", {}, {"vp": 3}),
        ("mermaids", {"ship": 1}, {"ship": 1, "vp": 2}),
        ("mermaids", {"ship": 4}, {"ship": 1, "vp": 5}),
        ("mermaids", {"ship": 5}, {}),
        ("nomads", {}, {}),
        ("swarmlings", {}, {}),
        ("witches", {}, {}),
    ],
)
def test_a_stronghold_brings_at_once_what_its_board_says(name, fields, change):
    assert price_aside(name, **fields) == change


def test_auren_take_a_favor_tile_with_their_stronghold():
    _, later = at_once("auren")
    assert later.decision == Due.TILE
    assert len(later.those("+1 FAV")) == 12
    assert later.play("+1 FAV1").decision == Due.DONE


def test_alchemists_gain_power_for_spades_once_the_stronghold_stands():
    without = position(seat("alchemists", D="C1"))
    assert without.change("transform D2 to K") == {"w": -3}
    assert without.change("action ACT5") == {"pw": [4, 0, -4]}
    game = position(seat("alchemists", SH="C1"))
    assert game.change("transform D2 to K") == {"w": -3, "pw": [-2, 2, 0]}
    assert game.change("transform D3 to K") == {"w": -6, "pw": [-2, 0, 2]}
    assert game.play("action ACT5").row()["pw"] == [4, 6, 2], "bowl I holds the four just spent"


# --- Darklings ----------------------------------------------------------------------------------


def test_darklings_turn_up_to_three_workers_into_priests_directly_after():
    game, later = at_once("darklings", p=0)
    assert later.decision == Due.PRIEST
    for number in range(3):
        assert "end" in later.legal
        assert game.until(later) == {"c": -6, "w": -4 - number} | ({"p": number} if number else {})
        later = later.play("convert 1w to 1p")
    assert later.decision == Due.DONE
    assert "convert 1w to 1p" not in later.legal


def test_darklings_may_turn_fewer_workers_and_never_later():
    _, later = at_once("darklings")
    later = later.play("convert 1w to 1p", "end")
    assert later.decision == Due.DONE
    assert "convert 1w to 1p" not in later.legal


def test_darklings_priests_stay_within_the_cap():
    _, later = at_once("darklings", p=6)
    later = later.play("convert 1w to 1p")
    assert "convert 1w to 1p" not in later.legal
    assert "convert 1w to 1p" not in at_once("darklings", w=4)[1].legal, "no worker is left"
    assert "convert 1w to 1p" not in at_once("witches")[1].legal


# --- Auren, chaos magicians, giants -------------------------------------------------------------


def test_auren_advance_two_steps_on_one_cult():
    game = position(seat("auren", SH="C3", cult=[0, 0, 0, 2]))
    later = game.play("action ACTA")
    assert later.decision == Due.CULT
    assert game.until(later.play("+1 FIRE")) == {"cult": [2, 0, 0, 0]}
    assert game.until(later.play("+1 AIR")) == {"cult": [0, 0, 0, 2], "pw": [-1, 1, 0]}
    again = later.play("+1 AIR", *NEXT_ROUND_TURN)
    assert again.mover == 0 and "action ACTA" not in again.legal


def chaos(**fields):
    return position(seat("chaosmagicians", SH="A12", D="D4 D6", **fields))


def test_chaos_magicians_take_two_actions_in_succession():
    game = chaos().play("action ACTC")
    assert (game.mover, game.decision, game.text["pending"]["actions"]) == (0, Due.ACTION, 2)
    assert "action ACTC" not in game.legal
    game = game.play("upgrade D4 to TP")
    assert (game.mover, game.decision) == (0, Due.ACTION)
    assert "end" not in game.legal, "the second action is not optional"
    game = game.play("upgrade D4 to TE", "+1 FAV9", "+1 FAV10")
    assert game.decision == Due.DONE
    assert game.play("end").mover == 1


def test_an_unused_dwelling_of_the_first_action_is_given_up_before_the_second():
    game = chaos(dig=2).play("action ACTC", "transform C3 to R")
    assert game.decision == Due.BUILD
    built = game.play("build C3")
    assert built.decision == Due.ACTION
    game = game.play("end")
    assert (game.mover, game.decision) == (0, Due.ACTION)
    # C3 is red now: building there is an action of its own.
    assert game.play("build C3").decision == Due.DONE


def test_the_spades_of_the_second_action_know_nothing_of_the_first():
    game = chaos().play("action ACTC", "transform C3 to S", "action ACT6")
    # Blue D5 may become green, foreign as C3 is, or red with a third spade, which is bought.
    assert {"transform D5 to G", "transform D5 to R"} <= game.legal


def test_a_step_refused_in_the_first_action_is_made_when_the_second_brings_a_key():
    row = seat("chaosmagicians", SH="A9", TP="A7 A8", D="A6", cult=[9, 0, 0, 0])
    game = position(row).play("action ACTC", "send FIRE 1", "upgrade A6 to TP", "+1 TW1")
    assert (game.row()["cult"], game.row()["key"]) == ([10, 0, 0, 0], 0)


def test_passing_as_either_of_the_two_actions_ends_the_turn():
    game = chaos().play("action ACTC")
    for before in ((), ("send FIRE 1",)):
        later = game.play(*before, "pass BON1")
        assert later.decision == Due.DONE
        assert later.play("end").mover == 1
        assert later.row()["passed"] == 1


def test_giants_have_two_free_spades():
    game = position(seat("giants", SH="I1", w=1))
    later = game.play("action ACTG")
    assert game.until(later) == {}
    assert later.those("transform") == {"transform H1 to R", "transform I2 to R"}
    later = later.play("transform H1 to R")
    assert later.decision == Due.BUILD, "one hex only"
    assert game.until(later.play("build H1")) == {"w": -1, "c": -2}


# --- Engineers ----------------------------------------------------------------------------------


def test_engineers_with_stronghold_score_bridges_between_own_structures_at_passing():
    bridges = {"br": "F2:G1 F2:H2 E4:G1"}
    row = seat("engineers", D="F2 G1 E4", SH="A13", **bridges)
    game = position(row)
    later = game.play("pass BON1")
    # H2 is not theirs.
    assert later.sources() == {"FACTION": 6}
    without = position(seat("engineers", D="F2 G1 E4", TP="A13", **bridges))
    assert without.play("pass BON1").sources() == {}


# --- Nomads -------------------------------------------------------------------------------------


def test_a_sandstorm_turns_a_hex_beside_an_own_structure_without_spades():
    rows = (seat("nomads", SH="F3", ship=3, br="F3:G1"), seat("witches", D="F4"))
    game = position(*rows, scoring=["SCORE1", *FREE_TILES[:5]])
    later = game.play("action ACTN")
    assert later.decision == Due.SANDSTORM
    # E5, E6 and G2 share a side; F4 is built on, G1 lies across the bridge.
    assert later.those("transform") == {f"transform {name} to Y" for name in ("E5", "E6", "G2")}
    later = later.play("transform E6 to Y")
    assert game.until(later) == {}, "no spade, no point"
    assert later.those("build") == {"build E6"}
    assert later.change("build E6") == {"w": -1, "c": -2}
    assert later.play("end").text["terrain"]["E6"] == "Y"


# --- Swarmlings ---------------------------------------------------------------------------------


def test_swarmlings_get_a_trading_post_for_nothing():
    rows = (seat("swarmlings", SH="A13", D="D5 D2", fav="FAV10"), seat("witches", D="C3"))
    game = position(*rows)
    later = game.play("action ACTS")
    assert later.decision == Due.TRADING_POST
    assert later.those("upgrade") == {"upgrade D2 to TP", "upgrade D5 to TP"}
    later = later.play("upgrade D5 to TP")
    assert game.until(later) == {"vp": 3}
    assert later.play("end").decision == Due.LEECH
    again = later.play("end", "decline", "send AIR 1", "end", "send AIR 1", "end")
    assert again.mover == 0 and "action ACTS" not in again.legal


# --- Witches ------------------------------------------------------------------------------------


def test_witches_ride_to_any_free_green_hex():
    rows = (seat("witches", SH="C3", fav="FAV11"), seat("swarmlings", D="C4"))
    game = position(*rows, scoring=FREE_TILES, terrain={"A1": "G", "I11": "R"})
    later = game.play("action ACTW")
    assert later.decision == Due.RIDE
    free = ("A1", "A3", "A10", "D1", "E9", "F2", "F4", "G3", "I6")
    assert later.those("build") == {f"build {name}" for name in free}
    later = later.play("build A10")
    assert game.until(later) == {"vp": 2 + 2}, "no price, but the points for a dwelling"
    # A10 and B5 are neighbours: power is offered as ever.
    rows = (rows[0], seat("swarmlings", D="B5"))
    offered = position(*rows).play("action ACTW", "build A10", "end")
    assert (offered.mover, offered.decision) == (1, Due.LEECH)


@pytest.mark.parametrize(
    ("name", "action"),
    [("nomads", "action ACTN"), ("swarmlings", "action ACTS"), ("witches", "action ACTW")],
)
def test_what_a_special_action_gives_may_be_declined(name, action):
    game = position(seat(name, SH="F3", D="A1")).play(action, "end")
    assert game.decision == Due.DONE
    assert game.row()["used"] == ["SH"]
    assert game.play("end").mover == 1


@pytest.mark.parametrize("name", ["alchemists", "cultists", "darklings", "dwarves", "engineers"])
def test_some_strongholds_have_no_special_action(name):
    game = position(seat(name, SH="F3", D="A1"))
    assert "action stronghold" not in game.legal


def test_special_actions_need_the_stronghold():
    assert not position(seat("witches", D="C3")).those("action ACTW")
