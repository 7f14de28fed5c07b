"""The position before the first action, made from a level.

Source: the game's document, sections 7, 8 and 16.1.
"""

import jax.numpy as jnp
from jaxtyping import Array, Int8, Int32

from jaxgames.batching.arrays import set_row
from jaxgames.boards import bits
from jaxgames.tribes.engine import grid, turn, vision
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import GameConfig, Number
from jaxgames.tribes.state import (
    CITY_SLOTS,
    NO_CITY,
    NO_TILE,
    NO_UNIT,
    NOBODY,
    Cities,
    Stage,
    Tiles,
    TribesState,
    TribeStates,
    Units,
)
from jaxgames.tribes.tables.buildings import NUM_MONUMENTS, BuildingKind
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.tribes import FIRST_TECHNOLOGY, FIRST_UNIT, Result
from jaxgames.tribes.tables.units import Status

TileNumbers = Int8[Array, "T"]
SeatNumbers = Int32[Array, "P"]

_FIRST_VIEW = 2  # radius of the tiles seen around a capital at the start


def begin(
    config: GameConfig,
    terrain: Int8[Array, "T"],
    resource: Int8[Array, "T"],
    capitals: Int32[Array, "P"],
    tribe_ids: Int32[Array, "P"],
    chance: Chance,
) -> TribesState:
    """Returns a game whose first tribe is to choose its first action.

    Args:
        config: options of the game.
        terrain: [T] with `CITY` at the capitals.
        resource: [T], -1: none.
        capitals: [P] tile of the capital of each seat, in reading order.
        tribe_ids: [P] row of the table of tribes of each seat.
        chance: for the technologies that tribes in sight of each other learn at the start in fog.
    """
    p, board = config.p, config.board
    terrain = jnp.asarray(terrain, jnp.int8)
    tribe = jnp.arange(config.players)
    cities = _cities(config, terrain, capitals)
    owner, tiles_owned = _borders(config, cities)
    worth = tiles_owned * p.border_points
    first_unit = jnp.asarray(FIRST_UNIT)[tribe_ids]
    home = jnp.argmax(cities.capital_of == tribe[:, None], axis=1)
    everything = 0 if config.fog else (1 << board.side) - 1
    score = (
        p.technology_points + p.centre_points + jnp.asarray(p.unit_points)[first_unit] + worth[home]
    )
    zeros = jnp.zeros((config.players,), jnp.int16)
    state = TribesState(
        tiles=_tiles(config, terrain, resource, owner, capitals),
        units=_units(config, capitals, first_unit, home),
        cities=cities.replace(worth=worth.astype(jnp.int32)),
        tribes=TribeStates(
            tribe_ids=tribe_ids.astype(jnp.int8),
            stars=zeros + jnp.asarray(p.first_stars).astype(jnp.int16),
            score=score.astype(jnp.int32),
            technologies=jnp.uint32(1)
            << jnp.asarray(FIRST_TECHNOLOGY)[tribe_ids].astype(jnp.uint32),
            kills=zeros,
            peace=zeros,
            monuments=jnp.zeros((config.players, NUM_MONUMENTS), jnp.int8),
            connected=zeros.astype(jnp.uint32),
            met=zeros.astype(jnp.uint8),
            visible=jnp.full((config.players, board.side), everything, jnp.uint16),
            result=jnp.full((config.players,), Result.PLAYING, jnp.int8),
        ),
        tick=jnp.int16(0),
        active=jnp.int8(0),
        phase=jnp.int8(Stage.SOURCE),
        selected=jnp.int16(0),
        counter=jnp.int16(2 * config.players),
        ranking=jnp.zeros((config.players,), jnp.int8),
        over=jnp.bool_(False),
    )
    for seat in range(config.players):
        state, chance = _look_around(config, state, jnp.int32(seat), capitals[seat], chance)
    return turn.start(config, state)


def _look_around(
    config: GameConfig, state: TribesState, seat: Number, tile: Number, chance: Chance
) -> tuple[TribesState, Chance]:
    own = vision.meets_itself(config, state, seat, tile, _FIRST_VIEW)
    tribes = state.tribes
    state = state.replace(
        tribes=tribes.replace(met=set_row(tribes.met, seat, bits.single(seat), own))
    )
    return vision.look(config, state, seat, tile, _FIRST_VIEW, chance)


def _cities(config: GameConfig, terrain: TileNumbers, capitals: SeatNumbers) -> Cities:
    """Gives each village and capital a city slot, in reading order."""
    city_slots = CITY_SLOTS[config.board.side]
    is_centre = (terrain == Terrain.VILLAGE) | (terrain == Terrain.CITY)
    (tile,) = jnp.nonzero(is_centre, size=city_slots, fill_value=NO_TILE)
    is_capital = tile[:, None] == capitals
    tribe = jnp.where(is_capital.any(axis=1), jnp.argmax(is_capital, axis=1), NOBODY)
    zeros = jnp.zeros((city_slots,), jnp.int8)
    return Cities(
        tile=tile.astype(jnp.int16),
        tribe=tribe.astype(jnp.int8),
        level=zeros + 1,
        population=zeros.astype(jnp.int16),
        production=zeros.astype(jnp.int16),
        walls=zeros.astype(bool),
        radius=zeros + 1,
        capital_of=tribe.astype(jnp.int8),
        worth=zeros.astype(jnp.int32),
        joined=zeros.astype(jnp.int16),
    )


def _borders(config: GameConfig, cities: Cities) -> tuple[Int32[Array, "T"], Int32[Array, "C"]]:
    """Returns the city slot that owns each tile, and the number of tiles of each city.

    Of two capitals beside a tile, the first owns it. A centre never belongs to another city: a
    capital owns its centre, and nobody owns the centre of a village yet.
    """
    tile = jnp.arange(config.board.tiles)
    away = grid.distance(config.board, tile, cities.tile.astype(jnp.int32)[:, None])
    is_capital = (cities.tribe >= 0)[:, None]
    claim = (is_capital & (away <= 1)) + 2 * (away == 0)
    city_slot = jnp.argmax(claim, axis=0)
    owner = jnp.where(claim.any(axis=0) & is_capital[city_slot, 0], city_slot, NO_CITY)
    return owner, (owner == jnp.arange(len(claim))[:, None]).sum(axis=1)


def _tiles(
    config: GameConfig,
    terrain: TileNumbers,
    resource: TileNumbers,
    owner: Int32[Array, "T"],
    capitals: SeatNumbers,
) -> Tiles:
    board = config.board
    zeros = jnp.zeros((board.tiles,), jnp.int8)
    is_capital = (jnp.arange(board.tiles)[:, None] == capitals).any(axis=1)
    return Tiles(
        terrain=terrain,
        resource=jnp.asarray(resource, jnp.int8),
        building=zeros + BuildingKind.NONE,
        built=zeros.astype(jnp.int16),
        temple_level=zeros,
        temple_countdown=zeros,
        owner=owner.astype(jnp.int8),
        network=grid.pack(board, is_capital).astype(jnp.uint16),
    )


def _units(
    config: GameConfig, capitals: SeatNumbers, kinds: SeatNumbers, home: SeatNumbers
) -> Units:
    tiles = config.board.tiles
    zeros = jnp.zeros((tiles,), jnp.int8)
    tribe = jnp.arange(config.players)

    def at_capitals(background: int, values: SeatNumbers) -> TileNumbers:
        field = zeros + background
        return field.at[capitals].set(jnp.asarray(values).astype(jnp.int8))

    return Units(
        kind=at_capitals(NO_UNIT, kinds),
        cargo=at_capitals(0, kinds),
        tribe=at_capitals(NOBODY, tribe),
        hp=at_capitals(0, jnp.asarray(config.p.unit_max_hp)[kinds]),
        kills=zeros.astype(jnp.uint8),
        veteran=zeros.astype(bool),
        status=at_capitals(0, jnp.full_like(kinds, Status.FINISHED)),
        home=at_capitals(0, home),
        joined=at_capitals(0, 2 * tribe + 1).astype(jnp.int16),
    )
