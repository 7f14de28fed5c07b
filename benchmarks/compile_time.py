"""Seconds to trace, lower and compile each game's functions, and the size of the programs.

    python -m benchmarks.compile_time

Seconds depend on the machine and on its load. CPU seconds, those of all threads in all three
stages, depend on the machine alone. Equations and lines of HLO depend on neither; the tests keep a
budget of equations for each game (`tests/benchmarks/test_compile_time.py`).
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("compile_time")

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import jaxgames
from benchmarks import environment, measuring
from benchmarks.commands import Report

FUNCTIONS = ("init", "step", "legal_actions", "observe", "sample_action")
PLAY = FUNCTIONS[:3]  # a game is played with these
IMPORTS = ("import jax, flax.struct", "import jax, flax.struct, jaxgames")
IMPORT_REPEATS = 7


class Row(NamedTuple):
    """One compiled function of one game."""

    game: str
    function: str
    equations: int
    hlo_lines: int
    trace_seconds: float
    lower_seconds: float
    compile_seconds: float
    cpu_seconds: float  # of the three stages, all threads

    @property
    def seconds(self) -> float:
        """Total."""
        return self.trace_seconds + self.lower_seconds + self.compile_seconds


@measuring.without_compilation_cache()
def measure(options: argparse.Namespace) -> Report:
    """Compiles the functions of all games."""
    jax.jit(lambda x: x + 1)(0)  # the first compilation of a process sets up the compiler
    rows = [
        measure_function(game, function, options.batch)
        for game in options.games or jaxgames.available()
        for function in FUNCTIONS
    ]
    return Report(
        "Compile time and program size",
        render(rows, import_seconds()),
        {"rows": [row._asdict() for row in rows]},
        {"batch": options.batch},
    )


def traced(game: str, function: str, batch: int) -> Any:
    """Returns the traced program of one function of an environment, for a batch of games."""
    env = jaxgames.make(game)
    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), batch))
    seats = jax.ShapeDtypeStruct((batch,), jnp.int32)
    words = jax.ShapeDtypeStruct((batch,), jnp.uint32)
    states = jax.eval_shape(jax.vmap(env.init), keys)
    programs: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "init": (env.init, (keys,)),
        "step": (env.step, (states, seats, keys)),
        "observe": (env.observe, (states, seats)),
        "legal_actions": (env.rules.legal_actions, (states.game,)),
        "sample_action": (env.rules.sample_action, (states.game, words)),
    }
    called, arguments = programs[function]
    return jax.jit(jax.vmap(called)).trace(*arguments)


def measure_function(game: str, function: str, batch: int) -> Row:
    """Times the three stages of compiling one function."""
    started, started_cpu = time.perf_counter(), time.process_time()
    program = traced(game, function, batch)
    after_trace = time.perf_counter()
    lowered = program.lower()
    after_lower = time.perf_counter()
    compiled = lowered.compile()
    after_compile, cpu_seconds = time.perf_counter(), time.process_time() - started_cpu
    return Row(
        game,
        function,
        count_equations(program.jaxpr.jaxpr),
        compiled.as_text().count("\n"),
        after_trace - started,
        after_lower - after_trace,
        after_compile - after_lower,
        cpu_seconds,
    )


def count_equations(jaxpr: Any) -> int:
    """Returns the number of primitive operations, those of inner programs included."""
    total = 0
    for equation in jaxpr.eqns:
        inner = [
            value
            for parameter in equation.params.values()
            for value in (parameter if isinstance(parameter, tuple | list) else (parameter,))
            if hasattr(value, "eqns")
        ]
        total += sum(count_equations(getattr(value, "jaxpr", value)) for value in inner) or 1
    return total


def import_seconds() -> dict[str, float]:
    """Returns the median wall-clock seconds of fresh processes, alternating between `IMPORTS`."""
    seconds: dict[str, list[float]] = {statement: [] for statement in IMPORTS}
    for _ in range(IMPORT_REPEATS):
        for statement in IMPORTS:
            code = (
                f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
            )
            done = subprocess.run(
                [sys.executable, "-c", code],
                cwd=environment.CHECKOUT,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds[statement].append(float(done.stdout))
    return {statement: statistics.median(values) for statement, values in seconds.items()}


def render(rows: Sequence[Row], imports: dict[str, float]) -> list[str]:
    """Returns the lines of the record."""
    stages = ["trace s", "lower s", "compile s", "total s", "CPU s"]
    cells = [
        [row.game, row.function, row.equations, row.hlo_lines]
        + [f"{seconds:.2f}" for seconds in (*row[4:7], row.seconds, row.cpu_seconds)]
        for row in rows
    ]
    lines = measuring.table(["game", "function", "equations", "HLO lines", *stages], cells)
    lines += [""]
    for game in dict.fromkeys(row.game for row in rows):
        play = [row for row in rows if row.game == game and row.function in PLAY]
        seconds, cpu = sum(row.seconds for row in play), sum(row.cpu_seconds for row in play)
        lines.append(f"`{game}`: {', '.join(PLAY)} together {seconds:.2f} s, {cpu:.2f} CPU s.")
    lines += ["", "Import time of a fresh process (median):", ""]
    return lines + [f"- `{statement}`: {seconds:.3f} s" for statement, seconds in imports.items()]
