"""`Uniform`, the evaluator that knows nothing, and `Shuffled`, which orders actions at random."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation, Evaluator, evaluate


@dataclasses.dataclass(frozen=True)
class Uniform:
    """Equal priors for all actions, and value zero for every seat."""

    rules: Rules[Any]

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns zeros for a batch of positions."""
        del params, key
        batch_size = jax.tree.leaves(state)[0].shape[0]
        return Evaluation(
            logits=jnp.zeros((batch_size, self.rules.num_actions), jnp.float32),
            values=jnp.zeros((batch_size, self.rules.num_players), jnp.float32),
        )


RANDOM_ORDER = 64.0  # spread that outweighs a prior; trees store log priors from -80 to 0
SLIGHT = 0.1  # spread that orders equal priors and changes no prior by more than a tenth


@dataclasses.dataclass(frozen=True)
class Shuffled:
    """The values of an evaluator, and its logits plus random numbers from 0 to `spread`.

    Without it, a search tries actions of equal prior in the order of their numbers.
    """

    rules: Rules[Any]
    evaluator: Evaluator
    spread: float = RANDOM_ORDER

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the evaluation of a batch of positions.

        A position draws one random word, which is mixed with the number of each action. A random
        word for each action would take longer than a whole random game.
        """
        order_key, evaluation_key = jax.random.split(key)
        return self._shuffled(self.evaluator(params, state, evaluation_key), order_key)

    def given_legal(
        self, params: Params, state: GameStates, legal: Bool[Array, "B actions"], key: PRNGKeyArray
    ) -> Evaluation:
        """Returns the same, given the masks of legal actions."""
        order_key, evaluation_key = jax.random.split(key)
        found = evaluate(self.evaluator, params, state, legal, evaluation_key)
        return self._shuffled(found, order_key)

    def _shuffled(self, found: Evaluation, order_key: PRNGKeyArray) -> Evaluation:
        words = sampling.random_words(order_key, found.values.shape[0])
        action = jnp.arange(self.rules.num_actions, dtype=jnp.uint32)
        mixed = _mix(words[:, None] ^ _mix(action + np.uint32(1)))
        noise = (mixed >> 8).astype(jnp.float32) * (self.spread / 2**24)
        return found._replace(logits=found.logits + noise)


def _mix(word: UInt32[Array, "*any"]) -> UInt32[Array, "*any"]:
    """Returns a hash of a word: each bit depends on all bits of the word.

    Source: "lowbias32" of C. Wellons, "Prospecting for Hash Functions", 2018.
    """
    word = (word ^ (word >> 16)) * np.uint32(0x7FEB352D)
    word = (word ^ (word >> 15)) * np.uint32(0x846CA68B)
    return word ^ (word >> 16)
