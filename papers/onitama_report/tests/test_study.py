"""The study of the Onitama report: valid moves, what trainings showed, the command line."""

import json
import math

import numpy as np
import pytest
from matplotlib import figure

from papers.onitama_report.study import __main__ as study
from papers.onitama_report.study import (
    claims,
    curves,
    moves,
    report,
    times,
    verdicts,
)
from papers.onitama_report.study.runs import Run
from papers.onitama_report.tests.made import made

NAME = "dual-seed_3"


def test_moves_are_summed_up():
    counts = np.zeros((2, 41), int)
    counts[0, [10, 20]] = [3, 1]
    counts[1, [10, 30]] = [2, 2]
    found, error = moves.summary(counts)
    assert found == report.Moves((50 + 20 + 60) / 8, 10, 10, 30)
    residues = np.array([50 - 4 * found.mean, 80 - 4 * found.mean])
    assert error == pytest.approx(np.sqrt((residues**2).sum()) / 8)


def test_half_of_the_turns_have_as_many_moves_as_the_median_or_fewer():
    counts = np.zeros((1, 41), int)
    counts[0, [10, 12, 20]] = [4, 2, 5]
    assert moves.summary(counts)[0] == report.Moves((40 + 24 + 100) / 11, 12, 20, 20)


def test_the_numbers_of_the_report_stand_below_ours():
    counts = np.zeros((1, 41), int)
    counts[0, [12, 16]] = [3, 1]
    lines, _ = moves.lines({"random": moves.MovesResult(counts, counts)})
    assert lines[-2:] == [
        "| random | opponent | 4 | 13.000 (0.000) | 12.0 | 12 | 16 |",
        "| unknown | report | 71,789 | 14.2496 | 14 | 12 | 30 |",
    ]


def test_the_picture_shows_all_numbers_of_moves(tmp_path, monkeypatch):
    counts = np.zeros((1, 41), int)
    counts[0, [12, 38]] = 1
    shown = []
    monkeypatch.setattr(
        figure.Figure, "savefig", lambda self, *_, **__: shown.append(self.axes[0].get_xlim())
    )
    moves.draw({"random": moves.MovesResult(counts, counts)}, tmp_path / "moves.png")
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


@pytest.fixture
def long_run(tmp_path):
    """A training of 25 x 40 games: beats depth 1, plays at depth 2, and ends at all depths."""
    depths = [1] * 10 + [2] * 13 + [3, 1]
    wins = [2] * 3 + [18] * 2 + [20] * 5 + [36] * 5 + [4] * 7 + [16, 8, 0]  # of 40 each
    valid_rates = [0.1] * 5 + [0.9] * 15 + [0.5] * 2 + [0.6, 0.7, 0.8]
    figures = zip(depths, wins, valid_rates, strict=True)
    lines = [
        row(
            number,
            loss=1 / number,
            episodes=40 * number,
            opponent_depth=depth,
            valid_rate=valid_rate,
            win_rate=won / 40,
        )
        for number, (depth, won, valid_rate) in enumerate(figures, start=1)
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    return Run(tmp_path, {}, 1000)


def test_beginning_and_end_of_a_training_are_its_first_and_last_tenth(long_run):
    (found,) = curves.trainings("--runs", [long_run], 1000)
    assert found.first_wins == pytest.approx((2 + 2) / 80)
    assert found.last_wins == pytest.approx((16 + 8 + 0) / 120)
    assert found.valid_rate == pytest.approx((0.6 + 0.7 + 0.8) / 3)
    assert found.validity_loss == pytest.approx((1 / 23 + 1 / 24 + 1 / 25) / 3)


def test_win_rates_at_a_depth_are_of_the_games_at_it(long_run):
    (found,) = curves.trainings("--runs", [long_run], 1000)
    assert found.best_wins == pytest.approx(20 / 40)
    assert found.wins_deeper == pytest.approx((5 * 36 + 7 * 4 + 16) / (13 * 40))
    assert found.last_wins_deeper == pytest.approx(16 / 40)
    assert (found.learned_after, found.deeper_after, found.deepest) == (240, 440, 3)


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


def test_a_run_has_done_as_much_as_the_last_of_its_learners(tmp_path):
    episodes = {"play/episodes/dual-seed_0": 90, "play/episodes/dual-seed_1": 110}
    depths = {f"play/opponent_depth/dual-seed_{seed}": 1 for seed in range(2)}
    line = json.dumps({"iteration": 1, **episodes, **depths, "time/minutes": 2.0})
    (tmp_path / "metrics.jsonl").write_text(line + "\n")
    (found,) = times.of_runs({"--runs": [Run(tmp_path, {}, 400)]})
    assert (found.learners, found.done) == (2, 90)


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


def test_a_number_is_confirmed_by_our_interval_and_a_sign_only_without_zero_in_it():
    near, far = [300.0, 310.0, 290.0], [900.0, -900.0, 300.0]
    assert verdicts.half_width(near) == pytest.approx(4.303 * 10 / np.sqrt(3), rel=1e-3)
    assert math.isnan(verdicts.half_width([1.0]))
    assert verdicts.estimate([float(x) for x in range(9)], ".0f") == "4 ± 2 (0 to 8)"
    for values, wanted in ((near, "yes"), (far, "undecided: our interval holds 0 as well")):
        assert verdicts.of_difference("", 304, values, "+.0f").confirmed == wanted
        assert verdicts.of_number("", 304, values, "+.0f").confirmed == "yes"
    assert verdicts.of_difference("", 400, near, "+.0f").confirmed == "no"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--runs: name the folder of a run of papers.onitama_report.train, or --parts moves"),
        (
            ["--seed=99999999999999999999", "--parts", "moves"],
            "a whole number from 0 to 4294967295, got '99999999999999999999'",
        ),
        (["--games=3", "--parts", "moves"], "--games must be even, for both seats; got 3"),
        (["--runs", "x", "--actor-seeds", "1", "1"], "--actor-seeds: [1, 1] names one twice"),
        (["--runs", "x", "--depths", "2", "2"], "--depths: [2, 2] names one twice"),
        (
            ["--runs", "nowhere"],
            "--runs: nowhere holds no run of papers.onitama_report.train (no record.json)",
        ),
        (["--parts", "moves", "--extended", "nowhere"], "--extended: nowhere holds no run of pape"),
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
