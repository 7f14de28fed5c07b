"""The trade network: which cities roads and sea routes connect to the capital.

Source: the game's document, section 11.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, UInt32

from jaxgames.boards import bits
from jaxgames.tribes import board as boards
from jaxgames.tribes import cities
from jaxgames.tribes.board import Rows
from jaxgames.tribes.setting import (
    Condition,
    Number,
    Setting,
    bit,
    bits_of,
    capital,
    cities_of,
    is_water,
    put,
    tiles_of,
)
from jaxgames.tribes.state import NO_CITY, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind, Monument
from jaxgames.tribes.tables.parameters import MAX_PORT_REACH
from jaxgames.tribes.tables.terrain import Terrain


def connect_all(setting: Setting, state: TribesState) -> TribesState:
    """Returns the state after the networks of all tribes have been looked at, in their order."""
    return jax.lax.fori_loop(
        0,
        setting.players,
        lambda tribe, state: connect(setting, state, jnp.int32(tribe)),
        state,
    )


def connect(setting: Setting, state: TribesState, tribe: Number) -> TribesState:
    """Returns the state after the network of one tribe has been looked at.

    The capital gains a population for each city newly connected and loses one for each lost. A city
    gains its own only in its tribe's turn, but loses it at any time, as in the reference.
    """
    places = jnp.arange(state.cities.tile.shape[0])
    first, has_capital = capital(state.cities, tribe)
    mine = cities_of(state.cities, tribe)
    before = state.tribes.connected[tribe]
    reached = _reached(setting, state, tribe, mine, first)
    now = jnp.where(has_capital, reached & mine & ~bits.single(first), 0)
    added, lost = now & ~before, before & ~now
    own_gain = jnp.where(tribe == state.active, bit(added, places), False)
    change = own_gain.astype(jnp.int32) - bit(lost, places)
    change += jnp.where(places == first, bits.count(added) - bits.count(lost), 0)
    state = cities.change_populations(setting, state, jnp.where(has_capital, change, 0), tribe)
    tribes = state.tribes
    enough = bits.count(now) >= setting.p.bazar_cities
    return state.replace(
        tribes=tribes.replace(
            connected=put(tribes.connected, tribe, now),
            monuments=cities.available(
                tribes.monuments, tribe, Monument.BAZAR, has_capital & enough
            ),
        )
    )


def _reached(
    setting: Setting, state: TribesState, tribe: Number, mine: UInt32[Array, ""], first: Number
) -> UInt32[Array, ""]:
    """Returns the places, as bits, of the cities that the capital is connected to."""
    board, tiles = setting.board, state.tiles
    own = tiles_of(tiles, mine)
    free = tiles.owner == NO_CITY
    water = is_water(tiles.terrain)
    on_network = boards.unpack(board, tiles.network.astype(jnp.uint32))
    is_centre = on_network & (tiles.terrain == Terrain.CITY)
    is_road = on_network & ~water & (tiles.terrain != Terrain.CITY)
    is_port = own & (tiles.building == BuildingKind.PORT)
    ports = boards.pack(board, is_port)
    nodes = boards.pack(board, is_port | (own & is_centre) | ((own | free) & is_road))
    sea = boards.pack(board, water & (own | free))
    if setting.fog:
        sea &= state.tribes.visible[tribe].astype(jnp.uint32)
    start = boards.square(board, state.cities.tile[first].astype(jnp.int32), 0)

    def spread(carry: tuple[Rows, Condition]) -> tuple[Rows, Condition]:
        reached, _ = carry
        wider = reached | (boards.grow(board, reached) & nodes)
        sailed = reached & ports
        for step in range(MAX_PORT_REACH):
            further = sailed | (boards.grow(board, sailed) & sea)
            sailed = jnp.where(step < setting.p.port_reach, further, sailed)
        wider |= sailed & ports
        return wider, (wider != reached).any()

    reached, _ = jax.lax.while_loop(lambda carry: carry[1], spread, (start, jnp.bool_(True)))
    centres = jnp.maximum(state.cities.tile, 0).astype(jnp.int32)
    return bits_of(boards.unpack(board, reached)[centres] & (state.cities.tile >= 0))
