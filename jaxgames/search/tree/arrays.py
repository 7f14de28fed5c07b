"""The search trees of a batch of games as arrays, and the operations on them.

Every operation names the games that it works on (`lanes`) and reads or writes only their rows. A
lane that takes no part is given a number that does not exist: scatters drop its rows. So a loop can
carry the tree without copying it.

Axes: `B` games, `W` lanes of one operation, `N` nodes, `K` slots of a node (see `action_slots`),
`M` children that a node can have (the least of `K` and `N - 1`), `C` children that are read
together, `V` numbers of a value.

Two properties keep a simulation cheap, however many actions a game has:

* Statistics of an edge are stored at the child: visits (a node is visited as often as the edge that
  leads to it), prior, and a value for every seat. In a game, no edge needs a reward or a discount:
  the outcome of a finished game is the value of the node that ends it. A learned model may have
  both; they are stored at the child too.
* Slots without a child differ in their priors only. So a selection looks at the children, which are
  few, and at two numbers that change only when a child is added: the best prior of the other slots
  and the sum of their priors.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32, Integer

from jaxgames.boards import bits
from jaxgames.search import action_slots

ROOT = 0
NO_CHILD = 0  # the root is never a child
OVER = -1  # in place of the seat to move, where the game has ended
CHANCE = -2  # in place of the seat to move, where chance draws one of the slots
EXPANDED = -65504.0  # log prior of a slot that has a child or no action: the least 16-bit float

_MIN_LOG_PRIOR = -80.0  # so that the prior of a legal action is not rounded to zero


class Trees(struct.PyTreeNode):
    """Search trees of `B` games, with `N` nodes of `K` slots each.

    Node 0 is the root. Children come after their parents. A value is one number (`V = 1`: the value
    of seat 0) in zero-sum games of two seats, else one number for each seat.
    """

    child: Integer[Array, "B N M"]
    """The children of each node, in the order in which they were added; not indexed by slot."""
    log_prior: Float[Array, "B N K"]
    """The logarithm of the prior of each slot; `EXPANDED` where a slot has a child or no action."""
    action: Integer[Array, "B N K"] | None
    """The action of each slot; None where slot and action are the same."""
    children: Int32[Array, "B N"]
    """The number of children of each node."""
    unexpanded_slot: Int32[Array, "B N"]
    """The best slot of each node that has no child yet."""
    unexpanded_prior: Float[Array, "B N"]
    """The sum of the priors of all slots of a node that have no child yet."""
    next_slot: Int32[Array, "B N"]
    """The slot that the next simulation takes at each node (closed loop only)."""
    next_child: Int32[Array, "B N"]
    """The child behind `next_slot`; `NO_CHILD` if that simulation will add it."""
    next_prior: Float[Array, "B N"]
    """The prior of `next_slot`."""
    slot: Int32[Array, "B N"]
    """The slot of the parent that leads to each node."""
    prior: Float[Array, "B N"]
    """The prior of the edge that leads to each node."""
    parent: Int32[Array, "B N"]
    """The parent of each node; the root is its own parent."""
    visits: Int32[Array, "B N"]
    """The visits of each node: 1 and those of its children."""
    value: Float[Array, "B N V"]
    """The mean of the values found at each node and below it."""
    raw_value: Float[Array, "B N V"]
    """The value that the evaluator gave each node, or the outcome where the game is over."""
    seat: Int8[Array, "B N"]
    """The seat to move at each node; `OVER` where the game has ended."""
    state: Any
    """What each node stands for: the packed game state, `[B, N, words]` uint32; the embedding of a
    model, any arrays `[B, N, ...]`; None in open loop, where nodes have no state."""
    reward: Float[Array, "B N V"] | None
    """The reward of the edge that leads to each node; None where edges have none."""
    discount: Float[Array, "B N"] | None
    """The factor between each node's value and its value for the parent; None where it is 1."""
    unexpanded_lead: Float[Array, "B N"] | None
    """How much the prior of `unexpanded_slot` exceeds the next one; None: ties do not matter."""
    next_tied: Bool[Array, "B N"] | None
    """Whether `next_slot` leads by so little that noise decides; None: ties do not matter."""
    used: Int32[Array, "B"]
    """The number of nodes in use: nodes `0` to `used - 1`."""


class Nodes(NamedTuple):
    """The contents of one new node in each of `W` lanes."""

    log_prior: Float[Array, "W K"]  # EXPANDED in empty slots; the priors add up to 1
    action: Int32[Array, "W K"]
    value: Float[Array, "W V"]
    seat: Int32[Array, "W"]
    state: Any  # packed states `[W, words]`, embeddings `[W, ...]`, or None


class NodeView(NamedTuple):
    """One node in each of `W` lanes with its first `C` children, as one seat sees it.

    Where `is_child` is false, there is no child: `child_visits` is 0, other numbers are arbitrary.
    """

    visits: Int32[Array, "W"]
    """The visits of the node."""
    value: Float[Array, "W"]
    """The mean value of the node for the seat."""
    raw_value: Float[Array, "W"]
    """The evaluator's value of the node for the seat."""
    is_child: Bool[Array, "W C"]
    """The mask of the entries that hold a child."""
    node: Int32[Array, "W C"]
    """The children."""
    slot: Int32[Array, "W C"]
    """The slots that lead to the children."""
    prior: Float[Array, "W C"]
    """The priors of these slots."""
    child_visits: Int32[Array, "W C"]
    """The visits of the children."""
    qvalues: Float[Array, "W C"]
    """The mean values of the children for the seat."""
    unexpanded_slot: Int32[Array, "W"]
    """The best slot without a child."""
    best_unexpanded_prior: Float[Array, "W"]
    """The prior of that slot; 0 if every slot has a child."""
    unexpanded_prior: Float[Array, "W"]
    """The sum of the priors of all slots without a child."""
    unexpanded_lead: Float[Array, "W"] | None
    """How much the best of these slots leads the next one by, in prior; None if not kept."""
    seat: Int32[Array, "W"]
    """The seat to move."""


class ChildChoice(NamedTuple):
    """What a selection rule prefers in each of `W` lanes: a child, or the best slot without one."""

    child: Int32[Array, "W"]  # index into the children of the view
    expands: Bool[Array, "W"]  # whether `unexpanded_slot` is taken instead
    tied: Bool[Array, "W"] | None = None  # whether noise may prefer another; None: there is none


class Edge(NamedTuple):
    """One edge of the tree in each of `W` lanes."""

    slot: Int32[Array, "W"]
    child: Int32[Array, "W"]  # NO_CHILD if the edge leads to no node yet
    prior: Float[Array, "W"]
    tied: Bool[Array, "W"] | None = None  # see `ChildChoice`


def of_seat(value: Float[Array, "*any V"], seat: Int32[Array, "*any"]) -> Float[Array, "*any"]:
    """Returns the value of one seat. With `V = 1`, seat 1 has the negative value of seat 0."""
    if value.shape[-1] == 1:
        return jnp.where(seat == 1, -value[..., 0], value[..., 0])
    return jnp.take_along_axis(value, seat[..., None], axis=-1)[..., 0]


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
    most = tree.child.shape[2]
    order = jnp.arange(most if width is None else min(width, most))
    rows = lanes[:, None]
    is_child = order < tree.children[lanes, node][:, None]
    child = tree.child[rows, node[:, None], order].astype(jnp.int32)
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
    root = jnp.full_like(lanes, ROOT)
    return view(tree, lanes, root, tree.seat[lanes, root].astype(jnp.int32))


def follow(tree: Trees, lanes: Int32[Array, "W"], seen: NodeView, choice: ChildChoice) -> Edge:
    """Returns the edge that a choice at a viewed node takes."""
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


def can_descend(
    tree: Trees, lanes: Int32[Array, "W"], child: Int32[Array, "W"]
) -> Bool[Array, "W"]:
    """Returns the mask of lanes that have a child at which the game goes on."""
    return (child != NO_CHILD) & (tree.seat[lanes, child] != OVER)


def first_greatest(numbers: Float[Array, "W C"]) -> Int32[Array, "W"]:
    """Returns the index of the first greatest number of each row, as `argmax` does.

    Two loops without branches take half the time of `argmax` on a CPU. The numbers must not be NaN.
    """
    slots = jnp.arange(numbers.shape[-1], dtype=jnp.int32)
    is_greatest = numbers == numbers.max(axis=-1, keepdims=True)
    return jnp.where(is_greatest, slots, numbers.shape[-1] - 1).min(axis=-1)


def prior_of(log_prior: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """Returns priors of at least 32 bits; 0 where the log prior is `EXPANDED`."""
    return jnp.exp(_at_least_32_bits(log_prior))


def _at_least_32_bits(numbers: Float[Array, "*any"]) -> Float[Array, "*any"]:
    return numbers.astype(jnp.promote_types(numbers.dtype, jnp.float32))


def log_prior_of(
    logits: Float[Array, "B actions"], action: Int32[Array, "B K"], filled: Bool[Array, "B K"]
) -> Float[Array, "B K"]:
    """Returns the log softmax of the logits over the filled slots; `EXPANDED` in the others."""
    logits = action_slots.at_slots(logits, action)
    logits = jnp.where(filled, logits, jnp.finfo(logits.dtype).min)
    log_prior = jnp.maximum(jax.nn.log_softmax(logits), _MIN_LOG_PRIOR)
    return jnp.where(filled, log_prior, EXPANDED)


def write_node(
    tree: Trees,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    new: Nodes,
    order: Float[Array, "W K"] | None = None,
) -> Trees:
    """Returns the trees with one node without children written in each lane.

    Visits and mean value stay as they are. The best slot is the one of greatest `order`, or of
    greatest prior where no order is given.
    """
    order = new.log_prior if order is None else order
    action = read_before(new.action, lanes)
    state = read_before(new.state, lanes)
    best = first_greatest(order)
    best_prior = prior_of(jnp.take_along_axis(new.log_prior, best[:, None], axis=-1)[:, 0])
    return tree.replace(
        log_prior=put(tree.log_prior, lanes, node, new.log_prior),
        action=None if tree.action is None else put(tree.action, lanes, node, action),
        children=put(tree.children, lanes, node, jnp.zeros_like(node)),
        unexpanded_slot=put(tree.unexpanded_slot, lanes, node, best),
        unexpanded_prior=put(tree.unexpanded_prior, lanes, node, jnp.ones_like(node)),
        next_slot=put(tree.next_slot, lanes, node, best),
        next_child=put(tree.next_child, lanes, node, jnp.full_like(node, NO_CHILD)),
        next_prior=put(tree.next_prior, lanes, node, best_prior),
        raw_value=put(tree.raw_value, lanes, node, new.value),
        seat=put(tree.seat, lanes, node, new.seat),
        state=jax.tree.map(lambda old, rows: put(old, lanes, node, rows), tree.state, state),
        unexpanded_lead=(
            None
            if tree.unexpanded_lead is None
            else put(tree.unexpanded_lead, lanes, node, _lead(order, new.log_prior))
        ),
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
    count = read_before(tree.children[lanes, parent], lanes)
    log_prior = tree.log_prior.at[lanes, parent, slot].set(
        EXPANDED, mode="drop", unique_indices=True
    )
    left = _at_least_32_bits(log_prior[lanes, parent])
    order = left
    if root_order is not None:
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
        unexpanded_lead=(
            None
            if tree.unexpanded_lead is None
            else put(tree.unexpanded_lead, lanes, parent, _lead(order, left))
        ),
        used=tree.used.at[lanes].add(1, mode="drop", unique_indices=True),
    )


def read_before(values: Any, lanes: Int32[Array, "W"]) -> Any:
    """Returns values that depend on a tree, the integers ready before the tree is written.

    With a single lane, a CPU would compute them again in the write of another value. An array that
    is read where it is written is copied as a whole: a search of 2^14 nodes took twice as long.
    """
    if len(lanes) > 1:
        return values
    return jax.tree.map(
        lambda x: bits.computed_once(x) if jnp.issubdtype(x.dtype, jnp.integer) else x, values
    )


def put(array: Array, lanes: Int32[Array, "W"], node: Int32[Array, "W"], rows: Array) -> Array:
    """Returns the array with one row written in each lane."""
    rows = rows if rows.dtype == array.dtype else rows.astype(array.dtype)
    return array.at[lanes, node].set(rows, mode="drop", unique_indices=True)
