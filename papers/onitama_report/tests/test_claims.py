"""The study of the Onitama report: claims about valid moves and about training."""

import math

import numpy as np
import pytest

from papers.onitama_report.study import claims, moves, report
from papers.onitama_report.tests.made import confirmed, made

GOOD = [
    *(made(name, valid_rate=0.99) for name in report.MULTIPLIED),
    *(made(name, deeper_after=3000.0, wins_deeper=0.05, deepest=2) for name in report.PLAIN),
]


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
    found = claims.of_moves({"random": moves.MovesResult(counts, counts)})
    assert confirmed(found) == {
        "valid moves, mean (equal moves: random)": "yes",
        "valid moves, median (equal moves: random)": "no",
        "valid moves, mode (equal moves: random)": "yes",
        "valid moves, maximum (equal moves: random)": "no",
    }
    assert [verdict.theirs for verdict in found] == ["14.2496", "14", "12", "30"]


@pytest.mark.parametrize(
    ("architecture", "values", "claim", "wanted"),
    [
        ("dual", {"valid_rate": 0.91}, "valid rate at the end (confirmed from 0.9 on)", "yes"),
        ("dual", {"valid_rate": 0.89}, "valid rate at the end (confirmed from 0.9 on)", "no"),
        ("dual", {"best_wins": 0.59}, "best win rate at depth 1, never above 0.6", "yes"),
        ("dual", {"best_wins": 0.61}, "best win rate at depth 1, never above 0.6", "no"),
        (
            "actions_only",
            {"wins_deeper": 0.14},
            "win rate at depth 2 (confirmed below 0.15)",
            "yes",
        ),
        ("actions_only", {"wins_deeper": 0.16}, "win rate at depth 2 (confirmed below 0.15)", "no"),
        ("actions_only", {"valid_rate": 0.09}, "valid rate at the end", "no"),
        ("actions_only", {"valid_rate": 0.11}, "valid rate at the end", "yes"),
        ("actions_only", {"valid_rate": 0.64}, "valid rate at the end", "yes"),
        ("actions_only", {"valid_rate": 0.66}, "valid rate at the end", "no"),
    ],
)
def test_a_claim_about_training_holds_on_one_side_of_its_bound(architecture, values, claim, wanted):
    found = confirmed(claims.of_training([made(architecture, **values)]))
    assert found[f"{claim}: `{architecture}`"] == wanted


@pytest.mark.parametrize(
    ("values", "claim", "wanted"),
    [
        ({"last_wins_deeper": 0.39}, "win rate at depth 2 at the end", "no"),
        ({"last_wins_deeper": 0.41}, "win rate at depth 2 at the end", "yes"),
        ({"last_wins_deeper": 0.59}, "win rate at depth 2 at the end", "yes"),
        ({"last_wins_deeper": 0.61}, "win rate at depth 2 at the end", "no"),
        ({"deepest": 1}, "deepest opponent", "not testable: no learner got to depth 2"),
        ({"deepest": 2}, "deepest opponent", "yes"),
        ({"deepest": 3}, "deepest opponent", "no"),
        ({"valid_rate": 0.19}, "valid rate at the end", "no"),
        ({"valid_rate": 0.21}, "valid rate at the end", "yes"),
        ({"valid_rate": 0.44}, "valid rate at the end", "yes"),
        ({"valid_rate": 0.46}, "valid rate at the end", "no"),
    ],
)
def test_a_claim_about_the_long_training_holds_between_its_bounds(values, claim, wanted):
    found = confirmed(claims.of_extended([made("val_branch_actions", **values)]))
    (verdict,) = (found[name] for name in found if name.startswith(f"long training: {claim}"))
    assert verdict == wanted


@pytest.mark.parametrize(
    ("values", "ours", "nothing_learned"),
    [
        ({"last_wins": 0.14}, "+0.040 (one seed)", "yes"),
        ({"last_wins": 0.16}, "+0.060 (one seed)", "no"),
        ({"deepest": 2}, "+0.000 (one seed), depth 2 in 1 of 1", "no"),
    ],
)
def test_a_rise_of_a_twentieth_or_depth_2_counts_as_learned(values, ours, nothing_learned):
    (verdict,) = claims.of_wrong_rollout([made("dual", **values)], [])
    assert (verdict.ours, verdict.confirmed) == (ours, nothing_learned)


def test_trainings_too_short_for_a_win_rate_are_not_judged_by_it():
    short = [made(x.architecture, best_wins=math.nan, episodes=30) for x in GOOD]
    found = {verdict.claim: verdict for verdict in claims.of_training(short)}
    of_best = found["best win rate at depth 1, never above 0.6: `dual`"]
    few = "not testable: fewer than 50 games at depth 1"
    assert (of_best.ours, of_best.confirmed) == ("-", few)
    beats = found["beats depth 1: `actions_only`"]
    assert (beats.ours, beats.confirmed) == ("-", f"{few}; after 30 of 10,000 episodes")
    of_depth_2 = found["win rate at depth 2 (confirmed below 0.15): `actions_only`"]
    assert of_depth_2.confirmed == "not testable: no learner got to depth 2"


def test_trainings_too_short_for_a_win_rate_leave_the_others_to_be_judged():
    short = made("actions_only", best_wins=math.nan, episodes=30)
    long = made("actions_only", best_wins=0.5)
    risen = made("actions_only", best_wins=math.nan, deeper_after=40.0, deepest=2)

    def beats(*found):
        (verdict,) = (v for v in claims.of_training(found) if v.claim.endswith("1: `actions_only`"))
        return verdict.ours, verdict.confirmed

    after = "; after 30 of 10,000 episodes"
    assert beats(short, long) == (f"0 of 1 learners; best win rate 0.50 (one seed){after}", "no")
    assert beats(short, risen) == (f"1 of 1 learners; after 40 (one seed) episodes{after}", "yes")


@pytest.mark.parametrize(("errors", "wanted"), [(1.9, "yes"), (2.1, "no")])
def test_the_mean_of_valid_moves_may_differ_by_the_errors_of_both(errors, wanted, monkeypatch):
    counts = np.zeros((2, 41), int)
    counts[0, 13] = counts[1, 15] = 107_684  # together three times the turns of the report
    mean, error = 14, math.sqrt(1 / 2)
    stated = report.MOVES._replace(mean=mean + errors * 1.96 * error)
    monkeypatch.setattr(report, "MOVES", stated)
    found = confirmed(claims.of_moves({"random": moves.MovesResult(counts, counts)}))
    assert found["valid moves, mean (equal moves: random)"] == wanted
