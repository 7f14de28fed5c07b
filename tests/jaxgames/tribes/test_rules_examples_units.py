"""Examples of the rules: what units do in a turn, combat, menders, veterans, ships, rest."""

import dataclasses

import numpy as np
import pytest

from jaxgames.tribes.tables.buildings import BuildingKind, Monument, MonumentState
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import Status, UnitKind
from tests.jaxgames.tribes.examples import (
    TWO,
    Game,
    fresh,
    in_city,
    in_tribe,
    knowing,
    place,
    start,
)
from tests.jaxgames.tribes.positions import at, city, unit

K = UnitKind


def field(*placed, known: str = "", **options) -> Game:
    """Returns a game with units `(tile, kind, tribe, fields)` on it, and those on the capitals."""
    state = start(known, **options)
    for name, kind, tribe, *fields in placed:
        state = unit(state, name, kind, tribe, **(fields[0] if fields else {}))
    return Game(state)


def hp(game: Game, *names: str) -> list[int | None]:
    return [getattr(game.unit(name), "hp", None) for name in names]


@pytest.mark.parametrize(
    ("kind", "options", "statuses"),
    [
        (K.DEFENDER, "move", [Status.FINISHED]),
        (K.CATAPULT, "attack", [Status.FINISHED]),
        (K.SUPERUNIT, "move", [Status.FINISHED]),
        (K.WARRIOR, "move attack", [Status.MOVED, Status.FINISHED]),
        (K.SWORDSMAN, "attack", [Status.FINISHED]),
        (K.RIDER, "attack move", [Status.ATTACKED, Status.FINISHED]),
        (
            K.RIDER,
            "move attack move",
            [Status.MOVED, Status.MOVED_AND_ATTACKED, Status.FINISHED],
        ),
        (K.KNIGHT, "move attack", [Status.MOVED, Status.FINISHED]),
    ],
)
def test_turns_of_units(kind, options, statuses):
    # A veteran mender neither dies of one attack nor kills.
    here = "f6" if options.startswith("move") else "g6"
    foe = ("h6", K.MIND_BENDER, 1, {"hp": 15, "veteran": True})
    game = field((here, kind, 0), foe)
    for number, (what, status) in enumerate(zip(options.split(), statuses, strict=True)):
        if what == "move":
            there = "g5" if number == 0 else "f5"
            game, here = game.play(f"{here} move {there}"), there
        else:
            game = game.play(f"{here} attack h6")
        assert game.unit(here).status == status, (what, number)
    assert game.can(f"{here} move") | game.can(f"{here} attack") == set()


@pytest.mark.parametrize(("kind", "acts"), [(K.DEFENDER, set()), (K.SUPERUNIT, {"h6"})])
def test_after_a_push_only_some_attack(kind, acts):
    game = field(("g6", kind, 0, {"status": Status.MOVED}), ("h6", K.WARRIOR, 1))
    assert game.can("g6 attack") == acts and game.can("g6 move") == set()
    pushed = field(("g6", kind, 0, {"status": Status.PUSHED}), ("h6", K.WARRIOR, 1))
    assert not pushed.can("g6 attack") | pushed.can("g6 move")
    turn = pushed.play("end_turn").play("end_turn")
    assert turn.unit("g6").status == Status.MOVED


@pytest.mark.parametrize(
    ("attacker", "defender", "after"),
    [
        ((K.WARRIOR, 10), (K.WARRIOR, 10), (5, 5)),
        ((K.CATAPULT, 10), (K.DEFENDER, 15), (4, 5)),  # 4/7 * 18 = 10.3; 3/7 * 13.5 = 5.8
        ((K.WARRIOR, 5), (K.DEFENDER, 15), (None, 13)),  # 1/4 * 9 = 2.25; 3/4 * 13.5 = 10.1
        ((K.WARRIOR, 10), (K.MIND_BENDER, 10), (8, 4)),  # 2/3 * 9 = 6; 1/3 * 4.5 = 1.5, up
        ((K.RIDER, 10), (K.CATAPULT, 10), (10, 1)),  # all of 9; no force against it
    ],
)
def test_combat(attacker, defender, after):
    placed = [
        (name, kind, tribe, {"hp": points})
        for name, tribe, (kind, points) in (("f6", 0, attacker), ("g6", 1, defender))
    ]
    assert (*hp(field(*placed).play("f6 attack g6"), "f6", "g6"),) == after


def test_out_of_reach_nobody_strikes_back():
    game = field(("f6", K.ARCHER, 0), ("h6", K.WARRIOR, 1))
    assert hp(game.play("f6 attack h6"), "f6", "h6") == [10, 5]
    game = field(("f6", K.CATAPULT, 0), ("i6", K.DEFENDER, 1, {"hp": 15}))
    assert hp(game.play("f6 attack i6"), "f6", "i6") == [10, 5]
    assert game.can("f6 attack") == {"i6", "i9"}


@pytest.mark.parametrize(
    ("kind", "walls", "left"),
    [
        (K.WARRIOR, False, (5, 6)),  # 2/5 * 9 = 3.6; 3/5 * 9 = 5.4
        (K.WARRIOR, True, (3, 8)),  # 2/10 * 9 = 1.8; 8/10 * 9 = 7.2
        (K.MIND_BENDER, False, (8, 4)),  # no bonus: 2/3 * 9 = 6; 1/3 * 4.5 = 1.5
        (K.MIND_BENDER, True, (7, 7)),  # 2/6 * 9 = 3; 4/6 * 4.5 = 3.0
    ],
)
def test_cities_and_walls_protect(kind, walls, left):
    state = start()
    state = at(state, "units", "i9", kind=kind, cargo=kind)
    state = unit(in_city(state, "i9", walls=walls), "h9", K.WARRIOR, 0)
    played = Game(state).play("h9 attack i9")
    assert (*hp(played, "h9", "i9"),) == left


@pytest.mark.slow  # rules of their own
def test_before_terrain_protected_a_city_protected_all_kinds():
    rules = dataclasses.replace(TWO, terrain_defence=False)
    state = at(start(), "units", "i9", kind=K.MIND_BENDER, cargo=K.MIND_BENDER)
    state = unit(in_city(state, "i9", walls=False), "h9", K.WARRIOR, 0)
    # 2 / 3.5 * 9 = 5.1; 1.5 / 3.5 * 4.5 = 1.9
    assert hp(Game(state, rules).play("h9 attack i9"), "h9", "i9") == [8, 5]
    forest = field(("f6", K.WARRIOR, 0), ("g6", K.WARRIOR, 1)).state
    forest = knowing(at(forest, "tiles", "g6", terrain=Terrain.FOREST), 1, "archery")
    assert hp(Game(forest, rules).play("f6 attack g6"), "f6", "g6") == [5, 5]
    assert (rules.version, TWO.version) == ("2", "1")


def test_a_foreign_city_does_not_protect():
    state = at(start(), "units", "i9", kind=-1, tribe=-1)
    state = unit(in_city(state, "i9", walls=True), "i9", K.WARRIOR, 0)
    game = Game(unit(state, "h9", K.WARRIOR, 1).replace(active=np.int8(1)))
    assert hp(game.play("h9 attack i9"), "h9", "i9") == [5, 5]


@pytest.mark.parametrize(
    ("terrain", "technology"),
    [(Terrain.MOUNTAIN, "meditation"), (Terrain.FOREST, "archery")],
)
def test_terrain_protects_those_who_know_how(terrain, technology):
    game = field(("f6", K.WARRIOR, 0), ("g6", K.WARRIOR, 1))
    state = at(game.state, "tiles", "g6", terrain=terrain)
    assert hp(Game(state).play("f6 attack g6"), "f6", "g6") == [5, 5]
    state = knowing(state, 1, technology)
    assert hp(Game(state).play("f6 attack g6"), "f6", "g6") == [5, 6]
    assert hp(Game(knowing(game.state, 1, technology)).play("f6 attack g6"), "g6") == [5]


def test_water_protects_ships():
    game = field(("f6", K.ARCHER, 0), ("g6", K.SHIP, 1, {"cargo": K.WARRIOR}))
    state = at(game.state, "tiles", "g6", terrain=Terrain.DEEP_WATER)
    assert hp(Game(state).play("f6 attack g6"), "f6", "g6") == [5, 5]
    state = knowing(state, 1, "aquatism")
    assert hp(Game(state).play("f6 attack g6"), "f6", "g6") == [5, 6]


def test_kills_are_counted_and_the_tenth_makes_the_gate_available():
    game = field(("f6", K.WARRIOR, 0), ("g6", K.RIDER, 1, {"hp": 1}))
    game = Game(in_tribe(game.state, 0, kills=9))
    after = game.play("f6 attack g6")
    assert after.unit("f6") is None and after.unit("g6").kills == 1
    assert after.unit("g6").status == Status.FINISHED
    assert after.state.tribes.kills.tolist() == [10, 0]
    assert after.state.tribes.monuments[0, Monument.GATE] == MonumentState.AVAILABLE
    assert np.subtract(after.score, game.score).tolist() == [0, -15]


def test_a_killed_attacker_counts_for_the_defender():
    game = field(("f6", K.WARRIOR, 0, {"hp": 1}), ("g6", K.KNIGHT, 1, {"hp": 15}))
    after = game.play("f6 attack g6")
    knight = after.unit("g6")
    assert after.unit("f6") is None
    assert (knight.kills, knight.status) == (1, Status.ATTACKED)
    assert after.state.tribes.kills.tolist() == [0, 1]
    assert np.subtract(after.score, game.score).tolist() == [-10, 0]


def test_those_who_shoot_stay():
    game = field(("f6", K.ARCHER, 0), ("h6", K.WARRIOR, 1, {"hp": 3}))
    after = game.play("f6 attack h6")
    assert after.unit("h6") is None and after.unit("f6").kills == 1


@pytest.mark.parametrize(
    ("terrain", "known", "advances"),
    [
        (Terrain.FOREST, "", True),
        (Terrain.MOUNTAIN, "", True),  # Xin-Xi climb from the start
        (Terrain.SHALLOW_WATER, "sailing", False),
    ],
)
def test_advancing(terrain, known, advances):
    game = field(("f6", K.WARRIOR, 0), ("g6", K.WARRIOR, 1, {"hp": 1}), known=known)
    state = at(game.state, "tiles", "g6", terrain=terrain)
    after = Game(state).play("f6 attack g6")
    assert after.unit("g6" if advances else "f6").kills == 1


def test_an_attacker_embarks_where_it_advances_into_an_own_port():
    game = field(("d3", K.WARRIOR, 0, {"home": 0}), ("d4", K.BOAT, 1, {"hp": 1, "cargo": 0}))
    state = at(game.state, "tiles", "d4", terrain=Terrain.SHALLOW_WATER, building=BuildingKind.PORT)
    after = Game(state).play("d3 attack d4")
    boat = after.unit("d4")
    assert (boat.kind, boat.cargo, boat.kills, boat.status) == (K.BOAT, 0, 1, Status.FINISHED)
    assert boat.home == 0 and boat.joined == int(state.counter)


def test_a_knight_goes_on_as_long_as_it_kills():
    foes = [(name, K.WARRIOR, 1, {"hp": 1}) for name in ("g6", "h6", "i6")]
    game = field(("f6", K.KNIGHT, 0, {"hp": 15}), *foes, ("j7", K.DEFENDER, 1, {"hp": 15}))
    for here, there in (("f6", "g6"), ("g6", "h6"), ("h6", "i6")):
        game = game.play(f"{here} attack {there}")
        knight = game.unit(there)
        assert (knight.status, game.can(f"{there} move")) == (Status.ATTACKED, set())
    assert knight.kills == 3
    game = game.play("i6 attack j7")
    assert game.unit("i6").status == Status.FINISHED
    assert game.can("i6 attack") == set()


def test_a_mind_bender_converts():
    game = field(
        ("f6", K.MIND_BENDER, 0),
        ("g6", K.KNIGHT, 1, {"hp": 7, "kills": 2, "veteran": True, "home": 1}),
        known="meditation philosophy",
    )
    game = Game(in_tribe(game.state, 0, peace=3))
    assert game.can("f6 attack") == set()
    after = game.play("f6 convert g6")
    knight = after.unit("g6")
    assert (knight.tribe, knight.home, knight.status) == (0, -1, Status.FINISHED)
    assert (knight.hp, knight.kills, knight.veteran) == (7, 2, True)
    assert after.unit("f6").status == Status.FINISHED
    assert after.score == game.score and after.state.tribes.peace[0] == 3


def test_a_mind_bender_heals_all_around_it():
    game = field(
        ("f6", K.MIND_BENDER, 0, {"hp": 3}),
        ("g6", K.WARRIOR, 0, {"hp": 5}),
        ("e5", K.DEFENDER, 0, {"hp": 13, "status": Status.FINISHED}),
        ("g7", K.WARRIOR, 1, {"hp": 5}),
        ("h6", K.WARRIOR, 0, {"hp": 5}),
    )
    after = game.play("f6 heal_others")
    assert hp(after, "f6", "g6", "e5", "g7", "h6") == [3, 9, 15, 5, 5]
    assert after.unit("f6").status == Status.FINISHED
    assert after.unit("g6").status == Status.FRESH
    assert "f6 heal_others" not in after.legal
    lonely = field(("f6", K.MIND_BENDER, 0, {"hp": 3}), ("g6", K.WARRIOR, 0))
    assert "f6 heal_others" not in lonely.legal


def test_veterans():
    game = field(("f6", K.RIDER, 0, {"hp": 4, "kills": 3, "status": Status.ATTACKED}))
    after = game.play("f6 make_veteran")
    assert (after.unit("f6").hp, after.unit("f6").status) == (15, Status.ATTACKED)
    assert "f6 make_veteran" not in after.legal
    for kind, fields in (
        (K.RIDER, {"kills": 2}),
        (K.RIDER, {"kills": 3, "status": Status.FINISHED}),
        (K.SUPERUNIT, {"kills": 9}),
    ):
        assert "f6 make_veteran" not in field(("f6", kind, 0, fields)).legal
    # A giant aboard may become a veteran, and is still one ashore.
    game = field(("f6", K.BOAT, 0, {"cargo": K.SUPERUNIT, "hp": 40, "kills": 3}))
    game = Game(at(game.state, "tiles", "f6", terrain=Terrain.SHALLOW_WATER))
    ashore = game.play("f6 make_veteran").play("f6 move g6")
    giant = ashore.unit("g6")
    assert (giant.kind, giant.hp, giant.veteran) == (K.SUPERUNIT, 45, True)


@pytest.mark.parametrize(
    ("kind", "technology", "price"), [(K.BOAT, "sailing", 5), (K.SHIP, "navigation", 15)]
)
def test_upgrades_of_ships(kind, technology, price):
    fields = {"cargo": K.KNIGHT, "hp": 9, "kills": 2, "veteran": True, "status": Status.FINISHED}
    game = field(("f6", kind, 0, {**fields, "home": 0}))
    assert "f6 upgrade" not in game.legal
    game = Game(knowing(game.state, 0, technology))
    after = game.play("f6 upgrade")
    expected = {**vars(game.unit("f6")), "kind": kind + 1, "joined": int(game.state.counter)}
    assert vars(after.unit("f6")) == expected
    assert after.stars[0] == 50 - price and after.score == game.score
    assert "f6 upgrade" not in Game(in_tribe(game.state, 0, stars=price - 1)).legal


@pytest.mark.parametrize(
    ("kind", "refund", "points"),
    [
        (K.WARRIOR, 1, 10),
        (K.RIDER, 1, 15),
        (K.SWORDSMAN, 2, 25),
        (K.KNIGHT, 4, 40),
        (K.SUPERUNIT, 5, 50),
        (K.BOAT, 0, 0),
        (K.SHIP, 2, 0),
        (K.BATTLESHIP, 7, 0),
    ],
)
def test_disbanding(kind, refund, points):
    game = field(("f6", kind, 0, {"cargo": 0 if K.BOAT <= kind <= K.BATTLESHIP else kind}))
    assert "f6 disband" not in game.legal
    game = Game(knowing(game.state, 0, "free_spirit"))
    after = game.play("f6 disband")
    assert after.unit("f6") is None
    assert (after.stars[0], after.score[0]) == (50 + refund, game.score[0] - points)
    assert "f6 disband" not in Game(fresh(game.state, "f6", Status.MOVED)).legal


def test_recovering_by_itself_and_at_the_end_of_the_turn():
    placed = {"d4": 1, "f6": 1, "g6": 9, "d3": 13}
    game = field(*((name, K.DEFENDER, 0, {"hp": hp}) for name, hp in placed.items()))
    assert game.play("d4 recover").unit("d4").hp == 5
    assert game.play("f6 recover").unit("f6").status == Status.FINISHED
    assert "d4 recover" not in Game(fresh(game.state, "d4", Status.MOVED)).legal
    tired = Game(fresh(game.state, "g6", Status.MOVED))
    assert hp(tired.play("end_turn"), "d4", "f6", "g6", "d3", "c3") == [5, 3, 9, 15, 10]
    assert tired.play("end_turn").unit("i9").hp == 10


def test_a_city_captured_by_any_kind_of_unit():
    state = city(start(), "f6", -1)
    for kind in (K.WARRIOR, K.MIND_BENDER, K.CATAPULT):
        game = Game(unit(state, "f6", kind, 0))
        after = game.play("f6 capture")
        assert after.city("f6").tribe == 0 and after.unit("f6").status == Status.FINISHED
        assert after.score[0] - game.score[0] == 100 + 9 * 20
        assert after.city("f6").worth == 9 * 20
        assert after.tile("f6").terrain == Terrain.CITY
        assert (after.tile("e5").owner, after.tile("f6").owner) == (place(after.state, "f6"),) * 2
    assert "f6 capture" not in Game(fresh(game.state, "f6", Status.MOVED)).legal
