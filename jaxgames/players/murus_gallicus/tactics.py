"""The order of moves in searches of Murus Gallicus: wins at once, then captures that pay.

The list is short on purpose. In 64 positions searched to depth 4, a bonus for every capture made
the search visit 8 % more positions than no bonus, and a bonus for ranks gained 66 % more: the moves
that cut the search before are the better choice. A bonus by the gain in the piece-square tables
saved 3 % at depth 4 and nothing at depth 5.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from jaxgames.boards import bits
from jaxgames.murus_gallicus import moves
from jaxgames.murus_gallicus.board import (
    FAR_ROW_SHIFT,
    FILES,
    HALF,
    NUM_CELLS,
    NUM_DIRECTIONS,
    OFFSETS,
    ROW_BITS,
    Bitboard,
)
from jaxgames.murus_gallicus.moves import NEAR_SHOT, NUM_BOARD_ACTIONS
from jaxgames.murus_gallicus.opening import OpeningPhase
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.rules import LegalMask
from jaxgames.search.depth_first.ordering import WIN_BONUS

FAR_ROW = NUM_CELLS - FILES  # its first cell
# [kind of capture, stones of the enemy stack]: the bonus. Both sides lose equally many stones, so
# it depends on the kinds of stacks that remain: towers and catapults act, walls do not.
STRIKE, DOUBLE_STRIKE, SHOT = range(3)
PAYS = WIN_BONUS // 2
CAPTURES = np.array([[0, 0, 0, PAYS], [0, 0, 0, 0], [0, 0, PAYS, PAYS]], np.int32)


@dataclasses.dataclass(frozen=True)
class MurusTactics:
    """Finds captures and steps onto the far row."""

    rules: MurusGallicus

    def noisy(self, state: MurusState) -> LegalMask:
        """Returns the mask of strikes, shots that hit, and moves onto the far row."""
        directions = np.arange(NUM_DIRECTIONS)
        sight = moves.look(state.own, state.other, self.rules.terms)
        enemy = state.other.turned().occupied
        row = ROW_BITS << FAR_ROW_SHIFT if self.rules.breakthrough else 0
        far_row = Bitboard(jnp.uint32(0), jnp.uint32(row))
        # Without free cells no tower moves, so only strikes and shots at the targets remain.
        loud = sight._replace(
            free=Bitboard(jnp.uint32(0), jnp.uint32(0)), targets=sight.targets & (enemy | far_row)
        )
        weak, strong = moves.origins(loud, directions, self.rules.terms)
        arrivals = sight.free & (sight.free & far_row).leading_here(directions, 1)
        weak |= sight.towers & arrivals.leading_here(directions, 1)
        weak, strong = jax.tree.map(bits.computed_once, (weak, strong))
        mask = jnp.concatenate([weak.cells(), strong.cells()]).reshape(-1)
        # Neither the set-up plies of an opening nor a swap of sides is noisy.
        if self.rules.redistribute_start:
            mask &= self.rules.phase(state) == OpeningPhase.ACT
        return jnp.pad(mask, (0, self.rules.num_actions - NUM_BOARD_ACTIONS))

    def bonus(self, state: MurusState, actions: Int32[Array, "slots"]) -> Int32[Array, "slots"]:
        """Returns a bonus for wins at once, and for captures that pay."""
        return jax.vmap(self._bonus, in_axes=(None, 0))(state, actions)

    def _bonus(self, state: MurusState, action: Int32[Array, ""]) -> Int32[Array, ""]:
        plane, cell = action // NUM_CELLS, action % NUM_CELLS
        half, step = plane // NUM_DIRECTIONS, jnp.asarray(OFFSETS)[plane % NUM_DIRECTIONS]
        fires = _contains(state.own.low, cell)
        target = cell + step * jnp.where(fires, NEAR_SHOT + half, 1)
        enemy_cell = NUM_CELLS - 1 - target
        stones = _contains(state.other.low, enemy_cell) + 2 * _contains(
            state.other.high, enemy_cell
        )
        reached = jnp.where(fires | (stones > 0), target, target + step)
        kind = jnp.where(fires, SHOT, jnp.where(half == 1, DOUBLE_STRIKE, STRIKE))
        bonus = jnp.asarray(CAPTURES)[kind, stones]
        if self.rules.breakthrough:
            bonus = jnp.where((stones == 0) & (reached >= FAR_ROW), WIN_BONUS, bonus)
        return jnp.where(action < NUM_BOARD_ACTIONS, bonus, 0)


def _contains(board: Bitboard, cell: Int32[Array, ""]) -> Int32[Array, ""]:
    """Returns 1 if a cell is in a set, else 0."""
    word = jnp.where(cell < HALF, board.near, board.far)
    position = jnp.where(cell < HALF, cell, cell - HALF)
    return bits.contains(word, position).astype(jnp.int32)
