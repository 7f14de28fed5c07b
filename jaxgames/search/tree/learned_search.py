"""`LearnedSearch`: the agent that plans with a learned model instead of the rules.

It takes two things from the rules: what the seat to move observes and which actions it may choose
now. What follows an action, who moves then and what the position is worth are predictions. So it
never looks at hidden parts of a position, and actions below the root are not checked.
"""

import dataclasses
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.rules import Rules
from jaxgames.search.agent import Decision, GameStates, Memoryless, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.evaluators.network import to_absolute_seats
from jaxgames.search.tree.model_agent import ModelSearch
from jaxgames.search.tree.model_search import Prediction
from jaxgames.search.tree.policy import TreePolicy


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
