"""The study of the Onitama report: its tournament, and the claims about it."""

import itertools
import math

import pytest
from matplotlib import figure

from agents.arena import elo
from agents.arena.standings import standings
from agents.arena.tournament import Pairing, Tournament
from papers.onitama_report.study import report, tournament, tournament_claims
from papers.onitama_report.tests.made import confirmed


def test_claims_about_the_tournaments_of_two_seeds(tmp_path):
    strength = {name: number for number, name in enumerate(report.PLAYERS)}
    strength["actions_after_val_multiply"] = 99
    names = (*report.PLAYERS, "minimax depth 1")
    strength["minimax depth 1"] = 1000
    pairings = tuple(
        Pairing(a, b, (1.0 if strength[a] > strength[b] else -1.0,) * 4, (30 + i,) * 4)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    )
    played = Tournament(names, pairings)
    other = Tournament(
        names, tuple(p._replace(returns=tuple(-x for x in p.returns)) for p in pairings)
    )
    found = {v.claim: v for v in tournament_claims.of_tournaments([played, other])}
    best = "actions_after_val_multiply"
    assert found[f"`{best}` by Elo"].ours.startswith("place 5.0 ± 50.8 (1, 9)")
    assert found[f"`{best}` by Elo"].confirmed == "in 1 of 2"
    assert found["`actions_only` by Elo"].theirs == "place 3"
    of_best = found[f"Elo of `{best}`"]
    assert (of_best.theirs, of_best.confirmed) == ("1130", "yes")
    assert found[f"other actors that `{best}` beats"].ours == "3.5 ± 44.5 (7, 0)"
    assert found["net wins of `dual` over `random`"].ours == "+0 ± 51 (+4, -4)"
    net = found["net wins of `actions_only` v `actions_after_val`"]
    assert (net.theirs, net.confirmed) == ("+1234", "no")
    assert net.ours == "+0 ± 51 (-4, +4); the same winner in 1 of 2"
    assert "highest mean turns of all pairs" in found and "highest net wins of all pairs" in found
    pair = "`actions_after_val` v `val_branch_actions`"
    assert found[f"mean turns of {pair}"].theirs == "80.1"
    assert found[f"{pair} by mean turns among all pairs"].theirs == "place 1"
    shortest = found["mean turns of `val_after_actions_multiply` v `val_after_actions`"]
    assert (shortest.theirs, shortest.confirmed) == ("33.4", "no")
    alone = confirmed(tournament_claims.of_tournaments([played]))
    assert alone["Elo of `random`"] == "not testable: one seed has no interval"
    assert alone["`random` by rating"] == "yes"
    lines, numbers = tournament.lines([played, other])
    assert len(numbers["nine"]) == 9 and len(numbers["all"]) == 10 and len(numbers["by seed"]) == 2
    of_best = next(
        line for line in lines if line.startswith(f"| {best} | ") and line.count("|") == 6
    )
    first, second, mean = map(int, of_best.split(" | ")[1:4])
    assert first > 1000 > second and mean == pytest.approx((first + second) / 2, abs=1)
    tournament.draw(played, tmp_path / "matrices.png", tmp_path / "elo.png")
    assert (tmp_path / "elo.png").stat().st_size > 10_000
    assert "| actions_only v actions_after_val | -4 | +1234 |" in lines
    (plies,) = (p.plies[0] for p in pairings if {p.first, p.second} == set(report.LONGEST))
    assert f"| actions_after_val v val_branch_actions | {plies}.0 | {plies}.0 | 80.1 |" in lines
    assert numbers["seconds"] == [None, None]
    unknown = "unknown (not in its file)"
    assert any(f"compilation included: {unknown}, {unknown}; of" in line for line in lines)
    timed = played._replace(pairings=tuple(p._replace(seconds=60.0) for p in pairings))
    lines, numbers = tournament.lines([timed])
    assert (numbers["seconds of the nine"], numbers["seconds"]) == ([36 * 60.0], [45 * 60.0])
    assert any("144 games" in line and ": 36.0 minutes; of" in line for line in lines)
    goes_on = played._replace(pairings=(*timed.pairings[:2], *pairings[2:]))
    text = "with all others: 2.0 minutes for 2 of 45 pairs, unknown for the others."
    assert any(text in line for line in tournament.lines([goes_on])[0])


def as_expected(odds, plies=None, games=140):
    """Returns a tournament whose results are the likeliest for some strengths.

    Args:
        odds: the strength of each player; two of them win in proportion to theirs.
        plies: what each player adds to the length of its games; 15 if None.
        games: of each pair; the stronger player wins the first ones.
    """
    names = sorted(odds, key=odds.__getitem__, reverse=True)
    pairings = []
    for first, second in itertools.combinations(names, 2):
        wins = round(games * odds[first] / (odds[first] + odds[second]))
        returns = (1.0,) * wins + (-1.0,) * (games - wins)
        length = 30 if plies is None else plies[first] + plies[second]
        pairings.append(Pairing(first, second, returns, (length,) * games))
    return Tournament(tuple(names), tuple(pairings))


EQUAL = dict.fromkeys(report.PLAYERS, 1)


def test_our_player_leads_the_best_minimax_and_the_best_of_the_report():
    ours = {tournament.OURS: 27, "minimax depth 2": 9, "minimax depth 1": 3}
    played = as_expected({**EQUAL, **ours, "actions_only": 3})
    lines, numbers = tournament.lines([played])
    assert numbers["leads"].keys() == {"minimax depth 2", "actions_only"}
    for name, odds in (("minimax depth 2", 3), ("actions_only", 9)):
        lead = numbers["leads"][name]
        assert lead["value"] == pytest.approx(400 * math.log10(odds), abs=1)
        (own,) = (x for x in standings(played, name) if x.name == tournament.OURS)
        interval = own.rating.low - elo.START, own.rating.high - elo.START
        assert (lead["low"], lead["high"]) == pytest.approx(interval, abs=1)
        assert lead["low"] < lead["value"] - 10 < lead["value"] + 10 < lead["high"]
        text = f"- {name} by {lead['value']:.0f} ({lead['low']:.0f} to {lead['high']:.0f}) points"
        assert text in lines


def test_nobody_leads_where_ours_does_not_play():
    _, numbers = tournament.lines([as_expected({**EQUAL, "minimax depth 1": 3}, games=4)])
    assert "all" in numbers and "leads" not in numbers


def test_numbers_of_the_report_stand_beside_ours():
    lines, _ = tournament.lines([as_expected(EQUAL, games=4)])
    pairs = lines[lines.index("| pair | ours (of 4) | report |") + 2 :][:7]
    stated = [304, 428, 270, 1234, 1184, 809, 1690]
    assert [pair.rpartition(" | +0 | ")[2] for pair in pairs] == [f"+{x} |" for x in stated]
    assert max(report.NET_WINS, key=report.NET_WINS.__getitem__) == report.LARGEST_NET_WIN


def test_ratings_of_some_seeds_have_the_deviation_of_a_sample():
    strong, weak = as_expected({**EQUAL, "dual": 9}), as_expected({**EQUAL, "dual": 3})
    lines, _ = tournament.lines([strong, weak])
    header = "| player | tournament 1 | tournament 2 | mean | standard deviation |"
    best = lines[lines.index(header) + 2]
    assert best == "| dual | 1382 | 1191 | 1286 | 135 |"


def test_the_picture_shows_the_elo_after_each_round_robin(tmp_path, monkeypatch):
    played = as_expected({"dual": 3, "actions_only": 2, report.RANDOM: 1}, games=12)
    shown = []
    monkeypatch.setattr(tournament.plots, "plot_matrices", lambda *_: None)
    monkeypatch.setattr(figure.Figure, "savefig", lambda self, *_, **__: shown.extend(self.axes))
    tournament.draw(played, tmp_path / "matrices.png", tmp_path / "elo.png")
    (axes,) = shown
    assert axes.get_xlim() == (0, 12)
    ends = {line.name: line.last_elo for line in standings(played)}
    rounds, smooth = axes.lines[::2], axes.lines[1::2]
    assert [line.get_label() for line in smooth] == sorted(ends, key=ends.__getitem__, reverse=True)
    for line, mean in zip(rounds, smooth, strict=True):
        values = line.get_ydata()
        assert (len(values), values[0], values[-1]) == (13, 1000, ends[mean.get_label()])
        assert mean.get_ydata() == pytest.approx([values.mean()])


def test_length_and_strength_are_alike_from_half_a_correlation_on():
    odds = {name: 1.5**number for number, name in enumerate(report.PLAYERS)}

    def lasting(slope):
        """Lengths that rise with strength, and to both sides of the middle."""
        return {n: 500 + slope * i + 100 * abs(i - 4) for i, n in enumerate(report.PLAYERS)}

    # Who is stronger loses the last games: the last Elo would say the opposite.
    played = [as_expected(odds, lasting(slope), games=40) for slope in (25, 33, -33)]
    found = {v.claim: v for v in tournament_claims.of_tournaments(played)}
    of_length = found["correlation of length of games and rating (confirmed below 0.5 either way)"]
    assert of_length.ours.endswith("(+0.44, +0.54, -0.54)")
    assert of_length.holds == [True, False, False]
