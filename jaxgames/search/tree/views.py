"""What a seat sees of the nodes of search trees, and the edges that it takes from there."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.search.tree import access
from jaxgames.search.tree.arrays import (
    NO_CHILD,
    OVER,
    ROOT,
    ChildChoice,
    Edge,
    NodeView,
    Trees,
    of_seat,
    prior_of,
)


def view(
    tree: Trees,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    seat: Int32[Array, "W"],
    width: int | None = None,
) -> NodeView:
    """Returns one node in each lane as `seat` sees it.

    Args:
        tree: the trees.
        lanes: the games.
        node: a node of each lane.
        seat: whose values are returned.
        width: the number of children to read, the first ones added; None: all.
    """
    if tree.is_whole:
        return _view_of_whole(tree, node, seat)
    rows = lanes[:, None]
    child, is_child = children(tree, lanes, node, width)
    qvalues = _values_of(tree.value, rows, child, seat)
    if tree.discount is not None:
        qvalues = tree.discount[rows, child] * qvalues
    if tree.reward is not None:
        qvalues = _values_of(tree.reward, rows, child, seat) + qvalues
    unexpanded_slot = tree.unexpanded_slot[lanes, node]
    return NodeView(
        visits=tree.visits[lanes, node],
        value=of_seat(tree.value[lanes, node], seat),
        raw_value=of_seat(tree.raw_value[lanes, node], seat),
        is_child=is_child,
        node=child,
        slot=tree.slot[rows, child],
        prior=tree.prior[rows, child],
        child_visits=jnp.where(is_child, tree.visits[rows, child], 0),
        qvalues=qvalues,
        unexpanded_slot=unexpanded_slot,
        best_unexpanded_prior=prior_of(tree.log_prior[lanes, node, unexpanded_slot]),
        unexpanded_prior=tree.unexpanded_prior[lanes, node],
        unexpanded_lead=(
            None if tree.unexpanded_lead is None else tree.unexpanded_lead[lanes, node]
        ),
        seat=seat,
    )


def _view_of_whole(
    tree: Trees, node: Int32[Array, "B"] | None, seat: Int32[Array, "B"]
) -> NodeView:
    """Returns the view whose entries are all nodes, by their numbers; of the roots for None.

    So nothing is looked up for the children. They are in the order in which they were added.
    """
    assert tree.best_prior is not None, "trees without links have it"
    numbers, is_child = _children_of_whole(tree, ROOT if node is None else node[:, None])

    def here(array: Array) -> Array:
        return array[:, ROOT] if node is None else access.of_each(array, node)

    of_all = jnp.broadcast_to(seat[:, None], is_child.shape)
    qvalues = of_seat(tree.value, of_all)
    if tree.discount is not None:
        qvalues = tree.discount * qvalues
    if tree.reward is not None:
        qvalues = of_seat(tree.reward, of_all) + qvalues
    return NodeView(
        visits=here(tree.visits),
        value=of_seat(here(tree.value), seat),
        raw_value=of_seat(here(tree.raw_value), seat),
        is_child=is_child,
        node=numbers,
        slot=tree.slot,
        prior=tree.prior,
        child_visits=jnp.where(is_child, tree.visits, 0),
        qvalues=qvalues,
        unexpanded_slot=here(tree.unexpanded_slot),
        best_unexpanded_prior=here(tree.best_prior),
        unexpanded_prior=here(tree.unexpanded_prior),
        unexpanded_lead=None if tree.unexpanded_lead is None else here(tree.unexpanded_lead),
        seat=seat,
    )


def children(
    tree: Trees, lanes: Int32[Array, "W"], node: Int32[Array, "W"], width: int | None = None
) -> tuple[Int32[Array, "W C"], Bool[Array, "W C"]]:
    """Returns numbers of nodes, and the mask of those that are children of one node a lane.

    Trees that are read as a whole give all nodes, others the first `width` children or all.
    """
    if tree.is_whole:
        return _children_of_whole(tree, node[:, None])
    links = tree.stored
    most = links.child.shape[2]
    order = jnp.arange(most if width is None else min(width, most))
    is_child = order < links.children[lanes, node][:, None]
    return links.child[lanes[:, None], node[:, None], order].astype(jnp.int32), is_child


def _children_of_whole(
    tree: Trees, parent: Int32[Array, "B 1"] | int
) -> tuple[Int32[Array, "B N"], Bool[Array, "B N"]]:
    numbers = jnp.arange(tree.visits.shape[1], dtype=jnp.int32)
    is_child = (tree.parent == parent) & (numbers > ROOT) & (tree.visits > 0)
    return jnp.broadcast_to(numbers, is_child.shape), is_child


def _values_of(
    value: Float[Array, "B N V"],
    rows: Int32[Array, "W 1"],
    node: Int32[Array, "W C"],
    seat: Int32[Array, "W"],
) -> Float[Array, "W C"]:
    """Returns the values of several nodes of each lane for one seat; see `of_seat`."""
    if value.shape[-1] == 1:
        sign = jnp.where(seat == 1, -1.0, 1.0)
        return sign[:, None] * value[..., 0][rows, node]
    return value[rows, node, seat[:, None]]


def view_root(tree: Trees, lanes: Int32[Array, "W"]) -> NodeView:
    """Returns the roots with all their children, as the seat to move sees them."""
    if tree.is_whole:
        return _view_of_whole(tree, None, tree.seat[:, ROOT].astype(jnp.int32))
    root = jnp.full_like(lanes, ROOT)
    return view(tree, lanes, root, tree.seat[lanes, root].astype(jnp.int32))


def follow(tree: Trees, lanes: Int32[Array, "W"], seen: NodeView, choice: ChildChoice) -> Edge:
    """Returns the edge that a choice at a viewed node takes."""
    if tree.is_whole:
        child = jnp.where(choice.expands, NO_CHILD, choice.child)
        slot = access.of_each(tree.slot, choice.child)
        prior = access.of_each(tree.prior, choice.child)
        return Edge(
            slot=jnp.where(choice.expands, seen.unexpanded_slot, slot),
            child=child,
            prior=jnp.where(choice.expands, seen.best_unexpanded_prior, prior),
            tied=choice.tied,
        )
    child, prior = (
        jnp.take_along_axis(x, choice.child[:, None], axis=-1)[:, 0]
        for x in (seen.node, seen.prior)
    )
    return Edge(
        slot=jnp.where(choice.expands, seen.unexpanded_slot, tree.slot[lanes, child]),
        child=jnp.where(choice.expands, NO_CHILD, child),
        prior=jnp.where(choice.expands, seen.best_unexpanded_prior, prior),
        tied=choice.tied,
    )


def edge_to(tree: Trees, node: Int32[Array, "B"], child: Int32[Array, "B"]) -> Edge:
    """Returns the edge from a node to a child, or without one to the best slot that has none."""
    assert tree.best_prior is not None, "trees without links have it"
    expands = child == NO_CHILD
    slot, prior = (access.of_each(array, child) for array in (tree.slot, tree.prior))
    best = access.of_each(tree.unexpanded_slot, node)
    best_prior = access.of_each(tree.best_prior, node)
    return Edge(
        slot=jnp.where(expands, best, slot),
        child=child,
        prior=jnp.where(expands, best_prior, prior),
    )


def can_descend(
    tree: Trees, lanes: Int32[Array, "W"], child: Int32[Array, "W"]
) -> Bool[Array, "W"]:
    """Returns the mask of lanes that have a child at which the game goes on."""
    return (child != NO_CHILD) & (tree.read(tree.seat, lanes, child) != OVER)
