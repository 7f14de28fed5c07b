"""Planning is compared with random play from the same positions, call by call."""

import pytest

from benchmarks import planning
from jaxgames.players import registry


@pytest.mark.slow
def test_calls_and_lanes_are_those_of_the_planner():
    env = registry.make_env("onitama_report")
    speed = planning.measure(env, "mc:budget=30,depth=10", lanes=7, plies=2, repeats=2, seed=0)
    assert (speed.games, speed.lanes, speed.calls) == (3, 9, 3 * 30)
    assert len(speed.planning) == len(speed.random) == 2
    assert speed.ratio.lowest <= speed.ratio.median <= speed.ratio.highest
    report = planning.render({"seed": 0}, [speed])
    assert "| mc:budget=30,depth=10 | 3 | 9 | 30 |" in report


def test_an_agent_that_plays_no_games_of_its_own_is_refused():
    with pytest.raises(ValueError, match="'random' does not play games of its own; choose mc"):
        planning.measure(registry.make_env("onitama_report"), "random", 4, 0, 1, 0)
