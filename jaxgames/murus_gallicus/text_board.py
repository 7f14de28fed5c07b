"""The board of Murus Gallicus in a terminal. Host side, on one game."""

from jaxgames.murus_gallicus.board import RANKS
from jaxgames.murus_gallicus.notation import FILE_NAMES, STACKS, state_to_text
from jaxgames.murus_gallicus.position import SIDE_NAMES, side_to_act, to_host
from jaxgames.murus_gallicus.rules import MurusGallicus, MurusState
from jaxgames.pictures.ansi import Paint

COLOURS = ("#ff5f5f", "#5faf5f")  # of the sides
MUTED = "#878787"
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
    files = paint("   " + " ".join(FILE_NAMES), MUTED)
    lines = [files]
    ranks = state_to_text(rules, game).split()[0].split("/")
    for number, rank in zip(range(RANKS, 0, -1), ranks, strict=True):
        symbols = "".join("." * int(symbol) if symbol.isdigit() else symbol for symbol in rank)
        name = paint(str(number), MUTED)
        lines.append(f" {name} {' '.join(_stack(symbol, paint) for symbol in symbols)} {name}")
    turn = paint(SIDE_NAMES[side], COLOURS[side], bold=True)
    lines += [files, "", f"{turn} to act, seat {int(game.seat)}, ply {int(game.ply)}"]
    return "\n".join([*lines, paint(_LEGEND, MUTED)])


def _stack(symbol: str, paint: Paint) -> str:
    for side, symbols in enumerate(STACKS):
        if symbol in symbols:
            return paint(symbol, COLOURS[side], bold=symbol != symbols[0])
    return paint(symbol, MUTED)
