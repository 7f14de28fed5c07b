"""Seats and results of a game in words, beside its pictures."""

import importlib
from typing import Any

import numpy as np

from jaxgames.env import Env
from jaxgames.pictures import svg
from jaxgames.state import State


def seat_looks(env: Env[Any], state: State[Any], theme: str) -> list[svg.SeatLook]:
    """Returns name and colour of each seat."""
    renderer = _renderer(env)
    if hasattr(renderer, "seat_looks"):
        looks: list[svg.SeatLook] = renderer.seat_looks(env.rules, state.game, theme)
        return looks
    colours = svg.get_theme(theme).seats
    return [
        svg.SeatLook(f"Seat {seat}", colours[seat % len(colours)])
        for seat in range(env.num_players)
    ]


def result(env: Env[Any], state: State[Any], names: list[str]) -> str | None:
    """Returns how a game has ended, in words; None while it goes on."""
    if not (state.terminated or state.truncated):
        return None
    returns = np.asarray(env.rules.returns(state.game))
    if state.truncated:
        return "the game was cut off"
    winners = [name for name, value in zip(names, returns, strict=True) if value == returns.max()]
    if len(winners) == len(names):
        return "a draw"
    return f"{' and '.join(winners)} {'win' if len(winners) > 1 else 'wins'}"


def _renderer(env: Env[Any]) -> Any:
    if env.renderer is None:
        raise ValueError(f"{env.id} has no rendering registered")
    return importlib.import_module(env.renderer)
