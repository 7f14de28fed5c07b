"""The inputs and outputs of the policies, under the names that mctx gave them."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

T = TypeVar("T")
Params = Any
RecurrentState = Any
"""What a model knows of a state: any pytree whose leaves have a leading axis `B`."""


class RootFnOutput(struct.PyTreeNode):
    """What a model says of the states at the roots."""

    prior_logits: Float[Array, "B num_actions"]
    """The logits of the policy."""
    value: Float[Array, "B"]
    """The value of each state."""
    embedding: RecurrentState
    """The first argument of `recurrent_fn` at the root."""


class RecurrentFnOutput(struct.PyTreeNode):
    """What a model says of the states that actions lead to, and of the way there.

    Unlike in mctx, a reward or a discount may be None: all rewards are 0, all discounts 1. Then the
    search neither stores nor computes them.
    """

    reward: Float[Array, "B"] | None
    """The reward of each action."""
    discount: Float[Array, "B"] | None
    """The factor of each new state's value; -1 where the players alternate, 0 at the end."""
    prior_logits: Float[Array, "B num_actions"]
    """The logits of the policy in the new states."""
    value: Float[Array, "B"]
    """The value of each new state."""


class DecisionRecurrentFnOutput(struct.PyTreeNode):
    """What a model with chance says of the afterstates that actions lead to."""

    chance_logits: Float[Array, "B num_outcomes"]
    """The logits of the outcomes of chance."""
    afterstate_value: Float[Array, "B"]
    """The value of each afterstate."""


class ChanceRecurrentFnOutput(struct.PyTreeNode):
    """What a model with chance says of the states that outcomes of chance lead to."""

    action_logits: Float[Array, "B num_actions"]
    """The logits of the policy in the new states."""
    value: Float[Array, "B"]
    """The value of each new state."""
    reward: Float[Array, "B"] | None
    """The reward of the action and its outcome; None: 0."""
    discount: Float[Array, "B"] | None
    """The factor of each new state's value; None: 1."""


class StochasticRecurrentState(struct.PyTreeNode):
    """The embedding of a node in a search with chance: of a state, or of an afterstate."""

    state_embedding: RecurrentState
    """The embedding of the state; without meaning where the node is an afterstate."""
    afterstate_embedding: RecurrentState
    """The embedding of the afterstate; without meaning where the node is a state."""
    is_decision_node: Bool[Array, "B"]
    """Whether the node is a state."""


class GumbelMuZeroExtraData(struct.PyTreeNode):
    """What Gumbel MuZero keeps beside the tree."""

    root_gumbel: Float[Array, "B num_actions"]
    """The noise of each action at the root."""


class PolicyOutput(struct.PyTreeNode, Generic[T]):
    """The result of a policy."""

    action: Int32[Array, "B"]
    """The action to take."""
    action_weights: Float[Array, "B num_actions"]
    """The target of the policy network; adds up to 1."""
    search_tree: Any
    """The `Tree` of the finished search."""


RecurrentFn = Callable[
    [Params, PRNGKeyArray, Int32[Array, "B"], RecurrentState],
    tuple[RecurrentFnOutput, RecurrentState],
]
DecisionRecurrentFn = Callable[
    [Params, PRNGKeyArray, Int32[Array, "B"], RecurrentState],
    tuple[DecisionRecurrentFnOutput, RecurrentState],
]
ChanceRecurrentFn = Callable[
    [Params, PRNGKeyArray, Int32[Array, "B"], RecurrentState],
    tuple[ChanceRecurrentFnOutput, RecurrentState],
]
RootActionSelectionFn = Callable[[PRNGKeyArray, Any, Any], Int32[Array, ""]]
"""Called with a key, a tree without batch axis and the root's index; returns an action."""
InteriorActionSelectionFn = Callable[[PRNGKeyArray, Any, Any, Any], Int32[Array, ""]]
"""Called with a key, a tree without batch axis, a node's index and its depth."""
QTransform = Callable[[Any, Any], Float[Array, "num_actions"]]
"""Called with a tree without batch axis and a node's index; returns a number for each action."""
LoopFn = Callable[..., Any]
"""Runs simulations, as `jax.lax.fori_loop` does."""
