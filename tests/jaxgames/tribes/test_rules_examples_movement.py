"""Examples of the rules: where units go, roads, the zone of control, embarking, pushes."""

import numpy as np
import pytest

from jaxgames.tribes.engine.actions import MOVE_REACH
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.units import Status, UnitKind
from jaxgames.tribes.text.commands import tile_name
from tests.jaxgames.tribes.examples import Game, in_city, in_tribe, knowing, on_network, start
from tests.jaxgames.tribes.positions import anything, at, change, city, unit
from tests.jaxgames.tribes.walks import Walk

K, T = UnitKind, Terrain
SLOW = pytest.mark.slow
ROUND_C3 = "d3 c2 b3 c4 d2 b2 b4 d4"  # where a unit pushed from c3 looks for room, in this order


def walker(kind: UnitKind, name: str = "f6", known: str = "", **fields) -> TribesState:
    """Returns a position with an own unit on a plain."""
    return unit(start(known), name, kind, 0, **fields)


def reach(state: TribesState, name: str = "f6") -> set[str]:
    return Game(state).can(f"{name} move")


def among(names: str, found: set[str]) -> str:
    return " ".join(name for name in names.split() if name in found)


def crowd(seed: int) -> TribesState:
    """Returns a position with anything in it, where the tribe to move must not level up."""
    state = anything(seed, players=2, fog=False)
    rng = np.random.default_rng(seed)
    share = (0.2, 0.5, 1)[seed % 3]
    gone = (state.units.tribe != state.active) & (rng.random(121) > share)
    state = at(change(state, "cities", population=0 * state.cities.population), "units", "")
    kind, tribe = (np.where(gone, -1, field) for field in (state.units.kind, state.units.tribe))
    roads = state.tiles.network | (rng.integers(0, 1 << 11, 11) if seed % 2 else 0)
    state = change(state, "units", kind=kind, tribe=tribe, status=0 * kind)
    return change(state, "tiles", network=roads.astype(np.uint16))


def network_of_roads(seed: int) -> TribesState:
    """Returns a position with roads on three of four tiles, forests, and knights and riders."""
    state, rng = crowd(seed), np.random.default_rng(seed)
    land = rng.choice([T.PLAIN, T.PLAIN, T.FOREST, T.MOUNTAIN], 121)
    cities = state.tiles.terrain == T.CITY
    mine = rng.random(121) < 0.2
    kind = np.where(mine, rng.choice([K.KNIGHT, K.KNIGHT, K.RIDER], 121), -1)
    tribe = np.where(mine, state.active, -1)
    state = change(state, "units", kind=kind, tribe=tribe, status=0 * kind)
    roads = rng.integers(0, 1 << 11, 11) | rng.integers(0, 1 << 11, 11)
    owner = np.where(rng.random(121) < 0.1, state.tiles.owner, -1)
    terrain = np.where(cities, T.CITY, land)
    state = change(state, "tiles", terrain=terrain, network=roads, owner=owner)
    return in_tribe(state, int(state.active), technologies=0)


def steps_between(one: int, other: int) -> int:
    return max(abs(one // 11 - other // 11), abs(one % 11 - other % 11))


def check_ways(state: TribesState) -> None:
    """Compares the moves of all units of the tribe to move with a plain search.

    A knight may go seven steps (see below). Actions have no numbers for seven in a row.
    """
    game = Game(state)
    for start_tile in np.flatnonzero(state.units.tribe == state.active).tolist():
        found = game.can(f"{tile_name(start_tile, 11)} move")
        expected = {
            tile_name(tile, 11)
            for tile in Walk(state, start_tile).destinations()
            if steps_between(tile, start_tile) <= MOVE_REACH
        }
        assert found == expected, (tile_name(start_tile, 11), found ^ expected)


@pytest.mark.parametrize("seed", range(12))
def test_units_go_where_a_plain_search_finds_a_way(seed):
    state = crowd(seed)
    check_ways(knowing(state, int(state.active), "all") if seed % 4 == 3 else state)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=SLOW) for n in range(2, 200))])
def test_units_on_roads_go_where_a_plain_search_finds_a_way(seed):
    check_ways(network_of_roads(seed))


def test_rough_ground_ends_a_move():
    state = walker(K.KNIGHT)
    assert len(reach(state)) == 49 - 3  # itself, and units on both capitals at the corners
    rough = at(state, "tiles", "e5 f5 g5 e6 g6 e7 f7 g7", terrain=T.FOREST)
    assert reach(rough) == {"e5", "f5", "g5", "e6", "g6", "e7", "f7", "g7"}
    peaks = at(rough, "tiles", "e5 f5 g5", terrain=T.MOUNTAIN)
    assert reach(in_tribe(peaks, 0, technologies=0)) == {"e6", "g6", "e7", "f7", "g7"}


def test_roads_halve_steps():
    row = "b6 c6 d6 e6 g6 h6 i6 j6 k6"
    state = on_network(walker(K.WARRIOR), "f6 e6 d6 c6 g6 h6 i6")
    assert among(row, reach(state)) == "d6 e6 g6 h6"
    # A half step and a whole one: above the movement, but not by a whole step.
    state = on_network(walker(K.WARRIOR), "f6 g6")
    assert among(row, reach(state)) == "e6 g6 h6"
    state = on_network(walker(K.RIDER), "f6 g6 h6 i6")
    assert among("g6 h6 i6 j6 k6", reach(state)) == "g6 h6 i6 j6"
    # A road through a forest takes half of what is left.
    state = at(on_network(walker(K.RIDER), "f6 g6 h6 i6"), "tiles", "g6", terrain=T.FOREST)
    assert among("g6 h6 i6 j6", reach(state)) == "g6 h6 i6"


def test_roads_start_on_own_or_free_ground_and_end_anywhere():
    state = on_network(walker(K.WARRIOR), "f6 g6 h6 i6")
    ahead = city(state, "h5", 1, "g6 h6 i6 h5")
    assert among("g6 h6 i6", reach(ahead)) == "g6 h6"  # a half and a whole step
    behind = city(state, "f5", 1, "f6 f5")
    assert among("g6 h6 i6", reach(behind)) == "g6"
    assert among("g6 h6 i6", reach(city(state, "f5", 0, "f6 f5"))) == "g6 h6"


def test_a_knight_goes_seven_steps_on_a_road_through_a_forest():
    road = "b6 c6 d6 e6 f6 g6 h5 h4"
    state = start()
    state = at(state, "tiles", " ".join(tile_name(n, 11) for n in range(121)), terrain=T.MOUNTAIN)
    state = in_tribe(at(state, "tiles", road, terrain=T.PLAIN), 0, technologies=0)
    state = on_network(unit(state, "b6", K.KNIGHT, 0), road)
    assert among(road, reach(state, "b6")) == "c6 d6 e6 f6 g6 h5"
    # Three half steps, half of the rest, and three half steps more come to 3 3/4.
    state = at(state, "tiles", "f6", terrain=T.FOREST)
    assert among(road, reach(state, "b6")) == "c6 d6 e6 f6 g6 h5 h4"


def test_enemies_stop_those_who_come_near():
    state = unit(walker(K.KNIGHT), "h6", K.WARRIOR, 1)
    assert among("g6 h5 h4 i5 i6 g7 f7", reach(state)) == "g6 h5 h4 g7 f7"
    road = on_network(state, "f6 g5 h4 g6")
    assert "h6" not in reach(road)
    # Half a step on a road, then a tile beside an enemy: no more than is left.
    warrior = on_network(unit(walker(K.WARRIOR), "i6", K.WARRIOR, 1), "f6 g6")
    assert among("g6 h6 h5", reach(warrior)) == "g6 h6 h5"


def test_own_units_are_passed_and_a_unit_closed_in_by_them_can_still_leave():
    ring = "e5 f5 g5 e6 g6 e7 f7 g7"
    for kind, leaves in ((K.WARRIOR, False), (K.RIDER, True)):
        state = walker(kind)
        for name in ring.split():
            state = unit(state, name, K.DEFENDER, 0, status=Status.FINISHED)
        assert bool(reach(state)) == leaves


def test_menders_do_not_enter_foreign_cities():
    state = at(walker(K.MIND_BENDER, "h9"), "units", "i9", kind=-1, tribe=-1)
    assert "i9" not in reach(state, "h9")
    assert "i9" in reach(at(state, "units", "h9", kind=0), "h9")


def test_embarking_and_disembarking():
    state = at(walker(K.RIDER, home=0, hp=7, kills=2), "tiles", "g6 h6", terrain=T.SHALLOW_WATER)
    assert "g6" not in reach(knowing(state, 0, "sailing"))  # there is no port
    state = at(state, "tiles", "g6", building=BuildingKind.PORT)  # anybody's will do
    assert "g6" not in reach(state)
    game = Game(knowing(state, 0, "sailing"))
    after = game.play("f6 move g6")
    boat = after.unit("g6")
    assert (boat.kind, boat.cargo, boat.status) == (K.BOAT, K.RIDER, Status.FINISHED)
    assert (boat.hp, boat.kills, boat.home) == (7, 2, 0)
    assert boat.joined == int(game.state.counter)
    again = Game(at(after.state, "units", "g6", status=0))
    assert {"h6", "f6", "f5"} <= again.can("g6 move") and "e6" not in again.can("g6 move")
    ashore = again.play("g6 move f5")
    rider = ashore.unit("f5")
    assert (rider.kind, rider.status, rider.hp) == (K.RIDER, Status.FINISHED, 7)
    assert again.play("g6 move h6").unit("h6").status == Status.MOVED


def pushed(state: TribesState) -> Game:
    """Returns the game after the unit on c3 was pushed away by a giant."""
    return Game(in_city(state, "c3", level=4, population=5)).play("level_up superunit")


@pytest.mark.parametrize("number", range(8))
def test_pushed_units_go_to_the_first_tile_with_room(number):
    names = ROUND_C3.split()
    state = start()
    for name in names[:number]:
        state = unit(state, name, K.DEFENDER, number % 2)
    game = pushed(state)
    assert game.unit("c3").kind == K.SUPERUNIT
    found = game.unit(names[number])
    assert (found.kind, found.tribe, found.status) == (K.WARRIOR, 0, Status.PUSHED)


def test_where_pushed_units_find_no_room():
    state = at(start(), "tiles", "d3", terrain=T.MOUNTAIN)
    assert pushed(state).unit("d3").kind == K.WARRIOR  # climbs
    state = in_tribe(state, 0, technologies=0)
    assert pushed(state).unit("d3") is None and pushed(state).unit("c2").kind == K.WARRIOR
    state = at(state, "tiles", "c2", terrain=T.SHALLOW_WATER)
    assert pushed(state).unit("c2") is None
    port = at(state, "tiles", "c2", building=BuildingKind.PORT)
    boat = pushed(port).unit("c2")
    assert (boat.kind, boat.cargo, boat.status) == (K.BOAT, K.WARRIOR, Status.FINISHED)
    foreign = city(port, "c1", 1, "c1 c2")
    assert pushed(foreign).unit("c2") is None and pushed(foreign).unit("b3").kind == K.WARRIOR


def test_without_room_a_pushed_unit_dies():
    state = in_tribe(start(), 0, technologies=0)
    state = at(state, "tiles", ROUND_C3, terrain=T.MOUNTAIN)
    game = Game(in_city(state, "c3", level=4, population=5))
    after = game.play("level_up superunit")
    assert (after.state.units.tribe == 0).sum() == 1
    assert after.score[0] - game.score[0] == 25 - 10
    assert after.state.tribes.kills.tolist() == [0, 0]


def test_an_enemy_on_the_centre_is_pushed_by_its_own_tribe_s_knowledge():
    state = at(start(), "units", "c3", tribe=1, kind=K.RIDER, cargo=K.RIDER, home=-1)
    state = at(state, "tiles", "d3", terrain=T.MOUNTAIN)
    game = pushed(state)
    assert (game.unit("c2").kind, game.unit("c2").tribe) == (K.RIDER, 1)
    assert pushed(knowing(state, 1, "climbing")).unit("d3").tribe == 1


def ruins(kind: UnitKind, terrain: Terrain, known: str = "", **fields) -> TribesState:
    state = walker(kind, known=known, cargo=K.DEFENDER if kind == K.SHIP else kind, **fields)
    return at(state, "tiles", "f6", terrain=terrain, resource=Resource.RUINS)


def test_a_giant_from_ruins_pushes_its_finder():
    game = Game(ruins(K.RIDER, T.FOREST))
    after = game.play("f6 examine", (5, 0))
    giant, rider = after.unit("f6"), after.unit("g6")
    assert (giant.kind, giant.home, giant.hp) == (K.SUPERUNIT, -1, 40)
    assert giant.status == rider.status == Status.FINISHED
    assert after.score == game.score and after.tile("f6").resource == Resource.NONE
    assert "f6 examine" not in Game(at(game.state, "units", "f6", status=1)).legal


@pytest.mark.parametrize("known", ["sailing", "sailing navigation"])
def test_on_water_a_giant_is_a_battleship_and_its_finder_sails_on(known):
    state = ruins(K.SHIP, T.SHALLOW_WATER, known, hp=9, home=0, kills=2)
    state = at(state, "tiles", "g6", terrain=T.PLAIN)
    state = at(state, "tiles", "f5", terrain=T.DEEP_WATER)
    state = at(state, "tiles", "e6", terrain=T.SHALLOW_WATER)
    after = Game(state).play("f6 examine", (5, 0))
    found = after.unit("f6")
    assert (found.kind, found.cargo, found.hp, found.home) == (K.BATTLESHIP, K.WARRIOR, 10, -1)
    ship = after.unit("f5" if "navigation" in known else "e6")
    assert (ship.kind, ship.cargo, ship.hp, ship.kills) == (K.SHIP, K.DEFENDER, 9, 2)
    assert (ship.home, ship.status) == (0, Status.FINISHED)
    assert (after.state.units.tribe == 0).sum() == 3
    # Without water beside it, the finder sinks.
    dry = at(state, "tiles", "f5 e6", terrain=T.PLAIN)
    after = Game(dry).play("f6 examine", (5, 0))
    assert (after.state.units.tribe == 0).sum() == 2 and after.unit("f6").kind == K.BATTLESHIP


@pytest.mark.parametrize(
    ("between", "reaches"), [(T.DEEP_WATER, True), (T.FOG, True), (T.PLAIN, False)]
)
def test_ships_cross_what_they_have_not_seen_but_land_where_they_stop_there(between, reaches):
    state = walker(K.SHIP, known="sailing navigation", cargo=K.WARRIOR)
    state = at(at(state, "tiles", "f6 h6", terrain=T.DEEP_WATER), "tiles", "g6", terrain=between)
    assert ("h6" in reach(state)) == reaches
    is_land = between != T.DEEP_WATER
    assert Game(state).play("f6 move g6").unit("g6").kind == (K.WARRIOR if is_land else K.SHIP)
