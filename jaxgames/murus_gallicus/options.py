"""Checks of the options of Murus Gallicus: a bad one is named together with what is allowed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxgames import messages, validation
from jaxgames.murus_gallicus.opening import PLIES_OF_OPENING
from jaxgames.murus_gallicus.repetition import LEAST_CYCLE
from jaxgames.murus_gallicus.variants import (
    DELAYED,
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
        ValueError: for a value that an option does not have, or an option without any effect.
    """
    if not isinstance(rules.variant, str) or rules.variant not in VARIANTS:
        raise ValueError(messages.unknown("variant", str(rules.variant), VARIANTS))
    _check_choice("max_stack", rules.max_stack, MAX_LEGAL_ACTIONS)
    _check_choice("fire_directions", rules.fire_directions, FIRE_DIRECTIONS)
    _check_choice("win_timing", rules.win_timing, WIN_TIMINGS)
    validation.switches(rules, ("breakthrough", "redistribute_start", "pie_rule"))
    _check_plies(rules)
    _check_effects(rules)


def _check_plies(rules: "MurusGallicus") -> None:
    """Checks the two limits; what an option adds to the first turns must be over before the end."""
    least = PLIES_OF_OPENING if rules.redistribute_start else 1 + rules.pie_rule
    if not _is_integer(rules.max_plies) or not least <= rules.max_plies <= PLY_CAPACITY:
        raise ValueError(
            f"max_plies must be an integer from {least} to {PLY_CAPACITY}, got {rules.max_plies!r}"
        )
    most = 1 + (rules.max_plies - 1) // LEAST_CYCLE  # times that a position occurs before the end
    value = rules.repetition_draw
    if not _is_integer(value) or (value != 0 and not 2 <= value <= most):
        allowed = f"0 (off) or an integer from 2 to {most}" if most > 1 else "0 (off)"
        raise ValueError(
            f"repetition_draw must be {allowed}: a position recurs after {LEAST_CYCLE} plies at "
            f"the earliest, and max_plies is {rules.max_plies}; got {value!r}"
        )


def _check_effects(rules: "MurusGallicus") -> None:
    """Checks that no option is about catapults or wins that the others exclude."""
    fires = rules.fire_directions
    if not rules.terms.has_catapults:
        if fires is not None:
            raise ValueError(
                "fire_directions must be None where max_stack is 2, since only a stack of 3 fires, "
                f"got {fires}"
            )
        if rules.variant in ("fire3", "fire8"):
            raise ValueError(
                f"variant {rules.variant!r} says how a stack of 3 fires, so max_stack must be 3, "
                "got 2; did you mean variant='basic'?"
            )
    if not rules.breakthrough:
        if rules.win_timing is not None:
            raise ValueError(
                "win_timing must be None where breakthrough is False, since the far row means "
                f"nothing, got {rules.win_timing!r}"
            )
        if rules.terms.win_timing == DELAYED:
            raise ValueError(
                "breakthrough must be True in a variant that differs by its win on the far row, "
                f"got False with variant={rules.variant!r}; did you mean variant='default'?"
            )


def _check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raises a `ValueError` unless `value` is one of `choices`, of the same type, or None."""
    allowed = [None, *choices]
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
