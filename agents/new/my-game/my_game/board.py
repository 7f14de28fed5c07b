"""The board of My Game, from which the default picture and the clicks are made.

For a drawing of your own, write `render(rules, game)` here in place of `squares`.
"""

from jaxgames.boards.squares import Board, Piece
from jaxgames.pictures import svg
from my_game.rules import FIRST, MyGameRules, MyGameState


def squares(rules: MyGameRules, game: MyGameState) -> Board:
    """Returns the stone on each square, the nearest rank first."""
    del rules
    return [
        [Piece(stone - FIRST) if stone >= FIRST else None for stone in rank]
        for rank in game.stones.tolist()
    ]


def seat_looks(rules: MyGameRules, game: MyGameState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat."""
    del rules, game
    return list(map(svg.SeatLook, ("Red", "Blue"), svg.get_theme(theme).seats))
