"""`Tree`: a finished search with the fields of mctx's tree, computed when somebody reads them.

The search keeps statistics by node (`jaxgames.search.tree.arrays`). Arrays by node and action are
larger than the whole rest, and hardly anybody reads them; so they are computed on demand.
`NodeTree` has the same fields for one node alone, for functions that select actions.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.internal import jax_modes
from jaxgames.search.mctx.base import FieldMapping, RecurrentState
from jaxgames.search.tree import arrays, views
from jaxgames.search.tree.arrays import EXPANDED, NO_CHILD, ROOT, Edge
from jaxgames.search.tree.model_search import LEAST_LOG_PRIOR

T = TypeVar("T")


class SearchSummary(struct.PyTreeNode, FieldMapping):
    """Statistics of the roots."""

    visit_counts: Float[Array, "B num_actions"]
    """The visits of each action."""
    visit_probs: Float[Array, "B num_actions"]
    """The share of the visits; equal shares where there was none."""
    value: Float[Array, "B"]
    """The value that the search found."""
    qvalues: Float[Array, "B num_actions"]
    """The Q-value of each action; 0 for actions that were not visited."""


class _OnDemand:
    """A field of `Tree` that is computed when it is read, and kept if it is no tracer."""

    def __init__(self, of_one: Callable[[Any], Array]) -> None:
        self._of_one = of_one
        self.__doc__ = of_one.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @jax_modes.standard_promotion
    def __get__(self, tree: Any, owner: type | None = None) -> Any:
        if tree is None:
            return self
        if self._name not in tree.__dict__:
            of_all = self._of_one
            for _ in range(tree.nodes.visits.ndim - 1):  # `scan` and `vmap` add axes before `B`
                of_all = jax.vmap(of_all)
            found = of_all(tree)
            if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(found)):
                return found
            tree.__dict__[self._name] = found
        return tree.__dict__[self._name]


class Tree(struct.PyTreeNode, Generic[T]):
    """The trees of a finished search; indexed with one lane, the tree of this lane.

    The fields below have shapes `[B, N]` and `[B, N, num_actions]`, or one axis less for one lane.
    """

    nodes: arrays.Trees
    """The statistics as the search keeps them."""
    root_invalid_actions: Float[Array, "B num_actions"]
    """The mask of actions that are invalid at the root."""
    extra_data: T
    """What the policy keeps beside the tree."""
    num_actions: int = struct.field(pytree_node=False)
    """The number of actions, without the outcomes of chance."""

    ROOT_INDEX: ClassVar[int] = ROOT
    NO_PARENT: ClassVar[int] = -1
    UNVISITED: ClassVar[int] = -1

    @property
    def num_simulations(self) -> int:
        """The number of simulations."""
        return int(self.nodes.visits.shape[-1]) - 1

    @property
    def node_visits(self) -> Int32[Array, "B N"]:
        """The visits of each node."""
        return self.nodes.visits

    @property
    def raw_values(self) -> Float[Array, "B N"]:
        """The value that the model gave each node."""
        return self.nodes.raw_value[..., 0]

    @property
    def node_values(self) -> Float[Array, "B N"]:
        """The value that the search found for each node."""
        return self.nodes.value[..., 0]

    @property
    def embeddings(self) -> RecurrentState:
        """The embedding of each node."""
        return self.nodes.state

    @_OnDemand
    def parents(self) -> Int32[Array, "N"]:
        """The parent of each node; `NO_PARENT` for the root and for unused nodes."""
        return jnp.where(_is_child(self.nodes), self.nodes.parent, -1)

    @_OnDemand
    def action_from_parent(self) -> Int32[Array, "N"]:
        """The action that leads to each node; `NO_PARENT` where there is no parent."""
        return jnp.where(_is_child(self.nodes), self.nodes.slot, -1)

    @_OnDemand
    def children_index(self) -> Int32[Array, "N num_actions"]:
        """The child behind each action; `UNVISITED` where there is none."""
        return _by_action(self, jnp.arange(self.nodes.visits.shape[-1], dtype=jnp.int32), -1)

    @_OnDemand
    def children_visits(self) -> Int32[Array, "N num_actions"]:
        """The visits of each child."""
        return _by_action(self, self.nodes.visits, 0)

    @_OnDemand
    def children_values(self) -> Float[Array, "N num_actions"]:
        """The value of each child."""
        return _by_action(self, self.nodes.value[..., 0], 0)

    @_OnDemand
    def children_rewards(self) -> Float[Array, "N num_actions"]:
        """The reward of each action that has a child; else 0."""
        return _by_action(self, _rewards(self.nodes), 0)

    @_OnDemand
    def children_discounts(self) -> Float[Array, "N num_actions"]:
        """The discount of each action that has a child; else 0."""
        return _by_action(self, _discounts(self.nodes), 0)

    @_OnDemand
    def children_prior_logits(self) -> Float[Array, "N num_actions"]:
        """The logits of the prior, less a number for each node that makes priors add up to 1."""
        nodes, shown = self.nodes, slice(0, self.num_actions)
        at = jnp.where(_is_child(nodes), nodes.parent, nodes.visits.shape[-1])
        # The root keeps a mark in place of the logits of invalid actions; so does a linked slot.
        logits = jnp.maximum(nodes.log_prior, LEAST_LOG_PRIOR)
        found = logits.at[at, nodes.slot].set(_log(nodes.prior), mode="drop")
        return found[:, shown]

    @jax_modes.standard_promotion
    def qvalues(self, indices: Int32[Array, "B"] | int) -> Float[Array, "B num_actions"]:
        """Returns the Q-values of a node of each lane, or of one node of a tree of one lane.

        Raises:
            ValueError: if there are not as many axes of lanes in `indices` as in the tree.
        """
        if jnp.ndim(indices) != self.nodes.visits.ndim - 1 or jnp.ndim(indices) > 1:
            raise ValueError(
                f"qvalues takes one index for each lane of at most one axis: the tree has lanes "
                f"{self.nodes.visits.shape[:-1]}, the indices {jnp.shape(indices)}"
            )
        rewards, discounts, values = (
            self.children_rewards,
            self.children_discounts,
            self.children_values,
        )
        if jnp.ndim(indices) == 0:
            return rewards[indices] + discounts[indices] * values[indices]
        lanes = jnp.arange(len(rewards))
        return rewards[lanes, indices] + discounts[lanes, indices] * values[lanes, indices]

    @jax_modes.standard_promotion
    def summary(self) -> SearchSummary:
        """Returns the statistics of the roots; costs nothing for the other nodes.

        Raises:
            ValueError: unless the tree has one axis of lanes.
        """
        if self.nodes.visits.ndim != 2:
            raise ValueError(
                f"summary takes a tree of shape [B, N], got {self.nodes.visits.shape}; "
                "use jax.vmap for more axes"
            )
        root = self.one_node(jnp.zeros(len(self.nodes.visits), jnp.int32))
        value = self.nodes.value[:, ROOT, 0]
        visits = root.children_visits[:, 0].astype(value.dtype)
        total = visits.sum(axis=-1, keepdims=True)
        share = jnp.where(total > 0, visits / jnp.maximum(total, 1), 1 / self.num_actions)
        qvalues = jax.vmap(lambda tree: tree.qvalues(0))(root)
        return SearchSummary(visit_counts=visits, visit_probs=share, value=value, qvalues=qvalues)

    @jax_modes.standard_promotion
    def one_node(self, node: Int32[Array, "B"]) -> "NodeTree":
        """Returns one node of each lane as a tree of its own."""
        return one_node(
            self.nodes, node, self.root_invalid_actions, self.extra_data, self.num_actions
        )


class NodeTree(struct.PyTreeNode):
    """One node with its edges: a tree whose only node has the index 0.

    Functions that select actions get it in place of the whole tree, without the axis `B`. It has
    no `parents`: such a function sees the node that it selects at, not the rest of the tree. The
    least and the greatest value of `node_values` are those of this node, for instance.
    """

    node_visits: Int32[Array, "B 1"]
    raw_values: Float[Array, "B 1"]
    node_values: Float[Array, "B 1"]
    children_index: Int32[Array, "B 1 num_actions"]
    children_prior_logits: Float[Array, "B 1 num_actions"]
    children_visits: Int32[Array, "B 1 num_actions"]
    children_rewards: Float[Array, "B 1 num_actions"]
    children_discounts: Float[Array, "B 1 num_actions"]
    children_values: Float[Array, "B 1 num_actions"]
    embeddings: RecurrentState
    root_invalid_actions: Float[Array, "B num_actions"]
    extra_data: Any
    num_simulations: int = struct.field(pytree_node=False)

    ROOT_INDEX: ClassVar[int] = ROOT
    UNVISITED: ClassVar[int] = -1

    @property
    def num_actions(self) -> int:
        """The number of actions."""
        return int(self.children_visits.shape[-1])

    def qvalues(self, index: Any) -> Float[Array, "num_actions"]:
        """Returns the Q-values of the node, without batch axis."""
        discounted = self.children_discounts[index] * self.children_values[index]
        return self.children_rewards[index] + discounted


def one_node(
    nodes: arrays.Trees,
    node: Int32[Array, "B"],
    root_invalid_actions: Float[Array, "B num_actions"],
    extra_data: Any,
    num_actions: int,
) -> NodeTree:
    """Returns one node of each lane as a tree of its own, with all actions."""
    batch, _, slots = nodes.log_prior.shape
    lanes = jnp.arange(batch)
    rows = lanes[:, None]
    child, is_child = views.children(nodes, lanes, node)
    at = jnp.where(is_child, nodes.slot[rows, child], slots)

    def by_action(numbers: Array, start: Array) -> Array:
        found = start.at[rows, at].set(numbers[rows, child], mode="drop", unique_indices=True)
        return found[:, None, :num_actions]

    def zeros(dtype: Any) -> Array:
        return jnp.zeros((batch, slots), dtype)

    dtype = nodes.value.dtype
    own_index = jnp.broadcast_to(
        jnp.arange(nodes.visits.shape[1], dtype=jnp.int32), nodes.slot.shape
    )
    logits = jnp.maximum(nodes.log_prior[lanes, node], LEAST_LOG_PRIOR)
    return NodeTree(
        node_visits=nodes.visits[lanes, node][:, None],
        raw_values=nodes.raw_value[lanes, node],
        node_values=nodes.value[lanes, node],
        children_index=by_action(own_index, jnp.full((batch, slots), -1, jnp.int32)),
        children_prior_logits=by_action(_log(nodes.prior), logits),
        children_visits=by_action(nodes.visits, zeros(jnp.int32)),
        children_rewards=by_action(_rewards(nodes), zeros(dtype)),
        children_discounts=by_action(_discounts(nodes), zeros(dtype)),
        children_values=by_action(nodes.value[..., 0], zeros(dtype)),
        embeddings=jax.tree.map(lambda x: x[lanes, node][:, None], nodes.state),
        root_invalid_actions=root_invalid_actions,
        extra_data=extra_data,
        num_simulations=nodes.visits.shape[1] - 1,
    )


def edge_of(nodes: arrays.Trees, node: Int32[Array, "B"], action: Int32[Array, "B"]) -> Edge:
    """Returns the edge of an action at one node of each lane."""
    lanes = jnp.arange(len(nodes.used))
    child, is_child = views.children(nodes, lanes, node)
    is_taken = is_child & (nodes.slot[lanes[:, None], child] == action[:, None])
    found = jnp.where(is_taken, child, NO_CHILD).max(axis=-1)
    unexpanded = arrays.prior_of(nodes.log_prior[lanes, node, action])
    prior = jnp.where(found == NO_CHILD, unexpanded, nodes.prior[lanes, found])
    return Edge(slot=action, child=found, prior=prior)


def _is_child(nodes: arrays.Trees) -> Bool[Array, "N"]:
    number = jnp.arange(nodes.visits.shape[-1])
    return (nodes.visits > 0) & (number != ROOT)


def _by_action(tree: Tree, by_node: Array, fill: int) -> Array:
    """Returns numbers by parent and action from numbers by child, for one lane."""
    count = by_node.shape[0]
    slots = tree.nodes.log_prior.shape[-1]
    parent = jnp.where(_is_child(tree.nodes), tree.nodes.parent, count)
    found = jnp.full((count, slots), fill, by_node.dtype)
    found = found.at[parent, tree.nodes.slot].set(by_node, mode="drop")
    return found[:, : tree.num_actions]


def _rewards(nodes: arrays.Trees) -> Array:
    value = nodes.value[..., 0]
    return jnp.zeros_like(value) if nodes.reward is None else nodes.reward[..., 0]


def _discounts(nodes: arrays.Trees) -> Array:
    return jnp.ones_like(nodes.value[..., 0]) if nodes.discount is None else nodes.discount


def _log(prior: Array) -> Array:
    """Returns the logarithms of priors, as `arrays.Trees.log_prior` has them."""
    return jnp.maximum(jnp.log(prior), LEAST_LOG_PRIOR)


assert LEAST_LOG_PRIOR > EXPANDED
