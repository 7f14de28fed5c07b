"""The base map: terrain, names of the hexes, river distances and bridges.

Source: the map printed in the rules of Terra Mystica (Drögemüller and Ostertag, 2012), with the hex
names of the online platform: a row letter, and a number that counts the row's land hexes.
"""

import enum

import numpy as np

from jaxgames.boards import hexes

ROWS, COLUMNS = 9, 13
NUM_CELLS = ROWS * COLUMNS


class Colour(enum.IntEnum):
    """Terrain in the order of the wheel: neighbours are one spade apart, as are last and first."""

    YELLOW = 0
    BROWN = 1
    BLACK = 2
    BLUE = 3
    GREEN = 4
    GRAY = 5
    RED = 6


NUM_COLOURS = len(Colour)
COLOUR_LETTERS = "YUKBGSR"
RIVER_LETTER = "~"

# Odd rows (B, D, F, H) have 12 hexes and are shifted right by half a hex.
MAP = (
    "USGBYRUKRGBRK",
    "Y~~UK~~YK~~Y",
    "~~K~S~G~G~S~~",
    "GBY~~RB~R~RU",
    "KURBKUSY~~GKB",
    "SG~~YG~~~USU",
    "~~~S~R~G~YKBY",
    "YBU~~~BK~SUS",
    "RKSBRGYUS~BGR",
)


def _cells_where(is_wanted: bool) -> np.ndarray:
    cells = [
        row * COLUMNS + column
        for row, letters in enumerate(MAP)
        for column, letter in enumerate(letters)
        if (letter == RIVER_LETTER) == is_wanted
    ]
    return np.array(cells, np.int32)


LAND_CELLS = _cells_where(False)  # [77] cell of each land hex, in reading order
RIVER_CELLS = _cells_where(True)  # [36] cell of each river hex, in reading order
NUM_LAND, NUM_RIVER = len(LAND_CELLS), len(RIVER_CELLS)

LAND_ROW, LAND_COLUMN = LAND_CELLS // COLUMNS, LAND_CELLS % COLUMNS
RIVER_ROW, RIVER_COLUMN = RIVER_CELLS // COLUMNS, RIVER_CELLS % COLUMNS

LAND = hexes.from_cells(LAND_CELLS, ROWS, COLUMNS)  # [9] uint16
RIVER = hexes.from_cells(RIVER_CELLS, ROWS, COLUMNS)  # [9] uint16


def _land_names() -> tuple[str, ...]:
    names, seen = [], dict.fromkeys(range(ROWS), 0)
    for row in LAND_ROW.tolist():
        seen[row] += 1
        names.append(f"{'ABCDEFGHI'[row]}{seen[row]}")
    return tuple(names)


LAND_NAMES = _land_names()  # "A1" ... "I12"
RIVER_NAMES = tuple(f"r{index}" for index in range(NUM_RIVER))

_LETTERS = "".join(row.ljust(COLUMNS) for row in MAP)
START_COLOURS = np.array([COLOUR_LETTERS.index(_LETTERS[cell]) for cell in LAND_CELLS], np.int8)
"""`[77]` printed terrain of each land hex."""
START_TERRAIN = np.stack(
    [hexes.from_cells(LAND_CELLS[c == START_COLOURS], ROWS, COLUMNS) for c in Colour]
)  # [7, 9] uint16: the hexes of each colour


def _neighbour_cells(cell: int) -> list[int]:
    row, column = divmod(cell, COLUMNS)
    left = column - 1 if row % 2 == 0 else column
    near = [(row, column - 1), (row, column + 1)]
    near += [(row + step, left + side) for step in (-1, 1) for side in (0, 1)]
    return [r * COLUMNS + c for r, c in near if 0 <= r < ROWS and 0 <= c < len(MAP[r])]


def _neighbour_sets() -> np.ndarray:
    sets = [hexes.from_cells(_neighbour_cells(cell), ROWS, COLUMNS) for cell in range(NUM_CELLS)]
    return np.stack(sets)


NEIGHBOURS = _neighbour_sets()  # [117, 9] uint16: cells that share a side with each cell

_BRIDGES = """
A3-C1 A7-C3 A11-C5 B1-C1 B1-D1 B2-C1 B3-C3 B4-C3 B5-C5 B6-C5 B6-D8 C2-D3 C2-D4 C2-E5 C4-D5
C5-D6 D6-E8 D6-E9 E4-G1 E8-G3 F1-H1 F2-G1 F2-H2 F3-G1 F4-G3 G2-H4 G2-I6 G4-H5 H6-I9
"""
BRIDGE_NAMES = tuple(_BRIDGES.split())
NUM_BRIDGES = len(BRIDGE_NAMES)  # 29 places where a bridge can stand


def _bridge_ends() -> np.ndarray:
    ends = [[LAND_NAMES.index(end) for end in name.split("-")] for name in BRIDGE_NAMES]
    return np.array(ends, np.int32)


BRIDGE_ENDS = _bridge_ends()  # [29, 2] land hexes that each bridge joins
BRIDGE_CELLS = np.stack(
    [[hexes.from_cells([LAND_CELLS[end]], ROWS, COLUMNS) for end in ends] for ends in BRIDGE_ENDS]
)  # [29, 2, 9] uint16: its ends as sets of one hex
