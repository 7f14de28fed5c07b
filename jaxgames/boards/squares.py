"""Boards of squares: their names, what stands on them, and boards as one line of text.

A board is a list of ranks, the nearest first; square `c1` is the third one of the first rank. A
line of text has the furthest rank first: `3x3/7/2oo3`, where a number stands for so many empty
squares.
"""

import re
import string
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8

FILES = string.ascii_lowercase
EMPTY = "."


class Piece(NamedTuple):
    """What stands on a square."""

    seat: int
    """The seat that it belongs to: its colour."""
    symbol: str = ""
    """A letter on it, for games with pieces of several kinds."""


Board = Sequence[Sequence[Piece | None]]
"""What stands on each square: `[rank][file]`, from square `a1`."""


def name(rank: int, file: int) -> str:
    """Returns the name of a square: `c1` for rank 0 and file 2."""
    return f"{FILES[file]}{rank + 1}"


def board_text(cells: Int8[np.ndarray, "ranks files"], symbols: str) -> str:
    """Returns a board as one line.

    Args:
        cells: a number for each square; 0 is an empty one.
        symbols: the letter of each number; the first one is not used.
    """
    ranks = ["".join((EMPTY + symbols[1:])[cell] for cell in rank) for rank in cells[::-1].tolist()]
    return "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), rank) for rank in ranks)


def read_board(text: str, ranks: int, files: int, symbols: str) -> Int8[np.ndarray, "ranks files"]:
    """Returns the number of each square of a board that `board_text` wrote.

    Raises:
        ValueError: for another number of ranks or squares, or an unknown letter; names the rank.
    """
    lines = text.split("/")
    if len(lines) != ranks:
        raise ValueError(f"board {text!r}: expected {ranks} ranks, got {len(lines)}")
    cells = [
        _read_rank(line, f"board, rank {ranks - row} {line!r}", files, symbols)
        for row, line in enumerate(lines)
    ]
    return np.array(cells[::-1], np.int8)


def _read_rank(line: str, place: str, files: int, symbols: str) -> list[int]:
    has_digits = files < 10  # so two digits side by side are two numbers
    number = "[1-9]" if has_digits else "[1-9][0-9]?"
    numbers = "123456789"[:files] if has_digits else f" and 1 to {files}"
    cells: list[int] = []
    for token in re.findall(f"{number}|.", line, re.DOTALL):
        if re.fullmatch(number, token) and int(token) <= files:
            cells += [0] * int(token)
        elif token in symbols[1:]:
            cells.append(symbols.index(token, 1))
        else:
            raise ValueError(f"{place}: {token!r} is not one of {symbols[1:]}{numbers}")
    if len(cells) != files:
        raise ValueError(f"{place}: expected {files} squares, got {len(cells)}")
    return cells
