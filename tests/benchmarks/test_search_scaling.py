"""The benchmark of tree growth: what its programs do, and what its report says."""

import jax
import numpy as np
import pytest

from benchmarks import search_scaling
from benchmarks.search_scaling import Large, Memory, Times
from benchmarks.wide_game import RandomNumbers, WideGame
from jaxgames.testing import playouts


def test_times_of_both_engines_are_taken_for_each_length(monkeypatch):
    monkeypatch.setattr(search_scaling, "SIMULATIONS", (1, 3))
    found = search_scaling.measure_times(width=5, lanes=2, repeats=2, seed=0)
    assert set(found.seconds) == {("mctx", 1), ("mctx", 3), ("tree", 1), ("tree", 3)}
    assert all(len(seconds) == 2 and min(seconds) > 0 for seconds in found.seconds.values())


def test_both_engines_choose_the_same_moves():
    state = jax.vmap(WideGame(9).init)(jax.random.split(jax.random.key(0), 16))
    moves = [
        search_scaling._search(engine, 9, 24, 9)(state, jax.random.key(1)).action
        for engine in ("mctx", "tree")
    ]
    np.testing.assert_array_equal(*moves)
    assert len(set(np.asarray(moves[0]))) > 3


def test_ratios_are_medians_of_those_within_a_repeat():
    seconds = {
        ("mctx", 16): [1, 2, 3],
        ("tree", 16): [1, 1, 1],
        ("mctx", 400): [250, 100, 75],
        ("tree", 400): [50, 25, 100],
    }
    times = Times(202, 10, seconds)
    assert times.speedup(400) == 4
    assert times.growth("mctx") == pytest.approx(2)  # of 10, 2 and 1
    assert times.growth("tree") == pytest.approx(2)  # of 2, 1 and 4
    assert times.per_simulation("mctx", 16).median == pytest.approx(2e6 / 160)
    memory = [Memory("mctx", 2143, 80_000_000), Memory("tree", 128, 4_000_000)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_scaling, "SIMULATIONS", (16, 400))
        report = search_scaling.render({"seed": 0}, [times], memory, [Large(128, 5 * 10**8, 2.0)])
    assert "| 202 | 2.0 | 2.00 |" in report and "| tree | 128 | 4.0 | 1/20.0 |" in report
    assert "| 128 | 0.50 | 2.0 |" in report


def test_positions_of_the_wide_game_differ_and_so_do_their_priors():
    game = WideGame(50)
    state = game.init(jax.random.key(3))
    after = jax.vmap(lambda action: game.step(state, action, None))(np.arange(50))
    assert len(set(np.asarray(after.number))) == 50
    assert (after.seat == 1).all()
    found = RandomNumbers(50)((), after, None)
    assert found.logits.shape == (50, 50) and 0 <= found.logits.min() < found.logits.max() < 6
    assert abs(found.values[:, 0].mean()) < 0.3
    np.testing.assert_array_equal(found.values[:, 0], -found.values[:, 1])
    spread = np.asarray(found.logits).std(axis=1)
    assert (spread > 1).all()
    assert not bool(game.is_over(playouts.at(after, 0)))
