"""Examples of the rules: what founds a town, its tiles, and mermaids' river hexes."""

import pytest

from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import OPTIONS, position, seat

# A5 to A9 lie in a row; B3 touches A5 and A6.
FOUND = "upgrade A6 to TP"


def row_of_four(name="witches", **fields):
    """Power 6; the upgrade of A6 makes it 7."""
    return seat(name, D="A6 A7", TP="A8 A9", **fields)


def test_four_joined_structures_of_power_7_are_a_town():
    game = position(row_of_four()).play(FOUND)
    assert game.decision == Due.TILE
    assert game.those("+") == {f"+1 TW{n}" for n in range(1, 6)}
    assert game.text["towns"] == ["A6", "A7", "A8", "A9"]
    assert "end" not in game.legal, "a tile must be taken"
    assert game.play("+1 TW1").decision == Due.DONE


def test_less_power_or_fewer_structures_are_none():
    game = position(seat("witches", D="A6 A7 A8", TP="A9")).play(FOUND)
    assert game.decision == Due.DONE, "power 6"
    game = position(seat("witches", TP="A7", TE="A8", SH="A9")).play("upgrade A7 to TE", "+1 FAV9")
    assert (game.decision, game.text["towns"]) == (Due.DONE, []), "three structures"
    game = position(seat("witches", D="A6", TP="A8 A9", SH="A10")).play(FOUND)
    assert game.decision == Due.DONE, "not joined"


def test_a_sanctuary_counts_as_two_structures():
    game = position(seat("witches", TP="A7", TE="A8", D="A6")).play("upgrade A8 to SA", "+1 FAV9")
    assert game.decision == Due.DONE, "1 + 2 + 3 is less than 7"
    game = position(seat("witches", TP="A7 A6", TE="A8")).play("upgrade A8 to SA")
    assert game.those("+1 TW")
    assert game.text["towns"] == ["A6", "A7", "A8"]


def test_a_dwelling_founds_a_town_too():
    game = position(seat("witches", TP="A7 A8 A9"), terrain={"A6": "G"}).play("build A6")
    assert game.text["towns"] == ["A6", "A7", "A8", "A9"]
    assert game.decision == Due.TILE


def test_a_bridge_joins_a_town():
    # F2 and G1 lie on both sides of r20 and r27.
    row = seat("witches", D="F1", TP="F2", SH="G1", TE="H3")
    game = position(row).play("action ACT1", "bridge F2:G1")
    assert game.text["towns"] == ["F1", "F2", "G1", "H3"]
    assert game.decision == Due.TILE
    # Elsewhere it joins nothing.
    game = position(row).play("action ACT1", "bridge F1:H1")
    assert game.decision == Due.DONE


def test_favor_5_lowers_the_power_to_6():
    game = position(seat("witches", D="A6 A7 A8", TP="A9", fav="FAV5")).play(FOUND)
    assert game.text["towns"] == ["A6", "A7", "A8", "A9"]
    game = position(seat("witches", D="A5 A6 A7 A8", TP="", fav="FAV5")).play(FOUND)
    assert game.text["towns"] == [], "power 5"


def test_taking_favor_5_founds_towns_at_once_two_if_there_are_two():
    row = seat("witches", D="A6 A7 I1 I2", TP="A8 A9 I3 I4", TE="G7")
    game = position(row).play("upgrade G7 to SA")
    assert game.text["towns"] == []
    game = game.play("+1 FAV5")
    assert game.text["towns"] == ["A6", "A7", "A8", "A9", "I1", "I2", "I3", "I4"]
    assert game.text["pending"]["towns"] == 2
    game = game.play("+1 TW1", "+1 TW1")
    assert (game.row()["key"], game.row()["tw"]) == (2, ["TW1", "TW1"])
    assert game.decision == Due.DONE


def test_structures_that_join_a_town_later_belong_to_it():
    towns = ["A6", "A7", "A8", "A9"]
    row = seat("witches", D="A6 A7", TP="A8 A9", tw="TW1")
    game = position(row, towns=towns, terrain={"A5": "G"}).play("build A5")
    assert game.text["towns"] == ["A5", *towns]
    assert game.decision == Due.DONE


def test_a_group_that_touches_a_town_founds_no_other():
    # A1, A2, A3 and B1 would be a town if A4 did not join them to A5.
    row = seat("witches", SH="A1", TP="A2 A3 A5")
    game = position(row, towns=["A5"], terrain={"A4": "G"}).play("build A4")
    assert game.decision == Due.DONE
    assert game.text["towns"] == ["A1", "A2", "A3", "A4", "A5"]


def test_towns_of_others_are_no_matter():
    rows = [row_of_four(), seat("swarmlings", D="A5", tw="TW1")]
    game = position(*rows, towns=["A5"]).play(FOUND)
    assert game.text["towns"] == ["A5", "A6", "A7", "A8", "A9"]
    assert game.decision == Due.TILE


# --- Tiles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "change"),
    [
        ("TW1", {"vp": 5, "c": 6}),
        ("TW2", {"vp": 7, "w": 2}),
        ("TW3", {"vp": 9, "p": 1}),
        ("TW4", {"vp": 6, "pw": [-2, -4, 6]}),
        ("TW5", {"vp": 8, "cult": [1, 1, 1, 1]}),
    ],
)
def test_town_tiles_bring_points_goods_and_a_key(tile, change):
    # SCORE2 does not lie in this round.
    tiles = ["SCORE3", "SCORE4", "SCORE5", "SCORE6", "SCORE7", "SCORE2"]
    game = position(row_of_four("auren"), scoring=tiles).play(FOUND)
    later = game.play(f"+1 {tile}")
    assert game.until(later) == {"key": 1, **change}
    assert later.row()["tw"] == [tile]


def test_each_town_scores_with_scoring_tile_2():
    game = position(row_of_four("auren")).play(FOUND)
    later = game.play("+1 TW1")
    assert game.until(later)["vp"] == 5 + 5
    assert later.sources() == {"TOWN": 5, "SCORING_TILE": 5}


def test_witches_earn_points_and_swarmlings_workers_for_a_town():
    tiles = ["SCORE3", "SCORE4", "SCORE5", "SCORE6", "SCORE7", "SCORE2"]
    game = position(row_of_four("witches"), scoring=tiles).play(FOUND, "+1 TW1")
    assert game.sources() == {"TOWN": 5, "FACTION": 5}
    game = position(row_of_four("swarmlings"), scoring=tiles).play(FOUND)
    assert game.change("+1 TW1") == {"vp": 5, "c": 6, "key": 1, "w": 3}


def test_a_priest_above_the_cap_is_lost():
    game = position(row_of_four("auren", p=7)).play(FOUND)
    assert "p" not in game.change("+1 TW3")


def test_town_tiles_run_out():
    rows = [row_of_four(), seat("swarmlings", tw="TW1 TW1 TW2"), seat("giants", tw="TW2 TW3")]
    game = position(*rows).play(FOUND)
    assert game.those("+1 TW") == {"+1 TW3", "+1 TW4", "+1 TW5"}
    rows[1] = seat("swarmlings", tw="TW1 TW1 TW2 TW2 TW3 TW3")
    rows[2] = seat("giants", tw="TW4 TW4 TW5 TW5")
    game = position(*rows).play(FOUND)
    assert (game.decision, game.text["towns"]) == (Due.DONE, []), "none is left"


def test_the_last_tile_is_for_one_of_two_towns():
    rows = [
        seat("witches", D="A6 A7 I1 I2", TP="A8 A9 I3 I4", TE="G7"),
        seat("swarmlings", tw="TW1 TW1 TW2 TW2 TW3 TW3"),
        seat("giants", tw="TW4 TW4 TW5"),
    ]
    game = position(*rows).play("upgrade G7 to SA", "+1 FAV5")
    assert game.text["towns"] == ["A6", "A7", "A8", "A9"]
    assert game.those("+") == {"+1 TW5"}
    assert game.play("+1 TW5").decision == Due.DONE


def test_favor_and_town_tile_are_taken_in_any_order():
    game = position(seat("witches", TP="A6 A7", TE="A8", D="A9")).play("upgrade A7 to TE")
    assert {"+1 TW1", "+1 FAV9"} <= game.legal
    assert game.play("+1 TW1", "+1 FAV9").row() == game.play("+1 FAV9", "+1 TW1").row()


# --- Small tiles, an option ---------------------------------------------------------------------


def option_town(row):
    tiles = ["SCORE3", "SCORE4", "SCORE5", "SCORE6", "SCORE7", "SCORE2"]
    return position(row, rules=OPTIONS, scoring=tiles).play(FOUND)


def test_small_town_tiles_are_an_option():
    game = option_town(row_of_four("auren"))
    assert game.those("+") == {f"+1 TW{n}" for n in range(1, 9)}
    assert game.change("+1 TW6") == {"vp": 2, "key": 2, "cult": [2, 2, 2, 2]}
    assert game.change("+1 TW7") == {"vp": 4 + 2, "key": 1, "ship": 1}
    assert game.change("+1 TW8") == {"vp": 11, "key": 1}


def test_tile_7_advances_what_can_be_advanced():
    assert option_town(row_of_four("auren", ship=3)).change("+1 TW7") == {"vp": 4, "key": 1}
    assert option_town(row_of_four("dwarves")).change("+1 TW7") == {"vp": 4, "key": 1}
    fakirs = option_town(row_of_four("fakirs"))
    assert fakirs.change("+1 TW7") == {"vp": 4, "key": 1, "range": 1}
    assert option_town(row_of_four("fakirs", range=4)).change("+1 TW7") == {"vp": 4, "key": 1}
    assert option_town(row_of_four("mermaids")).change("+1 TW7")["vp"] == 4 + 2


def test_there_is_one_copy_of_tiles_6_and_8_and_two_of_7():
    rows = [row_of_four("auren"), seat("swarmlings", tw="TW6 TW7 TW8")]
    assert position(*rows, rules=OPTIONS).play(FOUND).those("+1 TW") == {
        *("+1 TW1", "+1 TW2", "+1 TW3", "+1 TW4", "+1 TW5", "+1 TW7"),
    }


# --- Mermaids -----------------------------------------------------------------------------------


def mermaids(**fields):
    """C3 and D4 lie on one side of r9, C2 and B3 on the other; power 7 together."""
    return seat("mermaids", D="C3", TP="B3 C2", TE="D4", **fields)


def test_mermaids_found_a_town_across_a_river_hex():
    game = position(mermaids())
    # r2 touches B3 and C3, r15 touches C2 and D4, r9 all of them.
    assert game.those("connect") == {"connect r2", "connect r9", "connect r15"}
    later = game.play("connect r9")
    assert later.text["towns"] == ["B3", "C2", "C3", "D4"]
    assert later.text["skipped"] == ["r9"]
    assert later.decision == Due.TILE
    later = later.play("+1 TW1")
    assert later.decision == Due.ACTION, "it is not the action of the turn"
    assert not later.those("connect")


def test_mermaids_may_skip_several_river_hexes_in_a_turn():
    # The same pattern again at the river's other end, round r34.
    row = seat("mermaids", D="C3", TP="B3 C2 H5 I9", TE="D4 G4", SH="H6")
    game = position(row).play("connect r9", "+1 TW1", "connect r34", "+1 TW1")
    assert game.text["skipped"] == ["r9", "r34"]
    assert game.decision == Due.ACTION
    assert game.row()["key"] == 2


def test_others_do_not_skip_the_river():
    row = seat("swarmlings", D="C3", TP="B3 C2", TE="D4")
    assert not position(row).those("connect")


def test_the_river_may_be_skipped_after_the_action_as_well():
    game = position(mermaids()).play("send FIRE 1")
    assert "connect r9" in game.legal


def test_mermaids_connect_only_what_founds_a_town():
    game = position(seat("mermaids", D="C3 D4", TP="B3 C2"))
    assert not game.those("connect"), "power 6"
    game = position(seat("mermaids", D="C3 D4", TP="B3 C2", fav="FAV5"))
    assert "connect r9" in game.legal
    assert not position(mermaids(), towns=["C3", "D4"]).those("connect"), "C3 has a town"
    rows = [mermaids(), seat("giants", tw="TW1 TW1 TW2 TW2 TW3 TW3 TW4 TW4 TW5 TW5")]
    assert not position(*rows).those("connect"), "no tile is left"


def test_a_skipped_river_hex_goes_on_joining():
    towns = ["B3", "C2", "C3", "D4"]
    # A7 touches r2, which is skipped, and no structure.
    game = position(mermaids(tw="TW1"), towns=towns, skipped=["r2"], terrain={"A7": "B"})
    later = game.play("build A7")
    assert later.text["towns"] == ["A7", *towns]
