"""Depth-first searches as agents: under their usual names, and as players of the course.

`ms1`, `ms2` and `ms3` are what Wilson, Savinov and Kadavanich, "Developing a game AI for Murus
Gallicus" (TU Berlin, 2020) played at their three milestones, here with a fixed depth. With a clock
they play in `agents.clock`.
"""

import dataclasses
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PRNGKeyArray

from agents.games.murus_gallicus.evaluation import Defence, Linear, parameters
from agents.games.tactics import tactics_of
from agents.opening_book import storage
from agents.opening_book.player import BookParams, BookThen
from jaxgames.env import Env
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.search import checks
from jaxgames.search.agent import Decision, GameStates, Params
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.depth_first.settings import Pruning
from jaxgames.search.evaluators.integer_score import MAX_SCORE, IntegerScore, integer_score_of
from jaxgames.search.evaluators.latch import Latch

COURSE_DEPTH = 5  # of the first milestone, and the usual one of the others
BOOK_MOVES = 3  # first own moves that come from a book
TABLE_BITS = 14  # usual size of a table: 16,384 entries, 192 KiB a game


@dataclasses.dataclass(frozen=True)
class DepthFirstPlayer:
    """Plays the move that a depth-first search finds; its parameters are those of one player."""

    search: DepthFirst
    latch: Latch | None = None

    def reset(self, batch_size: int) -> Bool[Array, "B"] | tuple[()]:
        """Returns the memory: in which games the latch is thrown."""
        return () if self.latch is None else jnp.zeros(batch_size, bool)

    def watch(self, memory: Any, state: GameStates) -> Any:
        """Returns the memory with the latch thrown where the positions ask for it."""
        return memory if self.latch is None else memory | jax.vmap(self.latch.is_due)(state)

    def act(
        self, params: Params, memory: Any, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Any]:
        """Returns the best move found; chance decides between those equally good at depth 1."""
        batch_size = jax.tree.leaves(state)[0].shape[0]
        memory = self.watch(memory, state)
        lanes = per_lane(params, self.latch, memory, batch_size)
        # A table is as large as a whole search's work, so it is not kept from move to move.
        found = self.search.search(lanes, state, key)
        rules = self.search.rules
        # Scores have a unit of their own, so only the certain results are given as values.
        value = jnp.sign(found.value) * (jnp.abs(found.value) > MAX_SCORE)
        to_move = jax.vmap(rules.to_move)(state)
        values = jnp.where(jnp.arange(2) == to_move[:, None], value[:, None], -value[:, None])
        policy = jax.nn.one_hot(found.action, rules.num_actions)
        action = jnp.maximum(found.action, 0)
        return Decision(action, policy, values.astype(jnp.float32)), memory


def per_lane(params: Params, latch: Latch | None, is_thrown: Any, batch_size: int) -> Params:
    """Returns one player's parameters for each game, changed where the latch is thrown."""
    if latch is not None:
        thrown = latch.thrown(params)
        return jax.vmap(
            lambda thrown_here: jax.tree.map(
                lambda new, old: jnp.where(thrown_here, new, old), thrown, params
            )
        )(is_thrown)
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (batch_size, *jnp.shape(x))), params)


def make_negamax(env: Env[Any], *, depth: int = 3) -> tuple[DepthFirstPlayer, Params]:
    """Returns NegaMax, which visits every position: for comparison.

    Raises:
        ValueError: if the game has no score or is not a two-player game of full information.
    """
    return _player(env, depth, "none")


def make_alpha_beta(
    env: Env[Any], *, depth: int = 3, table: int | None = None, quiescence: int = 0
) -> tuple[DepthFirstPlayer, Params]:
    """Returns NegaMax with alpha-beta pruning.

    Raises:
        ValueError: if the game has no score or is not a two-player game of full information.
    """
    return _player(env, depth, "alpha_beta", table, quiescence)


def make_negascout(
    env: Env[Any], *, depth: int = 3, table: int | None = None, quiescence: int = 0
) -> tuple[DepthFirstPlayer, Params]:
    """Returns NegaScout (principal variation search).

    Raises:
        ValueError: if the game has no score or is not a two-player game of full information.
    """
    return _player(env, depth, "pvs", table, quiescence)


def make_ms1(env: Env[Any], *, depth: int = COURSE_DEPTH) -> tuple[DepthFirstPlayer, Params]:
    """Returns the player of the first milestone: alpha-beta, and one table for all material.

    Raises:
        ValueError: for another game or a bad depth.
    """
    score = course_score("ms1", env)
    return DepthFirstPlayer(DepthFirst(env.rules, score, depth, "alpha_beta")), parameters(
        "ms1", "ms1"
    )


def make_ms2(
    env: Env[Any],
    *,
    depth: int = COURSE_DEPTH,
    table: int | None = TABLE_BITS,
    pst_latch: bool = True,
) -> tuple[DepthFirstPlayer, Params]:
    """Returns the player of the second milestone: NegaScout with a table, and all features.

    With `pst_latch` the piece-square tables are switched off for good once the defence stands.

    Raises:
        ValueError: for another game or a bad number.
    """
    score = course_score("ms2", env)
    search = DepthFirst(env.rules, score, depth, "pvs", table)
    return DepthFirstPlayer(search, Defence() if pst_latch else None), parameters("ms2")


def make_ms3(
    env: Env[Any],
    *,
    depth: int = COURSE_DEPTH,
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
        table: its size in bits; None: no table.
        pst_latch: whether the piece-square tables are switched off once the defence stands.
        weights: the paper's final ones, or those of the first evolution.
        book: the file of the book; None: play without one.
        book_moves: own moves of a game that may come from the book.

    Raises:
        ValueError: for another game, a bad number, or a book that does not fit.
    """
    check_book(book, book_moves)
    score = course_score("ms3", env)
    search = DepthFirst(env.rules, score, depth, "pvs", table)
    player = DepthFirstPlayer(search, Defence() if pst_latch else None)
    params = parameters(weights)
    if book is None:
        return player, params
    opened, _ = storage.load(book, env)
    return BookThen(env.rules, player, book_moves), BookParams(opened, params)


def check_book(book: str | None, book_moves: int) -> None:
    """Checks the number of moves from a book, and that it is left alone where there is no book.

    Raises:
        ValueError: for a bad number, or one without effect.
    """
    checks.count("book_moves", book_moves)
    if book is None and book_moves != BOOK_MOVES:
        raise ValueError(f"book_moves counts moves of a book: give book=FILE too, got {book_moves}")


def course_score(name: str, env: Env[Any]) -> Linear:
    """Returns the score of the course's players.

    Raises:
        ValueError: if the game is not theirs.
    """
    if not isinstance(env.rules, MurusGallicus):
        raise ValueError(f"{name} plays murus_gallicus only, not {env.id}")
    return Linear(env.rules)


def _player(
    env: Env[Any],
    depth: int,
    pruning: Pruning,
    table: int | None = None,
    quiescence: int = 0,
) -> tuple[DepthFirstPlayer, Params]:
    score: IntegerScore
    score, params = integer_score_of(env)
    tactics = None if pruning == "none" else tactics_of(env)
    search = DepthFirst(env.rules, score, depth, pruning, table, quiescence, tactics)
    return DepthFirstPlayer(search), params
