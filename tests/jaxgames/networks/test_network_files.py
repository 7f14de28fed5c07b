"""Network files and run folders give back the parameters, or say why not."""

import json
import shutil
import sys

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import array_files
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.evaluators import load_evaluator, make_evaluator
from jaxgames.networks.network import make_network
from jaxgames.networks.network_files import describe, flatten, save_network
from jaxgames.players.stored_networks import load_network
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


def test_run_folder_with_a_changed_byte_gives_the_checkpoint_before(run, caplog):
    data = run / "checkpoints" / "12" / "params" / "d"
    path = max(data.iterdir(), key=lambda path: path.stat().st_size)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert load_network(run)[1]["iteration"] == 3
    assert f"checkpoints/12 is damaged (changed: params/d/{path.name})" in caplog.text


def test_run_folder_without_orbax_names_the_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "orbax.checkpoint", None)
    with pytest.raises(ValueError, match=r"need the package orbax.*jaxgames\[train\]'"):
        load_network(run)


def test_run_folder_with_exchanged_checkpoints_is_refused(run):
    folder = run / "checkpoints"
    (folder / "12").rename(folder / "x")
    (folder / "3").rename(folder / "12")
    (folder / "x").rename(folder / "3")
    with pytest.raises(ValueError, match=r"all checkpoints in .* are damaged"):
        load_network(run)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"network": 3}, "network in the description of the network must be of type dict, got 3"),
        ({"iteration": True}, "iteration in the description of the network must be of type int"),
        ({"game": None}, "game in the description of the network must be of type str, got None"),
    ],
)
def test_descriptions_of_wrong_types_are_refused(tmp_path, params, meta, change, words):
    with pytest.raises(ValueError, match=words):
        save_network(tmp_path / "net.npz", params, {**meta, **change})
    array_files.write(tmp_path / "net.npz", {}, {**meta, **change})
    with pytest.raises(ValueError, match=words):
        load_network(tmp_path / "net.npz")


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"width": 3}, "unknown setting 'width'"),
        ({"channels": "4"}, "channels must be of type int, got '4'"),
        ({"channels": 4.5}, "channels must be of type int, got 4.5"),
        ({"blocks": None}, "blocks must be of type int, got None"),
        ({"tower": ["square"]}, r"tower must be of type str, got \['square'\]"),
        ({"channels": 0}, "network.channels must be at least 1, got 0"),
        ({"channels": 10**400}, "network.channels must be at most 2147483647"),
    ],
)
def test_networks_of_impossible_sizes_are_refused(env, params, meta, sizes, words):
    changed = {**meta, "network": meta["network"] | sizes}
    with pytest.raises(ValueError, match=words):
        make_evaluator(env, params, changed, "net.npz")


def test_parameters_of_wrong_shapes_or_names_are_refused(tmp_path, env, params, meta):
    path = tmp_path / "net.npz"
    one = np.ones(2, np.float32)
    for arrays, words in (
        ({"0": one, "0.x": one}, r"parameter 0\.x is inside another parameter"),
        ({"0.x": one, "0": one}, "parameter 0 is another parameter, or has others inside"),
        ({"0": one, "00": one}, "parameter 00 is another parameter, or has others inside"),
        ({"kernel": np.array(["text"])}, "parameter kernel has type <U4, which"),
    ):
        array_files.write(path, arrays, meta)
        with pytest.raises(ValueError, match=rf"net\.npz is damaged: {words}"):
            load_network(path)
    flat = flatten(params)
    name = next(iter(flat))
    for arrays in (
        {**flat, name: np.zeros(3, np.float32)},
        {other: array for other, array in flat.items() if other != name},
        {**flat, "more": one},
    ):
        array_files.write(path, arrays, meta)
        with pytest.raises(ValueError, match=r"net\.npz does not fit onitama"):
            load_evaluator(env, path)


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
