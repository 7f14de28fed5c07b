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
    assert found.wins_deeper == pytest.approx(0.05) and found.last_wins_deeper == 0
    lines, _ = curves.lines([found])
    assert lines[-1] == "| dual | 3 | 400 | 0.70 | 200 | 300 | 0.60 | 0.05 | 0.00 |"


def test_the_best_win_rate_needs_enough_games():
    wins, games = np.array([10.0, 0, 40]), np.array([10.0, 30, 60])
    assert curves._best_mean(wins, games) == pytest.approx(40 / 60)
    assert math.isnan(curves._best_mean(np.array([10.0]), np.array([10.0])))


def made(architecture, valid_rate, best_wins, deeper_after=math.inf, wins_deeper=math.nan):
    return curves.Training(
        architecture, "seed_0", 9, valid_rate, 5.0, deeper_after, best_wins, wins_deeper, math.nan
    )


def test_claims_hold_only_for_all_learners():
    good = [made(name, 0.99, 0.4) for name in report.MULTIPLIED]
    good += [made(name, 0.4, 0.7, 3000.0, 0.05) for name in report.PLAIN]
    assert all(all(verdict.holds) for verdict in claims.of_training(good))
    bad = [*good[1:], made("dual", 0.5, 0.9), made("actions_only", 0.9, 0.1)]
    rows = claims.lines(claims.of_training(bad))[2:]
    assert [row.split(" | ")[-1] for row in rows] == [
        "in 3 of 4 |",
        "in 3 of 4 |",
        "in 4 of 5 |",
        "yes |",
        "in 4 of 5 |",
    ]


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
    found = claims.of_tournaments([played, other])
    verdicts = {verdict.claim: (verdict.ours, verdict.holds) for verdict in found}
    best = "actions_after_val_multiply"
    assert verdicts[f"{best} is the best of the nine"] == ("place 1, 9", [True, False])
    assert verdicts[f"{best} beats every other actor"] == ("beats 7, 0 of 7", [True, False])
    assert verdicts["random is the last of the nine"] == ("place 9, 1", [True, False])
    assert verdicts["dual loses to random"] == ("net wins +4, -4", [False, True])
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--runs: name the folder of a run of train.ddpg, or --parts moves"),
        (["--games=3", "--parts", "moves"], "--games must be even, for both seats; got 3"),
        (["--runs", "x", "--actor-seeds", "1", "1"], "--actor-seeds: [1, 1] names one twice"),
        (["--runs", "nowhere", "--parts", "training"], "--runs: nowhere holds no metrics.jsonl"),
        (
            ["--runs", "nowhere", "--parts", "tournament"],
            "there is no actors/actions_only-seed_0.npz in nowhere",
        ),
    ],
)
def test_wrong_options_are_refused(arguments, words, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        study.main([*arguments, f"--saved={tmp_path / 'x.json'}", f"--output={tmp_path / 'x.md'}"])
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
