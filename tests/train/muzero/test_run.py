"""Runs of `python -m train.muzero`: they resume bit for bit, and agents play what they learned."""

import functools
import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs import presets
from jaxgames.internal import devices
from jaxgames.networks import network_files
from jaxgames.networks.evaluators import load_evaluator
from jaxgames.networks.learned_model import LearnedModel
from jaxgames.players import registry
from jaxgames.players.stored_networks import load_network
from jaxgames.search.tree.model_agent import LearnedSearch
from jaxgames.testing import playouts
from tests.quick_compilation import OLDER_FUSIONS
from tests.train import runs, test_devices
from train import ship
from train.muzero import __main__ as program
from train.muzero.algorithm import make_muzero
from train.network_program import NetworkProgram
from train.steps import Steps

TINY = [
    "--game=onitama",
    "--preset=cpu",
    "--network.channels=8",
    "--network.blocks=1",
    "--network.dynamics-blocks=0",
    "--network.policy-channels=8",
    "--network.value-channels=2",
    "--network.value-hidden=8",
    "--selfplay.lanes=16",
    "--selfplay.plies=8",
    "--selfplay.simulations=4",
    "--replay.capacity=512",
    "--learner.batch-size=32",
    "--learner.updates=2",
    "--learner.unroll=2",
    "--evaluation.every=0",
    "--checkpoint.every=2",
]


@pytest.fixture(scope="module")
def run():
    """Trains in a folder with further options; all runs share what is compiled."""
    learner = program.COMMAND.make_program(program.parse(TINY)).learner

    def train(folder: pathlib.Path, *more: str) -> None:
        config = program.parse([*TINY, f"--run-dir={folder}", *more])
        runs.learn(functools.partial(NetworkProgram, learner), config)

    return train


@pytest.fixture(scope="module")
def whole(run, tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    run(folder, "--iterations=2", f"--export={folder.parent / 'exported.npz'}")
    return folder


def test_a_resumed_run_ends_like_a_whole_one(run, whole, tmp_path):
    for iterations in (1, 2):
        run(tmp_path / "parts", f"--iterations={iterations}")
    assert len(runs.read(whole)) == 2
    assert runs.read(tmp_path / "parts") == runs.read(whole)
    runs.assert_same(load_network(tmp_path / "parts")[0], load_network(whole)[0])


def test_a_run_says_what_it_learned(whole):
    record = json.loads((whole / "record.json").read_text())
    assert record["run"]["learner.unroll"] == 2
    rows = runs.read(whole)
    assert {"learner/unrolled_value_loss", "learner/unrolled_seat_loss"} <= rows[0].keys()
    assert load_network(whole / "network.npz")[1]["kind"] == "learned_model"


@pytest.mark.parametrize(
    "spec",
    [
        "gumbel:simulations=4,{}",
        pytest.param("puct:simulations=4,{}", marks=pytest.mark.slow),
    ],
)
def test_searches_play_the_run_and_its_files_without_rules(whole, spec):
    env = jaxgames.make("onitama")
    states = playouts.at(playouts.play(env.rules, seed=1, num_games=8).states, 4)
    decisions = []
    for path in (whole, whole / "network.npz", whole.parent / "exported.npz"):
        player = registry.make(spec.format(f"network={path}"), env)
        assert isinstance(player.agent, LearnedSearch)
        if not decisions:
            act = jax.jit(player.agent.act)
        decisions.append(act(player.params, (), states, jax.random.key(0))[0])
    for decision in decisions[1:]:
        runs.assert_same(decision, decisions[0])
    legal = jax.vmap(env.rules.legal_actions)(states)
    assert legal[jnp.arange(8), decisions[0].action].all()


def test_the_file_is_an_evaluator_too_and_can_be_shipped(whole, tmp_path):
    env = jaxgames.make("onitama")
    evaluator, params = load_evaluator(env, whole / "network.npz")
    assert isinstance(evaluator.network, LearnedModel)
    states = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 3))
    evaluation = jax.jit(evaluator)(params, states, jax.random.key(0))
    assert evaluation.logits.shape == (3, 202)
    np.testing.assert_allclose(evaluation.values.sum(axis=1), 0, atol=1e-6)
    assert registry.make(f"network:network={whole}", env).agent.evaluator == evaluator
    path = ship.ship(str(whole), None, tmp_path)
    assert isinstance(load_evaluator(env, path)[0].network, LearnedModel)


@pytest.mark.parametrize(
    "option", ["reuse=true", "max_children=8", "stop_decided=true", "engine=mctx"]
)
def test_options_of_a_search_with_rules_are_refused(whole, option):
    with pytest.raises(ValueError, match=f"leave out {option.split('=')[0]}"):
        registry.make(f"gumbel:network={whole},{option}", jaxgames.make("onitama"))


def test_a_file_of_an_unknown_kind_is_refused(whole, tmp_path):
    params, meta = load_network(whole)
    network_files.save_network(tmp_path / "odd.npz", params, meta | {"kind": "learnt_model"})
    with pytest.raises(ValueError, match="did you mean 'learned_model'"):
        load_evaluator(jaxgames.make("onitama"), tmp_path / "odd.npz")


@pytest.mark.slow
@pytest.mark.parametrize("game", presets.games("muzero"))
def test_the_preset_fits_the_game(game):
    """Self-play and the gradient step are traced, not compiled."""
    config = presets.preset("muzero", game, "cpu")
    env = registry.make_env(game, config.env_options)
    steps = Steps(env, config, devices.make_mesh(), make_muzero(env, config))
    key = jax.random.key(0)
    state = jax.eval_shape(steps.initial_state, key)
    _, samples, _ = jax.eval_shape(steps.selfplay, state.params, state.lanes, state.replay, key)
    batch = jax.eval_shape(steps.sample, samples, key)
    params, _, metrics = jax.eval_shape(steps.learn, state.params, state.opt_state, batch)
    assert jax.tree.map(np.shape, params) == jax.tree.map(np.shape, state.params)
    assert metrics["learner/loss"].shape == ()


@pytest.mark.slow
@pytest.mark.parametrize("devices", [2, 8])
def test_training_on_several_devices_repeats_bit_for_bit(devices, tmp_path):
    for name in ("one", "other"):
        arguments = ["-m", "train.muzero", *TINY, "--iterations=2", f"--run-dir={tmp_path / name}"]
        test_devices.finish(test_devices.start(arguments, devices, OLDER_FUSIONS))
    assert len(runs.read(tmp_path / "one")) == 2
    assert runs.read(tmp_path / "one") == runs.read(tmp_path / "other")
    params = [load_network(tmp_path / name)[0] for name in ("one", "other")]
    runs.assert_same(*params)
