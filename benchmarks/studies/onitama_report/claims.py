"""What the report found, and whether it holds here."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from agents.arena.standings import Standing, standings
from agents.arena.tournament import Tournament
from benchmarks import measuring
from benchmarks.studies.onitama_report import report, tournament
from benchmarks.studies.onitama_report.curves import FAST, Training

ENOUGH = 0.6  # wins with which the opponent rises
BEST = "actions_after_val_multiply"


class Verdict(NamedTuple):
    """One finding, looked at in several learners or in the tournaments of several seeds."""

    claim: str
    ours: str
    holds: Sequence[bool]


def of_training(found: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about the training of 10,000 episodes."""
    plain = [training for training in found if training.architecture in report.PLAIN]
    multiplied = [training for training in found if training.architecture in report.MULTIPLIED]
    return [
        *_judged(
            f"products: valid rate rises to about 1 (here: {FAST} at least)",
            [training.valid_rate for training in multiplied],
            lambda rate: rate >= FAST,
        ),
        *_judged(
            f"products: win rate at depth 1 never above {ENOUGH}",
            [training.best_wins for training in multiplied],
            lambda rate: rate <= ENOUGH,
        ),
        *_judged(
            "others: beat depth 1; episodes until then",
            [training.deeper_after for training in plain],
            math.isfinite,
        ),
        *_judged(
            "others: win rate at depth 2 almost 0 (here: below 0.15)",
            [training.wins_deeper for training in plain],
            lambda rate: rate < 0.15,
        ),
        *_judged(
            "others: valid rate 0.1 to 0.65",
            [training.valid_rate for training in plain],
            lambda rate: 0.1 <= rate <= 0.65,
        ),
    ]


def of_extended(found: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about the long training of `val_branch_actions`."""
    return [
        *_judged(
            "long training: win rate at depth 2 about 0.5 at the end (here: 0.4 to 0.6)",
            [training.last_wins_deeper for training in found],
            lambda rate: 0.4 <= rate <= ENOUGH,
        ),
        *_judged(
            "long training: valid rate 0.2 to 0.45",
            [training.valid_rate for training in found],
            lambda rate: 0.2 <= rate <= 0.45,
        ),
    ]


def _judged(
    claim: str, values: Sequence[float], holds: Callable[[float], bool]
) -> Iterator[Verdict]:
    """Yields the finding, unless nothing is known."""
    known = [x for x in values if not math.isnan(x)]
    if known:
        yield Verdict(claim, _range(known), [holds(x) for x in known])


def of_tournaments(played: Sequence[Tournament]) -> list[Verdict]:
    """Returns the findings about the nine players, in the tournament of each seed."""
    nines = [tournament.among(each, report.PLAYERS) for each in played]
    tables = [standings(nine, report.RANDOM) for nine in nines]

    def ranks(name: str, key: Callable[[Standing], float]) -> list[int]:
        """Returns the place of a player in each tournament, from 1."""
        return [
            1 + sum(key(line) > key(own) for line in table)
            for table in tables
            for own in table
            if own.name == name
        ]

    def net(first: str, second: str) -> list[float]:
        return [tournament.net_wins(nine, first, second) for nine in nines]

    def placed(claim: str, places: list[int], wanted: int) -> Verdict:
        return Verdict(claim, f"place {_list(places)}", [place == wanted for place in places])

    by_rating, by_score = ranks(BEST, _rating), ranks("actions_only", lambda x: x.score.mean)
    last = len(report.PLAYERS)
    rivals = [name for name in report.PLAYERS if name not in (BEST, report.RANDOM)]
    beaten = np.sum([[wins > 0 for wins in net(BEST, name)] for name in rivals], axis=0).tolist()
    verdicts = [
        placed(f"{BEST} is the best of the nine", by_rating, 1),
        Verdict(
            f"{BEST} beats every other actor",
            f"beats {_list(beaten)} of {len(rivals)}",
            [number == len(rivals) for number in beaten],
        ),
        placed("actions_only has the highest win rate", by_score, 1),
        placed("random is the last of the nine", ranks(report.RANDOM, _rating), last),
    ]
    for name in ("dual", "val_branch_actions_multiply"):
        wins = net(name, report.RANDOM)
        text = f"net wins {_list(f'{x:+.0f}' for x in wins)}"
        verdicts.append(Verdict(f"{name} loses to random", text, [x < 0 for x in wins]))
    pairs = report.NET_WINS.items()
    alike = [
        sum((tournament.net_wins(nine, *pair) > 0) == (stated > 0) for pair, stated in pairs)
        for nine in nines
    ]
    correlations = [
        float(np.corrcoef([x.plies for x in table], [_rating(x) for x in table])[0, 1])
        for table in tables
    ]
    return [
        *verdicts,
        Verdict(
            "who wins in the seven pairs with stated net wins",
            f"{_list(alike)} of {len(pairs)} alike",
            [number == len(pairs) for number in alike],
        ),
        Verdict(
            "length of games and strength are not correlated (here: less than 0.5 either way)",
            f"correlation {_list(f'{x:+.2f}' for x in correlations)}",
            [abs(x) < 0.5 for x in correlations],
        ),
    ]


def lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Returns the table of claims."""
    return measuring.table(
        ["the report", "ours", "confirmed"],
        [[v.claim, v.ours, _confirmed(v.holds)] for v in verdicts],
    )


def _confirmed(holds: Sequence[bool]) -> str:
    if all(holds):
        return "yes"
    return f"in {sum(holds)} of {len(holds)}" if any(holds) else "no"


def _rating(line: Standing) -> float:
    return line.rating.value


def _list(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    if math.isinf(high):
        never = sum(map(math.isinf, values))
        return f"never by {never} of {len(values)} learners"
    digits = 0 if high > 10 else 2
    return f"{low:,.{digits}f} to {high:,.{digits}f} ({len(values)} learners)"
