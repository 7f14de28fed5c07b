"""Examples of the rules: research, resources, buildings, temples, monuments, levels of cities."""

import numpy as np
import pytest

from jaxgames.tribes.tables.buildings import BuildingKind, Monument, MonumentState
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.units import Status, UnitKind
from tests.jaxgames.tribes.examples import (
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

AVAILABLE, BUILT = MonumentState.AVAILABLE, MonumentState.BUILT


def monument(game: Game, which: Monument, seat: int = 0) -> MonumentState:
    return MonumentState(game.state.tribes.monuments[seat, which].item())


def with_monument(state, which: Monument, value: MonumentState = AVAILABLE):
    row = state.tribes.monuments[0].copy()
    row[which] = value
    return in_tribe(state, 0, monuments=row)


def built(state, name: str, kind: BuildingKind, **fields):
    """Returns a state with a building that is the latest of its city."""
    number = int(state.counter)
    state = at(state, "tiles", name, building=kind, built=number, **fields)
    return state.replace(counter=np.int16(number + 1))


@pytest.mark.parametrize(
    ("known", "cities", "paid"),
    [("", 1, (5, 6, 7)), ("", 2, (6, 8, 10)), ("meditation philosophy", 2, (1, 1, 2))],
)
def test_research_costs_by_tier_and_cities(known, cities, paid):
    state = start(f"hunting forestry {known}")
    if cities == 2:
        state = city(state, "f6", 0, "f6")
    game = Game(state)
    for text, price, tier in zip(
        ("fishing", "archery", "mathematics"), paid, (1, 2, 3), strict=True
    ):
        after = game.play(f"research {text}")
        assert after.stars[0] == 50 - price and after.knows(0, text)
        assert after.score[0] - game.score[0] == 100 * tier
    assert "research spiritualism" not in game.legal
    poor = Game(in_tribe(state, 0, stars=paid[0] - 1))
    assert poor.can("research") == set() or known


def test_the_last_technology_researched_makes_the_tower_available():
    state = knowing(start(), 0, "all")
    known = state.tribes.technologies[0] & ~np.uint32(1 << 4)  # all but riding
    game = Game(in_tribe(state, 0, technologies=known))
    assert game.can("research") == {"riding"}
    assert monument(game.play("research riding"), Monument.TOWER) == AVAILABLE


def test_resources_are_gathered():
    state = start("fishing hunting organization whaling")
    kinds = {
        "b2": (Terrain.SHALLOW_WATER, Resource.FISH),
        "c2": (Terrain.PLAIN, Resource.FRUIT),
        "d2": (Terrain.FOREST, Resource.ANIMAL),
        "b3": (Terrain.DEEP_WATER, Resource.WHALES),
        "d3": (Terrain.MOUNTAIN, Resource.ORE),
        "f6": (Terrain.PLAIN, Resource.FRUIT),  # in nobody's borders
    }
    for name, (terrain, resource) in kinds.items():
        state = at(state, "tiles", name, terrain=terrain, resource=resource)
    game = Game(state)
    assert {n for n in kinds if f"{n} gather" in game.legal} == {"b2", "c2", "d2", "b3"}
    for name in ("b2", "c2", "d2"):
        after = game.play(f"{name} gather")
        assert after.tile(name).resource == Resource.NONE
        assert (after.city("c3").population, after.stars[0]) == (1, 48)
        assert after.score[0] - game.score[0] == 5
        assert after.city("c3").worth - game.city("c3").worth == 5
    after = game.play("b3 gather")
    assert (after.stars[0], after.city("c3").population) == (60, 0)
    poor = Game(in_tribe(state, 0, stars=1))
    assert {n for n in kinds if f"{n} gather" in poor.legal} == {"b3"}


def test_hundred_stars_gained_make_the_tomb_available_which_can_be_built():
    state = at(start("whaling", 90), "tiles", "b3", terrain=Terrain.DEEP_WATER)
    state = at(state, "tiles", "b3", resource=Resource.WHALES)
    assert monument(Game(in_tribe(state, 0, stars=89)).play("b3 gather"), Monument.TOMB) == 0
    game = Game(state).play("b3 gather")
    assert monument(game, Monument.TOMB) == AVAILABLE
    assert not any("emperors_tomb" in text for text in game.legal)  # takes trade
    game = Game(knowing(game.state, 0, "trade"))
    after = game.play("d4 build emperors_tomb")
    assert monument(after, Monument.TOMB) == BUILT
    assert (after.city("c3").population, after.stars[0]) == (3, 100)
    assert after.score[0] - game.score[0] == 400 + 15
    assert after.city("c3").worth - game.city("c3").worth == 15
    assert after.tile("d4").building == BuildingKind.EMPERORS_TOMB


def test_clearing_burning_and_growing_forests():
    state = at(start("forestry chivalry spiritualism"), "tiles", "d4", terrain=Terrain.FOREST)
    state = at(state, "tiles", "d4", resource=Resource.ANIMAL)
    game = Game(state)
    cleared = game.play("d4 clear_forest")
    assert cleared.tile("d4").terrain == Terrain.PLAIN and cleared.stars[0] == 52
    assert cleared.tile("d4").resource == Resource.ANIMAL
    burnt = game.play("d4 burn_forest")
    assert (burnt.tile("d4").terrain, burnt.tile("d4").resource) == (Terrain.PLAIN, Resource.CROPS)
    assert burnt.stars[0] == 45
    grown = burnt.play("d4 grow_forest")
    assert (grown.tile("d4").terrain, grown.tile("d4").resource) == (Terrain.FOREST, -1)
    assert grown.stars[0] == 40
    poor = Game(in_tribe(state, 0, stars=4))
    assert "d4 burn_forest" not in poor.legal and "d4 clear_forest" in poor.legal


def test_a_windmill_gains_from_each_farm_whenever_it_is_built():
    state = start("farming construction")
    state = at(state, "tiles", "b2 c2 d2", resource=Resource.CROPS)
    game = Game(state).play("b2 build farm")
    assert (game.city("c3").population, game.stars[0]) == (2, 45)
    game = game.play("level_up workshop").play("d2 build farm")  # at level 2 three are needed
    assert game.city("c3").population == 2
    assert "b3 build windmill" in game.legal and "b4 build windmill" not in game.legal
    after = game.play("c2 build windmill")  # beside both farms
    assert after.city("c3").population == 2 + 2
    assert after.tile("c2").resource == Resource.NONE
    other = game.play("b3 build windmill").play("level_up city_wall")
    assert not any(text.endswith("windmill") for text in other.legal)  # once in a city
    assert other.play("c2 build farm").city("c3").population == 0 + 2 + 1


def test_the_search_for_partners_stops_at_a_foreign_one_and_stays_with_another_own_city():
    state = start("mining smithery")
    state = city(state, "f3", 0, "e2 e3 e4 f3")
    state = city(state, "d6", 1, "c5 d5 e5 d6")
    mines = {"c2": 1, "e2": 1, "c4": 1, "c5": 1}
    for name in mines:
        state = built(at(state, "tiles", name, terrain=Terrain.MOUNTAIN), name, BuildingKind.MINE)
    # Around d3: c2 own, e2 of f3, from where on c4 counts for f3.
    after = Game(state).play("d3 build forge")
    assert after.city("c3").population == 2
    assert after.city("f3").population == 4
    # Around d4: c4 own, then c5, foreign.
    after = Game(state).play("d4 build forge")
    assert after.city("c3").population == 2
    # Around b4: the foreign c5 comes after c4 too.
    assert Game(state).play("b4 build forge").city("c3").population == 2
    lone = at(state, "tiles", "c4 c2 e2", building=BuildingKind.NONE)
    after = Game(lone).play("d4 build forge")  # a foreign mine allows it, and brings nothing
    assert after.city("c3").population == 0 and after.stars[0] == 45


def test_ports_and_customs_houses_bring_production():
    state = at(start("sailing trade"), "tiles", "b2 b3", terrain=Terrain.SHALLOW_WATER)
    game = Game(state).play("b2 build port")
    assert (game.city("c3").population, game.city("c3").production) == (2, 0)
    game = game.play("level_up workshop").play("c2 build customs_house")
    assert game.city("c3").production == 1 + 2
    game = game.play("b3 build port")
    assert (game.city("c3").production, game.stars[0]) == (5, 50 - 25)
    assert game.city("c3").population == 2
    rich = Game(knowing(game.state, 0, "construction")).play("b2 destroy")
    assert (rich.city("c3").production, rich.city("c3").population) == (3, 0)
    assert rich.play("c2 destroy").city("c3").production == 1


@pytest.mark.parametrize(
    ("kind", "terrain", "price"),
    [
        ("temple", Terrain.PLAIN, 20),
        ("water_temple", Terrain.DEEP_WATER, 20),
        ("forest_temple", Terrain.FOREST, 15),
        ("mountain_temple", Terrain.MOUNTAIN, 20),
    ],
)
def test_temples_are_built(kind, terrain, price):
    known = "free_spirit aquatism spiritualism meditation"
    state = at(start(known), "tiles", "d4", terrain=terrain)
    game = Game(state)
    after = game.play(f"d4 build {kind}")
    assert after.stars[0] == 50 - price and after.tile("d4").terrain == terrain
    assert after.score[0] - game.score[0] == 100 + 5
    assert after.city("c3").worth - game.city("c3").worth == 5
    assert (after.tile("d4").temple_level, after.tile("d4").temple_countdown) == (1, 3)


def test_temples_grow_each_third_turn_and_pay_again_when_they_are_destroyed():
    state = built(start("construction"), "d4", BuildingKind.TEMPLE, temple_level=1)
    game = Game(in_city(at(state, "tiles", "d4", temple_countdown=3), "c3", population=1))
    levels, points = [], []
    for _ in range(14):
        after = game.play("end_turn").play("end_turn")
        levels.append(after.tile("d4").temple_level)
        points.append(after.score[0] - game.score[0])
        assert after.city("c3").worth - game.city("c3").worth == points[-1]
        game = after
    assert levels == [1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]
    assert points == [0, 0, 50, 0, 0, 50, 0, 0, 50, 0, 0, 150, 0, 0]
    after = game.play("d4 destroy")
    assert after.score[0] - game.score[0] == 400 - 5
    assert after.city("c3").worth - game.city("c3").worth == -5
    assert (after.tile("d4").building, after.tile("d4").temple_level) == (-1, 0)


def test_a_destroyed_monument_takes_its_points_along_and_cannot_be_built_again():
    state = with_monument(start("construction"), Monument.PARK)
    game = Game(state).play("d4 build park_of_fortune")
    game = game.play("level_up workshop")
    after = game.play("d4 destroy")
    assert after.score[0] - game.score[0] == -400 - 15
    assert after.city("c3").population == 1 - 3
    assert not any("park_of_fortune" in text for text in after.legal)


def test_population_stops_at_minus_the_level():
    state = built(start("construction"), "d4", BuildingKind.PARK_OF_FORTUNE)
    game = Game(in_city(state, "c3", population=1))
    after = game.play("d4 destroy")
    assert after.city("c3").population == -1
    assert after.score[0] - game.score[0] == -400 - 10
    start_of_turn = after.play("end_turn").play("end_turn")
    assert start_of_turn.stars[0] == 50  # a negative income brings nothing


def test_the_altar_becomes_available_after_five_peaceful_turns_even_if_it_stands():
    state = with_monument(start("meditation"), Monument.ALTAR, BUILT)
    game = Game(in_tribe(state, 0, peace=3))
    game = game.play("end_turn").play("end_turn")
    assert (game.state.tribes.peace[0], monument(game, Monument.ALTAR)) == (4, BUILT)
    game = game.play("end_turn").play("end_turn")
    assert (game.state.tribes.peace[0], monument(game, Monument.ALTAR)) == (5, AVAILABLE)
    again = Game(with_monument(game.state, Monument.ALTAR, BUILT))
    assert monument(again.play("end_turn").play("end_turn"), Monument.ALTAR) == BUILT
    fighting = Game(unit(game.state, "d4", UnitKind.WARRIOR, 1, hp=10))
    assert fighting.play("c3 attack d4").state.tribes.peace[0] == 0


def test_cities_grow_up_to_the_level_that_a_state_can_hold():
    for level, grows in ((126, {"park", "superunit"}), (127, set())):
        state = in_city(start(), "c3", level=level, population=200)
        assert Game(state).can("level_up") == grows


@pytest.mark.parametrize(
    ("level", "option", "points", "effect"),
    [
        (1, "workshop", 40, {"production": 1}),
        (1, "explorer", 40, {}),
        (2, "city_wall", 35, {"walls": True}),
        (2, "resources", 35, {}),
        (3, "pop_growth", 30 + 15, {"population": 3}),
        (3, "border_growth", 30 + 16 * 20, {"radius": 2}),
        (4, "park", 25 + 250, {}),
        (7, "superunit", 25, {}),
    ],
)
def test_cities_level_up(level, option, points, effect):
    state = in_city(start(), "c3", level=level, population=level + 1)
    game = Game(state)
    assert len(game.legal) == 2
    after = game.play(f"level_up {option}")
    assert after.score[0] - game.score[0] == points
    found, before = vars(after.city("c3")), vars(game.city("c3"))
    expected = {"level": level + 1, "population": 0, "worth": before["worth"] + points}
    assert found == {**before, **expected, **effect}
    assert after.stars[0] == 50 + 5 * (option == "resources")
    assert monument(after, Monument.PARK) == (AVAILABLE if level >= 4 else 0)
    if option == "superunit":
        giant = after.unit("c3")
        assert (giant.kind, giant.home, giant.hp) == (UnitKind.SUPERUNIT, place(state, "c3"), 40)
        assert giant.status == Status.FINISHED
        assert (after.unit("d3").kind, after.unit("d3").status) == (0, Status.PUSHED)
    if option == "border_growth":
        owners = after.state.tiles.owner.reshape(11, 11)[:5, :5]
        assert (owners == place(state, "c3")).all()


def test_the_first_city_in_the_list_levels_up_first():
    state = city(start(), "f6", 0, "f6", population=2, joined=1)
    state = in_city(state, "c3", population=5, joined=2)
    game = Game(state).play("level_up workshop")
    assert game.city("f6").level == 2
    game = game.play("level_up explorer").play("level_up city_wall")
    assert (game.city("c3").level, game.city("c3").population) == (3, 0)
    assert "end_turn" in game.legal


def test_a_besieged_city_makes_no_stars_but_its_temples_grow():
    state = start()
    state = at(state, "units", "c3", kind=-1, tribe=-1)
    state = unit(state, "c3", UnitKind.WARRIOR, 1)
    state = built(state, "d4", BuildingKind.TEMPLE, temple_level=1, temple_countdown=1)
    state = in_city(state, "c3", production=4)
    free = Game(at(state, "units", "c3", kind=-1, tribe=-1))
    assert free.play("end_turn").play("end_turn").stars[0] == 50 + 1 + 4 + 1
    game = Game(state).play("end_turn").play("end_turn")
    assert (game.stars[0], game.tile("d4").temple_level) == (50, 2)


def test_units_are_trained_up_to_the_capacity():
    game = Game(fresh(start("riding"), "c3"))
    assert game.can("c3 spawn") == set()  # the centre is taken
    moved = game.play("c3 move d4")
    assert moved.can("c3 spawn") == {"warrior", "rider"}
    after = moved.play("c3 spawn rider")
    assert (after.unit("c3").status, after.stars[0]) == (Status.FINISHED, 47)
    assert after.score[0] - moved.score[0] == 15
    gone = Game(at(unit(after.state, "b2", 1, 0), "units", "c3", kind=-1, tribe=-1, home=0))
    assert gone.can("c3 spawn") == {"warrior", "rider"}  # the unit on b2 has no home
    full = Game(at(gone.state, "units", "b2", home=place(after.state, "c3")))
    assert full.can("c3 spawn") == set()


def test_roads():
    state = city(start("roads"), "f6", 1, "e5 f5 g5 e6 f6 g6 e7 f7 g7")
    state = at(state, "tiles", "a6", terrain=Terrain.MOUNTAIN)
    state = at(state, "tiles", "b6", terrain=Terrain.VILLAGE)
    state = unit(on_network(state, "c6"), "d7", UnitKind.WARRIOR, 1)
    game = Game(state)
    paved = {text.split()[0] for text in game.legal if text.endswith("build_road")}
    assert {"d4", "b6", "d6", "a1"} <= paved
    assert not paved & {"a6", "c6", "d7", "e5", "c3", "f6"}
    after = game.play("d6 build_road")
    assert after.stars[0] == 48 and "d6 build_road" not in after.legal
