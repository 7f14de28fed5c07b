"""The input: `[9, 26, 48 P + 110]` planes, 206 for two players.

Every hex takes two neighbouring cells of its row; rows B, D, F, H are shifted right by one cell, so
that their first and last cells are padding, which looks like water. A value without a place on the
map fills its whole plane. The seats start with the viewer.

| planes for P = 2 | content |
| --- | --- |
| 0-7 | terrain: plains, swamp, lake, forest, mountain, wasteland, desert, water |
| 8-12 | structure: dwelling, trading post, sanctuary, temple, stronghold; the terrain tells whose |
| 13-18 | power actions ACT1 to ACT6 that are taken |
| 19-66 | scoring tiles: `8 round + tile` |
| 67-74 | scoring tile of the current round |
| 75-86 | copies left of favor tiles FAV1 to FAV12 |
| 87-95 | bonus cards BON1 to BON9 in play |
| 96-118, 119-141 | numbers of each seat, `NUMBERS` |
| 142, 143 | river hexes that bridges of each seat cross |
| 144-167, 168-191 | tiles of each seat: 9 bonus cards, FAV3 to FAV12, copies of TW1 to TW5 |
| 192-205 | faction of the viewer, in the order of the table of factions |

**Paper:** its counts add up to 48 P + 102, but its total is 48 P + 110. The total is kept: the
eight planes that the counts lack are the current round's scoring tile, which its text lists and its
table does not. A seat's favor tiles have ten planes in the paper though there are twelve kinds; it
does not say which two are left out. Here they are FAV1 and FAV2; with `favor_planes=12` all are
shown, in 50 P + 110 planes. The paper does not say where a bridge is drawn either.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, UInt16

from jaxgames.boards import hexes
from jaxgames.terra_mystica.engine import decisions, income, reachability, seats, spades
from jaxgames.terra_mystica.engine.seats import Number
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.costs import Good
from jaxgames.terra_mystica.tables.factions import BRIDGES_PER_PLAYER, NUM_FACTIONS, Structure
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_ENDS,
    COLUMNS,
    LAND_CELLS,
    NEIGHBOURS,
    RIVER,
    ROWS,
)
from jaxgames.terra_mystica.tables.tiles import (
    NUM_BASE_CARDS,
    NUM_BASE_SCORING,
    NUM_BASE_TOWNS,
    NUM_FAVORS,
    NUM_POWER_ACTIONS,
    NUM_ROUNDS,
)
from papers.alphatm.game.outputs import TERRAINS

WIDTH = 2 * COLUMNS
PAPER_FAVORS, ALL_FAVORS = 10, NUM_FAVORS
STRUCTURES = np.array(
    [
        Structure.DWELLING,
        Structure.TRADING_POST,
        Structure.SANCTUARY,
        Structure.TEMPLE,
        Structure.STRONGHOLD,
    ]
)
"""Our kind of each structure of the paper."""
NUMBERS = {
    "workers": 10,
    "priests": 7,
    "coins": 20,
    "bowl I": 12,
    "bowl II": 12,
    "bowl III": 12,
    "workers for a spade": 3,
    "shipping": 3,
    "fire": 10,
    "water": 10,
    "earth": 10,
    "air": 10,
    "dwellings": 8,
    "trading posts": 4,
    "sanctuaries": 1,
    "temples": 3,
    "strongholds": 1,
    "points": 100,
    "income of workers": 10,
    "income of priests": 5,
    "income of coins": 20,
    "income of power": 10,
    "bridges left": BRIDGES_PER_PLAYER,
}
"""Numbers of a seat, in the order of their planes, with the divisor of each if they are scaled."""
_UNITS = np.array(list(NUMBERS.values()), np.float32)


def _crossed_by_bridges() -> np.ndarray:
    """Returns `[29, 9]` uint16: the river hexes beside both ends of each place for a bridge."""
    near = NEIGHBOURS[LAND_CELLS[BRIDGE_ENDS]]  # [29, 2, 9]
    return near[:, 0] & near[:, 1] & RIVER


CROSSED = _crossed_by_bridges()


def planes(
    state: TerraMysticaState, viewer: Number, favor_planes: int, scaled: bool
) -> Float[Array, "9 26 planes"]:
    """Returns the planes that a seat sees.

    Args:
        state: the game.
        viewer: the seat.
        favor_planes: favor tiles shown of each seat: 10 or 12.
        scaled: whether numbers of seats are divided by the divisors in `NUMBERS`.
    """
    players = state.order.shape[0]
    seats = (viewer + jnp.arange(players)) % players
    units = _UNITS if scaled else np.ones_like(_UNITS)
    numbers = jax.vmap(lambda seat: _numbers(state, seat))(seats) / units
    tiles = jax.vmap(lambda seat: _tiles(state, seat, favor_planes))(seats)
    faction = jnp.arange(NUM_FACTIONS) == state.players.faction[viewer]

    def fill(values: Array) -> Float[Array, "9 26 values"]:
        flat = values.reshape(-1).astype(jnp.float32)
        return jnp.broadcast_to(flat, (ROWS, WIDTH, flat.size))

    board = state.board
    land = board.terrain[TERRAINS]
    kinds = (land, ~hexes.union(land)[None], board.structures[STRUCTURES])
    parts = (
        _draw(jnp.concatenate(kinds)),
        fill(_common(state)),
        fill(numbers),
        _draw(_bridges(state)[seats]),
        fill(tiles),
        fill(faction),
    )
    return jnp.concatenate(parts, axis=-1)


def _draw(cells: UInt16[Array, "sets 9"]) -> Float[Array, "9 26 sets"]:
    """Returns sets of hexes as planes.

    Odd rows have twelve hexes. The two cells of the missing thirteenth hex, rolled by one cell,
    become the padding on both sides.
    """
    bits = (cells[..., None] >> np.arange(COLUMNS, dtype=np.uint16)) & 1  # [sets, 9, 13]
    wide = jnp.repeat(bits, 2, axis=-1)
    is_odd = np.arange(ROWS)[:, None] % 2 == 1
    shifted = jnp.where(is_odd, jnp.roll(wide, 1, axis=-1), wide)
    return jnp.moveaxis(shifted, 0, -1).astype(jnp.float32)


def _bridges(state: TerraMysticaState) -> UInt16[Array, "P 9"]:
    built = state.board.bridges.astype(jnp.int32)  # [P, 3]
    crossed = jnp.asarray(CROSSED)[jnp.maximum(built - 1, 0)]
    crossed = jnp.where(built[..., None] > 0, crossed, jnp.uint16(0))
    return jax.vmap(hexes.union)(crossed)


def _common(state: TerraMysticaState) -> Int32[Array, "83"]:
    supply = state.supply
    tiles = jnp.arange(NUM_BASE_SCORING)
    taken = (supply.power_actions >> np.arange(NUM_POWER_ACTIONS, dtype=np.uint8)) & 1
    current = supply.scoring[jnp.minimum(state.round, NUM_ROUNDS - 1)]
    is_in_play = (supply.cards >> np.arange(NUM_BASE_CARDS, dtype=np.uint16)) & 1
    parts = (
        taken,
        (supply.scoring[:, None] == tiles).reshape(-1),
        (tiles == current) & (state.round < NUM_ROUNDS),
        decisions.favors_left(state),
        is_in_play,
    )
    return jnp.concatenate([part.astype(jnp.int32) for part in parts])


def _numbers(state: TerraMysticaState, seat: Number) -> Int32[Array, "23"]:
    mover = seats.of_seat(state, seat)
    counts = reachability.count_structures(state.board, mover.board.colour)
    gains = income.income(mover, counts)
    order = (Good.WORKERS, Good.PRIESTS, Good.COINS, Good.POWER)
    return jnp.stack(
        [
            mover.workers,
            mover.priests,
            mover.coins,
            *mover.bowls,
            spades.spade_price(mover).workers,
            mover.ship,
            *mover.cults,
            *counts[STRUCTURES],
            mover.vp,
            *(gains[resource] for resource in order),
            BRIDGES_PER_PLAYER - (state.board.bridges[seat] > 0).sum(),
        ]
    )


def _tiles(state: TerraMysticaState, seat: Number, favor_planes: int) -> Int32[Array, "tiles"]:
    players = state.players
    card = players.card[seat] == jnp.arange(1, NUM_BASE_CARDS + 1)
    favors = (players.favors[seat] >> np.arange(NUM_FAVORS, dtype=np.uint16)) & 1
    parts = (card, favors[NUM_FAVORS - favor_planes :], players.towns[seat, :NUM_BASE_TOWNS])
    return jnp.concatenate([part.astype(jnp.int32) for part in parts])
