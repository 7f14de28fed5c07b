"""Pictures of AlphaTM: those of the full game, whose positions it has."""

from collections.abc import Sequence

from jaxgames.pictures import svg
from jaxgames.pictures.click_paths import ClickPath
from jaxgames.terra_mystica import render as full_render
from jaxgames.terra_mystica.render import clicks
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.terrain import LAND_NAMES
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES
from papers.alphatm.game import notation, outputs
from papers.alphatm.game.rules import AlphaTM


def render(
    rules: AlphaTM,
    game: TerraMysticaState,
    previous: TerraMysticaState | None = None,
    theme: str = "light",
) -> svg.Picture:
    """Returns a drawing of a position, as `jaxgames.terra_mystica.render.render` does.

    Raises:
        ValueError: for a batch of games or an unknown theme.
    """
    return full_render.render(rules.full, game, previous, theme)


def animate(
    rules: AlphaTM,
    games: Sequence[TerraMysticaState],
    seconds_per_move: float = 1.0,
    theme: str = "light",
) -> svg.Picture:
    """Returns an animation of a game, as `jaxgames.terra_mystica.render.animate` does.

    Raises:
        ValueError: for no or a batched position, a time that is not positive or an unknown theme.
    """
    return full_render.animate(rules.full, games, seconds_per_move, theme)


def click_paths(rules: AlphaTM, game: TerraMysticaState) -> list[ClickPath]:
    """Returns the clicks for each legal output: those of the action that it begins with."""
    return [
        path for output in notation.playable_moves(rules, game) for path in _paths_of(game, output)
    ]


def _paths_of(game: TerraMysticaState, output: int) -> list[ClickPath]:
    if outputs.PLANE_OF[output] >= 0:
        return [ClickPath(output, (f"hex:{LAND_NAMES[outputs.LAND_OF[output]]}",))]
    if output == outputs.CARD_SPECIAL:
        card = int(game.players.card[int(game.seat)])
        return [ClickPath(output, (f"own:{CARD_NAMES[card - 1]}",))]
    paths = clicks.paths_of(int(outputs.FIRST_ACTIONS[output]))
    return [path._replace(action=output) for path in paths]


def seat_looks(rules: AlphaTM, game: TerraMysticaState, theme: str = "light") -> list[svg.SeatLook]:
    """Returns name and colour of each seat, as `jaxgames.terra_mystica.render` does."""
    return full_render.seat_looks(rules.full, game, theme)
