"""The board of Murus Gallicus in a terminal. Host side, on one game."""

from jaxgames.murus_gallicus.notation import FILE_NAMES, STACKS, state_to_text
from jaxgames.murus_gallicus.position import SIDE_NAMES, side_to_act, to_host
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.pictures.ansi import MUTED, Paint, board_lines

COLOURS = ("#ff5f5f", "#5faf5f")  # of the sides
_LEGEND = "Romans W wall, T tower, C catapult; Gauls w wall, t tower, c catapult"


def draw(rules: MurusGallicus, game: MurusState, paint: Paint, seat: int | None = None) -> str:
    """Returns the board as lines of text.

    Args:
        rules: the game.
        game: a position.
        paint: colours.
        seat: the seat that looks, which does not matter: nothing is hidden.
    """
    del seat
    game = to_host(game)
    side = side_to_act(game)
    board = state_to_text(rules, game).split()[0]
    lines = board_lines(board, FILE_NAMES, paint, lambda symbol: _stack(symbol, paint))
    turn = paint(SIDE_NAMES[side], COLOURS[side], bold=True)
    turn += f" to act, seat {int(game.seat)}, ply {int(game.ply)}"
    return "\n".join([*lines, "", turn, paint(_LEGEND, MUTED)])


def _stack(symbol: str, paint: Paint) -> str:
    for side, symbols in enumerate(STACKS):
        if symbol in symbols:
            return paint(symbol, COLOURS[side], bold=symbol != symbols[0])
    return paint(symbol, MUTED)
