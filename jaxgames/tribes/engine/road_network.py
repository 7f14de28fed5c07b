"""The trade network: which cities roads and sea routes connect to the capital.

Source: the game's document, section 11.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, UInt32

from jaxgames.batching.arrays import as_bits, has_bit
from jaxgames.batching.sparse_vmap import over_flat_batch
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities, grid
from jaxgames.tribes.engine.config import Condition, GameConfig, Number
from jaxgames.tribes.engine.queries import capital, cities_of, is_water, tiles_of
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind, Monument
from jaxgames.tribes.tables.parameters import MAX_PORT_REACH
from jaxgames.tribes.tables.terrain import Terrain


class Links(NamedTuple):
    """The cities that are connected to the capital of a tribe, and what follows."""

    connected: UInt32[Array, ""]  # bit for each city
    growth: Int32[Array, "C"]  # of the population of each city
    may_build: Condition  # a bazar


def links_of_all(config: GameConfig, state: TribesState, when: Condition) -> Links:
    """Returns the links of each tribe, or if not `when`, without effect, as they were."""
    tribes = jnp.arange(config.players)
    return jax.vmap(lambda tribe: _links(config, state, tribe, when))(tribes)


def set_links(state: TribesState, tribe: Number | Int32[Array, "P"], links: Links) -> TribesState:
    """Returns the state after the links of a tribe, or of each, changed; populations are left."""
    tribes = state.tribes
    is_it = np.arange(tribes.connected.shape[0]) == tribe
    return state.replace(
        tribes=tribes.replace(
            connected=jnp.where(is_it, links.connected, tribes.connected),
            monuments=cities.available(tribes.monuments, tribe, Monument.BAZAR, links.may_build),
        )
    )


def connect(config: GameConfig, state: TribesState, tribe: Number) -> TribesState:
    """Returns the state with the connected cities of one tribe updated."""
    links = _links(config, state, tribe, jnp.bool_(True))
    state = cities.change_populations(config, state, links.growth, tribe)
    return set_links(state, tribe, links)


def _links(config: GameConfig, state: TribesState, tribe: Number, when: Condition) -> Links:
    """Returns the links of a tribe.

    The capital gains one population for each newly connected city and loses one for each lost city.
    The city itself gains one only in its tribe's turn, but loses one at any time, as in the
    reference.
    """
    city_slots = jnp.arange(state.cities.tile.shape[0])
    first, has_capital = capital(state.cities, tribe)
    reached = _reached(config, state, tribe, first, when)
    mine = cities_of(state.cities, tribe)
    before = state.tribes.connected[tribe]
    now = jnp.where(has_capital, reached & mine & ~bits.single(first), 0)
    now = bits.computed_once(jnp.where(when, now, before))
    added, lost = now & ~before, before & ~now
    own_gain = jnp.where(tribe == state.active, has_bit(added, city_slots), False)
    change = own_gain.astype(jnp.int32) - has_bit(lost, city_slots)
    change += jnp.where(city_slots == first, bits.count(added) - bits.count(lost), 0)
    enough = bits.count(now) >= config.p.bazar_cities
    return Links(now, jnp.where(has_capital, change, 0), has_capital & enough & when)


def _reached(
    config: GameConfig, state: TribesState, tribe: Number, first: Number, when: Condition
) -> UInt32[Array, ""]:
    """Returns the slots, as bits, of the cities that the capital `first` is connected to.

    They are found only if `when`.
    """
    board, tiles = config.board, state.tiles
    own = tiles_of(tiles, cities_of(state.cities, tribe))
    free = tiles.owner == NO_CITY
    water = is_water(tiles.terrain)
    on_network = grid.unpack(board, tiles.network.astype(jnp.uint32))
    is_centre = on_network & (tiles.terrain == Terrain.CITY)
    is_road = on_network & ~water & (tiles.terrain != Terrain.CITY)
    is_port = own & (tiles.building == BuildingKind.PORT)
    ports = grid.pack(board, is_port)
    nodes = grid.pack(board, is_port | (own & is_centre) | ((own | free) & is_road))
    sea = grid.pack(board, water & (own | free))
    if config.fog:
        sea &= state.tribes.visible[tribe].astype(jnp.uint32)
    start = grid.square(board, state.cities.tile[first].astype(jnp.int32), 0)
    start = jnp.where(when, start, 0)
    reach = jnp.asarray(config.p.port_reach, jnp.int32)
    reached = over_flat_batch(_spread)(start, nodes, ports, sea, reach)
    centres = jnp.maximum(state.cities.tile, 0).astype(jnp.int32)
    return as_bits(grid.unpack(board, reached)[centres] & (state.cities.tile >= 0))


def _spread(
    start: UInt32[Array, "B N"],
    nodes: UInt32[Array, "B N"],
    ports: UInt32[Array, "B N"],
    sea: UInt32[Array, "B N"],
    reach: Int32[Array, "B"],
) -> UInt32[Array, "B N"]:
    """Returns the tiles that are connected to the tiles `start`; all sets are rows of bits.

    Inside this function, the rows are the leading axis: a step aside is a slice of whole rows.
    """
    start, nodes, ports, sea = (rows.T for rows in (start, nodes, ports, sea))
    inside = jnp.uint32((1 << len(start)) - 1)

    def grown(rows: UInt32[Array, "N B"]) -> UInt32[Array, "N B"]:
        wide = (rows | rows << 1 | rows >> 1) & inside
        padded = jnp.pad(wide, ((1, 1), (0, 0)))
        return padded[:-2] | wide | padded[2:]

    def spread(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        reached, _ = carry
        wider = reached | (grown(reached) & nodes)
        sailed = reached & ports
        for step in range(MAX_PORT_REACH):
            sailed = jnp.where(step < reach, sailed | (grown(sailed) & sea), sailed)
        wider |= sailed & ports
        return wider, (wider != reached).any()

    return jax.lax.while_loop(lambda carry: carry[1], spread, (start, jnp.bool_(True)))[0].T
