"""Players with a clock by spec string, such as `"ms2"` or `"negascout:depth=5,table=16"`."""

import time
from collections.abc import Callable
from typing import Any

from agents.clock.human import ClockedHuman
from agents.clock.player import ClockedPlayer, PlayerForClock, TimedPlayer
from agents.clock.policy import Static
from agents.terminal.human import make_human
from jaxgames.env import Env
from jaxgames.internal import imports
from jaxgames.internal.messages import unknown
from jaxgames.players import depth_first, spec
from jaxgames.search.real_time.pieces import Clock, Limit

HUMAN = "human"


def scaled_clock(scale: float, clock: Clock = time.perf_counter) -> Clock:
    """Returns a clock on which `scale` real seconds are one; with 0.01, 1.2 seconds are 120.

    Raises:
        ValueError: if the scale is not positive.
    """
    if not scale > 0:
        raise ValueError(f"scale must be more than 0, got {scale}")
    return lambda: clock() / scale


def make(text: str, env: Env[Any], clock: Clock, seed: int = 0) -> TimedPlayer:
    """Returns the player that a spec string describes; `human` is a person at the terminal.

    `seed` decides between equal moves, and between moves of the book.

    Raises:
        ValueError: for an unknown player or field, or a player that cannot play this game.
    """
    parsed = spec.parse(text)
    if parsed.name == HUMAN:
        name = spec.arguments(parsed, make_human).get("name", text.strip())
        return ClockedHuman(env, name)
    if parsed.name not in _FACTORIES:
        raise ValueError(unknown("player with a clock", parsed.name, (*_FACTORIES, HUMAN)))
    factory = _FACTORIES[parsed.name]
    if isinstance(factory, str):
        factory = imports.load(factory)
    fields = dict(parsed.fields)
    of_limit = parsed._replace(fields={"ponder": fields.pop("ponder", "false")})
    made = spec.call(factory, env, spec.arguments(parsed._replace(fields=fields), factory))
    return ClockedPlayer(
        name=text.strip(),
        search=made.player.search,
        params=made.params,
        policy=made.policy,
        clock=clock,
        latch=made.player.latch,
        panic=made.panic,
        book=made.book,
        book_moves=made.book_moves,
        seed=seed,
        **spec.arguments(of_limit, Limit),
    )


def _with_fixed_depth(make: Callable[..., Any]) -> Callable[..., PlayerForClock]:
    def factory(
        env: Env[Any], *, depth: int = 5, table: int | None = None, network: str | None = None
    ) -> PlayerForClock:
        player, params = make(env, depth=depth, table=table, network=network)
        return PlayerForClock(player, params, Static(depth))

    return factory


# Each path leads to a factory `factory(env, *, fields...) -> PlayerForClock`; see `spec.py`.
_FACTORIES: dict[str, Callable[..., PlayerForClock] | str] = {
    "alpha_beta": _with_fixed_depth(depth_first.make_alpha_beta),
    "negascout": _with_fixed_depth(depth_first.make_negascout),
    "ms1": "agents.clock.murus_gallicus:make_ms1",
    "ms2": "agents.clock.murus_gallicus:make_ms2",
    "ms3": "agents.clock.murus_gallicus:make_ms3",
}


def register(name: str, factory: str) -> None:
    """Adds a player with a clock of another package.

    Raises:
        ValueError: if the name is taken, or `factory` is no import path.
    """
    if name in _FACTORIES:
        raise ValueError(f"player with a clock {name!r} is already registered")
    imports.check(factory, "package.module:function")
    _FACTORIES[name] = factory
