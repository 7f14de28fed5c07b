"""A model of the seconds that a compiled program takes, from its text.

Seconds = kernels x seconds of a kernel + the largest of bytes / bandwidth, FLOPs / peak, and
operations on elements / their peak + twice the bytes of collectives / bandwidth between chips (an
all-reduce sends and receives its array once to sum it and once to share the sum). Rounds of loops
multiply; of the branches of a conditional the slowest counts. A loop whose number of rounds is not
certain counts once, so such a program takes longer than modelled. Conditions of loops are left out.
"""

import math
from typing import Any, NamedTuple

from benchmarks.ahead_of_time.hlo import COLLECTIVES, Instruction, Module
from benchmarks.ahead_of_time.targets import Chip
from benchmarks.ahead_of_time.traffic import moved_bytes


class Work(NamedTuple):
    """What a program does on one device."""

    kernels: float = 0
    num_bytes: float = 0
    operations: float = 0
    collective_bytes: float = 0
    unknown_loops: int = 0

    def plus(self, other: "Work", times: float = 1) -> "Work":
        """Returns the sum; the other work is done several times."""
        return Work(
            self.kernels + times * other.kernels,
            self.num_bytes + times * other.num_bytes,
            self.operations + times * other.operations,
            self.collective_bytes + times * other.collective_bytes,
            self.unknown_loops + other.unknown_loops,
        )


class Estimate(NamedTuple):
    """Modelled seconds of one call."""

    seconds: float
    dominant: str
    """kernels, bytes, FLOPs, operations or links."""
    kernel_seconds: float
    byte_seconds: float
    flop_seconds: float
    operation_seconds: float
    link_seconds: float
    unknown_loops: int


def work(module: Module, computation: str, chip: Chip) -> Work:
    """Returns the work of a computation, that of its loops, branches and calls included."""
    total = Work()
    for place, one in module.kernels(computation):
        moved, operations = moved_bytes(module, place, one), module.num_operations(place, one)
        sent = one.num_bytes if one.kind in COLLECTIVES else 0
        total = total.plus(Work(1, moved, operations, sent))
    for _, one in module.instructions(computation):
        if one.opcode == "while":
            (body,) = one.called["body"]
            trips = module.trip_count(one)
            total = total.plus(work(module, body, chip), 1 if trips is None else trips)
            total = total.plus(Work(unknown_loops=int(trips is None)))
        elif one.opcode == "conditional":
            branches = [work(module, name, chip) for name in _branches(one)]
            total = total.plus(max(branches, key=lambda branch: _seconds(branch, 0.0, chip)))
    return total


def _branches(conditional: Instruction) -> list[str]:
    """Returns the computations of a conditional; XLA names two of a Boolean one by one."""
    kinds = ("branch_computations", "true_computation", "false_computation")
    return [name for kind in kinds for name in conditional.called.get(kind, ())]


def estimate(module: Module, flops: float, chip: Chip) -> Estimate:
    """Returns the modelled seconds of one call of a program.

    Args:
        module: the optimised program of one device.
        flops: of the products and convolutions of one device.
        chip: the constants.
    """
    done = work(module, module.entry, chip)
    terms = _terms(done, flops, chip)
    return Estimate(
        seconds=_seconds(done, flops, chip),
        dominant=max(terms, key=terms.__getitem__),
        kernel_seconds=terms["kernels"],
        byte_seconds=terms["bytes"],
        flop_seconds=terms["FLOPs"],
        operation_seconds=terms["operations"],
        link_seconds=terms["links"],
        unknown_loops=done.unknown_loops,
    )


def _terms(done: Work, flops: float, chip: Chip) -> dict[str, float]:
    return {
        "kernels": done.kernels * chip.kernel_seconds,
        "bytes": done.num_bytes / chip.bytes_per_second,
        "FLOPs": flops / chip.flops_per_second,
        "operations": done.operations / chip.operations_per_second,
        "links": 2 * done.collective_bytes / (chip.link_bytes_per_second or math.inf),
    }


def _seconds(done: Work, flops: float, chip: Chip) -> float:
    terms = _terms(done, flops, chip)
    return terms.pop("kernels") + terms.pop("links") + max(terms.values())


def count_flops(jaxpr: Any, num_devices: int) -> float:
    """Returns the FLOPs of the products and convolutions of a traced program on all devices.

    Rounds of `scan` multiply. A `while` loop counts once, of branches the largest counts. What
    stands in a `shard_map` is done by every device.
    """
    total = 0.0
    for equation in jaxpr.eqns:
        name, parameters = equation.primitive.name, equation.params
        if name == "dot_general":
            (contracted, _), _ = parameters["dimension_numbers"]
            left, out = equation.invars[0].aval, equation.outvars[0].aval
            total += 2 * out.size * math.prod(left.shape[axis] for axis in contracted)
        elif name == "conv_general_dilated":
            kernel, out = equation.invars[1].aval, equation.outvars[0].aval
            features = kernel.shape[parameters["dimension_numbers"].rhs_spec[0]]
            total += 2 * out.size * kernel.size / features
        else:
            inner = [count_flops(getattr(x, "jaxpr", x), num_devices) for x in _inner(parameters)]
            times = {"scan": parameters.get("length"), "shard_map": num_devices}.get(name, 1)
            total += times * (max(inner, default=0.0) if name == "cond" else sum(inner))
    return total


def _inner(parameters: dict[str, Any]) -> list[Any]:
    found = []
    for value in parameters.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(getattr(one, "jaxpr", one), "eqns"):
                found.append(one)
    return found
