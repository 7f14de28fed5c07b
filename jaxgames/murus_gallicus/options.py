"""Checks of the options of Murus Gallicus: a bad one is named together with what is allowed."""

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxgames import checking
from jaxgames.murus_gallicus.opening import PLIES_OF_OPENING
from jaxgames.murus_gallicus.variants import (
    FIRE_DIRECTIONS,
    MAX_LEGAL_ACTIONS,
    VARIANTS,
    WIN_TIMINGS,
)

if TYPE_CHECKING:
    from jaxgames.murus_gallicus.rules import MurusGallicus

PLY_CAPACITY = 65_535  # largest number of plies that a position can count


def check(rules: "MurusGallicus") -> None:
    """Checks all options.

    Raises:
        ValueError: for a value that an option does not have.
    """
    if not isinstance(rules.variant, str) or rules.variant not in VARIANTS:
        nearest = difflib.get_close_matches(str(rules.variant), VARIANTS, n=1, cutoff=0.5)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise ValueError(
            f"unknown variant {rules.variant!r}; available: {', '.join(VARIANTS)}{hint}"
        )
    _check_choice("max_stack", rules.max_stack, MAX_LEGAL_ACTIONS)
    _check_choice("fire_directions", rules.fire_directions, FIRE_DIRECTIONS)
    _check_choice("win_timing", rules.win_timing, WIN_TIMINGS)
    checking.switches(rules, ("breakthrough", "redistribute_start", "pie_rule"))
    least = PLIES_OF_OPENING if rules.redistribute_start else 1
    if not _is_integer(rules.max_plies) or not least <= rules.max_plies <= PLY_CAPACITY:
        raise ValueError(
            f"max_plies must be an integer from {least} to {PLY_CAPACITY}, got {rules.max_plies!r}"
        )
    most = max(rules.max_plies, 2)
    if not _is_integer(rules.repetition_draw) or (
        rules.repetition_draw != 0 and not 2 <= rules.repetition_draw <= most
    ):
        raise ValueError(
            f"repetition_draw must be 0 (off) or an integer from 2 to {most} (max_plies), "
            f"got {rules.repetition_draw!r}"
        )


def _check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raises a `ValueError` unless `value` is one of `choices`, of the same type, or None."""
    allowed = [None, *choices]
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
