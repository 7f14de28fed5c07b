"""Trained networks in other formats: equal results, read back; nothing is replaced silently."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.networks import network_files
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from jaxgames.networks.shipped import available_pretrained
from train.export import __main__ as command
from train.export import formats, functions

PACKAGES = {"onnx": ("jax2onnx", "onnxruntime"), "safetensors": ("safetensors",), "stablehlo": ()}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    env = jaxgames.make("onitama")
    config = NetworkConfig(channels=4, blocks=2, policy_channels=2, value_channels=2)
    params = make_network(env, config).init(jax.random.key(0))
    noise = np.random.default_rng(0)  # the layers that begin at zero count, too
    params = jax.tree.map(lambda x: noise.normal(0, 0.3, x.shape).astype(np.float32), params)
    path = tmp_path_factory.mktemp("network") / "tiny.npz"
    network_files.save_network(path, params, network_files.describe(env, "", config, 1))
    return str(path)


def skip_without(kind):
    for package in PACKAGES[kind]:
        pytest.importorskip(package, reason="pip install 'jaxgames[export]'")


@pytest.mark.parametrize("kind", sorted(PACKAGES))
def test_a_network_reads_the_same_in_every_format(file, kind, tmp_path, capsys):
    skip_without(kind)
    path = tmp_path / "network"
    assert command.main([file, f"--format={kind}", f"--output={path}", "--positions=40"]) == 0
    assert "40 positions" in capsys.readouterr().out
    before = path.read_bytes()
    assert command.main([file, f"--format={kind}", f"--output={path}"]) == 2
    assert "--replace" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_file_whose_results_differ_is_not_written(file, tmp_path, monkeypatch, capsys):
    own = formats.FORMATS["stablehlo"]

    def wrong(network, content, inputs):
        first, *others = own.evaluate(network, content, inputs)
        return [first + 2e-4, *others]

    monkeypatch.setitem(formats.FORMATS, "stablehlo", own._replace(evaluate=wrong))
    arguments = [file, "--format=stablehlo", f"--output={tmp_path / 'network'}"]
    assert command.main(arguments) == 2
    assert "differs by 0.0002" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["onitam"], "did you mean 'onitama'"),
        (["onitama", "--positions=0"], "--positions must be at least 1, got 0"),
    ],
)
def test_mistakes_are_named(options, words, tmp_path, capsys):
    arguments = [*options, "--format=stablehlo", f"--output={tmp_path / 'x'}"]
    assert command.main(arguments) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_positions_are_those_that_the_network_meets():
    network = functions.load("onitama")
    found = network.positions(70, 3)
    assert {name: x.shape for name, x in found.items()} == {
        name: (70, *spec.shape) for name, spec in network.inputs.items()
    }
    assert len(np.unique(found["planes"], axis=0)) > 60


@pytest.mark.slow  # minutes to trace, for all of them
@pytest.mark.parametrize("kind", sorted(PACKAGES))
@pytest.mark.parametrize("name", available_pretrained())
def test_every_shipped_network_reads_the_same(name, kind, tmp_path):
    skip_without(kind)
    found = command.export(name, kind, tmp_path / "network", positions=1000)
    assert found.difference <= 1e-4
