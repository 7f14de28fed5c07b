"""Positions a second of the batched depth-first search, all lanes together.

    python -m benchmarks.depth_first --devices=2

Every lane searches its own position of a random game. The search is too deep to end during the
measurement, so that all lanes work all the time. Devices share the lanes and nothing else. On a CPU
the benchmark makes `--devices` devices, one for each core in use.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("depth_first")

import argparse
import functools
import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxgames
from benchmarks import measuring
from benchmarks.commands import Report
from benchmarks.positions import random_positions
from jaxgames.players.knowledge import integer_score_of, tactics_of
from jaxgames.search.depth_first.search import DepthFirst

MOST_PLIES = 20  # random plies before a position
LOOP_STEPS = {2: 4000, 128: 1500, 1024: 300, 4096: 75}  # of one repeat, by lanes
USUAL_LOOP_STEPS = 100


class Speed(NamedTuple):
    """The speed of one kind of search with one number of lanes."""

    pruning: str
    table_bits: int | None
    lanes: int
    nodes: Sequence[float]  # nodes a second, by repeat
    busy: float  # nodes a lane and loop step
    compile_seconds: float
    bytes_per_lane: int  # of the carried arrays, tables included


@measuring.without_compilation_cache()
def measure(options: argparse.Namespace) -> Report:
    """Measures all kinds of search with all numbers of lanes.

    Raises:
        ValueError: for an unknown game, or lanes that the devices cannot share equally.
    """
    flag = f"--xla_force_host_platform_device_count={options.devices}"  # read when JAX starts
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    speeds = [
        measure_search(options, pruning, bits, lanes)
        for pruning, bits in (("pvs", options.table), ("pvs", None), ("alpha_beta", None))
        for lanes in options.lanes
    ]
    return Report(
        f"Depth-first search: {options.game}",
        render(speeds),
        {"speeds": [speed._asdict() for speed in speeds]},
        {"game": options.game, "depth": options.depth, "seed": options.seed},
    )


def measure_search(
    options: argparse.Namespace, pruning: Any, table_bits: int | None, lanes: int
) -> Speed:
    """Returns the speed of one kind of search with one number of lanes."""
    env = jaxgames.make(options.game)
    score, one = integer_score_of(env)
    params = jax.tree.map(lambda x: jnp.broadcast_to(x, (lanes, *jnp.shape(x))), one)
    tactics = tactics_of(env)
    search = DepthFirst(env.rules, score, options.depth, pruning, table_bits, tactics=tactics)
    devices = jax.devices()
    if lanes % len(devices):
        raise ValueError(f"{lanes} lanes cannot be shared equally by {len(devices)} devices")
    mesh = jax.sharding.Mesh(devices, ("lanes",))
    share = functools.partial(jax.shard_map, mesh=mesh, out_specs=jax.P("lanes"), check_vma=False)
    steps = LOOP_STEPS.get(lanes, USUAL_LOOP_STEPS)

    # The age of a table is one number for all lanes; sharing the lanes takes one for each device.
    def with_age(progress: Any, index: Any) -> Any:
        table = progress.table
        if table is None:
            return progress
        return progress._replace(table=table._replace(age=table.age[index]))

    def start(params: Any, state: Any, key: Any) -> Any:
        own_key = jax.random.fold_in(key, jax.lax.axis_index("lanes"))
        return with_age(search.start(params, state, own_key), None)

    def advance(params: Any, progress: Any) -> Any:
        return with_age(search.advance(params, with_age(progress, 0), steps), None)

    lanes_spec = jax.P("lanes")
    begin = jax.jit(share(start, in_specs=(lanes_spec, lanes_spec, jax.P())))
    go_on = jax.jit(share(advance, in_specs=(lanes_spec, lanes_spec)), donate_argnums=1)
    state = random_positions(env.rules, lanes, options.seed, MOST_PLIES)
    progress = begin(params, state, jax.random.key(options.seed))
    started = time.perf_counter()
    compiled = go_on.lower(params, progress).compile()
    compile_seconds = time.perf_counter() - started
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(progress))

    progress = jax.block_until_ready(compiled(params, progress))
    counts, speeds = [int(progress.statistics.nodes.sum())], []
    for _ in range(options.repeats):
        started = time.perf_counter()
        progress = jax.block_until_ready(compiled(params, progress))
        seconds = time.perf_counter() - started
        counts.append(int(progress.statistics.nodes.sum()))
        speeds.append((counts[-1] - counts[-2]) / seconds)
    busy = (counts[-1] - counts[0]) / (options.repeats * steps * lanes)
    return Speed(pruning, table_bits, lanes, speeds, busy, compile_seconds, size // lanes)


def render(speeds: Sequence[Speed]) -> list[str]:
    """Returns the lines of the record."""
    rows = [
        [
            speed.pruning + (f", table of 2^{speed.table_bits}" if speed.table_bits else ""),
            speed.lanes,
            measuring.spread(speed.nodes, 1e-6).text(".3f"),
            f"{speed.busy:.2f}",
            f"{speed.compile_seconds:.1f} s",
            f"{speed.bytes_per_lane / 1024:.1f}",
        ]
        for speed in speeds
    ]
    header = ["search", "lanes", "M nodes/s", "nodes a lane and loop step", "compiles in"]
    return [
        "In brackets the slowest and the fastest repeat.",
        "",
        *measuring.table([*header, "KB a lane"], rows),
    ]
