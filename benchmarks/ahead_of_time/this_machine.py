"""The first device of this machine, as the time model sees it."""

import time
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks import limits
from benchmarks.ahead_of_time.targets import H100, H200, V5E, V6E, Chip

KINDS = {"H100": H100, "H200": H200, "TPU v5 lite": V5E, "TPU v6 lite": V6E}
WIDTH = 2048  # of the matrices whose product is timed
KERNEL_SECONDS = 1e-6  # assumed of a device that `KINDS` lacks
MEMORY_BYTES = 16e9  # the same, where the device does not say


def device() -> Any:
    """Returns the device that programs are compiled for and run on."""
    return jax.devices()[0]


def chip() -> Chip:
    """Returns the constants of the device: those of the makers, or else measured ones."""
    kind = device().device_kind
    for name, known in KINDS.items():
        if name in kind:
            return known
    memory = (device().memory_stats() or {}).get("bytes_limit", MEMORY_BYTES)
    most = limits.measure_limits()
    products = _products_per_second()
    return Chip(memory, most.bytes, products, most.operations, KERNEL_SECONDS, None)


def _products_per_second() -> float:
    """Returns the FLOPs a second of products of float32 matrices, the best of several."""
    matrix = jnp.ones((WIDTH, WIDTH))
    product = jax.jit(jnp.matmul)
    seconds = []
    for _ in range(1 + limits.REPEATS):
        started = time.perf_counter()
        jax.block_until_ready(product(matrix, matrix))
        seconds.append(time.perf_counter() - started)
    return 2 * WIDTH**3 / min(seconds[1:])
