"""A finding of the report beside ours: estimates over seeds, and whether it is confirmed."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.stats

from benchmarks import measuring

MOST_LISTED = 6  # values, beyond which their range is shown


class Verdict(NamedTuple):
    """One finding, looked at in several learners or in the tournaments of several seeds."""

    claim: str
    theirs: str
    ours: str
    holds: Sequence[bool]
    """For each learner or tournament, or for all together; empty without an answer."""
    why: str = ""
    """Why there is no answer."""

    @property
    def confirmed(self) -> str:
        """Whether the finding holds, in words."""
        if not self.holds:
            return self.why
        if all(self.holds):
            return "yes"
        return f"in {sum(self.holds)} of {len(self.holds)}" if any(self.holds) else "no"


def half_width(values: Sequence[float]) -> float:
    """Returns half of the 95 % t interval of the mean; `nan` for a single value."""
    if len(values) < 2:
        return math.nan
    quantile = scipy.stats.t.ppf(0.975, len(values) - 1)
    return float(quantile * np.std(values, ddof=1) / math.sqrt(len(values)))


def estimate(values: Sequence[float], form: str, form_of_each: str | None = None) -> str:
    """Returns the mean over seeds with its interval, and the value of each seed.

    Args:
        values: one for each seed.
        form: format of the mean.
        form_of_each: format of the value of each seed; None: the format of the mean.
    """
    own = form_of_each or form
    if len(values) == 1:
        return f"{values[0]:{own}} (one seed)"
    each = ", ".join(f"{x:{own}}" for x in values)
    if len(values) > MOST_LISTED:
        each = f"{min(values):{own}} to {max(values):{own}}"
    half = f"{half_width(values):{form.replace('+', '')}}"
    return f"{np.mean(values):{form}} ± {half} ({each})"


def of_number(claim: str, stated: float, values: Sequence[float], form: str) -> Verdict:
    """Returns the finding that a stated number lies in our interval."""
    verdict = Verdict(claim, f"{stated:{form}}", estimate(values, form), [])
    if len(values) < 2:
        return verdict._replace(why="not testable: one seed has no interval")
    return verdict._replace(holds=[_is_within(stated, values)])


def of_difference(claim: str, stated: float, values: Sequence[float], form: str) -> Verdict:
    """Returns the finding about a number whose sign matters.

    An interval with both the number and zero in it says nothing.
    """
    verdict = of_number(claim, stated, values, form)
    if verdict.holds == [True] and _is_within(0.0, values):
        return verdict._replace(holds=[], why="undecided: our interval holds 0 as well")
    return verdict


def _is_within(number: float, values: Sequence[float]) -> bool:
    return abs(float(np.mean(values)) - number) <= half_width(values)


def of_places(claim: str, wanted: int, places: Sequence[int]) -> Verdict:
    """Returns the finding that a place in a table is the stated one."""
    holds = [place == wanted for place in places]
    ours = estimate(places, ".1f", ".0f")
    return Verdict(claim, f"place {wanted}", f"place {ours}", holds)


def lines(verdicts: Iterable[Verdict]) -> list[str]:
    """Returns the table of claims."""
    return [
        "±: 95 % t interval of the mean over seeds, in brackets the value of each seed. A "
        "statement is confirmed if it holds for all seeds, a number if it lies in our interval: a "
        "wide one does not contradict much.",
        "",
        *measuring.table(
            ["claim", "theirs", "ours", "confirmed"],
            [[v.claim, v.theirs, v.ours, v.confirmed] for v in verdicts],
        ),
    ]
