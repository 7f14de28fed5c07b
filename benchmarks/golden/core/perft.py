"""The game tree below a batch of positions: move counts (perft) and exhaustive search.

The tree is traversed breadth-first within a chunk of positions and depth-first over chunks, so
memory grows with the depth and not with the number of positions. The device computes masks and
successors, the host compacts them. Nothing here knows a particular game. The last ply is computed
for all actions at once, which suits games with a few hundred actions.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from benchmarks import host_batches
from benchmarks.host_batches import Batch
from jaxgames.rules import Rules

CHUNK = 16384  # positions: masks of 202 actions are 3 MB, and a last chunk wastes 15 ms on average
WIN = 1000  # score of a game that the seat to move has won; see `action_scores`


class Edges(NamedTuple):
    """All legal moves from a batch of positions, ordered by position, then by action."""

    parents: np.ndarray  # [moves] index of the position
    actions: np.ndarray  # [moves]
    children: Batch  # [moves] positions after the move
    is_over: np.ndarray  # [moves] the move ends the game
    outcome: np.ndarray  # [moves] return of the seat that moved; 0 while the game goes on


class LastPly(NamedTuple):
    """Numbers of legal moves of each position."""

    legal: Any  # all
    ending: Any  # that end the game
    winning: Any  # that win for the seat to move


def perft(
    rules: Rules[Any], games: Batch, depth: int, count_ends: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Counts the move sequences from each position.

    Args:
        rules: the game.
        games: positions in which the game goes on.
        depth: plies of the longest sequences.
        count_ends: whether to count the moves of the last ply that end the game. Without it, the
            last ply is cheap, since its moves are not made.

    Returns:
        Two `[positions, depth]` int64 arrays. Column `k` of the first array counts the sequences of
        exactly `k + 1` plies; finished games are not continued. The second array counts those of
        them whose last ply ends the game; its last column is zero without `count_ends`.
    """
    counts = np.zeros((2, host_batches.size(games), depth), np.int64)

    def visit(games: Batch, roots: np.ndarray, ply: int) -> None:
        """Adds the sequences below positions that `ply` moves lead to from `roots`."""
        for part in host_batches.slices(len(roots), CHUNK):
            nodes, owners = host_batches.take(games, part), roots[part]
            if ply == depth - 1:
                if count_ends:
                    last = _last_plies(rules, nodes)
                    np.add.at(counts[1, :, ply], owners, last.ending)
                    legal = last.legal
                else:
                    legal = host_batches.map_chunks(
                        functools.partial(_num_legal, rules), CHUNK, nodes
                    )
                np.add.at(counts[0, :, ply], owners, legal)
                continue
            edges = expand(rules, nodes)
            owners = owners[edges.parents]
            np.add.at(counts[0, :, ply], owners, 1)
            np.add.at(counts[1, :, ply], owners, edges.is_over)
            goes_on = ~edges.is_over
            visit(host_batches.take(edges.children, goes_on), owners[goes_on], ply + 1)

    visit(games, np.arange(host_batches.size(games)), 0)
    return counts[0], counts[1]


def scores(rules: Rules[Any], games: Batch, depth: int) -> np.ndarray:
    """Returns the score of each position for the seat to move, by search to `depth` plies.

    A win in `n` plies scores `WIN - n`, a loss `n - WIN`; 0 is a draw or not decided in `depth`.
    """
    if host_batches.size(games) == 0:
        return np.zeros(0, np.int32)
    if depth == 0:
        return np.zeros(host_batches.size(games), np.int32)
    parts = []
    for part in host_batches.slices(host_batches.size(games), CHUNK):
        nodes = host_batches.take(games, part)
        if depth == 1:
            # No game here can be lost by the loser's own move.
            parts.append(np.where(_last_plies(rules, nodes).winning > 0, WIN - 1, 0))
        else:
            edges, of_actions = action_scores(rules, nodes, depth)
            best = np.full(host_batches.size(nodes), -WIN, np.int32)
            np.maximum.at(best, edges.parents, of_actions)
            parts.append(best)
    return np.concatenate(parts).astype(np.int32)


def action_scores(rules: Rules[Any], games: Batch, depth: int) -> tuple[Edges, np.ndarray]:
    """Returns all moves and the score of each for the seat that makes it, as in `scores`."""
    edges = expand(rules, games)
    of_actions = (np.sign(edges.outcome) * (WIN - 1)).astype(np.int32)
    goes_on = ~edges.is_over
    reply = scores(rules, host_batches.take(edges.children, goes_on), depth - 1)
    of_actions[goes_on] = one_ply_earlier(reply)
    return edges, of_actions


def one_ply_earlier(reply: np.ndarray) -> np.ndarray:
    """Returns the score of a move from the opponent's score after it, in two-seat zero-sum play."""
    return np.sign(reply) - reply


def expand(rules: Rules[Any], games: Batch) -> Edges:
    """Returns all legal moves from positions in which the game goes on."""
    masks = host_batches.map_chunks(functools.partial(_masks, rules), CHUNK, games)
    parents, actions = np.nonzero(masks)
    step = functools.partial(_step, rules)
    moved = host_batches.take(games, parents)
    children, is_over, outcome = host_batches.map_chunks(
        step, CHUNK, moved, actions.astype(np.int32)
    )
    return Edges(parents, actions, children, is_over, outcome)


def legal_masks(rules: Rules[Any], games: Batch) -> np.ndarray:
    """Returns the `[positions, actions]` mask of legal actions."""
    return host_batches.map_chunks(functools.partial(_masks, rules), CHUNK, games)


def _last_plies(rules: Rules[Any], games: Batch) -> LastPly:
    return host_batches.map_chunks(functools.partial(_last_ply, rules), CHUNK, games)


@functools.partial(jax.jit, static_argnums=0)
def _masks(rules: Rules[Any], games: Batch) -> Bool[Array, "B actions"]:
    return jax.vmap(rules.legal_actions)(games)


@functools.partial(jax.jit, static_argnums=0)
def _num_legal(rules: Rules[Any], games: Batch) -> Int32[Array, "B"]:
    return jax.vmap(rules.legal_actions)(games).sum(axis=1)


@functools.partial(jax.jit, static_argnums=0)
def _step(rules: Rules[Any], games: Batch, actions: Int32[Array, "B"]) -> tuple[Any, Any, Any]:
    return jax.vmap(functools.partial(_move, rules))(games, actions)


@functools.partial(jax.jit, static_argnums=0)
def _last_ply(rules: Rules[Any], games: Batch) -> LastPly:
    def one(game: Any) -> LastPly:
        legal = rules.legal_actions(game)
        actions = jnp.arange(rules.num_actions)
        _, is_over, outcome = jax.vmap(functools.partial(_move, rules, game))(actions)
        return LastPly(legal.sum(), (legal & is_over).sum(), (legal & (outcome > 0)).sum())

    return jax.vmap(one)(games)


def _move(rules: Rules[Any], game: Any, action: Any) -> tuple[Any, Any, Any]:
    after = rules.step(game, action, None)
    return after, rules.is_over(after), rules.returns(after)[rules.to_move(game)]
