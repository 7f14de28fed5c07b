"""Compiles one program for a target and describes the result in plain numbers."""

import math
import statistics
import time
from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.ahead_of_time import hlo, kept, time_model
from benchmarks.ahead_of_time.programs import Program
from benchmarks.ahead_of_time.targets import Chip
from benchmarks.ahead_of_time.traffic import moved_bytes

LARGE_BYTES = 65_536  # arrays that take at least this much are looked at for padding
REPEATS = 3  # timed calls of a program that can run


def examine(program: Program, chip: Chip, num_devices: int, run: bool = False) -> dict[str, Any]:
    """Returns seconds, memory, loops, collectives and modelled time of a program.

    A compiler that is newer than jaxlib may use operations that jaxlib cannot read. Then `unread`,
    the message of jaxlib, stands for all that follows from the text of the program.

    Args:
        program: the function and its arguments.
        chip: the constants of the time model.
        num_devices: the devices of the program.
        run: whether the devices are there; then it is timed as well.
    """
    started = time.perf_counter()
    traced = program.function.trace(*program.arguments)
    lowered = traced.lower()
    lowering_seconds = time.perf_counter() - started
    compiled = lowered.compile()
    compile_seconds = time.perf_counter() - started - lowering_seconds
    flops = time_model.count_flops(traced.jaxpr.jaxpr, num_devices) / num_devices
    found = {
        "lowering_seconds": round(lowering_seconds, 1),
        "compile_seconds": round(compile_seconds, 1),
        "memory": memory(compiled.memory_analysis(), chip),
        "flops": flops,
        "measured": {"per_second": program.units / _seconds(compiled, program)} if run else None,
        "units": program.units,
        "unit": program.unit,
        "evaluations": program.evaluations,
        "chip": chip._asdict(),
    }
    try:
        text = compiled.as_text()
    except jax.errors.JaxRuntimeError as error:
        return found | {"unread": str(error)[: kept.MOST_LETTERS]}
    module = hlo.Module(text)
    model = time_model.estimate(module, flops, chip)
    return found | {
        "loops": loops(module),
        "padding": padding(module),
        "collectives": collectives(module),
        "host_transfers_in_loops": host_transfers_in_loops(module),
        "model": model._asdict() | {"per_second": program.units / model.seconds},
    }


def _seconds(compiled: Any, program: Program) -> float:
    """Returns the median seconds of a call, after one that is not timed."""
    copies = jax.jit(lambda arguments: jax.tree.map(jnp.copy, arguments))
    seconds = []
    for _ in range(1 + REPEATS):
        # Copies, since a call may take its arguments over.
        arguments = jax.block_until_ready(copies(program.arguments))
        started = time.perf_counter()
        jax.block_until_ready(compiled(*arguments))
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds[1:])


def memory(found: Any, chip: Chip) -> dict[str, float]:
    """Returns bytes on one device, and the sum of the first four as a share of its memory.

    The compiler's own peak is left out where it does not say it.
    """
    numbers = {
        "arguments": found.argument_size_in_bytes,
        "results": found.output_size_in_bytes - found.alias_size_in_bytes,
        "temporaries": found.temp_size_in_bytes,
        "program": found.generated_code_size_in_bytes,
    }
    share = {"share": sum(numbers.values()) / chip.memory_bytes}
    peak = getattr(found, "peak_memory_in_bytes", 0)
    return numbers | share | ({"peak": peak} if peak else {})


def loops(module: hlo.Module) -> list[dict[str, Any]]:
    """Returns what one round of each loop body runs, and what the program runs outside of loops.

    Loops inside of a body, and branches of conditionals, are left out of it. `rounds` are those of
    all loops around a body and of its own, from the outermost; None where they are not certain. The
    loop that moves the most bytes in a call of the program comes first. What runs outside of loops,
    which has no rounds, comes last.
    """
    found = [
        _round(module, body) | {"in": place, "rounds": module.rounds(body)}
        for place, _, body in module.loops()
    ]
    found.sort(key=lambda loop: -loop["bytes"] * math.prod(x or 1 for x in loop["rounds"]))
    return [*found, _round(module, module.entry) | {"in": "", "rounds": []}]


def _round(module: hlo.Module, body: str) -> dict[str, Any]:
    kernels = list(module.kernels(body))
    prefetches = sum(kernel.is_prefetch for _, kernel in kernels)
    copies = sum(kernel.opcode in hlo.COPIES for _, kernel in kernels) - prefetches
    return {
        "kernels": len(kernels) - copies - prefetches,
        "copies": copies,
        "prefetches": prefetches,
        "gathers": module.count_inside(body, "gather"),
        "scatters": module.count_inside(body, "scatter"),
        "bytes": sum(moved_bytes(module, place, kernel) for place, kernel in kernels),
    }


def padding(module: hlo.Module) -> float | None:
    """Returns the share of padding in the large arrays that loops carry; None without tiles."""
    carried = [shape for _, loop, _ in module.loops() for shape in loop.shapes]
    if not any("T(" in shape.tiles for shape in carried):
        return None
    large = [shape for shape in carried if shape.padded_bytes >= LARGE_BYTES]
    padded = sum(shape.padded_bytes for shape in large)
    return 1 - sum(shape.num_bytes for shape in large) / padded if padded else 0.0


def collectives(module: hlo.Module) -> dict[str, dict[str, int]]:
    """Returns the number and the bytes of each kind of collective operation."""
    counts: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for instructions in module.computations.values():
        for one in instructions:
            if one.kind in hlo.COLLECTIVES:
                counts[one.kind] += 1
                moved[one.kind] += one.num_bytes
    return {kind: {"count": counts[kind], "bytes": moved[kind]} for kind in sorted(counts)}


def host_transfers_in_loops(module: hlo.Module) -> int:
    """Returns how many operations in loops exchange data with the host."""
    found = {
        (body, one.name)
        for _, _, body in module.loops()
        for one in module.inside(body)
        if one.talks_to_host
    }
    return len(found)
