"""Colours of text in a terminal: ANSI escape sequences of the usual 256 colours, or none."""

import dataclasses
import functools
from collections.abc import Callable, Iterator

_LEVELS = (0, 95, 135, 175, 215, 255)  # of red, green and blue in the cube of 6 x 6 x 6 colours
_CUBE = 16  # number of the first colour of the cube
MUTED = "#878787"  # coordinates and other small print


@dataclasses.dataclass(frozen=True)
class Paint:
    """Colours texts, if it is enabled; otherwise they stay as they are."""

    is_enabled: bool = False

    def __call__(
        self, text: str, ink: str | None = None, ground: str | None = None, bold: bool = False
    ) -> str:
        """Returns a text in colours.

        Args:
            text: the text.
            ink: colour of the letters, `"#rrggbb"`; None: as it is.
            ground: colour of the background.
            bold: whether the letters are bold.
        """
        codes = ["1"] if bold else []
        codes += [f"38;5;{_number(ink)}"] if ink else []
        codes += [f"48;5;{_number(ground)}"] if ground else []
        if not self.is_enabled or not codes:
            return text
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m"


@functools.cache
def _number(colour: str) -> int:
    """Returns the number of the colour of the cube that is nearest to `"#rrggbb"`."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    nearest = [min(range(6), key=lambda step: abs(_LEVELS[step] - part)) for part in parts]
    return _CUBE + 36 * nearest[0] + 6 * nearest[1] + nearest[2]


def board_lines(
    board: str, files: str, paint: Paint, symbol: Callable[[str], str]
) -> Iterator[str]:
    """Yields the lines of a board of ranks and files, the last rank first.

    Args:
        board: the field of a position text: ranks parted by `/`, a digit for empty squares.
        files: the letters of the files.
        paint: colours.
        symbol: returns the symbol of a square, `.` if it is empty, in colours.
    """
    letters = paint("   " + " ".join(files), MUTED)
    yield letters
    ranks = board.split("/")
    for number, rank in zip(range(len(ranks), 0, -1), ranks, strict=True):
        squares = "".join("." * int(each) if each.isdigit() else each for each in rank)
        name = paint(str(number), MUTED)
        yield f" {name} {' '.join(map(symbol, squares))} {name}"
    yield letters
