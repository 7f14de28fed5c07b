"""Tribes trains for two to four tribes: the preset for a CPU, made tiny, plays and learns.

What a whole training comes to stands in `papers/tribes/README.md`.
"""

import numpy as np
import pytest

from jaxgames.players.stored_networks import load_network
from tests.train.runs import read
from train import alphazero

pytestmark = pytest.mark.slow  # self-play takes a minute to compile

TINY = (
    "--network.channels=4",
    "--network.common-channels=4",
    "--network.blocks=1",
    "--network.policy-channels=2",
    "--network.value-channels=1",
    "--network.value-hidden=4",
    "--selfplay.lanes=2",
    "--selfplay.plies=4",
    "--selfplay.simulations=2",
    "--replay.capacity=8",
    "--learner.batch-size=4",
    "--learner.updates=1",
    "--learner.warmup-steps=0",
    "--learner.learning-rate=0.01",
    "--evaluation.every=0",
)


@pytest.mark.parametrize("options", ["num_players=2,mode=score", "num_players=3,fog=true"])
def test_iterations_learn_a_policy_over_two_steps_and_a_value_by_seat(tmp_path, options):
    folder = tmp_path / "run"
    arguments = ["--game=tribes", f"--env-options={options}", "--preset=cpu", *TINY]
    alphazero.main([*arguments, "--iterations=2", f"--run-dir={folder}"])
    rows = read(folder)
    assert [row["iteration"] for row in rows] == [1, 2]
    for row in rows:
        assert all(np.isfinite(number) for number in row.values())
        # The entropy over all 256 plies would be 5.5; at the start, fewer than 30 are legal.
        assert 0 < row["learner/policy_loss"] < 4
        assert row["learner/gradient_norm"] > 0
    params, meta = load_network(folder)
    assert (meta["game"], meta["iteration"], meta["network"]["tower"]) == ("tribes", 2, "tile")
    assert params


def test_the_network_is_measured_against_the_uniform_player_of_the_paper(tmp_path):
    folder = tmp_path / "run"
    arguments = ["--game=tribes", "--env-options=mode=score", "--preset=cpu", *TINY]
    matches = ["--evaluation.every=1", "--evaluation.games=2", "--evaluation.simulations=2"]
    alphazero.main([*arguments, *matches, "--iterations=1", f"--run-dir={folder}"])
    rows = read(folder)
    opponent = "random:of=actions"
    for player in ("search", "network"):
        scores = [row[f"evaluation/{player}/{opponent}"] for row in rows]
        assert set(scores) <= {0.0, 0.5, 1.0}
        points = [row[f"points/of_opponent/{player}/{opponent}"] for row in rows]
        # Uniform over actions, it researches and builds; a tribe starts with 390 points.
        assert min(points) > 800
