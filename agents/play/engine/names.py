"""Names of players for people, who need not read specs."""

from agents.play.session.session import HUMAN
from jaxgames.players import spec

YOU, PERSON = "You", "A person"
LEVEL = "level"  # in a spec; its field `number` says which
# By the name in a spec; others are their own names in words, `rule_based` for instance.
NAMES = {
    HUMAN: PERSON,
    "afterstate": "Afterstate network",
    "book": "Opening book",
    "gumbel": "Gumbel search",
    "mc": "Monte Carlo",
    "mcts": "Monte Carlo tree search",
    "oep": "Online evolution",
    "osla": "One step ahead",
    "planning_mcts": "Planning tree search",
    "puct": "PUCT search",
    "random": "Random player",
    "rhea": "Rolling horizon",
}


def name_of(text: str) -> str:
    """Returns the name of the player that a spec describes."""
    name, fields = spec.parse(text)
    if name == LEVEL:
        return f"Level {fields.get('number', '')}".strip()
    return NAMES.get(name, name.replace("_", " ").capitalize())


def names_of(specs: list[str], seat: int | None) -> list[str]:
    """Returns the names of the players of all seats, as the person on one of them reads them.

    Args:
        specs: the spec of each seat.
        seat: the seat of the person who reads; None: the only person, if there is one.
    """
    people = [at for at, text in enumerate(specs) if text == HUMAN]
    if seat is None and len(people) == 1:
        seat = people[0]
    return [YOU if at == seat in people else name_of(text) for at, text in enumerate(specs)]
