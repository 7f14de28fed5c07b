"""Players with a clock by spec string, such as `"ms2"` or `"negascout:depth=5,table=16"`."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from agents import spec
from agents.clock.human import ClockedHuman
from agents.clock.player import Clock, ClockedPlayer, TimedPlayer
from agents.clock.policy import Policy, Static
from agents.games.registry import with_players_of_games
from agents.opening_book.book import Book
from agents.players import depth_first
from agents.players.depth_first import DepthFirstPlayer
from agents.players.human import make_human
from jaxgames import imports
from jaxgames.env import Env
from jaxgames.messages import unknown
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.latch import Latch

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
    factories = _factories()
    if parsed.name == HUMAN:
        name = spec.arguments(parsed, make_human).get("name", text.strip())
        return ClockedHuman(env, name)
    if parsed.name not in factories:
        raise ValueError(unknown("player with a clock", parsed.name, (*factories, HUMAN)))
    factory = factories[parsed.name]
    if isinstance(factory, str):
        factory = imports.load(factory)
    made = factory(env, **spec.arguments(parsed, factory))
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
    )


class PlayerForClock(NamedTuple):
    """A player for batches, and the settings that a clock adds: the result of every factory."""

    player: DepthFirstPlayer
    params: Params
    policy: Policy
    panic: Latch | None = None
    """Changes the evaluation while hardly any time is left."""
    book: Book | None = None
    book_moves: int = 0


def _alpha_beta(
    env: Env[Any], *, depth: int = 5, table: int | None = None, network: str | None = None
) -> PlayerForClock:
    player, params = depth_first.make_alpha_beta(env, depth=depth, table=table, network=network)
    return PlayerForClock(player, params, Static(depth))


def _negascout(
    env: Env[Any], *, depth: int = 5, table: int | None = None, network: str | None = None
) -> PlayerForClock:
    player, params = depth_first.make_negascout(env, depth=depth, table=table, network=network)
    return PlayerForClock(player, params, Static(depth))


_FACTORIES: dict[str, Callable[..., PlayerForClock]] = {
    "alpha_beta": _alpha_beta,
    "negascout": _negascout,
}


def _factories() -> dict[str, Callable[..., PlayerForClock] | str]:
    """Returns the factories of all players by name: for every game, and for single games."""
    return with_players_of_games(_FACTORIES, "clock_players")
