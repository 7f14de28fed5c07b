"""Reads the text of an optimised program: what each loop body runs, copies and moves."""

import functools
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

ITEM_BYTES = {
    "pred": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "f16": 2, "bf16": 2, "s32": 4, "u32": 4,
    "f32": 4, "s64": 8, "u64": 8, "f64": 8, "c64": 8, "s4": 1, "u4": 1, "s2": 1, "u2": 1,
    "f8e4m3fn": 1, "f8e5m2": 1, "c128": 16,
}  # fmt: skip
FREE = {
    "parameter", "constant", "get-tuple-element", "tuple", "bitcast", "after-all", "partition-id",
    "opt-barrier", "iota", "copy-done", "async-done", "all-reduce-done", "slice-done", "replica-id",
    "all-gather-done", "collective-permute-done", "send-done", "recv-done", "async-update",
    "add-dependency",
}  # fmt: skip
COPIES = {"copy", "copy-start", "slice-start"}
COLLECTIVES = {
    "all-reduce", "all-reduce-start", "all-gather", "all-gather-start", "reduce-scatter",
    "all-to-all", "collective-permute", "collective-permute-start",
}  # fmt: skip
HOST = {"infeed", "outfeed", "send", "recv"}
CONTROL = {"while", "conditional", "call"}

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.-]+) \(.*\{$")
_INSTRUCTION = re.compile(r"^\s*(ROOT )?%?([\w.-]+) = (.*)$")
_ARRAY = re.compile(r"\b([a-z]\w*)\[([\d,]*)\](?:\{([\d,]*)(?::([^}]*))?\})?")
_OPCODE = re.compile(r"\s([a-z][a-z0-9-]*)\(")
_OPERAND = re.compile(r"%([\w.-]+)")
_CALLED = re.compile(
    r"(body|condition|calls|to_apply|branch_computations|true_computation|false_computation)=(\{[^}]*\}|%[\w.-]+)"
)
_LIMIT = re.compile(r"s32\[\](?:\{[^}]*\})? constant\((\d+)\)")
_TRIPS = re.compile(r'known_trip_count":\{"n":"(\d+)"')


class Shape(NamedTuple):
    """One array of a result."""

    dtype: str
    sizes: tuple[int, ...]
    minor_to_major: tuple[int, ...]
    tiles: str

    @property
    def num_bytes(self) -> int:
        """The bytes of its elements."""
        return math.prod(self.sizes) * ITEM_BYTES.get(self.dtype, 0)


class Instruction(NamedTuple):
    """One instruction of a computation."""

    name: str
    opcode: str
    shapes: tuple[Shape, ...]
    operands: tuple[str, ...]
    called: dict[str, tuple[str, ...]]
    text: str
    is_root: bool

    @property
    def num_bytes(self) -> int:
        """The bytes of the result."""
        return sum(shape.num_bytes for shape in self.shapes)

    @property
    def num_elements(self) -> int:
        """The elements of the largest array of the result."""
        return max((math.prod(shape.sizes) for shape in self.shapes), default=0)


class Module:
    """The computations of an optimised program."""

    def __init__(self, text: str):
        """Reads the text form of the program."""
        self.computations: dict[str, list[Instruction]] = {}
        self.entry = ""
        current: list[Instruction] = []
        for line in text.splitlines():
            if head := _COMPUTATION.match(line):
                current = self.computations.setdefault(head[2], [])
                if head[1]:
                    self.entry = head[2]
            elif found := _INSTRUCTION.match(line):
                current.append(_instruction(found))

    @functools.cached_property
    def _by_name(self) -> dict[str, dict[str, Instruction]]:
        return {
            name: {one.name: one for one in instructions}
            for name, instructions in self.computations.items()
        }

    def loops(self) -> Iterator[tuple[str, Instruction, str]]:
        """Yields every `while` with the computation that it stands in and its body."""
        for name, instructions in self.computations.items():
            for one in instructions:
                if one.opcode == "while":
                    (body,) = one.called["body"]
                    yield name, one, body

    def trip_count(self, loop: Instruction) -> int | None:
        """Returns the rounds of a `while`; None if the program does not say."""
        if known := _TRIPS.search(loop.text):
            return int(known[1])
        (condition,) = loop.called["condition"]
        limits = {
            int(limit) for one in self.computations[condition] for limit in _LIMIT.findall(one.text)
        }
        return limits.pop() if len(limits) == 1 else None

    def kernels(self, computation: str) -> Iterator[Instruction]:
        """Yields what runs in one round of a computation, loops and calls left out."""
        for one in self.computations[computation]:
            if one.opcode in FREE or one.opcode in CONTROL:
                continue
            if one.num_elements > 1 or one.opcode in {"fusion", "custom-call"}:
                yield one

    def moved_bytes(self, computation: str, one: Instruction) -> int:
        """Returns the bytes that an instruction reads and writes.

        Of an operand that is only looked up or partly overwritten, the bytes looked up count.
        """
        names = self._by_name[computation]
        operands = [names[name].num_bytes for name in one.operands if name in names]
        written = one.num_bytes
        if one.opcode == "dynamic-update-slice":
            return 2 * operands[1]
        if one.opcode in {"dynamic-slice", "gather"}:
            return 2 * written
        if one.opcode == "fusion":
            (body,) = one.called["calls"]
            operands, written = self._fusion_bytes(body, operands, written)
        return sum(operands) + written

    def _fusion_bytes(self, body: str, operands: list[int], written: int) -> tuple[list[int], int]:
        instructions = self.computations[body]
        users: dict[str, list[Instruction]] = {}
        for one in instructions:
            for name in one.operands:
                users.setdefault(name, []).append(one)
        names, operands = self._by_name[body], list(operands)
        for one in instructions:
            if one.opcode == "dynamic-update-slice" and one.is_root:
                written = min(written, names[one.operands[1]].num_bytes)
            if one.opcode != "parameter":
                continue
            number = int(one.text.partition("parameter(")[2].partition(")")[0])
            uses = [(use, use.operands[0] == one.name) for use in users.get(one.name, [])]
            looked_up = 0
            for use, is_first in uses:
                if use.opcode in {"dynamic-slice", "gather"} and is_first:
                    looked_up += use.num_bytes
                elif use.opcode == "dynamic-update-slice" and is_first:
                    looked_up += 0
                else:
                    break
            else:
                if number < len(operands):
                    operands[number] = min(operands[number], looked_up)
        return operands, written

    def num_operations(self, one: Instruction) -> int:
        """Returns the elements that an instruction computes, those inside of a fusion included.

        What a fusion computes anew for each of its readers counts each time.
        """
        inner = [each for name in one.called.get("calls", ()) for each in self.computations[name]]
        if not inner:
            return 0 if one.opcode in FREE else one.num_elements
        return sum(self.num_operations(each) for each in inner)

    def count_inside(self, computation: str, opcode: str) -> int:
        """Returns how often an operation stands in one round, inside of fusions included."""
        total = 0
        for one in self.computations[computation]:
            total += one.opcode == opcode
            for name in one.called.get("calls", ()):
                total += sum(inner.opcode == opcode for inner in self.computations[name])
        return total


def padded_bytes(shape: Shape, tile: tuple[int, int]) -> int:
    """Returns the bytes of an array whose two minor axes fill whole tiles."""
    sizes = [shape.sizes[axis] for axis in shape.minor_to_major] or [1]
    sizes[0] = -(-sizes[0] // tile[1]) * tile[1]
    if len(sizes) > 1:
        sizes[1] = -(-sizes[1] // tile[0]) * tile[0]
    return math.prod(sizes) * ITEM_BYTES.get(shape.dtype, 0)


def _instruction(found: re.Match[str]) -> Instruction:
    rest = found[3].partition(", metadata=")[0]
    opcode = _OPCODE.search(" " + _without_types(rest))
    name = opcode[1] if opcode else "unknown"
    place = rest.find(f" {name}(")
    head, tail = rest[:place], rest[place + len(name) + 2 :]
    arguments = tail.partition(")")[0]
    called = {
        kind: tuple(_OPERAND.findall(names)) or (names,) for kind, names in _CALLED.findall(rest)
    }
    return Instruction(
        name=found[2],
        opcode=name,
        shapes=tuple(_shapes(head)),
        operands=tuple(_OPERAND.findall(arguments)),
        called=called,
        text=found[3],
        is_root=bool(found[1]),
    )


def _without_types(text: str) -> str:
    """Returns an instruction without its layouts, whose tiles look like operations."""
    return re.sub(r"\{[^{}]*\}", "", text)


def _shapes(text: str) -> Iterator[Shape]:
    for dtype, sizes, order, tiles in _ARRAY.findall(text):
        if dtype in ITEM_BYTES:
            yield Shape(dtype, _numbers(sizes), _numbers(order), tiles)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)
