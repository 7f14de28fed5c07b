"""Messages about wrong names, and look-up of move texts, shared by all games."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

LEAST_LIKENESS = 0.5  # of a text and the choice that is offered for it; 1: the same letters


def title(game: str) -> str:
    """Returns the name of a game for people: `Terra Mystica` for `terra_mystica`."""
    return game.replace("_", " ").title()


def find_text(moves: dict[int, str], action: int) -> str:
    """Returns the text of an action of `moves`.

    Raises:
        ValueError: if it has no such action; lists them.
    """
    if int(action) not in moves:
        listed = ", ".join(map(str, moves))
        raise ValueError(f"action {action} is not legal here; legal actions: {listed}")
    return moves[int(action)]


def first_difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str | None:
    """Returns how the first entry that differs does, by name; None if all are equal."""
    for name in sorted(there.keys() | here.keys()):
        old, new = there.get(name, "absent"), here.get(name, "absent")
        if old != new:
            return f"{name} is {old} there and {new} here"
    return None


def check_moves(moves: Any) -> dict[int, str]:
    """Returns the legal moves that a notation lists.

    Raises:
        ValueError: if they are anything but a dictionary of action numbers and texts.
    """
    if not isinstance(moves, dict):
        raise ValueError(
            "playable_moves must return a dict, the text of each legal action by its number, as "
            f"in {{17: 'a1-a3'}}; got {moves!r}"[:400]
        )
    return moves


def find_action(moves: dict[int, str], text: str, pattern: re.Pattern[str], form: str) -> int:
    """Returns the action of `moves` that has a text, in any case and with any spaces between words.

    Args:
        moves: number and text of each legal action.
        text: the text to find.
        pattern: the pattern of well-formed move texts.
        form: a few words that describe this pattern in the message.

    Raises:
        ValueError: if no action has the text; offers the nearest, if one is near, and lists all.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected the text of a move, {form}; got {text!r}")
    wanted = plain(text)
    for action, name in moves.items():
        if plain(name) == wanted:
            return action
    in_any_case = re.compile(pattern.pattern, pattern.flags | re.IGNORECASE)
    is_formed = in_any_case.fullmatch(" ".join(text.split()))
    fault = "is not legal here" if is_formed else f"is not of the form {form}"
    names = moves.values()
    offer = hint(text, names) or "."
    raise ValueError(f"move {text!r} {fault}{offer} Legal moves: {', '.join(names)}")


def plain(text: str) -> str:
    """Returns a text in one case and with single spaces: equal for texts that mean the same."""
    return " ".join(text.casefold().split())


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """Returns the message for a name that is none of `choices`; offers one that is near.

    A tuple is listed in its own order, anything else sorted.
    """
    choices = choices if isinstance(choices, tuple) else sorted(choices)
    listed = ", ".join(choices) or "none"
    return f"unknown {kind} {name!r}; available: {listed}{hint(name, choices)}"


def hint(text: str, choices: Iterable[str]) -> str:
    """Returns words that offer the choice nearest to a text, in any case; none if none is near.

    Choices that begin with the same word are nearer than all others.
    """
    wanted = text.casefold()
    folded = {choice.casefold(): choice for choice in choices}
    alike = [choice for choice in folded if choice.partition(" ")[0] == wanted.partition(" ")[0]]
    nearest = difflib.get_close_matches(
        wanted, alike or folded, n=1, cutoff=0 if alike else LEAST_LIKENESS
    )
    return f"; did you mean {folded[nearest[0]]!r}?" if nearest else ""
