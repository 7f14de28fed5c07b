"""What a compiled program does with large arrays inside its loops, read from its text."""

import math
import re
from typing import NamedTuple

# These hand on an array or change some of its elements where it lies.
IN_PLACE = {
    *("parameter", "get-tuple-element", "tuple", "bitcast", "while", "conditional", "call"),
    *("scatter", "dynamic-update-slice"),
}

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?\S+ = (.+?) ([a-z][\w-]*)\(")
_DIMENSIONS = re.compile(r"\w+\[([\d,]*)\]")
_CALLED = re.compile(r"(?:body|condition|calls|to_apply|computations?)=(\{[^}]*\}|[^,\s]+)")


class Instruction(NamedTuple):
    opcode: str
    size: int  # elements of its largest result
    called: tuple[str, ...]  # computations
    text: str


def computations(text: str) -> dict[str, list[Instruction]]:
    """Returns the instructions of each computation."""
    found: dict[str, list[Instruction]] = {}
    name = ""
    for line in re.sub(r"/\*.*?\*/", "", text).splitlines():
        if start := _COMPUTATION.match(line):
            name = start.group(1)
            found[name] = []
        elif match := _INSTRUCTION.match(line):
            shape, opcode = match.groups()
            sizes = [
                math.prod(map(int, filter(None, dims.split(","))))
                for dims in _DIMENSIONS.findall(shape)
            ]
            called = [
                callee for names in _CALLED.findall(line) for callee in names.strip("{}").split(",")
            ]
            found[name].append(
                Instruction(
                    opcode,
                    max(sizes, default=0),
                    tuple(callee.strip(" %") for callee in called),
                    line.strip(),
                )
            )
    return found


def rewritten_in_loops(text: str, size: int) -> list[str]:
    """Returns the instructions in loops that make a whole array of at least `size` elements."""
    program = computations(text)
    in_loops: set[str] = set()
    waiting = [
        name
        for instructions in program.values()
        for instruction in instructions
        if instruction.opcode == "while"
        for name in instruction.called
    ]
    assert waiting, "no loop found: the text is not what it was"
    while waiting:
        name = waiting.pop()
        if name not in in_loops:
            in_loops.add(name)
            # What is inside a fusion has no array of its own.
            waiting += [
                callee
                for instruction in program[name]
                if instruction.opcode != "fusion"
                for callee in instruction.called
            ]
    return [
        instruction.text
        for name in sorted(in_loops)
        for instruction in program[name]
        if instruction.size >= size and not _is_in_place(instruction, program)
    ]


def _is_in_place(instruction: Instruction, program: dict[str, list[Instruction]]) -> bool:
    if instruction.opcode != "fusion":
        return instruction.opcode in IN_PLACE
    (name,) = instruction.called
    large = [inner for inner in program[name] if inner.size >= instruction.size]
    return all(inner.opcode in IN_PLACE for inner in large)
