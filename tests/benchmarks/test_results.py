"""Points, ranks and milestones are computed as the records say."""

import dataclasses
import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import milestones, points, ranks
from jaxgames.env import Env
from jaxgames.players import registry
from tests.conformance.games import Nim

AGAINST_RANDOM, AGAINST_DEPTH_2 = (
    f"{milestones.EVALUATION}search/{opponent}" for opponent in ("random", "minimax:depth=2")
)


@dataclasses.dataclass(frozen=True)
class Counted(Nim):
    """Nim in which a seat has ten points, and the one that is to move at the end none."""

    def score(self, state):
        return jnp.where(jnp.arange(2) == state.seat, 0.0, 10.0)


def test_games_are_played_to_the_end():
    env = Env("nim", Counted())
    player, key = registry.make("first_legal", env), jax.random.key(0)
    starts = jax.vmap(env.rules.init)(jax.random.split(key, 6))
    found = points.final_points(env, player, starts, key)
    # Three stones, one at a time from the first heaps: eight turns in all.
    assert found.tolist() == [[0, 10]] * 6


def test_ranks_ties_and_points():
    # Two groups of three games; the first column is the agent.
    returns = np.array(
        [[1, 0, -1], [0, 1, -1], [-1, 1, 0], [0.5, 0.5, -1], [0, 0, 0], [1, -1, 0]], float
    )
    counted = np.array([[9, 1, 2], [5, 7, 1], [1, 9, 4], [6, 6, 1], [3, 3, 3], [8, 2, 4]], float)
    found = ranks.standing("one", "other", returns, counted)
    assert found.games == 6
    by_group = np.array([np.mean([1, 2, 3]), np.mean([1.5, 2, 1])])
    assert found.rank.value == pytest.approx(by_group.mean())
    assert found.rank.error == pytest.approx(by_group.std(ddof=1) / math.sqrt(2))
    assert found.firsts.value == pytest.approx((1 + 0 + 0 + 1 / 2 + 1 / 3 + 1) / 6)
    assert found.points.value == pytest.approx(32 / 6)
    assert found.points_of_others.value == pytest.approx(counted[:, 1:].mean())


def test_a_single_group_has_no_error_and_a_game_without_points_no_points():
    found = ranks.standing("one", "other", np.array([[1.0, -1.0], [1.0, -1.0]]), None)
    assert found.rank == (1.0, math.inf) and found.points is None


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
    report = milestones.report(run)
    text = "\n".join(report.lines)
    assert "| search | random | 95 % | 2.0 | 20 | 640 | 95.0 % |" in text
    assert "| search | minimax:depth=2 | 95 % | not reached |  |  | 70.0 % at best |" in text
    assert "1,750 positions/s (median)" in text
    assert report.entries["trained with"] == "python -m train.alphazero"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("metrics.jsonl", '{"iteration": 1, "time/minutes": 1.0}\n', "holds no evaluation"),
        ("config.json", "{", "config.json or record.json is damaged"),
        ("config.json", "{}", "lacks what is reported of a run"),
    ],
)
def test_run_that_cannot_be_reported_is_refused(run, file, text, message):
    (run / file).write_text(text)
    with pytest.raises(ValueError, match=message):
        milestones.report(run)
