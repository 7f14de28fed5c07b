"""What is said to a player in another process: JSON objects, one a line, each with an answer.

    {"type": "start", "protocol": 1, "game": "onitama", "options": {}, "seats": 2}
    {"type": "ready"}
    {"type": "move", "seat": 0, "position": "...", "board": "...", "legal_moves": ["a1-a2", ...],
     "clock": {"seconds": 60.0, "nodes": null, "ponder": false}}
    {"type": "move", "move": "a1-a2", "values": [0.2, -0.2]}

Each position is told as a whole, so a player needs no memory. With `ponder` it may think on after
its answer, until the next question. Tools for language models describe positions in the same way
(`agents.mcp`).
"""

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.search.real_time.pieces import Limit
from jaxgames.state import State

VERSION = 1
MOST_SHOWN = 200  # characters of an answer in a message about it
Message = dict[str, Any]


def start(env: Env[Any]) -> Message:
    """Returns the first message to a process, about the game; the answer is `ready`."""
    return {
        "type": "start",
        "protocol": VERSION,
        "game": env.id,
        "options": env.rules.non_default_options,
        "seats": env.num_players,
    }


def position(env: Env[Any], state: State[Any], legal_moves: Iterable[str]) -> Message:
    """Returns what describes a position.

    Args:
        env: the game.
        state: the position, as the seat to move may know it.
        legal_moves: the moves from which the seat may choose, in notation.

    Returns:
        `seat`, `position` (the position text), `board` (lines for a terminal; None for a game
        without) and `legal_moves`.
    """
    seat = int(state.current_player)
    return {
        "seat": seat,
        "position": env.state_to_text(state),
        "board": None if env.text_boards is None else env.text_board(state, seat=seat),
        "legal_moves": list(legal_moves),
    }


def move_query(env: Env[Any], state: State[Any], limit: Limit) -> Message:
    """Returns the question for a move; `clock` holds the limits of its search."""
    moves = env.legal_moves(state).values()
    return {
        "type": "move",
        **position(env, state, moves),
        "clock": dataclasses.asdict(limit),
    }


def read_ready(line: str) -> None:
    """Raises a `ValueError` unless an answer says that the process is ready."""
    _read(line, "ready")


def read_move(env: Env[Any], state: State[Any], line: str) -> tuple[int, tuple[float, ...] | None]:
    """Returns the action of an answer, and the expected return of each seat if it gives any.

    Raises:
        ValueError: for anything else, or a move that is not legal in the position.
    """
    answer = _read(line, "move")
    move = answer.get("move")
    if not isinstance(move, str):
        raise ValueError(f"expected the text of a move under 'move', got {_shown(line)}")
    values = answer.get("values")
    if values is None:
        return env.text_to_action(state, move), None
    is_list = isinstance(values, list) and len(values) == env.num_players
    if not is_list or not all(type(x) in (int, float) and -1 <= x <= 1 for x in values):
        raise ValueError(
            f"expected {env.num_players} numbers from -1 to 1 under 'values', got {_shown(line)}"
        )
    return env.text_to_action(state, move), tuple(map(float, values))


def line(message: Message) -> str:
    """Returns a message as the line that is sent."""
    return json.dumps(message) + "\n"


def _read(text: str, kind: str) -> Message:
    try:
        answer = files.parse_json(text, allow_nan=False)
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or answer.get("type") != kind:
        raise ValueError(f'expected {{"type": "{kind}", ...}}, got {_shown(text)}')
    return answer


def _shown(text: str) -> str:
    text = text.strip()
    return f"{text[:MOST_SHOWN]!r}{'...' if len(text) > MOST_SHOWN else ''}"
