"""The first device of this machine, as the time model sees it."""

import math
import os
import time
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks import limits
from benchmarks.ahead_of_time.targets import H100, H200, V5E, V6E, Chip

# Whole names, since other chips have similar ones: a GH200, an H100 with PCIe, a part of an H100.
KINDS = {
    "NVIDIA H100 80GB HBM3": H100,
    "NVIDIA H200": H200,
    "TPU v5 lite": V5E,
    "TPU v5e": V5E,
    "TPU v6 lite": V6E,
    "TPU v6e": V6E,
}
WIDTH = 2048  # of the matrices whose product is timed
KERNEL_SECONDS = 1e-6  # assumed of a device that `KINDS` lacks


def device() -> Any:
    """Returns the device that programs are compiled for and run on."""
    return jax.devices()[0]


def chip() -> Chip:
    """Returns the constants of the device: those of the makers, or else measured ones."""
    found = device()
    if found.device_kind in KINDS:
        return KINDS[found.device_kind]
    most = limits.measure_limits()
    products = "float32" if found.platform == "cpu" else "bfloat16"  # as in `programs.py`
    return Chip(
        memory_bytes=_memory_bytes(found),
        bytes_per_second=most.bytes,
        flops_per_second=_products_per_second(products),
        operations_per_second=most.operations,
        kernel_seconds=KERNEL_SECONDS,
        operations_from="measured",
        products=products,
    )


def _memory_bytes(found: Any) -> float:
    """Returns the memory that JAX may use on a device, of a CPU all memory; infinite if unknown."""
    stats = found.memory_stats() or {}
    if "bytes_limit" in stats:
        return float(stats["bytes_limit"])
    if found.platform == "cpu" and "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return math.inf


def _products_per_second(dtype: str) -> float:
    """Returns the FLOPs a second of products of matrices of a type, the best of several."""
    matrix = jnp.ones((WIDTH, WIDTH), dtype)
    product = jax.jit(jnp.matmul)
    seconds = []
    for _ in range(1 + limits.REPEATS):
        started = time.perf_counter()
        jax.block_until_ready(product(matrix, matrix))
        seconds.append(time.perf_counter() - started)
    return 2 * WIDTH**3 / min(seconds[1:])
