"""Positions a second of the batched depth-first search, all lanes together.

    python -m benchmarks.depth_first --devices=2

Every lane searches its own position of a random game. The search is too deep to end during the
measurement, so that all lanes work all the time. Devices share the lanes and nothing else. On a CPU
the benchmark makes `--devices` devices, one for each core in use.
"""

import argparse
import functools
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring

MOST_PLIES = 20  # random plies before a position
LANES = (2, 128, 1024, 4096)
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
    operations: float  # of a node, as XLA counts them


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    parser = make_parser()
    options = parser.parse(arguments)
    flag = f"--xla_force_host_platform_device_count={options.devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    with measuring.user_errors(parser), measuring.without_compilation_cache():
        speeds = [
            measure(options, pruning, bits, lanes)
            for pruning, bits in (("pvs", options.table), ("pvs", None), ("alpha_beta", None))
            for lanes in options.lanes
        ]
        from benchmarks import limits

        machine = limits.measure_limits()
    record = environment.record() | {
        "game": options.game, "depth": options.depth, "seed": options.seed,
    }  # fmt: skip
    numbers = {
        "environment": record,
        "limits of a device": machine._asdict(),
        "speeds": [speed._asdict() for speed in speeds],
    }
    report = render(record, speeds) + "\n".join(bounds(speeds, machine, options.devices)) + "\n"
    measuring.write_result(options.output, report, numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.depth_first",
        "Positions a second of the batched depth-first search.",
    )
    parser.add_argument("--game", default="murus_gallicus")
    parser.add_argument("--depth", type=measuring.positive, default=9, help="plies looked ahead")
    parser.add_argument(
        "--table", type=measuring.positive, default=12, help="2^TABLE entries for each lane"
    )
    parser.add_argument("--lanes", type=measuring.positive, nargs="+", default=LANES)
    parser.add_argument(
        "--devices", type=measuring.positive, default=1, help="devices that share the lanes (CPU)"
    )
    parser.add_argument("--repeats", type=measuring.positive, default=5)
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "speed/depth_first")
    return parser


def measure(options: argparse.Namespace, pruning: Any, table_bits: int | None, lanes: int) -> Speed:
    """Returns the speed of one kind of search with one number of lanes.

    Raises:
        ValueError: for an unknown game, or lanes that the devices cannot share equally.
    """
    import jax
    import jax.numpy as jnp

    import jaxgames
    from benchmarks.positions import random_positions
    from jaxgames.players.knowledge import integer_score_of, tactics_of
    from jaxgames.search.depth_first.search import DepthFirst

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
    def split(progress: Any) -> Any:
        table = progress.table
        return (
            progress
            if table is None
            else progress._replace(table=table._replace(age=table.age[None]))
        )

    def joined(progress: Any) -> Any:
        table = progress.table
        return (
            progress if table is None else progress._replace(table=table._replace(age=table.age[0]))
        )

    def start(params: Any, state: Any, key: Any) -> Any:
        return split(
            search.start(params, state, jax.random.fold_in(key, jax.lax.axis_index("lanes")))
        )

    def advance(params: Any, progress: Any) -> Any:
        return split(search.advance(params, joined(progress), steps))

    lanes_spec = jax.P("lanes")
    begin = jax.jit(share(start, in_specs=(lanes_spec, lanes_spec, jax.P())))
    go_on = jax.jit(share(advance, in_specs=(lanes_spec, lanes_spec)), donate_argnums=1)
    state = random_positions(env.rules, lanes, options.seed, MOST_PLIES)
    progress = begin(params, state, jax.random.key(options.seed))
    started = time.perf_counter()
    compiled = go_on.lower(params, progress).compile()
    compile_seconds = time.perf_counter() - started
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(progress))
    # XLA counts the work of one device, and the body of a loop once.
    cost: Any = compiled.cost_analysis()
    operations = cost["flops"] * len(devices) / lanes

    progress = jax.block_until_ready(compiled(params, progress))
    speeds, first = [], int(progress.statistics.nodes.sum())
    for _ in range(options.repeats):
        before = int(progress.statistics.nodes.sum())
        started = time.perf_counter()
        progress = jax.block_until_ready(compiled(params, progress))
        seconds = time.perf_counter() - started
        speeds.append((int(progress.statistics.nodes.sum()) - before) / seconds)
    made = int(progress.statistics.nodes.sum()) - first
    busy = made / (options.repeats * steps * lanes)
    return Speed(
        pruning,
        table_bits,
        lanes,
        speeds,
        busy,
        compile_seconds,
        size // lanes,
        operations=operations / busy,
    )


def render(record: Mapping[str, Any], speeds: Sequence[Speed]) -> str:
    """Returns the result file."""
    lines = ["In brackets the slowest and the fastest repeat.", ""]
    header = [
        "search",
        "lanes",
        "nodes/s",
        "nodes a lane and loop step",
        "compiles in",
        "KB a lane",
    ]
    rows = []
    for speed in speeds:
        middle, low, high = measuring.spread(speed.nodes)
        table = "" if speed.table_bits is None else f", table of 2^{speed.table_bits}"
        rows.append(
            [
                speed.pruning + table,
                speed.lanes,
                f"{middle / 1e6:.3f} M ({low / 1e6:.3f}-{high / 1e6:.3f})",
                f"{speed.busy:.2f}",
                f"{speed.compile_seconds:.1f} s",
                f"{speed.bytes_per_lane / 1024:.1f}",
            ]
        )
    lines += measuring.table(header, rows)
    return measuring.page(f"Depth-first search: {record['game']}", record, lines)


def bounds(speeds: Sequence[Speed], machine: Any, devices: int) -> list[str]:
    """Returns lines that compare the fastest search with a table to the limits of the machine."""
    fastest = max(
        (speed for speed in speeds if speed.table_bits is not None),
        key=lambda speed: measuring.spread(speed.nodes).median,
    )
    nodes = measuring.spread(fastest.nodes).median
    rate, limit = fastest.operations * nodes, devices * machine.operations
    return [
        "",
        "## What bounds it",
        "",
        f"{fastest.pruning} with a table, {fastest.lanes} lanes: XLA counts "
        f"{fastest.operations:,.0f} operations a node, {rate / 1e9:.1f} G a second. All devices "
        f"together can do {limit / 1e9:.1f} G (`benchmarks/limits.py`, measured in this run), so "
        f"arithmetic takes {rate / limit:.0%} of the time. The rest goes into the many small loops "
        "of a loop step, and into reading and writing scattered rows of stacks and tables.",
    ]


if __name__ == "__main__":
    command_line.run(main)
