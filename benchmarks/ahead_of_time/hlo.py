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
    "opt-barrier", "iota", "replica-id", "async-update", "add-dependency",
}  # fmt: skip
FREE_CALLS = {"AllocateBuffer", "ConcatBitcast"}  # targets of custom calls
COPIES = {"copy", "copy-start", "slice-start", "dynamic-slice-start", "dynamic-update-slice-start"}
COLLECTIVES = {
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all",
    "collective-permute", "collective-broadcast",
}  # fmt: skip
IN_PLACE = {"dynamic-update-slice", "scatter"}
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
_CONSTANT = re.compile(r" constant\((-?\d+)\)")
_INDEX = re.compile(r"\), index=(\d+)")
_WINDOW = re.compile(r"window=\{size=([\dx]+)")
_CALLBACK = re.compile(r"python_\w*callback|host_callback")
_TRIPS = re.compile(r'known_trip_count":\{"n":"(\d+)"')
_MEMORY_SPACE = re.compile(r"S\([1-9]\d*\)")


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

    @property
    def padded_bytes(self) -> int:
        """The bytes that it takes in memory: its minor axes fill whole tiles."""
        first = re.search(r"T\(([\d,]+)\)", self.tiles)
        tile = _numbers(first[1]) if first else ()
        sizes = [self.sizes[axis] for axis in self.minor_to_major] or [1]
        for place, length in enumerate(reversed(tile[-len(sizes) :])):
            sizes[place] = -(-sizes[place] // length) * length
        return math.prod(sizes) * ITEM_BYTES.get(self.dtype, 0)

    @property
    def main_memory_bytes(self) -> int:
        """The bytes that it takes in main memory: none if the compiler keeps it on the chip."""
        return 0 if _MEMORY_SPACE.search(self.tiles) else self.padded_bytes


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
    def kind(self) -> str:
        """The operation, whether or not the program waits for its end elsewhere."""
        return self.opcode.removesuffix("-start")

    @property
    def is_free(self) -> bool:
        """Whether it takes no time: it names something, or waits for what was started before."""
        names_something = self.opcode in FREE or any(
            f'custom_call_target="{target}"' in self.text for target in FREE_CALLS
        )
        return names_something or self.opcode.endswith("-done")

    @property
    def is_prefetch(self) -> bool:
        """Whether it moves an array to the chip, or back, while other kernels run."""
        if self.opcode not in COPIES or not self.opcode.endswith("-start"):
            return False
        arrays = list(_shapes(self.text.partition(f" {self.opcode}(")[0]))[:2]
        return len({bool(_MEMORY_SPACE.search(shape.tiles)) for shape in arrays}) == 2

    @property
    def talks_to_host(self) -> bool:
        """Whether it exchanges data with the host."""
        return self.kind in HOST or bool(_CALLBACK.search(self.text))

    @property
    def num_bytes(self) -> int:
        """The bytes of the elements of the result."""
        return sum(shape.num_bytes for shape in self.shapes)

    @property
    def padded_bytes(self) -> int:
        """The bytes that the result takes in memory."""
        return sum(shape.padded_bytes for shape in self.shapes)

    @property
    def main_memory_bytes(self) -> int:
        """The bytes that the result takes in main memory."""
        return sum(shape.main_memory_bytes for shape in self.shapes)

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
    def by_name(self) -> dict[str, dict[str, Instruction]]:
        """The instructions of each computation by their names."""
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

    @functools.cached_property
    def _callers(self) -> dict[str, tuple[str, Instruction]]:
        """What uses each computation, with the computation that it stands in."""
        return {
            called: (name, one)
            for name, instructions in self.computations.items()
            for one in instructions
            for names in one.called.values()
            for called in names
        }

    def rounds(self, body: str) -> list[int | None]:
        """Returns the rounds of the loops around a computation, from the outermost to its own.

        None stands for a number that is not certain from the text.
        """
        found: list[int | None] = []
        while body in self._callers:
            place, one = self._callers[body]
            if one.opcode == "while":
                found.insert(0, self.trip_count(one))
            body = place
        return found

    def trip_count(self, loop: Instruction) -> int | None:
        """Returns the rounds of a `while`; None if they are not certain from the text.

        They are certain where XLA states them, and where a counter starts at a constant, rises by
        one in each round, and is compared with a constant and nothing else.
        """
        if known := _TRIPS.search(loop.text):
            return int(known[1])
        ((condition,), (body,)) = loop.called["condition"], loop.called["body"]
        compared = self.root(condition)
        if compared.opcode != "compare" or "direction=LT" not in compared.text:
            return None
        names = self.by_name[condition]
        counter, limit = (self._resolved(names, name) for name in compared.operands)
        end, place = self._constant(limit), _INDEX.search(counter.text)
        if end is None or counter.opcode != "get-tuple-element" or place is None:
            return None
        number = int(place[1])
        start = self._start(loop, number)
        is_counted = self._rises_by_one(body, number)
        return end - start if start is not None and is_counted else None

    def _start(self, loop: Instruction, number: int) -> int | None:
        """Returns the constant that the loop's variable of this number starts with."""
        for names in self.by_name.values():
            if names.get(loop.name) is loop and loop.operands[0] in names:
                given = names[loop.operands[0]]
                if given.opcode == "tuple":
                    return self._constant(self._resolved(names, given.operands[number]))
        return None

    def _rises_by_one(self, body: str, number: int) -> bool:
        names, root = self.by_name[body], self.root(body)
        if root.opcode != "tuple":
            return False
        after = self._resolved(names, root.operands[number])
        if after.opcode == "fusion":
            inner = after.called["calls"][0]
            after, names = self.root(inner), self.by_name[inner]
        if after.opcode != "add":
            return False
        terms = [self._resolved(names, name) for name in after.operands]
        return any(self._constant(term) == 1 for term in terms)

    def root(self, computation: str) -> Instruction:
        """Returns the instruction whose value is that of the computation."""
        return next(one for one in self.computations[computation] if one.is_root)

    def _resolved(self, names: dict[str, Instruction], name: str) -> Instruction:
        """Returns the instruction whose value this is, through copies of it."""
        one = names[name]
        while one.opcode in {"copy", "bitcast"} and one.operands[0] in names:
            one = names[one.operands[0]]
        return one

    def _constant(self, one: Instruction) -> int | None:
        found = _CONSTANT.search(one.text) if one.opcode == "constant" else None
        return int(found[1]) if found else None

    def instructions(self, computation: str) -> Iterator[tuple[str, Instruction]]:
        """Yields the instructions of a computation and of those that it calls, with where each is.

        Bodies of loops and branches are left out.
        """
        for one in self.computations[computation]:
            if one.opcode == "call":
                yield from self.instructions(one.called["to_apply"][0])
            else:
                yield computation, one

    def kernels(self, computation: str) -> Iterator[tuple[str, Instruction]]:
        """Yields what runs in one round of a computation, loops and branches left out."""
        for place, one in self.instructions(computation):
            if one.is_free or one.opcode in CONTROL:
                continue
            if one.num_elements > 1 or one.opcode in {"fusion", "custom-call"}:
                yield place, one

    def inside(self, computation: str) -> Iterator[Instruction]:
        """Yields every instruction of a computation and of all that it uses, loops included."""
        seen, waiting = {computation}, [computation]
        while waiting:
            for one in self.computations[waiting.pop()]:
                yield one
                used = {name for names in one.called.values() for name in names} - seen
                used &= self.computations.keys()
                seen |= used
                waiting += used

    def num_operations(self, computation: str, one: Instruction) -> int:
        """Returns the elements that an instruction computes, those inside of a fusion included.

        A reduction computes with each element of its operand. What a fusion computes anew for each
        of its readers counts each time.
        """
        if called := one.called.get("calls", ()):
            return sum(
                self.num_operations(name, each)
                for name in called
                for each in self.computations[name]
            )
        if one.is_free:
            return 0
        names = self.by_name[computation]
        if one.opcode == "reduce":
            return max((names[x].num_elements for x in one.operands if x in names), default=0)
        if one.opcode == "reduce-window" and (window := _WINDOW.search(one.text)):
            return one.num_elements * math.prod(map(int, window[1].split("x")))
        if one.kind in IN_PLACE:
            return max((names[x].num_elements for x in updates(one) if x in names), default=0)
        return one.num_elements

    def count_inside(self, computation: str, opcode: str) -> int:
        """Returns how often an operation stands in one round, inside of fusions included."""
        total = 0
        for _, one in self.instructions(computation):
            total += one.opcode == opcode
            total += sum(self.count_inside(name, opcode) for name in one.called.get("calls", ()))
        return total


def updates(one: Instruction) -> tuple[str, ...]:
    """Returns the operands that an update in place writes into another one."""
    if one.kind == "dynamic-update-slice":
        return one.operands[1:2]
    return one.operands[len(one.operands) // 2 + 1 :]  # arrays, indices, as many updates


def _instruction(found: re.Match[str]) -> Instruction:
    rest = found[3].partition(", metadata=")[0]
    opcode = _OPCODE.search(" " + _without_types(rest))
    name = opcode[1] if opcode else "unknown"
    place = rest.find(f" {name}(")
    head, tail = rest[:place], rest[place + len(name) + 2 :]
    arguments = tail.partition(")")[0]
    operands = tuple(_OPERAND.findall(arguments))
    called = {
        kind: tuple(_OPERAND.findall(names)) or (names,) for kind, names in _CALLED.findall(rest)
    }
    return Instruction(
        name=found[2],
        opcode=name,
        shapes=_results(name, tuple(_shapes(head)), len(operands)),
        operands=operands,
        called=called,
        text=found[3],
        is_root=bool(found[1]),
    )


def _results(opcode: str, shapes: tuple[Shape, ...], num_operands: int) -> tuple[Shape, ...]:
    """Returns the arrays that an instruction writes.

    What is only started returns its operands, its results and what it needs to be waited for.
    """
    if not opcode.endswith("-start") or opcode == "all-reduce-start":
        return shapes
    if opcode == "copy-start":
        return shapes[:1]
    results = shapes[num_operands:]
    return tuple(shape for shape in results if shape.sizes) or results[:1]


def _without_types(text: str) -> str:
    """Returns an instruction without its layouts, whose tiles look like operations."""
    return re.sub(r"\{[^{}]*\}", "", text)


def _shapes(text: str) -> Iterator[Shape]:
    for dtype, sizes, order, tiles in _ARRAY.findall(text):
        if dtype in ITEM_BYTES:
            yield Shape(dtype, _numbers(sizes), _numbers(order), tiles)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number)
