"""Tree search with a model instead of rules, as agents, for any number of seats.

`ModelSearch` takes any model and any policy of this package. `LearnedSearch` takes a model learned
from games and two things from the rules: what the seat to move observes and which actions it may
choose now. What follows an action, who moves then and what the position is worth are predictions.
So it never looks at hidden parts of a position, and actions below the root are not checked.
"""

import dataclasses
import functools
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import checks, jax_modes
from jaxgames.rules import Rules
from jaxgames.search.agent import Decision, GameStates, Memoryless, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.evaluators.network import to_absolute_seats
from jaxgames.search.tree import model_search, views
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
    @allows_empty("legal", "root", "embedding")
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
        _, policy_key = jax.random.split(jax.random.clone(key))  # see `TreePolicy`
        found = self.search(params, root, embedding, legal, key)
        seen = views.view_root(found.tree, jnp.arange(len(legal)))
        conclusion = self.policy.conclude(seen, found.root, policy_key)
        return Decision(*conclusion, found.tree.value[:, ROOT])

    @jax_modes.standard_promotion
    @allows_empty("legal", "root", "embedding")
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
        drawn = self.policy.draw(jax.typeof(root.logits), policy_key)
        logits, noise = self.policy.prepare(root.logits, legal, drawn)
        order = jnp.maximum(logits - logits.max(axis=-1, keepdims=True), EXPANDED / 2)
        order = jnp.where(legal, order + noise, EXPANDED)
        choice = RootChoice(order, legal.sum(axis=-1), None)
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


class LearnedDynamics(Protocol):
    """A learned model as pure functions; must be hashable.

    `jaxgames.networks.learned_model.LearnedModel` is one.
    """

    def represent(self, params: Params, obs: Any) -> Any:
        """Returns the features of positions as their observers see them."""
        ...

    def predict(self, params: Params, features: Any) -> Any:
        """Returns the logits and the values of a position.

        They are the attributes `logits` `[B, actions]` and `values` `[B, players]`; the value of
        the seat to move is first.
        """
        ...

    def step(self, params: Params, features: Any, action: Int32[Array, "B"]) -> Any:
        """Returns what follows an action.

        The attribute `features` belongs to the position after it, `seat_logits` `[B, players]` to
        the seat that moves there; the seat that acted is first.
        """
        ...


class _Embedding(NamedTuple):
    """What a node keeps."""

    features: Any
    seat: Int32[Array, "W"]  # to move


@dataclasses.dataclass(frozen=True)
class LearnedSearch(Memoryless):
    """Tree search with a learned model, for any number of seats.

    Raises:
        ValueError: for a setting out of range.
    """

    rules: Rules[Any]
    model: LearnedDynamics
    policy: TreePolicy
    simulations: int = 32  # predictions for one decision, the root not counted

    def __post_init__(self) -> None:
        """Checks the settings."""
        self._search()

    def act(
        self, params: Params, memory: tuple[()], state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, tuple[()]]:
        """Returns the decision in each game; the values are those of all seats."""
        seat = jax.vmap(self.rules.to_move)(state).astype(jnp.int32)
        legal = jax.vmap(self.rules.legal_actions)(state)
        features = self.model.represent(params, jax.vmap(self.rules.observe)(state, seat))
        embedding = _Embedding(features, seat)
        root = self._predict(params, embedding)
        # In a game that is over no action is legal; what is decided there does not matter.
        legal = legal | ~legal.any(axis=-1, keepdims=True)
        decision = self._search().act(params, root, embedding, legal, key)
        return decision._replace(values=self._of_all_seats(decision.values)), memory

    def _search(self) -> ModelSearch:
        return ModelSearch(self._after, self.policy, self.simulations)

    def _after(
        self, params: Params, key: PRNGKeyArray, action: Int32[Array, "W"], embedding: _Embedding
    ) -> tuple[Prediction, _Embedding]:
        """Returns what the model predicts after an action."""
        del key
        after = self.model.step(params, embedding.features, action)
        seat = embedding.seat + after.seat_logits.argmax(axis=-1).astype(jnp.int32)
        embedding = _Embedding(after.features, seat % self.rules.num_players)
        return self._predict(params, embedding), embedding

    def _predict(self, params: Params, embedding: _Embedding) -> Prediction:
        found = self.model.predict(params, embedding.features)
        values = to_absolute_seats(found.values, embedding.seat)
        logits, values = Evaluation(found.logits, values).made_finite()
        if self.rules.num_players == 2:
            values = values[:, :1]
        return Prediction(logits, values, embedding.seat, reward=None, discount=None)

    def _of_all_seats(self, values: Float[Array, "B V"]) -> Float[Array, "B players"]:
        return jnp.concatenate([values, -values], axis=-1) if values.shape[-1] == 1 else values
