"""The report of `benchmarks.ahead_of_time`: tables of programs and of their loops."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks import measuring
from benchmarks.ahead_of_time import targets

LOOPS_SHOWN = 2
LABEL = ("target", "game", "program")
COSTS = ("arguments MB", "temporaries MB", "peak MB")
CHIP = ("chip of", "memory GB", "GB/s", "GB/s of links", "TFLOP/s of products", "T operations/s")
COUNTS = ("kernels", "copies", "prefetches", "gathers", "scatters")


class Row(NamedTuple):
    """What was found about one program."""

    target: str
    game: str
    preset: str
    program: str
    found: dict[str, Any]

    @property
    def label(self) -> list[str]:
        """The first cells of a row of a table."""
        return [self.target, self.game, self.program]


def render(record: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Returns the result file."""
    compiled = [row for row in rows if "error" not in row.found]
    read = [row for row in compiled if "unread" not in row.found]
    lines = [
        "Programs of targets other than `here` were compiled for devices that were not there and"
        " did not run; their speeds are those of the model below.",
        "",
        f"{len(compiled)} of {len(rows)} programs compile.{_unread(len(compiled) - len(read))}",
        "",
        *measuring.table(
            [*LABEL, "compile s", *COSTS, "memory", "model", "dominant", "measured"],
            [_program(row) for row in rows],
        ),
        "",
        "Memory is the sum of arguments, results, temporaries and the program on one device, as a"
        " share of its memory; it is empty where the device does not say how much that is. The peak"
        " is the compiler's own number, where it gives one. Each program counts alone: the lanes of"
        " self-play stay in memory during learning. Seconds of compiling are wall clock. A speed"
        " with `≤` is an upper bound: a loop of the program has an uncertain number of rounds and"
        " is counted once.",
        "",
        "## Loops",
        "",
        "The loop bodies that move the most bytes in a call of the program, and what runs outside"
        " of loops. Loops inside of a body, and branches of conditionals, are left out of it."
        " Rounds of the loops around a body come before its own; `?` is an uncertain number. A"
        " prefetch moves an array between main memory and the chip while other kernels run.",
        "",
        *measuring.table(
            [*LABEL, "rounds", *COUNTS, "MB"],
            [line for row in read for line in _loops(row)],
        ),
        "",
        *_iterations(read),
        "## Padding, collectives, host",
        "",
        "Padding is that of arrays of 64 KB or more that loops carry from round to round. A"
        " collective counts once, however many rounds its loop has.",
        "",
        *_others(read),
        "",
        "## The model",
        "",
        "Seconds = kernels x seconds of a kernel + the largest of bytes / bandwidth, FLOPs / peak,"
        " and operations on elements / their peak + twice the bytes of collectives / bandwidth of"
        " the links to other chips. Bytes are of whole tiles, in main memory only.",
        "",
        "Numbers are from data sheets where no word says otherwise. The word at products is the"
        " type of the matrices. Operations are assumed, fitted to random play on an H200, or"
        " measured; where they are measured, GB/s and products are measured too, and memory is"
        " what JAX may use.",
        "",
        *measuring.table(
            [*CHIP, "us of a kernel (assumed)"],
            [
                *(_chip(target.name, target.chip) for target in targets.TARGETS.values()),
                *_here(compiled),
            ],
        ),
    ]
    return measuring.page("Compiled ahead of time", record, lines)


def _unread(number: int) -> str:
    if number == 0:
        return ""
    return (
        f" The text of {number} of them holds operations that this jaxlib cannot read, so there is"
        " no model of them."
    )


def _program(row: Row) -> list[object]:
    found = row.found
    if "error" in found:
        message = found["error"].replace("|", "/")[:80]
        return [*row.label, "does not compile", "", "", "", "", message, "", ""]
    memory = found["memory"]
    parts = [memory.get(name.removesuffix(" MB")) for name in COSTS]
    share = f"{memory['share']:.1%}" if memory["share"] else ""  # of an infinite memory: none
    costs = [f"{found['compile_seconds']:.0f}", *map(_megabytes, parts), share]
    if "unread" in found:
        return [*row.label, *costs, "", "", ""]
    model, measured = found["model"], found["measured"]
    speed = f"{_short(model['per_second'])} {found['unit']}/s"
    return [
        *row.label,
        *costs,
        ("≤ " if model["unknown_loops"] else "") + speed,
        model["dominant"],
        _measured(model, measured["per_second"], found["unit"]) if measured else "",
    ]


def _megabytes(number: float | None) -> str:
    return "" if number is None else f"{number / 1e6:.1f}"


def _measured(model: dict[str, Any], per_second: float, unit: str) -> str:
    """Returns the measured speed, and the model's as a multiple of it."""
    return f"{_short(per_second)} {unit}/s; model {model['per_second'] / per_second:.2g} x"


def _loops(row: Row) -> list[list[object]]:
    return [
        [
            *row.label,
            " x ".join("?" if rounds is None else str(rounds) for rounds in loop["rounds"])
            or "no loop",
            *(loop[name] for name in COUNTS),
            f"{loop['bytes'] / 1e6:.2f}",
        ]
        for loop in (*row.found["loops"][:-1][:LOOPS_SHOWN], *row.found["loops"][-1:])
    ]


def _iterations(rows: Sequence[Row]) -> list[str]:
    """Returns the section about the network's share of a training iteration."""
    found = {(row.target, row.game, row.program): row.found for row in rows}
    places = dict.fromkeys((row.target, row.game) for row in rows)
    lines = []
    for place in places:
        programs = [found.get((*place, name)) for name in ("self-play", "learning", "network")]
        if all(programs):
            lines.append([*place, *_shares(*programs)])
    if not lines:
        return []
    return [
        "## Share of the network",
        "",
        "Of the modelled time of a training iteration, self-play and learning. The network's time"
        " is that of its evaluations in self-play, each as a program of its own, and of learning."
        " A share with `≤` is an upper bound, since self-play takes longer than modelled.",
        "",
        *measuring.table(
            ["target", "game", "self-play ms", "network in it ms", "learning ms", "share"], lines
        ),
        "",
    ]


def _shares(play: Any, learning: Any, network: Any) -> list[str]:
    seconds = [found["model"]["seconds"] for found in (play, learning, network)]
    evaluating = seconds[2] * play["evaluations"] / network["evaluations"]
    share = (evaluating + seconds[1]) / (seconds[0] + seconds[1])
    times = [f"{1e3 * one:.0f}" for one in (seconds[0], evaluating, seconds[1])]
    bound = "≤ " if play["model"]["unknown_loops"] else ""  # play takes longer than modelled
    return [*times, f"{bound}{share:.0%}"]


def _others(rows: Sequence[Row]) -> list[str]:
    lines = []
    for row in rows:
        words = []
        if row.found["padding"]:
            words.append(f"{row.found['padding']:.0%} of the large arrays of loops is padding")
        for kind, found in row.found["collectives"].items():
            words.append(f"{found['count']} {kind}, {found['bytes'] / 1e6:.2f} MB")
        if row.found["host_transfers_in_loops"]:
            words.append(f"{row.found['host_transfers_in_loops']} transfers to the host in loops")
        if words:
            lines.append(f"- {', '.join(row.label)}: {'; '.join(words)}")
    others = "The others have" if lines else f"All {len(rows)} programs with a readable text have"
    if len(lines) == len(rows):
        return lines
    return [
        *lines,
        "",
        f"{others} no padding, no collective and no transfer to the host in a loop.",
    ]


def _here(rows: Sequence[Row]) -> list[list[object]]:
    """Returns the constants of this machine's device, if something ran on it."""
    found = [row.found["chip"] for row in rows if row.target == targets.HERE]
    return [_chip(targets.HERE, targets.Chip(**found[0]))] if found else []


def _chip(name: str, chip: targets.Chip) -> list[object]:
    return [
        name,
        "" if math.isinf(chip.memory_bytes) else f"{chip.memory_bytes / 1e9:.0f}",
        f"{chip.bytes_per_second / 1e9:.0f}",
        f"{chip.link_bytes_per_second / 1e9:.0f}" if chip.link_bytes_per_second else "",
        f"{chip.flops_per_second / 1e12:.3g} ({chip.products})",
        f"{chip.operations_per_second / 1e12:.2g} ({chip.operations_from})",
        f"{chip.kernel_seconds * 1e6:.1f}",
    ]


def _short(number: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.3g}"
