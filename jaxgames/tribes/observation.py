"""The observation of a seat: planes of the board, and numbers that belong to no tile.

An observation shows only what the seat knows (`knowledge.py`). It does not depend on the numbers of
seats: the viewer comes first, and the other seats follow in the order of play. Numbers are scaled
so that the largest values in play are about 1; turns of peace are 1 at the five turns that an altar
takes. The tables below are the layout: features in their order, first the common features, then the
features of each seat. `plane_slices` and `scalar_slices` give the offsets.

The board is `[side, side, planes]`, indexed `[row, column]`. A tile in the fog has zeros in all
planes except the plane of the fog and the plane of the chosen tile.

Source: the game's document, section 20.4. Three of its planes are left out, since they follow from
others: tiles in sight, tiles without an owner, and the population that a level needs.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32

from jaxgames.boards import bits, features
from jaxgames.boards.features import Feature, OneHot
from jaxgames.tribes.engine import queries, research, turn
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.knowledge import determinize
from jaxgames.tribes.state import NO_CITY, NO_TILE, NO_UNIT, NOBODY, Stage, TribesState
from jaxgames.tribes.tables.buildings import (
    MAX_TEMPLE_LEVEL,
    NUM_BUILDINGS,
    NUM_MONUMENTS,
    TEMPLE_COUNTDOWN,
    MonumentState,
)
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES, NUM_TIERS
from jaxgames.tribes.tables.terrain import NUM_TERRAINS, Resource
from jaxgames.tribes.tables.tribes import NUM_TRIBES, Result
from jaxgames.tribes.tables.units import NUM_SPAWNED, NUM_STATUSES, NUM_UNIT_KINDS, UnitKind

_RESOURCES = np.array([resource for resource in Resource if resource != Resource.NONE])
_CARGOES = np.array([*range(NUM_SPAWNED), UnitKind.SUPERUNIT])

COMMON_PLANES = (
    Feature("temple", 2, "level of a temple, / 5; turns until it grows, / 3"),
    Feature("city", 1, "level of a city, / 10, at its centre"),
    Feature("own_city", 4, "population, lacking population, income, room for units, all / 10"),
    Feature("hp", 2, "HP, of the unharmed unit's; HP, / 40"),
    Feature("kills", 1, "kills of own units, / 3, at most 1"),
    Feature("terrain", NUM_TERRAINS, "each terrain, in order; the last: fog"),
    Feature("resource", len(_RESOURCES), "fish, fruit, animal, whales, ore, crops, ruins"),
    Feature("building", NUM_BUILDINGS, "each building, in order"),
    Feature("network", 1, "city centres, roads, ports"),
    Feature("walls", 1, "centres of cities with walls"),
    Feature("connected", 1, "centres of own cities connected to the capital"),
    Feature("unit", NUM_UNIT_KINDS, "each kind of unit, in order"),
    Feature("cargo", len(_CARGOES), "land unit aboard: those a city trains, in order; superunit"),
    Feature("veteran", 1, "veterans"),
    Feature("status", NUM_STATUSES, "each status of a unit, in order"),
    Feature("selected", 1, "tile that the viewer has chosen"),
)
SEAT_PLANES = (
    Feature("territory", 1, "tiles within its borders"),
    Feature("units", 1, "its units"),
    Feature("capital", 1, "its first city, whoever holds it"),
)
COMMON_SCALARS = (
    Feature("sub_action", 1, "the viewer has chosen a tile"),
    Feature("tick", 1, "ticks played, / the limit of ticks"),
    Feature("by_score", 1, "the mode Score"),
    Feature("stars", 1, "own stars: log(1 + stars), / 5; from 1023 on, all alike"),
    Feature("income", 1, "stars that the own cities bring when not besieged, / 30"),
    Feature("costs", NUM_TIERS, "price of technologies of each tier, / 30"),
    Feature("technologies", NUM_TECHNOLOGIES, "own technologies, in order"),
    Feature("available", NUM_MONUMENTS, "monuments that the viewer may build, in order"),
    Feature("built", NUM_MONUMENTS, "monuments that the viewer has built, in order"),
    Feature("kills", 1, "own kills, / 10"),
    Feature("peace", 1, "own turns of peace, / 5"),
)
SEAT_SCALARS = (
    Feature("tribe_ids", NUM_TRIBES, "which tribe it is"),
    Feature("score", 1, "its score, / 10000"),
    Feature("cities", 1, "its cities as far as known, / 8"),
    Feature("lost", 1, "it has lost"),
    Feature("acts", 1, "it is its turn"),
    Feature("has_acted", 1, "its turn of this tick is over"),
)
_STARS = (np.log1p(np.arange(1024)) / 5).astype(np.float32)
"""A table, because XLA rounds a logarithm differently from program to program."""


class TribesObservation(NamedTuple):
    """The observation of a game by one seat."""

    board: Float[Array, "N N planes"]
    scalars: Float[Array, "scalars"]


def plane_slices(players: int) -> dict[str, slice]:
    """Returns the slice of each group of planes: `terrain`, ..., `0/territory`, ..., `1/territory`.

    The number stands for a seat: 0 is the viewer, 1 plays after it, and so on.
    """
    return features.slices(COMMON_PLANES, SEAT_PLANES, players)


def scalar_slices(players: int) -> dict[str, slice]:
    """Returns the slice of each group of numbers, named like the planes."""
    return features.slices(COMMON_SCALARS, SEAT_SCALARS, players)


def observe(config: GameConfig, state: TribesState, viewer: Int32[Array, ""]) -> TribesObservation:
    """Returns the observation of a seat."""
    known = determinize(state, viewer)
    players, side = config.players, config.board.side
    planes = features.join(
        features.layout(COMMON_PLANES, SEAT_PLANES, players),
        {**_city_planes(config, known, viewer), **_planes(config, known, viewer)},
        (config.board.tiles,),
    )
    numbers = features.join(COMMON_SCALARS, _common_scalars(config, known, viewer))
    seats = (viewer + jnp.arange(players)) % players
    by_seat = jax.vmap(lambda seat: features.join(SEAT_SCALARS, _seat_scalars(known, seat)))(seats)
    return TribesObservation(
        planes.reshape(side, side, -1), jnp.concatenate([numbers, by_seat.reshape(-1)])
    )


def _planes(
    config: GameConfig, known: TribesState, viewer: Int32[Array, ""]
) -> dict[str, Array | OneHot]:
    """Returns the planes of ground and units."""
    tiles, units, board = known.tiles, known.units, config.board
    has_unit = units.kind != NO_UNIT
    hp = units.hp.astype(jnp.float32)
    aboard = jnp.where(queries.is_water_unit(units.kind), units.cargo, NO_UNIT)
    acts_here = (jnp.arange(board.tiles) == known.selected) & (known.phase == Stage.SUB_ACTION)
    network = tiles.network[board.row] >> board.column.astype(np.uint16) & 1
    planes: dict[str, Array | OneHot] = {
        "temple": jnp.stack(
            [tiles.temple_level / MAX_TEMPLE_LEVEL, tiles.temple_countdown / TEMPLE_COUNTDOWN],
            axis=-1,
        ),
        "hp": jnp.stack([hp / queries.max_hp(units, config.p), hp / 40], axis=-1),
        "kills": jnp.minimum(units.kills / 3, 1),
        "terrain": OneHot(tiles.terrain),
        "resource": OneHot(_place(tiles.resource, _RESOURCES)),
        "building": OneHot(tiles.building),
        "network": _flag(network != 0),
        "unit": OneHot(units.kind),
        "cargo": OneHot(_place(aboard, _CARGOES)),
        "veteran": _flag(units.veteran),
        "status": OneHot(jnp.where(has_unit, units.status, -1)),
        "selected": _flag(acts_here),
    }
    owner = jnp.where(tiles.owner == NO_CITY, NOBODY, known.cities.tribe[tiles.owner])
    for number in range(config.players):
        seat = (viewer + number) % config.players
        planes[f"{number}/territory"] = _flag(owner == seat)
        planes[f"{number}/units"] = _flag(units.tribe == seat)
    return planes


def _city_planes(
    config: GameConfig, known: TribesState, viewer: Int32[Array, ""]
) -> dict[str, Array | OneHot]:
    """Returns the planes of the centres of cities, as far as known; villages have none."""
    cities = known.cities
    mine = cities.tribe == viewer
    room = queries.capacity(cities) - queries.units_at_home(known)
    lacking = queries.needed_population(cities) - cities.population
    own = [cities.population, lacking, turn.incomes(config, known), room]
    of_cities = [
        cities.level,
        *[jnp.where(mine, number, 0) for number in own],
        cities.walls,
        bits.to_mask(known.tribes.connected[viewer], cities.tile.shape[0]),
        cities.capital_of + 1,
    ]
    values = jnp.stack([jnp.asarray(value, jnp.int32) for value in of_cities], axis=-1)
    is_known = (cities.tribe >= 0) & (cities.tile != NO_TILE)
    tile = jnp.where(is_known, cities.tile, config.board.tiles).astype(jnp.int32)
    nothing = jnp.zeros((config.board.tiles, len(of_cities)), jnp.int32)
    at_tiles = nothing.at[tile].set(values, mode="drop")
    tens, (walls, connected, capital) = at_tiles[:, :5] / 10, at_tiles[:, 5:].T
    planes: dict[str, Array | OneHot] = {
        "city": tens[:, 0],
        "own_city": tens[:, 1:],
        "walls": _flag(walls != 0),
        "connected": _flag(connected != 0),
    }
    for number in range(config.players):
        seat = (viewer + number) % config.players
        planes[f"{number}/capital"] = _flag(capital == seat + 1)
    return planes


def _flag(is_there: Bool[Array, "T"]) -> OneHot:
    """Returns a single plane."""
    return OneHot(jnp.where(is_there, 0, -1))


def _place(values: Array, kinds: Int[np.ndarray, "n"]) -> Int[Array, "T"]:
    """Returns the index of each value among some kinds, -1 for other values."""
    found = values[:, None] == kinds
    return jnp.where(found.any(axis=1), found.argmax(axis=1), -1)


def _common_scalars(
    config: GameConfig, known: TribesState, viewer: Int32[Array, ""]
) -> dict[str, Array]:
    tribes = known.tribes
    limit = jnp.asarray(config.p.turn_limit)[int(config.by_score)]
    monuments = tribes.monuments[viewer]
    return {
        "sub_action": known.phase == Stage.SUB_ACTION,
        "tick": known.tick / jnp.maximum(limit, 1),
        "by_score": jnp.bool_(config.by_score),
        "stars": jnp.asarray(_STARS)[jnp.clip(tribes.stars[viewer], 0, len(_STARS) - 1)],
        "income": turn.production(config, known, viewer) / 30,
        "costs": research.costs(config, known, viewer) / 30,
        "technologies": bits.to_mask(tribes.technologies[viewer], NUM_TECHNOLOGIES),
        "available": monuments == MonumentState.AVAILABLE,
        "built": monuments == MonumentState.BUILT,
        "kills": tribes.kills[viewer] / 10,
        "peace": tribes.peace[viewer] / 5,
    }


def _seat_scalars(known: TribesState, seat: Int32[Array, ""]) -> dict[str, Array]:
    tribes = known.tribes
    return {
        "tribe_ids": tribes.tribe_ids[seat] == np.arange(NUM_TRIBES),
        "score": tribes.score[seat] / 10_000,
        "cities": (known.cities.tribe == seat).sum() / 8,
        "lost": tribes.result[seat] == Result.LOSS,
        "acts": (seat == known.active) & ~known.over,
        "has_acted": seat < known.active,
    }
