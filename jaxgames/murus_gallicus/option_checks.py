"""Checks of the options of Murus Gallicus: errors name the bad option and the allowed values."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxgames.internal import checks, messages
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


def check(options: "MurusGallicus") -> None:
    """Checks all options.

    Raises:
        ValueError: for a value that an option does not have, or an option without any effect.
    """
    if not isinstance(options.variant, str) or options.variant not in VARIANTS:
        raise ValueError(messages.unknown("variant", str(options.variant), VARIANTS))
    _check_choice("max_stack", options.max_stack, MAX_LEGAL_ACTIONS)
    _check_choice("fire_directions", options.fire_directions, FIRE_DIRECTIONS)
    _check_choice("win_timing", options.win_timing, WIN_TIMINGS)
    checks.switches(options, ("breakthrough", "redistribute_start", "pie_rule"))
    _check_plies(options)
    _check_effects(options)


def _check_plies(options: "MurusGallicus") -> None:
    """Checks the two limits; the plies that options add to first turns must end before the game."""
    least = PLIES_OF_OPENING if options.redistribute_start else 1 + options.pie_rule
    if not _is_integer(options.max_plies) or not least <= options.max_plies <= PLY_CAPACITY:
        raise ValueError(
            f"max_plies must be an integer from {least} to {PLY_CAPACITY}, "
            f"got {options.max_plies!r}"
        )
    most = 1 + (options.max_plies - 1) // LEAST_CYCLE  # times that a position occurs before the end
    value = options.repetition_draw
    if not _is_integer(value) or (value != 0 and not 2 <= value <= most):
        allowed = f"0 (off) or an integer from 2 to {most}" if most > 1 else "0 (off)"
        raise ValueError(
            f"repetition_draw must be {allowed}: a position recurs after {LEAST_CYCLE} plies at "
            f"the earliest, and max_plies is {options.max_plies}; got {value!r}"
        )


def _check_effects(options: "MurusGallicus") -> None:
    """Checks that no option concerns catapults or wins that other options exclude."""
    fires = options.fire_directions
    if not options.terms.has_catapults:
        if fires is not None:
            raise ValueError(
                "fire_directions must be None where max_stack is 2, since only a stack of 3 fires, "
                f"got {fires}"
            )
        if options.variant in ("fire3", "fire8"):
            raise ValueError(
                f"variant {options.variant!r} says how a stack of 3 fires, so max_stack must be 3, "
                "got 2; did you mean variant='basic'?"
            )
    if not options.breakthrough:
        if options.win_timing is not None:
            raise ValueError(
                "win_timing must be None where breakthrough is False, since the far row means "
                f"nothing, got {options.win_timing!r}"
            )
        if options.terms.win_timing == DELAYED:
            raise ValueError(
                "breakthrough must be True in a variant that differs by its win on the far row, "
                f"got False with variant={options.variant!r}; did you mean variant='default'?"
            )


def _check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raises a `ValueError` unless `value` is one of `choices`, of the same type, or None."""
    allowed = [None, *choices]
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
