"""`ClickPath`: the clicks on a picture that mean an action.

Pictures name the parts of a board that can be clicked (`svg.Area`); the renderer of a game says
which parts lead to which action. Importing this module needs no SVG library.
"""

from typing import NamedTuple


class ClickPath(NamedTuple):
    """One way to choose an action by clicks. A part is named `kind:name`, `square:c1` for instance.

    Parts of one kind are clicked in their order, parts of different kinds in any order. An action
    without parts is offered in words.
    """

    action: int
    parts: tuple[str, ...] = ()
    """The parts that must be clicked."""
    refinements: tuple[str, ...] = ()
    """Parts that tell the action from others with the same `parts`; one of them is enough."""
    asks: bool = False
    """Whether the clicks only offer the action in words, as where a slip would cost a round."""
