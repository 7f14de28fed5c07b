"""`TribeView`: a position as the tribe to move knows it, the input of all scores."""

import functools
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32

from jaxgames.batching.arrays import as_int
from jaxgames.tribes.engine import turn
from jaxgames.tribes.engine.config import GameConfig, Number
from jaxgames.tribes.engine.grid import Grid, TileMask, board_of
from jaxgames.tribes.state import TribesState


class TribeView(NamedTuple):
    """A position with values derived from it. Numbers of tiles without a unit are 0."""

    state: TribesState
    tribe: Number
    enemies: TileMask  # units of other tribes
    attack: Int32[Array, "T"]
    defence: Int32[Array, "T"]
    reach: Int32[Array, "T"]
    hp: Int32[Array, "T"]
    stars: Number
    income: Number  # stars a turn of the tribe
    incomes: Int32[Array, "C"]  # stars a turn of each city


def view_of(config: GameConfig, state: TribesState) -> TribeView:
    """Returns the view of the tribe to move; `state` must hold only what this tribe knows."""
    tribe, units, p = state.active.astype(jnp.int32), state.units, config.p
    there = units.kind >= 0
    kind = jnp.maximum(units.kind, 0).astype(jnp.int32)

    def of_kind(table: Int32[Array, "kinds"]) -> Int32[Array, "T"]:
        return jnp.where(there, jnp.asarray(table)[kind], 0)

    return TribeView(
        state=state,
        tribe=tribe,
        enemies=there & (units.tribe != tribe),
        attack=of_kind(p.unit_attack),
        defence=of_kind(p.unit_defence),
        reach=of_kind(p.unit_range),
        hp=units.hp.astype(jnp.int32),
        stars=as_int(state.tribes.stars, tribe),
        income=turn.production(config, state, tribe),
        incomes=turn.incomes(config, state),
    )


@functools.lru_cache(maxsize=8)
def distances(side: int) -> Int8[np.ndarray, "T T"]:
    """Returns the number of steps between any two tiles of a board."""
    board: Grid = board_of(side)
    rows = abs(board.row[:, None] - board.row)
    return np.maximum(rows, abs(board.column[:, None] - board.column)).astype(np.int8)


def shifted(
    board: Grid, tile: Number, offsets: Int32[np.ndarray, "n 2"]
) -> tuple[Int32[Array, "n"], Bool[Array, "n"]]:
    """Returns the tiles at offsets from one tile, and a mask of them on the board; 0 off it."""
    x, y = tile // board.side + offsets[:, 0], tile % board.side + offsets[:, 1]
    inside = (x >= 0) & (x < board.side) & (y >= 0) & (y < board.side)
    return jnp.where(inside, x * board.side + y, 0), inside
