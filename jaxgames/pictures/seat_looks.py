"""The name and the colour of each seat, as the pictures of its game show them."""

import importlib
from typing import Any

from jaxgames.pictures import svg
from jaxgames.pictures.host_face import HostFace
from jaxgames.state import State


def seat_looks(env: HostFace[Any], state: State[Any], theme: str) -> list[svg.SeatLook]:
    """Returns the looks of all seats in a position; `theme` is `"light"` or `"dark"`.

    Raises:
        ValueError: if the game has no pictures.
    """
    if env.renderer is None:
        raise ValueError(f"{env.id} has no rendering registered")
    return looks_of(importlib.import_module(env.renderer), env.rules, state.game, theme)


def looks_of(module: Any, rules: Any, game: Any, theme: str) -> list[svg.SeatLook]:
    """Returns the looks of all seats, given the renderer module, which need not have any."""
    if hasattr(module, "seat_looks"):
        looks: list[svg.SeatLook] = module.seat_looks(rules, game, theme)
        return looks
    colours = svg.get_theme(theme).seats
    return [
        svg.SeatLook(f"Seat {seat}", colours[seat % len(colours)])
        for seat in range(rules.num_players)
    ]
