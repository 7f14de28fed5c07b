"""Observation of Onitama: a card is described by its moves, so unseen cards need no new input.

`PackedPlanes` of shape `[5, 5, planes]`, indexed `[y, x, plane]` with `y = 0` the home row of the
seat that looks.

| plane | content |
| --- | --- |
| 0, 1 | own students, own master |
| 2, 3 | the opponent's students, master |
| 4, 5 | own cards, slots 0 and 1: the moves around the centre |
| 6, 7 | the opponent's cards, slots 0 and 1, as its pieces move in this frame (rotated) |
| 8 | the side card, unrotated: the next one that the mover receives |
| 9 | plies played / 200, constant |
| 10-17 | own moves, `slot * 4 + move`: the squares from which the move is possible |
| 18-25 | the moves of 10-17 that capture |
| 26-33 | the moves of 10-17 that win the game at once |
| 34-41 | the moves of 10-17 that end on a square which the opponent attacks now |
| 42, 43 | squares that the opponent attacks with its cards, slots 0 and 1 |

Planes 0-9 contain the whole position; planes 10-43 show what the cards allow on this board. The
planes of moves are indexed like the actions (`square * 8 + slot * 4 + move`), so that a network
need not learn the movement of 32 cards before it learns to play.
"""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt8, UInt32

from jaxgames.boards import bits
from jaxgames.boards.packed_planes import PackedPlanes, PlaneLayout
from jaxgames.onitama import cards, moves

if TYPE_CHECKING:
    from jaxgames.onitama.rules import OnitamaState

PROGRESS_PLANE = 9
PLY_SCALE = 200.0
FULL_BOARD = cards.ORIGIN_BITS
LAYOUT = PlaneLayout(cards.SIDE, cards.SIDE, levels=(PROGRESS_PLANE,))


def board_planes(view: "OnitamaState") -> PackedPlanes:
    """Returns planes 0-9: pieces, cards and progress, for the seat whose pieces are `view.own_...`.

    Each side's squares are in that side's own frame.
    """
    return _pack([_boards(view)], view.ply)


def all_planes(view: "OnitamaState") -> PackedPlanes:
    """Returns all planes."""
    return _pack([_boards(view), *_moves(view)], view.ply)


def _boards(view: "OnitamaState") -> UInt32[Array, "10"]:
    patterns, turned = jnp.asarray(cards.PATTERNS), jnp.asarray(cards.TURNED_PATTERNS)
    own_master, other_master = bits.single(view.own_master), bits.single(view.other_master)
    boards = [
        view.own_pieces & ~own_master,
        own_master,
        _rotate(view.other_pieces & ~other_master),
        _rotate(other_master),
        *[patterns[card] for card in moves.hand_cards(view.own_hand)],
        *[turned[card] for card in moves.hand_cards(view.other_hand)],
        patterns[view.side_card],
        jnp.uint32(FULL_BOARD),
    ]
    return jnp.stack(boards)


def _moves(view: "OnitamaState") -> list[UInt32[Array, "planes"]]:
    """Returns planes 10-17, 18-25, 26-33, 34-41 and 42-43."""
    own_master, enemy_master = bits.single(view.own_master), bits.single(view.other_master)
    enemies, enemy_master = _rotate(view.other_pieces), _rotate(enemy_master)
    temple = jnp.uint32(1 << cards.TARGET_TEMPLE)

    # A vector of all moves, computed once: one loop for eight planes.
    own_cards, other_cards = (
        jnp.stack(moves.hand_cards(hand)) for hand in (view.own_hand, view.other_hand)
    )
    words = bits.computed_once(moves.words_of_cards(own_cards).reshape(-1))
    other_words = bits.computed_once(moves.words_of_cards(other_cards))
    origins = moves.legal_origins(view.own_pieces, words)
    reached = moves.reached(view.other_pieces, other_words)  # [slot, move]
    threats = _rotate(jax.lax.reduce(reached, np.uint32(0), jax.lax.bitwise_or, (1,)))
    threatened = threats[0] | threats[1]

    captures = origins & moves.leading_to(enemies, words)
    stone = moves.leading_to(enemy_master, words)
    stream = moves.leading_to(temple, words) & own_master
    wins = origins & (stone | stream)
    risks = origins & moves.leading_to(threatened, words)
    return [origins, captures, wins, risks, threats]


def _rotate(board: UInt32[Array, ""]) -> UInt32[Array, ""]:
    """Turns a board into the frame of the other side."""
    return bits.reverse(board, cards.NUM_SQUARES)


def _pack(boards: list[UInt32[Array, "some"]], ply: UInt8[Array, ""]) -> PackedPlanes:
    words = jnp.concatenate([bits.computed_once(some) for some in boards])
    progress = ply.astype(jnp.float32) / PLY_SCALE
    return PackedPlanes(words[None], progress[None], None, LAYOUT)
