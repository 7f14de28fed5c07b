"""Seconds from the start of a process to the first decision of `best`, and those of `step` alone.

    python -m benchmarks.first_answer

Each row is a process of its own, first with empty caches and then with those that it has filled.
Processor seconds, of all threads, depend less on what else the machine does than wall seconds.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("first_answer")

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import NamedTuple

import jaxgames
from benchmarks import environment, measuring
from benchmarks.commands import Report
from benchmarks.compile_time import measure_function

ANSWER = """
import sys
import time
from jaxgames.internal import compilation_cache
game, player, folder = sys.argv[1:]
compilation_cache.enable(folder)
import jax
import jaxgames
env = jaxgames.make(game)
chosen = jaxgames.player(player, env)
games = jax.jit(jax.vmap(env.rules.init))(jax.random.key(0)[None])
decision, _ = chosen.act(chosen.agent.reset(1), games, jax.random.key(1))
decision.action.block_until_ready()
print(time.process_time())
"""


class Row(NamedTuple):
    """The first decision of a player, in seconds."""

    game: str
    player: str
    cold_cpu_seconds: float  # nothing cached
    cold_seconds: float
    warm_cpu_seconds: float  # caches filled
    warm_seconds: float
    step_cpu_seconds: float  # `step` alone, traced, lowered and compiled


def measure(options: argparse.Namespace) -> Report:
    """Starts the processes of all games one after the other."""
    rows = []
    for game in options.games or jaxgames.available():
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = (_first_answer(game, options.player, folder) for _ in range(2))
        with measuring.without_compilation_cache():
            step = measure_function(game, "step", batch=1).cpu_seconds
        rows.append(Row(game, options.player, *cold, *warm, step))
    numbers = {"rows": [row._asdict() for row in rows]}
    return Report("First answer", render(rows), numbers, {"player": options.player})


def _first_answer(game: str, player: str, folder: str) -> tuple[float, float]:
    """Returns the processor seconds and the wall seconds of one process.

    Raises:
        RuntimeError: if it fails.
    """
    started = time.perf_counter()
    process = subprocess.run(
        [sys.executable, "-c", ANSWER, game, player, folder],
        cwd=environment.CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"the first answer of {player} in {game} failed:\n{process.stdout}")
    return float(process.stdout.splitlines()[-1]), seconds


def render(rows: Sequence[Row]) -> list[str]:
    """Returns the lines of the record."""
    header = ["game", "player", "cold CPU s", "cold s", "cached CPU s", "cached s", "step CPU s"]
    return measuring.table(header, [[*row[:2], *(f"{x:.1f}" for x in row[2:])] for row in rows])
