"""Network files and run folders give back the parameters, or say why not."""

import json
import shutil

import jax
import numpy as np
import pytest

import jaxgames
from agents.players.stored_networks import load_network
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from jaxgames.networks.network_files import describe, save_network
from train.checkpoint import Checkpoints

CONFIG = NetworkConfig(channels=4, blocks=2, policy_channels=2, value_channels=1, value_hidden=3)


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("onitama", deck="all")


@pytest.fixture(scope="module")
def params(env):
    return make_network(env, CONFIG).init(jax.random.key(1))


@pytest.fixture(scope="module")
def meta(env):
    return describe(env, "deck=all", CONFIG, iteration=12)


@pytest.fixture
def run(tmp_path, params, meta):
    with Checkpoints(tmp_path / "checkpoints", keep=2) as checkpoints:
        for iteration in (3, 12):
            scaled = jax.tree.map(lambda x, k=iteration: x * k, params)
            checkpoints.save(
                iteration, scaled, {"n": np.int32(1)}, {**meta, "iteration": iteration}
            )
    return tmp_path


def assert_equal(found, wanted):
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


def test_file_gives_back_parameters_and_everything_to_build_the_network(
    tmp_path, env, params, meta
):
    save_network(tmp_path / "new" / "net.npz", params, meta)
    found, found_meta = load_network(tmp_path / "new" / "net.npz")
    assert_equal(found, params)
    assert found_meta == meta
    network = make_network(env, NetworkConfig(**found_meta["network"]))
    obs = np.zeros((1, *env.observation_shape), np.float32)
    assert_equal(network.apply(found, obs), network.apply(params, obs))
    assert (meta["game"], meta["game_version"]) == ("onitama", env.version)
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["net.npz"]


def test_run_folder_gives_the_newest_checkpoint(run, params):
    found, meta = load_network(run)
    assert meta["iteration"] == 12
    assert_equal(found, jax.tree.map(lambda x: x * 12, params))


def test_run_folder_may_be_given_relative_to_the_working_directory(run, params, monkeypatch):
    monkeypatch.chdir(run.parent)
    found, _ = load_network(run.name)
    assert_equal(found, jax.tree.map(lambda x: x * 12, params))


def test_run_folder_with_a_damaged_checkpoint_gives_the_one_before(run, params, caplog):
    shutil.rmtree(run / "checkpoints" / "12" / "params" / "d")
    found, meta = load_network(run)
    assert meta["iteration"] == 3
    assert_equal(found, jax.tree.map(lambda x: x * 3, params))
    assert "checkpoints/12 is damaged" in caplog.text


def test_missing_wrong_and_truncated_files_are_refused(tmp_path, params, meta):
    with pytest.raises(ValueError, match=r"no network file or run folder at .*nothing\.npz"):
        load_network(tmp_path / "nothing.npz")
    with pytest.raises(ValueError, match="holds no run with a checkpoint"):
        load_network(tmp_path)
    path = tmp_path / "net.npz"
    save_network(path, params, meta)
    whole = path.read_bytes()
    for content in (b"", b"text", whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"net\.npz is not a network file, or it is damaged"):
            load_network(path)


def test_files_with_pickled_objects_are_refused(tmp_path, meta):
    path = tmp_path / "net.npz"
    np.savez(path, meta=np.array(json.dumps(meta)), kernel=np.array([print], dtype=object))
    with pytest.raises(ValueError, match="is not a network file, or it is damaged"):
        load_network(path)


def test_file_of_a_newer_format_or_without_description_is_refused(tmp_path, meta):
    path = tmp_path / "net.npz"
    np.savez(path, meta=np.array(json.dumps({**meta, "format": 2})))
    with pytest.raises(ValueError, match="has format 2, this version reads 1"):
        load_network(path)
    np.savez(path, meta=np.array('{"game": "onitama"}'))
    with pytest.raises(ValueError, match="lacks game_version, env_options, network, iteration"):
        load_network(path)


def test_parameters_that_numpy_cannot_store_are_refused(tmp_path, meta):
    half = {"kernel": jax.numpy.ones(2, "bfloat16")}
    with pytest.raises(ValueError, match="kernel has type bfloat16"):
        save_network(tmp_path / "net.npz", half, meta)
    assert not any(tmp_path.iterdir())
