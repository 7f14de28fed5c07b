"""Players with a clock by spec string, such as `"ms2"`, `"negascout:depth=5"` or `"best"`."""

import time
from collections.abc import Callable
from typing import Any

from agents.clock.agent import ClockedAgent
from agents.clock.human import ClockedHuman
from agents.clock.player import ClockedPlayer, PlayerForClock, TimedPlayer
from agents.clock.policy import Static
from agents.terminal.human import make_human
from jaxgames.env import Env
from jaxgames.internal import imports
from jaxgames.internal.checks import MOST
from jaxgames.internal.messages import unknown
from jaxgames.players import depth_first, registry, spec
from jaxgames.players.real_time import RealTime
from jaxgames.players.search_limits import limit_of
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


def make(text: str, env: Env[Any], clock: Clock, seed: int = 0, scale: float = 1.0) -> TimedPlayer:
    """Returns the player that a spec string describes; `human` is a person at the terminal.

    The players below have a clock of their own, unless `seconds` or `nodes` are given. All other
    agents play as in the registry; a search gets a share of the time left.

    Args:
        text: the spec.
        env: the game.
        clock: the clock of the game.
        seed: decides the chance of a search, between equal moves, and between moves of the book.
        scale: real seconds of a second of the clock.

    Raises:
        ValueError: for an unknown player or field, or a player that cannot play this game.
    """
    parsed = spec.parse(text)
    if parsed.name == HUMAN:
        name = spec.arguments(parsed, make_human).get("name", text.strip())
        return ClockedHuman(env, name)
    known = tuple(dict.fromkeys((*_FACTORIES, *registry.available())))
    if parsed.name not in known:
        raise ValueError(unknown("player with a clock", parsed.name, known))
    limits = registry.without_limits(parsed)[1]
    if parsed.name not in _FACTORIES or limits.keys() & {"seconds", "nodes"}:
        player = registry.limited(text, env, float(MOST))._replace(name=text.strip())
        own = player.agent.limit if isinstance(player.agent, RealTime) else limit_of(limits)
        return ClockedAgent(env, player, own, clock, scale, seed)
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
