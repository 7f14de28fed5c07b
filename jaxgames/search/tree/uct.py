"""UCT's choices: UCB1 on the mean values, the most visited action.

Source: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006; the most visited action as
the result ("robust child") is from Browne et al., "A survey of Monte Carlo tree search methods",
2012.
"""

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.search.tree.arrays import ChildChoice, NodeView
from jaxgames.search.tree.policy import Conclusion, Root, TreePolicy, best_child, visit_shares


@dataclasses.dataclass(frozen=True)
class Uct(TreePolicy):
    """Selection and result of UCT.

    UCB1 expects gains in [0, 1]: values in [-1, 1] are mapped there, values on any other scale need
    `normalised`. Actions without a child are tried first, in the order of their priors; the
    evaluator `Shuffled` makes that order random.

    Raises:
        ValueError: for a setting out of range.
    """

    c: float = 1.4  # weight of exploration, about the square root of 2
    normalised: bool = False  # scale so that node and children span [0, 1]

    def __post_init__(self) -> None:
        """Checks the setting."""
        checks.weight("c", self.c)

    def below_root(self, seen: NodeView) -> ChildChoice:
        """Returns an action without a child, or the one of greatest upper confidence bound."""
        visits = jnp.maximum(seen.visits, 1).astype(jnp.float32)[:, None]
        bonus = self.c * jnp.sqrt(jnp.log(visits) / jnp.maximum(seen.child_visits, 1))
        gains = _normalised(seen) if self.normalised else (1 + seen.qvalues) / 2
        index, _ = best_child(gains + bonus, seen)
        return ChildChoice(index, seen.best_unexpanded_prior > 0)

    def conclude(self, seen: NodeView, root: Root, key: PRNGKeyArray) -> Conclusion:
        """Returns the most visited action, the best of equal ones, and the shares of the visits."""
        del key
        policy = visit_shares(seen, root)
        is_most = seen.child_visits == seen.child_visits.max(axis=-1, keepdims=True)
        index, best = best_child(jnp.where(is_most, seen.qvalues, -jnp.inf), seen)
        slot = jnp.take_along_axis(seen.slot, index[:, None], axis=-1)
        action = jnp.take_along_axis(root.action, slot, axis=-1)[:, 0]
        # Without any visit there are no children: take the most probable action.
        action = jnp.where(best > -jnp.inf, action, policy.argmax(axis=-1))
        return Conclusion(action.astype(jnp.int32), policy)


def _normalised(seen: NodeView) -> Float[Array, "W C"]:
    """Returns the values of the children, scaled so that the raw value and they span [0, 1]."""
    raw = seen.raw_value[:, None]
    low = jnp.minimum(jnp.where(seen.is_child, seen.qvalues, raw).min(axis=-1, keepdims=True), raw)
    high = jnp.maximum(jnp.where(seen.is_child, seen.qvalues, raw).max(axis=-1, keepdims=True), raw)
    span = high - low
    return jnp.where(span > 0, (seen.qvalues - low) / jnp.where(span > 0, span, 1.0), 0.5)
