"""The board of Onitama in a terminal, with the cards and their moves. Host side, on one game."""

from typing import Any

from jaxgames.onitama import cards
from jaxgames.onitama.notation import (
    FILES,
    MASTERS,
    STUDENTS,
    hand_ids,
    red_and_blue,
    state_to_text,
)
from jaxgames.onitama.rules import OnitamaState
from jaxgames.pictures.ansi import MUTED, Paint, board_lines

SEATS = ("Red", "Blue")
COLOURS = ("#ff5f5f", "#5fafff")  # of the seats
GOLD = "#d7af5f"
_WIDTH = 11  # of a card
_LEGEND = "r b students, R B masters; a card shows moves (o) from its square (+) for its owner"


def draw(rules: Any, game: OnitamaState, paint: Paint, seat: int | None = None) -> str:
    """Returns the board and the cards as lines of text.

    Args:
        rules: the game.
        game: a position.
        paint: colours.
        seat: the seat that looks, which does not matter: nothing is hidden.
    """
    del seat
    board = state_to_text(rules, game).split()[0]
    (_, red), (_, blue) = red_and_blue(game)
    mover = int(game.seat)
    lines = [*_cards(paint, hand_ids(blue), 1), ""]
    lines += board_lines(board, FILES, paint, lambda symbol: _piece(symbol, paint))
    lines += ["", *_cards(paint, hand_ids(red), 0), ""]
    lines.append(f"beside the board, for {SEATS[mover]} after this move:")
    lines += _cards(paint, [int(game.side_card)], mover)
    turn = paint(SEATS[mover], COLOURS[mover], bold=True)
    return "\n".join([*lines, "", f"{turn} to move, ply {int(game.ply)}", paint(_LEGEND, MUTED)])


def _piece(symbol: str, paint: Paint) -> str:
    for seat in range(len(SEATS)):
        if symbol in (STUDENTS[seat], MASTERS[seat]):
            return paint(symbol, COLOURS[seat], bold=symbol in MASTERS)
    return paint(symbol, MUTED)


def _cards(paint: Paint, ids: list[int], seat: int) -> list[str]:
    """Returns the lines of cards side by side, their moves as the board shows them to Red."""
    owner = paint(f"{SEATS[seat]:<6}", COLOURS[seat], bold=True)
    lines = [owner + "".join(f"{cards.CARDS[card].name:<{_WIDTH}}" for card in ids).rstrip()]
    turn = 1 if seat == 0 else -1
    middle = cards.SIDE // 2
    for row in reversed(range(-middle, middle + 1)):
        text = ""
        for card in ids:
            moves = {(turn * dx, turn * dy) for dx, dy in cards.CARDS[card].moves}
            for column in range(-middle, middle + 1):
                symbol = "+" if (column, row) == (0, 0) else "o" if (column, row) in moves else "."
                look = {"+": GOLD, "o": COLOURS[seat], ".": MUTED}[symbol]
                text += paint(symbol, look) + " "
            text += " " * (_WIDTH - 2 * cards.SIDE)
        lines.append(" " * 6 + text.rstrip())
    return lines
