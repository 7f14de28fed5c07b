"""Games of Onitama as `.oni` files, which other programs of the game read and write.

The format: spaces, line ends and remarks from `#` to the end of a line mean nothing, nor does case.
First comes the board, 25 symbols from Blue's home row to Red's, `.` empty, `0 1` students of Red
and Blue, `2 3` their masters; without it, the set-up of the game. Then five cards: two of Red, two
of Blue, the side card. Then the moves, each a card and the squares from and to. Squares are `a` to
`y`, row by row from Blue's left corner as Red sees it. Red moves first.

The format has the 16 cards of the base game only, no passes, and no plies before the start. A game
that Blue begins is written with the colours exchanged, which a remark says.
"""

import re
from collections.abc import Sequence
from typing import Any

from jaxgames.onitama import cards
from jaxgames.onitama.notation import FILES, MASTERS, SIDES, STUDENTS

CARDS = {
    "B": "boar",
    "C": "cobra",
    "D": "dragon",
    "E": "eel",
    "F": "frog",
    "G": "goose",
    "H": "horse",
    "K": "crane",
    "L": "elephant",
    "M": "mantis",
    "O": "ox",
    "Q": "crab",
    "R": "rabbit",
    "T": "tiger",
    "U": "rooster",
    "X": "monkey",
}
LETTERS = {name: letter for letter, name in CARDS.items()}
EXCHANGED = "# Colours are exchanged: Red of this file is Blue, seat 1."
_EMPTY = "."
_SYMBOLS: dict[str, str] = dict(zip("0123", (*STUDENTS, *MASTERS), strict=True))
_SET_UP = "11311" + 15 * _EMPTY + "00200"
_PASS = "pass"


def read(rules: Any, text: str, start: str | None) -> tuple[str, list[str]]:
    """Returns the position before the first move and the moves of an `.oni` file, in notation.

    Args:
        rules: the game, which does not matter.
        text: the file.
        start: not taken: a file says where its game begins.

    Raises:
        ValueError: for a start, or another text; names the part at fault.
    """
    del rules
    if start is not None:
        raise ValueError("an .oni file says where its game begins: start must be None")
    plain = "".join(re.sub("#[^\n]*", "", text).split()).upper()
    board = _SET_UP
    if plain[:1] in {_EMPTY, *_SYMBOLS} and plain:
        board, plain = plain[: cards.NUM_SQUARES], plain[cards.NUM_SQUARES :]
    ranks = _board_text(board)
    names = [_card(letter, f"card {number}") for number, letter in enumerate(plain[:5], start=1)]
    if len(names) < 5:
        raise ValueError(f"expected five cards, got {len(names)}")
    deal = f"{names[0]},{names[1]}|{names[2]},{names[3]}|{names[4]}"
    moves = [plain[place : place + 3] for place in range(5, len(plain), 3)]
    position = f"{ranks} {SIDES[0]} {deal} 0"
    return position, [_move(move, number) for number, move in enumerate(moves, start=1)]


def write(
    rules: Any, start: str, moves: Sequence[str], decisions: Sequence[tuple[int, int]]
) -> str:
    """Returns the `.oni` file of a game.

    Args:
        rules: the game, which does not matter.
        start: the position before the first move.
        moves: the moves in notation.
        decisions: seat and action of each move, which do not matter either.

    Raises:
        ValueError: for what the format lacks: a card that is not of the base game, or a pass.
    """
    del rules, decisions
    board, side, deal, *_ = start.split()
    symbols = re.sub("[1-5]", lambda empty: _EMPTY * int(empty[0]), board.replace("/", ""))
    digits = {name: digit for digit, name in _SYMBOLS.items()}
    symbols = "".join(digits.get(symbol, symbol) for symbol in symbols)
    hands = deal.split("|")
    is_exchanged = side == SIDES[1]
    if is_exchanged:
        symbols = symbols[::-1].translate(str.maketrans("0123", "1032"))
        hands = [hands[1], hands[0], hands[2]]
    lines = [symbols[row : row + cards.SIDE] for row in range(0, len(symbols), cards.SIDE)]
    lines.append("".join(_letter(name) for name in ",".join(hands).split(",")))
    lines += [_move_letters(move, is_exchanged) for move in moves]
    return "\n".join([EXCHANGED, *lines] if is_exchanged else lines) + "\n"


def _card(letter: str, place: str) -> str:
    if letter not in CARDS:
        raise ValueError(f"{place}: expected one of {''.join(CARDS)}, got {letter!r}")
    return CARDS[letter]


def _board_text(board: str) -> str:
    """Returns the first field of a position text."""
    if len(board) < cards.NUM_SQUARES or set(board) - {_EMPTY, *_SYMBOLS}:
        raise ValueError(f"board: expected {cards.NUM_SQUARES} of .0123, got {board!r}")
    pieces = "".join(_SYMBOLS.get(symbol, symbol) for symbol in board)
    ranks = [pieces[row : row + cards.SIDE] for row in range(0, len(board), cards.SIDE)]
    return "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), rank) for rank in ranks)


def _move(move: str, number: int) -> str:
    place = f"move {number}, {move!r}"
    name = _card(move[0], place)
    if len(move) < 3:
        raise ValueError(f"{place}: expected a card and two squares")
    return f"{name}:{''.join(_square_name(letter, place) for letter in move[1:])}"


def _square_name(letter: str, place: str) -> str:
    square = ord(letter) - ord("A")
    if not 0 <= square < cards.NUM_SQUARES:
        raise ValueError(f"{place}: expected a square from a to y, got {letter!r}")
    row, file = divmod(square, cards.SIDE)
    return f"{FILES[file]}{cards.SIDE - row}"


def _letter(name: str) -> str:
    if name not in LETTERS:
        raise ValueError(f".oni files have the cards of the base game only, got {name!r}")
    return LETTERS[name]


def _move_letters(move: str, is_exchanged: bool) -> str:
    name, _, squares = move.partition(":")
    if squares == _PASS:
        raise ValueError(f".oni files have no passes, got {move!r}")
    numbers = [
        (cards.SIDE - int(squares[place + 1])) * cards.SIDE + FILES.index(squares[place])
        for place in (0, 2)
    ]
    if is_exchanged:
        numbers = [cards.NUM_SQUARES - 1 - number for number in numbers]
    return _letter(name) + "".join(chr(ord("a") + number) for number in numbers)
