"""AlphaTM learns: the preset for a CPU, made tiny, plays a few plies and takes a gradient step.

Self-play with its search is one large program, which takes 70 s to compile; the rest is quick.
"""

import numpy as np
import pytest

from jaxgames.players.stored_networks import load_network
from papers.alphatm import train
from tests.train.runs import read

pytestmark = pytest.mark.slow

GAME = train.GAME
TINY = (
    "--network.channels=4",
    "--network.blocks=1",
    "--network.policy-channels=2",
    "--network.value-channels=2",
    "--network.value-hidden=4",
    "--selfplay.lanes=2",
    "--selfplay.plies=3",
    "--selfplay.simulations=2",
    "--replay.capacity=6",
    "--learner.batch-size=4",
    "--learner.updates=1",
    "--learner.warmup-steps=0",
    "--learner.learning-rate=0.01",
    "--evaluation.every=0",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of two iterations."""
    path = tmp_path_factory.mktemp("alphatm") / "run"
    arguments = ["--preset=cpu", *TINY, "--iterations=2", f"--run-dir={path}"]
    train.main(arguments)
    return path


def test_iterations_are_finite_and_learn_a_policy_over_legal_outputs(folder):
    rows = read(folder)
    assert [row["iteration"] for row in rows] == [1, 2]
    for row in rows:
        assert all(np.isfinite(number) for number in row.values())
        # Nobody knows the outcome after six plies, and without it nothing is said of values.
        assert row["selfplay/known_outcomes"] == row["learner/value_loss"] == 0
        # The entropy over all 2,143 outputs would be 7.7; at the start, a few dozen are legal.
        assert 0 < row["learner/policy_loss"] < 6
        assert row["learner/gradient_norm"] > 0


def test_network_of_the_run_has_moved_with_its_running_averages(folder):
    params, meta = load_network(folder)
    assert (meta["game"], meta["iteration"]) == (GAME, 2)
    assert (meta["network"]["tower"], meta["network"]["blocks"]) == ("alphatm", 1)
    averages = params["stem"]["norm"]
    assert (averages["mean"] != 0).any() and (averages["var"] != 1).any()  # as they began
    assert (params["tower"][0]["second"]["norm"]["scale"] != 0).any()
