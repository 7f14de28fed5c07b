"""A position on the host: heights of the stacks, legal moves, and how the game ended.

Plain Python and NumPy on one game, for notation and pictures. Legal moves and ends are found
independently of `rules.py`, from heights instead of bitboards. So this is a second implementation
of the rules, against which `rules.py` is tested.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from jaxgames.boards.notation import on_host
from jaxgames.murus_gallicus import opening
from jaxgames.murus_gallicus.board import (
    FILES,
    HALF,
    HALF_BITS,
    NUM_CELLS,
    NUM_DIRECTIONS,
    TARGETS,
    Bitboard,
    Direction,
)
from jaxgames.murus_gallicus.moves import FAR_SHOT, NEAR_SHOT, Stones
from jaxgames.murus_gallicus.opening import OpeningPhase
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.murus_gallicus.variants import CATAPULT, DELAYED, TOWER

ROMANS, GAULS = 0, 1
SIDE_NAMES = ("Romans", "Gauls")
HOME_ROW = slice(0, FILES)
SECOND_ROW = slice(FILES, 2 * FILES)
FAR_ROW = slice(NUM_CELLS - FILES, NUM_CELLS)
ENEMY_WALL, ENEMY_CATAPULT = -1, -CATAPULT

# The ways in which a game ends, in words.
BREAKTHROUGH, NO_MOVE, PLY_LIMIT, REPETITION = "breakthrough", "no move", "ply limit", "repetition"

Heights = np.ndarray  # [56] int8: stones on each cell, those of the other side negative


class LegalMove(NamedTuple):
    """A legal action; cells are numbered in the frame of the side that acts."""

    action: int
    origin: int | None  # the acting stack; None: stones come from the hand, or the sides swap
    target: int | None  # second cell of a move, struck or hit cell; None: nothing is named
    spent: int | None = None  # stones given for a strike at a catapult


def to_host(game: MurusState) -> MurusState:
    """Returns the game with host values; refuses a batch of games."""
    return on_host(game, game.ply)


def to_frame(cell: int, side: int) -> int:
    """Turns a cell as the Romans number it into the frame of a side, and back."""
    return cell if side == ROMANS else NUM_CELLS - 1 - cell


def is_swapped(game: MurusState) -> bool:
    """Returns whether seat 0 plays the Gauls."""
    return game.swapped is not None and bool(game.swapped)


def side_to_act(game: MurusState) -> int:
    """Returns `ROMANS` or `GAULS`; that is the seat to move unless the sides were swapped."""
    return int(game.seat) ^ is_swapped(game)


def heights(game: MurusState) -> Heights:
    """Returns the stones on each cell in the frame of the side to act, its own positive."""
    return _heights_of(game.own) - _heights_of(game.other)[::-1]


def roman_heights(game: MurusState) -> Heights:
    """Returns the stones on each cell as the Romans number cells, Roman ones positive."""
    board = heights(game)
    return board if side_to_act(game) == ROMANS else -board[::-1]


def to_stones(board: Heights) -> Stones:
    """Returns the stones of the side whose heights are positive."""
    stacks, boards = np.maximum(board, 0), []
    for digit in (1, 2):
        number = sum(1 << cell for cell in np.flatnonzero(stacks & digit).tolist())
        words: list[Any] = [np.uint32(number & HALF_BITS), np.uint32(number >> HALF)]
        boards.append(Bitboard(*words))
    return Stones(*boards)


def plies_of_opening(game: MurusState) -> int:
    """Returns the plies played without the swap, on which the first turns depend."""
    return int(game.ply) - is_swapped(game)


def due(rules: MurusGallicus, game: MurusState) -> OpeningPhase:
    """Returns the phase that is due for the side to act."""
    ply = plies_of_opening(game)
    if not rules.redistribute_start or ply >= opening.PLIES_OF_OPENING:
        return OpeningPhase.ACT
    return OpeningPhase(ply % opening.PLIES_OF_FIRST_TURN)


def legal_moves(rules: MurusGallicus, game: MurusState) -> list[LegalMove]:
    """Returns the legal actions in ascending order; assumes a game in progress."""
    board, phase = heights(game), due(rules, game)
    moves: list[LegalMove] = []
    if phase == OpeningPhase.ACT:
        for cell in np.flatnonzero(board >= TOWER).tolist():
            moves += _moves_of_stack(rules, board, cell)
    elif phase == OpeningPhase.TAKE:
        towers = np.flatnonzero(board[HOME_ROW] == TOWER).tolist()
        moves += [LegalMove(opening.TAKE + file, file, None) for file in towers]
    else:
        empty = np.flatnonzero(board[SECOND_ROW] == 0).tolist()
        moves += [LegalMove(opening.PUT + file, None, FILES + file) for file in empty]
    first_turn = opening.PLIES_OF_FIRST_TURN if rules.redistribute_start else 1
    if rules.pie_rule and int(game.ply) == first_turn and not is_swapped(game):
        moves.append(LegalMove(opening.SWAP, None, None))
    return sorted(moves)


def ending(rules: MurusGallicus, game: MurusState) -> str | None:
    """Returns how the game ended, `BREAKTHROUGH` for instance, or None while it goes on."""
    board = heights(game)
    is_delayed = rules.terms.win_timing == DELAYED
    has_crossed = (board[FAR_ROW] > 0).any() if is_delayed else (board[HOME_ROW] < 0).any()
    if rules.breakthrough and has_crossed:
        return BREAKTHROUGH
    if not legal_moves(rules, game):
        return NO_MOVE
    if int(game.ply) >= rules.max_plies:
        return PLY_LIMIT
    if rules.repetition_draw and int(rules.occurrences(game)) >= rules.repetition_draw:
        return REPETITION
    return None


def winner(rules: MurusGallicus, game: MurusState) -> int | None:
    """Returns the side that has won, or None for a draw and while the game goes on."""
    end, side = ending(rules, game), side_to_act(game)
    if end == BREAKTHROUGH and rules.terms.win_timing == DELAYED:
        return side
    return 1 - side if end in (BREAKTHROUGH, NO_MOVE) else None


def _moves_of_stack(rules: MurusGallicus, board: Heights, cell: int) -> Iterator[LegalMove]:
    terms = rules.terms

    def move(half: int, direction: Direction, target: int, spent: int | None = None) -> LegalMove:
        plane = NUM_DIRECTIONS * half + direction
        return LegalMove(NUM_CELLS * plane + cell, cell, target, spent)

    if board[cell] == CATAPULT:
        for half, distance in enumerate((NEAR_SHOT, FAR_SHOT)):
            for direction in terms.fire:
                target = int(TARGETS[cell, direction, distance])
                if target >= 0 and board[target] <= 0:
                    yield move(half, direction, target)
        return
    for direction in Direction:
        first, second = TARGETS[cell, direction, 1:3].tolist()
        if first < 0:
            continue
        if board[first] == ENEMY_CATAPULT:
            yield move(0, direction, first, 1)
            yield move(1, direction, first, 2)
        elif board[first] == ENEMY_WALL:
            yield move(0, direction, first)
        elif second >= 0 and all(0 <= board[c] < terms.max_stack for c in (first, second)):
            yield move(0, direction, second)


def _heights_of(stones: Stones) -> Heights:
    """Returns `[56]` int8: stones of one side on each cell, in its own frame."""
    words = np.array([[board.near, board.far] for board in (stones.low, stones.high)], np.uint32)
    digits = (words[..., None] >> np.arange(HALF, dtype=np.uint32)) & 1
    low, high = digits.reshape(2, NUM_CELLS).astype(np.int8)
    return low + TOWER * high
