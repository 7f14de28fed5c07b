"""Small trees that are read as a whole: one descent and one backup without links.

An accelerator compares the parents of all nodes with one node in less time than it takes to look
up its children. So a node's children are found by their parents, no node stores what it selects
next, and a descent selects at every level. It marks the nodes on its path, and the backup changes
all of them at once.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.batching.trees import select_rows
from jaxgames.internal import device_kind
from jaxgames.search.tree import access, views
from jaxgames.search.tree.arrays import NO_CHILD, OVER, ROOT, ChildChoice, Edge, NodeView, Trees

MOST_NODES = 512  # of a tree; beyond it, lists of the nodes that change cost less


def is_better(nodes: int) -> bool:
    """Returns whether trees of so many nodes take less time as a whole."""
    return nodes <= MOST_NODES and not device_kind.is_cpu()


def descend(
    tree: Trees,
    runs: Bool[Array, "B"],
    first: Edge,
    is_given: bool,
    rule: Callable[[NodeView], ChildChoice],
) -> tuple[Int32[Array, ""], Int32[Array, "B"], Edge, Bool[Array, "B N"]]:
    """Descends to a leaf in every lane that takes part.

    Args:
        tree: the trees.
        runs: the lanes that take part.
        first: the edges to take from the roots.
        is_given: whether these are others than a rule chooses.
        rule: of the selection below the root.

    Returns:
        The longest path without the edge of the root, in edges; the parents of the leaves; the
        edges to the leaves; and the mask of the nodes between root and leaf.
    """
    lanes = jnp.arange(len(runs))
    numbers = jnp.arange(tree.visits.shape[1])

    def seat_after(child: Int32[Array, "B"]) -> Int32[Array, "B"]:
        return tree.read(tree.seat, lanes, child).astype(jnp.int32)

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        level, node, child, seat, is_between, goes_on = carry
        node = jnp.where(goes_on, child, node)
        here = goes_on[:, None] & (numbers == node[:, None])
        is_between = access.lanes_last(is_between | here)
        choice = rule(views.view(tree, lanes, node, seat))
        below = jnp.where(choice.expands, NO_CHILD, choice.child)
        child = jnp.where(goes_on, below, child)
        seat = seat_after(child)
        goes_on &= (child != NO_CHILD) & (seat != OVER)
        return level + 1, node, child, seat, is_between, goes_on

    seat = seat_after(first.child)
    goes_on = runs & (first.child != NO_CHILD) & (seat != OVER)
    nowhere = access.lanes_last(jnp.zeros(tree.visits.shape, bool))
    at_root = jnp.full_like(first.child, ROOT)
    start = jnp.int32(0), at_root, first.child, seat, nowhere, goes_on
    level, node, child, _, is_between, _ = jax.lax.while_loop(
        lambda carry: carry[-1].any(), one_level, start
    )
    edge = views.edge_to(tree, node, child)
    if is_given:
        edge = select_rows(node == ROOT, first, edge)
    return level, node, edge, is_between


def back_up(
    tree: Trees,
    is_between: Bool[Array, "B N"],
    passes: Bool[Array, "B"],
    leaf: Int32[Array, "B"],
    value: Float[Array, "B V"],
) -> Trees:
    """Returns the trees with one more visit of `value` at each leaf and all nodes above it.

    Args:
        tree: the trees; edges have no rewards or discounts.
        is_between: the mask of the nodes between root and leaf.
        passes: the lanes that take part.
        leaf: the leaves.
        value: found at the leaves.
    """
    numbers = jnp.arange(tree.visits.shape[1])
    is_on_path = is_between | (numbers == ROOT) | (numbers == leaf[:, None])
    is_on_path &= passes[:, None]
    weight = tree.visits.astype(tree.value.dtype)[..., None]
    mean = (tree.value * weight + value[:, None]) / (weight + 1)
    return tree.replace(
        visits=tree.visits + is_on_path,
        value=jnp.where(is_on_path[..., None], mean, tree.value),
    )
