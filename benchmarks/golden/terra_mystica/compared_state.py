"""The fields of a state of Terra Mystica that golden records hold, as arrays: `ComparedState`.

States of the game are brought into this form on the device, recorded states on the host. So whole
games are compared at once.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from jaxgames.terra_mystica.state import Board, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import COLUMNS, PRIESTS_PER_PLAYER, STRUCTURE_NAMES
from jaxgames.terra_mystica.tables.terrain import (
    LAND_COLUMN,
    LAND_ROW,
    NUM_BRIDGES,
    NUM_COLOURS,
)
from jaxgames.terra_mystica.tables.tiles import (
    NUM_FAVORS,
)

NO_STRUCTURE = len(STRUCTURE_NAMES)
NO_COLOUR = NUM_COLOURS


class ComparedState(NamedTuple):
    """What golden files record of a state: integers, with any leading axes.

    Fields of seats have the name that the files give them.
    """

    c: Any  # [P] coins
    w: Any
    p: Any
    pw: Any  # [P, 3]
    vp: Any
    cult: Any  # [P, 4]
    key: Any
    pmax: Any
    ship: Any
    dig: Any
    range: Any
    bon: Any  # [P] bonus card + 1, 0: none
    fav: Any  # [P, 12]
    tw: Any  # [P, 8] town tiles of each kind
    br: Any  # [P, 29]
    passed: Any
    structures: Any  # [P, 77] kind of structure of the seat on each hex, or NO_STRUCTURE
    hex: Any  # [77] terrain
    coins: Any  # [10] on each bonus card
    spots: Any  # [4, 4] seat + 1 of the priest on each spot, 0: none


def of_state(state: TerraMysticaState) -> ComparedState:
    """Returns the compared fields of a state; traceable."""
    players, supply = state.players, state.supply
    seats = players.coins.shape[0]
    priests = (supply.spots.reshape(-1) == jnp.arange(1, seats + 1)[:, None]).sum(axis=1)
    favors = (players.favors[:, None] >> jnp.arange(NUM_FAVORS, dtype=jnp.uint16)) & 1
    bridges = (state.board.bridges[:, :, None] == jnp.arange(1, NUM_BRIDGES + 1)).any(axis=1)
    colours = _index_of_hexes(state.board.terrain, NO_COLOUR)
    fields = ComparedState(
        c=players.coins,
        w=players.workers,
        p=players.priests,
        pw=players.bowls,
        vp=players.vp,
        cult=players.cults,
        key=players.keys,
        pmax=PRIESTS_PER_PLAYER - priests,
        ship=players.ship,
        dig=players.dig,
        range=players.range,
        bon=players.card,
        fav=favors,
        tw=players.towns,
        br=bridges,
        passed=players.passed,
        structures=_structures(state.board, colours, players.faction),
        hex=colours,
        coins=supply.card_coins,
        spots=supply.spots,
    )
    return ComparedState(*(field.astype(jnp.int16) for field in fields))


def _index_of_hexes(sets: Array, none: int) -> Array:
    """Returns the number of the set that holds each land hex, `none` where there is none."""
    is_in = (sets[:, LAND_ROW] >> LAND_COLUMN.astype(np.uint16)) & 1 != 0
    return jnp.where(is_in.any(axis=0), jnp.argmax(is_in, axis=0), none)


def _structures(board: Board, colours: Array, faction: Array) -> Array:
    kinds = _index_of_hexes(board.structures, NO_STRUCTURE)
    is_own = colours == jnp.asarray(COLUMNS.colour)[faction][:, None]
    return jnp.where(is_own, kinds, NO_STRUCTURE)
