"""The players `ms1`, `ms2` and `ms3` with the clock and the time management of their paper."""

from typing import Any, Literal

from agents.clock.dynamic_policy import Dynamic, Limits
from agents.clock.player import PlayerForClock
from agents.clock.policy import Static
from jaxgames.env import Env
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.murus_gallicus import players
from jaxgames.players.murus_gallicus.evaluation import Defence
from jaxgames.players.opening_book import storage

TABLE_BITS = 16  # one game at a time has room for a larger table
PanicEval = Literal["no_pst", "same"]


def make_ms1(env: Env[Any], *, depth: int = players.USUAL_DEPTH) -> PlayerForClock:
    """Returns the player of the first milestone with a clock.

    Raises:
        ValueError: for another game, or a setting out of range.
    """
    return PlayerForClock(*players.make_ms1(env, depth=depth), Static(depth))


def make_ms2(
    env: Env[Any],
    *,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
    panic_eval: PanicEval = "no_pst",
    limits: str | tuple[str, ...] | None = None,
) -> PlayerForClock:
    """Returns the player of the second milestone with a clock.

    Raises:
        ValueError: for another game, or a setting out of range.
    """
    policy = Dynamic(_limits(limits))
    player, params = players.make_ms2(env, depth=policy.max_depth, table=table, pst_latch=pst_latch)
    return PlayerForClock(player, params, policy, _panic(panic_eval))


def make_ms3(
    env: Env[Any],
    *,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
    panic_eval: PanicEval = "no_pst",
    limits: str | tuple[str, ...] | None = None,
    weights: Literal["ms3", "evolved"] = "ms3",
    book: str | None = None,
    book_moves: int = players.BOOK_MOVES,
) -> PlayerForClock:
    """Returns the player of the third milestone with a clock.

    Raises:
        ValueError: for another game, or a setting out of range.
    """
    players.check_book(book, book_moves)
    policy = Dynamic(_limits(limits))
    player, params = players.make_ms3(
        env, depth=policy.max_depth, table=table, pst_latch=pst_latch, weights=weights
    )
    assert isinstance(player, DepthFirstPlayer)  # the book is looked up here, before any search
    opened = None if book is None else storage.load(book, env)[0]
    return PlayerForClock(player, params, policy, _panic(panic_eval), opened, book_moves)


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


def _panic(panic_eval: PanicEval) -> Defence | None:
    """Returns the change of the evaluation while hardly any time is left."""
    return Defence() if panic_eval == "no_pst" else None
