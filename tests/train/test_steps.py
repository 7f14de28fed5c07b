"""The gradient steps of an iteration: one compiled loop learns what the loop on the host learns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs.alphazero import AlphaZeroConfig, LearnerConfig, ReplayConfig, SelfPlayConfig
from configs.muzero import LearnerConfig as SequenceConfig
from configs.muzero import MuZeroConfig
from jaxgames.env import Env
from jaxgames.internal import devices
from jaxgames.networks.config import ModelConfig, NetworkConfig
from tests.turn_nim import TurnNim
from train.algorithm import make_alphazero
from train.alphazero_learner import run_iteration
from train.muzero.algorithm import make_muzero
from train.steps import Steps

ENV = Env("turn_nim", TurnNim())
SIZES = {"channels": 4, "blocks": 1, "policy_channels": 4, "value_channels": 2, "value_hidden": 8}
SELFPLAY = SelfPlayConfig(lanes=16, plies=8, simulations=2)
REPLAY = ReplayConfig(capacity=128)
STEPS = {"batch_size": 16, "updates": 4, "learning_rate": 0.01, "warmup_steps": 1}
ALPHAZERO = AlphaZeroConfig(
    game="turn_nim",
    network=NetworkConfig(**SIZES),
    selfplay=SELFPLAY,
    replay=REPLAY,
    learner=LearnerConfig(**STEPS),
)
MUZERO = MuZeroConfig(
    game="turn_nim",
    network=ModelConfig(**SIZES),
    selfplay=SELFPLAY,
    replay=REPLAY,
    learner=SequenceConfig(**STEPS, unroll=2),
)


@pytest.mark.parametrize(
    ("make", "config"),
    [(make_alphazero, ALPHAZERO), pytest.param(make_muzero, MUZERO, marks=pytest.mark.slow)],
)
def test_accelerators_learn_in_one_compiled_loop_what_a_cpu_learns(make, config, monkeypatch):
    steps = Steps(ENV, config, devices.make_mesh(), make(ENV, config))
    start = steps.initial_state(jax.random.key(0))

    def iteration():
        return run_iteration(steps, config, jax.tree.map(jnp.copy, start), jax.random.key(1))

    wanted, wanted_numbers = iteration()
    monkeypatch.setattr(steps, "on_cpu", False)
    for name in ("sample", "learn"):
        monkeypatch.delattr(steps, name)
    found, numbers = iteration()

    pairs = [jax.tree.leaves((state.params, state.opt_state)) for state in (found, wanted)]
    for a, b in zip(*pairs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    before, after = (jax.tree.leaves(state.params) for state in (start, found))
    moved = [np.abs(a - b).max() for a, b in zip(before, after, strict=True)]
    assert max(moved) > 1e-2
    assert numbers.keys() == wanted_numbers.keys()
    for name, number in wanted_numbers.items():
        if not name.startswith("time/"):
            assert numbers[name] == pytest.approx(number, rel=1e-3, abs=1e-5), name
