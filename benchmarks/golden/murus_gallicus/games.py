"""Plays the recorded line of Murus Gallicus that repeats its position."""

import functools
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Int32

from benchmarks.golden.core.records import EQUAL, Record, Verdict, combine, different
from benchmarks.golden.murus_gallicus.positions import MurusEncoding
from jaxgames.murus_gallicus import notation, position
from jaxgames.murus_gallicus.rules import MurusGallicus

CYCLE_FIELDS = {"start": str, "moves": [str], "fens": [str]}
OCCURRENCES = 3  # `repetition_draw` in the check of the cycle
RULES = MurusGallicus()


def check_cycle(record: Record) -> Verdict:
    """Plays the line round after round, with and without `repetition_draw`."""
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
        text = MurusEncoding(RULES, notation).text(game)
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
