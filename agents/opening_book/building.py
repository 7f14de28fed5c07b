"""Building a book: all likely positions of one ply are searched by UCT, then those of the next.

A seat that plays from the book makes the moves that the book offers, and meets any likely move of
the others. So each position has a chance for each seat: the product of the shares of the moves that
lead to it, its own among the offered moves and those of others among the most visited ones. The
positions of a ply that are followed are those of greatest chance, for the seat for which it is
greatest. A seat that has made all the moves that the book covers has no chance any more.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, PRNGKeyArray, UInt32

from configs.opening_book import BookConfig
from jaxgames import Env, Rules
from jaxgames.players.opening_book import book as books
from jaxgames.players.opening_book.book import NO_MOVE, Book
from jaxgames.search.agent import Decision, GameStates
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.uniform import Shuffled
from jaxgames.search.tree import packing
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct

Report = Callable[[int, int], None]
"""Gets the ply and the positions that were just searched there."""


class Frontier(NamedTuple):
    """Positions of one ply, on the host."""

    states: GameStates
    chances: Float[np.ndarray, "n players"]  # that a seat with the book comes here
    played: Int[np.ndarray, "n players"]  # moves that each seat has made


class Entries(NamedTuple):
    """Positions of a book, in any order; the arrays of `Book`."""

    words: np.ndarray
    actions: np.ndarray
    shares: np.ndarray
    values: np.ndarray


def build(env: Env[Any], config: BookConfig, report: Report | None = None) -> Book:
    """Returns the book that a configuration describes.

    Raises:
        ValueError: for a game with chance after the set-up, or with hidden information.
    """
    rules = env.rules
    if rules.stochastic or not rules.perfect_information:
        raise ValueError(
            f"an opening book needs a game without chance and hidden information, not {env.id}"
        )
    judge = Shuffled(rules, Rollout(rules, config.rollouts))
    search = TreeSearch(rules, judge, Uct(config.c), config.simulations)
    start_key, search_key = jax.random.split(jax.random.key(config.seed))
    frontier = _starts(env, start_key, config)
    found: list[Entries] = []
    known: set[bytes] = set()
    while len(frontier.chances):
        ply = len(found)
        decision = _search(search, frontier.states, jax.random.fold_in(search_key, ply), config)
        words = np.asarray(packing.pack(frontier.states))
        known.update(row.tobytes() for row in words)
        found.append(_entries(words, decision, config))
        if report is not None:
            report(ply, len(words))
        frontier = _after(env, frontier, decision, known, config)
    return books.make(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _starts(env: Env[Any], key: PRNGKeyArray, config: BookConfig) -> Frontier:
    states = jax.vmap(env.rules.init)(jax.random.split(key, config.starts))
    shape = config.starts, env.num_players
    frontier = Frontier(jax.device_get(states), np.ones(shape), np.zeros(shape, int))
    return _followed(env, frontier, set(), config)


def _search(
    search: TreeSearch, states: GameStates, key: PRNGKeyArray, config: BookConfig
) -> Decision:
    """Returns the decisions in all positions, found for `lanes` of them at once."""
    count, parts = len(jax.tree.leaves(states)[0]), []
    for first in range(0, count, config.lanes):
        # The last positions are filled up with copies, so that one shape is compiled.
        rows = np.minimum(np.arange(first, first + config.lanes), count - 1)
        part = jax.tree.map(lambda x, rows=rows: x[rows], states)
        decision = jax.device_get(_decide(search, part, jax.random.fold_in(key, first)))
        parts.append(jax.tree.map(lambda x, left=count - first: x[:left], decision))
    return jax.tree.map(lambda *x: np.concatenate(x), *parts)


@functools.partial(jax.jit, static_argnums=0)
def _decide(search: TreeSearch, states: GameStates, key: PRNGKeyArray) -> Decision:
    return search.act((), (), states, key)[0]


def _entries(
    words: UInt32[np.ndarray, "n words"], decision: Decision, config: BookConfig
) -> Entries:
    actions, shares = _best(np.asarray(decision.policy), config.choices)
    offered = _offered(shares, config)
    return Entries(
        words,
        np.where(offered > 0, actions, NO_MOVE).astype(np.int32),
        offered.astype(np.float32),
        np.asarray(decision.values, np.float32),
    )


def _offered(
    shares: Float[np.ndarray, "n most"], config: BookConfig
) -> Float[np.ndarray, "n most"]:
    """Returns the shares among the moves that the book offers; 0 for other moves."""
    is_offered = shares >= config.least_share * shares[:, :1]
    is_offered &= np.arange(shares.shape[1]) < config.choices
    offered = np.where(is_offered, shares, 0.0)
    return offered / offered.sum(axis=1, keepdims=True)


def _after(
    env: Env[Any], frontier: Frontier, decision: Decision, known: set[bytes], config: BookConfig
) -> Frontier:
    """Returns the positions after the likely moves that are to be searched next."""
    actions, shares = _best(np.asarray(decision.policy), config.replies)
    row, column = np.nonzero(shares > 0)
    parents = jax.tree.map(lambda x: x[row], frontier.states)
    states, seat, is_complete = jax.device_get(_play(env.rules, parents, actions[row, column]))
    played = frontier.played[row]
    played[np.arange(len(row)), seat] += is_complete
    own = _offered(shares, config)[row, column]
    others = (shares / shares.sum(axis=1, keepdims=True))[row, column]
    acts = np.arange(env.num_players) == seat[:, None]
    chances = frontier.chances[row] * np.where(acts, own[:, None], others[:, None])
    return _followed(env, Frontier(states, chances, played), known, config)


@functools.partial(jax.jit, static_argnums=0)
def _play(
    rules: Rules[Any], states: GameStates, actions: Int32[Array, "n"]
) -> tuple[GameStates, Int32[Array, "n"], Bool[Array, "n"]]:
    """Returns the states after the actions, who acted, and whether that completed its move."""
    return (
        jax.vmap(lambda s, a: rules.step(s, a, None))(states, actions),
        jax.vmap(rules.to_move)(states),
        jax.vmap(rules.completes_action)(states, actions),
    )


def _followed(env: Env[Any], frontier: Frontier, known: set[bytes], config: BookConfig) -> Frontier:
    """Returns the positions of greatest chance that are new and go on, each once."""
    words = np.asarray(packing.pack(frontier.states))
    unique, first, number = np.unique(words, axis=0, return_index=True, return_inverse=True)
    chances = np.zeros((len(unique), env.num_players))
    np.add.at(chances, number.reshape(-1), frontier.chances)
    states = jax.tree.map(lambda x: x[first], frontier.states)
    played = frontier.played[first]
    chances = np.where(played < config.moves, chances, 0.0)
    greatest = chances.max(axis=1)
    is_new = np.array([row.tobytes() not in known for row in unique], bool)
    belongs = is_new & (greatest > 0) & ~np.asarray(_are_over(env.rules, states))
    rows = np.flatnonzero(belongs)
    rows = rows[np.argsort(-greatest[rows], kind="stable")][: config.positions]
    return Frontier(jax.tree.map(lambda x: x[rows], states), chances[rows], played[rows])


@functools.partial(jax.jit, static_argnums=0)
def _are_over(rules: Rules[Any], states: GameStates) -> Bool[Array, "n"]:
    return jax.vmap(rules.is_over)(states)


def _best(
    policy: Float[np.ndarray, "n actions"], most: int
) -> tuple[Int[np.ndarray, "n most"], Float[np.ndarray, "n most"]]:
    """Returns the moves with the greatest shares, best first, and these shares."""
    actions = np.argsort(-policy, axis=1, kind="stable")[:, :most]
    return actions, np.take_along_axis(policy, actions, axis=1)
