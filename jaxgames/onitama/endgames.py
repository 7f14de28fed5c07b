"""Exact values of all Onitama endgames with at most one student a side, for one set of five cards.

A position is seen by the seat to move, so neither its colour nor its ply matters: there are 305 809
placements of the pieces times 30 splits of the cards. This module numbers them and computes their
successors by the rules; `jaxgames.search.retrograde` decides them, without a ply limit.
"""

import dataclasses
import functools
import itertools
import logging
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.boards import bits
from jaxgames.onitama import cards
from jaxgames.onitama.moves import NUM_SLOTS
from jaxgames.onitama.rules import PASS, WORDS_PER_SQUARE, Onitama, OnitamaState, is_stuck
from jaxgames.search import retrograde

RULES = Onitama(deck="all")
NUM_CARDS = 5
NO_STUDENT = cards.NUM_SQUARES  # the square of a missing student
STUDENT_SQUARES = cards.NUM_SQUARES + 1
MAX_MOVES = 2 * WORDS_PER_SQUARE  # two pieces; more than the two passes

_log = logging.getLogger(__name__)


def _splits() -> np.ndarray:
    """Returns `[30, 3]`: own hand and other hand as sets of card positions 0-4, and side card."""
    rows = []
    for side in range(NUM_CARDS):
        others = [card for card in range(NUM_CARDS) if card != side]
        for own in itertools.combinations(others, 2):
            own_set = sum(1 << card for card in own)
            rows.append((own_set, sum(1 << card for card in others) - own_set, side))
    return np.array(rows, np.int32)


SPLITS = _splits()
SPLIT_OF = np.zeros((1 << NUM_CARDS, NUM_CARDS), np.int32)  # [own hand, side card]
SPLIT_OF[SPLITS[:, 0], SPLITS[:, 2]] = np.arange(len(SPLITS))
# Index of a position: split, own master, own student, other master, other student.
SHAPE = (len(SPLITS), cards.NUM_SQUARES, STUDENT_SQUARES, cards.NUM_SQUARES, STUDENT_SQUARES)
TABLE_SIZE = int(np.prod(SHAPE))
NO_MOVE = TABLE_SIZE  # successor that stands for an illegal move


class Placements(NamedTuple):
    """Squares of the pieces, each side's in its own frame."""

    own_master: Int32[Array, "placements"]
    own_student: Int32[Array, "placements"]  # or NO_STUDENT
    other_master: Int32[Array, "placements"]
    other_student: Int32[Array, "placements"]


class EndgameMoves(NamedTuple):
    """The moves of each position, in no particular order."""

    actions: Int32[Array, "B moves"]
    legal: Bool[Array, "B moves"]
    wins: Bool[Array, "B moves"]  # legal and ends the game
    successors: Int32[Array, "B moves"]  # index of the position after it, else NO_MOVE


class Totals(NamedTuple):
    """Sums over all positions of a card set; the fields of a summary record."""

    total: int
    win: int
    loss: int
    draw: int
    win_in_1: int
    max_dtm: int
    hist: list[int]  # positions with distance 1, 2, 3, ...


def placements(max_students: int = 1) -> Placements:
    """Returns all placements in which the game is not over.

    Args:
        max_students: of each side: 0 or 1.
    """
    masters = range(cards.NUM_SQUARES)
    first = 0 if max_students else NO_STUDENT
    students = range(first, STUDENT_SQUARES)
    grid = np.meshgrid(masters, students, masters, students, indexing="ij")
    own_master, own_student, other_master, other_student = (g.reshape(-1) for g in grid)
    # Squares in the frame of the seat to move; each absent student gets a value of its own.
    last = cards.NUM_SQUARES - 1
    has_other = other_student != NO_STUDENT
    squares = [own_master, own_student, last - other_master]
    squares.append(np.where(has_other, last - other_student, -1))
    ok = (own_master != cards.TARGET_TEMPLE) & (other_master != cards.TARGET_TEMPLE)
    for first_piece, second_piece in itertools.combinations(squares, 2):
        ok &= first_piece != second_piece
    columns = (own_master, own_student, other_master, other_student)
    return Placements(*(jnp.asarray(column[ok], jnp.int32) for column in columns))


@dataclasses.dataclass(frozen=True)
class Endgames:
    """The endgames of one set of cards as `retrograde.IndexedPositions`."""

    card_ids: tuple[int, ...]
    max_students: int = 1  # of each side: 0 or 1

    no_move: ClassVar[int] = NO_MOVE

    def successors(self) -> Iterator[retrograde.Successors]:
        """Yields the positions of each split of the cards, with their successors."""
        pieces = placements(self.max_students)
        ids = jnp.asarray(sorted(self.card_ids), jnp.int32)
        for split in range(len(SPLITS)):
            yield retrograde.Successors(*jax.device_get(_successors(pieces, jnp.int32(split), ids)))


def solve(card_ids: tuple[int, ...], max_students: int = 1) -> np.ndarray:
    """Returns the table of all positions with five cards, in any order, and few students.

    Returns:
        `[TABLE_SIZE + 1]` int16 by position index, as `retrograde.solve` describes.

    Raises:
        ValueError: unless there are five different cards.
    """
    if len(set(card_ids)) != NUM_CARDS:
        raise ValueError(f"expected five different cards, got {card_ids}")
    return retrograde.solve(Endgames(card_ids, max_students))


@functools.lru_cache(maxsize=32)
def solved(card_ids: tuple[int, ...]) -> np.ndarray:
    """Returns `solve(card_ids)`, computed once for a set in a process; a table has 25 MB."""
    names = ",".join(cards.CARDS[card].name for card in card_ids)
    _log.info("solving %s ...", names)
    return solve(card_ids)


def totals(table: np.ndarray, max_students: int = 1) -> Totals:
    """Returns the sums over all positions of a solved table."""
    values = table[:NO_MOVE].astype(np.int64)
    hist = np.bincount(np.abs(values))[1:]
    total = len(SPLITS) * len(placements(max_students).own_master)
    win, loss = int((values > 0).sum()), int((values < 0).sum())
    draw = total - win - loss
    return Totals(total, win, loss, draw, int(hist[0]), len(hist), hist.tolist())


def count_stuck(card_ids: tuple[int, ...]) -> int:
    """Returns the number of positions with at most one student a side and no legal move."""
    pieces = placements()
    ids = jnp.asarray(sorted(card_ids), jnp.int32)
    return sum(int(_num_stuck(pieces, jnp.int32(split), ids)) for split in range(len(SPLITS)))


@jax.jit
def moves_of(games: OnitamaState, card_ids: Int32[Array, "5"]) -> EndgameMoves:
    """Returns the moves of a batch of positions with at most one student a side.

    `card_ids` are the five cards in ascending order.
    """
    return jax.vmap(_moves_of_one, in_axes=(0, None))(games, card_ids)


@jax.jit
def indices(games: OnitamaState, card_ids: Int32[Array, "5"]) -> Int32[Array, "B"]:
    """Returns the index of each position; `card_ids` are in ascending order."""
    return jax.vmap(_index, in_axes=(0, None))(games, card_ids)


def is_position() -> np.ndarray:
    """Returns `[TABLE_SIZE]` bool: the indices that are positions, the same for all cards."""
    pieces = [np.asarray(squares) for squares in placements()]
    at: tuple[Any, ...] = (slice(None), *pieces)
    found = np.zeros(SHAPE, bool)
    found[at] = True
    return found.reshape(-1)


@jax.jit
def positions(index: Int32[Array, "B"], card_ids: Int32[Array, "5"]) -> OnitamaState:
    """Returns the positions of some indices, seat 0 to move; `card_ids` are in ascending order."""
    split, *squares = jnp.unravel_index(index, SHAPE)
    return jax.vmap(_position, in_axes=(0, 0, None))(Placements(*squares), split, card_ids)


@jax.jit
def _successors(pieces: Placements, split: Array, card_ids: Array) -> tuple[Array, Array, Array]:
    """Returns for each placement its index, whether it wins in one ply, and its successors."""
    games = jax.vmap(_position, in_axes=(0, None, None))(pieces, split, card_ids)
    moves = moves_of(games, card_ids)
    return indices(games, card_ids), moves.wins.any(axis=1), moves.successors


@jax.jit
def _num_stuck(pieces: Placements, split: Array, card_ids: Array) -> Int32[Array, ""]:
    games = jax.vmap(_position, in_axes=(0, None, None))(pieces, split, card_ids)
    return jax.vmap(is_stuck)(games).sum()


def _position(pieces: Placements, split: Array, card_ids: Array) -> OnitamaState:
    own_hand, other_hand, side_card = jnp.asarray(SPLITS)[split]
    card_bits = bits.single(card_ids)
    has_card = [(hand >> jnp.arange(NUM_CARDS)) & 1 == 1 for hand in (own_hand, other_hand)]
    hands = [jnp.where(has, card_bits, 0).sum(dtype=jnp.uint32) for has in has_card]
    return OnitamaState(
        own_pieces=_board(pieces.own_master, pieces.own_student),
        other_pieces=_board(pieces.other_master, pieces.other_student),
        own_hand=hands[0],
        other_hand=hands[1],
        own_master=pieces.own_master.astype(jnp.int8),
        other_master=pieces.other_master.astype(jnp.int8),
        side_card=card_ids[side_card].astype(jnp.int8),
        seat=jnp.int8(0),
        ply=jnp.uint8(0),
    )


def _board(master: Array, student: Array) -> Array:
    return bits.single(master) | jnp.where(student == NO_STUDENT, 0, bits.single(student))


def _student(board: Array, master: Array) -> Int32[Array, ""]:
    return jnp.minimum(bits.lowest(board & ~bits.single(master)), NO_STUDENT)


def _index(game: OnitamaState, card_ids: Array) -> Int32[Array, ""]:
    in_hand = bits.contains(game.own_hand, card_ids)
    own_hand = jnp.where(in_hand, 1 << jnp.arange(NUM_CARDS), 0).sum()
    split = jnp.asarray(SPLIT_OF)[own_hand, jnp.argmax(card_ids == game.side_card)]
    place = (
        split,
        game.own_master.astype(jnp.int32),
        _student(game.own_pieces, game.own_master),
        game.other_master.astype(jnp.int32),
        _student(game.other_pieces, game.other_master),
    )
    index = jnp.int32(0)
    for coordinate, length in zip(place, SHAPE, strict=True):
        index = index * length + coordinate
    return index


def _moves_of_one(game: OnitamaState, card_ids: Array) -> EndgameMoves:
    mask = RULES.legal_actions(game)
    student = _student(game.own_pieces, game.own_master)
    origins = jnp.stack([game.own_master.astype(jnp.int32), student])
    numbers = (origins[:, None] * WORDS_PER_SQUARE + jnp.arange(WORDS_PER_SQUARE)).reshape(-1)
    # If the student is missing, the numbers of its row are those of the passes and beyond, so they
    # are masked. If no piece can move, the first entries are replaced by the passes.
    is_pass = mask[PASS] & (jnp.arange(MAX_MOVES) < NUM_SLOTS)
    is_piece = jnp.repeat(origins < cards.NUM_SQUARES, WORDS_PER_SQUARE)
    actions = jnp.where(is_pass, PASS + jnp.arange(MAX_MOVES), numbers)
    legal = is_pass | (is_piece & mask[jnp.where(is_piece, numbers, 0)])
    after = jax.vmap(lambda action: RULES.step(game, action))(actions)
    wins = legal & jax.vmap(RULES.is_over)(after)
    index = jax.vmap(_index, in_axes=(0, None))(after, card_ids)
    return EndgameMoves(actions, legal, wins, jnp.where(legal & ~wins, index, NO_MOVE))
