"""Backup: after a simulation, visits, values and next edges change from the leaf to the root.

The edge that a node takes next depends on its statistics only. So it is computed here, when a
simulation has changed the statistics, and not in the next descent. That saves work: in a descent
all lanes wait for the deepest one, and would all read as many children as the widest node has.
Here the nodes of all paths are sorted into lists by their number of children, and each list is
processed in pieces of a fixed size.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.internal import device_kind
from jaxgames.search.tree import access, views
from jaxgames.search.tree.arrays import ROOT, ChildChoice, Edge, NodeView, Trees

_WIDTHS = (4, 16, 64)  # numbers of children that are read at once
# With so many lanes, reading all children costs less than choosing a width: on an accelerator, each
# width costs kernels of its own, and reading costs next to nothing.
_FEW_LANES, _FEW_LANES_OF_ACCELERATORS = 8, 64

Lists = tuple[Int32[Array, "entries"], ...]
"""Nodes whose next edge is to be computed, one list a width; an entry is `lane * N + node`."""


class BackupPath(NamedTuple):
    """The path of a simulation in each of `W` lanes."""

    lanes: Int32[Array, "W"]  # the number of lanes (so: dropped) for a lane that takes no part
    leaf: Int32[Array, "W"]
    parent: Int32[Array, "W"]  # of the leaf
    is_new: Bool[Array, "W"]  # whether this simulation added the leaf
    counts: Int32[Array, "widths W"]  # nodes between root and leaf, by width


def widths(batch: int, most: int) -> tuple[int, ...]:
    """Returns the widths in ascending order; a node is read at the least width that it fits in.

    Args:
        batch: the number of trees.
        most: the most children that a node can have.
    """
    if batch <= (_FEW_LANES if device_kind.is_cpu() else _FEW_LANES_OF_ACCELERATORS):
        return (most,)
    return (*(width for width in _WIDTHS if 2 * width <= most), most)


def empty_lists(tree: Trees) -> Lists:
    """Returns lists with room for all nodes of all trees, and for one more piece."""
    if tree.is_whole:
        return ()
    lanes, nodes, most = tree.stored.child.shape
    return tuple(jnp.zeros((lanes * (nodes + 1),), jnp.int32) for _ in widths(lanes, most))


def by_width(children: Int32[Array, "W"], batch: int, most: int) -> Bool[Array, "widths W"]:
    """Returns the mask of the list that each node belongs to, by its number of children.

    A node belongs where it still fits after one more child.

    Args:
        children: the numbers of children.
        batch: the number of trees.
        most: the most children that a node can have.
    """
    limits = widths(batch, most)
    fits = [children < limit for limit in limits[:-1]] + [jnp.ones_like(children, dtype=bool)]
    before = [jnp.zeros_like(fits[0]), *fits[:-1]]
    return jnp.stack([here & ~narrower for here, narrower in zip(fits, before, strict=True)])


def select_at_root(
    tree: Trees,
    lanes: Int32[Array, "W"],
    counts: Bool[Array, "W"],
    rule: Callable[[NodeView], ChildChoice],
) -> Edge:
    """Returns the edge that a rule chooses at the root of each lane.

    The children are read at the least width that fits the roots of all lanes where `counts` holds.
    """
    if tree.is_whole:
        seen = views.view_root(tree, lanes)
        return views.follow(tree, lanes, seen, rule(seen))
    node = jnp.full_like(lanes, ROOT)
    links = tree.stored
    limits = widths(len(links.child), links.child.shape[2])
    widest = jnp.where(counts, links.children[lanes, node], 0).max()
    index = sum((widest > limit).astype(jnp.int32) for limit in limits[:-1])
    return jax.lax.switch(
        index, [lambda width=width: among(tree, lanes, node, rule, width) for width in limits]
    )


def among(
    tree: Trees,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    rule: Callable[[NodeView], ChildChoice],
    width: int,
) -> Edge:
    """Returns the edge that a rule chooses where each node has at most `width` children."""
    seat = tree.seat[lanes, node].astype(jnp.int32)
    seen = views.view(tree, lanes, node, seat, width)
    return views.follow(tree, lanes, seen, rule(seen))


def back_up(
    tree: Trees, path: BackupPath, value: Float[Array, "W V"], lists: Lists
) -> tuple[Trees, Lists, Int32[Array, "widths"]]:
    """Adds one visit with `value` to each leaf and to all nodes above it.

    Values are those of absolute seats, so the same value counts at every level of a game. Where
    edges have rewards and discounts, these change it on the way.

    Returns:
        The trees, the lists of the nodes between root and leaf, and the lengths of the lists.
    """
    links = tree.stored
    batch, nodes, most = links.child.shape
    ends = jnp.cumsum(path.counts, axis=-1)
    beyond = len(lists[0])
    changes = tree.reward is not None or tree.discount is not None

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        lanes, node, visits, mean, lists, places, *changed = carry
        here_value = changed[0] if changes else value
        count = access.read_before(visits[lanes, node], lanes)
        weight = count.astype(mean.dtype)[:, None]
        new = (mean[lanes, node] * weight + here_value) / (weight + 1)
        visits = access.put(visits, lanes, node, count + 1)
        mean = access.put(mean, lanes, node, new)

        is_between = (lanes < batch) & (node != path.leaf) & (node != ROOT)
        grown = path.is_new & (node == path.parent)
        belongs = by_width(links.children[lanes, node] - grown, batch, most) & is_between
        entry = lanes * nodes + node
        lists = tuple(
            entries.at[jnp.where(here, place, beyond)].set(entry, mode="drop", unique_indices=True)
            for entries, here, place in zip(lists, belongs, places, strict=True)
        )
        if changes:
            changed = [for_parent(tree, lanes, node, here_value)]
        lanes = jnp.where(node == ROOT, batch, lanes)
        parent = tree.parent[lanes, node]
        return lanes, parent, visits, mean, lists, places + belongs, *changed

    start = path.lanes, path.leaf, tree.visits, tree.value, lists, ends - path.counts
    _, _, visits, mean, lists, *_ = jax.lax.while_loop(
        lambda carry: (carry[0] < batch).any(),
        one_level,
        (*start, value) if changes else start,
    )
    return tree.replace(visits=visits, value=mean), lists, ends[:, -1]


def for_parent(
    tree: Trees, lanes: Int32[Array, "W"], node: Int32[Array, "W"], value: Float[Array, "W V"]
) -> Float[Array, "W V"]:
    """Returns the value found below an edge as it counts at the upper end of the edge."""
    if tree.discount is not None:
        value = tree.read(tree.discount, lanes, node)[:, None] * value
    return value if tree.reward is None else tree.read(tree.reward, lanes, node) + value


def renew(
    tree: Trees,
    lists: Lists,
    lengths: Int32[Array, "widths"],
    rule: Callable[[NodeView], ChildChoice],
    size: int,
) -> Trees:
    """Returns the trees with new next edges at all listed nodes, `size` nodes at a time."""
    links = tree.stored
    limits = widths(len(links.child), links.child.shape[2])
    for entries, length, width in zip(lists, lengths, limits, strict=True):
        piece = size if width == limits[0] else max(1, size // 4)
        tree = _renew_list(tree, entries, length, rule, width, piece)
    return tree


def renew_marked(
    tree: Trees, is_marked: Bool[Array, "B N"], rule: Callable[[NodeView], ChildChoice]
) -> Trees:
    """Returns the trees with new next edges at all marked nodes."""
    links = tree.stored
    batch, _, most = links.child.shape
    belongs = by_width(links.children.reshape(-1), batch, most) & is_marked.reshape(-1)
    lists = []
    for entries, here in zip(empty_lists(tree), belongs, strict=True):
        place = jnp.where(here, jnp.cumsum(here) - 1, len(entries))
        entry = jnp.arange(len(here), dtype=jnp.int32)
        lists.append(entries.at[place].set(entry, mode="drop", unique_indices=True))
    return renew(tree, tuple(lists), belongs.sum(axis=-1), rule, batch)


def _renew_list(
    tree: Trees,
    entries: Int32[Array, "entries"],
    length: Int32[Array, ""],
    rule: Callable[[NodeView], ChildChoice],
    width: int,
    piece: int,
) -> Trees:
    batch, nodes = tree.visits.shape

    def one_piece(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        first, next_slot, next_child, next_prior, next_tied = carry
        entry = jax.lax.dynamic_slice(entries, (first,), (piece,))
        lanes, node = entry // nodes, entry % nodes
        edge = among(tree, lanes, node, rule, width)
        at = jnp.where(first + jnp.arange(piece) < length, lanes, batch)
        return (
            first + piece,
            access.put(next_slot, at, node, edge.slot),
            access.put(next_child, at, node, edge.child),
            access.put(next_prior, at, node, edge.prior),
            None if edge.tied is None else access.put(next_tied, at, node, edge.tied),
        )

    links = tree.stored
    start = jnp.int32(0), links.next_slot, links.next_child, links.next_prior, links.next_tied
    _, next_slot, next_child, next_prior, next_tied = jax.lax.while_loop(
        lambda carry: carry[0] < length, one_piece, start
    )
    return tree.replace(
        links=links._replace(
            next_slot=next_slot, next_child=next_child, next_prior=next_prior, next_tied=next_tied
        )
    )
