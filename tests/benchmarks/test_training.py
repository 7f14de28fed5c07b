"""Speed of training is measured end to end; milestones are read from a run's files."""

import json

import pytest

from benchmarks import milestones, report, training
from configs import alphazero
from configs.alphazero import AlphaZeroConfig

SMALL = AlphaZeroConfig(
    game="onitama",
    network=alphazero.NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2),
    selfplay=alphazero.SelfPlayConfig(lanes=8, plies=4, simulations=2),
    replay=alphazero.ReplayConfig(capacity=64),
    learner=alphazero.LearnerConfig(batch_size=8, updates=2),
)
AGAINST_RANDOM, AGAINST_DEPTH_2 = (
    f"{milestones.EVALUATION}search/{opponent}" for opponent in ("random", "minimax:depth=2")
)


@pytest.fixture
def run(tmp_path):
    rows = [
        {"iteration": 0, AGAINST_RANDOM: 0.5, AGAINST_DEPTH_2: 0.0},
        {"iteration": 10, "time/minutes": 1.0, AGAINST_RANDOM: 0.94, AGAINST_DEPTH_2: 0.3},
        {"iteration": 15, "time/minutes": 1.5},
        {"iteration": 20, "time/minutes": 2.0, AGAINST_RANDOM: 0.95, AGAINST_DEPTH_2: 0.7},
        {"iteration": 30, "time/minutes": 3.0, AGAINST_RANDOM: 1.0, AGAINST_DEPTH_2: 0.6},
    ]
    for row in rows[1:]:
        row["time/positions_per_second"] = 100.0 * row["iteration"]
    session = {"command": ["/bin/python", "-m", "train.alphazero"], "hardware": {}, "versions": {}}
    config = {
        "seed": 3,
        "selfplay": {"lanes": 8, "plies": 4},
        "evaluation": {"games": 64, "simulations": 32},
    }
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "record.json").write_text(json.dumps({"run": {}, "sessions": [session]}))
    return tmp_path


def test_milestone_is_the_first_evaluation_that_reaches_the_goal(run):
    found = {(m.opponent, m.goal): m for m in milestones.milestones(milestones.read_run(run))}
    assert found["random", 0.95] == milestones.Milestone("search", "random", 0.95, 20, 2.0, 0.95)
    assert found["minimax:depth=2", 0.6].minutes == 2.0
    not_reached = found["minimax:depth=2", 0.95]
    assert not_reached.iteration is None and not_reached.score == 0.7


def test_report_of_a_run_names_positions_and_what_was_not_reached(run):
    text = "\n".join(milestones.render(milestones.read_run(run)))
    assert "| search | random | 95 % | 2.0 | 20 | 640 | 95.0 % |" in text
    assert "| search | minimax:depth=2 | 95 % | not reached |  |  | 70.0 % at best |" in text
    assert "1,750 positions/s (median)" in text


def test_folder_that_is_no_run_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        training.main([f"--run={tmp_path}"])
    assert end.value.code == 2
    assert "it has no metrics.jsonl, config.json, record.json" in capsys.readouterr().err


def test_run_without_evaluations_is_refused(run):
    (run / "metrics.jsonl").write_text('{"iteration": 1, "time/minutes": 1.0}\n')
    with pytest.raises(ValueError, match="holds no evaluation"):
        milestones.read_run(run)


@pytest.mark.slow
def test_speed_leaves_out_the_iteration_that_compiles():
    speed = training.measure(SMALL, iterations=2)
    assert speed.positions == 32
    assert len(speed.positions_per_second) == 2
    for rate, played, learned in zip(
        speed.positions_per_second, speed.selfplay_seconds, speed.learner_seconds, strict=True
    ):
        assert rate == pytest.approx(32 / (played + learned))
    assert speed.first_seconds > max(speed.selfplay_seconds)


def test_report_goes_on_after_a_part_that_fails_or_takes_too_long(tmp_path):
    python = ["python", "-c"]
    good = (
        f"import pathlib as p; f = p.Path({str(tmp_path)!r}); (f / 'good.md').write_text('# Good')"
    )
    outcomes = [
        report.run_part("bad", [*python, "print('so far'); raise SystemExit(3)"], tmp_path, 60),
        report.run_part("slow", [*python, "import time; time.sleep(60)"], tmp_path, 0.2),
        report.run_part("late", [*python, ""], tmp_path, 0),
        report.run_part("silent", [*python, ""], tmp_path, 60),
        report.run_part(
            "good", [*python, f"{good}; (f / 'good.json').write_text('[1]')"], tmp_path, 60
        ),
    ]
    assert [outcome.failure for outcome in outcomes] == [
        "failed with exit status 3",
        "stopped at its limit of 0 s",
        "not started, the time was used up",
        "left no result",
        "",
    ]
    assert outcomes[0].tail == "so far" and outcomes[-1].numbers == [1]
    text = report.render({"seed": 0}, outcomes)
    assert "## bad: failed with exit status 3\n\n```\nso far\n```" in text
    assert text.endswith("\n## Good\n")


def test_all_parts_of_the_report_fit_into_its_time():
    assert sum(report.LIMITS.values()) <= 60 * report.MINUTES
