"""Players with a clock by spec string, such as `"ms2"` or `"negascout:depth=5,table=16"`."""

import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from agents import spec as specs
from agents.clock.player import Clock, ClockedPlayer
from agents.clock.policy import Policy, Static
from agents.games.murus_gallicus.evaluation import Defence
from agents.games.murus_gallicus.time_policy import Dynamic, Limits
from agents.opening_book import storage
from agents.opening_book.book import Book
from agents.players import depth_first as batched
from agents.players.depth_first import DepthFirstPlayer
from jaxgames.env import Env
from jaxgames.messages import unknown
from jaxgames.search.agent import Params

TABLE_BITS = 16  # one game at a time has room for a larger table
PanicEval = Literal["no_pst", "same"]


def scaled_clock(scale: float, clock: Clock = time.perf_counter) -> Clock:
    """Returns a clock on which `scale` real seconds are one; 0.01 makes 120 seconds out of 1.2.

    Raises:
        ValueError: if the scale is not positive.
    """
    if not scale > 0:
        raise ValueError(f"scale must be more than 0, got {scale}")
    return lambda: clock() / scale


def make(spec: str, env: Env[Any], clock: Clock, seed: int = 0) -> ClockedPlayer:
    """Returns the player that a spec string describes.

    `seed` decides between equal moves, and between those of the book.

    Raises:
        ValueError: for an unknown player or field, or one that cannot play this game.
    """
    parsed = specs.parse(spec)
    if parsed.name not in _FACTORIES:
        raise ValueError(unknown("player with a clock", parsed.name, _FACTORIES))
    factory = _FACTORIES[parsed.name]
    made = factory(env, **specs.arguments(parsed, factory))
    return ClockedPlayer(
        name=spec.strip(),
        search=made.player.search,
        params=made.params,
        policy=made.policy,
        clock=clock,
        latch=made.player.latch,
        panic=Defence() if made.panic_eval == "no_pst" else None,
        book=made.book,
        book_moves=made.book_moves,
        seed=seed,
    )


class _Made(NamedTuple):
    """What a factory returns: the player for batches, and what a clock adds."""

    player: DepthFirstPlayer
    params: Params
    policy: Policy
    panic_eval: PanicEval = "same"
    book: Book | None = None
    book_moves: int = batched.BOOK_MOVES


def _alpha_beta(env: Env[Any], *, depth: int = 5, table: int | None = None) -> _Made:
    return _Made(*batched.make_alpha_beta(env, depth=depth, table=table), Static(depth))


def _negascout(env: Env[Any], *, depth: int = 5, table: int | None = None) -> _Made:
    return _Made(*batched.make_negascout(env, depth=depth, table=table), Static(depth))


def _ms1(env: Env[Any], *, depth: int = batched.COURSE_DEPTH) -> _Made:
    return _Made(*batched.make_ms1(env, depth=depth), Static(depth))


def _ms2(
    env: Env[Any],
    *,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
    panic_eval: PanicEval = "no_pst",
    limits: str | tuple[str, ...] | None = None,
) -> _Made:
    policy = Dynamic(_limits(limits))
    player, params = batched.make_ms2(env, depth=policy.max_depth, table=table, pst_latch=pst_latch)
    return _Made(player, params, policy, panic_eval)


def _ms3(
    env: Env[Any],
    *,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
    panic_eval: PanicEval = "no_pst",
    limits: str | tuple[str, ...] | None = None,
    weights: Literal["ms3", "evolved"] = "ms3",
    book: str | None = None,
    book_moves: int = batched.BOOK_MOVES,
) -> _Made:
    batched.check_book(book, book_moves)
    policy = Dynamic(_limits(limits))
    player, params = batched.make_ms3(
        env, depth=policy.max_depth, table=table, pst_latch=pst_latch, weights=weights
    )
    assert isinstance(player, DepthFirstPlayer)  # the book is looked up here, before any search
    opened = None if book is None else storage.load(book, env)[0]
    return _Made(player, params, policy, panic_eval, opened, book_moves)


def _limits(texts: str | tuple[str, ...] | None) -> Limits:
    """Returns limits from their numbers in order."""
    if texts is None:
        return Limits()
    numbers = (texts,) if isinstance(texts, str) else texts
    names = ", ".join(Limits._fields)
    if len(numbers) != len(Limits._fields):
        raise ValueError(f"limits are {len(Limits._fields)} numbers ({names}), got {len(numbers)}")
    try:
        return Limits(*(float(number) for number in numbers))
    except ValueError:
        raise ValueError(f"limits are numbers ({names}), got {','.join(numbers)}") from None


_FACTORIES: dict[str, Callable[..., _Made]] = {
    "alpha_beta": _alpha_beta,
    "ms1": _ms1,
    "ms2": _ms2,
    "ms3": _ms3,
    "negascout": _negascout,
}
