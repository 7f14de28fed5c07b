"""The tree of a batch of searches, and what is done to it: read, expand, back up.

Every operation names the games it is about (`lanes`) and reads or writes only their rows. Rows of
lanes that take no part are written to a lane that does not exist, which scatters drop. So a loop
can carry the tree without ever copying it.

Two facts keep a simulation cheap, however many actions there are:

* What is known of an edge belongs to the child: visits (a node is visited as often as the edge that
  leads to it), prior, and value, a vector over the seats. (No edge needs a reward or a discount:
  what the end of a game is worth is the value of the node that ends it.)
* Actions without child differ by their priors only. A selection looks at the children, which are
  few, and at the best and the sum of the other priors, which change only when a child is made.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32, Integer, UInt32

from jaxgames.search import action_slots

ROOT = 0
NO_CHILD = 0  # the root is nobody's child
OVER = -1  # instead of the seat to move
EXPANDED = -65504.0  # log prior of a slot that has a child or no action: the lowest 16-bit number

_LEAST_LOG_PRIOR = -80.0  # a legal action's prior must not be rounded to zero
_MOST_NARROW = 2**16  # nodes or actions that a 16-bit number can name


class Tree(struct.PyTreeNode):
    """`N` nodes of `K` slots for each of `B` games; `V` numbers make up a value."""

    child: Integer[Array, "B N K"]  # nodes below, in the order in which they were made
    log_prior: Float[Array, "B N K"]  # by slot; EXPANDED where there is nothing to expand
    action: Integer[Array, "B N K"] | None  # by slot; None: slot and action are the same
    children: Int32[Array, "B N"]  # how many were made
    unexpanded_slot: Int32[Array, "B N"]  # the best slot without child
    unexpanded_prior: Float[Array, "B N"]  # prior of all slots without child together
    next_slot: Int32[Array, "B N"]  # where the next visit of the node goes on (closed loop)
    next_child: Int32[Array, "B N"]  # the same; NO_CHILD if it makes a child
    next_prior: Float[Array, "B N"]  # of that edge
    slot: Int32[Array, "B N"]  # of the parent, that leads to the node
    prior: Float[Array, "B N"]  # of the edge that leads to the node
    parent: Int32[Array, "B N"]  # the root is its own
    visits: Int32[Array, "B N"]  # 1 + those of the children
    value: Float[Array, "B N V"]  # mean of the values found at the node and below
    raw_value: Float[Array, "B N V"]  # what the evaluator said
    seat: Int8[Array, "B N"]  # seat to move, or OVER
    state: UInt32[Array, "B N words"] | None  # None: nodes stand for sequences of actions
    used: Int32[Array, "B"]  # nodes in use; they are the first ones


class Size(NamedTuple):
    """The sizes of a tree."""

    batch: int
    nodes: int
    slots: int
    num_actions: int | None  # of the game; None if slot and action are the same
    value_size: int
    words: int | None
    wide: bool  # 32-bit edges: 8 bytes an edge instead of 4


class Nodes(NamedTuple):
    """What is known of one new node in each of `W` lanes."""

    log_prior: Float[Array, "W K"]  # EXPANDED in empty slots; the priors add up to 1
    action: Int32[Array, "W K"]
    value: Float[Array, "W V"]
    seat: Int32[Array, "W"]
    state: UInt32[Array, "W words"] | None


class View(NamedTuple):
    """One node in each of `W` lanes with its first `C` children, as its seat to move sees it."""

    visits: Int32[Array, "W"]
    value: Float[Array, "W"]
    raw_value: Float[Array, "W"]
    is_child: Bool[Array, "W C"]
    node: Int32[Array, "W C"]  # children
    slot: Int32[Array, "W C"]  # that lead to them
    prior: Float[Array, "W C"]
    child_visits: Int32[Array, "W C"]  # 0 where there is no child
    qvalues: Float[Array, "W C"]  # any number where there is no child
    unexpanded_slot: Int32[Array, "W"]  # the best slot without child
    best_unexpanded_prior: Float[Array, "W"]  # its prior; 0 if there is none
    unexpanded_prior: Float[Array, "W"]  # of all slots without child together


class Choice(NamedTuple):
    """What a selection rule prefers: a child, or the best slot without one."""

    child: Int32[Array, "W"]  # its place among the children
    expands: Bool[Array, "W"]


class Edge(NamedTuple):
    """One edge of the tree in each of `W` lanes."""

    slot: Int32[Array, "W"]
    child: Int32[Array, "W"]  # NO_CHILD if nobody was there before
    prior: Float[Array, "W"]


def empty(size: Size) -> Tree:
    """Returns trees without nodes."""
    nodes = (size.batch, size.nodes)
    edges = (*nodes, size.slots)
    is_narrow = not size.wide and size.nodes <= _MOST_NARROW
    return Tree(
        child=jnp.zeros(edges, jnp.uint16 if is_narrow else jnp.int32),
        log_prior=jnp.zeros(edges, jnp.float32 if size.wide else jnp.float16),
        action=_empty_actions(edges, size.num_actions),
        children=jnp.zeros(nodes, jnp.int32),
        unexpanded_slot=jnp.zeros(nodes, jnp.int32),
        unexpanded_prior=jnp.zeros(nodes, jnp.float32),
        next_slot=jnp.zeros(nodes, jnp.int32),
        next_child=jnp.zeros(nodes, jnp.int32),
        next_prior=jnp.zeros(nodes, jnp.float32),
        slot=jnp.zeros(nodes, jnp.int32),
        prior=jnp.zeros(nodes, jnp.float32),
        parent=jnp.zeros(nodes, jnp.int32),
        visits=jnp.zeros(nodes, jnp.int32),
        value=jnp.zeros((*nodes, size.value_size), jnp.float32),
        raw_value=jnp.zeros((*nodes, size.value_size), jnp.float32),
        seat=jnp.full(nodes, OVER, jnp.int8),
        state=None if size.words is None else jnp.zeros((*nodes, size.words), jnp.uint32),
        used=jnp.zeros((size.batch,), jnp.int32),
    )


def _empty_actions(shape: tuple[int, int, int], num_actions: int | None) -> Array | None:
    if num_actions is None:
        return None
    return jnp.zeros(shape, jnp.uint16 if num_actions <= _MOST_NARROW else jnp.int32)


def of_seat(value: Float[Array, "*any V"], seat: Int32[Array, "*any"]) -> Float[Array, "*any"]:
    """Returns the value of a seat; one number `V` is that of seat 0, of two in a zero-sum game."""
    if value.shape[-1] == 1:
        return jnp.where(seat == 1, -value[..., 0], value[..., 0])
    return jnp.take_along_axis(value, seat[..., None], axis=-1)[..., 0]


def view(
    tree: Tree,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    seat: Int32[Array, "W"],
    width: int | None = None,
) -> View:
    """Returns one node in each lane as `seat` sees it, with its first `width` children, or all."""
    slots = tree.child.shape[2]
    order = jnp.arange(slots if width is None else min(width, slots))
    rows = lanes[:, None]
    is_child = order < tree.children[lanes, node][:, None]
    child = tree.child[rows, node[:, None], order].astype(jnp.int32)
    if tree.value.shape[-1] == 1:
        sign = jnp.where(seat == 1, -1.0, 1.0)
        qvalues = sign[:, None] * tree.value[..., 0][rows, child]
    else:
        qvalues = tree.value[rows, child, seat[:, None]]
    unexpanded_slot = tree.unexpanded_slot[lanes, node]
    return View(
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
    )


def view_root(tree: Tree, lanes: Int32[Array, "W"]) -> View:
    """Returns the roots with all children."""
    root = jnp.full_like(lanes, ROOT)
    return view(tree, lanes, root, tree.seat[lanes, root].astype(jnp.int32))


def follow(tree: Tree, lanes: Int32[Array, "W"], seen: View, choice: Choice) -> Edge:
    """Returns the edge of a choice."""
    child, prior = (
        jnp.take_along_axis(x, choice.child[:, None], axis=-1)[:, 0]
        for x in (seen.node, seen.prior)
    )
    return Edge(
        slot=jnp.where(choice.expands, seen.unexpanded_slot, tree.slot[lanes, child]),
        child=jnp.where(choice.expands, NO_CHILD, child),
        prior=jnp.where(choice.expands, seen.best_unexpanded_prior, prior),
    )


def can_descend(tree: Tree, lanes: Int32[Array, "W"], child: Int32[Array, "W"]) -> Bool[Array, "W"]:
    """Returns whether there is a child and its game goes on."""
    return (child != NO_CHILD) & (tree.seat[lanes, child] != OVER)


def first_greatest(numbers: Float[Array, "W C"]) -> Int32[Array, "W"]:
    """Returns what `argmax` does, in half the time on a CPU: it is two loops without branches.

    The numbers must not be NaN.
    """
    slots = jnp.arange(numbers.shape[-1], dtype=jnp.int32)
    is_greatest = numbers == numbers.max(axis=-1, keepdims=True)
    return jnp.where(is_greatest, slots, numbers.shape[-1] - 1).min(axis=-1)


def prior_of(log_prior: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """Returns the prior of slots as 32-bit numbers; 0 for closed ones."""
    return jnp.exp(log_prior.astype(jnp.float32))


def log_prior_of(
    logits: Float[Array, "B actions"], action: Int32[Array, "B K"], filled: Bool[Array, "B K"]
) -> Float[Array, "B K"]:
    """Returns the logarithm of the prior among the filled slots, and EXPANDED for the others."""
    logits = action_slots.at_slots(logits, action)
    logits = jnp.where(filled, logits, jnp.finfo(logits.dtype).min)
    log_prior = jnp.maximum(jax.nn.log_softmax(logits), _LEAST_LOG_PRIOR)
    return jnp.where(filled, log_prior, EXPANDED)


def write_node(
    tree: Tree,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    new: Nodes,
    order: Float[Array, "W K"] | None = None,
) -> Tree:
    """Returns the tree with one node, without children, written in each lane.

    Visits and mean value stay as they are. `order` says which slots are best, if not the prior.
    """
    order = new.log_prior if order is None else order
    best = first_greatest(order)
    best_prior = prior_of(jnp.take_along_axis(new.log_prior, best[:, None], axis=-1)[:, 0])
    return tree.replace(
        log_prior=put(tree.log_prior, lanes, node, new.log_prior),
        action=None if tree.action is None else put(tree.action, lanes, node, new.action),
        children=put(tree.children, lanes, node, jnp.zeros_like(node)),
        unexpanded_slot=put(tree.unexpanded_slot, lanes, node, best),
        unexpanded_prior=put(tree.unexpanded_prior, lanes, node, jnp.ones_like(node)),
        next_slot=put(tree.next_slot, lanes, node, best),
        next_child=put(tree.next_child, lanes, node, jnp.full_like(node, NO_CHILD)),
        next_prior=put(tree.next_prior, lanes, node, best_prior),
        raw_value=put(tree.raw_value, lanes, node, new.value),
        seat=put(tree.seat, lanes, node, new.seat),
        state=(
            None
            if tree.state is None or new.state is None
            else put(tree.state, lanes, node, new.state)
        ),
    )


def link(
    tree: Tree,
    lanes: Int32[Array, "W"],
    parent: Int32[Array, "W"],
    slot: Int32[Array, "W"],
    prior: Float[Array, "W"],
    child: Int32[Array, "W"],
    root_order: Float[Array, "W K"],
) -> Tree:
    """Returns the tree with the next free node as a child below `parent`.

    `prior` is that of the slot. It is not read here: a read that need not come before the write of
    the same array makes the compiler copy the array. The best slot left follows from the priors, or
    at a root from `root_order`.
    """
    count = tree.children[lanes, parent]
    log_prior = tree.log_prior.at[lanes, parent, slot].set(
        EXPANDED, mode="drop", unique_indices=True
    )
    left = log_prior[lanes, parent].astype(jnp.float32)
    by_root_order = (parent == ROOT)[:, None] & (left > EXPANDED)
    order = jnp.where(by_root_order, root_order, left)
    number = child.astype(tree.child.dtype)
    return tree.replace(
        child=tree.child.at[lanes, parent, count].set(number, mode="drop", unique_indices=True),
        log_prior=log_prior,
        children=put(tree.children, lanes, parent, count + 1),
        unexpanded_slot=put(tree.unexpanded_slot, lanes, parent, first_greatest(order)),
        unexpanded_prior=put(tree.unexpanded_prior, lanes, parent, prior_of(left).sum(axis=-1)),
        slot=put(tree.slot, lanes, child, slot),
        prior=put(tree.prior, lanes, child, prior),
        parent=put(tree.parent, lanes, child, parent),
        used=tree.used.at[lanes].add(1, mode="drop", unique_indices=True),
    )


def put(array: Array, lanes: Int32[Array, "W"], node: Int32[Array, "W"], rows: Array) -> Array:
    """Returns the array with one row written in each lane."""
    rows = rows.astype(array.dtype)
    return array.at[lanes, node].set(rows, mode="drop", unique_indices=True)
