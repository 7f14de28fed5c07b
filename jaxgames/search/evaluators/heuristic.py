"""Scoring functions written by hand, one module for each game, and the evaluator made of them."""

import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.env import Env
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.types import SeatValues

Score = Callable[[Any], SeatValues]
"""Guesses the return of every seat, in [-1, 1], from one position that is not over.

Must be hashable; in a game of two seats the values add up to zero."""

# Each path leads to `make(rules)`, which returns the score.
_SCORES = {
    "murus_gallicus": "agents.games.murus_gallicus.evaluation:Guess",
    "onitama": "agents.games.onitama.score:make_material",
    "onitama_report": "agents.games.onitama.score:make_material",
    "terra_mystica": "agents.games.terra_mystica.score:make",
    "terra_mystica_alphatm": "agents.games.terra_mystica.score:make",
    "tribes": "agents.games.tribes.score:Lead",
}


def score_of(env: Env) -> Score:
    """Returns the scoring function of a game.

    Raises:
        ValueError: if nobody has written one; lists the games that have one.
    """
    if env.id not in _SCORES:
        raise ValueError(f"no heuristic for {env.id!r}; games with one: {', '.join(_SCORES)}")
    module, _, name = _SCORES[env.id].partition(":")
    score: Score = getattr(importlib.import_module(module), name)(env.rules)
    return score


@dataclasses.dataclass(frozen=True)
class Heuristic:
    """Values from a scoring function; no prior."""

    rules: Rules[Any]
    score: Score

    def __call__(self, params: Params, state: GameStates, key: PRNGKeyArray) -> Evaluation:
        """Returns the scores of a batch of positions."""
        del params, key
        values = jax.vmap(self.score)(state)
        return Evaluation(jnp.zeros((values.shape[0], self.rules.num_actions)), values)
