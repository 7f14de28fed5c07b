"""The bytes that an instruction reads from main memory and writes to it.

An array takes the whole tiles of its layout. Where the compiler keeps an array on the chip (the
vector memory of a TPU), it costs no traffic.
"""

from collections.abc import Callable, Iterator, Mapping

from benchmarks.ahead_of_time.hlo import IN_PLACE, Instruction, Module, updates

LOOKED_UP = {"dynamic-slice", "gather", "slice"}


def moved_bytes(module: Module, computation: str, one: Instruction) -> int:
    """Returns the bytes that an instruction of a computation moves.

    Of an operand that is only looked up or partly overwritten, the bytes looked up or written
    count.
    """
    names = module.by_name[computation]
    operands = [names[name].main_memory_bytes if name in names else 0 for name in one.operands]
    if one.kind in IN_PLACE:
        read = sum(names[name].main_memory_bytes for name in updates(one) if name in names)
        return read + (_update_bytes(one, names) if one.main_memory_bytes else 0)
    if one.kind in LOOKED_UP:
        return min(operands[0], one.padded_bytes) + one.main_memory_bytes
    if one.opcode == "fusion":
        return _fusion_bytes(module, one, operands)
    return sum(operands) + one.main_memory_bytes


def _update_bytes(one: Instruction, names: Mapping[str, Instruction]) -> int:
    """Returns the bytes that an update in place writes into a larger array."""
    return sum(names[name].padded_bytes for name in updates(one) if name in names)


def _fusion_bytes(module: Module, fusion: Instruction, operands: list[int]) -> int:
    body = fusion.called["calls"][0]
    names, readers = module.by_name[body], _readers(module.computations[body])
    root = module.root(body)
    results = root.operands if root.opcode == "tuple" else (root.name,)
    shapes = fusion.shapes
    if len(shapes) != len(results):  # a result of a type without bytes, such as a token
        shapes = tuple(shape for name in results for shape in names[name].shapes)
    in_place, written = set(), 0
    for name, shape in zip(results, shapes, strict=False):
        one = names[name]
        while one.opcode == "bitcast":
            one = names[one.operands[0]]
        if one.kind in IN_PLACE:
            in_place.add(one.name)
            written += _update_bytes(one, names) if shape.main_memory_bytes else 0
        else:
            written += shape.main_memory_bytes
    read = 0
    for one in module.computations[body]:
        if one.opcode != "parameter":
            continue
        number = int(one.text.partition("parameter(")[2].partition(")")[0])
        whole = operands[number] if number < len(operands) else 0
        looked_up = 0
        for use, is_first in readers(one.name):
            if is_first and use.opcode in LOOKED_UP:
                looked_up += use.padded_bytes
            elif not (is_first and use.name in in_place):
                looked_up = whole
                break
        read += min(whole, looked_up)
    return read + written


def _readers(
    instructions: list[Instruction],
) -> Callable[[str], Iterator[tuple[Instruction, bool]]]:
    """Returns a function from a name to what reads it, and whether as the first operand."""
    users: dict[str, list[Instruction]] = {}
    for one in instructions:
        for name in dict.fromkeys(one.operands):
            users.setdefault(name, []).append(one)

    def readers(name: str) -> Iterator[tuple[Instruction, bool]]:
        for use in users.get(name, []):
            if use.opcode == "bitcast":
                yield from readers(use.name)
            else:
                yield use, use.operands[0] == name and use.operands.count(name) == 1

    return readers
