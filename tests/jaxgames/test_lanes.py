"""A costly part of a rule is computed for the games that need it, with the same results."""

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.lanes import where_needed


def _square_and_negate(x, pair):
    return {"square": x * x, "pair": (pair[0] - 1, -pair[1])}


def _apply(needed, x, pair, share=1 / 4):
    otherwise = {"square": x, "pair": pair}
    return where_needed(needed, _square_and_negate, otherwise, x, pair, share=share)


def _expected(needed, x, pair):
    square = np.where(needed, x * x, x)
    rows = needed.reshape(needed.shape + (1,) * (pair[1].ndim - needed.ndim))
    return square, np.where(needed, pair[0] - 1, pair[0]), np.where(rows, -pair[1], pair[1])


def _check(result, expected):
    for got, wanted in zip((result["square"], *result["pair"]), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("needed", [True, False])
def test_single_game_computes_it_or_not(needed: bool):
    x, pair = np.int32(3), (np.int32(5), np.arange(2, dtype=np.int32))
    result = jax.jit(_apply)(needed, x, pair)
    _check(result, _expected(np.asarray(needed), x, pair))


@pytest.mark.parametrize("share", [1 / 64, 1 / 8, 1.0])
@pytest.mark.parametrize("chance", [0.0, 0.1, 0.7, 1.0])
def test_batch_has_the_results_of_its_games(chance: float, share: float):
    draw = np.random.default_rng(0)
    lanes = 37
    needed = draw.random(lanes) < chance
    x = np.arange(lanes, dtype=np.int32)
    pair = (x + 100, draw.integers(0, 9, (lanes, 2), np.int32))
    result = jax.jit(jax.vmap(lambda *lane: _apply(*lane, share=share)))(needed, x, pair)
    _check(result, _expected(needed, x, pair))


def test_batches_of_batches_have_the_results_of_their_games():
    draw = np.random.default_rng(1)
    needed = draw.random((3, 5)) < 0.4
    x = draw.integers(0, 9, (3, 5), np.int32)
    pair = (x + 1, draw.integers(0, 9, (3, 5, 2), np.int32))
    result = jax.jit(jax.vmap(jax.vmap(_apply)))(needed, x, pair)
    _check(result, _expected(needed, x, pair))


def test_values_that_all_games_share_are_allowed():
    needed = np.array([True, False, True])
    result = jax.jit(jax.vmap(_apply, in_axes=(0, None, None)))(
        needed, np.int32(4), (np.int32(1), np.arange(2, dtype=np.int32))
    )
    np.testing.assert_array_equal(result["square"], [16, 4, 16])


def test_only_the_games_that_need_it_are_computed():
    """The costly part runs on groups of the batch: no array of the whole batch is in its loop."""
    lanes = 64

    def costly(x):
        return jnp.sin(x).sum()

    def run(needed, x):
        return where_needed(needed, costly, jnp.float32(0), x, share=1 / 16)

    program = jax.make_jaxpr(jax.vmap(run))(np.zeros(lanes, bool), np.zeros((lanes, 7), np.float32))
    shapes = [
        eqn.invars[0].aval.shape for eqn in _equations(program.jaxpr) if eqn.primitive.name == "sin"
    ]
    assert shapes == [(4, 7)]


def _equations(jaxpr):
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in jax.extend.core.jaxprs_in_params(eqn.params):
            yield from _equations(inner)
