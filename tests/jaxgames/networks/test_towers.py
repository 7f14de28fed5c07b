import subprocess
import sys

import jax
import pytest

import jaxgames
from jaxgames.networks import NetworkConfig, make_network, register_tower, towers


@pytest.fixture(autouse=True)
def table(monkeypatch):
    monkeypatch.setattr(towers, "_TOWERS", dict(towers._TOWERS))


def test_a_tower_of_another_package_builds_a_network():
    register_tower("plain", "jaxgames.networks.square_tower:TOWER")
    sizes = {"channels": 4, "blocks": 1, "policy_channels": 2, "value_channels": 2}
    env = jaxgames.make("onitama")
    plain, square = (
        jax.eval_shape(
            make_network(env, NetworkConfig(tower=name, **sizes)).init, jax.random.key(0)
        )
        for name in ("plain", "square")
    )
    assert plain == square


def test_bad_towers_are_refused():
    with pytest.raises(ValueError, match="tower 'hex' is already registered"):
        register_tower("hex", "my_package:TOWER")
    with pytest.raises(ValueError, match="'my_package' is not an import path"):
        register_tower("deep", "my_package")
    with pytest.raises(ValueError, match=r"network.tower: unknown value 'hexe'.*mean 'hex'"):
        NetworkConfig(tower="hexe")
    with pytest.raises(ValueError, match=r"unknown tower 'hexe'.*did you mean 'hex'"):
        towers.load_tower("hexe")


def test_reading_a_configuration_imports_no_jax():
    code = (
        "import sys; from jaxgames.networks import NetworkConfig; NetworkConfig(tower='hex')\n"
        "assert not {'jax', 'numpy', 'flax'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
