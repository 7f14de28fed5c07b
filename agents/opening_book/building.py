"""Building a book: all likely positions of one ply are searched by UCT, then those of the next.

A position is as likely as the ways to it, each the product of the visit shares of its moves. The
positions of a ply that are followed are the most likely ones, so every seat finds its own moves of
the book followed as well as the likely replies to them. A position is followed while its seat to
move has own moves left that the book covers.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int32, PRNGKeyArray, UInt32

from agents.agent import Decision, GameStates
from agents.evaluators.rollout import Rollout
from agents.evaluators.shuffled import Shuffled
from agents.opening_book import book as books
from agents.opening_book.book import NO_MOVE, Book
from agents.search.tree import packing
from agents.search.tree.search import TreeSearch
from agents.search.tree.uct import Uct
from configs.opening_book import BookConfig
from jaxgames import Env, Rules

Report = Callable[[int, int], None]
"""Gets the ply and the positions that were just searched there."""


class Frontier(NamedTuple):
    """Positions of one ply, on the host."""

    states: GameStates
    likelihood: Float[np.ndarray, "n"]
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
    while len(frontier.likelihood):
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
    played = np.zeros((config.starts, env.num_players), int)
    frontier = Frontier(jax.device_get(states), np.ones(config.starts), played)
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
    is_offered = (shares > 0) & (shares >= config.least_share * shares[:, :1])
    shares = np.where(is_offered, shares, 0.0)
    return Entries(
        words,
        np.where(is_offered, actions, NO_MOVE).astype(np.int32),
        (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32),
        np.asarray(decision.values, np.float32),
    )


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
    likelihood = (
        frontier.likelihood[row] * (shares / shares.sum(axis=1, keepdims=True))[row, column]
    )
    return _followed(env, Frontier(states, likelihood, played), known, config)


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
    """Returns the most likely of the positions that belong in the book and are new, each once."""
    words = np.asarray(packing.pack(frontier.states))
    unique, first, number = np.unique(words, axis=0, return_index=True, return_inverse=True)
    likelihood = np.bincount(number.reshape(-1), frontier.likelihood, len(unique))
    states = jax.tree.map(lambda x: x[first], frontier.states)
    played = frontier.played[first]
    is_over, seat = jax.device_get(_look_at(env.rules, states))
    belongs = ~is_over & (played[np.arange(len(first)), seat] < config.moves)
    belongs &= [row.tobytes() not in known for row in unique]
    rows = np.flatnonzero(belongs)
    rows = rows[np.argsort(-likelihood[rows], kind="stable")][: config.positions]
    return Frontier(jax.tree.map(lambda x: x[rows], states), likelihood[rows], played[rows])


@functools.partial(jax.jit, static_argnums=0)
def _look_at(rules: Rules[Any], states: GameStates) -> tuple[Bool[Array, "n"], Int32[Array, "n"]]:
    """Returns whether the games are over, and whose turn it is."""
    return jax.vmap(rules.is_over)(states), jax.vmap(rules.to_move)(states)


def _best(
    policy: Float[np.ndarray, "n actions"], most: int
) -> tuple[Int[np.ndarray, "n most"], Float[np.ndarray, "n most"]]:
    """Returns the moves with the greatest shares, best first, and these shares."""
    actions = np.argsort(-policy, axis=1, kind="stable")[:, :most]
    return actions, np.take_along_axis(policy, actions, axis=1)
