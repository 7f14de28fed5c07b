"""Who meets whom: round robin, gauntlet and knock-out.

A format is a pure function from the results so far to the next pairing, so that a stopped
tournament goes on from its file. Results are given as the first agent's net wins in each pairing,
in order.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from configs.tournament import Format


class Match(NamedTuple):
    """One match of a knock-out."""

    first: str
    second: str | None
    """None: `first` has a bye."""
    winner: str | None
    """None: the match is still to be played."""


def num_pairings(form: Format, num_agents: int) -> int:
    """Returns the number of pairings of a whole tournament."""
    return num_agents * (num_agents - 1) // 2 if form == "round_robin" else num_agents - 1


def next_pairing(
    form: Format, agents: Sequence[str], net_wins: Sequence[float]
) -> tuple[str, str] | None:
    """Returns the two agents that play next, None at the end of the tournament."""
    if len(net_wins) == num_pairings(form, len(agents)):
        return None
    if form == "round_robin":
        return list(itertools.combinations(agents, 2))[len(net_wins)]
    if form == "gauntlet":
        return agents[0], agents[len(net_wins) + 1]
    matches = itertools.chain(*bracket(agents, net_wins))
    return next((m.first, m.second) for m in matches if m.second and not m.winner)


def bracket(agents: Sequence[str], net_wins: Sequence[float]) -> tuple[tuple[Match, ...], ...]:
    """Returns the rounds of a knock-out up to the one that is being played.

    Agents are listed by seed, the best first: the best two can meet in the final only, and byes of
    the first round go to the best agents. A drawn match is won by the better seed.
    """
    results = iter(net_wins)
    entrants = [agents[seed] if seed < len(agents) else None for seed in _seeding(len(agents))]
    rounds: list[tuple[Match, ...]] = []
    while len(entrants) > 1:
        matches = []
        for first, second in zip(entrants[::2], entrants[1::2], strict=True):
            assert first is not None  # byes are second; a round starts when the last one is over
            winner = first if second is None else _winner(agents, first, second, results)
            matches.append(Match(first, second, winner))
        rounds.append(tuple(matches))
        entrants = [match.winner for match in matches]
        if None in entrants:
            break
    return tuple(rounds)


def _winner(agents: Sequence[str], first: str, second: str, results: Iterator[float]) -> str | None:
    net_wins = next(results, None)
    if net_wins is None:
        return None
    if net_wins == 0:
        return min(first, second, key=agents.index)
    return first if net_wins > 0 else second


def _seeding(num_agents: int) -> list[int]:
    """Returns the seeds in the order of the bracket: 0 3 1 2 for three or four agents."""
    seeds = [0]
    while len(seeds) < num_agents:
        size = 2 * len(seeds)
        seeds = [seed for better in seeds for seed in (better, size - 1 - better)]
    return seeds
