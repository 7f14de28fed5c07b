"""A run starts from a stored network of the game with other options."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from configs import presets
from configs.alphazero import AlphaZeroConfig
from jaxgames.networks import network_files
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from train import start

SIZES = NetworkConfig(channels=4, blocks=1, policy_channels=4, value_channels=2, value_hidden=8)
GAME = "murus_gallicus"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The parameters of a network of the default game, and their file."""
    env = jaxgames.make(GAME)
    params = jax.device_get(make_network(env, SIZES).init(jax.random.key(5)))
    # A fresh network has the same value everywhere.
    params["value"]["kernel"] = np.ones_like(params["value"]["kernel"])
    path = tmp_path_factory.mktemp("start") / "network.npz"
    network_files.save_network(path, params, network_files.describe(env, "", SIZES, 1))
    return params, str(path)


@pytest.mark.parametrize("option", ["pie_rule", "redistribute_start"])
def test_options_leave_what_the_network_has_learned(option, stored, capsys):
    params, path = stored
    default, env = jaxgames.make(GAME), jaxgames.make(GAME, **{option: True})
    network = make_network(env, SIZES)
    found = start.parameters(env, path, SIZES, network.init, seed=1)
    obs = jnp.linspace(0, 1, 2 * 7 * 8 * 9).reshape(2, 7, 8, 9)
    logits, values = network.apply(found, obs)
    expected = make_network(default, SIZES).apply(params, obs[..., :8])
    # They were stored in half precision.
    np.testing.assert_allclose(logits[:, : default.num_actions], expected[0], atol=2e-2)
    np.testing.assert_allclose(values, expected[1], atol=2e-2)
    said = capsys.readouterr().err
    assert "stem.kernel has 1 more inputs, which count from zero" in said
    assert "policy_extra.kernel is new" in said
    assert ("trained for game_version '1', not '2'" in said) == (option == "redistribute_start")


def test_a_network_of_the_same_game_says_nothing(stored, capsys):
    params, path = stored
    network = make_network(jaxgames.make(GAME), SIZES)
    found = start.parameters(jaxgames.make(GAME), path, SIZES, network.init, seed=1)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-2), found, params)
    assert capsys.readouterr().err == ""


def test_a_run_with_a_checkpoint_needs_no_network_to_start_from(tmp_path, stored):
    _, path = stored
    env, gone = jaxgames.make(GAME), f"{tmp_path}/gone.npz"
    network = make_network(env, SIZES)
    config = presets.preset("alphazero", GAME, "cpu")
    config = dataclasses.replace(config, network=SIZES, start=gone, run_dir=f"{tmp_path}/run")
    checkpoint = tmp_path / "run" / "checkpoints" / "3"
    for folder in (checkpoint.with_name("4.orbax-checkpoint-tmp"), checkpoint):
        with pytest.raises(ValueError, match=r"no network file or run folder at .*gone\.npz"):
            start.of_run(env, config, network.init)
        folder.mkdir(parents=True)
        (tmp_path / "run" / "record.json").write_text("{}")
    assert start.of_run(env, config, network.init) is None
    new = dataclasses.replace(config, start=path, run_dir=f"{tmp_path}/new")
    assert start.of_run(env, new, network.init) is not None
    assert start.of_run(env, dataclasses.replace(new, start=None), network.init) is None


def test_other_sizes_games_and_kinds_are_refused(stored):
    _, path = stored
    wider = dataclasses.replace(SIZES, channels=8)
    for env, sizes, message in (
        (jaxgames.make(GAME), wider, "add --network.channels=4"),
        (jaxgames.make("onitama"), SIZES, "was trained for game 'murus_gallicus'"),
    ):
        init = make_network(env, sizes).init
        with pytest.raises(ValueError, match=message):
            start.parameters(env, path, sizes, init, seed=1)
    with pytest.raises(
        ValueError, match=r"of another kind: .* blocks, .* belong to one of both only"
    ):
        start.parameters(
            jaxgames.make("tribes"), "tribes", AlphaZeroConfig(game="tribes").network, None, seed=1
        )


def test_seats_add_inputs_and_outputs():
    two = {"layers": {0: {"kernel": np.ones((3, 4))}, 1: {"kernel": np.ones((4, 1))}}}
    three = {"layers": {0: {"kernel": np.zeros((5, 4))}, 1: {"kernel": np.full((4, 3), 7.0)}}}
    found, changes = start.fit(two, three)
    np.testing.assert_array_equal(found["layers"][0]["kernel"], [[1] * 4] * 3 + [[0] * 4] * 2)
    np.testing.assert_array_equal(found["layers"][1]["kernel"], np.full((4, 3), 7))
    assert [change.split(" has ")[0].split(" is ")[0] for change in changes] == [
        "layers.0.kernel",
        "layers.1.kernel",
    ]
    with pytest.raises(ValueError, match="has no parameter of those"):
        start.fit({"other": np.ones(3)}, three)
