"""What the cards and pieces of Onitama do, in words that come from the tables of the rules."""

from jaxgames.internal.sentences import joined, listed
from jaxgames.onitama import cards, notation

STUDENT = joined(
    "moves by a card of its side and captures a piece on the square where it lands",
    "it does not win on a temple",
)
MASTER = joined(
    "moves by a card of its side as a student does",
    "whoever captures the other master, or brings his own to the other temple, wins",
)


def card(number: int, seat: int | None = None) -> str:
    """Returns the moves of a card.

    Args:
        number: the number of the card.
        seat: the seat that moves by it; the squares are then named from the middle of the board.
    """
    offsets = cards.CARDS[number].moves
    moves = f"moves a piece by one of: {'; '.join(map(_offset, offsets))}"
    if seat is None:
        return joined(moves)
    squares = [
        notation.square_name(cards.CENTRE + dx + cards.SIDE * dy, seat) for dx, dy in offsets
    ]
    middle = notation.square_name(cards.CENTRE, seat)
    return joined(moves, f"from {middle} to {listed(squares, 'or')}")


def temple(seat: int) -> str:
    """Returns what the temple of a seat is for."""
    owner, other = (("Red", "Blue"), ("Blue", "Red"))[seat]
    return joined(f"temple of {owner}: the master of {other} wins by moving here")


def glossary() -> dict[str, dict[str, str]]:
    """Returns all pieces and cards by their name in moves, with what they do."""
    return {
        "Pieces": {"student": STUDENT, "master": MASTER},
        "Cards": {entry.name: card(number) for number, entry in enumerate(cards.CARDS)},
    }


def _offset(offset: cards.Offset) -> str:
    """Returns an offset from the mover's point of view: `2 left and 1 ahead`."""
    right, ahead = offset
    steps = [f"{abs(right)} {'right' if right > 0 else 'left'}"] if right else []
    steps += [f"{abs(ahead)} {'ahead' if ahead > 0 else 'back'}"] if ahead else []
    return listed(steps)
