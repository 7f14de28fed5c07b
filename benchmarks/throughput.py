"""Steps per second of random legal play with auto-reset, for batches from 1 to 2^20.

    python -m benchmarks.throughput --game=onitama --peers

`benchmarks/rollouts.py` describes the timed programs. With `--peers`, games of pgx are measured in
the same run, each at its own best batch, and the ratios are printed.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring

if TYPE_CHECKING:
    from benchmarks.rollouts import Program

BATCHES = tuple(4**k for k in range(11))  # 1 ... 2^20
PEER_MODES = ("lean", "full", "plain")  # of `rollouts.py`, which needs JAX
MODES = (*PEER_MODES, "versus")
PEERS = ("connect_four", "animal_shogi")
STEPS = 64  # of a chunk; a game of Onitama takes 36, so a set-up of the reset pool serves twice
MIN_SECONDS = 0.05  # of a repeat: short chunks are called several times
MAX_CHUNK_SECONDS = 5.0  # a batch is left out if one call would take longer ...
MAX_BYTES = 2**31  # ... or if its states would take more memory


class Row(NamedTuple):
    """One measurement: steps/s over several repeats."""

    program: str
    batch: int
    median: float
    lowest: float
    highest: float
    compile_seconds: float
    completing: float = 1.0
    """Share of the steps that completed an action of the game."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    options = make_parser().parse(arguments)
    from benchmarks import rollouts

    started = time.perf_counter()
    record = environment.record()
    programs = [rollouts.own(options.game, mode) for mode in options.modes]
    if options.peers is not None:
        names = options.peers or PEERS
        modes = [mode for mode in options.modes if mode in PEER_MODES]
        programs += [rollouts.peer(name, mode) for name in names for mode in modes]
    rows = []
    with measuring.without_compilation_cache():
        for program in programs:
            rows += measure_batches(program, options)
    record |= {
        "seed": options.seed,
        "steps per chunk": options.steps,
        "repeats": options.repeats,
        "seconds": round(time.perf_counter() - started),
    }
    bytes_of_state = {program.name: program.state_bytes() for program in programs}
    report = render(record, rows, bytes_of_state)
    if "lean" in options.modes:
        report += render_limits(options.game, best(rows)[programs[0].name])
    numbers = {
        "environment": record,
        "state_bytes": bytes_of_state,
        "rows": [row._asdict() for row in rows],
    }
    measuring.write_result(options.output, report, numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.throughput",
        "Steps per second of random play.",
    )
    parser.add_argument("--game", default="onitama", help="id of a game (default: %(default)s)")
    parser.add_argument(
        "--peers",
        nargs="*",
        metavar="GAME",
        help=f"also measure games of pgx (default: {' '.join(PEERS)})",
    )
    parser.add_argument(
        "--batches", nargs="+", type=measuring.positive, default=BATCHES, help="batch sizes"
    )
    parser.add_argument("--modes", nargs="+", choices=MODES, default=PEER_MODES)
    parser.add_argument(
        "--steps", type=measuring.positive, default=STEPS, help="steps of one compiled call"
    )
    parser.add_argument(
        "--repeats", type=measuring.positive, default=7, help="timed repeats of each measurement"
    )
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "speed/throughput_{game}")
    return parser


def measure_batches(program: "Program", options: argparse.Namespace) -> list[Row]:
    """Measures a program at all batch sizes that are not too slow or too large."""
    rows: list[Row] = []
    for batch in sorted(options.batches):
        seconds = batch * options.steps / rows[-1].median if rows else 0.0
        if seconds > MAX_CHUNK_SECONDS or batch * program.state_bytes() > MAX_BYTES:
            break
        row = measure(program, batch, options.steps, options.repeats, options.seed)
        print(f"{row.program:32s} batch {batch:8d}  {row.median:14,.0f} steps/s", flush=True)
        rows.append(row)
    return rows


def measure(program: "Program", batch: int, steps: int, repeats: int, seed: int) -> Row:
    """Compiles one chunk, calls it once unmeasured and then `repeats` times."""
    import jax

    init_key, warm_key, *keys = jax.random.split(jax.random.key(seed), 2 + repeats)
    states = jax.jit(program.init, static_argnums=1)(init_key, batch)
    started = time.perf_counter()
    chunk = jax.jit(program.chunk(batch, steps)).lower(states, warm_key).compile()
    compile_seconds = time.perf_counter() - started
    jax.block_until_ready(chunk(states, warm_key))  # the first call allocates
    once = _seconds(lambda: jax.block_until_ready(chunk(states, warm_key)))
    calls = max(1, round(MIN_SECONDS / once))

    rates = []
    for key in keys:

        def run(key: Any = key) -> None:
            for _ in range(calls):
                result = chunk(states, key)
            jax.block_until_ready(result)

        rates.append(calls * batch * steps / _seconds(run))
    return Row(
        program.name,
        batch,
        statistics.median(rates),
        min(rates),
        max(rates),
        compile_seconds,
        _completing(program, chunk(states, warm_key), batch * steps),
    )


def _completing(program: "Program", result: Any, steps: int) -> float:
    is_counted = program.project == "jaxgames" and program.mode == "lean"
    return float(result[0]) / steps if is_counted else 1.0


def best(rows: list[Row]) -> dict[str, Row]:
    """Returns for each program its fastest row (by the median of the repeats)."""
    result: dict[str, Row] = {}
    for row in rows:
        if row.program not in result or row.median > result[row.program].median:
            result[row.program] = row
    return result


def render(record: dict[str, Any], rows: list[Row], bytes_of_state: dict[str, int]) -> str:
    """Returns the result file."""
    lines = ["# Throughput of random play", "", environment.markdown(record), ""]
    lines += [
        "Steps/s are the median of the repeats, with the lowest and the highest. The modes "
        "are defined in `benchmarks/rollouts.py`.",
        "",
        "| program | best batch | steps/s | lowest | highest | bytes of state |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    fastest = best(rows)
    for name, row in fastest.items():
        rates = " | ".join(_millions(rate) for rate in (row.median, row.lowest, row.highest))
        lines.append(f"| {name} | {row.batch} | {rates} | {bytes_of_state[name]} |")
    lines += ["", *_actions(fastest), *_ratios(fastest), "## All batches", ""]
    lines += [
        "| program | batch | steps/s | lowest | highest | compile s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        rates = " | ".join(_millions(rate) for rate in (row.median, row.lowest, row.highest))
        lines.append(f"| {row.program} | {row.batch} | {rates} | {row.compile_seconds:.2f} |")
    return "\n".join(lines) + "\n"


def _actions(fastest: dict[str, Row]) -> list[str]:
    """Returns actions/s of the programs in which an action may take more than one step."""
    return [
        f"{row.program}: {row.completing:.1%} of the steps complete an action, "
        f"{row.median * row.completing:,.0f} actions/s.\n"
        for row in fastest.values()
        if row.completing < 1
    ]


def _ratios(fastest: dict[str, Row]) -> list[str]:
    own = {_mode(row): row for name, row in fastest.items() if name.startswith("jaxgames")}
    peers = [row for name, row in fastest.items() if not name.startswith("jaxgames")]
    pairs = [(row, peer) for mode, row in own.items() for peer in peers if _mode(peer) == mode]
    if "versus" in own and "plain" in own:
        pairs.append((own["versus"], own["plain"]))
    if not pairs:
        return []
    lines = ["Ratios, each program at its own best batch:", "", "| | ratio |", "| --- | --- |"]
    for row, other in pairs:
        ratio = row.median / other.median
        digits = 2 if ratio < 1 else 1
        lines.append(f"| {row.program} : {other.program} | {ratio:.{digits}f} |")
    return [*lines, ""]


def _mode(row: Row) -> str:
    return row.program.rpartition(", ")[2]


def render_limits(game: str, row: Row) -> str:
    """Returns the section that compares random play of a game to the limits of the machine."""
    import jaxgames
    from benchmarks import limits

    cost = limits.cost_of_step(jaxgames.make(game).rules, row.batch)
    machine = limits.measure_limits()
    share = limits.shares(cost, machine, row.median)
    lines = [
        "",
        "## What bounds it",
        "",
        f"{row.program}, batch {row.batch}. Bytes and operations are what XLA counts in a step and "
        "the choice of the next action; the machine's limits were measured in this run "
        "(`benchmarks/limits.py`). Bytes that stay in a cache count in full, and an operation on 8 "
        "bits counts as one on 32 bits; therefore a share can be above 100%.",
        "",
        "| | a step | reached, a second | of the machine | share |",
        "| --- | --- | --- | --- | --- |",
        f"| bytes moved | {cost.bytes:,.0f} | {cost.bytes * row.median / 1e9:.2f} GB "
        f"| {machine.bytes / 1e9:.2f} GB | {share.bytes:.0%} |",
        f"| operations | {cost.operations:,.0f} | {cost.operations * row.median / 1e9:.2f} G "
        f"| {machine.operations / 1e9:.2f} G | {share.operations:.0%} |",
    ]
    return "\n".join(lines) + "\n"


def _seconds(function: Any) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _millions(rate: float) -> str:
    return f"{rate / 1e6:,.4g} M"


if __name__ == "__main__":
    command_line.run(main)
