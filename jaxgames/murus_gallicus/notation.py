"""Positions and moves of Murus Gallicus as text. Host side, on one game, in plain Python and NumPy.

A position is `tttttttt/8/8/8/8/8/TTTTTTTT r`, possibly with more fields after it:

1. ranks 7 to 1, files a to h: `W T C` Roman wall, tower, catapult, `w t c` Gaul ones, a digit for
   that many empty cells;
2. the side to act, `r` or `g`;
3. the plies played; left out at 0;
4. with `pie_rule`, the word `swapped` if seat 0 plays the Gauls, always after the plies.

The earlier positions that `repetition_draw` looks at are not part of the text: a position that is
read has no past.

A move is `from-to`: `to` is the second cell that a tower moves to, the cell that it strikes, or the
cell that a catapult fires at. A strike at a catapult ends in the number of stones given for it,
`d4-d5-1` or `d4-d5-2`. Options add the actions `-c1` (take the tower off c1), `+c2` (put a wall on
c2) and `swap`.
"""

import re
from typing import Any

import numpy as np

from jaxgames.boards import squares
from jaxgames.boards.notation import GameNotation
from jaxgames.murus_gallicus import opening, repetition
from jaxgames.murus_gallicus.board import FILES, RANKS
from jaxgames.murus_gallicus.opening import OpeningPhase
from jaxgames.murus_gallicus.position import (
    FAR_ROW,
    HOME_ROW,
    ROMANS,
    SECOND_ROW,
    SIDE_NAMES,
    Heights,
    LegalMove,
    ending,
    heights,
    is_swapped,
    legal_moves,
    plies_of_opening,
    roman_heights,
    side_to_act,
    to_frame,
    to_host,
    to_stones,
)
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.murus_gallicus.variants import IMMEDIATE, TOWER

FILE_NAMES = "abcdefgh"
SIDES = "rg"
STACKS = ("WTC", "wtc")  # [side]: symbols of one, two and three stones
_SYMBOLS = squares.EMPTY + "".join(STACKS)
_TALLEST = len(STACKS[ROMANS])
MAX_STONES = 2 * FILES  # of a side
SWAPPED, SWAP = "swapped", "swap"
_MOVE = re.compile(r"[a-h][1-7]-[a-h][1-7](-[12])?|[-+][a-h][1-7]|swap")


def cell_name(cell: int, side: int = ROMANS) -> str:
    """Returns the name, such as `c1`, of a cell in the frame of a side."""
    rank, file = divmod(to_frame(cell, side), FILES)
    return f"{FILE_NAMES[file]}{rank + 1}"


def state_to_text(rules: MurusGallicus, game: MurusState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    del rules
    game = to_host(game)
    fields = [board_text(roman_heights(game)), SIDES[side_to_act(game)]]
    if int(game.ply) > 0 or is_swapped(game):
        fields.append(str(int(game.ply)))
    return " ".join([*fields, SWAPPED] if is_swapped(game) else fields)


def printed(game: MurusState) -> str:
    """Returns the position text, which a `State` prints."""
    return state_to_text(MurusGallicus(), game)


def text_to_state(rules: MurusGallicus, text: str) -> MurusState:
    """Returns the position that a text describes, made of NumPy values.

    Raises:
        ValueError: for a malformed text or a position that no game can reach; names the part at
            fault and what was expected.
    """
    fields = text.split()
    if not 2 <= len(fields) <= 4:
        raise ValueError(
            f"position {text!r}: expected 2 to 4 fields (board, side to act, plies played, "
            f"{SWAPPED!r}), got {len(fields)}"
        )
    board = _read_board(fields[0], rules.terms.max_stack)
    if fields[1] not in tuple(SIDES):
        raise ValueError(f"side to act {fields[1]!r}: expected 'r' or 'g'")
    side = SIDES.index(fields[1])
    ply = _read_ply(fields[2], rules.max_plies) if len(fields) > 2 else 0
    swapped = len(fields) > 3
    if swapped and not (rules.pie_rule and fields[3] == SWAPPED):
        expected = f"the word {SWAPPED!r}" if rules.pie_rule else "3 fields without pie_rule"
        raise ValueError(f"position {text!r}: expected {expected}, got {fields[3]!r}")

    own = board if side == ROMANS else -board[::-1]
    values: dict[str, Any] = {
        "own": to_stones(own),
        "other": to_stones(-own[::-1]),
        "seat": np.int8(side ^ swapped),
        "ply": np.uint16(ply),
        "swapped": np.bool_(swapped) if rules.pie_rule else None,
        "history": _no_history(rules),
    }
    game = MurusState(**values)
    _check_reachable(rules, text, game)
    return game


def playable_moves(rules: MurusGallicus, game: MurusState) -> dict[int, str]:
    """Returns number and text of each legal action, ascending.

    Raises:
        ValueError: if the game is over.
    """
    game = to_host(game)
    end = ending(rules, game)
    if end is not None:
        text = state_to_text(rules, game)
        raise ValueError(f"the game is over ({end}), no move is legal: {text}")
    side = side_to_act(game)
    return {move.action: move_text(move, side) for move in legal_moves(rules, game)}


NOTATION = GameNotation(text_to_state, playable_moves, _MOVE, "a1-a3 or d4-d5-1")
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action


def move_text(move: LegalMove, side: int) -> str:
    """Returns the text of a move of a side."""
    names = [None if cell is None else cell_name(cell, side) for cell in (move.origin, move.target)]
    match names:
        case [None, None]:
            return SWAP
        case [None, target]:
            return f"+{target}"
        case [origin, None]:
            return f"-{origin}"
    suffix = "" if move.spent is None else f"-{move.spent}"
    return f"{names[0]}-{names[1]}{suffix}"


def board_text(board: Heights) -> str:
    """Returns the first field of a position text, given `position.roman_heights`."""
    numbers = np.where(board < 0, _TALLEST - board, board)
    return squares.board_text(numbers.reshape(RANKS, FILES), _SYMBOLS)


def _no_history(rules: MurusGallicus) -> Any:
    if not rules.repetition_draw:
        return None
    return np.zeros((rules.max_plies, repetition.LANES), np.uint32)


def _read_board(text: str, max_stack: int) -> Heights:
    """Returns the stones on each cell as the Romans number cells, Roman ones positive."""
    numbers = squares.read_board(text, RANKS, FILES, _SYMBOLS).reshape(-1)
    board = np.where(numbers > _TALLEST, _TALLEST - numbers, numbers)
    tallest = int(np.abs(board).argmax())
    if abs(board[tallest]) > max_stack:
        raise ValueError(
            f"board {text!r}: {_SYMBOLS[numbers[tallest]]!r} is a stack of {abs(board[tallest])} "
            f"stones, but max_stack is {max_stack}"
        )
    for name, own in zip(SIDE_NAMES, (board, -board), strict=True):
        total = int(np.maximum(own, 0).sum())
        if total > MAX_STONES:
            raise ValueError(
                f"board {text!r}: at most {MAX_STONES} stones of the {name}, got {total}"
            )
    return board


def _read_ply(text: str, max_plies: int) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > max_plies:
        raise ValueError(f"plies played {text!r}: expected a number from 0 to {max_plies}")
    return int(text)


def _check_reachable(rules: MurusGallicus, text: str, game: MurusState) -> None:
    """Refuses positions in which the game ended before the last move, and impossible first turns.

    Raises:
        ValueError: for such a position.
    """
    own, name = heights(game), SIDE_NAMES[side_to_act(game)]
    wins_at_once = rules.breakthrough and rules.terms.win_timing == IMMEDIATE
    if wins_at_once and (own[FAR_ROW] > 0).any():
        raise ValueError(
            f"position {text!r}: the {name} have a stone on their far row, so they have won "
            "already and cannot be to act"
        )
    first_turn = opening.PLIES_OF_FIRST_TURN if rules.redistribute_start else 1
    if is_swapped(game) and int(game.ply) <= first_turn:
        raise ValueError(
            f"position {text!r}: sides are {SWAPPED} after ply {first_turn} at the earliest, "
            f"got {int(game.ply)} plies"
        )
    ply = plies_of_opening(game)
    if not rules.redistribute_start or ply >= opening.PLIES_OF_OPENING:
        return
    side, phase = divmod(ply, opening.PLIES_OF_FIRST_TURN)
    if side != side_to_act(game):
        raise ValueError(
            f"position {text!r}: with redistribute_start the {SIDE_NAMES[side]} act in ply {ply}"
        )
    phases = (phase, OpeningPhase.TAKE if side == ROMANS else OpeningPhase.ACT)
    for who, stones, due in zip((side, 1 - side), (own, -own[::-1]), phases, strict=True):
        towers, walls = opening.stones_of_first_turn(OpeningPhase(due))
        is_set_up = (
            (stones[HOME_ROW] == TOWER).sum() == towers
            and (stones[SECOND_ROW] == 1).sum() == walls
            and np.maximum(stones, 0).sum() == TOWER * towers + walls
        )
        if not is_set_up:
            raise ValueError(
                f"position {text!r}: with redistribute_start the {SIDE_NAMES[who]} have {towers} "
                f"towers on their home row and {walls} walls on their second row in ply {ply}, and "
                f"no other stone; any position may stand there from ply "
                f"{opening.PLIES_OF_OPENING} on"
            )
