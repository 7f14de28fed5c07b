"""Replays recorded games of Murus Gallicus, and the line that repeats its position."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    combine,
    different,
)
from benchmarks.golden.murus_gallicus.positions import position_text
from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.search.exhaustive import host_batches

FIELDS = {
    "plies": int,
    "result": int,
    "reason": str,
    "final": str,
    "moves": [str],
    "actions": [int],
    "nlegal": [int],
}
CYCLE_FIELDS = {"start": str, "moves": [str], "fens": [str]}
RULES = MurusGallicus()
CHUNK = 128  # games
NO_ACTION = -1  # pads the shorter games of a batch
REASONS = {"breakthrough": "breakthrough", "no move": "no_moves", "ply limit": "cap"}
OCCURRENCES = 3  # `repetition_draw` in the check of the cycle


class Trace(NamedTuple):
    """Replayed games; each array is `[games, plies]` and ply `t` has the position before it.

    After the last move the final position repeats.
    """

    games: Any
    is_over: Any
    returns: Any  # [games, plies, seats]
    num_legal: Any
    is_legal: Any  # the recorded action


def check_games(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares actions, texts, numbers of legal actions and results of whole games."""
    del settings
    trace = replay(RULES, [record["actions"] for record in records])
    return [
        _check_game(record, Trace(*host_batches.take(tuple(trace), i)))
        for i, record in enumerate(records)
    ]


def check_cycle(records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Plays the line round after round, with and without `repetition_draw`."""
    del settings
    return [_check_cycle(record) for record in records]


def replay(rules: MurusGallicus, games: Sequence[Sequence[int]]) -> Trace:
    """Replays recorded actions from the start.

    A game stops at its first illegal action.
    """
    numbers = np.full((len(games), rules.max_steps + 1), NO_ACTION, np.int32)
    for row, actions in zip(numbers, games, strict=True):
        for ply, action in enumerate(actions[: rules.max_steps]):
            row[ply] = action if 0 <= action < rules.num_actions else NO_ACTION
    return Trace(*host_batches.map_chunks(functools.partial(_replay, rules), CHUNK, numbers))


@functools.partial(jax.jit, static_argnums=0)
def _replay(rules: MurusGallicus, numbers: Int32[Array, "B plies"]) -> Trace:
    def replay_one(actions: Int32[Array, "plies"]) -> Trace:
        def ply(game: Any, action: Int32[Array, ""]) -> tuple[Any, Trace]:
            legal, is_over = rules.legal_actions(game), rules.is_over(game)
            is_legal = (action != NO_ACTION) & legal[action] & ~is_over
            moved = rules.step(game, action)
            after = jax.tree.map(lambda new, old: jnp.where(is_legal, new, old), moved, game)
            return after, Trace(game, is_over, rules.returns(game), legal.sum(), is_legal)

        return jax.lax.scan(ply, rules.init(jax.random.key(0)), actions)[1]

    return jax.vmap(replay_one)(numbers)


def _check_game(record: Record, trace: Trace) -> Verdict:
    """Compares one record with its replay; the first difference counts."""
    plies = record["plies"]
    lengths = [len(record[name]) for name in ("moves", "actions", "nlegal")]
    if lengths != [plies] * 3 or plies > RULES.max_steps:
        return different(
            "number of plies", plies, f"{lengths} moves, actions and numbers of legal actions"
        )
    for ply in range(plies):
        verdict = _check_ply(record, trace, ply)
        if verdict != EQUAL:
            return verdict
    final = host_batches.take(trace.games, plies)
    if not trace.is_over[plies]:
        return different("end of the game", f"an end after {plies} plies", "no end")
    end = position.ending(RULES, final)
    mine = {
        "result": int(trace.returns[plies][position.ROMANS]),
        "reason": None if end is None else REASONS[end],
        "final": position_text(RULES, final),
    }
    for name, value in mine.items():
        if record[name] != value:
            return different(name, repr(record[name]), repr(value))
    return EQUAL


def _check_ply(record: Record, trace: Trace, ply: int) -> Verdict:
    place = f"ply {ply + 1}"
    action, move = record["actions"][ply], record["moves"][ply]
    game = host_batches.take(trace.games, ply)
    if trace.is_over[ply]:
        return different(place, f"the move {move!r}", "the end of the game before it")
    if trace.num_legal[ply] != record["nlegal"][ply]:
        return different(
            f"{place}, number of legal actions", record["nlegal"][ply], trace.num_legal[ply]
        )
    moves = notation.playable_moves(RULES, game)
    if not trace.is_legal[ply]:
        return different(f"{place}, action", action, f"the legal ones {list(moves)}")
    if moves.get(action) != move:
        return different(f"{place}, text of action {action}", repr(move), repr(moves.get(action)))
    text = notation.state_to_text(RULES, game)
    again = notation.state_to_text(RULES, notation.text_to_state(RULES, text))
    return EQUAL if again == text else different(f"{place}, position text", text, again)


def _check_cycle(record: Record) -> Verdict:
    try:
        verdict = _check_round(record)
    except ValueError as error:
        return different("line", "legal moves", f"an error ({error})")
    if verdict != EQUAL:
        return verdict
    repeats = MurusGallicus(repetition_draw=OCCURRENCES)
    return combine(
        _check_end(record, RULES, "ply limit", RULES.max_plies),
        _check_end(record, repeats, "repetition", (OCCURRENCES - 1) * len(record["moves"])),
    )


def _check_round(record: Record) -> Verdict:
    game = notation.text_to_state(RULES, record["start"])
    if len(record["fens"]) != len(record["moves"]) + 1:
        return different("fens", len(record["fens"]), f"{len(record['moves'])} moves")
    for number, expected in enumerate(record["fens"]):
        text = position_text(RULES, game)
        if text != expected:
            return different(f"position {number}", expected, text)
        if number < len(record["moves"]):
            game = _play(RULES, game, record["moves"][number])
    return EQUAL if text == record["start"] else different("last position", record["start"], text)


def _check_end(record: Record, rules: MurusGallicus, reason: str, plies: int) -> Verdict:
    """Compares how and when playing round after round ends the game, as a draw."""
    game = notation.text_to_state(rules, record["start"])
    while not rules.is_over(game):
        game = _play(rules, game, record["moves"][int(game.ply) % len(record["moves"])])
    returns = np.asarray(rules.returns(game)).tolist()
    mine = (int(game.ply), position.ending(rules, game), returns)
    expected = (plies, reason, [0.0, 0.0])
    return EQUAL if mine == expected else different(f"end by {reason}", expected, mine)


def _play(rules: MurusGallicus, game: Any, move: str) -> Any:
    action = notation.text_to_action(rules, game, move)
    return jax.device_get(_step(rules, game, action))


@functools.partial(jax.jit, static_argnums=0)
def _step(rules: MurusGallicus, game: Any, action: Int32[Array, ""]) -> Any:
    return rules.step(game, action)
