"""A person's move: the board, the question, and what the answer means."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from agents.terminal.console import Console, Left
from jaxgames.env import Env
from jaxgames.internal import messages
from jaxgames.state import State

COLUMNS = 96  # characters of a list of moves
MOST_LISTED = 12  # moves that a prefix may mean and that are listed without being asked for
HELP = {
    "?": "this help and all legal moves; `? build` lists the moves that begin so",
    "board": "the board again",
    "position": "the position as text",
    "quit": "leave the game",
}


class Command(NamedTuple):
    """An answer that is no move: one of the commands that were offered."""

    word: str
    argument: str


def ask_move(
    env: Env[Any],
    state: State[Any],
    console: Console,
    name: str,
    commands: Mapping[str, str] | None = None,
    note: str = "",
) -> int | Command:
    """Asks the person on the seat to move until the answer is a legal move or a command.

    A move is read in any case; its beginning is enough if no other legal move begins so.

    Args:
        env: the game.
        state: one game in progress. Only what the seat to move knows is shown.
        console: where the person is asked.
        name: the person's name.
        commands: further commands and what they do; a word in capital letters takes an argument.
        note: a few words above the question.

    Raises:
        Left: if the person quits, or the input is over.
    """
    offered = {**HELP, **(commands or {})}
    words = {title.split()[0]: title for title in offered}
    moves = env.legal_moves(state)
    show_board(env, state, console, int(state.current_player))
    if note:
        console.say(note)
    while True:
        answer = console.ask(f"{name} (seat {int(state.current_player)}), your move or ?: ")
        if not answer:
            continue
        found = matching(moves, answer)
        if len(found) == 1:
            return next(iter(found))
        word, _, argument = answer.partition(" ")
        word = word.casefold()
        if not found and word in words:
            if word == "quit":
                raise Left("the game was left")
            if word == "?":
                _help(console, offered, matching(moves, argument) if argument else moves)
            elif word == "board":
                show_board(env, state, console, int(state.current_player))
            elif word == "position":
                console.say(position_text(env, state))
            else:
                return Command(word, argument.strip())
        elif found:
            console.say(f"{len(found)} moves begin with {answer!r}:")
            _list(console, found if len(found) <= MOST_LISTED else _shortened(found))
        else:
            offer = messages.hint(answer, [*moves.values(), *words]) or "; ? lists the legal moves"
            console.say(f"{answer!r} is not a legal move{offer}")


def matching(moves: Mapping[int, str], text: str) -> dict[int, str]:
    """Returns the move that a text means in any case, or else all moves that begin with it."""
    wanted = messages.plain(text)
    plain = {action: messages.plain(name) for action, name in moves.items()}
    exact = [action for action, name in plain.items() if name == wanted]
    begins = [action for action, name in plain.items() if name.startswith(wanted)]
    return {action: moves[action] for action in exact or begins}


def show_board(env: Env[Any], state: State[Any], console: Console, seat: int | None) -> None:
    """Writes the board as a seat knows it, or as a whole."""
    shown = None if env.rules.perfect_information else seat
    console.say()
    if env.text_boards is None:
        console.say(position_text(env, state))
    else:
        console.say(env.text_board(state, seat=shown, colours=console.has_colours))


def position_text(env: Env[Any], state: State[Any]) -> str:
    """Returns the position text, if the position is no secret."""
    if env.rules.perfect_information:
        return env.state_to_text(state)
    return "the position as text would tell what is hidden from you"


def _help(console: Console, commands: Mapping[str, str], moves: Mapping[int, str]) -> None:
    for word, meaning in commands.items():
        console.say(f"  {word:<14} {meaning}")
    console.say(f"{len(moves)} legal moves; the beginning of one is enough:")
    _list(console, moves)


def _list(console: Console, moves: Mapping[int, str]) -> None:
    names = list(moves.values())
    width = max(map(len, names), default=0) + 2
    columns = max(1, COLUMNS // width)
    for at in range(0, len(names), columns):
        line = "".join(f"{name:<{width}}" for name in names[at : at + columns])
        console.say(f"  {line.rstrip()}")


def _shortened(moves: Mapping[int, str]) -> dict[int, str]:
    first = dict(list(moves.items())[:MOST_LISTED])
    return first | {-1: f"and {len(moves) - MOST_LISTED} more"}
