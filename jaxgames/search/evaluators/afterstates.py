"""`AfterstateEvaluator`: learned values of afterstates as prior and value of a tree search."""

import dataclasses
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.internal import checks
from jaxgames.rules import LegalMask, Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.evaluators.heuristic import values_after_actions

LEFT_OUT = -1e6
"""Logit of an action that is not chosen: below every other one, and finite, as a search needs."""


class AfterstateReturns(Protocol):
    """Estimates returns after actions; must be hashable. `AfterstateNetwork` is one."""

    def returns(
        self, params: Params, state: GameStates, seat: Int32[Array, "N"]
    ) -> Float[Array, "N players"]:
        """Returns the expected return of every seat, in [-1, 1], as `seat`, which acted, sees it.

        No game is over.
        """
        ...


class Choosing(Protocol):
    """Knows among which actions learned values choose; must be hashable, as `PlannerDomain` is."""

    def choices(self, state: Any, legal: LegalMask) -> LegalMask:
        """Returns the mask of these actions in one game, given its legal ones."""
        ...


@dataclasses.dataclass(frozen=True)
class AfterstateEvaluator:
    """Judges a position by the afterstates of the actions among which it chooses.

    The prior of an action is proportional to `exp(value / temperature)` for the seat to move, and
    the value of the position is the mean under this prior. The maximum would favour the actions
    that are overrated most.
    """

    rules: Rules[Any]
    network: AfterstateReturns
    temperature: float = 0.03
    width: int = 8  # afterstates judged at once for each game of the batch
    choosing: Choosing | None = None  # None: chooses among all legal actions

    def __post_init__(self) -> None:
        """Checks the settings."""
        checks.count("width", self.width)
        if not self.temperature > 0:
            raise ValueError(f"temperature must be above 0, got {self.temperature}")

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the prior and the values of a batch of positions; zeros where a game is over."""
        legal = jax.vmap(self.rules.legal_actions)(state)
        return self.given_legal(params, state, legal, key)

    def given_legal(
        self, params: Params, state: GameStates, legal: Bool[Array, "B actions"], key: PRNGKeyArray
    ) -> Evaluation:
        """Returns the same, given the masks of legal actions."""

        def judge(after: GameStates, mover: Int32[Array, "N"]) -> Float[Array, "N players"]:
            return self.network.returns(params, after, mover)

        after = values_after_actions(self.rules, state, legal, judge, self.width, key)
        mover = jax.vmap(self.rules.to_move)(state)
        logits = jnp.take_along_axis(after, mover[:, None, None], axis=2)[..., 0] / self.temperature
        is_choice = legal
        if self.choosing is not None:
            is_choice = jax.vmap(self.choosing.choices)(state, legal)
        share = jax.nn.softmax(logits, axis=1, where=is_choice)
        values = (jnp.where(is_choice, share, 0.0)[..., None] * after).sum(axis=1)
        return Evaluation(jnp.where(is_choice, logits, LEFT_OUT), values)
