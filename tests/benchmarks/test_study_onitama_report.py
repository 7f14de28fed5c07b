"""The study of the Onitama report: valid moves, what trainings showed, claims, the command line."""

import json
import math

import numpy as np
import pytest

from agents.arena.tournament import Pairing, Tournament
from benchmarks.studies.onitama_report import __main__ as study
from benchmarks.studies.onitama_report import claims, curves, moves, report, tournament

NAME = "dual-seed_3"


def test_moves_are_summed_up():
    counts = np.zeros((2, 41), int)
    counts[0, [10, 20]] = [3, 1]
    counts[1, [10, 30]] = [2, 2]
    found, error = moves.summary(counts)
    assert found == report.Moves((50 + 20 + 60) / 8, 10, 10, 30)
    residues = np.array([50 - 4 * found.mean, 80 - 4 * found.mean])
    assert error == pytest.approx(np.sqrt((residues**2).sum()) / 8)


def row(iteration, **values):
    named = {f"play/{name}/{NAME}": value for name, value in values.items()}
    return json.dumps({"iteration": iteration, **named}) + "\n"


@pytest.fixture
def run(tmp_path):
    """A training of 400 games: 30 wins in 100, then 60 in 100, then none at depth 2."""
    lines = [
        row(1, episodes=100, opponent_depth=1, valid_rate=0.5, win_rate=0.3),
        row(2, episodes=200, opponent_depth=1, valid_rate=0.95, win_rate=0.6),
        row(3, episodes=300, opponent_depth=2, valid_rate=0.6, win_rate=0.1),
        row(4, episodes=400, opponent_depth=2, valid_rate=0.7, win_rate=0.0),
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(lines))
    return tmp_path


def test_a_training_is_summed_up(run):
    (found,) = curves.trainings([run])
    assert (found.architecture, found.seed, found.episodes) == ("dual", "seed_3", 400)
    assert (found.valid_rate, found.learned_after, found.deeper_after) == (0.7, 200, 300)
    assert found.best_wins == pytest.approx(0.6)
    assert found.wins_deeper == pytest.approx(0.05)
    lines, _ = curves.lines([found])
    assert lines[-1] == "| dual | 3 | 400 | 0.70 | 200 | 300 | 0.60 | 0.05 |"


def test_the_best_win_rate_needs_enough_games():
    wins, games = np.array([10.0, 0, 40]), np.array([10.0, 30, 60])
    assert curves._best_mean(wins, games) == pytest.approx(40 / 60)
    assert math.isnan(curves._best_mean(np.array([10.0]), np.array([10.0])))


def made(architecture, valid_rate, best_wins, deeper_after=math.inf, wins_deeper=math.nan):
    return curves.Training(
        architecture, "seed_0", 100, valid_rate, 50.0, deeper_after, best_wins, wins_deeper
    )


def test_claims_hold_only_for_all_learners():
    good = [made(name, 0.99, 0.4) for name in report.MULTIPLIED]
    good += [made(name, 0.4, 0.7, 3000.0, 0.05) for name in report.PLAIN]
    assert [verdict.holds for verdict in claims.of_training(good)] == [True] * 5
    bad = [*good[1:], made("dual", 0.5, 0.9), made("actions_only", 0.9, 0.1)]
    assert [verdict.holds for verdict in claims.of_training(bad)] == [
        False,
        False,
        False,
        True,
        False,
    ]


def test_claims_about_the_tournament():
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
    verdicts = {verdict.claim: verdict for verdict in claims.of_tournament(played)}
    assert verdicts["actions_after_val_multiply is the best of the nine"].holds
    assert verdicts["random is the last of the nine"].holds
    assert not verdicts["dual loses to random"].holds
    lines, numbers = tournament.lines(played)
    assert len(numbers["nine"]) == 9 and len(numbers["all"]) == 10
    assert "| actions_only v actions_after_val | -4 | +1234 |" in lines


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--runs: name the folder of a run of train.ddpg, or --parts moves"),
        (["--games=3", "--parts", "moves"], "--games must be even, for both seats; got 3"),
        (["--runs", "nowhere", "--parts", "training"], "--runs: nowhere holds no metrics.jsonl"),
        (["--runs", "nowhere", "--parts", "tournament"], "there is no nowhere/actors/"),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        study.main([*arguments, f"--saved={tmp_path / 'x.json'}", f"--output={tmp_path / 'x.md'}"])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_an_untrained_actor_has_as_many_moves_as_in_the_report():
    import jaxgames

    found = moves.play(jaxgames.make(report.GAME), 20_000, seed=0)
    (mean, _, mode, _), error = moves.summary(found.actor)
    assert error < 0.1
    assert abs(mean - report.MOVES.mean) < 0.5
    assert mode == report.MOVES.mode
