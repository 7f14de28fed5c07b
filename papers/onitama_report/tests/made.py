"""What the tests of the study of the Onitama report share."""

import math

from papers.onitama_report.study.curves import Training


def made(architecture, **values):
    """Returns a training of 10,000 episodes without success."""
    plain = {
        "seed": "seed_0", "episodes": 10_000, "goal": 10_000, "valid_rate": 0.4,
        "learned_after": math.inf, "deeper_after": math.inf, "best_wins": 0.4,
        "wins_deeper": math.nan, "last_wins_deeper": math.nan, "deepest": 1, "first_wins": 0.1,
        "last_wins": 0.1, "validity_loss": math.nan,
    }  # fmt: skip
    return Training(architecture, **(plain | values))


def confirmed(found):
    """Returns whether each claim is confirmed, in words."""
    return {verdict.claim: verdict.confirmed for verdict in found}
