"""AlphaZero's choices: PUCT, Dirichlet noise at the root, visit counts as policy.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018; the scaling of values to [0, 1] is that of MuZero (2020), appendix B.
"""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.search.tree.arrays import ChildChoice, NodeView
from jaxgames.search.tree.policy import (
    FOR_EVER,
    Conclusion,
    Root,
    RootChoice,
    TreePolicy,
    best_child,
    visit_shares,
)

_TINY = float(np.finfo(np.float32).tiny)


@dataclasses.dataclass(frozen=True)
class Puct(TreePolicy):
    """Selection and result of AlphaZero.

    Raises:
        ValueError: for a setting out of range.
    """

    dirichlet_fraction: float = 0.25  # share of noise in the root's prior; 0 in matches
    dirichlet_alpha: float = 0.3  # concentration of the Dirichlet noise
    temperature: float = 0.0  # 0 plays the most visited action, 1 draws by the visits
    c_init: float = 1.25
    c_base: float = 19652.0

    def __post_init__(self) -> None:
        """Checks the settings."""
        if not 0 <= self.dirichlet_fraction <= 1:
            raise ValueError(
                f"dirichlet_fraction must be from 0 to 1, got {self.dirichlet_fraction}"
            )
        for name in ("dirichlet_alpha", "c_base"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be greater than 0, got {getattr(self, name)}")
        checks.weight("c_init", self.c_init)
        checks.temperature(self.temperature)

    def draw(self, like: jax.ShapeDtypeStruct, key: PRNGKeyArray) -> Any:
        """Returns logarithms of gamma variates, which become the Dirichlet noise.

        Logarithms, because a gamma variate of small concentration often underflows.
        """
        if self.dirichlet_fraction == 0:
            return None
        _, noise_key, _ = jax.random.split(key, 3)
        return jax.random.loggamma(noise_key, self.dirichlet_alpha, like.shape, like.dtype)

    def prepare(
        self, logits: Float[Array, "B actions"], mask: Bool[Array, "B actions"], drawn: Any
    ) -> tuple[Float[Array, "B actions"], Float[Array, "B actions"]]:
        """Returns logits that include the Dirichlet noise, and zeros as noise of selection.

        Only legal actions get noise, so its share does not depend on the number of illegal ones:
        the legal entries of a Dirichlet vector, rescaled, are a Dirichlet vector.
        """
        lowest = jnp.finfo(logits.dtype).min
        logits = jnp.where(mask, logits, lowest)
        if self.dirichlet_fraction > 0:
            noise = jax.nn.softmax(jnp.where(mask, drawn, lowest))
            prior = jax.nn.softmax(logits)
            prior = (1 - self.dirichlet_fraction) * prior + self.dirichlet_fraction * noise
            logits = jnp.where(mask, jnp.log(jnp.maximum(prior, _TINY)), lowest)
        return logits, jnp.zeros_like(logits)

    def below_root(self, seen: NodeView) -> ChildChoice:
        """Returns the action of greatest upper confidence bound."""
        visits = seen.visits.astype(jnp.float32)
        exploration = self.c_init + jnp.log((visits + self.c_base + 1) / self.c_base)
        # In open loop only some actions may be legal now: then their priors add up to less than 1.
        total = jnp.where(seen.is_child, seen.prior, 0.0).sum(axis=-1) + seen.unexpanded_prior
        exploration = jnp.sqrt(visits) * exploration / jnp.maximum(total, _TINY)
        bonus = exploration[:, None] * seen.prior / (seen.child_visits + 1)
        index, best = best_child(scaled(seen) + bonus, seen)
        expands = (seen.best_unexpanded_prior > 0) & (
            exploration * seen.best_unexpanded_prior > best
        )
        return ChildChoice(index, expands)

    def settled_for(self, seen: NodeView, root: RootChoice) -> Int32[Array, "W"]:
        """Returns how many simulations the leader is ahead; 0 where visits are drawn from."""
        ahead = super().settled_for(seen, root)
        return ahead if self.temperature == 0 else jnp.where(root.options <= 1, FOR_EVER, 0)

    def conclude(self, seen: NodeView, root: Root, key: PRNGKeyArray) -> Conclusion:
        """Returns an action by its visits, and the share of the visits of each action."""
        policy = visit_shares(seen, root)
        if self.temperature == 0:
            return Conclusion(policy.argmax(axis=-1).astype(jnp.int32), policy)
        logits = jnp.log(jnp.maximum(policy, _TINY))
        logits = logits - logits.max(axis=-1, keepdims=True)
        draw_key, _, _ = jax.random.split(key, 3)
        # Without this, a high temperature would lift the floor of illegal actions.
        logits = jnp.where(policy > 0, logits / self.temperature, -jnp.inf)
        action = jax.random.categorical(draw_key, logits)
        return Conclusion(action.astype(jnp.int32), policy)


def scaled(seen: NodeView, epsilon: Any = 1e-8) -> Float[Array, "W C"]:
    """Returns the values of the children, scaled so that node and children span [0, 1].

    Actions without a child count as 0, the worst value. A span is at least `epsilon`.
    """
    value = seen.value[:, None]
    known = jnp.where(seen.is_child, seen.qvalues, value)
    low = jnp.minimum(value, known.min(axis=-1, keepdims=True))
    high = jnp.maximum(value, known.max(axis=-1, keepdims=True))
    return (known - low) / jnp.maximum(high - low, epsilon)
