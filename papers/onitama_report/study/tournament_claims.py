"""Claims of the report about its tournament, beside our findings."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from agents.arena.standings import Standing, standings
from agents.arena.tournament import Tournament
from papers.onitama_report.study import report, tournament
from papers.onitama_report.study.verdicts import (
    Verdict,
    estimate,
    of_difference,
    of_number,
    of_places,
)

BEST = "actions_after_val_multiply"
ALIKE = 0.5  # correlation from which on length and strength count as correlated
Pair = tuple[str, str]
Measure = Callable[[Tournament, str, str], float]


def of_tournaments(played: Sequence[Tournament]) -> list[Verdict]:
    """Returns the findings about the nine players, in the tournament of each seed."""
    nines = [tournament.among(each, report.PLAYERS) for each in played]
    tables = [standings(nine, report.RANDOM) for nine in nines]
    return [*_of_ratings(tables), *_of_net_wins(nines), *_of_lengths(nines, tables)]


def _of_ratings(tables: Sequence[Sequence[Standing]]) -> list[Verdict]:
    verdicts = []
    for measure, key in (("Elo", _last_elo), ("rating", _rating)):
        for name, wanted in ((BEST, 1), ("actions_only", 3), (report.RANDOM, len(report.PLAYERS))):
            places = [_place(table, name, key) for table in tables]
            verdicts.append(of_places(f"`{name}` by {measure}", wanted, places))
    for name, stated in report.ELO.items():
        values = [_last_elo(_line(table, name)) for table in tables]
        verdicts.append(of_number(f"Elo of `{name}`", stated, values, ".0f"))
    places = [_place(table, "actions_only", lambda line: line.score.mean) for table in tables]
    return [*verdicts, of_places("`actions_only` by win rate", 1, places)]


def _of_net_wins(nines: Sequence[Tournament]) -> list[Verdict]:
    def net(first: str, second: str) -> list[float]:
        return [tournament.net_wins(nine, first, second) for nine in nines]

    rivals = [name for name in report.PLAYERS if name not in (BEST, report.RANDOM)]
    beaten = np.sum([[wins > 0 for wins in net(BEST, name)] for name in rivals], axis=0).tolist()
    verdicts = [
        Verdict(
            f"other actors that `{BEST}` beats",
            f"all {len(rivals)}",
            estimate(beaten, ".1f", ".0f"),
            [number == len(rivals) for number in beaten],
        )
    ]
    for name in ("dual", "val_branch_actions_multiply"):
        wins = net(name, report.RANDOM)
        holds = [x < 0 for x in wins]
        claim = f"net wins of `{name}` over `random`"
        verdicts.append(Verdict(claim, "below 0", estimate(wins, "+.0f"), holds))
    alike = np.zeros(len(nines), int)
    for pair, stated in report.NET_WINS.items():
        wins = net(*pair)
        same = [(x > 0) == (stated > 0) for x in wins]
        alike += same
        verdict = of_difference(f"net wins of {_name(pair)}", stated, wins, "+.0f")
        ours = f"{verdict.ours}; the same winner in {sum(same)} of {len(same)}"
        verdicts.append(verdict._replace(ours=ours))
    stated = report.NET_WINS[report.LARGEST_NET_WIN]
    return [
        *verdicts,
        Verdict(
            "winner in the seven pairs with stated net wins",
            f"{len(report.NET_WINS)} pairs",
            f"{estimate(alike.tolist(), '.1f', '.0f')} alike",
            [number == len(report.NET_WINS) for number in alike.tolist()],
        ),
        *_of_largest("net wins", nines, tournament.net_wins, report.LARGEST_NET_WIN, stated),
    ]


def _of_lengths(nines: Sequence[Tournament], tables: Sequence[Sequence[Standing]]) -> list[Verdict]:
    longest = report.MEAN_PLIES[report.LONGEST]
    correlations = [
        float(np.corrcoef([x.plies for x in table], [_rating(x) for x in table])[0, 1])
        for table in tables
    ]
    return [
        *_of_largest("mean turns", nines, tournament.mean_plies, report.LONGEST, longest),
        *(
            of_number(
                f"mean turns of {_name(pair)}",
                stated,
                [tournament.mean_plies(nine, *pair) for nine in nines],
                ".1f",
            )
            for pair, stated in report.MEAN_PLIES.items()
        ),
        Verdict(
            f"correlation of length of games and rating (confirmed below {ALIKE} either way)",
            "none",
            estimate(correlations, "+.2f"),
            [abs(x) < ALIKE for x in correlations],
        ),
    ]


def _of_largest(
    what: str, nines: Sequence[Tournament], measure: Measure, stated_pair: Pair, stated: float
) -> list[Verdict]:
    """Returns the findings about the largest value of all pairs, and about its pair."""
    values = [
        {pair: measure(nine, *pair) for pair in itertools.permutations(report.PLAYERS, 2)}
        for nine in nines
    ]
    pairs = [max(of_pair, key=of_pair.__getitem__) for of_pair in values]
    form = "+.0f" if measure is tournament.net_wins else ".1f"
    largest = [of_pair[pair] for of_pair, pair in zip(values, pairs, strict=True)]
    verdict = of_number(f"highest {what} of all pairs", stated, largest, form)
    ours = f"{verdict.ours}: {', '.join(map(_name, pairs))}"
    # A pair with its players exchanged has another value of net wins, but the same mean length.
    places = [
        1 + len({frozenset(p) for p, x in of_pair.items() if x > of_pair[stated_pair]})
        for of_pair in values
    ]
    claim = f"{_name(stated_pair)} by {what} among all pairs"
    return [verdict._replace(ours=ours), of_places(claim, 1, places)]


def _place(table: Sequence[Standing], name: str, key: Callable[[Standing], float]) -> int:
    """Returns the place of a player, from 1."""
    return 1 + sum(key(line) > key(_line(table, name)) for line in table)


def _line(table: Sequence[Standing], name: str) -> Standing:
    return next(line for line in table if line.name == name)


def _rating(line: Standing) -> float:
    return line.rating.value


def _last_elo(line: Standing) -> float:
    return line.last_elo


def _name(pair: Pair) -> str:
    return f"`{pair[0]}` v `{pair[1]}`"
