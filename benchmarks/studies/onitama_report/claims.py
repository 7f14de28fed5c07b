"""What the report found, and whether it holds here."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agents.arena.standings import standings
from agents.arena.tournament import Tournament
from benchmarks import measuring
from benchmarks.studies.onitama_report import report, tournament
from benchmarks.studies.onitama_report.curves import FAST, Training

ENOUGH = 0.6  # wins with which the opponent rises


class Verdict(NamedTuple):
    """One finding."""

    claim: str
    ours: str
    holds: bool


def of_training(found: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about training: all seeds of the actors concerned must agree."""
    plain = [training for training in found if training.architecture in report.PLAIN]
    multiplied = [training for training in found if training.architecture in report.MULTIPLIED]
    verdicts = []

    def judge(
        claim: str,
        group: Sequence[Training],
        value: Callable[[Training], float],
        holds: Callable[[float], bool],
    ) -> None:
        values = [value(training) for training in group]
        known = [x for x in values if not math.isnan(x)]
        if known:
            verdicts.append(Verdict(claim, _range(known), all(map(holds, known))))

    judge(
        f"products: valid rate rises to about 1 (here: {FAST} at least)",
        multiplied,
        lambda training: training.valid_rate,
        lambda rate: rate >= FAST,
    )
    judge(
        f"products: win rate at depth 1 never above {ENOUGH}",
        multiplied,
        lambda training: training.best_wins,
        lambda rate: rate <= ENOUGH,
    )
    judge(
        "others: beat depth 1; episodes until then",
        plain,
        lambda training: training.deeper_after,
        math.isfinite,
    )
    judge(
        "others: win rate at depth 2 almost 0 (here: below 0.15)",
        plain,
        lambda training: training.wins_deeper,
        lambda rate: rate < 0.15,
    )
    judge(
        "others: valid rate 0.1 to 0.65",
        plain,
        lambda training: training.valid_rate,
        lambda rate: 0.1 <= rate <= 0.65,
    )
    return verdicts


def of_tournament(played: Tournament) -> list[Verdict]:
    """Returns the findings about the nine players."""
    nine = tournament.among(played, report.PLAYERS)
    table = standings(nine, report.RANDOM)
    order = [line.name for line in table]
    rating = {line.name: line.rating.value for line in table}
    best = "actions_after_val_multiply"
    verdicts = [
        Verdict(f"{best} is the best of the nine", order[0], order[0] == best),
        Verdict("random is the last of the nine", order[-1], order[-1] == report.RANDOM),
    ]
    for name in ("dual", "val_branch_actions_multiply"):
        wins = tournament.net_wins(nine, name, report.RANDOM)
        verdicts.append(Verdict(f"{name} loses to random", f"net wins {wins:+.0f}", wins < 0))
    same = sum(
        (tournament.net_wins(nine, *pair) > 0) == (stated > 0)
        for pair, stated in report.NET_WINS.items()
    )
    verdicts.append(
        Verdict(
            "who wins in the seven pairs with stated net wins",
            f"{same} of {len(report.NET_WINS)} alike",
            same == len(report.NET_WINS),
        )
    )
    plies = [line.plies for line in table]
    correlation = float(np.corrcoef(plies, [rating[name] for name in order])[0, 1])
    verdicts.append(
        Verdict(
            "length of games and strength are not correlated (here: less than 0.5 either way)",
            f"correlation {correlation:+.2f}",
            abs(correlation) < 0.5,
        )
    )
    return verdicts


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Returns the table of claims."""
    return measuring.table(
        ["the report", "ours", "confirmed"],
        [[v.claim, v.ours, "yes" if v.holds else "no"] for v in verdicts],
    )


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    if math.isinf(high):
        never = sum(map(math.isinf, values))
        return f"never by {never} of {len(values)} learners"
    digits = 0 if high > 10 else 2
    return f"{low:,.{digits}f} to {high:,.{digits}f} ({len(values)} learners)"
