"""The study of the Onitama report: valid moves, what trainings showed, claims, the command line."""

import json
import math

import numpy as np
import pytest
from matplotlib import figure

from agents.arena.tournament import Pairing, Tournament
from benchmarks.studies.onitama_report import __main__ as study
from benchmarks.studies.onitama_report import (
    claims,
    curves,
    moves,
    report,
    times,
    tournament,
    tournament_claims,
    verdicts,
)
from benchmarks.studies.onitama_report.runs import Run

NAME = "dual-seed_3"


def test_moves_are_summed_up():
    counts = np.zeros((2, 41), int)
    counts[0, [10, 20]] = [3, 1]
    counts[1, [10, 30]] = [2, 2]
    found, error = moves.summary(counts)
    assert found == report.Moves((50 + 20 + 60) / 8, 10, 10, 30)
    residues = np.array([50 - 4 * found.mean, 80 - 4 * found.mean])
    assert error == pytest.approx(np.sqrt((residues**2).sum()) / 8)


def test_the_picture_shows_all_numbers_of_moves(tmp_path, monkeypatch):
    counts = np.zeros((1, 41), int)
    counts[0, [12, 38]] = 1
    shown = []
    monkeypatch.setattr(
        figure.Figure, "savefig", lambda self, *_, **__: shown.append(self.axes[0].get_xlim())
    )
    moves.draw({"random": moves.Found(counts, counts)}, tmp_path / "moves.png")
    assert shown == [(0, 40)]


def row(iteration, loss=None, **values):
    named = {f"play/{name}/{NAME}": value for name, value in values.items()}
    named |= {} if loss is None else {f"learner/validity_loss/{NAME}": loss}
    return json.dumps({"iteration": iteration, **named, "time/minutes": 2.5 * iteration}) + "\n"


@pytest.fixture
def run(tmp_path):
    """A training of 400 games: 30 wins in 100, then 60 in 100, then none at depth 2."""
    lines = [
        row(1, episodes=100, opponent_depth=1, valid_rate=0.5, win_rate=0.3),  # no loss yet
        row(2, 0.2, episodes=200, opponent_depth=1, valid_rate=0.95, win_rate=0.6),
        row(3, 0.1, episodes=300, opponent_depth=2, valid_rate=0.6, win_rate=0.1),
        row(4, 0.012, episodes=400, opponent_depth=2, valid_rate=0.7, win_rate=0.0),
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    return Run(tmp_path, {}, 400)


def test_a_training_is_summed_up(run):
    (found,) = curves.trainings("--runs", [run], 400)
    assert (found.architecture, found.seed, found.episodes) == ("dual", "seed_3", 400)
    assert (found.valid_rate, found.learned_after, found.deeper_after) == (0.7, 200, 300)
    assert found.best_wins == pytest.approx(0.6)
    assert found.wins_deeper == pytest.approx(0.05) and found.last_wins_deeper == 0
    assert found.deepest == 2 and found.last_wins == 0 and found.validity_loss == 0.012
    lines, _ = curves.lines([found])
    assert "| dual | 3 | 400 | 0.70 | 200 | 300 | 0.60 | 0.05 | 0.00 |" in lines
    assert lines[-1] == "| dual | 0.00 (one seed) | 0.70 (one seed) | 0.012 (one seed) |"


def test_the_end_of_a_training_is_averaged_over_seeds():
    found = [
        made("dual", last_wins=0.1, valid_rate=0.4, validity_loss=0.01),
        made("dual", last_wins=0.3, valid_rate=0.6, validity_loss=0.03),
        made("actions_only", last_wins=math.nan),
    ]
    # The t quantile of one degree of freedom is 12.706, the first standard error 0.1.
    assert curves.lines(found)[0][-2:] == [
        "| actions_only | - | 0.40 (one seed) | - |",
        "| dual | 0.20 ± 1.27 (0.10, 0.30) | 0.50 ± 1.27 (0.40, 0.60) "
        "| 0.020 ± 0.127 (0.010, 0.030) |",
    ]


def test_times_are_those_of_the_runs_and_of_the_folder_of_the_network(run, tmp_path):
    found = times.of_runs({"--runs": [run], "--raw": []})
    assert found == [times.Time("--runs", str(tmp_path), 1, 400, "episodes", 10.0)]
    network = str(tmp_path / "network.npz")
    assert times.of_network(None) == times.of_network(network) == []
    (tmp_path / "record.json").write_text("{}")
    found += times.of_network(network)
    assert times.lines(found)[0][-2:] == [
        f"| --runs | {tmp_path} | 1 | 400 episodes | 10.0 |",
        f"| --network | {tmp_path} | 1 | 4 iterations | 10.0 |",
    ]


@pytest.mark.parametrize(("own", "reports", "goal"), [(500, 400, 500), (400, 10_000, 10_000)])
def test_a_training_that_is_not_finished_or_short_says_so(run, own, reports, goal):
    (found,) = curves.trainings("--runs", [run._replace(episodes=own)], reports)
    assert any(f"| 400 of {goal:,} |" in line for line in curves.lines([found])[0])
    found = claims.of_training([found])
    ours = [v.ours for v in found if v.claim.endswith("`dual`")]
    assert ours and all(text.endswith(f"; after 400 of {goal:,} episodes") for text in ours)


def test_the_best_win_rate_needs_enough_games():
    wins, games = np.array([10.0, 0, 40]), np.array([10.0, 30, 60])
    assert curves._best_mean(wins, games) == pytest.approx(40 / 60)
    assert math.isnan(curves._best_mean(np.array([10.0]), np.array([10.0])))


def made(architecture, **values):
    """Returns a training of 10,000 episodes without success."""
    plain = {
        "seed": "seed_0", "episodes": 10_000, "goal": 10_000, "valid_rate": 0.4,
        "learned_after": math.inf, "deeper_after": math.inf, "best_wins": 0.4,
        "wins_deeper": math.nan, "last_wins_deeper": math.nan, "deepest": 1, "first_wins": 0.1,
        "last_wins": 0.1, "validity_loss": math.nan,
    }  # fmt: skip
    return curves.Training(architecture, **(plain | values))


GOOD = [
    *(made(name, valid_rate=0.99) for name in report.MULTIPLIED),
    *(made(name, deeper_after=3000.0, wins_deeper=0.05, deepest=2) for name in report.PLAIN),
]


def confirmed(found):
    return {verdict.claim: verdict.confirmed for verdict in found}


def test_claims_about_training_hold_for_each_actor_or_not():
    assert set(confirmed(claims.of_training(GOOD)).values()) == {"yes"}
    bad = [*GOOD, made("dual", valid_rate=0.5, best_wins=0.9), made("actions_only", valid_rate=0.9)]
    found = {v.claim: v for v in claims.of_training(bad)}
    assert {claim for claim, v in found.items() if v.confirmed == "in 1 of 2"} == {
        "valid rate at the end (confirmed from 0.9 on): `dual`",
        "best win rate at depth 1, never above 0.6: `dual`",
        "beats depth 1: `actions_only`",
        "valid rate at the end: `actions_only`",
    }
    # The t quantile of one degree of freedom is 12.706, the standard error 0.245.
    of_dual = found["valid rate at the end (confirmed from 0.9 on): `dual`"]
    assert (of_dual.theirs, of_dual.ours) == ("about 1", "0.74 ± 3.11 (0.99, 0.50)")


def test_claims_that_no_run_can_test_say_why():
    found = confirmed(claims.of_training([made(name) for name in report.PLAIN]))
    claim = "win rate at depth 2 (confirmed below 0.15): `actions_only`"
    assert found[claim] == "not testable: no learner got to depth 2"
    assert found["beats depth 1: `actions_only`"] == "no"
    claim = "best win rate at depth 1, never above 0.6: `dual`"
    assert found[claim] == "not tested: not among --runs"
    assert len(found) == len(claims.of_training(GOOD)) == 20
    missing = confirmed(claims.of_extended([]))
    assert set(missing.values()) == {"not tested: no run is named by --extended"}
    assert list(confirmed(claims.of_extended([made("val_branch_actions")])).values()) == [
        "not testable: no training ends at depth 2",
        "not testable: no learner got to depth 2",
        "yes",
    ]


def test_products_judged_before_the_mask_are_held_to_the_same_claims():
    good = [made(name, valid_rate=0.99) for name in report.MULTIPLIED]
    found = confirmed(claims.of_raw([*good, made("dual", valid_rate=0.3, best_wins=0.7)]))
    of_dual = {claim for claim, verdict in found.items() if verdict == "in 1 of 2"}
    assert of_dual == {
        "judged before the mask: valid rate at the end (confirmed from 0.9 on): `dual`",
        "judged before the mask: best win rate at depth 1, never above 0.6: `dual`",
    }
    assert len(found) == 8 and {found[claim] for claim in {*found} - of_dual} == {"yes"}
    missing = confirmed(claims.of_raw([]))
    assert missing.keys() == found.keys()
    assert set(missing.values()) == {"not tested: not among --raw"}


def test_the_wrong_rollout_is_judged_by_the_rise_of_the_win_rate():
    (verdict,) = claims.of_wrong_rollout([], GOOD)
    assert verdict.confirmed == "not tested: no run is named by --wrong-rollout"
    wrong = [made("dual", last_wins=0.12), made("dual", last_wins=0.3), made("actions_only")]
    first, second = claims.of_wrong_rollout(wrong, [made("dual", last_wins=0.4)])
    assert (first.claim[-14:], first.confirmed) == ("`actions_only`", "yes")
    assert second.confirmed == "in 1 of 2"
    assert second.ours == ("+0.110 ± 1.144 (+0.020, +0.200); with the right one +0.300 (one seed)")


def test_a_wrong_rollout_of_a_few_games_says_nothing():
    short = made("dual", first_wins=math.nan, episodes=66)
    (verdict,) = claims.of_wrong_rollout([short], [short])
    wanted = "not testable: too few games; after 66 of 10,000 episodes"
    assert (verdict.ours, verdict.confirmed) == ("-", wanted)


def test_claims_about_valid_moves_allow_for_the_errors_of_both():
    counts = np.zeros((2, 41), int)
    counts[:, [12, 16]] = [[44, 32], [32, 44]]
    found = claims.of_moves({"random": moves.Found(counts, counts)})
    assert confirmed(found) == {
        "valid moves, mean (equal moves: random)": "yes",
        "valid moves, median (equal moves: random)": "no",
        "valid moves, mode (equal moves: random)": "yes",
        "valid moves, maximum (equal moves: random)": "no",
    }
    assert [verdict.theirs for verdict in found] == ["14.2496", "14", "12", "30"]


def test_a_number_is_confirmed_by_our_interval_and_a_sign_only_without_zero_in_it():
    near, far = [300.0, 310.0, 290.0], [900.0, -900.0, 300.0]
    assert verdicts.half_width(near) == pytest.approx(4.303 * 10 / np.sqrt(3), rel=1e-3)
    assert math.isnan(verdicts.half_width([1.0]))
    assert verdicts.estimate([float(x) for x in range(9)], ".0f") == "4 ± 2 (0 to 8)"
    for values, wanted in ((near, "yes"), (far, "undecided: our interval holds 0 as well")):
        assert verdicts.of_difference("", 304, values, "+.0f").confirmed == wanted
        assert verdicts.of_number("", 304, values, "+.0f").confirmed == "yes"
    assert verdicts.of_difference("", 400, near, "+.0f").confirmed == "no"


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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--runs: name the folder of a run of train.ddpg, or --parts moves"),
        (
            ["--seed=99999999999999999999", "--parts", "moves"],
            "--seed must be from 0 to 4294967295, got 99999999999999999999",
        ),
        (["--games=3", "--parts", "moves"], "--games must be even, for both seats; got 3"),
        (["--runs", "x", "--actor-seeds", "1", "1"], "--actor-seeds: [1, 1] names one twice"),
        (["--runs", "x", "--depths", "2", "2"], "--depths: [2, 2] names one twice"),
        (["--runs", "nowhere"], "--runs: nowhere holds no run of train.ddpg (no record.json)"),
        (["--parts", "moves", "--extended", "nowhere"], "--extended: nowhere holds no run of trai"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        study.main([*arguments, f"--saved={tmp_path / 's.json'}", f"--output={tmp_path / 'x.md'}"])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_an_untrained_actor_has_as_many_moves_as_in_the_report():
    """Its mean is between those for two rules for equal moves, of which it states neither."""
    import jaxgames

    means = {}
    for ties, opponent in moves.OPPONENTS.items():
        found = moves.play(jaxgames.make(report.GAME), opponent, 20_000, seed=0)
        (means[ties], _, mode, _), error = moves.summary(found.actor)
        assert error < 0.1
        assert mode == report.MOVES.mode
    assert means["the first"] < report.MOVES.mean < means["random"]
    assert means["random"] - means["the first"] < 1
