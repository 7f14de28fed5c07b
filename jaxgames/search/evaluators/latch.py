"""`Latch`: a change of an evaluation that a player makes once in a game."""

from typing import Any, Protocol

from jaxtyping import Array, Bool

from jaxgames.search.agent import Params


class Latch(Protocol):
    """Says when the evaluation changes, and to what; must be hashable."""

    def is_due(self, state: Any) -> Bool[Array, ""]:
        """Returns whether the seat to move judges otherwise from this position on."""
        ...

    def thrown(self, params: Params) -> Params:
        """Returns a player's parameters for the rest of the game."""
        ...
