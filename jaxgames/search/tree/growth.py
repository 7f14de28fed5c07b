"""Adding nodes to search trees."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

from jaxgames.search.tree import access
from jaxgames.search.tree.access import read_before
from jaxgames.search.tree.arrays import (
    EXPANDED,
    NO_CHILD,
    ROOT,
    Links,
    Nodes,
    Trees,
    at_least_32_bits,
    first_greatest,
    prior_of,
)


def write_node(
    tree: Trees,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    new: Nodes,
    order: Float[Array, "W K"] | None = None,
) -> Trees:
    """Returns the trees with one node without children written in each lane.

    Visits, mean value and the number of children, which is 0, stay as they are. The best slot is
    the one of greatest `order`, or of greatest prior where no order is given.
    """
    order = new.log_prior if order is None else order
    action = read_before(new.action, lanes)
    state = read_before(new.state, lanes)
    best = first_greatest(order)
    best_prior = prior_of(access.along_last(new.log_prior, best))
    links = tree.links
    if links is not None:
        links = links._replace(
            next_slot=tree.put(links.next_slot, lanes, node, best),
            next_child=tree.put(links.next_child, lanes, node, jnp.full_like(node, NO_CHILD)),
            next_prior=tree.put(links.next_prior, lanes, node, best_prior),
        )
    best_priors = tree.best_prior
    if best_priors is not None:
        # As with links: the first child of a root has the prior that is stored, others the exact.
        stored = new.log_prior.astype(tree.log_prior.dtype)
        stored_prior = prior_of(access.along_last(stored, best))
        best_prior = jnp.where(node == ROOT, stored_prior, best_prior)
        best_priors = tree.put(best_priors, lanes, node, best_prior)
    return tree.replace(
        log_prior=tree.put(tree.log_prior, lanes, node, new.log_prior),
        action=None if tree.action is None else tree.put(tree.action, lanes, node, action),
        unexpanded_slot=tree.put(tree.unexpanded_slot, lanes, node, best),
        unexpanded_prior=tree.put(tree.unexpanded_prior, lanes, node, jnp.ones_like(node)),
        best_prior=best_priors,
        raw_value=tree.put(tree.raw_value, lanes, node, new.value),
        seat=tree.put(tree.seat, lanes, node, new.seat),
        state=jax.tree.map(lambda old, rows: tree.put(old, lanes, node, rows), tree.state, state),
        unexpanded_lead=(
            None
            if tree.unexpanded_lead is None
            else tree.put(tree.unexpanded_lead, lanes, node, _lead(order, new.log_prior))
        ),
        links=links,
    )


def _lead(order: Float[Array, "W K"], log_prior: Float[Array, "W K"]) -> Float[Array, "W"]:
    """Returns the prior of the first slot of an order less that of the second one."""
    best = first_greatest(order)
    is_best = jnp.arange(order.shape[-1]) == best[:, None]
    second = first_greatest(jnp.where(is_best, EXPANDED, order))
    first, next_one = (
        prior_of(jnp.take_along_axis(log_prior, slot[:, None], axis=-1)[:, 0])
        for slot in (best, second)
    )
    return first - next_one


def link(
    tree: Trees,
    lanes: Int32[Array, "W"],
    parent: Int32[Array, "W"],
    slot: Int32[Array, "W"],
    prior: Float[Array, "W"],
    child: Int32[Array, "W"],
    root_order: Float[Array, "W K"] | None,
) -> Trees:
    """Returns the trees with node `child`, the next free one, added as a child of `parent`.

    Args:
        tree: the trees.
        lanes: the games.
        parent: the node that gets a child.
        slot: the slot of the parent that leads to the child.
        prior: the prior of that slot. It is passed in and not read from the tree: a read that need
            not come before a write of the same array makes the compiler copy the array.
        child: the number of the new node.
        root_order: what orders the slots of a root, as priors do below it; None: priors.
    """
    links = None
    if tree.links is not None:
        links = _with_child(tree.links, lanes, parent, child)
    log_prior, left = _without_slot(tree, lanes, parent, slot)
    left = at_least_32_bits(left)
    order = left
    if root_order is not None:
        by_root_order = (parent == ROOT)[:, None] & (left > EXPANDED)
        order = jnp.where(by_root_order, root_order, left)
    best = first_greatest(order)
    best_prior = tree.best_prior
    if best_prior is not None:
        prior_left = prior_of(access.along_last(left, best))
        best_prior = tree.put(best_prior, lanes, parent, prior_left)
    return tree.replace(
        log_prior=log_prior,
        unexpanded_slot=tree.put(tree.unexpanded_slot, lanes, parent, best),
        best_prior=best_prior,
        unexpanded_prior=tree.put(
            tree.unexpanded_prior, lanes, parent, prior_of(left).sum(axis=-1)
        ),
        slot=tree.put(tree.slot, lanes, child, slot),
        prior=tree.put(tree.prior, lanes, child, prior),
        parent=tree.put(tree.parent, lanes, child, parent),
        unexpanded_lead=(
            None
            if tree.unexpanded_lead is None
            else tree.put(tree.unexpanded_lead, lanes, parent, _lead(order, left))
        ),
        used=(
            tree.used + (lanes < len(tree.used))
            if tree.is_whole
            else tree.used.at[lanes].add(1, mode="drop", unique_indices=True)
        ),
        links=links,
    )


def _with_child(
    links: Links, lanes: Int32[Array, "W"], parent: Int32[Array, "W"], child: Int32[Array, "W"]
) -> Links:
    """Returns the links with one more child of one node in each lane."""
    count = read_before(links.children[lanes, parent], lanes)
    number = child.astype(links.child.dtype)
    at = links.child.at[lanes, parent, count]
    return links._replace(
        child=at.set(number, mode="drop", unique_indices=True),
        children=access.put(links.children, lanes, parent, count + 1),
    )


def _without_slot(
    tree: Trees, lanes: Int32[Array, "W"], node: Int32[Array, "W"], slot: Int32[Array, "W"]
) -> tuple[Float[Array, "B N K"], Float[Array, "W K"]]:
    """Returns all log priors, and those of one node in each lane, without one of its slots."""
    if tree.is_whole and access.is_compared(tree.log_prior):
        row = access.of_each(tree.log_prior, node)
        row = jnp.where(jnp.arange(row.shape[1]) == slot[:, None], EXPANDED, row)
        return tree.put(tree.log_prior, lanes, node, row), row
    log_prior = tree.log_prior.at[lanes, node, slot].set(EXPANDED, mode="drop", unique_indices=True)
    return log_prior, log_prior[lanes, node]
