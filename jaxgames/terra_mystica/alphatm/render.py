"""Pictures of AlphaTM: those of the full game, whose positions it has."""

from collections.abc import Sequence

from jaxgames import svg
from jaxgames.terra_mystica import render as full_render
from jaxgames.terra_mystica.alphatm.rules import AlphaTM
from jaxgames.terra_mystica.state import TerraMysticaState


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
