"""Levels made on the device: as sound as those of the host, and of the same distribution."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes.engine.grid import board_of
from jaxgames.tribes.levels import device_generation, host_generation
from jaxgames.tribes.levels.java_random import JavaRandom
from jaxgames.tribes.levels.level_files import Level, check_level, level_from_csv, level_to_csv
from jaxgames.tribes.tables.levels import GIFTS, MARGIN, NUM_GIFTS, Coast, num_ruins
from jaxgames.tribes.tables.terrain import Resource, Terrain
from tests.jaxgames.tribes import level_statistics
from tests.jaxgames.tribes.level_statistics import KINDS, NUM_LEVELS, Levels, Summary

MOST_ERRORS = 4  # standard errors between means; one measure in 16,000 of equal ones exceeds it
WATER = (Terrain.SHALLOW_WATER, Terrain.DEEP_WATER)
# Land that rises beside a capital makes shallow what carried whales; ruins go nearly everywhere.
CARRIERS = {
    Resource.FISH: (Terrain.SHALLOW_WATER,),
    Resource.FRUIT: (Terrain.PLAIN,),
    Resource.ANIMAL: (Terrain.FOREST,),
    Resource.WHALES: WATER,
    Resource.ORE: (Terrain.MOUNTAIN,),
    Resource.CROPS: (Terrain.PLAIN,),
}


# A program for each kind takes seconds to compile; those for larger boards are left to slow tests.
each_kind = pytest.mark.parametrize(
    "kind", ["11/2", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("14/3", "16/4"))]
)


@functools.cache
def levels_of(kind: str, seed: int = 0) -> Levels:
    """Returns `NUM_LEVELS` levels of the device."""
    side, tribes = KINDS[kind]

    @jax.jit
    def generate(keys):
        return jax.vmap(lambda key: device_generation.generate(key, side, jnp.array(tribes)))(keys)

    return Levels(
        side, *jax.device_get(generate(jax.random.split(jax.random.key(seed), NUM_LEVELS)))
    )


def away_from(board, tiles: np.ndarray) -> np.ndarray:
    """Returns the steps from each of some tiles to each tile, `[..., T]`."""
    rows, columns = board.row[tiles][..., None], board.column[tiles][..., None]
    return np.maximum(abs(board.row - rows), abs(board.column - columns))


@each_kind
def test_measures_are_those_of_the_host(kind):
    table = json.loads(level_statistics.HOST_LEVELS.read_text())[kind]
    found = level_statistics.summaries(levels_of(kind))
    errors = {name: found[name].errors_from(Summary(*row)) for name, row in table.items()}
    assert set(found) == set(table)
    assert {name: error for name, error in errors.items() if error > MOST_ERRORS} == {}


@each_kind
def test_levels_can_be_played(kind):
    side, *arrays = levels_of(kind)
    for terrain, resource, capitals, tribe_ids in zip(*arrays, strict=True):
        pairs = tuple(zip(capitals.tolist(), tribe_ids.tolist(), strict=True))
        check_level(Level(side, terrain, resource, pairs))
        assert sorted(tribe_ids) == sorted(KINDS[kind][1])


@each_kind
def test_cities_have_room(kind):
    side, terrain, _, capitals, _ = levels_of(kind)
    board = board_of(side)
    edge = np.minimum.reduce(
        [board.row, board.column, side - 1 - board.row, side - 1 - board.column]
    )
    assert (edge[capitals] >= MARGIN).all()
    level, village = np.nonzero(terrain == Terrain.VILLAGE)
    assert (edge[village] >= 1).all()
    steps = away_from(board, village)
    others = np.isin(terrain, (Terrain.VILLAGE, Terrain.CITY))[level]
    others[np.arange(len(village)), village] = False
    assert (np.where(others, steps, side).min(axis=1) >= 3).all()


@each_kind
def test_resources_are_where_they_belong(kind):
    side, terrain, resource, capitals, _ = levels_of(kind)
    for thing, kinds in CARRIERS.items():
        assert np.isin(terrain[resource == thing], kinds).all()
    assert (resource[terrain == Terrain.VILLAGE] == Resource.NONE).all()
    cities = np.isin(terrain, (Terrain.VILLAGE, Terrain.CITY))
    is_ruin = resource == Resource.RUINS
    most, most_deep = num_ruins(side)
    assert (is_ruin.sum(axis=1) <= most).all()
    assert (is_ruin & (terrain == Terrain.DEEP_WATER)).sum(axis=1).max() == most_deep
    near = (away_from(board_of(side), capitals) <= 1).any(axis=1)
    assert not (is_ruin & (near | cities)).any()


@each_kind
def test_some_tribes_have_gifts_beside_their_capital(kind):
    side, terrain, resource, capitals, tribe_ids = levels_of(kind)
    steps = away_from(board_of(side), capitals)
    for tribe, gift in GIFTS.items():
        if tribe in KINDS[kind][1]:
            seat = (tribe_ids == tribe).argmax(axis=1)
            beside = steps[np.arange(NUM_LEVELS), seat] == 1
            given = beside & (resource == gift.resource) & (terrain == gift.terrain)
            assert given.sum(axis=1).min() == NUM_GIFTS


def test_levels_can_be_written_and_read():
    level = jax.tree.map(
        lambda rows: rows[3], device_generation.GeneratedLevel(*levels_of("11/2")[1:])
    )
    written = level_to_csv(level.on_host())
    read = level_from_csv(written)
    np.testing.assert_array_equal(read.terrain, level.terrain)
    np.testing.assert_array_equal(read.resource, level.resource)
    np.testing.assert_array_equal(
        read.capitals, np.stack([level.capitals, level.tribe_ids], axis=1)
    )
    with pytest.raises(ValueError, match=r"expected one level, got a batch \(1000,\)"):
        device_generation.GeneratedLevel(*levels_of("11/2")[1:]).on_host()


def test_a_level_depends_on_its_key_only():
    side, tribes = KINDS["11/2"]
    levels = levels_of("11/2")
    key = jax.random.split(jax.random.key(0), NUM_LEVELS)[7]
    alone = jax.jit(device_generation.generate, static_argnums=1)(key, side, jnp.array(tribes))
    for one, all_of_them in zip(alone, levels[1:], strict=True):
        np.testing.assert_array_equal(one, all_of_them[7])
    assert len(np.unique(levels.terrain, axis=0)) == NUM_LEVELS


def on_device(step, board, *levels, **options):
    """Returns the results of a step for several levels."""
    results = jax.jit(jax.vmap(functools.partial(step, board, **options)))(*levels)
    return jax.device_get(results)  # complete, so that a test may now change the levels in place


COASTS = (Coast(), Coast(smoothing=1), Coast(land_share=0.3, relief=5, smoothing=5))


@pytest.mark.parametrize("side", [11, 14])
@pytest.mark.parametrize("coast", COASTS)
def test_land_is_smoothed_as_on_the_host(side, coast):
    board = board_of(side)
    is_land = np.random.default_rng(side).random((50, board.tiles)) < coast.land_share
    found = on_device(device_generation.smoothed, board, is_land, coast=coast)
    terrain = np.where(is_land, Terrain.PLAIN, Terrain.DEEP_WATER).astype(np.int8)
    for row in terrain:
        host_generation.smooth(board, row, coast)
    np.testing.assert_array_equal(found, terrain == Terrain.PLAIN)


@pytest.mark.parametrize("side", [11, 14])
def test_villages_and_coasts_are_those_of_the_host(side):
    board, random = board_of(side), np.random.default_rng(side)
    kinds = (Terrain.PLAIN, Terrain.FOREST, Terrain.MOUNTAIN, Terrain.DEEP_WATER)
    terrain = random.choice(np.array(kinds, np.int8), (50, board.tiles))
    capitals = np.array([random.choice(board.tiles, 2, replace=False) for _ in terrain])
    np.put_along_axis(terrain, capitals, np.int8(Terrain.CITY), axis=1)
    zones = [
        host_generation.zones_of(board, *level) for level in zip(terrain, capitals, strict=True)
    ]
    found = on_device(device_generation.zones_of, board, terrain, capitals)
    np.testing.assert_array_equal(found, zones)
    flooded = on_device(device_generation.flooded, board, terrain)
    for row in terrain:
        host_generation.flood(board, row)
    np.testing.assert_array_equal(flooded, terrain)


def test_tribes_spread_as_on_the_host():
    """A bay of deep water between two capitals: land is taken first, whoever is nearer by sea."""
    board, runs = board_of(11), 500
    terrain = np.full((11, 11), Terrain.PLAIN, np.int8)
    terrain[1:, 4:7] = Terrain.DEEP_WATER
    terrain = terrain.reshape(-1)
    capitals = [11 * 8 + 2, 11 * 5 + 8]
    hosts = [
        host_generation.biomes_of(board, JavaRandom(seed), terrain, capitals)
        for seed in range(runs)
    ]
    keys = jax.random.split(jax.random.key(0), runs)
    is_land, places = jnp.array(terrain == Terrain.PLAIN), jnp.array(capitals)
    found = jax.jit(jax.vmap(lambda key: device_generation.biomes_of(board, is_land, places, key)))(
        keys
    )
    expected, share = np.mean(hosts, axis=0), np.mean(found, axis=0)
    mean = (expected + share) / 2
    errors = abs(share - expected) / np.sqrt(np.maximum(mean * (1 - mean), 1 / runs) * 2 / runs)
    assert errors.max() < MOST_ERRORS


def test_levels_that_were_spoilt_are_made_anew():
    # Little land: in every fifth level capitals take each other's place at the first attempt.
    @jax.jit
    def generate(keys):
        coast = Coast(land_share=0.35)
        return jax.vmap(
            lambda key: device_generation.generate(key, 11, jnp.arange(4), coast).terrain
        )(keys)

    terrain = generate(jax.random.split(jax.random.key(1), 200))
    assert ((terrain == Terrain.CITY).sum(axis=1) == 4).all()


IMPOSSIBLE = [
    (12, [0, 1], r"one of \(11, 14, 16\), got 12"),
    (11, [0], "2 to 4 capitals, each of another tribe, got 1"),
    (11, [0, 1, 2, 3, 4], r"tribe_ids\[4\]: unknown tribe 4; known: '0' xin xi"),
    (11, [2, 2], r"tribe_ids\[1\]: tribe 2 bardur is there already, tribe_ids\[0\]"),
]


@pytest.mark.parametrize(("side", "tribes", "message"), IMPOSSIBLE)
def test_impossible_levels_are_refused(side, tribes, message):
    with pytest.raises(ValueError, match=message):
        device_generation.generate(jax.random.key(0), side, tribes)


def test_a_wrong_number_of_tribes_is_refused_in_compiled_code_too():
    with pytest.raises(ValueError, match="expected 2 to 4 tribes, got 5"):
        jax.jit(device_generation.generate, static_argnums=1)(jax.random.key(0), 11, jnp.arange(5))


@pytest.mark.parametrize("generate", [host_generation.generate, device_generation.generate])
@pytest.mark.parametrize("coast", [None, 0.5])
def test_a_coast_is_a_coast(generate, coast):
    seed = 0 if generate is host_generation.generate else jax.random.key(0)
    with pytest.raises(ValueError, match=f"coast must be a Coast, got {coast}"):
        generate(seed, 11, [0, 1], coast)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"land_share": "a"}, "land_share must be a number, got 'a'"),
        ({"land_share": 1.5}, "land_share must be 0 to 1, got 1.5"),
        ({"relief": float("inf")}, "relief must be finite, got inf"),
        ({"smoothing": 1.5}, "smoothing must be 0 passes or more, got 1.5"),
        ({"smoothing": -1}, "smoothing must be 0 passes or more, got -1"),
    ],
)
def test_coasts_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        Coast(**options)
