"""Reuse of the subtree that is still in play.

After the moves of all seats, the game usually stands at a node of the tree of the last search. That
node is found by its state, so nobody has to report which moves were made.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, UInt32

from jaxgames.search.tree import arrays, views
from jaxgames.search.tree.arrays import EXPANDED, NO_CHILD, OVER, ROOT, Nodes, Trees


class ReusedTree(NamedTuple):
    """The subtrees that an earlier search left for this one."""

    tree: Trees
    is_kept: Bool[Array, "B"]  # the trees of other lanes have no nodes
    is_cut: Bool[Array, "B N"]  # nodes that lost a child: their next edges must be computed


def advance(tree: Trees, state: UInt32[Array, "B words"], most: int) -> ReusedTree:
    """Returns the subtree below the node of each given state.

    A subtree keeps at most `most` nodes, the first ones added, so parents stay with their children.
    Slots whose child is dropped have no child again.
    """
    size, nodes = tree.visits.shape
    lanes, numbers = jnp.arange(size)[:, None], jnp.arange(nodes)
    assert tree.state is not None, "nodes must stand for states"
    is_same = jnp.equal(tree.state, state[:, None]).all(axis=-1)
    exists = numbers < tree.used[:, None]
    is_same &= exists & (tree.seat != OVER)
    new_root = jnp.where(is_same, tree.visits, 0).argmax(axis=-1)
    found = is_same.any(axis=-1)

    is_kept = below(tree, new_root) & exists & found[:, None]
    number = jnp.cumsum(is_kept, axis=-1, dtype=jnp.int32) - 1
    is_kept &= number < most
    used = jnp.minimum(is_kept.sum(axis=-1, dtype=jnp.int32), most)
    target = jnp.where(is_kept, number, nodes)
    source = jnp.zeros((size, nodes), jnp.int32).at[lanes, target].set(numbers, mode="drop")
    in_use = numbers < used[:, None]

    # A child of a kept node is never the new root: what is not kept becomes "no child".
    renumbered = jnp.where(is_kept, number, NO_CHILD)
    is_dropped = exists & (number >= most)
    # Seldom are so many nodes left, and to drop children takes as long as all the rest.
    tree, lost = jax.lax.cond(
        is_dropped.any(),
        _without_children,
        lambda tree, is_dropped: (tree, jnp.zeros_like(tree.visits)),
        tree,
        is_dropped,
    )
    moved = jax.tree.map(lambda array: array[lanes, source], tree.replace(used=None))
    links = moved.links
    if links is not None:
        child = renumbered[lanes[..., None], links.child.astype(jnp.int32)]
        links = links._replace(
            child=child.astype(links.child.dtype),
            children=jnp.where(in_use, links.children, 0),
            next_child=renumbered[lanes, links.next_child],
        )
    kept = moved.replace(
        parent=jnp.where(in_use, renumbered[lanes, moved.parent], ROOT),
        visits=jnp.where(in_use, moved.visits, 0),
        value=jnp.where(in_use[..., None], moved.value, 0.0),
        seat=jnp.where(in_use, moved.seat, OVER).astype(jnp.int8),
        used=used,
        links=links,
    )
    return ReusedTree(kept, found, in_use & (lost[lanes, source] > 0))


def _without_children(
    tree: Trees, is_dropped: Bool[Array, "B N"]
) -> tuple[Trees, Int32[Array, "B N"]]:
    """Returns the trees without some children, and the number that each node has lost.

    The dropped children of a node must be the last ones added.
    """
    size, nodes = tree.visits.shape
    lanes = jnp.arange(size)[:, None]
    parent = jnp.where(is_dropped, tree.parent, nodes)
    prior = jnp.log(tree.prior).astype(tree.log_prior.dtype)
    log_prior = tree.log_prior.at[lanes, parent, tree.slot].set(prior, mode="drop")
    lost = jnp.zeros((size, nodes), jnp.int32).at[lanes, parent].add(1, mode="drop")
    unexpanded_priors = arrays.prior_of(log_prior)
    has_lost = lost > 0
    best_prior, links = tree.best_prior, tree.links
    if best_prior is not None:
        best_prior = jnp.where(has_lost, unexpanded_priors.max(axis=-1), best_prior)
    if links is not None:
        links = links._replace(children=links.children - lost)
    return (
        tree.replace(
            log_prior=log_prior,
            unexpanded_slot=jnp.where(has_lost, log_prior.argmax(axis=-1), tree.unexpanded_slot),
            best_prior=best_prior,
            links=links,
            unexpanded_prior=jnp.where(
                has_lost, unexpanded_priors.sum(axis=-1), tree.unexpanded_prior
            ),
        ),
        lost,
    )


class KeptRoots(NamedTuple):
    """The roots that an earlier search has left, as they are before the first simulation."""

    is_kept: Bool[Array, "B"]  # nothing else is looked at in other lanes
    is_child: Bool[Array, "B C"]  # entries that hold a child
    node: Int32[Array, "B C"]  # the children
    slot: Int32[Array, "B C"]  # the slots that lead to them
    action: Int32[Array, "B K"] | None  # of each slot; None if slots are actions
    was_filled: Bool[Array, "B K"]


def kept_roots(tree: Trees, is_kept: Bool[Array, "B"]) -> KeptRoots:
    """Returns the roots of trees.

    They are read before the loop over simulations: one that read them while it writes to the same
    arrays would copy these.
    """
    lanes = jnp.arange(len(is_kept))
    seen = views.view_root(tree, lanes)
    slots = tree.log_prior.shape[2]
    at = jnp.where(seen.is_child, seen.slot, slots)
    was_filled = tree.log_prior[:, ROOT] > EXPANDED
    was_filled = was_filled.at[lanes[:, None], at].set(True, mode="drop")
    action = None if tree.action is None else tree.action[:, ROOT].astype(jnp.int32)
    return KeptRoots(is_kept, seen.is_child, seen.node, seen.slot, action, was_filled)


def keep_slots(
    kept: KeptRoots, action: Int32[Array, "W K"], filled: Bool[Array, "W K"]
) -> tuple[Int32[Array, "W K"], Bool[Array, "W K"]]:
    """Returns the actions of the slots of each root, and the mask of filled slots.

    A reused root keeps its slots, since its children are bound to them; other roots get new ones.
    """
    if kept.action is None:
        return action, filled
    is_kept = kept.is_kept[:, None]
    return (
        jnp.where(is_kept, kept.action, action),
        jnp.where(is_kept, kept.was_filled, filled),
    )


def renew_root(
    tree: Trees,
    lanes: Int32[Array, "W"],
    root: KeptRoots,
    node: Nodes,
    order: Float[Array, "W K"],
) -> Trees:
    """Returns the trees with the prior of this search, noise included, at the reused roots."""
    size, nodes = tree.visits.shape
    prior = arrays.prior_of(jnp.take_along_axis(node.log_prior, root.slot, axis=-1))
    is_child = root.is_child & root.is_kept[:, None]
    at = jnp.where(is_child, root.node, nodes)
    slot = jnp.where(is_child, root.slot, order.shape[1])
    rows = jnp.arange(len(lanes))[:, None]
    has_child = jnp.zeros(order.shape, bool).at[rows, slot].set(True, mode="drop")
    log_prior = jnp.where(has_child, EXPANDED, node.log_prior)
    unexpanded_slot = arrays.first_greatest(jnp.where(has_child, EXPANDED, order))
    kept = jnp.where(root.is_kept, lanes, size)

    def put(array: Array, rows: Array) -> Array:
        return array.at[kept, ROOT].set(rows.astype(array.dtype), mode="drop")

    best_prior = tree.best_prior
    if best_prior is not None:
        of_best = jnp.take_along_axis(log_prior, unexpanded_slot[:, None], axis=-1)[:, 0]
        best_prior = put(best_prior, arrays.prior_of(of_best))
    return tree.replace(
        prior=tree.prior.at[lanes[:, None], at].set(prior, mode="drop"),
        log_prior=put(tree.log_prior, log_prior),
        unexpanded_slot=put(tree.unexpanded_slot, unexpanded_slot),
        best_prior=best_prior,
        unexpanded_prior=put(tree.unexpanded_prior, arrays.prior_of(log_prior).sum(axis=-1)),
        raw_value=put(tree.raw_value, node.value),
    )


def below(tree: Trees, root: Int32[Array, "B"]) -> Bool[Array, "B N"]:
    """Returns the mask of nodes that are `root` or below it.

    Each round doubles the length of the jumps towards the old root.
    """
    size, nodes = tree.visits.shape
    lanes = jnp.arange(size)[:, None]
    is_below = jnp.arange(nodes) == root[:, None]
    ancestor = tree.parent
    for _ in range(max(1, math.ceil(math.log2(nodes)))):
        is_below |= is_below[lanes, ancestor]
        ancestor = ancestor[lanes, ancestor]
    return is_below
