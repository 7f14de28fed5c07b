"""Examples of the rules: free spades, which hexes they may be used on, and giving them up."""

import pytest

from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import halflings, position, seat

# --- One free spade: ACT5 and the bonus card ----------------------------------------------------


@pytest.mark.parametrize(
    ("space", "fields", "price"),
    [("ACT5", {}, {"pw": [4, 0, -4]}), ("BON1", {"bon": "BON1"}, {})],
)
def test_one_free_spade_may_be_joined_by_bought_ones_for_the_same_hex(space, fields, price):
    game = position(halflings(**fields))
    later = game.play(f"action {space}")
    assert game.until(later) == {**price, "vp": 1}, "a point for the spade received"
    assert later.decision == Due.SPADES
    assert later.change("transform E5 to U") == {}
    assert later.change("transform D4 to U") == {"w": -3, "vp": 1}
    assert later.change("transform F4 to U") == {"w": -6, "vp": 2}
    one = later.play("transform E5 to U")
    assert not one.those("transform")
    assert one.those("build") == {"build E5"}


def test_a_free_spade_needs_no_workers():
    later = position(halflings(w=0)).play("action ACT5")
    assert later.targets == {"E5", "F3", "E7", "D4", "F4"}
    assert later.those("transform E5") == {"transform E5 to U", "transform E5 to B"}


@pytest.mark.parametrize("space", ["ACT5", "ACT6"])
def test_free_spades_may_be_given_up_but_their_points_stay(space):
    tiles = ["SCORE1", "SCORE2", "SCORE3", "SCORE4", "SCORE5", "SCORE6"]
    game = position(halflings(), scoring=tiles)
    spades = {"ACT5": 1, "ACT6": 2}[space]
    later = game.play(f"action {space}", "end")
    power = {"ACT5": [4, 0, -4], "ACT6": [6, 0, -6]}[space]
    assert game.until(later) == {"pw": power, "vp": 3 * spades}
    assert later.sources() == {"SCORING_TILE": 2 * spades, "FACTION": spades}
    assert later.decision == Due.DONE


def test_a_power_action_is_there_once_in_a_round_for_the_whole_table():
    game = position(halflings(), seat("witches", D="C3"))
    assert "action ACT5" in game.legal
    game = game.play("action ACT5", "end", "end")
    assert game.mover == 1
    assert "action ACT5" not in game.legal and "action ACT6" in game.legal


def test_darklings_earn_points_only_for_spades_paid_with_priests():
    game = position(seat("darklings", D="C1")).play("action ACT5")
    assert game.change("transform D2 to K") == {}
    assert game.change("transform D3 to K") == {"p": -1, "vp": 2}


def test_giants_must_buy_a_second_spade_to_a_single_one():
    game = position(seat("giants", D="I1")).play("action ACT5")
    assert game.change("transform H1 to R") == {"w": -3}
    assert position(seat("giants", D="I1", w=2)).play("action ACT5").those("transform") == set()


# --- Two free spades: ACT6 ----------------------------------------------------------------------


def test_two_free_spades_turn_two_hexes_of_which_one_is_built_on():
    game = position(halflings()).play("action ACT6")
    later = game.play("transform E5 to U", "transform F3 to U")
    assert game.until(later) == {}
    assert later.those("build") == {"build E5", "build F3"}
    later = later.play("build F3")
    assert later.decision == Due.DONE


def test_building_waits_for_the_rest_of_the_spades():
    game = position(halflings()).play("action ACT6", "transform E5 to U")
    assert game.decision == Due.SPADES
    assert not game.those("build")
    game = game.play("end")
    assert game.those("build") == {"build E5"}


def test_two_free_spades_may_be_joined_by_bought_ones_only_on_a_single_hex():
    game = position(halflings()).play("action ACT6")
    assert game.change("transform D4 to U") == {}
    assert game.change("transform F4 to U") == {"w": -3, "vp": 1}
    # After the first of two hexes only one free spade is left.
    later = game.play("transform E5 to U")
    assert {text for text in later.legal if text.endswith("to U")} == {"transform F3 to U"}


def test_one_of_the_two_hexes_must_get_the_home_terrain():
    game = position(halflings()).play("action ACT6")
    away = game.play("transform E5 to B")
    assert away.those("transform") == {"transform F3 to U"}
    home = game.play("transform F3 to U")
    assert {"transform E5 to U", "transform E5 to B", "transform E7 to R"} <= home.legal


def test_giants_use_both_spades_on_one_hex():
    game = position(seat("giants", D="I1")).play("action ACT6")
    later = game.play("transform H1 to R")
    assert game.until(later) == {}
    assert later.decision == Due.BUILD


# --- Three free spades: the halflings' stronghold -----------------------------------------------


def stronghold(**fields):
    return position(seat("halflings", D="E6", TP="F7", **fields)).play("upgrade F7 to SH")


def test_the_halflings_stronghold_gives_three_spades_for_several_hexes_and_one_dwelling():
    game = position(seat("halflings", D="E6", TP="F7"), terrain={"F4": "K"})
    later = game.play("upgrade F7 to SH")
    assert game.until(later) == {"w": -4, "c": -8, "vp": 3}
    later = later.play("transform E5 to U", "transform F3 to U", "transform F4 to U")
    assert game.until(later) == {"w": -4, "c": -8, "vp": 3}
    assert later.those("build") == {"build E5", "build F3", "build F4"}
    assert later.change("build F4") == {"w": -1, "c": -2}
    assert later.play("build F4").decision == Due.DONE


def test_no_spades_can_be_bought_for_those_of_the_stronghold():
    game = stronghold(w=30)
    later = game.play("transform E5 to U")
    assert "transform D4 to U" in later.legal, "two spades are left"
    assert "transform F4 to U" not in later.legal, "three are needed"
    assert "transform F4 to U" in game.legal


def test_one_hex_of_the_stronghold_s_spades_may_stay_foreign():
    later = stronghold().play("transform E7 to R")
    assert later.those("transform D4") == {"transform D4 to U"}
    assert all(text.endswith("to U") for text in later.those("transform"))


def test_the_stronghold_s_spades_may_be_given_up_and_the_dwelling_too():
    game = stronghold()
    assert game.play("end").decision == Due.DONE
    later = game.play("transform E5 to U", "end")
    assert later.those("build") == {"build E5"}
    assert later.play("end").mover == 1


# --- Spades of the cult bonus -------------------------------------------------------------------


CARDS = dict.fromkeys(["BON7", "BON1", "BON2", "BON6", "BON8", "BON3"], 0)
PASSES = ("pass BON1", "end", "pass BON2", "end", "pass BON6", "end")


def cult_bonus(faction, spades=1, **fields):
    """Returns the position after round 1 in which seat 0 gets spades by its earth level."""
    row = seat(faction, bon="BON7", cult=[0, 0, 4 * spades, 0], **fields)
    return position(row, cards=CARDS).play(*PASSES)


def test_cult_spades_are_used_without_buying_and_without_building():
    game = cult_bonus("halflings", D="E6")
    assert game.decision == Due.CULT_SPADES
    assert game.those("transform E5") == {"transform E5 to U", "transform E5 to B"}
    assert game.those("convert", "burn", "build") == set()
    later = game.play("transform E5 to U")
    assert later.text["round"] == 2, "no dwelling is built"
    assert later.row()["D"] == ["E6"]


def test_two_cult_spades_may_turn_two_hexes_into_any_colours():
    game = cult_bonus("witches", D="F4", spades=2)
    # Yellow F3 to brown and red G2 to yellow; neither is green.
    game = game.play("transform F3 to U", "transform G2 to Y")
    assert game.text["round"] == 2


def test_cult_spades_may_be_given_up():
    game = cult_bonus("halflings", D="E6", spades=2)
    start = game.row()["vp"]
    game = game.play("end")
    assert game.text["round"] == 2
    assert (start, game.row()["vp"]) == (22, 22), "the points for two spades stay"


def test_giants_lose_a_single_cult_spade():
    game = cult_bonus("giants", D="I1")
    assert game.legal == {"end"}


def test_cult_spades_are_used_without_tunnel():
    game = cult_bonus("dwarves", D="E7")
    assert game.targets == {"D4", "D5", "E6", "E8", "F4"}


def test_cult_spades_are_used_without_the_ship_of_the_bonus_card():
    cards = dict.fromkeys(["BON4", "BON1", "BON2", "BON6", "BON8", "BON3"], 0)
    row = seat("witches", D="C3", bon="BON1", cult=[0, 0, 4, 0])
    game = position(row, cards=cards)
    game = game.play("pass BON4", "end", "pass BON2", "end", "pass BON6", "end")
    assert game.row()["bon"] == "BON4"
    assert game.targets == {"D4", "D5"}
    game = game.play("end")
    assert {"A6", "C4"} <= game.targets, "from now on it counts"


def test_alchemists_with_stronghold_get_power_for_cult_spades():
    game = cult_bonus("alchemists", D="D2", SH="C1", pw=[6, 6, 0])
    assert game.row()["pw"] == [4, 8, 0]


# --- Alchemists' spades, paid one by one --------------------------------------------------------


def alchemists(**fields):
    return seat("alchemists", SH="C1", **fields)


def test_alchemists_with_stronghold_buy_spades_one_by_one():
    game = position(alchemists(pw=[6, 6, 0]))
    later = game.play("dig 1")
    assert game.until(later) == {"w": -3, "pw": [-2, 2, 0]}
    assert "end" not in later.legal, "bought spades must be used"
    later = later.play("dig 1")
    assert game.until(later) == {"w": -6, "pw": [-4, 4, 0]}
    # D3 is yellow: two spades to black. D2 is blue: one would be enough.
    assert "transform D2 to K" not in later.legal
    later = later.play("transform D3 to K")
    assert game.until(later) == {"w": -6, "pw": [-4, 4, 0]}
    assert later.those("build") == {"build D3"}


def test_the_power_of_a_spade_may_pay_for_the_next():
    game = position(alchemists(pw=[0, 2, 1], w=3, dig=1)).play("dig 1")
    assert "dig 1" not in game.legal, "a worker is left, two are needed"
    game = game.play("convert 3pw to 1w", "dig 1")
    assert game.row()["w"] == 0


def test_others_do_not_buy_spades_before_the_hex_is_named():
    assert "dig 1" not in position(seat("alchemists", D="C1")).legal
    assert "dig 1" not in position(seat("halflings", D="E6", SH="F7")).legal


def test_free_spades_may_be_joined_by_bought_ones_one_by_one():
    game = position(alchemists(pw=[0, 0, 6])).play("action ACT6")
    later = game.play("dig 1")
    assert game.until(later) == {"w": -3, "pw": [-2, 2, 0]}
    assert "end" not in later.legal
    # Yellow D3 takes three spades to green, the way that does not pass black, and one more to blue.
    assert later.those("transform D3") == {"transform D3 to G", "transform D3 to B"}
    assert "dig 1" not in game.play("transform D2 to K").legal, "that was the first of two hexes"


def test_no_more_spades_are_bought_than_a_hex_in_reach_can_take():
    # Red is three steps from black either way, and blue or yellow would be next: a fourth spade
    # could be used on neither of the two neighbours of C1.
    game = position(alchemists(w=20), terrain={"D2": "R", "D3": "R"})
    game = game.play("dig 1", "dig 1", "dig 1")
    assert "dig 1" not in game.legal
    assert game.those("transform") == {
        f"transform {name} to {letter}" for name in ("D2", "D3") for letter in "KB"
    }
