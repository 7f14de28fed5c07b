"""The study of the Onitama report: its stored numbers made into tables anew, and small runs."""

import dataclasses
import json

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.players.registry import make_env
from papers import studies
from papers.onitama_report.config import ARCHITECTURES, DdpgConfig, NetworkConfig
from papers.onitama_report.ddpg.actor import make_actor
from papers.onitama_report.ddpg.players import save_actor
from papers.onitama_report.study import __main__ as study
from papers.onitama_report.study import claims, moves, report, tournament, trainings
from train.run_record import flatten

RECORD = studies.RECORDS / "onitama_report" / "study.md"
BASE = DdpgConfig(game="onitama_report", architecture="dual", episodes=10_000)


def test_stored_numbers_give_the_stored_tables():
    numbers, page = studies.stored(RECORD), RECORD.read_text().splitlines()
    assert set(moves.lines(numbers["Valid moves"])[2:]) <= set(page)
    for title in list(study.TITLES.values())[:3]:
        learners = numbers[title]["trainings"]
        table = [line for line in trainings.lines(learners) if line.count("|") == 10]
        assert set(table) <= set(page) and len(table) == len(learners) + 2
    tournaments = [{"nine": nine, "pairs": []} for nine in numbers["Tournament"]["by seed"]]
    tournaments[0] |= {name: numbers["Tournament"][name] for name in ("all", "pairs")}
    lines = tournament.lines(tournaments)
    tables = [x for x in lines if x[:1] == "|" and " v " not in x and "| pair" not in x]
    assert set(tables) <= set(page) and len(tables) == 11 + 1 + 17 + 11
    assert "| actions_only v actions_after_val | net wins | +595 | +1234 |" in lines


def test_claims_hold_between_their_bounds_and_are_estimated_over_seeds():
    numbers = studies.stored(RECORD)
    learners = {
        name: numbers.get(title, {"trainings": []})["trainings"]
        for name, title in study.TITLES.items()
    }
    for training in learners["wrong_rollout"]:
        training["gain"] = training["last_wins"] - training["first_wins"]
    lines = claims.lines(learners)
    stored = {x["claim"]: x["ours"] for x in numbers["Claims"]["verdicts"]}
    ends = "valid rate at the end"
    for start, claim, confirmed in (
        ("runs | dual", f"{ends} (confirmed from 0.9 on): `dual`", "0 of 3"),
        ("runs | actions_only", f"{ends}: `actions_only`", "3 of 3"),
        ("extended | val_branch_actions", f"long training: {ends}", "0 of 1"),
    ):
        (line,) = (x for x in lines if x.startswith(f"| {start} | {ends}"))
        assert line.endswith(f"| {stored[claim]} | in {confirmed} |")
    assert any(x.startswith("| wrong_rollout | actions_only |") and "in 1 of 2" in x for x in lines)
    assert any(
        "| win rate at depth 2: almost 0 (below 0.15) | - | not testable |" in x for x in lines
    )
    assert claims.estimate([float(x) for x in range(9)], ".0f") == "4 ± 2 (0 to 8)"


def test_valid_moves_are_summed_up():
    counts = np.zeros((2, 41), int)
    counts[0, [10, 20]] = [3, 1]
    counts[1, [10, 30]] = [2, 2]
    found = moves.summary(counts)
    mean = (50 + 20 + 60) / 8
    residues = np.array([50 - 4 * mean, 80 - 4 * mean])
    assert [found[name] for name in report.MOVES] == [mean, 10, 10, 30]
    assert found["error"] == pytest.approx(np.sqrt((residues**2).sum()) / 8)


def write(folder, config=BASE, rows=(), **changes):
    """Writes what a run of these settings leaves, and its learner's metrics."""
    folder.mkdir()
    settings = flatten(dataclasses.asdict(config)) | changes
    (folder / "record.json").write_text(json.dumps({"run": settings, "sessions": []}))
    (folder / "config.json").write_text(json.dumps(dataclasses.asdict(config)))
    name = f"{config.architectures[0]}-seed_{config.seed}"
    with (folder / "metrics.jsonl").open("w") as file:
        for number, values in enumerate(rows or [PLAYED], start=1):
            named = {f"{key}/{name}": value for key, value in values.items()}
            print(json.dumps({"iteration": number, **named}), file=file)
    return folder


PLAYED = {
    "play/episodes": 100,
    "play/opponent_depth": 1,
    "play/valid_rate": 0.3,
    "play/win_rate": 0.7,
    "learner/actor_loss": 0.1,
}


def test_a_training_is_summed_up(tmp_path):
    """25 x 40 games: the learner beats depth 1, plays at depth 2, and ends at all depths."""
    depths = [1] * 10 + [2] * 13 + [3, 1]
    wins = [2] * 3 + [18] * 2 + [20] * 5 + [36] * 5 + [4] * 7 + [16, 8, 0]  # of 40 each
    valid = [0.1] * 5 + [0.9] * 15 + [0.5] * 2 + [0.6, 0.7, 0.8]
    rows = [
        {
            "play/episodes": 40 * number,
            "play/opponent_depth": depth,
            "play/valid_rate": rate,
            "play/win_rate": won / 40,
            "learner/validity_loss": 1 / number,
        }
        for number, (depth, won, rate) in enumerate(zip(depths, wins, valid, strict=True), start=1)
    ]
    (found,) = trainings.read("runs", [write(tmp_path / "a", rows=rows)])
    assert {name: found[name] for name in found if name not in ("architecture", "seed")} == {
        "goal": 10_000,
        "episodes": 1000,
        "valid_rate": pytest.approx((0.6 + 0.7 + 0.8) / 3),
        "learned_after": 240,
        "deeper_after": 440,
        "best_wins": pytest.approx(20 / 40),
        "wins_deeper": pytest.approx((5 * 36 + 7 * 4 + 16) / (13 * 40)),
        "last_wins_deeper": pytest.approx(16 / 40),
        "deepest": 3,
        "first_wins": pytest.approx((2 + 2) / 80),
        "last_wins": pytest.approx((16 + 8 + 0) / 120),
        "gain": pytest.approx(24 / 120 - 4 / 80),
        "validity_loss": pytest.approx((1 / 23 + 1 / 24 + 1 / 25) / 3),
    }
    assert any("| 1,000 of 10,000 |" in line for line in trainings.lines([found]))


RAW = {"learner.judged_policy": "raw"}
SEED_1 = dataclasses.replace(BASE, seed=1)


@pytest.mark.parametrize(
    ("option", "runs", "words"),
    [
        ("runs", [(BASE, {"game": "onitama"})], "has game='onitama', expected 'onitama_report'"),
        ("runs", [(BASE, RAW)], "has learner.judged_policy='raw', expected 'masked'"),
        ("raw", [(BASE, {})], "has learner.judged_policy='masked', expected 'raw'"),
        ("wrong_rollout", [(BASE, {})], "has play.transition='own_turn', expected 'after_move'"),
        ("extended", [(BASE, {})], "has architecture='dual', expected 'val_branch_actions'"),
        (
            "runs",
            [(BASE, {}), (SEED_1, {"learner.batch_size": 64})],
            "has learner.batch_size=64, e",
        ),
        (
            "runs",
            [(BASE, {}), (dataclasses.replace(SEED_1, episodes=500), {})],
            "has episodes=500, expected 10000",
        ),
        ("runs", [(BASE, {}), (BASE, {})], "1 is given twice"),
        ("runs", [(BASE, {"architecture": None}), None], "holds no run of papers.onitama_report"),
    ],
)
def test_runs_that_do_not_fit_are_refused(tmp_path, option, runs, words):
    folders = [tmp_path / str(number) for number in range(len(runs))]
    for folder, run in zip(folders, runs, strict=True):
        if run is not None:
            write(folder, run[0], **run[1])
    with pytest.raises(ValueError, match=f"--{option.replace('_', '-')}: .*{words}"):
        trainings.read(option, folders)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--runs: name the folder of a run, or --parts moves"),
        (["--games=3", "--runs=RUN"], "games must be an even number, got 3"),
        (["--runs", "nowhere"], "--runs: nowhere holds no run of papers.onitama_report.train"),
        (["--runs=RUN", "--actor-seeds", "1"], "there is no actors/actions_only-seed_1.npz in"),
        (["--runs=RUN", "--network=nowhere"], "nowhere"),
    ],
)
def test_wrong_options_are_refused_before_a_part_runs(arguments, words, capsys, tmp_path, run):
    arguments = [x.replace("RUN", str(run)) for x in arguments]
    with pytest.raises(SystemExit) as stop:
        study.main([*arguments, f"--saved={tmp_path / 's.json'}", f"--output={tmp_path / 'x.md'}"])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run whose actors know nothing."""
    folder = write(tmp_path_factory.mktemp("runs") / "run")
    (folder / "actors").mkdir()
    env = make_env(report.GAME)
    for name in ARCHITECTURES:
        network = make_actor(env, name, NetworkConfig(channels=2, hidden=8))
        for seed in (0, 2):
            path = folder / "actors" / f"{name}-seed_{seed}.npz"
            save_actor(path, network.init(jax.random.key(seed)), env, "", network, seed)
    return folder


@pytest.mark.slow
def test_all_parts_are_played_and_a_second_run_repeats_them(tmp_path, run):
    small = ["--turns=1", "--games=2", "--depths", "1", "--actor-seeds", "0", "2"]
    files = [f"--saved={tmp_path / 's.json'}", f"--output={tmp_path / 'x.md'}"]
    arguments = [f"--runs={run}", *small, *files]
    study.main(arguments)
    page = (tmp_path / "x.md").read_text().partition("## ")[2]
    assert {path.name for path in tmp_path.glob("*.png")} == {
        f"x_{name}.png" for name in ("moves", "training", "tournament", "elo")
    }
    assert "| player | tournament 1 | tournament 2 | mean | standard deviation |" in page
    numbers = json.loads((tmp_path / "x.json").read_text())
    assert len(numbers["Tournament"][0]["pairs"]) == 45
    study.main(arguments)
    assert (tmp_path / "x.md").read_text().partition("## ")[2] == page


@pytest.mark.slow
def test_an_untrained_actor_has_as_many_moves_as_in_the_report():
    """Its mean is between those for two rules for equal moves, of which it states neither."""
    found = {
        ties: moves.summary(moves.play(jaxgames.make(report.GAME), opponent, 20_000, 0)[:, 0])
        for ties, opponent in moves.OPPONENTS.items()
    }
    assert all(x["error"] < 0.1 and x["mode"] == report.MOVES["mode"] for x in found.values())
    first, drawn = found["the first"]["mean"], found["random"]["mean"]
    assert drawn - 1 < first < report.MOVES["mean"] < drawn
