"""`PlannerDomain`: a game as planners see it.

The methods here suit every game with a heuristic. A subclass serves a game whose paper lets
planners leave out actions, divides actions into groups, or evaluates positions in its own way.
"""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batching.trees import choose
from jaxgames.boards import bits
from jaxgames.rules import Action, LegalMask, Rules, SeatValues
from jaxgames.sampling import RandomWord
from jaxgames.search.evaluators.heuristic import Score

NO_PLY = -1

DecisionPlies = Int32[Array, "plies"]
"""One decision: the plies of an action that are decided together, then NO_PLY."""


@dataclasses.dataclass(frozen=True)
class PlannerDomain:
    """The domain of a game of which only the rules and a heuristic are known.

    All methods take one game. Masks must contain a legal action while the game goes on. For the
    second ply of an action, they are given the position after the first.
    """

    rules: Rules[Any]
    score: Score

    decision_plies: ClassVar[int] = 1
    """The plies of an action that are decided together: 2 if the first only selects what acts.

    If an action has more plies than this, each of its plies is a decision of its own."""

    ends_turns: ClassVar[bool] = False
    """Whether a turn has several actions and ends with a special one, which `turn_end` returns."""

    judges_returns: ClassVar[bool] = True
    """Whether `evaluate` estimates returns; if not, its values only rank positions."""

    def look_ahead(self, state: Any) -> LegalMask:
        """Returns the mask of actions that a look-ahead of one step evaluates."""
        return self.rules.legal_actions(state)

    def choices(self, state: Any, legal: LegalMask) -> LegalMask:
        """Returns the mask of actions among which learned values choose; by default all legal ones.

        In contrast to `look_ahead`, the end of a turn is one of them.
        """
        del state
        return legal

    def action_groups(self, state: Any, *, passing: bool) -> Bool[Array, "groups actions"]:
        """Returns the masks of groups of actions; planners with groups draw one at the root.

        Groups may be empty. `passing` says whether an action that ends the turn is included.
        """
        del passing
        return self.rules.legal_actions(state)[None]

    def count_actions(self, state: Any) -> Int32[Array, ""]:
        """Returns the number of legal actions, or at a later ply of ways to complete the action."""
        return self.rules.legal_actions(state).sum()

    def random_action(self, state: Any, word: RandomWord) -> Action:
        """Returns the first ply of a random legal action; all whole actions are equally likely."""
        return self.rules.sample_action(state, word)

    def playout_start(self, state: Any, key: PRNGKeyArray) -> Any:
        """Returns the start of a playout from a root: hidden information is sampled again."""
        return self.rules.determinize(state, self.rules.to_move(state), key)

    def playout_action(self, state: Any, word: RandomWord) -> DecisionPlies:
        """Returns a random decision for playouts, from one random word."""
        first = self.rules.sample_action(state, word)
        if self.decision_plies == 1:
            return first[None]
        second = self.rules.sample_action(self.first_ply(state, first), _rest_of(word))
        return self._joined(state, first, second)

    def turn_end(self, state: Any) -> DecisionPlies:
        """Returns the decision that ends the turn; NO_PLY where the turn cannot end now."""
        del state
        return jnp.full((self.decision_plies,), NO_PLY)

    def plan_action(
        self, state: Any, wanted: DecisionPlies, redraws: Bool[Array, ""], word: RandomWord
    ) -> DecisionPlies:
        """Returns the wanted decision, with random plies where it is illegal or `redraws` holds."""
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
        """Returns the position after a legal decision, and whether an action is complete then."""
        if self.decision_plies == 1:
            start, ply = state, plies[0]
        else:
            first, second = plies
            is_two = second != NO_PLY
            start = choose(is_two, self.first_ply(state, first), state)
            ply = jnp.where(is_two, second, first)
        return self.rules.step(start, ply, key), self.rules.completes_action(start, ply)

    def evaluate(self, state: Any) -> SeatValues:
        """Returns the value of a position for each seat, on any scale; the game may be over."""
        is_over = self.rules.is_over(state)
        return jnp.where(is_over, self.rules.returns(state), self.score(state))

    def _kept_or_drawn(
        self, state: Any, wanted: Action, stays: Bool[Array, ""], word: RandomWord
    ) -> tuple[Action, Bool[Array, ""]]:
        """Returns the wanted ply if it stays and is legal, else a random one; and which it is."""
        legal = bits.computed_once(self.rules.packed_legal_actions(state))
        stays &= bits.contains_packed(legal, wanted)
        return jnp.where(stays, wanted, sampling.sample_packed(legal, word)), stays

    def _joined(self, state: Any, first: Action, second: Action) -> DecisionPlies:
        """Returns two plies as one decision; a first ply that is a whole action stands alone."""
        is_whole = self.rules.completes_action(state, first)
        return jnp.stack([first, jnp.where(is_whole, NO_PLY, second)])


def _rest_of(word: RandomWord) -> RandomWord:
    """Returns the low half of a random word, on which the first choice hardly depends."""
    return word << 16
