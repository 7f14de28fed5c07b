"""`Evaluator`: gives a search the priors and values of positions."""

from typing import Any, NamedTuple, Protocol, Self

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from jaxgames.search.agent import GameStates, Params
from jaxgames.search.tree.arrays import at_least_32_bits

_LARGEST_LOGIT = 1e6


class Evaluation(NamedTuple):
    """A prior and a value for each game of a batch."""

    logits: Float[Array, "B actions"]
    """The logits of the prior over actions, illegal ones included; zeros without a prior."""
    values: Float[Array, "B players"]
    """The expected return of every seat."""

    def made_finite(self) -> Self:
        """Returns the evaluation with finite numbers in place of NaN and infinity.

        So a search stays well defined even with a network that diverged, which the losses of its
        training show. All numbers have at least 32 bits.
        """
        largest = _LARGEST_LOGIT
        logits, values = map(at_least_32_bits, self)
        logits = jnp.nan_to_num(logits, nan=0.0, posinf=largest, neginf=-largest)
        return self._replace(
            logits=jnp.clip(logits, -largest, largest),
            values=jnp.nan_to_num(values, nan=0.0, posinf=1.0, neginf=-1.0),
        )


class Evaluator(Protocol):
    """Evaluates a batch of positions; must be hashable, since searches hold it as a field."""

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the evaluation of positions; finished games may get any finite numbers."""
        ...


def evaluate(
    evaluator: Evaluator,
    params: Params,
    state: GameStates,
    legal: Bool[Array, "B actions"],
    key: PRNGKeyArray,
) -> Evaluation:
    """Returns the evaluation of positions whose masks of legal actions are known.

    An evaluator that needs the masks itself has a method `given_legal`, which takes them after the
    positions, so that they are computed once.
    """
    given: Any = getattr(evaluator, "given_legal", None)
    if given is None:
        return evaluator(params, state, key)
    found: Evaluation = given(params, state, legal, key)
    return found
