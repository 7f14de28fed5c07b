"""The claims of the report beside our numbers: estimates over seeds, and whether they hold."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.stats

from benchmarks import measuring
from papers.onitama_report.study import report

MOST_LISTED = 6  # values, beyond which their range is shown


def estimate(values: Sequence[float], form: str = ".2f") -> str:
    """Returns the mean over seeds with its 95 % t interval, and the value of each seed."""
    number = len(values)
    if number < 2:
        return f"{values[0]:{form}} (one seed)" if values else "-"
    each = ", ".join(f"{x:{form}}" for x in values)
    if number > MOST_LISTED:
        each = f"{min(values):{form}} to {max(values):{form}}"
    quantile = scipy.stats.t.ppf(0.975, number - 1)
    half = quantile * np.std(values, ddof=1) / math.sqrt(number)
    return f"{np.mean(values):{form}} ± {half:{form}} ({each})"


def lines(learners: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Returns the table of all claims that the trainings of each option can test."""
    rows = []
    for claim in report.CLAIMS:
        for actor in claim.actors:
            own = [x for x in learners[claim.option] if x["architecture"] == actor]
            values = [x[claim.field] for x in own if x[claim.field] is not None]
            holds = sum(claim.low <= value <= claim.high for value in values)
            if own:
                confirmed = f"in {holds} of {len(values)}" if values else "not testable"
                rows.append([claim.option, actor, claim.text, estimate(values), confirmed])
    return [
        "±: 95 % t interval of the mean over seeds, in brackets the value of each seed.",
        "",
        *measuring.table(["trainings", "actor", "claim", "ours", "confirmed"], rows),
    ]
