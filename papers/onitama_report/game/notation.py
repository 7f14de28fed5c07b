"""Positions and moves of `onitama_report` as text; host side, on one game.

Moves read as in the base game. A position has its four fields and a fifth, the squares of pawns 1
to 4 of Red and of Blue, `-` for a captured one:

    bbBbb/5/5/5/rrRrr r dragon,elephant|goose,monkey|rooster 0 a1,b1,d1,e1|e5,d5,b5,a5

Without the fifth field the pawns are numbered by their squares, from the home row forward and left
to right in their owner's view; captured ones come last.
"""

from typing import Any

import jax
import numpy as np

from jaxgames.boards.notation import GameNotation, on_host
from jaxgames.onitama import cards, notation, text_board
from jaxgames.onitama.moves import NUM_SLOTS
from jaxgames.onitama.rules import CAPTURED, OnitamaState
from jaxgames.pictures.ansi import Paint
from papers.onitama_report.game.rules import (
    ACTIONS_PER_PIECE,
    CARD_IDS,
    CARD_NAMES,
    OnitamaReport,
    ReportState,
    to_base,
)

NO_SQUARE = "-"


def state_to_text(rules: OnitamaReport, game: ReportState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    base = base_position(game)
    seat = int(base.seat)
    pawns = [_pawns_text(game.own_squares, seat), _pawns_text(game.other_squares, 1 - seat)]
    red, blue = pawns if seat == 0 else reversed(pawns)
    return f"{notation.state_to_text(rules.base, base)} {red}|{blue}"


def printed(game: ReportState) -> str:
    """Returns the position text, which a `State` prints."""
    return state_to_text(OnitamaReport(), game)


def text_to_state(rules: OnitamaReport, text: str) -> ReportState:
    """Returns the position that a text describes, made of NumPy arrays.

    Raises:
        ValueError: for a malformed text, other cards than the five, or squares of pawns that do
            not fit the board.
    """
    fields = text.split()
    if len(fields) not in (notation.NUM_FIELDS, notation.NUM_FIELDS + 1):
        raise ValueError(
            f"position {text!r}: expected 5 fields (board, side to move, cards, ply, squares of "
            f"the pawns; the last may be missing), got {len(fields)}"
        )
    base = notation.read_fields(fields[: notation.NUM_FIELDS], rules.max_plies)
    in_play = {*notation.hand_ids(int(base.own_hand) | int(base.other_hand)), int(base.side_card)}
    if in_play != set(CARD_IDS.tolist()):
        raise ValueError(f"cards {fields[2]!r}: expected {', '.join(CARD_NAMES)}")

    sides = notation.red_and_blue(base)
    boards = [pieces for pieces, _ in sides]
    if len(fields) > notation.NUM_FIELDS:
        squares = _read_pawns(fields[-1], boards)
    else:
        squares = [_number_pawns(pieces) for pieces in boards]
    hands = [_report_hand(hand) for _, hand in sides]
    seat = int(base.seat)
    values: dict[str, Any] = {
        "own_squares": np.array(squares[seat], np.int8),
        "other_squares": np.array(squares[1 - seat], np.int8),
        "own_hand": np.uint8(hands[seat]),
        "other_hand": np.uint8(hands[1 - seat]),
        "seat": base.seat,
        "ply": base.ply,
    }
    return ReportState(**values)


def draw(rules: OnitamaReport, game: ReportState, paint: Paint, seat: int | None = None) -> str:
    """Returns the board in a terminal, which is that of the base game."""
    return text_board.draw(rules.base, base_position(game), paint, seat)


def base_position(game: ReportState) -> OnitamaState:
    """Returns the position of the base game, made of NumPy scalars.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    base: OnitamaState = jax.device_get(_to_base(on_host(game, game.ply)))
    return base


_to_base = jax.jit(to_base)


def playable_moves(rules: OnitamaReport, game: ReportState) -> dict[int, str]:
    """Returns number and text of each legal action, ascending; ValueError if the game is over."""
    base = base_position(game)
    squares = np.asarray(game.own_squares).tolist()
    hand = notation.hand_ids(int(base.own_hand))
    order = sorted(hand, key=CARD_IDS.tolist().index)
    moves = {}
    for base_action, text in notation.playable_moves(rules.base, base).items():
        word, move = divmod(base_action, cards.MAX_MOVES)
        square, base_slot = divmod(word, NUM_SLOTS)
        slot = order.index(hand[base_slot])
        action = squares.index(square) * ACTIONS_PER_PIECE + slot * cards.MAX_MOVES + move
        moves[action] = text
    return dict(sorted(moves.items()))


NOTATION = GameNotation(text_to_state, playable_moves, notation.MOVE, notation.FORM)
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action


def _read_pawns(text: str, boards: list[notation.Pieces]) -> list[list[int]]:
    """Returns for Red and Blue the squares of pawns 1-4 and master, each in its own frame."""
    parts = [part.split(",") for part in text.split("|")]
    if [len(part) for part in parts] != [notation.MAX_STUDENTS, notation.MAX_STUDENTS]:
        raise ValueError(f"squares of the pawns {text!r}: expected a1,b1,d1,e1|e5,d5,b5,a5")
    sides = []
    for seat, (names, pieces) in enumerate(zip(parts, boards, strict=True)):
        present = sorted(name for name in names if name != NO_SQUARE)
        students = _number_pawns(pieces)[: notation.MAX_STUDENTS]
        expected = {notation.square_name(s, seat): s for s in students if s != CAPTURED}
        if present != sorted(expected):
            squares = ", ".join(sorted(expected)) or "no square"
            raise ValueError(
                f"squares of the pawns {text!r}: {','.join(names)!r} does not fit the board, "
                f"where {notation.SIDES[seat]!r} has pawns on {squares}"
            )
        sides.append([expected.get(name, CAPTURED) for name in names] + [pieces.master])
    return sides


def _number_pawns(pieces: notation.Pieces) -> list[int]:
    """Returns the squares of pawns 1-4 and master, the pawns in the order of their squares."""
    squares = [
        square
        for square in range(cards.NUM_SQUARES)
        if pieces.board >> square & 1 and square != pieces.master
    ]
    captured = [CAPTURED] * (notation.MAX_STUDENTS - len(squares))
    return squares + captured + [pieces.master]


def _pawns_text(squares: Any, seat: int) -> str:
    pawns = np.asarray(squares).tolist()[: notation.MAX_STUDENTS]
    return ",".join(
        NO_SQUARE if square == CAPTURED else notation.square_name(square, seat) for square in pawns
    )


def _report_hand(hand: int) -> int:
    """Returns a set of card ids as a set of report cards."""
    return sum(1 << i for i, card in enumerate(CARD_IDS.tolist()) if hand >> card & 1)
