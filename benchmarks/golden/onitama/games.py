"""Replays recorded games of Onitama."""

import functools
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
    different,
)
from benchmarks.golden.onitama.variant import Variant
from jaxgames.onitama.rules import Onitama
from jaxgames.search.exhaustive import host_batches
from jaxgames.search.exhaustive.host_batches import Batch

FIELDS = {
    "start": str,
    "moves": [str],
    "actions": [int],
    "nlegal": [int],
    "plies": int,
    "winner": str,
    "reason": str,
    "final": str,
}
CHUNK = 128  # games
NO_ACTION = -1  # pads the shorter games of a batch


class Trace(NamedTuple):
    """Replayed games; each array is `[games, plies]` and ply `t` has the position before it.

    After the record's last move the final position repeats.
    """

    games: Any
    is_over: Any
    returns: Any  # [games, plies, seats]
    num_legal: Any
    action: Any  # the variant's number of the recorded action
    is_legal: Any  # the recorded action


def check_games(variant: Variant, records: list[Record], settings: CheckSettings) -> list[Verdict]:
    """Compares positions, masks, actions, texts and results of whole games."""
    del settings
    return variant.check_positions(records, "start", functools.partial(_check, variant))


def _check(variant: Variant, records: list[Record], starts: Batch) -> list[Verdict]:
    # One length for all files of a game, so that the scan compiles once.
    numbers = np.full((len(records), variant.rules.max_steps + 1), NO_ACTION, np.int32)
    for row, record in zip(numbers, records, strict=True):
        for ply, number in enumerate(record["actions"][: variant.rules.max_steps]):
            row[ply] = number if 0 <= number < Onitama.num_actions else NO_ACTION
    replay = functools.partial(_replay, variant)
    trace = Trace(*host_batches.map_chunks(replay, CHUNK, starts, numbers))
    return [
        _check_game(variant, record, Trace(*host_batches.take(tuple(trace), i)))
        for i, record in enumerate(records)
    ]


def _check_game(variant: Variant, record: Record, trace: Trace) -> Verdict:
    """Compares one record with its replay; the first difference counts."""
    plies = record["plies"]
    lengths = [len(record[name]) for name in ("moves", "actions", "nlegal")]
    if lengths != [plies] * 3 or plies > variant.rules.max_steps:
        return different(
            "number of plies", plies, f"{lengths} moves, actions and numbers of legal actions"
        )
    for ply in range(plies):
        verdict = _check_ply(variant, record, trace, ply)
        if verdict != EQUAL:
            return verdict
    final = host_batches.take(trace.games, plies)
    if not trace.is_over[plies]:
        return different("end of the game", f"a win or draw after {plies} plies", "no end")
    winner, reason = variant.outcome(final, trace.returns[plies])
    for what, value in (("winner", winner), ("reason", reason), ("final", variant.text(final))):
        if record[what] != value:
            return different(what, repr(record[what]), repr(value))
    return EQUAL


def _check_ply(variant: Variant, record: Record, trace: Trace, ply: int) -> Verdict:
    place = f"ply {ply + 1}"
    number, move = record["actions"][ply], record["moves"][ply]
    game, action = host_batches.take(trace.games, ply), int(trace.action[ply])
    if trace.is_over[ply]:
        return different(place, f"the move {move!r}", "the end of the game before it")
    if trace.num_legal[ply] != record["nlegal"][ply]:
        return different(
            f"{place}, number of legal actions", record["nlegal"][ply], trace.num_legal[ply]
        )
    if not trace.is_legal[ply]:
        legal = np.flatnonzero(jax.device_get(variant.rules.legal_actions(game)))
        legal_numbers = sorted(np.asarray(variant.numbers(game))[legal].tolist())
        return different(f"{place}, action", number, f"the legal ones {legal_numbers}")
    text = variant.notation.action_to_text(variant.rules, game, action)
    if text != move:
        return different(f"{place}, text of action {number}", repr(move), repr(text))
    read = variant.notation.text_to_action(variant.rules, game, move)
    if read != action:
        return different(f"{place}, action of {move!r}", action, read)
    position = variant.notation.state_to_text(variant.rules, game)
    again = variant.notation.text_to_state(variant.rules, position)
    if variant.notation.state_to_text(variant.rules, again) != position:
        return different(f"{place}, position text", repr(position), "another one when read back")
    return EQUAL


@functools.partial(jax.jit, static_argnums=0)
def _replay(variant: Variant, starts: Any, numbers: Int32[Array, "B plies"]) -> Trace:
    rules = variant.rules

    def replay_one(start: Any, numbers: Int32[Array, "plies"]) -> Trace:
        def ply(game: Any, number: Int32[Array, ""]) -> tuple[Any, Trace]:
            legal = rules.legal_actions(game)
            matches = legal & (variant.numbers(game) == number)
            is_legal, action = matches.any(), jnp.argmax(matches)
            moved = rules.step(game, action, None)
            after = jax.tree.map(lambda new, old: jnp.where(is_legal, new, old), moved, game)
            is_over, returns = rules.is_over(game), rules.returns(game)
            return after, Trace(game, is_over, returns, legal.sum(), action, is_legal)

        return jax.lax.scan(ply, start, numbers)[1]

    return jax.vmap(replay_one)(starts, numbers)
