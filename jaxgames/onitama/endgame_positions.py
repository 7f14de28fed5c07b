"""Random endgames of Onitama, from which games of training may begin.

Endgames with at most one student a side are solved (`endgames.py`); those with two are near them.
"""

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.boards import bits
from jaxgames.onitama import cards
from jaxgames.onitama.rules import Onitama, OnitamaState

MOST_STUDENTS = 2  # of each side
_LAST = cards.NUM_SQUARES - 1


def draw(rules: Onitama, key: PRNGKeyArray) -> OnitamaState:
    """Returns a position with the masters and 0 to 2 students a side on random squares.

    Nobody has won. The cards are dealt as in a new game. The ply is at most half of the limit, so
    that a win has time.
    """
    deal_key, square_key, count_key, ply_key = jax.random.split(key, 4)
    squares = jnp.arange(cards.NUM_SQUARES)  # in the frame of the seat to move
    order = jax.random.uniform(square_key, squares.shape)
    own_master = _first(jnp.where(squares == cards.TARGET_TEMPLE, jnp.inf, order))
    order = order.at[own_master].set(jnp.inf)
    other_master = _first(jnp.where(_LAST - squares == cards.TARGET_TEMPLE, jnp.inf, order))
    order = order.at[other_master].set(jnp.inf)
    students = jnp.argsort(order)[: 2 * MOST_STUDENTS].reshape(2, MOST_STUDENTS)
    counts = jax.random.randint(count_key, (2, 1), 0, MOST_STUDENTS + 1)
    own, other = jnp.where(jnp.arange(MOST_STUDENTS) < counts, students, -1)
    ply = jax.random.randint(ply_key, (), 0, rules.max_plies // 2 + 1)
    return rules.init(deal_key).replace(
        own_pieces=_board(own_master, own),
        other_pieces=_board(_LAST - other_master, jnp.where(other < 0, other, _LAST - other)),
        own_master=own_master.astype(jnp.int8),
        other_master=(_LAST - other_master).astype(jnp.int8),
        ply=ply.astype(jnp.uint8),
    )


def _first(order: jax.Array) -> jax.Array:
    return jnp.argmin(order).astype(jnp.int32)


def _board(master: jax.Array, students: jax.Array) -> jax.Array:
    """Returns the board of a side; students on square -1 are missing."""
    each = jnp.where(students < 0, 0, bits.single(jnp.maximum(students, 0)))
    return bits.single(master) | each.sum(dtype=jnp.uint32)
