"""What the tree of a search says of its moves.

The tree is reduced on the device to one action, parent, visits and values for each node, so that
little is copied to the host.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int8, Int32, PRNGKeyArray

from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import GameStates, Memory, Params
from jaxgames.search.tree import arrays
from jaxgames.search.tree.descent import action_of
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.search_run import SearchRun, TreeSearchResult

ROOT = arrays.ROOT


class TreeFindings(NamedTuple):
    """A finished search. With a leading axis for the batch on the device, without it on the host.

    Only the first `used` nodes are in use. The root is its own parent.
    """

    action: Int32[Array, ""]
    """The action that the search decides for."""
    policy: Float[Array, "actions"]
    """The policy of the decision."""
    prior: Float[Array, "actions"]
    """The probabilities of the root's actions before the search."""
    used: Int32[Array, ""]
    """The number of nodes in use."""
    parent: Int32[Array, "N"]
    """The parent of each node."""
    edge_action: Int32[Array, "N"]
    """The action that leads to each node; arbitrary for the root."""
    visits: Int32[Array, "N"]
    """The visits of each node."""
    values: Float[Array, "N players"]
    """The mean values of each node, by seat."""
    seat: Int8[Array, "N"]
    """The seat to move at each node; `arrays.OVER` where the game has ended."""


class RootMove(NamedTuple):
    """An action of the root."""

    action: int
    visits: int
    value: float | None  # for the seat to move; None without a visit
    prior: float
    policy: float
    replies: tuple[int, ...]  # the actions that the search expects afterwards


@functools.partial(cached_jit.jit, static_argnames="search")
def run(
    search: TreeSearch,
    params: Params,
    memory: Memory,
    state: GameStates,
    key: PRNGKeyArray,
    simulations: Int32[Array, "B"],
) -> tuple[TreeFindings, Memory]:
    """Returns the findings of searches of a batch of positions, and the memories after them.

    Args:
        search: the agent.
        params: its parameters.
        memory: the memory of each game.
        state: the positions.
        key: of all randomness.
        simulations: the simulations or the budget of each search, `search.total` at most.
    """
    found = search.search(params, memory, state, key, simulations)
    return _findings(search, found, key), found.tree if search.reuse else memory


@functools.partial(cached_jit.jit, static_argnames="search")
def of_run(search: TreeSearch, run: SearchRun, key: PRNGKeyArray) -> TreeFindings:
    """Returns the findings so far of searches that were begun with `key`."""
    return _findings(search, search.result(run), key)


def _findings(search: TreeSearch, found: TreeSearchResult, key: PRNGKeyArray) -> TreeFindings:
    """Returns what is told of finished searches that were made with `key`."""
    size = len(found.simulations)
    decision = search.conclude(found, key)
    tree = found.tree
    lanes = jnp.arange(size)[:, None]
    prior = jnp.where(found.root.mask, jax.nn.softmax(found.root.logits), 0.0)
    return TreeFindings(
        action=decision.action,
        policy=decision.policy,
        prior=prior,
        used=tree.used,
        parent=tree.parent,
        edge_action=action_of(tree, lanes, tree.parent, tree.slot),
        visits=tree.visits,
        values=search.of_all_seats(tree.value),
        seat=tree.seat,
    )


def root_moves(found: TreeFindings, seat: int, legal: np.ndarray) -> list[RootMove]:
    """Returns the legal actions of the root, best first: by visits, then policy, then value.

    Args:
        found: the findings of one position, on the host.
        seat: the seat to move.
        legal: `[actions]` bool, the legal actions.
    """
    children = {int(found.edge_action[node]): node for node in _children(found, ROOT)}
    moves = []
    for action in np.flatnonzero(legal).tolist():
        node = children.get(action)
        moves.append(
            RootMove(
                action=action,
                visits=0 if node is None else int(found.visits[node]),
                value=None if node is None else float(found.values[node, seat]),
                prior=float(found.prior[action]),
                policy=float(found.policy[action]),
                replies=() if node is None else _expected(found, node),
            )
        )
    return sorted(
        moves, key=lambda move: (-move.visits, -move.policy, -(move.value or 0.0), move.action)
    )


def _expected(found: TreeFindings, node: int) -> tuple[int, ...]:
    """Returns the actions along the most visited children, the better of equal ones."""
    actions = []
    while children := _children(found, node):
        seat = int(found.seat[node])
        node = max(children, key=lambda child: (found.visits[child], found.values[child, seat]))
        actions.append(int(found.edge_action[node]))
    return tuple(actions)


def _children(found: TreeFindings, node: int) -> list[int]:
    children = np.flatnonzero(found.parent[: int(found.used)] == node)
    return children[children != ROOT].tolist()
