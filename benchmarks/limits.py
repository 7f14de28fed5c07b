"""What bounds a compiled program: its operations and bytes beside the limits of the machine.

XLA counts operations and bytes in the compiled program (`cost_analysis`): element-wise operations
of any type, and the operands and results of each fused loop, even if they stay in a cache. Two
small programs measure the limits of the machine: one only moves bytes, the other only calculates.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxgames

COPY_WORDS = 2**26  # 256 MiB, far above any cache
CHAIN = 256  # dependent operations on each word
CHAIN_WORDS = 2**20
REPEATS = 5


class Limits(NamedTuple):
    """The most that the machine reached, in units a second."""

    bytes: float
    """Bytes read and written by a pass over an array far larger than the caches."""
    operations: float
    """32-bit integer operations on an array that stays in cache."""


class Cost(NamedTuple):
    """The cost of one step of one game, as XLA counts it."""

    bytes: float
    operations: float


def measure_limits() -> Limits:
    """Returns the best of `REPEATS` repeats of both programs."""
    large = jnp.zeros((COPY_WORDS,), jnp.uint32)
    small = jnp.arange(CHAIN_WORDS, dtype=jnp.uint32)

    def chain(x: jax.Array) -> jax.Array:
        for step in range(CHAIN // 2):
            x = (x ^ jnp.uint32(0x9E3779B9 + step)) + jnp.uint32(step)
        return x

    # In place: writing to fresh memory would measure how fast the system hands out pages.
    copied = 2 * large.nbytes / _best_seconds(lambda x: x + 1, large)
    return Limits(copied, CHAIN * CHAIN_WORDS / _best_seconds(chain, small))


def cost_of_step(rules: jaxgames.Rules, batch: int) -> Cost:
    """Returns the cost of a step of random play: the step, and the choice of the next action."""

    def step(games: Any, actions: jax.Array, words: jax.Array, keys: jax.Array) -> Any:
        games = jax.vmap(rules.step)(games, actions, keys)
        return games, jax.vmap(rules.sample_action)(games, words)

    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), batch))
    games = jax.eval_shape(jax.vmap(rules.init), keys)
    actions = jax.ShapeDtypeStruct((batch,), jnp.int32)
    words = jax.ShapeDtypeStruct((batch,), jnp.uint32)
    counted: Any = jax.jit(step).lower(games, actions, words, keys).compile().cost_analysis()
    return Cost(counted["bytes accessed"] / batch, counted["flops"] / batch)


def shares(cost: Cost, limits: Limits, rate: float) -> Cost:
    """Returns the shares of the machine's limits that `rate` steps a second use."""
    return Cost(cost.bytes * rate / limits.bytes, cost.operations * rate / limits.operations)


def _best_seconds(function: Callable[[jax.Array], jax.Array], array: jax.Array) -> float:
    in_place = jax.jit(function, donate_argnums=0)
    array = in_place(array).block_until_ready()
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        array = in_place(array).block_until_ready()
        seconds.append(time.perf_counter() - started)
    return min(seconds)
