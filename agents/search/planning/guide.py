"""`Guide`: what planners ask about a game, and what a game may answer in its own way.

The answers here suit every game with a heuristic. A game whose paper lets planners leave out some
actions, divides them into groups, or judges positions in another way has a subclass.
"""

import dataclasses
import importlib
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray, UInt32

from agents.evaluators.heuristic import Score, score_of
from jaxgames import Env, Rules, sampling
from jaxgames.types import Action, LegalMask, RandomWord, SeatValues

# By id of the game, where the guide of this module is not enough: each path leads to
# `make(rules)`, which returns a guide.
_GUIDES: dict[str, str] = {"tribes": "agents.guides.tribes:make"}


@dataclasses.dataclass(frozen=True)
class Guide:
    """The guide to a game about which nothing is known but its rules and a heuristic.

    All methods are functions of one game. Masks must have a legal action while the game goes on;
    at the second ply of an action, they are asked about the position after the first.
    """

    rules: Rules[Any]
    score: Score

    plies: ClassVar[int] = 1
    """Plies of an action that are decided together: 2 if the first one only says what will act.

    Of an action with more plies than that, each ply is decided on its own."""

    def look_ahead(self, state: Any) -> LegalMask:
        """Returns the actions that a look-ahead of one step judges."""
        return self.rules.legal_actions(state)

    def root_groups(self, state: Any, *, passing: bool) -> Bool[Array, "groups actions"]:
        """Returns groups of actions, of which a planner that prioritises its root chooses one.

        Groups may be empty. `passing` says whether an action that ends the turn counts.
        """
        del passing
        return self.rules.legal_actions(state)[None]

    def count_actions(self, state: Any) -> Int32[Array, ""]:
        """Returns the number of legal actions; at a later ply, of ways to complete the action."""
        return self.rules.legal_actions(state).sum()

    def random_action(self, state: Any, word: RandomWord) -> Action:
        """Returns the next ply of a legal action such that all actions have the same chance."""
        return self.rules.sample_action(state, word)

    def playout_start(self, state: Any, key: PRNGKeyArray) -> Any:
        """Returns where a playout from a root starts: what is hidden is guessed anew."""
        return self.rules.determinize(state, self.rules.to_move(state), key)

    def playout_action(self, state: Any, word: RandomWord) -> Action:
        """Returns a random action for playouts, from one random word."""
        return self.rules.sample_action(state, word)

    def plan_action(self, state: Any, legal: UInt32[Array, "words"], word: RandomWord) -> Action:
        """Returns a random action for plans that evolve, from the packed mask of the legal ones."""
        del state
        return sampling.sample_packed(legal, word)

    def worth(self, state: Any) -> SeatValues:
        """Returns what a position is worth to each seat, on any scale; it may be over."""
        is_over = self.rules.is_over(state)
        return jnp.where(is_over, self.rules.returns(state), self.score(state))


def guide_of(env: Env[Any]) -> Guide:
    """Returns the guide to a game.

    Raises:
        ValueError: for a game without heuristic; lists the games that have one.
    """
    if env.id not in _GUIDES:
        return Guide(env.rules, score_of(env))
    module, _, name = _GUIDES[env.id].partition(":")
    guide: Guide = getattr(importlib.import_module(module), name)(env.rules)
    return guide
