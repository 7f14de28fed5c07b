"""The players `ms1`, `ms2` and `ms3` of the three milestones of the Murus Gallicus paper.

Source: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020).
Here they search to a fixed depth; `agents.clock` gives them a clock.
"""

from typing import Any, Literal

from jaxgames.env import Env
from jaxgames.internal import checks
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.players.depth_first import DepthFirstPlayer
from jaxgames.players.murus_gallicus.evaluation import Defence, Linear, parameters
from jaxgames.players.opening_book import storage
from jaxgames.players.opening_book.player import BookParams, BookThen
from jaxgames.search.agent import Params
from jaxgames.search.depth_first.search import DepthFirst

USUAL_DEPTH = 5  # of the first milestone, and the default of the others
BOOK_MOVES = 3  # first own moves that come from a book
TABLE_BITS = 14  # usual size of a table: 16,384 entries, 192 KiB a game


def make_ms1(env: Env[Any], *, depth: int = USUAL_DEPTH) -> tuple[DepthFirstPlayer, Params]:
    """Returns the player of the first milestone: alpha-beta, and one table for all material.

    Raises:
        ValueError: for another game or a bad depth.
    """
    score = linear_score("ms1", env)
    return DepthFirstPlayer(DepthFirst(env.rules, score, depth, "alpha_beta")), parameters(
        "ms1", "ms1"
    )


def make_ms2(
    env: Env[Any],
    *,
    depth: int = USUAL_DEPTH,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
) -> tuple[DepthFirstPlayer, Params]:
    """Returns the player of the second milestone: NegaScout with a table, and all features.

    With `pst_latch` the piece-square tables are switched off for good once the defence stands.

    Raises:
        ValueError: for another game or a bad number.
    """
    score = linear_score("ms2", env)
    search = DepthFirst(env.rules, score, depth, "pvs", table)
    return DepthFirstPlayer(search, Defence() if pst_latch else None), parameters("ms2")


def make_ms3(
    env: Env[Any],
    *,
    depth: int = USUAL_DEPTH,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
    weights: Literal["ms3", "evolved"] = "ms3",
    book: str | None = None,
    book_moves: int = BOOK_MOVES,
) -> tuple[DepthFirstPlayer | BookThen, Params]:
    """Returns the player of the third milestone: weights that evolved, and an opening book.

    Args:
        env: the game.
        depth: plies looked ahead.
        table: the size of the transposition table in bits; None: no table.
        pst_latch: whether the piece-square tables are switched off once the defence stands.
        weights: `ms3`, the paper's final weights, or `evolved`, those of its first evolution.
        book: the file of the book; None: play without one.
        book_moves: own moves of a game that may come from the book.

    Raises:
        ValueError: for another game, a bad number, or a book that does not fit.
    """
    check_book(book, book_moves)
    score = linear_score("ms3", env)
    search = DepthFirst(env.rules, score, depth, "pvs", table)
    player = DepthFirstPlayer(search, Defence() if pst_latch else None)
    params = parameters(weights)
    if book is None:
        return player, params
    opened, _ = storage.load(book, env)
    return BookThen(env.rules, player, book_moves), BookParams(opened, params)


def check_book(book: str | None, book_moves: int) -> None:
    """Checks the number of moves from a book; without a book it must keep its default.

    Raises:
        ValueError: for a number below 1, or for a changed number without a book.
    """
    checks.count("book_moves", book_moves)
    if book is None and book_moves != BOOK_MOVES:
        raise ValueError(f"book_moves counts moves of a book: give book=FILE too, got {book_moves}")


def linear_score(name: str, env: Env[Any]) -> Linear:
    """Returns the score of the three players.

    Raises:
        ValueError: if the game is not Murus Gallicus.
    """
    if not isinstance(env.rules, MurusGallicus):
        raise ValueError(f"{name} plays murus_gallicus only, not {env.id}")
    return Linear(env.rules)
