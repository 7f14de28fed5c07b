"""How a tree search grows with its simulations and with the number of actions: mctx and ours.

    python -m benchmarks.search_scaling

Both search the same positions of an artificial game (`benchmarks/wide_game.py`) with the same
noise. Game and evaluator cost next to nothing, so this measures the trees alone. The programs of
one width run in turns. Memory is what the compiled program needs beside its arguments.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("search_scaling")

import argparse
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax

from benchmarks import measuring
from benchmarks.commands import Report
from benchmarks.selfplay_programs import memory
from benchmarks.wide_game import RandomNumbers, WideGame
from jaxgames.search.factories import gumbel_search

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
        return measuring.spread(self.seconds[engine, simulations], scale)

    def speedup(self, simulations: int) -> float:
        """Returns how many times as fast ours is: the median of the ratios within the repeats."""
        times = (self.seconds[engine, simulations] for engine in ("mctx", "tree"))
        return measuring.ratios(*times).median

    def growth(self, engine: str) -> float:
        """Returns the time of a simulation in the longest search by that in the shortest."""
        counts = [count for name, count in self.seconds if name == engine]
        least, most = min(counts), max(counts)
        times = self.seconds[engine, most], self.seconds[engine, least]
        return measuring.ratios(*times).median * least / most


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


def measure(options: argparse.Namespace) -> Report:
    """Measures times, the memory of searches that keep all actions or few, and large searches."""
    times = [
        measure_times(width, options.lanes or LANES[width], options.repeats, options.seed)
        for width in WIDTHS
    ]
    needed = [
        measure_memory(engine, size) for size in (MEMORY_WIDTH, FEW) for engine in ("mctx", "tree")
    ]
    large = [measure_large(size, options.seed) for size in (LARGE_WIDTH, FEW)]
    return Report(
        "Growth of a tree search",
        render(times, needed, large),
        {
            "times": [
                {
                    "width": one.width,
                    "lanes": one.lanes,
                    "seconds": {f"{name} {count}": s for (name, count), s in one.seconds.items()},
                }
                for one in times
            ],
            "memory": [one._asdict() for one in needed],
            "large": [one._asdict() for one in large],
        },
        {"seed": options.seed, "repeats": options.repeats},
    )


def measure_times(width: int, lanes: int, repeats: int, seed: int) -> Times:
    """Times searches of all lengths by both engines, in turns."""
    state, key = _positions(width, lanes, seed), jax.random.key(seed + 1)
    work = {
        (engine, count): functools.partial(_search(engine, width, count, width), state, key)
        for count in SIMULATIONS
        for engine in ("mctx", "tree")
    }
    return Times(width, lanes, measuring.time_in_turns(work, repeats))


def measure_memory(engine: str, max_children: int) -> Memory:
    """Returns the memory of one search of `MEMORY_LANES` games."""
    state = _positions(MEMORY_WIDTH, MEMORY_LANES, 0)
    search = _search(engine, MEMORY_WIDTH, MEMORY_SIMULATIONS, max_children)
    needed = memory(search, state, jax.random.key(0))
    return Memory(engine, max_children, needed["temp"] + needed["output"])


def measure_large(max_children: int, seed: int) -> Large:
    """Runs one search of published size by our tree."""
    state, key = _positions(LARGE_WIDTH, LARGE_LANES, seed), jax.random.key(seed + 1)
    search = _search("tree", LARGE_WIDTH, LARGE_SIMULATIONS, max_children)
    needed = memory(search, state, key)
    work = {"search": functools.partial(search, state, key)}
    seconds = measuring.time_in_turns(work, 1)["search"][0]
    return Large(max_children, needed["temp"] + needed["output"] + needed["argument"], seconds)


def render(times: Sequence[Times], needed: Sequence[Memory], large: Sequence[Large]) -> list[str]:
    """Returns the lines of the record."""
    dense = next(m.total for m in needed if m.engine == "mctx" and m.max_children == MEMORY_WIDTH)
    return [
        "Microseconds of one simulation of one game; in brackets the fastest and the slowest "
        "repeat. A ratio is the median of the ratios within each repeat.",
        "",
        *measuring.table(
            ["actions", "games", "simulations", "mctx", "ours", "ours faster by"],
            [
                [
                    one.width,
                    one.lanes,
                    count,
                    one.per_simulation("mctx", count).text(),
                    one.per_simulation("tree", count).text(),
                    f"{one.speedup(count):.1f} x",
                ]
                for one in times
                for count in SIMULATIONS
            ],
        ),
        "",
        f"Time of a simulation in a search of {SIMULATIONS[-1]}, divided by that in one of "
        f"{SIMULATIONS[0]} simulations:",
        "",
        *measuring.table(
            ["actions", "mctx", "ours"],
            [[t.width, f"{t.growth('mctx'):.1f}", f"{t.growth('tree'):.2f}"] for t in times],
        ),
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
                for m in needed
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


def _positions(width: int, lanes: int, seed: int) -> Any:
    return jax.vmap(WideGame(width).init)(jax.random.split(jax.random.key(seed), lanes))


def _search(engine: str, width: int, simulations: int, max_children: int) -> Any:
    """Returns the compiled search: positions and a key to a decision."""
    agent = gumbel_search(
        WideGame(width),
        RandomNumbers(width),
        engine="mctx" if engine == "mctx" else "tree",
        simulations=simulations,
        max_children=max_children,
    )
    return jax.jit(lambda state, key: agent.act((), (), state, key)[0])
