"""The inputs and outputs of the policies, under the names that mctx gave them, and their checks.

Shapes are known when a program is traced, so the checks cost nothing in it.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, cast

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

T = TypeVar("T")
Params = Any
RecurrentState = Any
"""What a model knows of a state: any pytree whose leaves have a leading axis `B`."""


class FieldMapping(Mapping[str, Any]):
    """A dataclass that is also a mapping of its fields by name, as the classes of mctx are."""

    def __getitem__(self, name: str) -> Any:
        """Returns a field.

        Raises:
            KeyError: for another name.
        """
        if name not in self._names():
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def to_tuple(self) -> tuple[Any, ...]:
        """Returns the fields in order."""
        return tuple(self.values())

    @classmethod
    def from_tuple(cls, fields: Iterable[Any]) -> Self:
        """Returns an object with these fields in order."""
        return cls(*fields)

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(cast(Any, cls)))


class RootFnOutput(struct.PyTreeNode, FieldMapping):
    """What a model says of the states at the roots."""

    prior_logits: Float[Array, "B num_actions"]
    """The logits of the policy."""
    value: Float[Array, "B"]
    """The value of each state."""
    embedding: RecurrentState
    """The first argument of `recurrent_fn` at the root."""


class RecurrentFnOutput(struct.PyTreeNode, FieldMapping):
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


class DecisionRecurrentFnOutput(struct.PyTreeNode, FieldMapping):
    """What a model with chance says of the afterstates that actions lead to."""

    chance_logits: Float[Array, "B num_outcomes"]
    """The logits of the outcomes of chance."""
    afterstate_value: Float[Array, "B"]
    """The value of each afterstate."""


class ChanceRecurrentFnOutput(struct.PyTreeNode, FieldMapping):
    """What a model with chance says of the states that outcomes of chance lead to."""

    action_logits: Float[Array, "B num_actions"]
    """The logits of the policy in the new states."""
    value: Float[Array, "B"]
    """The value of each new state."""
    reward: Float[Array, "B"] | None
    """The reward of the action and its outcome; None: 0."""
    discount: Float[Array, "B"] | None
    """The factor of each new state's value; None: 1."""


class StochasticRecurrentState(struct.PyTreeNode, FieldMapping):
    """The embedding of a node in a search with chance: of a state, or of an afterstate."""

    state_embedding: RecurrentState
    """The embedding of the state; without meaning where the node is an afterstate."""
    afterstate_embedding: RecurrentState
    """The embedding of the afterstate; without meaning where the node is a state."""
    is_decision_node: Bool[Array, "B"]
    """Whether the node is a state."""


class GumbelMuZeroExtraData(struct.PyTreeNode, FieldMapping):
    """What Gumbel MuZero keeps beside the tree."""

    root_gumbel: Float[Array, "B num_actions"]
    """The noise of each action at the root."""


class PolicyOutput(struct.PyTreeNode, FieldMapping, Generic[T]):
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


def check_roots(root: RootFnOutput, invalid_actions: Any) -> None:
    """Checks the roots and the mask of invalid actions, which may be None.

    Raises:
        ValueError: for a shape that does not fit that of the logits.
    """
    shape = jnp.shape(root.prior_logits)
    if len(shape) != 2:
        raise ValueError(f"root.prior_logits must have the shape [B, num_actions], got {shape}")
    check_shape("root.value", root.value, shape[:1])
    if invalid_actions is not None:
        check_shape("invalid_actions", invalid_actions, shape)
    for path, leaf in jax.tree_util.tree_leaves_with_path(root.embedding):
        if jnp.shape(leaf)[:1] != shape[:1]:
            name = f"root.embedding{jax.tree_util.keystr(path)}"
            raise ValueError(
                f"{name} must begin with the axis of the {shape[0]} roots, got the shape "
                f"{jnp.shape(leaf)}"
            )


def check_output(output: Any, batch: tuple[int, ...]) -> None:
    """Checks the numbers that a model returns for each lane.

    Raises:
        ValueError: for another shape than that of the batch.
    """
    for field in dataclasses.fields(output):
        found = getattr(output, field.name)
        if found is not None and not field.name.endswith("logits"):
            check_shape(f"{field.name} of {type(output).__name__}", found, batch)


def check_shape(name: str, found: Any, expected: tuple[int, ...]) -> None:
    """Checks the shape of what a model or a caller returned.

    Raises:
        ValueError: for another shape; names it and the right one.
    """
    if jnp.shape(found) != expected:
        raise ValueError(f"{name} must have the shape {expected}, got {jnp.shape(found)}")
