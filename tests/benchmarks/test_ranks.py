"""Ranks among copies of another agent: ties are shared, errors are of groups."""

import json
import math

import numpy as np
import pytest

from benchmarks import ranks
from jaxgames.players import plugs


def test_ranks_ties_and_points():
    # Two groups of three games; the first column is the agent.
    returns = np.array(
        [[1, 0, -1], [0, 1, -1], [-1, 1, 0], [0.5, 0.5, -1], [0, 0, 0], [1, -1, 0]], float
    )
    points = np.array([[9, 1, 2], [5, 7, 1], [1, 9, 4], [6, 6, 1], [3, 3, 3], [8, 2, 4]], float)
    found = ranks.standing("one", "other", returns, points)
    assert found.games == 6
    by_group = np.array([np.mean([1, 2, 3]), np.mean([1.5, 2, 1])])
    assert found.rank.value == pytest.approx(by_group.mean())
    assert found.rank.error == pytest.approx(by_group.std(ddof=1) / math.sqrt(2))
    assert found.firsts.value == pytest.approx((1 + 0 + 0 + 1 / 2 + 1 / 3 + 1) / 6)
    assert found.points.value == pytest.approx(32 / 6)
    assert found.points_of_others.value == pytest.approx(points[:, 1:].mean())


def test_a_single_group_has_no_error_and_a_game_without_points_no_points():
    found = ranks.standing("one", "other", np.array([[1.0, -1.0], [1.0, -1.0]]), None)
    assert found.rank == (1.0, math.inf) and found.points is None


def test_the_benchmark_writes_a_record_of_a_whole_match(tmp_path):
    output = tmp_path / "ranks.md"
    ranks.main(
        [
            "--game=onitama",
            "--agents",
            "minimax:depth=1",
            "random",
            "--others=random",
            "--games=31",
            f"--output={output}",
        ]
    )
    rows = json.loads(output.with_suffix(".json").read_text())["standings"]
    assert [row["games"] for row in rows] == [32, 32]
    better, alike = (row["rank"][0] for row in rows)
    assert 1 <= better < 1.3 < alike < 1.7


def test_the_record_says_what_best_stands_for(tmp_path, monkeypatch):
    monkeypatch.setitem(plugs._loaded, "onitama", plugs.GameAgents(best={2: ("random",)}))
    output = tmp_path / "ranks.md"
    ranks.main(["--game=onitama", "--others=first_legal", "--games=2", f"--output={output}"])
    numbers = json.loads(output.with_suffix(".json").read_text())
    assert numbers["environment"]["best"] == "random"
    assert numbers["standings"][0]["agent"] == "best"
    assert "- best: random" in output.read_text()


def test_unknown_agent_is_refused(capsys):
    with pytest.raises(SystemExit):
        ranks.main(["--game=onitama", "--others=randm"])
    assert "random" in capsys.readouterr().err
