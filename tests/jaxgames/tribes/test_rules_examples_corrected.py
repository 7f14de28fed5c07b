"""Examples of the corrected rules: the oddities of the reference that they leave out."""

import numpy as np

from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import BuildingKind, Monument, MonumentState
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import UnitKind
from jaxgames.tribes.text.commands import tile_name
from tests.jaxgames.tribes.examples import (
    CORRECTED,
    Game,
    in_tribe,
    knowing,
    on_network,
    place,
    start,
)
from tests.jaxgames.tribes.positions import anything, at, begun, change, city, unit
from tests.jaxgames.tribes.walks import Walk

K, B, T = UnitKind, BuildingKind, Terrain


def corrected_rules(state: TribesState) -> Game:
    return Game(state, CORRECTED)


def built(state: TribesState, name: str, kind: BuildingKind, **fields) -> TribesState:
    number = int(state.counter)
    state = at(state, "tiles", name, building=kind, built=number, **fields)
    return state.replace(counter=np.int16(number + 1))


def test_nobody_meets_itself():
    assert begun(fog=True).tribes.met.tolist() == [1, 2]
    assert begun(fog=True, corrected_rules=True).tribes.met.tolist() == [0, 0]


def test_philosophy_takes_a_fifth_off():
    game = corrected_rules(start("meditation philosophy"))
    paid = [50 - game.play(f"research {name}").stars[0] for name in ("fishing", "mining")]
    assert paid == [4, 4]  # of 5 and 6
    smithery = corrected_rules(knowing(game.state, 0, "mining")).play("research smithery")
    assert smithery.stars[0] == 50 - 5  # of 7


def test_forges_take_an_own_mine():
    state = city(start("smithery"), "d6", 1, "c5 d5 e5 d6")
    state = built(at(state, "tiles", "c5 c4", terrain=T.MOUNTAIN), "c5", B.MINE)
    assert not any(text.endswith("forge") for text in corrected_rules(state).legal)
    assert "d4 build forge" in Game(state).legal
    own = corrected_rules(built(state, "c4", B.MINE))
    assert {"d3 build forge", "d4 build forge"} <= set(own.legal)


def test_windmills_may_still_stand_beside_a_foreign_farm():
    state = city(start("construction"), "d6", 1, "c5 d5 e5 d6")
    assert "d4 build windmill" in corrected_rules(built(state, "c5", B.FARM)).legal


def test_buildings_skip_foreign_partners_and_gain_for_their_own_city():
    state = city(start("mining smithery"), "f3", 0, "e2 e3 e4 f3")
    state = city(state, "b6", 1, "b5 c5 a6 b6")
    state = at(state, "tiles", "c2 e2 c4 c5", terrain=T.MOUNTAIN)
    for name in ("c2", "e2", "c4", "c5"):
        state = built(state, name, B.MINE)
    after = corrected_rules(state).play("d3 build forge")
    assert (after.city("c3").population, after.city("f3").population) == (6, 0)
    moved = at(at(state, "tiles", "e2", building=-1), "tiles", "c2", owner=place(state, "b6"))
    after = corrected_rules(moved).play("d3 build forge")  # the foreign c2 comes first
    assert after.city("c3").population == 2


def test_ports_and_roads_of_others_do_not_help_units():
    state = at(unit(start("sailing"), "f6", K.WARRIOR, 0), "tiles", "g6", terrain=T.SHALLOW_WATER)
    state = at(state, "tiles", "g6", building=B.PORT)
    assert "g6" in corrected_rules(state).can("f6 move")
    assert "g6" not in corrected_rules(city(state, "h5", 1, "g6")).can("f6 move")
    road = on_network(unit(start(), "f6", K.WARRIOR, 0), "f6 g6 h6")
    assert "h6" in corrected_rules(road).can("f6 move")
    foreign = city(road, "h4", 1, "g6")
    assert "h6" in Game(foreign).can("f6 move") and "h6" not in corrected_rules(foreign).can(
        "f6 move"
    )


def test_ways_of_units_agree_with_a_plain_search():
    for seed in range(4):
        state = anything(seed, players=2, fog=False)
        thin = np.random.default_rng(seed).random(121) < 0.6
        gone = thin & (state.units.tribe != state.active)
        kind, tribe = (np.where(gone, -1, x) for x in (state.units.kind, state.units.tribe))
        state = change(state, "units", kind=kind, tribe=tribe, status=0 * kind)
        state = change(state, "cities", population=0 * state.cities.population)
        game = corrected_rules(state)
        for tile in np.flatnonzero(state.units.tribe == state.active).tolist():
            expected = Walk(state, tile, corrected_rules=True).destinations()
            found = game.can(f"{tile_name(tile, 11)} move")
            assert found == {tile_name(there, 11) for there in expected}


def test_a_destroyed_temple_takes_its_points_along():
    state = built(start("construction"), "d4", B.TEMPLE, temple_level=3, temple_countdown=1)
    game = corrected_rules(state)
    after = game.play("d4 destroy")
    assert after.score[0] - game.score[0] == -200 - 5


def test_the_altar_becomes_available_once():
    for value in MonumentState:
        monuments = [value, 0, 0, 0, 0, 0, 0]
        state = in_tribe(start("meditation"), 0, peace=4, monuments=monuments)
        after = corrected_rules(state).play("end_turn").play("end_turn")
        found = after.state.tribes.monuments[0, Monument.ALTAR]
        assert found == max(value, MonumentState.AVAILABLE)


def test_a_capture_moves_the_worth_only_and_the_capturing_unit_joins():
    state = city(start(), "f6", 1, "e5 f5 g5 e6 f6 g6 e7 f7 g7", worth=250, joined=10, level=2)
    state = built(built(state, "e5", B.FARM), "f5", B.WINDMILL)
    state = built(built(state, "g5", B.TEMPLE, temple_level=2), "g6", B.PARK_OF_FORTUNE)
    state = unit(unit(on_network(state, "f6"), "f6", K.RIDER, 0), "b2", K.WARRIOR, 0, home=0)
    game = corrected_rules(state)
    after = game.play("f6 capture")
    assert np.subtract(after.score, game.score).tolist() == [250, -250]
    assert after.city("f6").population == 0
    assert after.unit("f6").home == place(after.state, "f6")
    assert after.unit("b2").home == 0
    village = corrected_rules(unit(city(start(), "f6", -1), "f6", K.RIDER, 0)).play("f6 capture")
    assert village.unit("f6").home == place(village.state, "f6")
