"""Observation of Murus Gallicus: `PackedPlanes` of shape `[7, 8, planes]`.

They are indexed `[rank, file, plane]`. The side that looks sees its home row as rank 0 and its left
as file 0.

| plane | content |
| --- | --- |
| 0, 1, 2 | own walls, towers, catapults |
| 3, 4, 5 | the opponent's walls, towers, catapults |
| 6 | ones: shows a convolution where the board ends |
| 7 | plies played / `max_plies`, constant |

Three options add a constant plane each, in this order:

| option | content |
| --- | --- |
| `redistribute_start` | set-up plies that this turn still has, / 3 |
| `pie_rule` | 1 while the sides may be swapped |
| `repetition_draw` | earlier occurrences of this position / `repetition_draw` |
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxgames.boards.packed_planes import PackedPlanes, PlaneLayout
from jaxgames.murus_gallicus.board import FILES, HALF_BITS, RANKS, Bitboard
from jaxgames.murus_gallicus.moves import Stones

STACK_PLANES = 6


def planes(own: Stones, other: Stones, constants: list[Float[Array, ""]]) -> PackedPlanes:
    """Returns the planes, given the stones of both sides, each in its own frame.

    Args:
        own: stones of the side that looks.
        other: stones of its opponent.
        constants: values of the constant planes from 7 on.
    """
    everywhere = Bitboard(jnp.uint32(HALF_BITS), jnp.uint32(HALF_BITS))
    boards = []
    for stones in (own, other.turned()):
        boards += [stones.walls, stones.towers, stones.catapults]
    boards += [everywhere] * (1 + len(constants))
    words = jnp.stack([jnp.stack([board.near, board.far]) for board in boards], axis=-1)
    first = STACK_PLANES + 1
    layout = PlaneLayout(RANKS, FILES, levels=tuple(range(first, first + len(constants))))
    return PackedPlanes(words, jnp.stack(constants), None, layout)
