"""Positions of Tribes for tests: made by hand, or at random with everything in every field."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.tribes.engine import chance, setup
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.grid import board_of
from jaxgames.tribes.state import CITY_SLOTS, Cities, Tiles, TribesState, TribeStates, Units
from jaxgames.tribes.tables import parameters
from jaxgames.tribes.tables.technologies import PARENTS, Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain

SIDE = 11


def config_of(
    players=2, fog=False, side=SIDE, by_score=False, p=parameters.DEFAULTS, corrected_rules=False
) -> GameConfig:
    return GameConfig(board_of(side), players, by_score, fog, corrected_rules, True, p)


def tile(name: str, side: int = SIDE) -> int:
    """Returns the number of the tile with a name such as `c4`: column c, row 4."""
    return side * (int(name[1:]) - 1) + ord(name[0]) - ord("a")


def tiles(names: str, side: int = SIDE) -> np.ndarray:
    return np.array([tile(name, side) for name in names.split()], int)


@functools.lru_cache(maxsize=8)
def _begun(
    capitals: str, tribe_ids: tuple[int, ...], fog: bool, side: int, corrected_rules: bool
) -> TribesState:
    terrain = np.zeros(side**2, np.int8)
    terrain[tiles(capitals, side)] = Terrain.CITY
    config = config_of(len(tribe_ids), fog, side, corrected_rules=corrected_rules)
    places = jnp.asarray(tiles(capitals, side), jnp.int32)
    no_luck = chance.recorded(jnp.zeros((1,), jnp.uint32))
    begin = jax.jit(lambda *level: setup.begin(config, *level, no_luck))
    nothing = np.full(side**2, Resource.NONE, np.int8)
    return jax.device_get(begin(terrain, nothing, places, jnp.asarray(tribe_ids, jnp.int32)))


def begun(
    capitals="c3 i9", tribe_ids=(0, 1), fog=False, side=SIDE, corrected_rules=False
) -> TribesState:
    """Returns the start of a game on a plain, on the host."""
    return _begun(capitals, tuple(tribe_ids), fog, side, corrected_rules)


def change(state: TribesState, part: str, **fields) -> TribesState:
    """Returns a state with fields of a part replaced, in their own types."""
    old = getattr(state, part)
    new = {
        name: np.asarray(value, getattr(old, name).dtype).reshape(getattr(old, name).shape)
        for name, value in fields.items()
    }
    return state.replace(**{part: old.replace(**new)})


def at(state: TribesState, part: str, names: str, **fields) -> TribesState:
    """Returns a state with fields of some tiles, or units on them, replaced."""
    where = tiles(names, len(state.tiles.network))
    changed = {name: getattr(getattr(state, part), name).copy() for name in fields}
    for name, value in fields.items():
        changed[name][where] = value
    return change(state, part, **changed)


def unit(state: TribesState, name: str, kind: int, tribe: int, **fields) -> TribesState:
    """Returns a state with one more unit."""
    number = int(state.counter)
    look = {"cargo": kind, "hp": 10, "home": -1, "joined": number, **fields}
    state = at(state, "units", name, kind=kind, tribe=tribe, **look)
    return state.replace(counter=np.int16(number + 1))


def city(state: TribesState, name: str, tribe: int, borders: str = "", **fields) -> TribesState:
    """Returns a state with one more city, or village for tribe -1."""
    place = int(np.argmax(state.cities.tile < 0))
    look = {"tile": tile(name, len(state.tiles.network)), "tribe": tribe, "level": 1, **fields}
    changed = {field: getattr(state.cities, field).copy() for field in look}
    for field, value in look.items():
        changed[field][place] = value
    terrain = Terrain.VILLAGE if tribe < 0 else Terrain.CITY
    state = at(state, "tiles", name, terrain=terrain)
    return at(change(state, "cities", **changed), "tiles", borders, owner=place)


def seen(state: TribesState, seat: int, names: str) -> TribesState:
    """Returns a state in which a seat has revealed some tiles and no others."""
    side = len(state.tiles.network)
    mask = np.zeros(side**2, bool)
    mask[tiles(names, side)] = True
    visible = state.tribes.visible.copy()
    visible[seat] = rows(mask)
    return change(state, "tribes", visible=visible)


def rows(mask: np.ndarray) -> np.ndarray:
    """Returns a mask of tiles as rows of bits."""
    side = int(np.sqrt(mask.shape[-1]))
    bits = mask.reshape(*mask.shape[:-1], side, side).astype(np.uint32) << np.arange(side)
    return bits.sum(axis=-1).astype(np.uint16)


def mask(bits: np.ndarray) -> np.ndarray:
    """Returns rows of bits as a mask of tiles."""
    side = bits.shape[-1]
    return (bits[..., None] >> np.arange(side) & 1).astype(bool).reshape(*bits.shape[:-1], -1)


def anything(seed: int, players: int = 3, side: int = SIDE, fog: bool = True) -> TribesState:
    """Returns a state with anything in its fields that the types of things allow.

    What play makes sure of holds: tribes see their own cities and units, units live in cities of
    their tribe, villages own nothing, technologies come with their parents.
    """
    rng = np.random.default_rng(seed)
    number, places = side**2, CITY_SLOTS[side]
    resources = np.array([-1, 0, 1, 2, 3, 5, 6, 7])
    used = rng.random(places) < 0.8
    tribe = np.where(used, rng.integers(-1, players, places), -1)
    centres = np.where(used, rng.permutation(number)[:places], -1)
    level = rng.integers(1, 7, places) * used
    has_unit = rng.random(number) < 0.4
    kind = rng.integers(0, 12, number)
    of = rng.integers(0, players, number)
    is_water = (kind >= 8) & (kind <= 10)
    owners = np.append(np.flatnonzero(tribe >= 0), -1)
    homes = rng.choice(owners, number)
    homes[tribe[homes] != of] = -1
    visible = rng.random((players, number)) < 0.5 if fog else np.ones((players, number), bool)
    for seat in range(players):
        visible[seat] |= has_unit & (of == seat)
        visible[seat, centres[tribe == seat]] = True
    terrain = rng.integers(0, 7, number)
    terrain[centres[used]] = np.where(tribe[used] < 0, Terrain.VILLAGE, Terrain.CITY)
    technologies = rng.integers(0, 1 << 24, players)
    for technology in reversed(Technology):
        if technology in PARENTS:
            technologies |= (technologies >> technology & 1) << PARENTS[technology]
    capitals = np.full(places, -1)
    capitals[rng.permutation(places)[:players]] = np.arange(players)

    def short(high, shape=number, low=0):
        return rng.integers(low, high, shape)

    phase = rng.integers(0, 2)
    return TribesState(
        tiles=Tiles(
            terrain=terrain.astype(np.int8),
            resource=rng.choice(resources, number).astype(np.int8),
            building=short(19, low=-1).astype(np.int8),
            built=short(300).astype(np.int16),
            temple_level=short(6).astype(np.int8),
            temple_countdown=short(4).astype(np.int8),
            owner=rng.choice(owners, number).astype(np.int8),
            network=rows(rng.random(number) < 0.3),
        ),
        units=Units(
            kind=np.where(has_unit, kind, -1).astype(np.int8),
            cargo=np.where(is_water, short(8), kind * has_unit).astype(np.int8) * has_unit,
            tribe=np.where(has_unit, of, -1).astype(np.int8),
            hp=(short(10, low=1) * has_unit).astype(np.int8),
            kills=(short(9) * has_unit).astype(np.uint8),
            veteran=(short(2) * has_unit).astype(bool),
            status=(short(6) * has_unit).astype(np.int8),
            home=(homes * has_unit).astype(np.int8),
            joined=(short(300) * has_unit).astype(np.int16),
        ),
        cities=Cities(
            tile=centres.astype(np.int16),
            tribe=tribe.astype(np.int8),
            level=level.astype(np.int8),
            population=(short(6, places, -3) * used).astype(np.int16),
            production=(short(9, places) * used).astype(np.int16),
            walls=(short(2, places) * used).astype(bool),
            radius=(short(3, places, 1) * used).astype(np.int8),
            capital_of=capitals.astype(np.int8),
            worth=(short(900, places) * used).astype(np.int32),
            joined=(short(300, places) * used).astype(np.int16),
        ),
        tribes=TribeStates(
            tribe_ids=rng.permutation(4)[:players].astype(np.int8),
            stars=short(100, players).astype(np.int16),
            score=short(9000, players).astype(np.int32),
            technologies=technologies.astype(np.uint32),
            kills=short(20, players).astype(np.int16),
            peace=short(9, players).astype(np.int16),
            monuments=short(3, (players, 7)).astype(np.int8),
            connected=short(1 << places, players).astype(np.uint32),
            met=short(1 << players, players).astype(np.uint8),
            visible=rows(visible),
            result=short(3, players).astype(np.int8),
        ),
        tick=np.int16(rng.integers(0, 50)),
        active=np.int8(rng.integers(0, players)),
        phase=np.int8(phase),
        selected=np.int16(phase * rng.integers(0, number)),
        counter=np.int16(300),
        ranking=np.zeros(players, np.int8),
        over=np.bool_(False),
    )
