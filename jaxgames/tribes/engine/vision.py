"""Revealing tiles, and meeting the tribes seen there.

Source: the game's document, section 14.1. Without fog, all tiles are visible from the start, and
a look around only records the tribes that a tribe has met.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, UInt32

from jaxgames.batching.arrays import add_at, has_bit, set_row
from jaxgames.batching.sparse_vmap import where_needed
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities, grid, road_network
from jaxgames.tribes.engine.chance import Chance
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import is_water
from jaxgames.tribes.state import NO_CITY, NOBODY, TribesState
from jaxgames.tribes.tables.buildings import Monument
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES, PARENT_BIT
from jaxgames.tribes.tables.terrain import Terrain
from jaxgames.tribes.tables.units import UnitKind


def radius_of(terrain: Number, kind: Number) -> Number:
    """Returns the radius that a unit sees from a tile, in tiles."""
    return jnp.where((terrain == Terrain.MOUNTAIN) | (kind == UnitKind.BATTLESHIP), 2, 1)


def look(
    config: GameConfig,
    state: TribesState,
    tribe: Number,
    tile: Number,
    radius: Number | int,
    chance: Chance,
    when: Condition | bool = True,
) -> tuple[TribesState, Chance]:
    """Returns the state after a tribe has looked around a tile, if `when`."""
    when = jnp.asarray(when)
    if config.fog:
        return where_needed(
            when,
            lambda *arguments: _look_in_fog(config, *arguments),
            (state, chance),
            state,
            tribe,
            tile,
            jnp.asarray(radius, jnp.int32),
            chance,
            share=0.5,
        )
    seen = grid.within(config.board, tile, radius) & when
    found = jnp.where(seen, _present(state), 0)
    met = jax.lax.reduce(found, jnp.uint32(0), jax.lax.bitwise_or, (0,))
    met &= ~bits.single(tribe)
    tribes = state.tribes
    return state.replace(
        tribes=tribes.replace(met=set_row(tribes.met, tribe, tribes.met[tribe] | met))
    ), chance


def _present(state: TribesState) -> UInt32[Array, "T"]:
    """Returns, as bits, the tribes that each tile shows: of the unit on it and of its owner."""
    owner = state.cities.tribe[jnp.maximum(state.tiles.owner, 0)]
    owned = (state.tiles.owner != NO_CITY) & (owner >= 0)
    stood_on = state.units.kind >= 0
    by_unit = jnp.where(stood_on, jnp.uint32(1) << _shift(state.units.tribe), 0)
    return by_unit | jnp.where(owned, jnp.uint32(1) << _shift(owner), 0)


def _shift(tribe: Array) -> Array:
    return jnp.maximum(tribe, 0).astype(jnp.uint32)


def _look_in_fog(
    config: GameConfig,
    state: TribesState,
    tribe: Number,
    tile: Number,
    radius: Number,
    chance: Chance,
) -> tuple[TribesState, Chance]:
    board, p = config.board, config.p
    area = grid.square(board, tile, radius)
    before = state.tribes.visible[tribe].astype(jnp.uint32)
    new = area & ~before
    tribes = state.tribes
    everything = jnp.uint32((1 << board.side) - 1)
    tribes = tribes.replace(
        visible=set_row(tribes.visible, tribe, before | area),
        score=add_at(tribes.score, tribe, bits.count(new).sum() * p.view_points),
        monuments=cities.available(
            tribes.monuments, tribe, Monument.EYE, ((before | area) == everything).all()
        ),
    )
    state = state.replace(tribes=tribes)
    state, chance = _meet(config, state, tribe, tile, radius, chance)
    shown = grid.unpack(board, new)
    terrain = state.tiles.terrain
    is_road = grid.unpack(board, state.tiles.network) & (terrain != Terrain.CITY)
    matters = (shown & (is_road | is_water(terrain))).any()
    connected = road_network.connect(config, state, tribe)
    return choose(matters, connected, state), chance


def _meet(
    config: GameConfig,
    state: TribesState,
    tribe: Number,
    tile: Number,
    radius: Number,
    chance: Chance,
) -> tuple[TribesState, Chance]:
    """Meets new tribes in the order in which they are found; each may teach a technology."""
    firsts = _first_places(config, state, tile, radius)
    others = jnp.arange(config.players)
    nowhere = _nowhere(config)

    def meet(_: int, carry: tuple[TribesState, Chance]) -> tuple[TribesState, Chance]:
        state, chance = carry
        tribes = state.tribes
        met = tribes.met[tribe].astype(jnp.uint32)
        waiting = jnp.where(has_bit(met, others) | (others == tribe), nowhere, firsts)
        other = jnp.argmin(waiting).astype(jnp.int32)
        is_new = waiting[other] < nowhere
        known = tribes.technologies[tribe]
        offered = tribes.technologies[other] & ~known
        count = bits.count(offered)
        technology = bits.select(offered, chance.draw(jnp.maximum(count, 1)))
        parent = jnp.asarray(PARENT_BIT)[jnp.minimum(technology, NUM_TECHNOLOGIES - 1)]
        learns = is_new & (count > 0) & ((parent & ~known) == 0)
        known = known | jnp.where(learns, bits.single(technology), 0)
        tribes = tribes.replace(
            met=set_row(tribes.met, tribe, met | bits.single(other), is_new),
            technologies=set_row(tribes.technologies, tribe, known),
        )
        return state.replace(tribes=tribes), chance.after(is_new & (count > 0))

    return jax.lax.fori_loop(0, config.players - 1, meet, (state, chance))


def meets_itself(
    config: GameConfig, state: TribesState, tribe: Number, tile: Number, radius: int
) -> Condition:
    """Returns whether a tribe that looks around for the first time sees itself before others.

    In the reference, the tribe then counts as met by itself, which has no effect.
    """
    firsts = _first_places(config, state, tile, jnp.int32(radius))
    return (firsts[tribe] == firsts.min()) & (not config.corrected_rules)


def _nowhere(config: GameConfig) -> int:
    return 4 * config.board.tiles


def _first_places(
    config: GameConfig, state: TribesState, tile: Number, radius: Number
) -> Int32[Array, "P"]:
    """Returns the number of the first place where a look finds each tribe.

    A look goes over the tiles in reading order, the middle tile last. On each tile, it finds the
    unit before the owner.
    """
    board, nowhere = config.board, _nowhere(config)
    seen = grid.within(board, tile, radius)
    owner = state.cities.tribe[jnp.maximum(state.tiles.owner, 0)]
    owner = jnp.where(state.tiles.owner == NO_CITY, NOBODY, owner).astype(jnp.int32)
    stands = jnp.where(state.units.kind >= 0, state.units.tribe, NOBODY).astype(jnp.int32)
    tiles = jnp.arange(board.tiles)
    order = jnp.where(tiles == tile, board.tiles, tiles) * 2
    found = jnp.stack([stands, owner])
    city_slot = jnp.where(seen & (found >= 0), jnp.stack([order, order + 1]), nowhere)
    is_of = found == jnp.arange(config.players)[:, None, None]
    return jnp.where(is_of, city_slot, nowhere).min(axis=(1, 2))
