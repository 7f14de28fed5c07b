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
from jaxgames.search.tree import access, backup, views
from jaxgames.search.tree.arrays import NO_CHILD, OVER, ROOT, ChildChoice, Edge, NodeView, Trees

MOST_NODES = 512  # of a tree; beyond it, lists of the nodes that change cost less


def is_better(nodes: int) -> bool:
    """Returns whether trees of so many nodes take less time as a whole."""
    return nodes <= MOST_NODES and not device_kind.is_cpu()


Decide = Callable[[Int32[Array, "B"], Int32[Array, ""], Bool[Array, "B"], Edge], Edge]
"""Returns the edges to take instead of those that a rule chooses, at one node of each lane.

Its arguments are the nodes, their depth, the lanes that count, and the edges that a rule chooses.
"""


def descend(
    tree: Trees,
    runs: Bool[Array, "B"],
    first: Edge,
    is_given: bool,
    rule: Callable[[NodeView], ChildChoice],
    decide: Decide | None = None,
    max_depth: Int32[Array, ""] | int | None = None,
) -> tuple[Int32[Array, ""], Int32[Array, "B"], Edge, Bool[Array, "B N"]]:
    """Descends to a leaf in every lane that takes part.

    Args:
        tree: the trees.
        runs: the lanes that take part.
        first: the edges to take from the roots.
        is_given: whether these are others than a rule chooses.
        rule: of the selection below the root.
        decide: has the last word on each edge below the root; None: the rule has.
        max_depth: the most edges of a path, at least 1; None: no limit.

    Returns:
        The longest path without the edge of the root, in edges; the parents of the leaves; the
        edges to the leaves; and the mask of the nodes between root and leaf.
    """
    lanes = jnp.arange(len(runs))
    numbers = jnp.arange(tree.visits.shape[1])

    def below(
        node: Int32[Array, "B"],
        seat: Int32[Array, "B"],
        depth: Int32[Array, ""],
        counts: Bool[Array, "B"],
    ) -> Edge | Int32[Array, "B"]:
        """Returns the next edges; of those that a rule alone chooses the children."""
        seen = views.view(tree, lanes, node, seat)
        choice = rule(seen)
        if decide is None:
            return jnp.where(choice.expands, NO_CHILD, choice.child)
        return decide(node, depth, counts, views.follow(tree, lanes, seen, choice))

    def seat_and_whether_on(
        child: Int32[Array, "B"], edges: Int32[Array, ""] | int
    ) -> tuple[Int32[Array, "B"], Bool[Array, "B"]]:
        """Returns who moves behind the edge to `child`, and where a path goes on there."""
        seat = tree.read(tree.seat, lanes, child).astype(jnp.int32)
        goes_on = (child != NO_CHILD) & (seat != OVER)
        return seat, goes_on if max_depth is None else goes_on & (edges + 1 < max_depth)

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        level, node, taken, seat, is_between, goes_on = carry
        node = jnp.where(goes_on, _child_of(taken), node)
        here = goes_on[:, None] & (numbers == node[:, None])
        is_between = access.lanes_last(is_between | here)
        taken = select_rows(goes_on, below(node, seat, level + 1, goes_on), taken)
        seat, is_on = seat_and_whether_on(_child_of(taken), level + 1)
        return level + 1, node, taken, seat, is_between, goes_on & is_on

    seat, is_on = seat_and_whether_on(first.child, 0)
    nowhere = access.lanes_last(jnp.zeros(tree.visits.shape, bool))
    at_root = jnp.full_like(first.child, ROOT)
    taken = first.child if decide is None else first
    level, node, taken, _, is_between, _ = jax.lax.while_loop(
        lambda carry: carry[-1].any(),
        one_level,
        (jnp.int32(0), at_root, taken, seat, nowhere, runs & is_on),
    )
    if isinstance(taken, Edge):
        return level, node, taken, is_between
    edge = views.edge_to(tree, node, taken)
    if is_given:
        edge = select_rows(node == ROOT, first, edge)
    return level, node, edge, is_between


def _child_of(taken: Edge | Int32[Array, "B"]) -> Int32[Array, "B"]:
    return taken.child if isinstance(taken, Edge) else taken


def back_up(
    tree: Trees,
    is_between: Bool[Array, "B N"],
    passes: Bool[Array, "B"],
    leaf: Int32[Array, "B"],
    value: Float[Array, "B V"],
) -> Trees:
    """Returns the trees with one more visit of `value` at each leaf and all nodes above it.

    Args:
        tree: the trees.
        is_between: the mask of the nodes between root and leaf.
        passes: the lanes that take part.
        leaf: the leaves.
        value: found at the leaves.
    """
    numbers = jnp.arange(tree.visits.shape[1])
    is_on_path = is_between | (numbers == ROOT) | (numbers == leaf[:, None])
    is_on_path &= passes[:, None]
    weight = tree.visits.astype(tree.value.dtype)[..., None]
    found = value[:, None]
    if tree.reward is not None or tree.discount is not None:
        found = _as_each_counts(tree, passes, leaf, value)
    mean = (tree.value * weight + found) / (weight + 1)
    return tree.replace(
        visits=tree.visits + is_on_path,
        value=jnp.where(is_on_path[..., None], mean, tree.value),
    )


def _as_each_counts(
    tree: Trees, passes: Bool[Array, "B"], leaf: Int32[Array, "B"], value: Float[Array, "B V"]
) -> Float[Array, "B N V"]:
    """Returns a leaf's value as it counts at each node above it, which rewards change on the way.

    Elsewhere the numbers are 0.
    """
    lanes = jnp.arange(len(leaf))
    numbers = jnp.arange(tree.visits.shape[1])

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        node, value, found, goes_on = carry
        here = goes_on[:, None] & (numbers == node[:, None])
        found = access.lanes_last(jnp.where(here[..., None], value[:, None], found))
        value = backup.for_parent(tree, lanes, node, value)
        return tree.read(tree.parent, lanes, node), value, found, goes_on & (node != ROOT)

    nothing = access.lanes_last(jnp.zeros_like(tree.value))
    _, _, found, _ = jax.lax.while_loop(
        lambda carry: carry[-1].any(), one_level, (leaf, value, nothing, passes)
    )
    return found
