"""How a tree search grows with its simulations and with the number of actions: mctx and ours.

    python -m benchmarks.search_scaling

Both search the same positions of an artificial game (`benchmarks/wide_game.py`) with the same
noise. Game and evaluator cost next to nothing, so this measures the trees alone. The programs of
one width run in turns. Memory is what the compiled program needs beside its arguments.
"""

import functools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agents import command_line
from benchmarks import environment, measuring

WIDTHS = (202, 2143)  # numbers of actions of Onitama and of Terra Mystica
LANES = {202: 128, 2143: 16}
SIMULATIONS = (16, 32, 128, 400)
MEMORY_WIDTH, MEMORY_SIMULATIONS, MEMORY_LANES = 2143, 128, 16
LARGE_WIDTH, LARGE_SIMULATIONS, LARGE_LANES = 2143, 800, 128  # published for Terra Mystica
FEW = 128  # children that a node keeps, if it does not keep all actions


class Times(NamedTuple):
    """Seconds of one search of all lanes, by repeat, for each engine and number of simulations."""

    width: int
    lanes: int
    seconds: Mapping[tuple[str, int], Sequence[float]]

    def per_simulation(self, engine: str, simulations: int) -> measuring.Spread:
        """Returns microseconds of one simulation of one lane."""
        scale = 1e6 / (self.lanes * simulations)
        middle, low, high = measuring.spread(self.seconds[engine, simulations])
        return measuring.Spread(scale * middle, scale * low, scale * high)

    def speedup(self, simulations: int) -> float:
        """Returns how many times as fast ours is: the median of the ratios within the repeats."""
        pairs = zip(
            self.seconds["mctx", simulations], self.seconds["tree", simulations], strict=True
        )
        return statistics.median(slow / fast for slow, fast in pairs)

    def growth(self, engine: str) -> float:
        """Returns the time of a simulation in the longest search by that in the shortest."""
        counts = [count for name, count in self.seconds if name == engine]
        least, most = min(counts), max(counts)
        pairs = zip(self.seconds[engine, most], self.seconds[engine, least], strict=True)
        return statistics.median(long / short * least / most for long, short in pairs)


class Memory(NamedTuple):
    """Bytes of one compiled search beside its arguments."""

    engine: str
    max_children: int
    total: int


class Large(NamedTuple):
    """One search of published size."""

    max_children: int
    bytes: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the benchmark and writes its record."""
    options = make_parser().parse(arguments)
    times = [
        measure_times(width, options.lanes or LANES[width], options.repeats, options.seed)
        for width in WIDTHS
    ]
    memory = [
        measure_memory("mctx", MEMORY_WIDTH),
        measure_memory("tree", MEMORY_WIDTH),
        measure_memory("mctx", FEW),
        measure_memory("tree", FEW),
    ]
    large = [measure_large(max_children, options.seed) for max_children in (LARGE_WIDTH, FEW)]
    record = environment.record() | {"seed": options.seed, "repeats": options.repeats}
    numbers = {
        "environment": record,
        "times": [
            {
                "width": found.width,
                "lanes": found.lanes,
                "seconds": {f"{name} {count}": s for (name, count), s in found.seconds.items()},
            }
            for found in times
        ],
        "memory": [found._asdict() for found in memory],
        "large": [found._asdict() for found in large],
    }
    measuring.write_result(options.output, render(record, times, memory, large), numbers)


def make_parser() -> measuring.Parser:
    """Returns the command line; needs no JAX, so `--help` is instant."""
    parser = measuring.Parser(
        "benchmarks.search_scaling",
        description="Time and memory of a simulation as trees and action spaces grow.",
    )
    parser.add_argument(
        "--lanes",
        type=measuring.positive,
        help="games at once (default: 128 with 202 actions, 16 with 2,143)",
    )
    parser.add_argument("--repeats", type=measuring.positive, default=5)
    parser.add_argument("--seed", type=measuring.seed, default=0)
    measuring.add_output(parser, "speed/search_scaling")
    return parser


def measure_times(width: int, lanes: int, repeats: int, seed: int) -> Times:
    """Times searches of all lengths by both engines, in turns."""
    import jax

    state, key = _positions(width, lanes, seed), jax.random.key(seed + 1)
    work = {
        (engine, count): functools.partial(_search(engine, width, count, width), state, key)
        for count in SIMULATIONS
        for engine in ("mctx", "tree")
    }
    return Times(width, lanes, measuring.time_in_turns(work, repeats))


def measure_memory(engine: str, max_children: int) -> Memory:
    """Returns the memory of one search of `MEMORY_LANES` games."""
    import jax

    from benchmarks.selfplay_programs import memory

    state = _positions(MEMORY_WIDTH, MEMORY_LANES, 0)
    search = _search(engine, MEMORY_WIDTH, MEMORY_SIMULATIONS, max_children)
    needed = memory(search, state, jax.random.key(0))
    return Memory(engine, max_children, needed["temp"] + needed["output"])


def measure_large(max_children: int, seed: int) -> Large:
    """Runs one search of published size by our tree."""
    import jax

    from benchmarks.selfplay_programs import memory

    state, key = _positions(LARGE_WIDTH, LARGE_LANES, seed), jax.random.key(seed + 1)
    search = _search("tree", LARGE_WIDTH, LARGE_SIMULATIONS, max_children)
    needed = memory(search, state, key)
    work = {"search": functools.partial(search, state, key)}
    seconds = measuring.time_in_turns(work, 1)["search"][0]
    return Large(max_children, needed["temp"] + needed["output"] + needed["argument"], seconds)


def render(
    record: Mapping[str, Any],
    times: Sequence[Times],
    memory: Sequence[Memory],
    large: Sequence[Large],
) -> str:
    """Returns the result file."""
    lines = [
        "Microseconds of one simulation of one game; in brackets the fastest and the slowest "
        "repeat. A ratio is the median of the ratios within each repeat.",
        "",
    ]
    header = ["actions", "games", "simulations", "mctx", "ours", "ours faster by"]
    rows = [
        [
            found.width,
            found.lanes,
            count,
            _time(found.per_simulation("mctx", count)),
            _time(found.per_simulation("tree", count)),
            f"{found.speedup(count):.1f} x",
        ]
        for found in times
        for count in SIMULATIONS
    ]
    lines += measuring.table(header, rows)
    lines += [
        "",
        f"Time of a simulation in a search of {SIMULATIONS[-1]}, divided by that in one of "
        f"{SIMULATIONS[0]} simulations:",
        "",
    ]
    lines += measuring.table(
        ["actions", "mctx", "ours"],
        [[f.width, f"{f.growth('mctx'):.1f}", f"{f.growth('tree'):.2f}"] for f in times],
    )
    dense = next(m.total for m in memory if m.engine == "mctx" and m.max_children == MEMORY_WIDTH)
    lines += [
        "",
        f"Memory of a search: {MEMORY_WIDTH:,} actions, {MEMORY_SIMULATIONS} simulations, "
        f"{MEMORY_LANES} games.",
        "",
        *measuring.table(
            ["tree", "actions kept by a node", "MB", "share of mctx with all"],
            [
                [
                    m.engine,
                    f"{m.max_children:,}",
                    f"{m.total / 1e6:.1f}",
                    f"1/{dense / m.total:.1f}",
                ]
                for m in memory
            ],
        ),
        "",
        f"One search of {LARGE_LANES} games with {LARGE_SIMULATIONS} simulations and "
        f"{LARGE_WIDTH:,} actions by our tree:",
        "",
        *measuring.table(
            ["actions kept by a node", "GB", "seconds"],
            [[f"{x.max_children:,}", f"{x.bytes / 1e9:.2f}", f"{x.seconds:.1f}"] for x in large],
        ),
    ]
    return measuring.page("Growth of a tree search", record, lines)


def _positions(width: int, lanes: int, seed: int) -> Any:
    import jax

    from benchmarks.wide_game import WideGame

    return jax.vmap(WideGame(width).init)(jax.random.split(jax.random.key(seed), lanes))


def _search(engine: str, width: int, simulations: int, max_children: int) -> Any:
    """Returns the compiled search: positions and a key to a decision."""
    import jax

    from benchmarks.wide_game import RandomNumbers, WideGame
    from jaxgames.search.factories import gumbel_search

    agent = gumbel_search(
        WideGame(width),
        RandomNumbers(width),
        engine="mctx" if engine == "mctx" else "tree",
        simulations=simulations,
        max_children=max_children,
    )

    def search(state: Any, key: Any) -> Any:
        return agent.act((), (), state, key)[0]

    return jax.jit(search)


def _time(spread: measuring.Spread) -> str:
    return f"{spread.median:.1f} ({spread.lowest:.1f} to {spread.highest:.1f})"


if __name__ == "__main__":
    command_line.run(main)
