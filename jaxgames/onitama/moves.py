"""Move generation on bitboards, for one side in its own frame.

For each hand card (`slot`) and move index, one word holds the squares from which the move can be
made; the square that it leads to is the same number of squares away from each of them.
"""

import jax.numpy as jnp
from jaxtyping import Array, Int32, UInt32

from jaxgames.boards import bits
from jaxgames.onitama import cards

NUM_SLOTS = 2  # hand cards

Board = UInt32[Array, ""]


def hand_cards(hand: UInt32[Array, ""]) -> tuple[Int32[Array, ""], Int32[Array, ""]]:
    """Returns the lower and the higher card id of a hand: slots 0 and 1."""
    return bits.lowest(hand), bits.highest(hand)


def move_words(hand: UInt32[Array, ""]) -> list[UInt32[Array, ""]]:
    """Returns the entries of `cards.MOVE_WORDS` for `slot * 4 + move` of a hand."""
    table = jnp.asarray(cards.MOVE_WORDS)
    return [
        table[card * cards.MAX_MOVES + move]
        for card in hand_cards(hand)
        for move in range(cards.MAX_MOVES)
    ]


def words_of_cards(card: Int32[Array, "*any"]) -> UInt32[Array, "*any moves"]:
    """Returns the entries of `cards.MOVE_WORDS` for all moves of a card."""
    return jnp.asarray(cards.MOVE_WORDS.reshape(-1, cards.MAX_MOVES))[card]


def origins(pieces: Board, words: list[UInt32[Array, ""]]) -> list[Board]:
    """Returns for each move the squares of own pieces from which it is legal."""
    return [legal_origins(pieces, word) for word in words]


def legal_origins(pieces: Board, word: UInt32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns the squares of own pieces from which a move is legal."""
    return pieces & word & ~leading_to(pieces, word)


def leading_to(targets: Board, word: UInt32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns the squares from which a move leads to one of `targets`.

    Bits that wrap around belong to targets off the board; they lie outside the move's origins.
    """
    return bits.rotate_right(targets, word >> cards.SHIFT_POSITION)


def reached(pieces: Board, word: UInt32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns the squares that some piece reaches by a move, occupied or not."""
    movable = pieces & word & jnp.uint32(cards.ORIGIN_BITS)
    back = jnp.uint32(bits.WORD_BITS) - (word >> cards.SHIFT_POSITION)
    return bits.rotate_right(movable, back & jnp.uint32(bits.WORD_BITS - 1))
