"""`Latch`: a change of the evaluation that a player makes at most once in a game."""

from typing import Any, Protocol

from jaxtyping import Array, Bool

from jaxgames.search.agent import Params


class Latch(Protocol):
    """The condition and the effect of the change. Must be hashable."""

    def is_due(self, state: Any) -> Bool[Array, ""]:
        """Returns whether the evaluation of the seat to move changes from this position on."""
        ...

    def thrown(self, params: Params) -> Params:
        """Returns the parameters of a player for the rest of the game."""
        ...
