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

from jaxgames.search import action_slots
from jaxgames.search.tree import access

ROOT = 0
NO_CHILD = 0  # the root is never a child
OVER = -1  # in place of the seat to move, where the game has ended
CHANCE = -2  # in place of the seat to move, where chance draws one of the slots
EXPANDED = -65504.0  # log prior of a slot that has a child or no action: the least 16-bit float

_MIN_LOG_PRIOR = -80.0  # so that the prior of a legal action is not rounded to zero


class Links(NamedTuple):
    """How the nodes of `B` trees find their children, and what each of them selects next."""

    child: Integer[Array, "B N M"]
    """The children of each node, in the order in which they were added; not indexed by slot."""
    children: Int32[Array, "B N"]
    """The number of children of each node."""
    next_slot: Int32[Array, "B N"]
    """The slot that the next simulation takes at each node (closed loop only)."""
    next_child: Int32[Array, "B N"]
    """The child behind `next_slot`; `NO_CHILD` if that simulation will add it."""
    next_prior: Float[Array, "B N"]
    """The prior of `next_slot`."""
    next_tied: Bool[Array, "B N"] | None
    """Whether `next_slot` leads by so little that noise decides; None: ties do not matter."""


class Trees(struct.PyTreeNode):
    """Search trees of `B` games, with `N` nodes of `K` slots each.

    Node 0 is the root. Children come after their parents. A value is one number (`V = 1`: the value
    of seat 0) in zero-sum games of two seats, else one number for each seat.
    """

    log_prior: Float[Array, "B N K"]
    """The logarithm of the prior of each slot; `EXPANDED` where a slot has a child or no action."""
    action: Integer[Array, "B N K"] | None
    """The action of each slot; None where slot and action are the same."""
    unexpanded_slot: Int32[Array, "B N"]
    """The best slot of each node that has no child yet."""
    unexpanded_prior: Float[Array, "B N"]
    """The sum of the priors of all slots of a node that have no child yet."""
    best_prior: Float[Array, "B N"] | None
    """The prior of `unexpanded_slot`, 0 if every slot has a child; None in trees with links, where
    it is looked up."""
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
    used: Int32[Array, "B"]
    """The number of nodes in use: nodes `0` to `used - 1`."""
    links: Links | None
    """None in trees that are read as a whole, see `whole.py`."""

    @property
    def is_whole(self) -> bool:
        """Whether the trees are read as a whole instead of followed along their links."""
        return self.links is None

    @property
    def stored(self) -> Links:
        """The links of trees that have them."""
        assert self.links is not None, "a tree that is read as a whole has no links"
        return self.links

    def read(self, array: Array, lanes: Int32[Array, "W"], node: Int32[Array, "W"]) -> Array:
        """Returns the rows of one of the arrays for one node of each lane."""
        return access.of_each(array, node) if self.is_whole else array[lanes, node]

    def put(
        self, array: Array, lanes: Int32[Array, "W"], node: Int32[Array, "W"], rows: Array
    ) -> Array:
        """Returns one of the arrays with one row written in each lane."""
        put = access.put_in_each if self.is_whole else access.put
        return put(array, lanes, node, rows)


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


def first_greatest(numbers: Float[Array, "W C"]) -> Int32[Array, "W"]:
    """Returns the index of the first greatest number of each row, as `argmax` does.

    Two loops without branches take half the time of `argmax` on a CPU. The numbers must not be NaN.
    """
    slots = jnp.arange(numbers.shape[-1], dtype=jnp.int32)
    is_greatest = numbers == numbers.max(axis=-1, keepdims=True)
    return jnp.where(is_greatest, slots, numbers.shape[-1] - 1).min(axis=-1)


def prior_of(log_prior: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """Returns priors of at least 32 bits; 0 where the log prior is `EXPANDED`."""
    return jnp.exp(at_least_32_bits(log_prior))


def at_least_32_bits(numbers: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """Returns numbers of at least 32 bits."""
    return numbers.astype(jnp.promote_types(numbers.dtype, jnp.float32))


def log_prior_of(
    logits: Float[Array, "B actions"], action: Int32[Array, "B K"], filled: Bool[Array, "B K"]
) -> Float[Array, "B K"]:
    """Returns the log softmax of the logits over the filled slots; `EXPANDED` in the others."""
    logits = action_slots.at_slots(logits, action)
    logits = jnp.where(filled, logits, jnp.finfo(logits.dtype).min)
    log_prior = jnp.maximum(jax.nn.log_softmax(logits), _MIN_LOG_PRIOR)
    return jnp.where(filled, log_prior, EXPANDED)
