"""The 32 move cards of Onitama and the lookup tables made from them.

Offsets are `(dx, dy)` from the mover's point of view: `dx > 0` right, `dy > 0` forward. The moves
of a card stand in reading order of its picture (larger `dy` first, then smaller `dx`); that order
is the move index. Cards 0-15 are the base game, 16-31 the expansion "Sensei's Path", both in
alphabetical order. The colour stamps of the expansion cards are not known; Red starts with one of
them at the side.

Squares are numbered `5 * y + x` in the frame of the side that looks at the board: `y = 0` is its
home row, so its temple is square 2 and its target, the other temple, square 22.
"""

import enum
from typing import NamedTuple

import numpy as np

SIDE = 5
NUM_SQUARES = SIDE * SIDE
OWN_TEMPLE = 2
TARGET_TEMPLE = 22
MAX_MOVES = 4  # no card has more moves
CENTRE = 12  # square around which a card's pattern is drawn

Offset = tuple[int, int]


class Stamp(enum.IntEnum):
    """Colour of a card: the seat that starts when the card lies at the side."""

    RED = 0
    BLUE = 1


class Card(NamedTuple):
    """One move card."""

    name: str
    stamp: Stamp
    moves: tuple[Offset, ...]


_R, _B = Stamp.RED, Stamp.BLUE
CARDS = (
    Card("boar", _R, ((0, 1), (-1, 0), (1, 0))),
    Card("cobra", _R, ((1, 1), (-1, 0), (1, -1))),
    Card("crab", _B, ((0, 1), (-2, 0), (2, 0))),
    Card("crane", _B, ((0, 1), (-1, -1), (1, -1))),
    Card("dragon", _R, ((-2, 1), (2, 1), (-1, -1), (1, -1))),
    Card("eel", _B, ((-1, 1), (1, 0), (-1, -1))),
    Card("elephant", _R, ((-1, 1), (1, 1), (-1, 0), (1, 0))),
    Card("frog", _R, ((-1, 1), (-2, 0), (1, -1))),
    Card("goose", _B, ((-1, 1), (-1, 0), (1, 0), (1, -1))),
    Card("horse", _R, ((0, 1), (-1, 0), (0, -1))),
    Card("mantis", _R, ((-1, 1), (1, 1), (0, -1))),
    Card("monkey", _B, ((-1, 1), (1, 1), (-1, -1), (1, -1))),
    Card("ox", _B, ((0, 1), (1, 0), (0, -1))),
    Card("rabbit", _B, ((1, 1), (2, 0), (-1, -1))),
    Card("rooster", _R, ((1, 1), (-1, 0), (1, 0), (-1, -1))),
    Card("tiger", _B, ((0, 2), (0, -1))),
    Card("bear", _R, ((-1, 1), (0, 1), (1, -1))),
    Card("dog", _R, ((-1, 1), (-1, 0), (-1, -1))),
    Card("fox", _R, ((1, 1), (1, 0), (1, -1))),
    Card("giraffe", _R, ((-2, 1), (2, 1), (0, -1))),
    Card("iguana", _R, ((-2, 1), (0, 1), (1, -1))),
    Card("kirin", _R, ((-1, 2), (1, 2), (0, -2))),
    Card("mouse", _R, ((0, 1), (1, 0), (-1, -1))),
    Card("otter", _R, ((-1, 1), (2, 0), (1, -1))),
    Card("panda", _R, ((0, 1), (1, 1), (-1, -1))),
    Card("phoenix", _R, ((-1, 1), (1, 1), (-2, 0), (2, 0))),
    Card("rat", _R, ((0, 1), (-1, 0), (1, -1))),
    Card("sable", _R, ((1, 1), (-2, 0), (-1, -1))),
    Card("sea_snake", _R, ((0, 1), (2, 0), (-1, -1))),
    Card("tanuki", _R, ((0, 1), (2, 1), (-1, -1))),
    Card("turtle", _R, ((-2, 0), (2, 0), (-1, -1), (1, -1))),
    Card("viper", _R, ((0, 1), (-2, 0), (1, -1))),
)
NUM_CARDS = len(CARDS)
CARD_IDS = {card.name: index for index, card in enumerate(CARDS)}
STAMPS = np.array([card.stamp for card in CARDS], np.int8)

DECKS = {
    "base": tuple(card.name for card in CARDS[:16]),
    "expansion": tuple(card.name for card in CARDS[16:]),
    "all": tuple(card.name for card in CARDS),
}


def _mirror_offset(offset: Offset) -> Offset:
    return (-offset[0], offset[1])


def _mirror_cards() -> np.ndarray:
    """Returns `[card]` int8: the card whose picture is the left-right mirror image."""
    by_moves = {frozenset(card.moves): index for index, card in enumerate(CARDS)}
    return np.array([by_moves[frozenset(map(_mirror_offset, c.moves))] for c in CARDS], np.int8)


MIRROR_CARD = _mirror_cards()


def _mirror_moves() -> np.ndarray:
    """Returns `[card, move]` int8: the mirrored move's index in the mirror card (else itself)."""
    table = np.tile(np.arange(MAX_MOVES, dtype=np.int8), (NUM_CARDS, 1))
    for index, card in enumerate(CARDS):
        mirrored = CARDS[MIRROR_CARD[index]].moves
        for move, offset in enumerate(card.moves):
            table[index, move] = mirrored.index(_mirror_offset(offset))
    return table


MIRROR_MOVE = _mirror_moves()


def _targets() -> np.ndarray:
    """Returns `[card, square, move]` int8: where a move leads, -1 if off the board or no move."""
    table = np.full((NUM_CARDS, NUM_SQUARES, MAX_MOVES), -1, np.int8)
    for index, card in enumerate(CARDS):
        for move, (dx, dy) in enumerate(card.moves):
            for square in range(NUM_SQUARES):
                y, x = divmod(square, SIDE)
                if 0 <= x + dx < SIDE and 0 <= y + dy < SIDE:
                    table[index, square, move] = square + SIDE * dy + dx
    return table


TARGETS = _targets()


def _patterns() -> np.ndarray:
    """Returns `[card]` uint32 bitboards: the targets from the centre of the board."""
    reached = TARGETS[:, CENTRE, :].astype(np.int64)
    return np.where(reached >= 0, 1 << np.maximum(reached, 0), 0).sum(axis=1).astype(np.uint32)


def _turned(patterns: np.ndarray) -> np.ndarray:
    """Returns boards in the frame of the other side."""
    squares = np.arange(NUM_SQUARES, dtype=np.uint32)
    is_set = patterns[:, None] >> squares & 1
    return (is_set[:, ::-1] << squares).sum(axis=1, dtype=np.uint32)


PATTERNS = _patterns()

TURNED_PATTERNS = _turned(PATTERNS)

ORIGIN_BITS = (1 << NUM_SQUARES) - 1
SHIFT_POSITION = NUM_SQUARES  # the shift stands above the 25 origin bits


def _move_words() -> np.ndarray:
    """Returns `[card * 4 + move]` uint32, everything about a move in one word.

    Bits 0-24: the squares from which the move stays on the board (none if the card lacks it).
    Bits 25-29: the square difference target - origin, modulo 32.
    """
    words = np.zeros((NUM_CARDS, MAX_MOVES), np.uint32)
    for index, card in enumerate(CARDS):
        for move, (dx, dy) in enumerate(card.moves):
            origins = sum(1 << s for s in range(NUM_SQUARES) if TARGETS[index, s, move] >= 0)
            words[index, move] = origins | ((SIDE * dy + dx) % 32) << SHIFT_POSITION
    return words.reshape(-1)


MOVE_WORDS = _move_words()
