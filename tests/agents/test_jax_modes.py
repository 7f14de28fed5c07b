"""Agents, matches and training give the same results in programs that use 64-bit types."""

import dataclasses

import chex
import jax
import numpy as np
import pytest

import jaxgames
from configs import presets
from configs.alphazero import AlphaZeroConfig
from jaxgames.internal import devices
from jaxgames.matches.match import match
from jaxgames.players import registry
from train.alphazero_learner import run_iteration
from train.steps import Steps

ENV = jaxgames.make("onitama_report")  # its programs are smaller than those of all of Onitama
# Of each family one player, and the three without a search; then the others.
SPECS = (
    "random",
    "first_legal",
    "greedy",
    "minimax:depth=2",
    "negascout:depth=2",
    "mc:budget=20,depth=4",
    "gumbel:evaluator=heuristic,simulations=2",
)
MORE_SPECS = (
    "negamax:depth=2",
    "alpha_beta:depth=2",
    "rhea:budget=20,depth=4",
    "oep:budget=60,depth=4",
    "planning_mcts:budget=20,depth=4",
    "mcts:simulations=2",
    "mcts:simulations=4,evaluator=heuristic",
    "gumbel:evaluator=rollout,simulations=2",
    "gumbel:evaluator=uniform,simulations=4,engine=mctx",
    "puct:evaluator=uniform,simulations=4,temperature=1",
)


def assert_same(found, wanted):
    chex.assert_trees_all_equal_dtypes(found, wanted)
    chex.assert_trees_all_close(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "spec", [*SPECS, *(pytest.param(spec, marks=pytest.mark.slow) for spec in MORE_SPECS)]
)
def test_decisions_are_the_same_with_64_bits(spec):
    def decisions():
        player = registry.make(spec, ENV)
        states = jax.vmap(ENV.rules.init)(jax.random.split(jax.random.key(0), 4))
        memory = player.agent.reset(4)
        act = jax.jit(lambda *x: player.agent.act(*x))
        return jax.device_get(act(player.params, memory, states, jax.random.key(1))[0])

    wanted = decisions()
    with jax.enable_x64(True):
        assert_same(decisions(), wanted)


def test_matches_are_the_same_with_64_bits():
    def result():
        players = [registry.make(spec, ENV) for spec in ("greedy", "random")]
        return match(ENV, players, jax.random.key(0), 8)._replace(names=())

    wanted = result()
    with jax.enable_x64(True):
        assert_same(result(), wanted)


@pytest.mark.slow
def test_iterations_of_training_are_the_same_with_64_bits():
    default: AlphaZeroConfig = presets.preset("alphazero", "onitama", "cpu")
    config = dataclasses.replace(
        default,
        network=dataclasses.replace(default.network, channels=4, blocks=1),
        selfplay=dataclasses.replace(default.selfplay, lanes=4, plies=8, simulations=4),
        replay=dataclasses.replace(default.replay, capacity=64),
        learner=dataclasses.replace(default.learner, batch_size=16, updates=2),
    )

    def iterations():
        steps = Steps(jaxgames.make("onitama"), config, devices.make_mesh())
        state = steps.initial_state(jax.random.key(0))
        for number in range(2):
            key = jax.random.fold_in(jax.random.key(1), number)
            state, numbers = run_iteration(steps, config, state, key)
        numbers = {name: x for name, x in numbers.items() if not name.startswith("time/")}
        return jax.device_get(state.params), numbers

    params, numbers = iterations()
    with jax.enable_x64(True):
        found, others = iterations()
    assert_same(found, params)
    assert others.keys() == numbers.keys()
    for name, number in numbers.items():
        np.testing.assert_allclose(others[name], number, rtol=1e-4, err_msg=name)
