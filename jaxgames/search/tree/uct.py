"""UCT's choices: UCB1 on the mean values, the most visited action.

Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006; the most visited action as
the result ("robust child") is from Browne et al., "A survey of Monte Carlo tree search methods",
2012.
"""

import dataclasses
import math

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.search.tree.arrays import Choice, View
from jaxgames.search.tree.policy import (
    Conclusion,
    Root,
    RootChoice,
    best_child,
    leads_by_more,
    visit_shares,
)


@dataclasses.dataclass(frozen=True)
class Uct:
    """The policy of UCT. Values in [-1, 1] count as gains in [0, 1], as in the theory of UCB1.

    Values on any other scale have to be `normalised`.

    Actions without child come first, the most probable one before the others; with the evaluator
    `Shuffled` that is any order.

    Raises:
        ValueError: for a setting out of range.
    """

    c: float = 1.4  # weight of exploration, about the square root of 2
    normalised: bool = False  # the means of a node's children, and its own value, span [0, 1]

    def __post_init__(self) -> None:
        """Checks the setting."""
        if not 0 <= self.c < math.inf:
            raise ValueError(f"c must be at least 0, got {self.c}")

    def prepare(
        self,
        logits: Float[Array, "B actions"],
        mask: Bool[Array, "B actions"],
        key: PRNGKeyArray,
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B actions"]]:
        """Returns the logits as they are, and no noise."""
        del key
        return jnp.where(mask, logits, jnp.finfo(logits.dtype).min), jnp.zeros_like(logits)

    def at_root(self, seen: View, root: RootChoice, budget: int) -> Choice:
        """Returns an action not tried yet, or the one of greatest upper confidence bound."""
        del root, budget
        return self.below_root(seen)

    def below_root(self, seen: View) -> Choice:
        """Returns an action not tried yet, or the one of greatest upper confidence bound."""
        visits = jnp.maximum(seen.visits, 1).astype(jnp.float32)[:, None]
        bonus = self.c * jnp.sqrt(jnp.log(visits) / jnp.maximum(seen.child_visits, 1))
        gains = _normalised(seen) if self.normalised else (1 + seen.qvalues) / 2
        index, _ = best_child(gains + bonus, seen)
        return Choice(index, seen.best_unexpanded_prior > 0)

    def is_decided(self, seen: View, root: RootChoice, left: Int32[Array, "W"]) -> Bool[Array, "W"]:
        """Returns whether there is no choice, or none that could still catch up."""
        return (root.options <= 1) | leads_by_more(seen, left)

    def conclude(self, seen: View, root: Root, key: PRNGKeyArray) -> Conclusion:
        """Returns the most visited action, of equal ones the best, and the shares of the visits."""
        del key
        policy = visit_shares(seen, root)
        is_most = seen.child_visits == seen.child_visits.max(axis=-1, keepdims=True)
        index, best = best_child(jnp.where(is_most, seen.qvalues, -jnp.inf), seen)
        slot = jnp.take_along_axis(seen.slot, index[:, None], axis=-1)
        action = jnp.take_along_axis(root.action, slot, axis=-1)[:, 0]
        # A search without a single visit has no children: then the most probable action.
        action = jnp.where(best > -jnp.inf, action, policy.argmax(axis=-1))
        return Conclusion(action.astype(jnp.int32), policy)


def _normalised(seen: View) -> Float[Array, "W C"]:
    """Returns the mean values of the children as shares of the range that they span."""
    raw = seen.raw_value[:, None]
    low = jnp.minimum(jnp.where(seen.is_child, seen.qvalues, raw).min(axis=-1, keepdims=True), raw)
    high = jnp.maximum(jnp.where(seen.is_child, seen.qvalues, raw).max(axis=-1, keepdims=True), raw)
    span = high - low
    return jnp.where(span > 0, (seen.qvalues - low) / jnp.where(span > 0, span, 1.0), 0.5)
