"""What the rule-based agent of Tribes gives for the sub-actions of units, rule by rule."""

import pytest

from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.players.tribes.scoring import scored
from tests.jaxgames.tribes.positions import at, begun, change, city, unit

ME, FOE = 0, 1
WARRIOR, ARCHER, DEFENDER, SWORDSMAN = (
    UnitKind.WARRIOR,
    UnitKind.ARCHER,
    UnitKind.DEFENDER,
    UnitKind.SWORDSMAN,
)
BENDER, KNIGHT, CATAPULT = UnitKind.MIND_BENDER, UnitKind.KNIGHT, UnitKind.CATAPULT


def place(*units, state=None, **fields):
    """Returns a position with units such as `(FOE, "e6", ARCHER)`, maybe with fields."""
    state = begun("a1 k11") if state is None else state
    for tribe, name, kind, *rest in units:
        state = unit(state, name, kind, tribe, **(rest[0] if rest else {}))
    return change(state, "tribes", **fields) if fields else state


def words(state, prefix):
    return {
        name.removeprefix(f"{prefix} "): value
        for name, value in scored(state).items()
        if name.startswith(f"{prefix} ")
    }


@pytest.mark.parametrize(
    ("mine", "own_hp", "theirs", "hp", "target", "expected"),
    [
        # By hand: health first, then strength.
        (WARRIOR, 10, ARCHER, 10, "e6", 5),
        (WARRIOR, 10, WARRIOR, 10, "e6", 1),
        (WARRIOR, 5, ARCHER, 6, "e6", 1),
        (WARRIOR, 5, WARRIOR, 6, "e6", 0),
        # From afar: 5 where nothing comes back.
        (ARCHER, 1, WARRIOR, 10, "e7", 5),
        (CATAPULT, 10, ARCHER, 10, "e8", 5),
        (ARCHER, 10, ARCHER, 10, "e7", 0),  # it hits back, and hard
        (ARCHER, 10, BENDER, 10, "e6", 4),
        (ARCHER, 9, BENDER, 10, "e6", 0),
        (ARCHER, 10, DEFENDER, 10, "e6", 0),
        (UnitKind.BATTLESHIP, 10, WARRIOR, 10, "e6", 4),
        (UnitKind.BATTLESHIP, 10, KNIGHT, 10, "e6", 0),
    ],
)
def test_attacks(mine, own_hp, theirs, hp, target, expected):
    state = place((ME, "e5", mine, {"hp": own_hp}), (FOE, target, theirs, {"hp": hp}))
    assert words(state, "e5")[f"attack {target}"] == expected


def test_conversions():
    expected = {
        **dict.fromkeys(("BATTLESHIP", "SUPERUNIT", "SWORDSMAN", "KNIGHT", "CATAPULT"), 5),
        **dict.fromkeys(("MIND_BENDER", "BOAT", "SHIP", "WARRIOR"), 4),
        **dict.fromkeys(("RIDER", "DEFENDER", "ARCHER"), 0),
    }
    ring = ["d4", "e4", "f4", "d5", "f5", "d6", "e6", "f6"]
    found = {}
    for part in (list(UnitKind)[:8], list(UnitKind)[8:]):
        targets = [(FOE, name, kind) for name, kind in zip(ring, part, strict=False)]
        seen = words(place((ME, "e5", BENDER), *targets), "e5")
        found |= {kind.name: seen[f"convert {name}"] for _, name, kind in targets}
    assert found == expected


def test_moves_look_for_weaker_enemies_before_villages():
    village = at(begun("a1 k11"), "tiles", "d6 f4", terrain=Terrain.VILLAGE)
    alone = words(place((ME, "e5", WARRIOR), state=village), "e5")
    assert alone == {
        **{f"move {name}": 3 for name in ["d4", "e6", "f6", "d5"]},
        **{f"move {name}": 5 for name in ["d6", "f4"]},
        **{"move e4": 3, "move f5": 3},
    }
    seen = words(place((ME, "e5", WARRIOR), (FOE, "e9", ARCHER), state=village), "e5")
    assert (seen["move d6"], seen["move f4"]) == (3, 5)  # only d6 is nearer to the archer


def test_moves_away_from_stronger_enemies_that_reach_the_unit():
    near = words(place((ME, "e5", WARRIOR), (FOE, "e6", SWORDSMAN, {"hp": 15})), "e5")
    assert [near[f"move {name}"] for name in ["d4", "e4", "f4", "d5", "f5"]] == [4, 4, 4, 3, 3]
    far = words(place((ME, "e5", WARRIOR), (FOE, "e7", SWORDSMAN, {"hp": 15})), "e5")
    assert {value for name, value in far.items() if name.startswith("move")} == {3}
    # A healthier enemy is stronger, however weak its kind.
    harmed = words(place((ME, "e5", WARRIOR, {"hp": 9}), (FOE, "e7", ARCHER)), "e5")
    assert (harmed["move e4"], harmed["move d5"]) == (4, 3)


def test_the_first_enemy_by_rows_decides():
    # e4 is nearer to the archer and away from the swordsman, e6 the other way round.
    archer_first = place((ME, "e5", WARRIOR), (FOE, "e2", ARCHER), (FOE, "e6", SWORDSMAN))
    assert words(archer_first, "e5")["move e4"] == 3
    sword_first = place((ME, "e5", WARRIOR), (FOE, "e4", SWORDSMAN), (FOE, "e8", ARCHER))
    assert words(sword_first, "e5")["move e6"] == 4


@pytest.mark.parametrize(("border", "expected"), [("f6", 5), ("f4", 4), ("e5", 5), ("c3", 5)])
def test_foreign_borders_and_villages_by_rows(border, expected):
    state = city(begun("a1 k11"), "h5", FOE, border)
    state = at(state, "tiles", "f5", terrain=Terrain.VILLAGE)
    assert words(place((ME, "e5", WARRIOR), state=state), "e5")["move f5"] == expected


def test_units_look_for_places_within_their_range():
    state = city(begun("a1 k11"), "g7", FOE, "f6 e7")
    seen = words(place((ME, "e5", WARRIOR), state=state), "e5")
    assert (seen["move f6"], seen["move f5"], seen["move d5"]) == (4, 3, 3)
    state = at(begun("a1 k11"), "tiles", "e7", terrain=Terrain.VILLAGE)
    assert words(place((ME, "e5", WARRIOR), state=state), "e5")["move e6"] == 3
    assert words(place((ME, "e5", ARCHER), state=state), "e5")["move e6"] == 5
    own = city(begun("a1 k11"), "g7", ME, "f6")
    assert words(place((ME, "e5", WARRIOR), state=own), "e5")["move f6"] == 3


@pytest.mark.parametrize(
    ("enemies", "expected"),
    [
        ((), 4),
        (((FOE, "e7", WARRIOR, {"hp": 1}),), 4),  # out of its range
        (((FOE, "e6", WARRIOR, {"hp": 4}),), 3),
        (((FOE, "e6", WARRIOR, {"hp": 5}),), 1),
        (((FOE, "e4", WARRIOR, {"hp": 4}), (FOE, "e6", WARRIOR)), 3),
        (((FOE, "e4", WARRIOR), (FOE, "e6", WARRIOR, {"hp": 4})), 1),
    ],
)
def test_recovery(enemies, expected):
    assert words(place((ME, "e5", WARRIOR, {"hp": 5}), *enemies), "e5")["recover"] == expected


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (((ME, "e6", WARRIOR, {"hp": 4}),), 0),
        (((ME, "e6", WARRIOR, {"hp": 4}), (FOE, "d4", WARRIOR, {"hp": 5})), 1),
        (((ME, "e6", WARRIOR, {"hp": 4}), (FOE, "d4", WARRIOR, {"hp": 4})), 0),
        (((ME, "e6", WARRIOR, {"hp": 4}), (FOE, "e7", WARRIOR)), 0),  # beside it, not the bender
        (((ME, "e6", ARCHER, {"hp": 4}), (FOE, "e3", WARRIOR)), 1),
        (
            (
                *((ME, name, WARRIOR, {"hp": 4}) for name in ("e6", "f6")),
                *((FOE, name, WARRIOR) for name in ("d4", "e4", "f4")),
            ),
            5,
        ),
    ],
)
def test_healing_counts_pairs(others, expected):
    assert words(place((ME, "e5", BENDER), *others), "e5")["heal_others"] == expected


def test_sub_actions_in_place():
    state = at(begun("a1 k11"), "tiles", "c5", terrain=Terrain.VILLAGE)
    state = at(state, "tiles", "e5", resource=Resource.RUINS)
    free_spirit = 1 << Technology.FREE_SPIRIT
    units = (ME, "c5", WARRIOR), (ME, "e5", WARRIOR, {"kills": 3})
    seen = scored(place(*units, state=state, technologies=[free_spirit, 0]))
    names = ("c5 capture", "e5 examine", "e5 make_veteran", "e5 disband", "end_turn")
    assert [seen[name] for name in names] == [5, 5, 5, -2, -1]


@pytest.mark.parametrize(
    ("kind", "level", "stars", "expected"),
    [
        (UnitKind.BOAT, 3, 7, 3),
        (UnitKind.BOAT, 3, 6, 0),
        (UnitKind.BOAT, 2, 7, 0),
        (UnitKind.SHIP, 3, 15, 3),
    ],
)
def test_upgrades_are_for_the_rich(kind, level, stars, expected):
    state = begun("a1 k11")
    state = change(state, "cities", level=[level, *state.cities.level[1:]])
    known = 1 << Technology.SAILING | 1 << Technology.NAVIGATION
    boat = (ME, "e5", kind, {"cargo": WARRIOR})
    state = place(boat, state=state, technologies=[known, 0], stars=[stars, 0])
    assert words(state, "e5")["upgrade"] == expected
