"""A network for more seats than those with which it has learned."""

import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.networks.afterstates import AfterstateNetwork, Inputs
from jaxgames.networks.config import AfterstateConfig
from jaxgames.players import knowledge
from train.afterstates.seats import with_more_seats

COMMON, OF_SEAT = 3, 4


def params_for(seats, points, rng):
    rows = COMMON + seats * OF_SEAT
    outputs = (1 if seats == 2 else seats) + (seats if points else 0)
    return {
        "layers": {
            0: {"kernel": rng.normal(size=(rows, 8)), "bias": rng.normal(size=8)},
            1: {"kernel": rng.normal(size=(8, outputs)), "bias": rng.normal(size=outputs)},
        }
    }


def applied(params, seats, features, points):
    """Returns values and points of all seats, the estimates being zero."""
    rules = types.SimpleNamespace(num_players=seats, counts_points=points)
    domain = types.SimpleNamespace(rules=rules, bounded=False)
    network = AfterstateNetwork(domain, AfterstateConfig(hidden=(8,), cell_features=0))
    none = jnp.zeros((len(features), seats))
    return network.apply(params, Inputs(features, none, none if points else None))


@pytest.mark.parametrize("points", [False, True])
@pytest.mark.parametrize(("before", "after"), [(2, 3), (2, 5), (3, 4)])
def test_opponents_that_are_alike_leave_the_values_of_the_seat_as_they_are(before, after, points):
    rng = np.random.default_rng(0)
    old = params_for(before, points, rng)
    options = "" if before == 2 else f"num_players={before}"
    env = jaxgames.make("terra_mystica", num_players=after)
    new, (said,) = with_more_seats(old, {"env_options": options}, env, OF_SEAT)
    assert f"each of {after - 1} opponents" in said
    common, own, other = (rng.normal(size=(6, n)) for n in (COMMON, OF_SEAT, OF_SEAT))
    with_others = [
        np.concatenate([common, own, *[other] * (seats - 1)], axis=1, dtype=np.float32)
        for seats in (before, after)
    ]
    expected = applied(old, before, with_others[0], points)
    found = applied(new, after, with_others[1], points)
    np.testing.assert_allclose(found.values[:, 0], expected.values[:, 0], rtol=1e-4, atol=1e-5)
    if before == 2:
        np.testing.assert_allclose(found.values.sum(axis=1), 0, atol=1e-5)
    if points:
        np.testing.assert_allclose(found.points[:, 0], expected.points[:, 0], rtol=1e-4, atol=1e-5)
        mean = expected.points[:, 1:].mean(axis=1)
        np.testing.assert_allclose(found.points[:, -1], mean, rtol=1e-4, atol=1e-5)


def test_a_network_of_as_many_seats_stays_as_it_is():
    params = params_for(3, True, np.random.default_rng(0))
    env, meta = jaxgames.make("terra_mystica", num_players=3), {"env_options": "num_players=3"}
    assert with_more_seats(params, meta, env, OF_SEAT) == (params, [])
    assert with_more_seats(params, {"env_options": ""}, env, 0) == (params, [])


def test_the_shipped_network_of_tribes_has_the_shape_of_three_tribes():
    env = jaxgames.make("tribes", num_players=3)
    domain = knowledge.afterstate_domain_of(env)
    params, meta = jaxgames.pretrained("tribes")
    found, _ = with_more_seats(params, meta, env, domain.num_seat_features)
    config = AfterstateConfig(**{**meta["network"], "hidden": tuple(meta["network"]["hidden"])})
    wanted = jax.eval_shape(AfterstateNetwork(domain, config).init, jax.random.key(0))
    assert jax.tree.map(jnp.shape, found) == jax.tree.map(jnp.shape, wanted)
