"""`Evaluator`: what a search asks about the positions of a batch."""

from typing import NamedTuple, Protocol

from jaxtyping import Array, Float, PRNGKeyArray

from agents.agent import GameStates, Params


class Evaluation(NamedTuple):
    """A prior and a value for each game of a batch."""

    logits: Float[Array, "B actions"]
    """Prior over actions, before masking; zeros where nothing is known."""
    values: Float[Array, "B players"]
    """Expected return of every seat."""


class Evaluator(Protocol):
    """Evaluates a batch of positions; must be hashable, since searches hold it as a field."""

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the evaluation of positions that are not over (any value for others)."""
        ...
