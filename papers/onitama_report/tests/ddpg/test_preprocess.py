"""The layers that actors and critic share."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from papers.onitama_report.ddpg.preprocess import Convolution


def test_convolution_is_the_usual_one_and_normalised():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(6, 5, 5, 3)), jnp.float32)
    module = Convolution(3, 4, nnx.Rngs(0))
    kernel = module.kernel.kernel[...].reshape(3, 3, 3, 4)
    plain = jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    module.train()
    wanted = (plain - plain.mean(axis=(0, 1, 2))) / jnp.sqrt(plain.var(axis=(0, 1, 2)) + 1e-5)
    np.testing.assert_allclose(module(x), wanted, rtol=1e-4, atol=1e-4)
