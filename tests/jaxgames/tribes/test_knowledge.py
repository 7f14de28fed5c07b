"""What a seat knows: everything of its own, and nothing that the document hides from it."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes.engine import research, turn
from jaxgames.tribes.engine.determinize import MOST_STARS, TICKS_A_TECHNOLOGY, guess
from jaxgames.tribes.engine.knowledge import determinize
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import FIRST_TECHNOLOGY
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.tribes.positions import (
    anything,
    at,
    begun,
    change,
    city,
    config_of,
    mask,
    seen,
    tile,
    unit,
)

PLAYERS = 3
PEOPLE = (0, 1, 2)
SEEDS = range(8)
HIDE = jax.jit(determinize)
SIGHT = "a1 b1 c1 d1 a2 b2 c2 d2 a3 b3 c3 d3"


def known(state: TribesState, seat: int) -> TribesState:
    return jax.device_get(HIDE(state, jnp.int32(seat)))


def in_sight(state: TribesState, seat: int) -> np.ndarray:
    return mask(state.tribes.visible[seat])


def equal(one: TribesState, other: TribesState) -> None:
    jax.tree.map(np.testing.assert_array_equal, one, other)


def mixed(state: TribesState, other: TribesState, seat: int) -> TribesState:
    """Returns a state that a seat cannot tell from `state`, and is else made of another one.

    Places of cities stay those of `state`, as order numbers of buildings in sight do.
    """
    sight = in_sight(state, seat)
    mine = {"units": state.units.tribe == seat, "cities": state.cities.tribe == seat}
    tribes = np.arange(PLAYERS) == seat

    def pick(mask, part, *names):
        here, there = getattr(state, part), getattr(other, part)
        fields = {}
        for name in names:
            shape = (-1,) + (1,) * (getattr(here, name).ndim - 1)
            chosen = mask.reshape(shape)
            fields[name] = np.where(chosen, getattr(here, name), getattr(there, name))
        return fields

    result = change(
        state,
        "tiles",
        **pick(
            sight,
            "tiles",
            *("terrain", "resource", "building", "built", "temple_level", "temple_countdown"),
            "owner",
        ),
        network=(state.tiles.network & state.tribes.visible[seat])
        | (other.tiles.network & ~state.tribes.visible[seat]),
    )
    public = ("kind", "cargo", "tribe", "hp", "veteran", "status")
    private = ("kills", "home", "joined")
    unseen_mine = ~sight & (other.units.tribe == seat)
    result = change(
        result,
        "units",
        **pick(sight, "units", *public),
        **pick(sight & mine["units"], "units", *private),
    )
    # A seat sees its own units and cities.
    result = change(result, "units", kind=np.where(unseen_mine, -1, result.units.kind))
    result = change(result, "units", tribe=np.where(unseen_mine, -1, result.units.tribe))
    touches = (state.tiles.owner == np.arange(len(state.cities.tile))[:, None]) & sight
    centre_seen = (state.cities.tile >= 0) & sight[state.cities.tile]
    borders_seen = touches.any(axis=1)
    result = change(
        result,
        "cities",
        **pick(mine["cities"], "cities", "population", "production"),
        **pick(centre_seen, "cities", "level", "walls", "radius"),
        worth=other.cities.worth,
        tribe=np.where(centre_seen | borders_seen, state.cities.tribe, (seat + 1) % PLAYERS),
    )
    return change(
        result,
        "tribes",
        **pick(
            tribes,
            "tribes",
            *("stars", "technologies", "kills", "peace", "monuments", "connected", "met"),
            "visible",
        ),
    )


@pytest.mark.parametrize("fog", [False, True])
def test_what_is_hidden_makes_no_difference(fog):
    for seed in SEEDS:
        state, other = (anything(n, PLAYERS, fog=fog) for n in (seed, seed + 100))
        for seat in range(PLAYERS):
            equal(known(state, seat), known(mixed(state, other, seat), seat))


@pytest.mark.parametrize("fog", [False, True])
def test_knowing_again_what_one_knows_changes_nothing(fog):
    for seed in SEEDS:
        state = anything(seed, PLAYERS, fog=fog)
        for seat in range(PLAYERS):
            once = known(state, seat)
            equal(known(once, seat), once)


def test_cities_that_fog_hides_are_besieged_by_nobody():
    config = config_of(PLAYERS, fog=True)
    begin = jax.jit(functools.partial(turn.start, config))
    state = begun("c3 i9 c9", PEOPLE, fog=True).replace(tick=np.int16(3), active=np.int8(1))
    assert not in_sight(state, 0)[tile("i9")]
    for name in ("a1", "b1"):
        found = begin(known(unit(state, name, UnitKind.WARRIOR, 0), 0))
        assert found.tribes.stars[1] > 0


def test_types_and_shapes_stay():
    state = anything(0)
    found = jax.eval_shape(determinize, state, jnp.int32(0))
    for before, after in zip(jax.tree.leaves(state), jax.tree.leaves(found), strict=True):
        assert (before.dtype, before.shape) == (after.dtype, after.shape)


def test_what_is_own_stays():
    for seed in SEEDS:
        state = anything(seed, PLAYERS)
        for seat in range(PLAYERS):
            found = known(state, seat)
            for part, mine in (
                ("units", state.units.tribe == seat),
                ("cities", state.cities.tribe == seat),
                ("tribes", np.arange(PLAYERS) == seat),
            ):
                here, there = getattr(state, part), getattr(found, part)
                for name in vars(here):
                    if name != "worth":
                        before, after = getattr(here, name)[mine], getattr(there, name)[mine]
                        np.testing.assert_array_equal(before, after, err_msg=name)
            assert (in_sight(found, seat) == in_sight(state, seat)).all()


def test_what_all_may_know_stays():
    state = anything(1, PLAYERS)
    for seat in range(PLAYERS):
        found = known(state, seat)
        for name in ("tribe_ids", "score", "result"):
            np.testing.assert_array_equal(getattr(found.tribes, name), getattr(state.tribes, name))
        np.testing.assert_array_equal(found.cities.capital_of, state.cities.capital_of)
        assert (found.tick, found.active, found.over) == (state.tick, state.active, state.over)


def test_tiles_never_revealed_are_fog():
    state = anything(2, PLAYERS)
    found, hidden = known(state, 0), ~in_sight(state, 0)
    assert hidden.any() and not hidden.all()
    tiles = found.tiles
    assert (tiles.terrain[hidden] == Terrain.FOG).all()
    assert (tiles.terrain[~hidden] == state.tiles.terrain[~hidden]).all()
    for layer, nothing in (
        (tiles.resource, -1),
        (tiles.building, -1),
        (tiles.owner, -1),
        (found.units.kind, -1),
        (found.units.tribe, -1),
        (tiles.temple_level, 0),
        (mask(tiles.network), False),
    ):
        assert (layer[hidden] == nothing).all()
    assert (tiles.building[~hidden] == state.tiles.building[~hidden]).all()


def test_others_keep_their_secrets():
    state = anything(3, PLAYERS, fog=False)
    found = known(state, 1)
    for name in ("stars", "technologies", "kills", "peace", "monuments", "connected", "met"):
        assert (getattr(found.tribes, name)[[0, 2]] == 0).all(), name
    theirs = (state.cities.tribe >= 0) & (state.cities.tribe != 1)
    assert (found.cities.population[theirs] == 0).all()
    assert (found.cities.production[theirs] == 0).all()
    assert (found.cities.level == np.where(state.cities.tile < 0, 1, state.cities.level)).all()
    units = (state.units.kind >= 0) & (state.units.tribe != 1)
    assert (found.units.kills[units] == 0).all() and (found.units.home[units] == -1).all()
    for name in ("kind", "cargo", "tribe", "hp", "veteran", "status"):
        np.testing.assert_array_equal(getattr(found.units, name), getattr(state.units, name))
    assert in_sight(found, 0).all() and in_sight(found, 2).all()
    assert (found.cities.worth == 0).all()


@pytest.mark.parametrize(
    ("resource", "technology"),
    [
        (Resource.ORE, Technology.CLIMBING),
        (Resource.CROPS, Technology.ORGANIZATION),
        (Resource.WHALES, Technology.FISHING),
    ],
)
def test_resources_that_show_with_a_technology_only(resource, technology):
    state = at(begun(), "tiles", "a1", resource=resource)
    state = at(state, "tiles", "b1", resource=Resource.FRUIT)
    for known_bits, shown in ((~(1 << technology), Resource.NONE), (1 << technology, resource)):
        bits = np.array([known_bits & 0xFFFFFF, 0xFFFFFF])
        found = known(change(state, "tribes", technologies=bits), 0).tiles.resource
        assert (found[tile("a1")], found[tile("b1")]) == (shown, Resource.FRUIT)


def test_city_in_the_fog_is_gone():
    state = seen(city(begun(), "d9", 1, "d10", level=4, joined=9), 0, SIGHT)
    cities = known(state, 0).cities
    place = int(np.argmax(state.cities.tile == tile("d9")))
    assert (cities.tile[place], cities.tribe[place]) == (-1, -1)
    assert (cities.level[place], cities.joined[place]) == (1, 0)


def test_capital_in_the_fog_is_taken_to_be_held_somewhere():
    state = seen(begun(), 0, SIGHT)
    found = known(state, 0)
    place = int(np.argmax(state.cities.capital_of == 1))
    cities = found.cities
    assert (cities.tile[place], cities.tribe[place], cities.capital_of[place]) == (-1, 1, 1)


def test_tribe_that_has_not_lost_has_a_city_though_its_capital_is_seen_to_be_lost():
    state = change(begun("c3 i9 i3", PEOPLE), "cities", tribe=[0, 0, 0] + [-1] * 9)
    state = city(city(state, "k10", 1), "k11", 2)
    for result, expected in (([2, 2, 2], {0, 1, 2}), ([2, 2, 1], {0, 1}), ([2, 1, 2], {0, 2})):
        found = known(seen(change(state, "tribes", result=result), 0, SIGHT + " i9 i3"), 0)
        assert set(found.cities.tribe.tolist()) == expected | {-1}
        hidden = found.cities.tile < 0
        assert (np.bincount(found.cities.tribe[hidden] + 1)[1:] <= 1).all()


def test_borders_in_sight_tell_whose_they_are_but_nothing_of_their_city():
    state = city(begun(), "d9", 1, "d8 d9 d10", level=4, walls=True, radius=2)
    found = known(seen(state, 0, SIGHT + " d8"), 0)
    place = int(np.argmax(state.cities.tile == tile("d9")))
    cities = found.cities
    assert (cities.tribe[place], cities.tile[place]) == (1, -1)
    assert (cities.level[place], cities.radius[place], cities.walls[place]) == (1, 1, False)
    assert found.tiles.owner[tile("d8")] == place and found.tiles.owner[tile("d10")] == -1
    assert found.tiles.terrain[tile("d9")] == Terrain.FOG


def test_village_in_the_fog_is_not_known():
    state = city(city(begun(), "d3", -1), "d9", -1)
    found = known(seen(state, 0, SIGHT), 0)
    assert tile("d3") in found.cities.tile and tile("d9") not in found.cities.tile
    assert found.tiles.terrain[tile("d3")] == Terrain.VILLAGE


def test_choice_of_a_tile_is_known_to_who_made_it():
    state = unit(begun(), "f6", UnitKind.RIDER, 0)
    state = state.replace(phase=np.int8(1), selected=np.int16(tile("f6")))
    for seat, expected in ((0, (1, tile("f6"))), (1, (0, 0))):
        found = known(state, seat)
        assert (found.phase, found.selected) == expected


def test_what_a_tribe_may_do_does_not_depend_on_what_it_does_not_know():
    pairs = jax.jit(Tribes(num_players=PLAYERS, side=11).legal_pairs)
    number = 0
    for seed in range(30):
        state = anything(seed, PLAYERS, fog=False)
        wanted, found = pairs(state), pairs(known(state, int(state.active)))
        jax.tree.map(np.testing.assert_array_equal, wanted, found)
        number += int(wanted[0].sum())
    assert number > 1000


def test_guess_draws_what_others_have_and_leaves_the_rest_as_known():
    state = anything(seed=1, players=PLAYERS).replace(tick=jnp.int16(9))
    seat, others, draws = 1, [0, 2], 64
    draw = jax.jit(jax.vmap(guess, in_axes=(None, None, 0)))
    keys = jax.random.split(jax.random.key(0), draws)
    found, sure = jax.device_get(draw(state, jnp.int32(seat), keys)), known(state, seat)
    technologies, stars = found.tribes.technologies, found.tribes.stars
    np.testing.assert_array_equal(technologies[:, seat], sure.tribes.technologies[seat])
    np.testing.assert_array_equal(stars[:, seat], sure.tribes.stars[seat])
    assert stars[:, others].min() == 0
    assert stars[:, others].max() == MOST_STARS
    for other in others:
        first = 1 << int(FIRST_TECHNOLOGY[sure.tribes.tribe_ids[other]])
        drawn = technologies[:, other].tolist()
        assert len(set(drawn)) > draws // 4
        for bits in drawn:
            assert bits.bit_count() == 1 + 9 // TICKS_A_TECHNOLOGY
            assert is_learnt_from(first, bits)
    cities, population = sure.cities, found.cities.population
    theirs = (cities.tribe >= 0) & (cities.tribe != seat) & (cities.tile >= 0)
    assert theirs.any()
    assert (population[:, theirs] >= 0).all()
    assert (population[:, theirs] <= cities.level[theirs]).all()
    assert (population[:, theirs].max(axis=0) > 0).all()

    # Nothing else differs.
    population = np.where(theirs, cities.population, population)
    tribes = found.tribes.replace(
        technologies=np.tile(sure.tribes.technologies, (draws, 1)),
        stars=np.tile(sure.tribes.stars, (draws, 1)),
    )
    back = found.replace(tribes=tribes, cities=found.cities.replace(population=population))
    equal(back, jax.tree.map(lambda x: np.broadcast_to(x, (draws, *np.shape(x))), sure))


def is_learnt_from(first: int, technologies: int) -> bool:
    """Returns whether there is an order in which the technologies, as bits, can be learnt."""
    learnt = first
    while learnt != technologies:
        more = int(research.researchable(jnp.uint32(learnt))) & technologies
        if not more:
            return False
        learnt |= more
    return True
