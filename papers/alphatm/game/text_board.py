"""The table of AlphaTM in a terminal: that of the full game, whose positions it has."""

from jaxgames.pictures.ansi import Paint
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.text import text_board
from papers.alphatm.game.rules import AlphaTM


def draw(rules: AlphaTM, game: TerraMysticaState, paint: Paint, seat: int | None = None) -> str:
    """Returns the table, as `jaxgames.terra_mystica.text.text_board.draw` does."""
    return text_board.draw(rules.full, game, paint, seat)
