"""Parameters that are converted before a loop: which they are, and that nothing else changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import device_kind
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.tree.conversions import converted
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.search import TreeSearch

HALF = jnp.bfloat16
SIZES = {
    "onitama": {"tower": "square", "channels": 8, "blocks": 1},
    "terra_mystica": {"tower": "hex", "channels": 8, "blocks": 1, "common_channels": 8},
    "tribes": {"tower": "tile", "channels": 8, "blocks": 1, "common_channels": 8},
}


def converted_types(function, *params):
    with device_kind.assumed("cuda"):
        return [x.dtype for x in converted(lambda params: function(*params), params)]


@pytest.mark.parametrize(
    ("function", "types"),
    [
        pytest.param(lambda a, b: a.astype(HALF) @ b.astype(HALF), [HALF, HALF], id="all"),
        pytest.param(lambda a, b: a.astype(HALF) + a.sum() + b, [jnp.float32] * 2, id="also as is"),
        pytest.param(lambda a, b: (a.astype(HALF), b), [HALF, jnp.float32], id="a result"),
        pytest.param(
            lambda a, b: (a.astype(HALF), a.astype(jnp.float16), b),
            [jnp.float32] * 2,
            id="to two types",
        ),
        pytest.param(
            lambda a, b: jax.jit(lambda x, y: y.astype(HALF) + x)(b, a),
            [HALF, jnp.float32],
            id="in a function",
        ),
        pytest.param(lambda a, b: a.astype(HALF), [HALF, jnp.float32], id="never"),
        pytest.param(
            lambda a, b: (a.astype(HALF) @ b.astype(HALF)).astype(a.dtype),
            [jnp.float32] * 2,
            id="and its type is a result's",
        ),
        pytest.param(
            lambda a, b: (a.astype(HALF).astype(a.dtype) * 3).astype(HALF),
            [jnp.float32] * 2,
            id="and its type is that of a step",
        ),
        pytest.param(
            lambda a, b: a.astype(HALF) + jnp.asarray(jnp.finfo(a.dtype).eps, HALF),
            [jnp.float32] * 2,
            id="and its type gives a constant",
        ),
    ],
)
def test_what_is_only_converted_is_converted(function, types):
    a, b = jnp.ones((2, 2)), jnp.ones((2, 2))
    assert converted_types(function, a, b) == types
    assert [x.dtype for x in converted(lambda p: function(*p), (a, b))] == [jnp.float32] * 2


def test_parameters_that_are_no_arrays_are_left_alone():
    params = {"activation": jax.nn.relu, "layers": 2, "kernel": jnp.ones((2, 2))}

    def function(params, x):
        for _ in range(params["layers"]):
            x = params["activation"](x @ params["kernel"].astype(HALF))
        return x

    with device_kind.assumed("cuda"):
        found = converted(function, params, jnp.ones((2, 2), HALF))
    assert found["kernel"].dtype == HALF
    assert {**found, "kernel": None} == {**params, "kernel": None}


@pytest.mark.parametrize("game", SIZES)
def test_all_parameters_of_a_tower_are_converted_and_predict_the_same(game):
    env = jaxgames.make(game)
    network = make_network(env, NetworkConfig(**SIZES[game], dtype="bfloat16"))
    params = network.init(jax.random.key(0))
    like = jax.tree.map(
        lambda shape: jax.ShapeDtypeStruct((2, *shape), jnp.float32),
        env.observation_shape,
        is_leaf=lambda shape: all(isinstance(n, int) for n in shape),
    )
    with device_kind.assumed("cuda"):
        found = converted(network.apply, params, like)
    assert {x.dtype for x in jax.tree.leaves(found)} == {jnp.dtype(HALF)}
    if game == "onitama":
        obs = np.ones(like.shape, like.dtype)
        predict = jax.jit(network.apply)
        for one, other in zip(predict(params, obs), predict(found, obs), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_search_on_an_accelerator_converts_nothing_in_its_loop():
    env = jaxgames.make("onitama")
    network = make_network(env, NetworkConfig(**SIZES["onitama"], dtype="bfloat16"))
    search = TreeSearch(env.rules, NetworkEvaluator(env.rules, network), Gumbel(), 4)
    state = jax.eval_shape(
        jax.vmap(env.rules.init), jax.eval_shape(lambda: jax.random.split(jax.random.key(0), 2))
    )
    params = jax.eval_shape(lambda: network.init(jax.random.key(0)))
    with device_kind.assumed("cuda"):
        program = jax.make_jaxpr(search.search)(params, (), state, jax.random.key(0)).jaxpr
    shapes = {x.shape for x in jax.tree.leaves(params)}
    outside, inside = shapes_converted(program), shapes_converted(program, is_in_loop=True)
    assert set(outside) == shapes
    assert not shapes & set(inside)


def shapes_converted(program, *, is_in_loop=False, now=False):
    """Yields the shapes of what is made 16 bits long inside, or only outside, of the loops."""
    for equation in program.eqns:
        name = equation.primitive.name
        is_converted = name == "convert_element_type" and equation.params["new_dtype"] == HALF
        if is_converted and is_in_loop == now:
            yield equation.invars[0].aval.shape
        for part in jax.tree.leaves(list(equation.params.values())):
            inner = getattr(part, "jaxpr", part)
            if hasattr(inner, "eqns"):
                in_loop = now or name in ("scan", "while")
                yield from shapes_converted(inner, is_in_loop=is_in_loop, now=in_loop)
