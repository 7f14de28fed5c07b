"""Examples of the rules: cities that change hands, their units, the trade network, ruins."""

import jax
import numpy as np
import pytest

from jaxgames.tribes.levels.level_files import level_from_csv
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables import parameters
from jaxgames.tribes.tables.buildings import BuildingKind, Monument, MonumentState
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Result
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.tribes.examples import (
    TWO,
    Game,
    fresh,
    in_city,
    in_tribe,
    knowing,
    on_network,
    place,
    start,
)
from tests.jaxgames.tribes.positions import at, city, unit

K, B = UnitKind, BuildingKind


def built(state: TribesState, name: str, kind: BuildingKind, **fields) -> TribesState:
    """Returns a state with a building that is the latest of its city."""
    number = int(state.counter)
    state = at(state, "tiles", name, building=kind, built=number, **fields)
    return state.replace(counter=np.int16(number + 1))


def homes(game: Game, name: str) -> str:
    """Returns the tiles of the units of a city, in the order of their list; `-`: without one."""
    units, index = game.state.units, -1 if name == "-" else place(game.state, name)
    found = np.flatnonzero((units.home == index) & (units.kind >= 0))
    return " ".join(_name(t) for t in found[np.argsort(units.joined[found])].tolist())


def _name(tile: int) -> str:
    return f"{'abcdefghijk'[tile % 11]}{tile // 11 + 1}"


def siege(*, worth: int = 250) -> TribesState:
    """Returns a position in which a unit of tribe 0 stands on the city f6 of tribe 1."""
    borders = "e5 f5 g5 e6 f6 g6 e7 f7 g7"
    state = city(start(), "f6", 1, borders, worth=worth, joined=1, level=2)
    state = unit(state, "f6", K.WARRIOR, 0, home=place(state, "c3"))
    return on_network(state, "f6")


def test_a_captured_city_keeps_all_but_its_tribe():
    state = in_city(siege(), "f6", walls=True, production=3, population=-1, radius=1)
    game = Game(state)
    after = game.play("f6 capture")
    expected = {**vars(game.city("f6")), "tribe": 0, "joined": after.city("f6").joined}
    assert vars(after.city("f6")) == expected
    assert np.subtract(after.score, game.score).tolist() == [250, -250]
    assert after.tile("e5").owner == place(after.state, "f6")
    assert not after.state.over


def level_with(cells: dict[str, str]) -> TribesState:
    """Returns the start on a plain; tribe 0 has 50 stars, its unit stands where it began."""
    rows = [[cells.get(f"{'abcdefghijk'[y]}{x + 1}", ".:") for y in range(11)] for x in range(11)]
    text = "\n".join(",".join(row) for row in rows)
    return in_tribe(jax.device_get(TWO.begin(level_from_csv(text))), 0, stars=50)


def test_centres_belong_to_their_own_city_where_capitals_are_neighbours():
    game = Game(level_with({"c3": "c:0", "d3": "c:1"}))
    assert [game.tile(name).owner for name in ("c3", "d3", "d2", "e3")] == [0, 1, 0, 1]
    assert np.bincount(game.state.tiles.owner + 1).tolist() == [121 - 12, 8, 4]
    assert game.city("c3").worth == 8 * 20
    empty = at(game.state, "units", "c3 d3", kind=-1, tribe=-1)
    assert Game(empty).can("c3 spawn") and not Game(empty).can("d3")
    moves_second = in_tribe(empty, 1, stars=50).replace(active=np.int8(1))
    assert Game(moves_second).can("d3 spawn") and not Game(moves_second).can("c3")
    at_home = fresh(game.state, "d3").replace(active=np.int8(1))
    assert "capture" not in Game(at_home).can("d3")


def test_no_city_takes_a_village_into_its_borders():
    state = level_with({"c3": "c:0", "d3": "v:", "i9": "c:1"})
    assert [at_tile.owner for at_tile in map(Game(state).tile, ("d3", "d2"))] == [-1, 0]
    after = Game(in_city(state, "c3", level=3, population=4)).play("level_up border_growth")
    assert after.tile("d3").owner == -1 and after.tile("e3").owner == 0
    captures = Game(unit(after.state, "d3", K.WARRIOR, 0)).play("d3 capture")
    assert captures.tile("d3").owner == place(after.state, "d3") != 0


def test_the_winner_gains_from_buildings_again():
    state = built(siege(), "e5", B.TEMPLE, temple_level=3, temple_countdown=2)
    state = built(state, "f5", B.PARK_OF_FORTUNE)
    game = Game(state)
    after = game.play("f6 capture")
    assert np.subtract(after.score, game.score).tolist() == [250 + 100 + 400, -250]
    assert after.city("f6").worth == 250  # neither is part of it
    assert after.state.tribes.monuments[0, Monument.PARK] == MonumentState.UNAVAILABLE
    assert after.tile("e5").temple_level == 3


def test_gains_before_some_are_given_back_do_not_overflow():
    bonus = [parameters.MAX_POPULATION * (kind == B.WINDMILL) for kind in B if kind >= 0]
    state = at(siege(), "tiles", "e4 f4 g4", owner=place(siege(), "f6"))
    for name in ["e4", "f4", "g4", "e5", "g5", "e6", "g6"]:
        state = built(state, name, B.FARM)
    game = Game(built(state, "f5", B.WINDMILL), Tribes(parameters={"building_bonus": bonus}))
    assert game.play("f6 capture").city("f6").population == 7 * parameters.MAX_POPULATION


def test_matching_buildings_of_a_captured_city_gain_once_more():
    # A windmill gains 1 from each farm; the farm gains 1 for the windmill, and gives it back.
    state = built(built(siege(), "e5", B.FARM), "f5", B.WINDMILL)
    after = Game(state).play("f6 capture")
    assert after.city("f6").population == 1
    # A customs house gains 2 from a port; the port gains 2, and gives them back.
    state = at(siege(), "tiles", "e5", terrain=Terrain.SHALLOW_WATER)
    state = built(built(on_network(state, "e5"), "e5", B.PORT), "f5", B.CUSTOMS_HOUSE)
    after = Game(in_city(state, "f6", production=2)).play("f6 capture")
    assert after.city("f6").production == 4


def test_a_base_building_gives_an_own_neighbour_city_what_it_takes_back():
    # The farm e5 of the captured city is beside the windmill d4 of the capital.
    state = built(built(siege(), "d4", B.WINDMILL), "e5", B.FARM)
    game = Game(state)
    after = game.play("f6 capture")
    assert after.city("c3").population == 0 and after.city("f6").population == 0
    assert after.score[0] - game.score[0] == 250


def test_the_last_unit_of_the_capital_joins_the_captured_city():
    state = unit(siege(), "b2", K.WARRIOR, 0, home=0)
    assert homes(Game(state), "c3") == "c3 f6 b2"
    after = Game(state).play("f6 capture")
    assert (homes(after, "c3"), homes(after, "f6")) == ("c3 f6", "b2")


def test_without_units_of_the_capital_a_random_city_gives_one():
    state = at(siege(), "units", "c3", home=-1)
    state = at(state, "units", "f6", home=-1)
    state = city(city(state, "b9", 0, "b9", joined=2), "k2", 0, "k2", joined=3)
    state = unit(unit(state, "b8", K.RIDER, 0), "k3", K.RIDER, 0)
    state = at(state, "units", "b8", home=place(state, "b9"))
    state = at(state, "units", "k3", home=place(state, "k2"))
    game = Game(state)
    # Cities in order: b9, k2, f6. First the last changes places with one of three, then the second
    # with one of two; the first that has a unit gives it.
    for draws, giver in (
        (((3, 2), (2, 1)), "b9"),
        (((3, 2), (2, 0)), "k2"),
        (((3, 0), (2, 1)), "k2"),  # f6, k2, b9
        (((3, 1), (2, 1)), "b9"),  # b9, f6, k2
        (((3, 1), (2, 0)), "b9"),  # f6, b9, k2
    ):
        after = game.play("f6 capture", *draws)
        assert homes(after, giver) == "" and homes(after, "f6") == {"b9": "b8", "k2": "k3"}[giver]
    alone = at(at(state, "units", "b8", home=-1), "units", "k3", home=-1)
    assert homes(Game(alone).play("f6 capture", (3, 0), (2, 0)), "f6") == ""


def test_units_of_a_lost_city_move_to_the_capital_last_first():
    state = siege()
    for name in ("i2", "i3", "i4"):
        state = unit(state, name, K.RIDER, 1, home=place(state, "f6"))
    state = in_city(state, "i9", level=2)  # room for three, one is there
    after = Game(state).play("f6 capture")
    assert homes(after, "i9") == "i9 i4 i3"
    assert (homes(after, "-"), after.unit("i2").tribe) == ("i2", 1)


def test_units_that_the_capital_cannot_take_move_to_random_cities_or_lose_their_home():
    state = siege()
    for name in ("i1", "i2", "i3", "i4"):
        state = unit(state, name, K.RIDER, 1, home=place(state, "f6"))
    state = city(city(state, "b9", 1, "b9", joined=2), "k2", 1, "k2", joined=3)
    state = unit(state, "k3", K.RIDER, 1, home=place(state, "k2"))
    state = unit(state, "k4", K.RIDER, 1, home=place(state, "k2"))
    game = Game(state)
    # The capital takes one, b9 two, k2 is full.
    for draw in (0, 1):
        after = game.play("f6 capture", (2, draw))
        assert (homes(after, "i9"), homes(after, "b9"), homes(after, "-")) == (
            "i9 i4",
            "i3 i2",
            "i1",
        )
    open_ = Game(at(state, "units", "k3 k4", home=-1))
    after = open_.play("f6 capture", (2, 0))  # k2 before b9
    assert (homes(after, "k2"), homes(after, "b9")) == ("i3 i2", "i1")
    after = open_.play("f6 capture", (2, 1))
    assert (homes(after, "k2"), homes(after, "b9")) == ("i1", "i3 i2")


def test_the_capital_lost_its_units_move_on_and_the_game_ends_with_two_tribes():
    state = at(start(), "units", "i9", kind=-1, tribe=-1, home=0)
    state = city(state, "f6", 1, "f6", joined=2)
    state = unit(state, "k9", K.RIDER, 1, home=place(state, "i9"))
    state = unit(state, "i9", K.WARRIOR, 0, home=0, hp=3, status=0)
    state = unit(state, "b5", K.WARRIOR, 0, home=0, hp=3)
    after = Game(in_tribe(state, 1, score=9999)).play("i9 capture")
    assert after.state.over and after.state.ranking.tolist() == [0, 1]
    assert after.state.tribes.result.tolist() == [Result.WIN, Result.LOSS]
    assert after.unit("k9").home == place(state, "f6")
    # The turn ends with the game: those that did nothing recover.
    assert (after.unit("i9").hp, after.unit("b5").hp) == (3, 5)
    assert after.legal == {}
    assert np.asarray(after.rules.returns(after.state)).tolist() == [1, -1]


def test_a_tribe_without_cities_is_gone():
    state = city(start(), "f6", 0, "f6", joined=2)
    state = at(in_city(state, "i9", tribe=0), "units", "i9", home=-1)
    state = in_city(state, "f6", tribe=1)
    state = unit(unit(state, "f6", K.WARRIOR, 0), "b9", K.RIDER, 1)
    # Tribe 1 has lost its capital before, which by itself ends nothing here.
    game = Game(in_tribe(state, 1, result=Result.PLAYING))
    after = game.play("f6 capture")
    assert (after.state.units.tribe == 1).sum() == 0
    assert after.state.tribes.result[1] == Result.LOSS
    assert after.score[1] == game.score[1]


def network(state: TribesState, road: str) -> TribesState:
    """Returns a position with roads, and cities f6 and f3 of tribe 0."""
    state = city(state, "f6", 0, "e6 f6 g6 e7 f7", joined=2)
    state = city(state, "f3", 0, "f3", joined=3)
    return on_network(knowing(state, 0, "roads"), f"f6 f3 {road}")


def test_a_road_connects_cities_to_the_capital():
    game = Game(network(start(), "d3"))
    after = game.play("e3 build_road")
    assert after.city("c3").population == 1 and after.city("f3").population == 1
    assert after.city("f6").population == 0
    assert after.score[0] - game.score[0] == 10
    assert after.state.tribes.connected[0] == 1 << place(after.state, "f3")
    after = after.play("e4 build_road").play("e5 build_road")
    assert (after.city("c3").population, after.city("f6").population) == (2, 1)


def test_roads_on_foreign_ground_do_not_connect():
    state = city(network(start(), "d3"), "h2", 1, "e4")
    state = on_network(state, "e4")
    after = Game(state).play("d4 build_road")
    assert after.state.tribes.connected[0] == 0
    unowned = at(state, "tiles", "e4", owner=-1)
    assert Game(unowned).play("d4 build_road").city("f3").population == 1


def test_a_city_lost_costs_the_capital_and_the_city_a_population():
    state = in_tribe(network(start(), "d3 e3"), 0, connected=1 << 3)
    state = in_city(state, "f3", population=1)
    assert place(state, "f3") == 3
    state = in_city(state, "c3", population=1)
    state = unit(state, "f3", K.WARRIOR, 1).replace(active=np.int8(1))
    game = Game(state)
    after = game.play("f3 capture")
    assert (after.city("c3").population, after.city("f3").population) == (0, 0)
    # Tribe 0 loses the worth of the city, and twice the points of a population.
    assert after.score[0] - game.score[0] == -10
    assert after.state.tribes.connected[0] == 0


def test_a_city_connected_in_another_turn_gains_nothing_itself():
    # Tribe 1 builds a road on free ground that connects tribe 0.
    state = knowing(network(start(), "d3"), 1, "roads").replace(active=np.int8(1))
    after = Game(state).play("e3 build_road")
    assert (after.city("c3").population, after.city("f3").population) == (1, 0)
    assert after.state.tribes.connected[0] == 1 << place(after.state, "f3")


def test_who_lost_the_capital_has_no_network():
    state = in_tribe(network(start(), "d3 e3"), 0, connected=1 << 3)
    state = in_city(state, "c3", tribe=1)
    after = Game(state).play("b9 build_road")
    assert after.state.tribes.connected[0] == 0
    assert after.city("f3").population == 0


@pytest.mark.parametrize(("end", "connects"), [("c8", True), ("c9", False)])
def test_ports_connect_over_four_steps(end, connects):
    state = at(start("sailing"), "tiles", "c4 c5 c6 c7 c8", terrain=Terrain.SHALLOW_WATER)
    state = at(city(state, "d9", 0, f"{end} d9", joined=2), "tiles", end, terrain=1)
    state = built(on_network(state, f"d9 {end}"), end, B.PORT)
    after = Game(state).play("c4 build port")
    assert bool(after.state.tribes.connected[0]) == connects
    assert after.city("c3").population == 2 + connects


def test_destroying_a_port_cuts_off():
    state = city(start("sailing construction"), "e6", 0, "d6 e6", joined=2)
    state = at(state, "tiles", "c4 c5 d6", terrain=Terrain.SHALLOW_WATER)
    state = built(on_network(state, "e6 d6"), "d6", B.PORT)
    game = Game(state).play("c4 build port").play("level_up workshop")
    assert (game.city("c3").population, game.city("e6").population) == (1, 1)
    after = game.play("c4 destroy")
    assert (after.city("c3").population, after.city("e6").population) == (-2, 0)
    assert after.score[0] - game.score[0] == -5 * 4
    # Foreign borders close the sea.
    closed = city(state, "b6", 1, "c5")
    assert not Game(closed).play("c4 build port").state.tribes.connected[0]


def test_five_connected_cities_make_the_bazar_available():
    state = start("roads")
    for name in ["b5", "c5", "d5", "e5", "f5"]:
        state = on_network(city(state, name, 0, name, joined=2), name)
    after = Game(state).play("c4 build_road").play("level_up explorer")
    assert int(after.state.tribes.connected[0]).bit_count() == 5
    assert after.city("c3").population == 3
    assert after.state.tribes.monuments[0, Monument.BAZAR] == MonumentState.AVAILABLE
    done = after.play("level_up city_wall").play("b2 build grand_bazar")
    assert done.city("c3").population == 3
    cut = Game(in_city(state, "f5", tribe=-1))
    cut = cut.play("c4 build_road").play("level_up explorer")
    assert cut.state.tribes.monuments[0, Monument.BAZAR] == MonumentState.UNAVAILABLE


def test_ruins():
    state = at(unit(start(), "f6", K.RIDER, 0), "tiles", "f6", resource=Resource.RUINS)
    state = city(state, "b9", 0, "b9", joined=2)
    game = Game(state)
    assert game.play("f6 examine", (5, 4)).stars[0] == 60
    grown = game.play("f6 examine", (5, 2))
    assert (grown.city("c3").population, grown.city("b9").population) == (3, 0)
    learnt = game.play("f6 examine", (5, 1), (6, 4))  # of fishing, ..., riding; 2 of the 2nd tier
    known = ["fishing", "hunting", "organization", "riding", "meditation", "mining"]
    assert [name for name in known if learnt.knows(0, name)] == ["meditation"]
    assert learnt.score == game.score
    assert game.play("f6 examine", (5, 3)).unit("f6").status == 5
    lost = Game(in_city(state, "c3", tribe=1)).play("f6 examine", (5, 2))
    assert lost.city("b9").population == 3
    wise = Game(knowing(state, 0, "all"))
    # Who knows everything draws again, among the four others.
    assert wise.play("f6 examine", (5, 1), (4, 1)).city("c3").population == 3
    homeless = in_city(in_city(state, "c3", tribe=1), "b9", tribe=1)
    assert "f6 examine" not in Game(homeless).legal
