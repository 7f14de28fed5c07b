"""The benchmark of searches with a model: what it measures, and what its report says."""

import pytest

from benchmarks import model_search
from benchmarks.model_search import Result


def test_both_engines_and_the_model_are_measured_and_choose_the_same_actions():
    found = model_search.measure("gumbel_muzero_policy", 5, 6, lanes=8, repeats=2, most_seconds=60)
    assert set(found.seconds) == set(found.bytes) == {"mctx", "ours", "model"}
    assert all(len(seconds) == 2 and min(seconds) > 0 for seconds in found.seconds.values())
    assert found.same_actions == 1


def test_ratios_are_medians_of_those_within_a_repeat():
    seconds = {"mctx": [8.0, 12.0, 10.0], "ours": [2.0, 2.0, 4.0], "model": [1.0, 1.5, 2.0]}
    found = Result("p", 16, 100, 10, seconds, {"mctx": 9_000_000, "ours": 3_000_000}, 1.0)
    assert found.speedup == pytest.approx(4)  # of 4, 6 and 2.5
    assert found.beyond_model == pytest.approx(1e6 * 1.0 / 1000)
    report = model_search.render({"lanes": 10}, [found])
    assert "| p | 16 | 100 | 10000.0 (8000.0 to 12000.0) |" in report
    assert "| 9.0 | 3.0 | 1/3.0 | 100.0 % |" in report
