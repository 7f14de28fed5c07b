"""Networks of afterstate values: the cells of the map add the same on every device."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import device_kind
from jaxgames.networks import network_files
from jaxgames.networks.afterstates import AfterstateNetwork, Inputs
from jaxgames.networks.config import AfterstateConfig
from jaxgames.players.afterstate import PLAYS_AS, load_values
from jaxgames.players.knowledge import afterstate_domain_of

N = 5


@pytest.fixture(scope="module")
def domain():
    return afterstate_domain_of(jaxgames.make("onitama"))


def values_and_gradients(domain, dtype, platform):
    """Returns values of random afterstates, and gradients, of what is traced for a platform."""
    config = AfterstateConfig(hidden=(8,), cell_features=4, dtype=dtype)
    network = AfterstateNetwork(domain, config)
    rng = np.random.default_rng(3)
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    params = jax.tree.map(lambda x: jnp.asarray(0.3 * rng.normal(size=x.shape), x.dtype), shapes)
    features = shapes["layers"][0]["kernel"].shape[0] - config.cell_features
    cells, codes, _ = shapes["cells"].shape
    inputs = Inputs(
        features=jnp.asarray(rng.normal(size=(N, features)), jnp.float32),
        estimate=jnp.zeros((N, 2)),
        points=None,
        cells=jnp.asarray(rng.integers(0, codes, (N, cells)), jnp.uint8),
    )

    def total(params):
        values = network.apply(params, inputs).values
        return (values[:, 0] * jnp.arange(1.0, N + 1)).sum(), values

    with device_kind.assumed(platform):
        gradients, values = jax.jit(jax.grad(total, has_aux=True))(params)
        program = jax.make_jaxpr(total)(params)
    return jax.device_get((values, gradients)), str(program)


@pytest.mark.parametrize(("dtype", "error"), [("float32", 1e-5), ("bfloat16", 0.05)])
def test_a_tpu_computes_the_same_by_a_product(domain, dtype, error):
    expected, program = values_and_gradients(domain, dtype, "cpu")
    assert "gather" in program
    found, program = values_and_gradients(domain, dtype, "tpu")
    assert "gather" not in program
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, atol=error), found, expected)
    assert np.ptp(expected[0]) > 0.1 and (expected[1]["cells"] != 0).any()


def test_without_cell_features_the_map_is_not_read(domain, tmp_path):
    config = AfterstateConfig(hidden=(8,), cell_features=0, dtype="float32")
    network = AfterstateNetwork(domain, config)
    rng = np.random.default_rng(4)
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    params = jax.tree.map(lambda x: rng.normal(size=x.shape).astype(x.dtype), shapes)
    env = jaxgames.make("onitama")
    state = jax.vmap(env.rules.init)(jax.random.split(jax.random.key(1), N))
    seat = jax.vmap(env.rules.to_move)(state)
    inputs = network.inputs(state, seat)
    assert inputs.cells is None
    # The values follow from the features alone, also after a file has held the network.
    (first, second) = params["layers"][0], params["layers"][1]
    hidden = np.maximum(np.asarray(inputs.features) @ first["kernel"] + first["bias"], 0)
    expected = np.tanh(
        np.asarray(inputs.estimate)[:, 0] + hidden @ second["kernel"][:, 0] + second["bias"][0]
    )
    about = network_files.describe(env, "", config, 1) | {"plays_as": PLAYS_AS}
    network_files.save_network(tmp_path / "network.npz", params, about)
    loaded, stored = load_values(env, str(tmp_path / "network.npz"))
    assert loaded == network
    values = np.take_along_axis(
        np.asarray(loaded(stored, state, seat)), np.asarray(seat)[:, None], 1
    )
    np.testing.assert_allclose(values[:, 0], expected, atol=1e-5)
    assert np.ptp(expected) > 0.1


def test_fewer_than_no_cell_features_are_refused():
    with pytest.raises(ValueError, match="cell_features must be at least 0, got -1"):
        AfterstateConfig(cell_features=-1)
