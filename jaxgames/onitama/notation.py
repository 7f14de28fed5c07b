"""Positions and moves of Onitama as text. Host side, on one game, in plain Python and NumPy.

A position has four fields, `bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0`:

1. ranks 5 to 1, files a to e as Red sees them: `r R` Red's students and master, `b B` Blue's, a
   digit for that many empty squares; a captured master is simply missing;
2. the side to move, `r` or `b`;
3. Red's hand, Blue's hand and the side card; a hand may be read in any order and is written with
   the lower card id first;
4. the number of plies played.

Any of the 32 cards may appear: the deck of the rules limits what is dealt, not what is read.

A move is `card:` followed by the squares from and to, `tiger:c1c3`, or `crab:pass`.
"""

import re
from typing import Any, NamedTuple

import numpy as np

from jaxgames.boards.notation import GameNotation, on_host
from jaxgames.boards.squares import EMPTY, board_text, read_board
from jaxgames.onitama import cards
from jaxgames.onitama.moves import NUM_SLOTS
from jaxgames.onitama.rules import CAPTURED, PASS, WORDS_PER_SQUARE, Onitama, OnitamaState
from jaxgames.onitama.setup import deal_mask, parse_deal

FILES = "abcde"
SIDES = "rb"  # seat 0 and seat 1
STUDENTS, MASTERS = "rb", "RB"
_SYMBOLS = EMPTY + "rRbB"
MAX_STUDENTS = 4
NUM_FIELDS = 4
MOVE = re.compile(r"\w+:([a-e][1-5][a-e][1-5]|pass)")
FORM = "card:c1c3"


class Pieces(NamedTuple):
    """One side's pieces, squares in that side's own frame."""

    board: int  # bit s: a piece on square s
    master: int  # square, or CAPTURED


def to_frame(square: int, seat: int) -> int:
    """Turns a square as Red numbers it into the frame of `seat`, and back."""
    return square if seat == 0 else cards.NUM_SQUARES - 1 - square


def square_name(square: int, seat: int) -> str:
    """Returns the name, such as `c1`, of a square in the frame of `seat`."""
    rank, file = divmod(to_frame(square, seat), cards.SIDE)
    return f"{FILES[file]}{rank + 1}"


def hand_ids(hand: int) -> list[int]:
    """Returns the card ids of a hand, ascending."""
    return [card for card in range(cards.NUM_CARDS) if hand >> card & 1]


def red_and_blue(game: OnitamaState) -> tuple[tuple[Pieces, int], tuple[Pieces, int]]:
    """Returns `(pieces, hand)` of Red and of Blue."""
    own = Pieces(int(game.own_pieces), int(game.own_master)), int(game.own_hand)
    other = Pieces(int(game.other_pieces), int(game.other_master)), int(game.other_hand)
    return (own, other) if int(game.seat) == 0 else (other, own)


def state_to_text(rules: Onitama, game: OnitamaState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    del rules
    game = to_host(game)
    (red, red_hand), (blue, blue_hand) = red_and_blue(game)
    deal = "|".join(
        ",".join(cards.CARDS[card].name for card in hand_ids(hand))
        for hand in (red_hand, blue_hand)
    )
    side_card = cards.CARDS[int(game.side_card)].name
    board = _board_text((red, blue))
    return f"{board} {SIDES[int(game.seat)]} {deal}|{side_card} {int(game.ply)}"


def printed(game: OnitamaState) -> str:
    """Returns the position text, which a `State` prints."""
    return state_to_text(Onitama(), game)


def text_to_state(rules: Onitama, text: str) -> OnitamaState:
    """Returns the position that a text describes, made of NumPy scalars.

    Raises:
        ValueError: for a malformed text or a position that no game can reach; names the part at
            fault and what was expected.
    """
    fields = text.split()
    if len(fields) != NUM_FIELDS:
        raise ValueError(
            f"position {text!r}: expected {NUM_FIELDS} fields (board, side to move, cards, ply), "
            f"got {len(fields)}"
        )
    return read_fields(fields, rules.max_plies)


def check_options(rules: Onitama, game: OnitamaState) -> None:
    """Raises a `ValueError` for a position with cards that the options do not deal."""
    game = to_host(game)
    ids = hand_ids(int(game.own_hand) | int(game.other_hand) | 1 << int(game.side_card))
    dealt = deal_mask(rules.canonical.deck)  # with a fixed deal, its cards alone
    source = f"deck={rules.deck!r}" if rules.deal is None else f"deal={rules.deal!r}"
    strange = [cards.CARDS[card].name for card in ids if not dealt >> card & 1]
    if strange:
        expected = ", ".join(cards.CARDS[card].name for card in hand_ids(dealt))
        raise ValueError(
            f"cards {', '.join(strange)}: expected cards that {source} deals: {expected}"
        )


def in_words(text: str, chapter: str) -> str:
    """Returns a move as people say it: `tiger:c1c3` as "tiger: c1 to c3"."""
    del chapter  # the game has none
    card, _, squares = text.partition(":")
    return f"{card}: {squares if squares == 'pass' else f'{squares[:2]} to {squares[2:]}'}"


def playable_moves(rules: Onitama, game: OnitamaState) -> dict[int, str]:
    """Returns number and text of each legal action, ascending.

    Raises:
        ValueError: if the game is over.
    """
    game = to_host(game)
    is_won = game.own_master == CAPTURED or game.other_master == cards.TARGET_TEMPLE
    if is_won or game.ply >= rules.max_plies:
        raise ValueError(f"the game is over, no move is legal: {state_to_text(rules, game)}")
    return legal_moves(game)


NOTATION = GameNotation(text_to_state, playable_moves, MOVE, FORM)
action_to_text, text_to_action = NOTATION.action_to_text, NOTATION.text_to_action


def legal_moves(game: OnitamaState) -> dict[int, str]:
    """Returns number and text of each legal action, ascending; assumes a game in progress."""
    game = to_host(game)
    seat, own = int(game.seat), int(game.own_pieces)
    hand = hand_ids(int(game.own_hand))
    moves = {}
    for square in range(cards.NUM_SQUARES):
        if not own >> square & 1:
            continue
        for slot, card in enumerate(hand):
            for move, target in enumerate(cards.TARGETS[card, square].tolist()):
                if target >= 0 and not own >> target & 1:
                    action = (square * NUM_SLOTS + slot) * cards.MAX_MOVES + move
                    squares = square_name(square, seat) + square_name(target, seat)
                    moves[action] = f"{cards.CARDS[card].name}:{squares}"
    return moves or {PASS + i: f"{cards.CARDS[card].name}:pass" for i, card in enumerate(hand)}


def move_squares(game: OnitamaState, action: int) -> tuple[int, int] | None:
    """Returns the squares from and to of an action, as Red numbers them; None for a pass."""
    if action >= PASS:
        return None
    game = to_host(game)
    square, index = divmod(int(action), WORDS_PER_SQUARE)
    slot, move = divmod(index, cards.MAX_MOVES)
    card = hand_ids(int(game.own_hand))[slot]
    target = int(cards.TARGETS[card, square, move])
    return to_frame(square, int(game.seat)), to_frame(target, int(game.seat))


def to_host(game: OnitamaState) -> OnitamaState:
    """Returns the game with host values; refuses a batch of games."""
    return on_host(game, game.ply)


def read_fields(fields: list[str], max_plies: int) -> OnitamaState:
    """Returns the position of the four fields of a text, made of NumPy scalars.

    Raises:
        ValueError: as `text_to_state`.
    """
    board, side, deal, ply = fields
    sides = _read_board(board)
    if side not in tuple(SIDES):
        raise ValueError(f"side to move {side!r}: expected 'r' or 'b'")
    if not (ply.isascii() and ply.isdigit()) or int(ply) > max_plies:
        raise ValueError(f"ply {ply!r}: expected a number from 0 to {max_plies}")
    red_hand, blue_hand, side_card = parse_deal(deal)

    seat = SIDES.index(side)
    own, other = sides[seat], sides[1 - seat]
    hands = [1 << low | 1 << high for low, high in (red_hand, blue_hand)]
    _check_reachable(board, seat, own, other)
    values: dict[str, Any] = {
        "own_pieces": np.uint32(own.board),
        "other_pieces": np.uint32(other.board),
        "own_hand": np.uint32(hands[seat]),
        "other_hand": np.uint32(hands[1 - seat]),
        "own_master": np.int8(own.master),
        "other_master": np.int8(other.master),
        "side_card": np.int8(side_card),
        "seat": np.int8(seat),
        "ply": np.uint8(int(ply)),
    }
    return OnitamaState(**values)


def _read_board(text: str) -> tuple[Pieces, Pieces]:
    board = read_board(text, cards.SIDE, cards.SIDE, _SYMBOLS).reshape(-1)
    red, blue = (_read_pieces(text, board, seat) for seat in range(len(SIDES)))
    return red, blue


def _read_pieces(text: str, board: np.ndarray, seat: int) -> Pieces:
    """Returns the pieces of a seat on a board, which holds the number of each square's symbol."""
    students, masters = (
        [to_frame(square, seat) for square in np.flatnonzero(board == number).tolist()]
        for number in (_SYMBOLS.index(kind[seat]) for kind in (STUDENTS, MASTERS))
    )
    if len(masters) > 1:
        raise ValueError(f"board {text!r}: more than one master {MASTERS[seat]!r}")
    if len(students) > MAX_STUDENTS:
        raise ValueError(
            f"board {text!r}: at most {MAX_STUDENTS} students {STUDENTS[seat]!r}, "
            f"got {len(students)}"
        )
    pieces = sum(1 << square for square in students + masters)
    return Pieces(pieces, masters[0] if masters else CAPTURED)


def _check_reachable(board: str, seat: int, own: Pieces, other: Pieces) -> None:
    """Refuses positions in which the game ended before the last move."""
    if other.master == CAPTURED:
        missing, mover = MASTERS[1 - seat], SIDES[seat]
        raise ValueError(
            f"board {board!r} with {mover!r} to move: master {missing!r} is missing, but only the "
            "side to move can have lost its master"
        )
    if own.master == cards.TARGET_TEMPLE:
        raise ValueError(
            f"board {board!r} with {SIDES[seat]!r} to move: master {MASTERS[seat]!r} is on the "
            "enemy temple, so that side has won already and cannot be to move"
        )


def _board_text(sides: tuple[Pieces, Pieces]) -> str:
    board = np.zeros(cards.NUM_SQUARES, np.int8)
    for seat, pieces in enumerate(sides):
        for square in range(cards.NUM_SQUARES):
            if pieces.board >> square & 1:
                kind = MASTERS if square == pieces.master else STUDENTS
                board[to_frame(square, seat)] = _SYMBOLS.index(kind[seat])
    return board_text(board.reshape(cards.SIDE, cards.SIDE), _SYMBOLS)
