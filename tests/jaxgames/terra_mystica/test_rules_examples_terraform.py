"""Examples of the rules: the colour wheel, prices of spades, reach, tunnels and carpets."""

import pytest

from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS
from jaxgames.terra_mystica.tables.terrain import Colour
from tests.jaxgames.terra_mystica.positions import halflings, position, seat

# --- The wheel ----------------------------------------------------------------------------------


def _steps(home: int, start: int, end: int) -> int:
    """Returns the fewest steps on the wheel from start to end; none leads on from home."""
    reached, steps = {start}, 0
    while end not in reached:
        steps += 1
        onward = {c for c in reached if c != home or c == start}
        reached |= {(c + side) % 7 for c in onward for side in (-1, 1)}
    return steps


@pytest.mark.parametrize("name", FACTION_NAMES)
def test_terraforming_goes_along_the_wheel_and_stops_at_home(name):
    row = SPADES[FACTION_NAMES.index(name)]
    home = FACTIONS[FACTION_NAMES.index(name)].colour
    for start in Colour:
        for end in Colour:
            expected = _steps(home, start, end)
            if name == "giants":
                expected = 2 if end == home != start else 0
            assert row[start, end] == expected


def test_the_way_round_home_is_longer():
    # Witches live in green, between blue and gray: from blue to gray it is five steps round.
    row = SPADES[FACTION_NAMES.index("witches")]
    assert row[Colour.BLUE].tolist() == [3, 2, 1, 0, 1, 5, 4]
    assert row[Colour.GREEN].tolist() == [3, 3, 2, 1, 0, 1, 2]


@pytest.mark.parametrize(("dig", "price"), [(0, 3), (1, 2), (2, 1)])
def test_a_spade_costs_workers_by_dig_level(dig, price):
    game = position(halflings(dig=dig))
    for name, spades in (("E5", 1), ("F3", 1), ("D4", 2), ("F4", 3), ("E7", 3)):
        # Halflings earn a point for each spade.
        expected = {"w": -price * spades, "vp": spades}
        assert game.change(f"transform {name} to U") == expected


def test_spades_must_be_paid_in_full():
    game = position(halflings(w=6))
    homeward = {text for text in game.those("transform") if text.endswith("to U")}
    assert homeward == {"transform E5 to U", "transform F3 to U", "transform D4 to U"}
    assert not position(halflings(w=2)).those("transform")


def test_any_colour_may_be_chosen_in_either_direction():
    game = position(halflings(dig=2))
    # Black lies beside brown, the home: all other colours are reached the other way round.
    for letter, spades in zip("BGSRY", range(1, 6), strict=True):
        later = game.play(f"transform E5 to {letter}")
        assert game.until(later) == {"w": -spades, "vp": spades}
        assert not later.those("build"), "no dwelling on a foreign colour"


def test_the_home_terrain_may_be_turned_into_something_else():
    game = position(halflings(dig=2), terrain={"E5": "U"})
    for letter, spades in zip("YRSGBK", (1, 2, 3, 3, 2, 1), strict=True):
        assert game.change(f"transform E5 to {letter}") == {"w": -spades, "vp": spades}


def test_hexes_with_structures_and_the_river_cannot_be_terraformed():
    game = position(halflings(), seat("witches", D="F4"), seat("swarmlings", SH="F3"))
    assert game.targets == {"D4", "E5", "E7"}


def test_giants_use_two_spades_always_and_only_for_home():
    game = position(seat("giants", D="I1"))
    assert game.those("transform") == {"transform H1 to R", "transform I2 to R"}
    assert game.change("transform H1 to R") == {"w": -6}
    assert game.change("transform I2 to R") == {"w": -6}


def test_darklings_pay_priests_and_get_points_for_those():
    game = position(seat("darklings", D="C1", p=2))
    # Blue and yellow.
    assert game.change("transform D2 to K") == {"p": -1, "vp": 2}
    assert game.change("transform D3 to K") == {"p": -2, "vp": 4}
    assert not position(seat("darklings", D="C1", p=0)).those("transform")


def test_scoring_tile_1_counts_spades():
    tiles = ["SCORE1", "SCORE2", "SCORE3", "SCORE4", "SCORE5", "SCORE6"]
    game = position(seat("witches", D="F4"), scoring=tiles)
    # Gray to green.
    assert game.change("transform E7 to G") == {"w": -3, "vp": 2}
    later = game.play("transform F3 to G")
    assert game.until(later) == {"w": -9, "vp": 6}
    assert later.sources() == {"SCORING_TILE": 6}


# --- Terraform and build ------------------------------------------------------------------------


def test_a_dwelling_may_be_built_on_the_hex_that_was_turned_home():
    game = position(halflings()).play("transform E5 to U")
    assert game.those("build") == {"build E5"}
    assert game.those("transform", "action", "send", "pass", "upgrade") == set()
    assert game.change("build E5") == {"w": -1, "c": -2}
    assert game.play("end").mover == 1, "without building the turn ends too"
    assert game.play("build E5", "end").row()["D"] == ["E5", "E6"]


def test_a_hex_left_without_structure_belongs_to_nobody():
    game = position(halflings()).play("transform F3 to U", "end")
    assert game.text["terrain"] == {"F3": "U"}
    game = game.play("send FIRE 1", "end", "send FIRE 1", "end")
    assert game.those("build") == {"build F3"}


def test_a_dwelling_may_be_built_at_once_on_the_home_terrain():
    game = position(halflings(), terrain={"E5": "U"})
    assert game.those("build") == {"build E5"}
    assert game.change("build E5") == {"w": -1, "c": -2}
    assert not position(halflings(w=0), terrain={"E5": "U"}).those("build")
    assert not position(halflings(c=1), terrain={"E5": "U"}).those("build")


def test_the_dwelling_must_be_in_stock_and_paid():
    everywhere = "A1 A7 B2 D8 E2 E6 F5 F7"
    game = position(seat("halflings", D=everywhere), terrain={"E5": "U"})
    assert not game.those("build")
    game = position(halflings(w=3)).play("transform E5 to U")
    assert not game.those("build"), "the workers are spent"
    assert game.play("convert 3pw to 1w").those("build") == {"build E5"}


# --- Reach --------------------------------------------------------------------------------------


def test_only_hexes_that_share_a_side_are_in_reach_without_a_ship():
    assert position(seat("witches", D="C3")).targets == {"D4", "D5"}


@pytest.mark.parametrize("fields", [{"ship": 1}, {"bon": "BON4"}])
def test_a_ship_reaches_hexes_across_one_river_hex(fields):
    # Round r2, r3, r9 and r10, the river beside C3.
    near = {"A6", "A7", "A8", "B3", "B4", "C2", "C4", "D4", "D5"}
    game = position(seat("witches", D="C3", **fields))
    assert game.targets == near
    assert game.those("build") == {"build C4"}, "the only green one"


def test_bonus_card_4_adds_a_level_to_the_ship():
    row = seat("witches", D="C3", ship=1, bon="BON4")
    both = position(row).targets
    assert both == position(seat("witches", D="C3", ship=2)).targets
    # Over r10 and r16, and over r9 and r15; r11 is farther.
    assert {"D6", "E8", "E5", "E6"} <= both
    assert not {"B5", "C5"} & both


@pytest.mark.parametrize("name", ["dwarves", "fakirs"])
def test_dwarves_and_fakirs_have_no_ship_even_with_the_card(name):
    with_card = position(seat(name, D="C2", bon="BON4", w=4, p=0))
    without = position(seat(name, D="C2", w=4, p=0))
    assert with_card.targets == without.targets == {"B2", "B3"}


def test_an_own_bridge_brings_its_other_end_into_reach():
    assert "G1" not in position(seat("witches", D="F2")).targets
    assert "G1" in position(seat("witches", D="F2", br="F2:G1")).targets


# --- Tunnels and carpets ------------------------------------------------------------------------


def test_dwarves_tunnel_under_one_hex_for_workers_and_points():
    game = position(seat("dwarves", D="E7"))
    # G2 is red, beside gray, behind F4.
    later = game.play("transform G2 to S")
    assert game.until(later) == {"w": -2 - 3, "vp": 4}
    assert later.change("build G2") == {"w": -1, "c": -2}, "the way is paid once"
    assert later.sources() == {"FACTION": 4}
    # D4 is red too, but beside E7.
    assert game.change("transform D4 to S") == {"w": -3}


def test_tunnels_skip_exactly_one_hex():
    game = position(seat("dwarves", D="E7", dig=2))
    two_steps = {"C3", "E5", "F3", "G2", "G3"}
    assert game.targets == {"D4", "D5", "E6", "E8", "F4"} | two_steps


def test_the_stronghold_makes_tunnels_cheaper():
    game = position(seat("dwarves", D="E7", SH="A2"))
    assert game.change("transform G2 to S") == {"w": -1 - 3, "vp": 4}
    game = position(seat("dwarves", D="E7", SH="A2", w=3))
    assert "transform G2 to S" not in game.legal
    assert "transform D4 to S" in game.legal


def test_dwarves_may_tunnel_to_build_on_their_own_terrain():
    game = position(seat("dwarves", D="E7"), terrain={"G2": "S"})
    assert game.those("build") == {"build G2"}
    assert game.change("build G2") == {"w": -3, "c": -2, "vp": 4}
    poor = position(seat("dwarves", D="E7", w=2), terrain={"G2": "S"})
    assert not poor.those("build")


def test_one_action_tunnels_to_one_hex():
    game = position(seat("dwarves", D="E7", pw=[0, 0, 6])).play("action ACT6")
    later = game.play("transform G2 to S")
    assert game.until(later) == {"w": -2, "vp": 4}
    # F4 beside E7 and C3 two steps away are green: one spade makes them gray.
    assert "transform F4 to S" in later.legal
    assert "transform C3 to S" not in later.legal
    assert "transform C3 to S" in game.play("transform F4 to S").legal


def test_more_spades_on_the_tunnelled_hex_need_no_second_tunnel():
    game = position(seat("dwarves", D="E7", pw=[0, 0, 6]), terrain={"G2": "Y"})
    later = game.play("action ACT6", "transform G2 to R")
    assert later.change("transform G2 to S") == {}, "neither workers nor points"


def test_fakirs_fly_over_one_hex_for_a_priest():
    game = position(seat("fakirs", D="F3"), terrain={"E4": "U"})
    assert game.targets == {"E5", "E6", "F4", "G2"} | {"D4", "E4", "E7", "G1"}
    # Red G2 lies beside F3, brown E4 behind E5.
    assert game.change("transform G2 to Y") == {"w": -3}
    assert game.change("transform E4 to Y") == {"w": -3, "p": -1, "vp": 4}
    poor = position(seat("fakirs", D="F3", p=0))
    assert poor.targets == {"E5", "E6", "F4", "G2"}


def test_the_stronghold_lengthens_the_carpet():
    game = position(seat("fakirs", D="F3", TP="A13"))
    assert not {"C2", "H3"} & game.targets, "three steps away"
    assert game.play("upgrade A13 to SH").row()["range"] == 2
    longer = position(seat("fakirs", D="F3", SH="A13", range=2))
    assert {"C2", "H3"} <= longer.targets
    assert longer.change("transform H3 to Y") == {"w": -3, "p": -1, "vp": 4}
