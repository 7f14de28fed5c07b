"""Steps per second of random legal play with auto-reset, for batches from 1 to 2^20.

    python -m benchmarks.throughput --game=onitama --peers

`benchmarks/rollouts.py` describes the timed programs. With `--peers`, games of pgx are measured in
the same run, each at its own best batch, and the ratios are printed.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("throughput")

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

import jaxgames
from benchmarks import limits, measuring, rollouts
from benchmarks.commands import Report
from benchmarks.rollouts import Program

PEERS = ("connect_four", "animal_shogi")
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

    @property
    def mode(self) -> str:
        """The way of playing, such as `lean`."""
        return self.program.rpartition(", ")[2]

    @property
    def rates(self) -> list[str]:
        """The cells of a table: the median, the lowest and the highest rate."""
        return [f"{rate / 1e6:,.4g} M" for rate in (self.median, self.lowest, self.highest)]


@measuring.without_compilation_cache()
def measure(options: argparse.Namespace) -> Report:
    """Measures all programs at all batch sizes."""
    started = time.perf_counter()
    programs = [rollouts.own(options.game, mode) for mode in options.modes]
    if options.peers is not None:
        modes = [mode for mode in options.modes if mode in rollouts.PEER_MODES]
        names = options.peers or PEERS
        programs += [rollouts.peer(name, mode) for name in names for mode in modes]
    rows = [row for program in programs for row in measure_batches(program, options)]
    bytes_of_state = {program.name: program.state_bytes() for program in programs}
    lines = render(rows, bytes_of_state)
    if "lean" in options.modes:
        lines += bounds(options.game, best(rows)[programs[0].name])
    return Report(
        "Throughput of random play",
        lines,
        {"state_bytes": bytes_of_state, "rows": [row._asdict() for row in rows]},
        {
            "seed": options.seed,
            "steps per chunk": options.steps,
            "repeats": options.repeats,
            "seconds": round(time.perf_counter() - started),
        },
    )


def measure_batches(program: Program, options: argparse.Namespace) -> list[Row]:
    """Measures a program at all batch sizes that are not too slow or too large."""
    rows: list[Row] = []
    for batch in sorted(options.batches):
        seconds = batch * options.steps / rows[-1].median if rows else 0.0
        if seconds > MAX_CHUNK_SECONDS or batch * program.state_bytes() > MAX_BYTES:
            break
        row = measure_batch(program, batch, options.steps, options.repeats, options.seed)
        print(f"{row.program:32s} batch {batch:8d}  {row.median:14,.0f} steps/s", flush=True)
        rows.append(row)
    return rows


def measure_batch(program: Program, batch: int, steps: int, repeats: int, seed: int) -> Row:
    """Compiles one chunk, calls it once unmeasured and then `repeats` times."""
    init_key, warm_key, *keys = jax.random.split(jax.random.key(seed), 2 + repeats)
    states = jax.jit(program.init, static_argnums=1)(init_key, batch)
    started = time.perf_counter()
    chunk = jax.jit(program.chunk(batch, steps)).lower(states, warm_key).compile()
    compile_seconds = time.perf_counter() - started
    result = jax.block_until_ready(chunk(states, warm_key))  # the first call allocates
    once = _seconds(lambda: jax.block_until_ready(chunk(states, warm_key)))
    calls = max(1, round(MIN_SECONDS / once))
    rates = []
    for key in keys:

        def run(key: Any = key) -> None:
            for _ in range(calls):
                result = chunk(states, key)
            jax.block_until_ready(result)

        rates.append(calls * batch * steps / _seconds(run))
    is_counted = program.project == "jaxgames" and program.mode == "lean"
    completing = float(result[0]) / (batch * steps) if is_counted else 1.0
    return Row(program.name, batch, *measuring.spread(rates), compile_seconds, completing)


def _seconds(function: Callable[[], Any]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def best(rows: list[Row]) -> dict[str, Row]:
    """Returns for each program its fastest row (by the median of the repeats)."""
    result: dict[str, Row] = {}
    for row in rows:
        if row.program not in result or row.median > result[row.program].median:
            result[row.program] = row
    return result


def render(rows: list[Row], bytes_of_state: dict[str, int]) -> list[str]:
    """Returns the lines of the record."""
    fastest = best(rows)
    spread = ["steps/s", "lowest", "highest"]
    return [
        "Steps/s are the median of the repeats, with the lowest and the highest. The modes "
        "are defined in `benchmarks/rollouts.py`.",
        "",
        *measuring.table(
            ["program", "best batch", *spread, "bytes of state"],
            [[name, row.batch, *row.rates, bytes_of_state[name]] for name, row in fastest.items()],
        ),
        "",
        *(
            f"{row.program}: {row.completing:.1%} of the steps complete an action, "
            f"{row.median * row.completing:,.0f} actions/s.\n"
            for row in fastest.values()
            if row.completing < 1
        ),
        *_ratios(fastest),
        "## All batches",
        "",
        *measuring.table(
            ["program", "batch", *spread, "compile s"],
            [[row.program, row.batch, *row.rates, f"{row.compile_seconds:.2f}"] for row in rows],
        ),
    ]


def _ratios(fastest: dict[str, Row]) -> list[str]:
    own = {row.mode: row for name, row in fastest.items() if name.startswith("jaxgames")}
    peers = [row for name, row in fastest.items() if not name.startswith("jaxgames")]
    pairs = [(row, peer) for mode, row in own.items() for peer in peers if peer.mode == mode]
    if "versus" in own and "plain" in own:
        pairs.append((own["versus"], own["plain"]))
    if not pairs:
        return []
    cells = []
    for row, other in pairs:
        ratio = row.median / other.median
        cells.append([f"{row.program} : {other.program}", f"{ratio:.{2 if ratio < 1 else 1}f}"])
    heading = "Ratios, each program at its own best batch:"
    return [heading, "", *measuring.table(["", "ratio"], cells), ""]


def bounds(game: str, row: Row) -> list[str]:
    """Returns the section that compares random play of a game to the limits of the machine."""
    cost = limits.cost_of_step(jaxgames.make(game).rules, row.batch)
    machine = limits.measure_limits()
    share = limits.shares(cost, machine, row.median)
    cells = [
        [
            what,
            f"{getattr(cost, name):,.0f}",
            f"{getattr(cost, name) * row.median / 1e9:.2f} {unit}",
            f"{getattr(machine, name) / 1e9:.2f} {unit}",
            f"{getattr(share, name):.0%}",
        ]
        for what, name, unit in (("bytes moved", "bytes", "GB"), ("operations", "operations", "G"))
    ]
    return [
        "",
        "## What bounds it",
        "",
        f"{row.program}, batch {row.batch}. Bytes and operations are what XLA counts in a step and "
        "the choice of the next action; the machine's limits were measured in this run "
        "(`benchmarks/limits.py`). Bytes that stay in a cache count in full, and an operation on 8 "
        "bits counts as one on 32 bits; therefore a share can be above 100%.",
        "",
        *measuring.table(["", "a step", "reached, a second", "of the machine", "share"], cells),
    ]
