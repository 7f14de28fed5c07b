"""`ModelSearch`: tree search with a model and any policy of this package, for any seats."""

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PRNGKeyArray

from jaxgames.internal import checks, jax_modes
from jaxgames.search.agent import Decision, Params
from jaxgames.search.tree import arrays, model_search
from jaxgames.search.tree.arrays import EXPANDED, ROOT, Trees
from jaxgames.search.tree.model_search import (
    Embedding,
    Model,
    ModelRoots,
    Prediction,
    Selection,
    SelectionRules,
)
from jaxgames.search.tree.policy import Root, RootChoice, TreePolicy


class ModelSearchResult(NamedTuple):
    """A finished search, before the policy decides."""

    tree: Trees
    root: Root


@dataclasses.dataclass(frozen=True)
class ModelSearch:
    """Tree search with a model of the future: what `TreeSearch` is with the rules of a game.

    At each node, the seat to move maximises its own value (max^n).

    Raises:
        ValueError: for a setting out of range.
    """

    model: Model
    policy: TreePolicy
    simulations: int = 32  # predictions of the model for one decision, the root not counted
    max_depth: int | None = None  # most edges of a path; None: no limit

    def __post_init__(self) -> None:
        """Checks the settings."""
        checks.count("simulations", self.simulations)
        if self.max_depth is not None and self.max_depth < 1:
            raise ValueError(f"max_depth must be at least 1 or None, got {self.max_depth}")

    @jax_modes.standard_promotion
    def act(
        self,
        params: Params,
        root: Prediction,
        embedding: Embedding,
        legal: Bool[Array, "B actions"],
        key: PRNGKeyArray,
    ) -> Decision:
        """Returns the decision at each root; the arguments are those of `search`.

        The values are `[B, V]` as those of the model: with `V = 1`, those of seat 0.
        """
        _, policy_key = jax.random.split(key)
        found = self.search(params, root, embedding, legal, key)
        seen = arrays.view_root(found.tree, jnp.arange(len(legal)))
        conclusion = self.policy.conclude(seen, found.root, policy_key)
        return Decision(*conclusion, found.tree.value[:, ROOT])

    @jax_modes.standard_promotion
    def search(
        self,
        params: Params,
        root: Prediction,
        embedding: Embedding,
        legal: Bool[Array, "B actions"],
        key: PRNGKeyArray,
    ) -> ModelSearchResult:
        """Returns the trees after all simulations.

        Args:
            params: the parameters of the model.
            root: what the model predicts of the roots; reward and discount are not looked at.
            embedding: what the model knows of the roots.
            legal: the actions that may be taken at the roots, at least one at each.
            key: of all randomness of the search.
        """
        model_key, policy_key = jax.random.split(key)
        logits, noise = self.policy.prepare(root.logits, legal, policy_key)
        order = jnp.maximum(logits - logits.max(axis=-1, keepdims=True), EXPANDED / 2)
        order = jnp.where(legal, order + noise, EXPANDED)
        choice = RootChoice(order, legal.sum(axis=-1), jnp.zeros(legal.shape, jnp.int32))
        at_root = functools.partial(self.policy.at_root, root=choice, budget=self.simulations)
        tree = model_search.search(
            self.model,
            params,
            ModelRoots(root._replace(logits=logits), embedding, legal),
            Selection(SelectionRules(at_root, self.policy.below_root, order), choose=None),
            self.simulations,
            model_key,
            self.max_depth,
        )
        action = jnp.broadcast_to(jnp.arange(legal.shape[-1]), legal.shape)
        return ModelSearchResult(tree, Root(legal, logits, action, choice))
