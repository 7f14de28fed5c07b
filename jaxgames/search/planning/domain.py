"""`PlannerDomain`: what planners ask about a game, and what a game may answer in its own way.

The answers here suit every game with a heuristic. A game whose paper lets planners leave out some
actions, divides them into groups, or judges positions in another way has a subclass.
"""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.boards import bits
from jaxgames.rules import Rules
from jaxgames.search.evaluators.heuristic import Score
from jaxgames.trees import choose
from jaxgames.types import Action, LegalMask, RandomWord, SeatValues

NO_PLY = -1

DecisionPlies = Int32[Array, "plies"]
"""One decision: plies of one action, as many as are decided together; NO_PLY after the last one.
"""


@dataclasses.dataclass(frozen=True)
class PlannerDomain:
    """The domain to a game about which nothing is known but its rules and a heuristic.

    All methods are functions of one game. Masks must have a legal action while the game goes on;
    at the second ply of an action, they are asked about the position after the first.
    """

    rules: Rules[Any]
    score: Score

    decision_plies: ClassVar[int] = 1
    """Plies of an action that are decided together: 2 if the first one only says what will act.

    Of an action with more plies than that, each ply is decided on its own."""

    ends_turns: ClassVar[bool] = False
    """Whether turns have several actions and end by one of their own, which `turn_end` returns."""

    judges_returns: ClassVar[bool] = True
    """Whether `worth` estimates returns; if not, it only says which of two positions is better."""

    def look_ahead(self, state: Any) -> LegalMask:
        """Returns the actions that a look-ahead of one step judges."""
        return self.rules.legal_actions(state)

    def action_groups(self, state: Any, *, passing: bool) -> Bool[Array, "groups actions"]:
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

    def playout_action(self, state: Any, word: RandomWord) -> DecisionPlies:
        """Returns a random action for playouts, from one random word."""
        first = self.rules.sample_action(state, word)
        if self.decision_plies == 1:
            return first[None]
        second = self.rules.sample_action(self.first_ply(state, first), _rest_of(word))
        return self._joined(state, first, second)

    def turn_end(self, state: Any) -> DecisionPlies:
        """Returns the action that ends the turn; NO_PLY where it cannot be played now."""
        del state
        return jnp.full((self.decision_plies,), NO_PLY)

    def plan_action(
        self, state: Any, wanted: DecisionPlies, redraws: Bool[Array, ""], word: RandomWord
    ) -> DecisionPlies:
        """Returns the wanted action, with random plies where it is illegal or to be redrawn."""
        first, stays = self._kept_or_drawn(state, wanted[0], ~redraws, word)
        if self.decision_plies == 1:
            return first[None]
        middle = self.first_ply(state, first)
        second, _ = self._kept_or_drawn(middle, wanted[1], stays, _rest_of(word))
        return self._joined(state, first, second)

    def first_ply(self, state: Any, ply: Action) -> Any:
        """Returns the position between two plies that are decided together, without chance."""
        return self.rules.step(state, ply, None)

    def play(
        self, state: Any, plies: DecisionPlies, key: PRNGKeyArray | None
    ) -> tuple[Any, Bool[Array, ""]]:
        """Returns the position after a legal decision, and whether that completes an action."""
        if self.decision_plies == 1:
            start, ply = state, plies[0]
        else:
            first, second = plies
            is_two = second != NO_PLY
            start = choose(is_two, self.first_ply(state, first), state)
            ply = jnp.where(is_two, second, first)
        return self.rules.step(start, ply, key), self.rules.completes_action(start, ply)

    def evaluate(self, state: Any) -> SeatValues:
        """Returns what a position is worth to each seat, on any scale; it may be over."""
        is_over = self.rules.is_over(state)
        return jnp.where(is_over, self.rules.returns(state), self.score(state))

    def _kept_or_drawn(
        self, state: Any, wanted: Action, stays: Bool[Array, ""], word: RandomWord
    ) -> tuple[Action, Bool[Array, ""]]:
        """Returns a ply if it stays and is legal, else a random one, and whether it was kept."""
        legal = bits.computed_once(self.rules.packed_legal_actions(state))
        stays &= bits.contains_packed(legal, wanted)
        return jnp.where(stays, wanted, sampling.sample_packed(legal, word)), stays

    def _joined(self, state: Any, first: Action, second: Action) -> DecisionPlies:
        """Returns two plies as one action, of which the first may be a whole one."""
        is_whole = self.rules.completes_action(state, first)
        return jnp.stack([first, jnp.where(is_whole, NO_PLY, second)])


def _rest_of(word: RandomWord) -> RandomWord:
    """Returns the half of a random word that a choice hardly depends on."""
    return word << 16
