"""Recorded games written anew as players of the online platform write them."""

import collections
import random
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.golden.core.records import Record
from benchmarks.golden.terra_mystica.recorded_game import read_game
from jaxgames.terra_mystica.tables.factions import FACTIONS, find_faction
from jaxgames.terra_mystica.tables.terrain import (
    COLOUR_LETTERS,
    COLUMNS,
    LAND_CELLS,
    LAND_NAMES,
    NEIGHBOURS,
    RIVER_CELLS,
    Colour,
)

ANSWERS = ("leech", "decline")
STRUCTURES = {"TP": "trading post", "TE": "temple", "SH": "stronghold", "SA": "sanctuary"}
RESOURCES = {"c": "coins", "w": "workers", "p": "priests", "pw": "power"}
LONG_TRACKS = {"ship": "shipping", "dig": "digging"}


class Row(NamedTuple):
    """A turn, or a decision between turns."""

    seat: int
    commands: list[str]
    is_step: bool = False  # of cultists whose power was taken
    goes_on: bool = False  # with the turn of the row before it

    @property
    def is_answer(self) -> bool:
        """Whether it answers an offer of power."""
        return self.commands[0].split()[0] in ANSWERS


def rewrite(record: Record, seed: int) -> list[str]:
    """Returns the ledger of a recorded game in the writing of the platform, chosen by chance."""
    rng = random.Random(seed)
    rows = _split_turns(_late(_rows(record), record["factions"], rng), rng)
    return _Writer(record, rng).write(rows)


def _rows(record: Record) -> list[Row]:
    """Returns the rows of a game as they are recorded."""
    recorded = read_game(record)
    ends = {decision.line for decision in recorded.decisions if decision.is_last}
    rows: list[Row] = []
    is_open = False
    for number, (seat, command, _) in enumerate(record["steps"], start=1):
        if seat < 0:
            continue
        if is_open and rows[-1].seat == seat and command.split()[0] not in ANSWERS:
            rows[-1].commands.append(command)
        else:
            is_step = command.startswith("+") and not is_open
            rows.append(Row(seat, [command], is_step))
        is_open = number not in ends and command.split()[0] not in ANSWERS
    return rows


def _late(rows: list[Row], factions: list[str], rng: random.Random) -> list[Row]:
    """Moves answers and steps behind rows of others; not behind the next turn of the giver."""
    rows = list(rows)
    for index in reversed(range(len(rows))):
        row = rows[index]
        if not (row.is_answer or row.is_step) or rng.random() < 0.3:
            continue
        if row.is_step and rng.random() < 0.5:
            first = _after_first_taken(rows, index)
            rows.insert(first, rows.pop(index))
            continue
        named = row.commands[0].split()[-1]
        giver = factions.index(named) if named in factions else row.seat
        end = index + 1
        while end < len(rows) and not _stops(rows[end], row, giver):
            end += 1
        last = rows[end] if end < len(rows) else None
        del rows[index]
        if last and last.seat == row.seat and not last.is_answer and rng.random() < 0.5:
            rows[end - 1] = last._replace(commands=row.commands + last.commands)
        else:
            rows.insert(rng.choice([index, end - 1, end - 1]), row)
    return rows


def _after_first_taken(rows: list[Row], index: int) -> int:
    """Returns where cultists whose power was taken may step at the earliest."""
    first = index
    while rows[first - 1].is_answer:
        first -= 1
    return next(i for i in range(first, index) if rows[i].commands[0].startswith("leech")) + 1


def _stops(row: Row, moved: Row, giver: int) -> bool:
    """Whether a row must stay behind one that moves later."""
    if row.seat == moved.seat:
        return True
    return row.seat == giver and not row.is_answer


def _split_turns(rows: list[Row], rng: random.Random) -> list[Row]:
    """Writes some turns in two rows."""
    split: list[Row] = []
    for row in rows:
        place = rng.randrange(4)
        first, second = row.commands[:place], row.commands[place:]
        is_one_turn = not any(text.split()[0] in (*ANSWERS, "pass") for text in row.commands)
        if first and second and is_one_turn and not first[0].startswith("+"):
            split += [Row(row.seat, first), Row(row.seat, second, goes_on=True)]
        else:
            split.append(row)
    return split


class _Writer:
    def __init__(self, record: Record, rng: random.Random) -> None:
        self.rng = rng
        self.factions: list[str] = record["factions"]
        boards = [FACTIONS[find_faction(name)] for name in self.factions]
        self.colours = [board.colour.name.lower() for board in boards]
        self.setup = sum(board.first_dwellings for board in boards) + len(boards)
        self.spots = collections.defaultdict[str, list[int]](lambda: [3, 2, 2, 2])
        self.forms: dict[str, Callable[[list[str]], list[str]]] = {
            "leech": self._answers,
            "decline": self._answers,
            "send": self._sends,
            "advance": lambda words: [f"advance {LONG_TRACKS[words[1]]}"],
            "convert": _conversions,
            "transform": lambda words: [
                f"transform {words[1]} to {Colour(COLOUR_LETTERS.index(words[3])).name}"
            ],
            "upgrade": lambda words: [f"upgrade {words[1]} to {STRUCTURES[words[3]]}"],
            "connect": _connections,
            "+1": lambda words: [f"+{words[1]}", f"+1{words[1]}"],
            "+2": lambda words: [f"+2{words[1]}"],
        }

    def write(self, rows: list[Row]) -> list[str]:
        """Returns the lines of the ledger."""
        lines = []
        for number, row in enumerate(rows):
            commands = [self._any_case(self._form(text)) for text in row.commands]
            if self.rng.random() < 0.05:
                commands.append(self._any_case("wait"))
            text = self.rng.choice((". ", ".", " .  ")).join(commands)
            line = f"{self._head(row, number)}{text}{self.rng.choice(('', '', '.'))}"
            remark = self.rng.choice(("", "", "", "  # what: a remark. pass BON1"))
            lines.append(line + remark)
            if self.rng.random() < 0.05:
                lines.append(self.rng.choice(("# only a remark", "", f"{self.factions[0]}: wait")))
        return lines

    def _head(self, row: Row, number: int) -> str:
        """Returns how a line begins: one of the names of a seat, or none where it is clear."""
        name = self.rng.choice((self.factions[row.seat], self.colours[row.seat]))
        if name == "gray" and self.rng.random() < 0.5:
            name = "grey"
        heads = [f"{name}: ", f"{name}:", f"{name.upper()}: ", f"{name.title()} ", f"{name}\t"]
        if number < self.setup or row.goes_on:
            heads += ["", ""]
        return self.rng.choice(heads)

    def _form(self, text: str) -> str:
        """Returns one of the forms of a command."""
        words = text.split()
        others = self.forms[words[0]](words) if words[0] in self.forms else []
        return self.rng.choice([text, *others, *others])

    def _any_case(self, text: str) -> str:
        cases = (str, str, str.lower, str.upper, str.capitalize)
        return self.rng.choice(cases)(text)

    def _answers(self, words: list[str]) -> list[str]:
        if len(words) == 1 or words[2] not in self.factions:
            return []
        word, amount, giver = words
        colour = self.colours[self.factions.index(giver)]
        forms = [f"{word} {amount} from {name}" for name in (giver, colour)]
        return [*forms, f"{word} from {giver}", f"{word} {amount} {colour}"]

    def _sends(self, words: list[str]) -> list[str]:
        _, cult, steps = words
        spots = self.spots[cult]
        is_best = int(steps) == max(spots, default=1)
        if int(steps) in spots:
            spots.remove(int(steps))
        forms = [f"send p to {cult} for {steps}", f"send priest to {cult} for {steps}"]
        return forms + [f"send p to {cult}"] * 2 * is_best


def _conversions(words: list[str]) -> list[str]:
    """Returns forms of `convert 3pw to 1w`."""
    pairs = [(text.rstrip("cpvw"), text.lstrip("0123456789")) for text in (words[1], words[3])]
    (price, source), (gain, target) = pairs
    names = [RESOURCES.get(name, name) for name in (source, target)]
    forms = [f"convert {price} {source} to {gain} {target}"]
    forms.append(f"convert {price}{source.upper()} to {gain}{target.upper()}")
    forms.append(f"convert {price} {names[0]} to {gain} {names[1]}")
    return forms + ([f"convert {source} to {target}"] if (price, gain) == ("1", "1") else [])


def _connections(words: list[str]) -> list[str]:
    """Returns the pairs of hexes that have only the river hex of `connect r10` in common."""
    cell = int(RIVER_CELLS[int(words[1][1:])])
    near = [place for place, land in enumerate(LAND_CELLS) if _are_neighbours(int(land), cell)]
    return [
        f"connect {LAND_NAMES[a]}:{LAND_NAMES[b]}"
        for a in near
        for b in near
        if a != b and _common_rivers(a, b) == [cell]
    ]


def _common_rivers(one: int, other: int) -> list[int]:
    cells = (int(LAND_CELLS[one]), int(LAND_CELLS[other]))
    return [r for r in RIVER_CELLS.tolist() if all(_are_neighbours(c, r) for c in cells)]


def _are_neighbours(one: int, other: int) -> bool:
    row, column = divmod(other, COLUMNS)
    return bool(int(NEIGHBOURS[one][row]) >> column & 1)
