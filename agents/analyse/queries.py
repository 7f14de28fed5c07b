"""Queries and answers as JSON objects, with the field names of KataGo's analysis engine.

A query names a position and moves from there; `analyzeTurns` says after how many of the moves the
game is analysed, by default after all of them. Each turn has its own answer. What is wrong with a
query is answered too, under `error`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.analysis.analysis import Analysis, analyse_batch
from jaxgames.env import Env
from jaxgames.internal import files
from jaxgames.internal.messages import unknown
from jaxgames.players.player import Player
from jaxgames.state import State

MAX_LINE = 2**20  # characters of a query: some hundred times the longest position
FIELDS = ("id", "position", "moves", "analyzeTurns")
Document = dict[str, Any]


class QueriedTurn(NamedTuple):
    """One position of a query, ready to be analysed."""

    id: Any
    number: int  # moves played before
    state: State[Any]


def read(env: Env[Any], line: str, start: State[Any]) -> list[QueriedTurn] | Document:
    """Returns the positions that a query asks for, or the answer that says what is wrong.

    Args:
        env: the game.
        line: the query, one JSON object.
        start: the position of a query that names none.
    """
    query: Any = None
    try:
        if len(line) > MAX_LINE:
            raise ValueError(f"a query has at most {MAX_LINE} characters, got {len(line)}")
        query = files.parse_json(line, allow_nan=False)
        if not isinstance(query, dict):
            raise ValueError("expected a JSON object")
        return _turns(env, query, start)
    except ValueError as error:
        answer: Document = {"error": str(error)}
        if isinstance(query, dict) and "id" in query:
            answer = {"id": query["id"], **answer}
        return answer


def answer(
    env: Env[Any], turns: Sequence[QueriedTurn], player: Player, top: int, key: PRNGKeyArray
) -> list[Document]:
    """Returns the answers for positions, which are searched together."""
    found = analyse_batch(env, [turn.state for turn in turns], player, top, key)
    return [_answer(turn, analysis) for turn, analysis in zip(turns, found, strict=True)]


def positions_after(env: Env[Any], state: State[Any], moves: Sequence[str]) -> list[State[Any]]:
    """Returns a position and those after each of the moves.

    Raises:
        ValueError: for an illegal move, or moves in a game in which they do not determine the next
            position.
    """
    if moves and env.rules.stochastic:
        raise ValueError(f"moves: in {env.id} chance decides what follows a move; name a position")
    if len(moves) > env.max_steps:
        raise ValueError(f"moves: a game has at most {env.max_steps}, got {len(moves)}")
    states = [state]
    for ply, move in enumerate(moves):
        try:
            action = env.text_to_action(state, move)
        except ValueError as error:
            raise ValueError(f"moves, ply {ply}: {error}") from error
        state = jax.device_get(env.step(state, jnp.int32(action)))
        states.append(state)
    return states


def _turns(env: Env[Any], query: Document, start: State[Any]) -> list[QueriedTurn]:
    for name in query:
        if name not in FIELDS:
            raise ValueError(unknown("field", name, FIELDS))
    moves = query.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise ValueError(f"moves: expected a list of texts, got {moves!r}"[:200])
    numbers = query.get("analyzeTurns", [len(moves)])
    is_list = isinstance(numbers, list) and 0 < len(numbers) <= len(moves) + 1
    if not is_list or not all(type(n) is int and 0 <= n <= len(moves) for n in numbers):
        raise ValueError(
            f"analyzeTurns: expected a list of numbers from 0 to {len(moves)}, each at most once, "
            f"got {numbers!r}"[:300]
        )
    if "position" in query:
        start = jax.device_get(env.text_to_state(query["position"]))
    states = positions_after(env, start, moves)
    turns = [
        QueriedTurn(query.get("id"), number, states[number]) for number in dict.fromkeys(numbers)
    ]
    for turn in turns:
        if turn.state.terminated or turn.state.truncated:
            raise ValueError(f"turn {turn.number}: the game is over, there is nothing to analyse")
    return turns


def _answer(turn: QueriedTurn, analysis: Analysis) -> Document:
    moves = [
        _without_none(
            move=move.move,
            action=move.action,
            order=order,
            visits=move.visits,
            utility=move.value,
            prior=move.prior,
            policy=move.policy,
            pv=list(move.variation),
        )
        for order, move in enumerate(analysis.moves)
    ]
    root = _without_none(
        currentPlayer=analysis.seat,
        visits=analysis.visits,
        values=None if analysis.values is None else list(analysis.values),
        score=analysis.score,
        depth=analysis.depth,
    )
    return _without_none(
        id=turn.id,
        turnNumber=turn.number,
        isDuringSearch=False,
        move=analysis.move,
        action=analysis.action,
        explanation=analysis.explanation,
        moveInfos=moves,
        rootInfo=root,
    )


def _without_none(**fields: Any) -> Document:
    return {name: value for name, value in fields.items() if value is not None}
