"""`TreePolicy`: how tree searches differ, in their selection and in their final decision."""

import abc
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.search.tree import arrays
from jaxgames.search.tree.arrays import ChildChoice, NodeView

FOR_EVER = np.int32(np.iinfo(np.int32).max)
"""More simulations than any search makes."""


class RootChoice(NamedTuple):
    """What selection at the root uses besides the view of the root."""

    order: Float[Array, "W K"]
    """The logit of each slot, shifted so that the greatest is 0, plus noise; EXPANDED if empty."""
    options: Int32[Array, "W"]
    """The number of slots that hold an action."""
    visits_before: Int32[Array, "W before"] | None
    """The visits of each child from earlier searches, where the subtree was reused; else 0. There
    are at least as many as children in a view. None in searches without reuse."""

    def new_visits(self, seen: NodeView) -> Int32[Array, "W C"]:
        """Returns the visits of each child in this search."""
        if self.visits_before is None:
            return seen.child_visits
        return seen.child_visits - self.visits_before[:, : seen.child_visits.shape[1]]


class Root(NamedTuple):
    """The roots of a batch."""

    mask: Bool[Array, "B actions"]
    logits: Float[Array, "B actions"]  # prior with exploration noise, lowest where illegal
    action: Int32[Array, "B K"]  # the action of each slot
    choice: RootChoice

    def by_action(
        self, by_child: Float[Array, "B C"], seen: NodeView, fill: Float[Array, "B"]
    ) -> Float[Array, "B actions"]:
        """Returns numbers by action from numbers by child; actions without a child get `fill`."""
        size, num_actions = self.mask.shape
        action = jnp.take_along_axis(self.action, seen.slot, axis=-1)
        action = jnp.where(seen.is_child, action, num_actions)
        start = jnp.broadcast_to(fill[:, None], self.mask.shape)
        return start.at[jnp.arange(size)[:, None], action].set(by_child, mode="drop")


class Conclusion(NamedTuple):
    """The decision after a finished search."""

    action: Int32[Array, "B"]
    policy: Float[Array, "B actions"]


class TreePolicy(abc.ABC):
    """Selection at the root and below it, and the decision; all methods take a batch of nodes.

    With equal keys a search draws the random numbers that mctx draws. So `draw` and `conclude` get
    the same key: they use different parts of it, as the policies of mctx split it.
    """

    def draw(self, like: jax.ShapeDtypeStruct, key: PRNGKeyArray) -> Any:
        """Returns the random numbers that `prepare` takes, for logits `like`; None: none."""
        del like, key
        return None

    def prepare(
        self, logits: Float[Array, "B actions"], mask: Bool[Array, "B actions"], drawn: Any
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B actions"]]:
        """Returns the logits of the root and the noise added in selection, both by action.

        By default the logits are unchanged, lowest where illegal, and the noise is zero.
        """
        del drawn
        return jnp.where(mask, logits, jnp.finfo(logits.dtype).min), jnp.zeros_like(logits)

    def at_root(
        self, seen: NodeView, root: RootChoice, budget: int | Int32[Array, "W"]
    ) -> ChildChoice:
        """Returns the selection at the root, in a search of `budget` simulations or more.

        By default it is that of other nodes.
        """
        del root, budget
        return self.below_root(seen)

    @abc.abstractmethod
    def below_root(self, seen: NodeView) -> ChildChoice:
        """Returns the selection at nodes below the root."""

    def settled_for(self, seen: NodeView, root: RootChoice) -> Int32[Array, "W"]:
        """Returns how many further simulations cannot change the action of each root, at least.

        By default these are too few for any child to catch up with the most visited one.
        """
        first, second = jax.lax.top_k(jnp.pad(seen.child_visits, ((0, 0), (0, 1))), 2)[0].T
        return jnp.where(root.options <= 1, FOR_EVER, jnp.maximum(first - second - 1, 0))

    @abc.abstractmethod
    def conclude(self, seen: NodeView, root: Root, key: PRNGKeyArray) -> Conclusion:
        """Returns the action to play and the policy target; `seen` holds all children."""


def best_child(score: Float[Array, "W C"], seen: NodeView) -> tuple[Array, Array]:
    """Returns the index and the score of the best child; without children, the score is -inf."""
    score = jnp.where(seen.is_child, score, -jnp.inf)
    return arrays.first_greatest(score), score.max(axis=-1)


def visit_shares(seen: NodeView, root: Root) -> Float[Array, "B actions"]:
    """Returns the share of the visits of each action; without any visit, the prior."""
    nothing = jnp.zeros(len(root.mask))
    visits = root.by_action(seen.child_visits.astype(jnp.float32), seen, nothing)
    total = visits.sum(axis=-1, keepdims=True)
    prior = jnp.where(root.mask, jax.nn.softmax(root.logits), 0.0)
    return jnp.where(total > 0, visits / jnp.maximum(total, 1), prior)
