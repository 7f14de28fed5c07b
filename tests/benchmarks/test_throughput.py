"""The programs that are timed play correct games; the report says what was measured."""

import jax
import numpy as np
import pytest

import jaxgames
from benchmarks import environment, limits, rollouts, throughput
from jaxgames.internal import device_kind


@pytest.mark.parametrize("mode", rollouts.MODES)
def test_own_chunk_plays_whole_games(mode):
    program = rollouts.own("onitama_report", mode)
    states = program.init(jax.random.key(0), 64)
    result = jax.jit(program.chunk(64, 100))(states, jax.random.key(1))
    finished, total = result[-2:]
    # Random games of this variant take 36.5 plies; the first of each lane starts from ply 0.
    low, high = (220, 400) if mode == "versus" else (110, 200)  # two plies a step
    assert low < int(finished) < high
    assert abs(float(total)) < 5 * np.sqrt(int(finished))
    if mode == "lean":
        assert int(result[0]) == 64 * 100  # every step completes an action
    if mode != "lean":
        assert result[0].legal_action_mask.any(axis=1).all()


def test_the_counts_are_the_same_on_all_devices():
    program = rollouts.own("onitama", "lean")
    states = program.init(jax.random.key(0), 8)
    counts = []
    for platform in ("cpu", "cuda"):
        with device_kind.assumed(platform):
            counts.append(jax.jit(program.chunk(8, 64))(states, jax.random.key(1)))
    assert counts[0] == counts[1] and counts[0][0] == 8 * 64 and counts[0][1] > 0


def test_best_row_is_the_fastest_of_each_program():
    rows = [
        throughput.Row("jaxgames nim, lean", batch, rate, rate - 1, rate + 1, 0.5)
        for batch, rate in ((1, 10.0), (4, 30.0), (16, 20.0))
    ]
    assert throughput.render({}, [rows[0]._replace(completing=0.5)], {rows[0].program: 8}).count(
        "50.0% of the steps complete an action, 5 actions/s"
    )
    rows.append(throughput.Row("pgx hex, lean", 4, 2.0, 1.0, 3.0, 0.5))
    fastest = throughput.best(rows)
    assert fastest["jaxgames nim, lean"].batch == 4
    report = throughput.render({"seed": 0}, rows, {row.program: 8 for row in rows})
    assert "| jaxgames nim, lean : pgx hex, lean | 15.0 |" in report


def test_the_record_is_named_after_the_game():
    words = ["--game=tribes", "--peers", "--batches", "4", "2"]
    options = throughput.make_parser().parse(words)
    assert options.modes == rollouts.PEER_MODES
    assert throughput.MODES == rollouts.MODES
    assert options.peers == [] and options.batches == [4, 2]
    assert options.output == environment.RESULTS / "speed" / "throughput_tribes.md"


def test_cost_of_a_step_grows_with_the_game_and_not_with_the_batch():
    rules = jaxgames.make("onitama_report").rules
    small, large = (limits.cost_of_step(rules, batch) for batch in (256, 1024))
    state = sum(leaf.nbytes for leaf in jax.tree.leaves(rules.init(jax.random.key(0))))
    assert small.bytes > 2 * state  # it reads a state and writes one
    assert small.operations > 0
    np.testing.assert_allclose(small, large, rtol=0.05)


def test_shares_are_of_the_machine():
    share = limits.shares(limits.Cost(10.0, 4.0), limits.Limits(1000.0, 100.0), rate=5.0)
    assert share == (0.05, 0.2)
