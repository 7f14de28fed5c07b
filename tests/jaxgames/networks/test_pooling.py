"""The largest of many numbers: the value of `max`, and a gradient that nothing can make NaN."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.networks.pooling import largest


def test_the_value_and_the_gradient_are_those_of_max_where_one_number_is_the_largest():
    x = jax.random.normal(jax.random.key(0), (3, 4, 5, 2))
    for axes in ((1, 2), (0,), (1, 3)):
        np.testing.assert_array_equal(largest(x, axes), x.max(axis=axes))
        weights = jax.random.normal(jax.random.key(1), x.max(axis=axes).shape)
        ours = jax.jit(jax.grad(lambda y, a=axes, w=weights: (w * largest(y, a)).sum()))(x)
        usual = jax.grad(lambda y, a=axes, w=weights: (w * y.max(axis=a)).sum())(x)
        np.testing.assert_array_equal(ours, usual)
        lanes = jax.vmap(lambda y: largest(y, (0, 1)))(x)
        np.testing.assert_array_equal(lanes, x.max(axis=(1, 2)))


def test_one_of_equal_numbers_has_the_gradient_and_nothing_is_divided():
    gradient = jax.grad(lambda y: largest(y, (0, 1)).sum())(jnp.zeros((2, 3, 1)))
    np.testing.assert_array_equal(gradient.ravel(), [1, 0, 0, 0, 0, 0])
    text = jax.jit(jax.grad(lambda y: largest(y, (0, 1)).sum())).lower(jnp.zeros((2, 3, 1)))
    assert "divide" not in text.as_text()
