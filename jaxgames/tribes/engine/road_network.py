"""The trade network: which cities roads and sea routes connect to the capital.

Source: the game's document, section 11.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, UInt32

from jaxgames.batching.arrays import as_bits, has_bit, set_row
from jaxgames.batching.sparse_vmap import over_flat_batch
from jaxgames.boards import bits
from jaxgames.tribes.engine import cities, grid
from jaxgames.tribes.engine.config import GameConfig, Number
from jaxgames.tribes.engine.queries import capital, cities_of, is_water, tiles_of
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind, Monument
from jaxgames.tribes.tables.parameters import MAX_PORT_REACH
from jaxgames.tribes.tables.terrain import Terrain


def connect_all(config: GameConfig, state: TribesState) -> TribesState:
    """Returns the state with the connected cities of all tribes updated, in order of seats."""
    tribes = jnp.arange(config.players)
    reached = jax.vmap(lambda tribe: _reached(config, state, tribe))(tribes)
    for tribe in range(config.players):
        state = _connect(config, state, jnp.int32(tribe), reached[tribe])
    return state


def connect(config: GameConfig, state: TribesState, tribe: Number) -> TribesState:
    """Returns the state with the connected cities of one tribe updated."""
    return _connect(config, state, tribe, _reached(config, state, tribe))


def _connect(
    config: GameConfig, state: TribesState, tribe: Number, reached: UInt32[Array, ""]
) -> TribesState:
    """Returns the state after the capital of a tribe is connected to the cities `reached`.

    The capital gains one population for each newly connected city and loses one for each lost city.
    The city itself gains one only in its tribe's turn, but loses one at any time, as in the
    reference.
    """
    city_slots = jnp.arange(state.cities.tile.shape[0])
    first, has_capital = capital(state.cities, tribe)
    mine = cities_of(state.cities, tribe)
    before = state.tribes.connected[tribe]
    now = jnp.where(has_capital, reached & mine & ~bits.single(first), 0)
    added, lost = now & ~before, before & ~now
    own_gain = jnp.where(tribe == state.active, has_bit(added, city_slots), False)
    change = own_gain.astype(jnp.int32) - has_bit(lost, city_slots)
    change += jnp.where(city_slots == first, bits.count(added) - bits.count(lost), 0)
    state = cities.change_populations(config, state, jnp.where(has_capital, change, 0), tribe)
    tribes = state.tribes
    enough = bits.count(now) >= config.p.bazar_cities
    return state.replace(
        tribes=tribes.replace(
            connected=set_row(tribes.connected, tribe, now),
            monuments=cities.available(
                tribes.monuments, tribe, Monument.BAZAR, has_capital & enough
            ),
        )
    )


def _reached(config: GameConfig, state: TribesState, tribe: Number) -> UInt32[Array, ""]:
    """Returns the slots, as bits, of the cities that the capital is connected to."""
    board, tiles = config.board, state.tiles
    first, _ = capital(state.cities, tribe)
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
