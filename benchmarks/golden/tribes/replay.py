"""Replays golden games of Tribes on the device, and compares every state and every legal set.

Games are replayed in pieces of `STEPS` decisions, many pieces side by side. The first piece of a
game starts from its level, the others from a recorded state. The end of each piece is compared with
the start of the next one, so that the pieces together are the whole game.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from benchmarks import host_batches
from benchmarks.golden.core.records import (
    Record,
    Verdict,
    different_legal_sets,
    different_states,
)
from benchmarks.golden.tribes import fields
from benchmarks.golden.tribes.actions import GLOBAL, decode, legal_hash, text_of
from benchmarks.golden.tribes.recorded_game import RecordedGame
from jaxgames.batching import trees
from jaxgames.boards import bits
from jaxgames.tribes.engine import chance, setup
from jaxgames.tribes.engine.actions import NUM_SUB_ACTIONS
from jaxgames.tribes.levels.level_files import level_from_csv
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState

LANES, STEPS = 64, 32  # pieces and decisions of a call: a single shape, so rules compile once
NO_CHOICE = -2  # after the end of a piece


class Piece(NamedTuple):
    """Consecutive decisions of a game."""

    recorded: RecordedGame
    first: int
    length: int


class Trace(NamedTuple):
    """States and legal actions before each decision; arrays have axes of pieces and steps."""

    state: TribesState
    pairs: Any  # [words] legal sub-actions of all tiles, packed
    of_tribe: Any  # [27] legal actions of the whole tribe


class Finding(NamedTuple):
    """The first difference of a piece, and the decision before which it was found."""

    recorded: RecordedGame
    decision: int
    verdict: Verdict


def rules_of(head: Record) -> Tribes:
    """Returns the rules that a recorded game follows."""
    return Tribes(
        num_players=len(head["tribes"]),
        side=head["n"],
        mode=head["mode"].lower(),
        fog=head["obs"] == "partial",
    )


def pieces_of(recorded: RecordedGame) -> list[Piece]:
    """Returns the pieces of a game."""
    parts = host_batches.slices(len(recorded.decisions), STEPS)
    return [Piece(recorded, part.start, part.stop - part.start) for part in parts]


def findings(recorded_games: Sequence[RecordedGame]) -> Iterator[Finding]:
    """Yields the first difference of each piece of the games that has one."""
    rules = [rules_of(recorded.head) for recorded in recorded_games]
    for own in dict.fromkeys(rules):
        members = [
            recorded for recorded, other in zip(recorded_games, rules, strict=True) if other == own
        ]
        pieces = [piece for recorded in members for piece in pieces_of(recorded)]
        for part in host_batches.slices(len(pieces), LANES):
            chosen = pieces[part]
            trace = _replay(own, chosen)
            for lane, piece in enumerate(chosen):
                finding = first_difference(piece, host_batches.take(trace, lane))
                if finding is not None:
                    yield finding


def _replay(rules: Tribes, pieces: Sequence[Piece]) -> Trace:
    """Replays at most `LANES` pieces of games with the same rules."""
    states = [_start_of(rules, piece) for piece in pieces]
    lanes = np.minimum(np.arange(LANES), len(pieces) - 1)
    # One more step, without a choice: its trace holds the state at the end of the piece.
    choices = np.full((LANES, STEPS + 1, 2), NO_CHOICE, np.int32)
    words = np.zeros((LANES, STEPS + 1, rules.num_draws), np.uint32)
    for lane, (recorded, first, length) in enumerate(pieces):
        choices[lane, :length] = recorded.choices[first : first + length]
        for step, draws in enumerate(recorded.draws[first : first + length]):
            words[lane, step, : len(draws)] = [word_of(*draw) for draw in draws]
    games = host_batches.take(trees.stack(states), lanes)
    return jax.device_get(_play(rules, games, choices, words))


def word_of(bound: int, value: int) -> int:
    """Returns the smallest random word for which a draw below `bound` is `value`."""
    return -(-(value << 32) // bound)


def _start_of(rules: Tribes, piece: Piece) -> TribesState:
    recorded, first, _ = piece
    if first > 0:
        return host_batches.take(recorded.states, first)
    level = level_from_csv("\n".join(recorded.head["grid"]))
    tiles, tribe_ids = np.array(level.capitals, np.int32).T
    return jax.device_get(_begin(rules, level.terrain, level.resource, tiles, tribe_ids))


@functools.partial(jax.jit, static_argnums=0)
def _begin(
    rules: Tribes, terrain: Any, resource: Any, capitals: Any, tribe_ids: Any
) -> TribesState:
    # No draws at the start are recorded.
    unused = chance.recorded(jnp.zeros((rules.num_draws,), jnp.uint32))
    return setup.begin(rules.config, terrain, resource, capitals, tribe_ids, unused)


@functools.partial(jax.jit, static_argnums=0)
def _play(rules: Tribes, games: Any, choices: Int32[Array, "B steps 2"], words: Any) -> Trace:
    """Plays the choices; returns the trace."""
    tiles = rules.config.board.tiles

    def play(game: Any, inputs: tuple[Array, Array]) -> tuple[Any, Trace]:
        (tile, number), draws = inputs
        pairs, of_tribe = rules.legal_pairs(game)
        trace = Trace(game, bits.pack(pairs.reshape(-1)), of_tribe)
        halves = jnp.stack([jnp.where(tile == GLOBAL, tiles + number, tile), number])
        count = jnp.select([tile == NO_CHOICE, tile == GLOBAL], [0, 1], 2)

        # A loop, so that the step is compiled once.
        def half(index: Any, game: Any) -> Any:
            moved = rules.step_with_draws(game, halves[index], draws)
            return jax.tree.map(lambda a, b: jnp.where(index < count, a, b), moved, game)

        after = jax.lax.fori_loop(0, len(halves), half, game)
        return after, trace

    return jax.vmap(lambda game, *inputs: jax.lax.scan(play, game, inputs)[1])(
        games, choices, words
    )


def first_difference(piece: Piece, trace: Trace) -> Finding | None:
    """Returns the first difference of a piece, or None.

    Args:
        piece: the recorded decisions.
        trace: before each decision, and at the end.
    """
    recorded, first, length = piece
    expected = host_batches.take(recorded.states, slice(first, first + length + 1))
    actual = host_batches.take(trace.state, slice(length + 1))
    if recorded.head["obs"] == "full":
        actual = _with_acquaintances(expected, actual)
    is_wrong = fields.unequal(expected, actual)
    good = int(is_wrong.argmax()) if is_wrong.any() else length + 1
    # Legal actions of a wrong state are not compared.
    seen = host_batches.take(trace, slice(min(good, length)))
    listed = _legal_actions(seen)
    for row, actions in enumerate(listed):
        verdict = _check_legal(recorded, first + row, actions)
        if verdict is not None:
            return Finding(recorded, first + row, verdict)
    if good > length:
        return None
    sides = (fields.fields_of(host_batches.take(states, good)) for states in (expected, actual))
    verdict = different_states(where(recorded, first + good), *sides)
    return Finding(recorded, first + good, verdict)


def _with_acquaintances(expected: TribesState, actual: TribesState) -> TribesState:
    """Returns replayed states with the recorded `met`, unless they have met others too.

    In the records explorers walk without fog too and may meet a tribe, which has no other effect.
    """
    recorded, met = expected.tribes.met, actual.tribes.met
    has_others = (met & ~recorded) != 0
    return actual.replace(tribes=actual.tribes.replace(met=np.where(has_others, met, recorded)))


def _legal_actions(seen: Trace) -> list[list[tuple[int, ...]]]:
    """Returns the golden actions that are legal before each decision, sorted."""
    if not len(seen.of_tribe):
        return []
    packed = seen.pairs.astype("<u4").view(np.uint8)
    pairs = np.unpackbits(packed, axis=1, bitorder="little").reshape(
        len(packed), -1, NUM_SUB_ACTIONS
    )
    return decode(seen.state, pairs, seen.of_tribe)


def where(recorded: RecordedGame, number: int) -> str:
    """Returns a decision of a game and the one before it, as text."""
    name = "the end"
    if number < len(recorded.decisions):
        name = text_of(recorded.decisions[number]["a"])
    before = f" after {text_of(recorded.decisions[number - 1]['a'])}" if number else ""
    tick, tribe = recorded.states.tick[number], recorded.states.active[number]
    place = f"game {recorded.head['id']}, tick {tick}, tribe {tribe}"
    return f"{place}, decision {number} ({name}){before}"


def _check_legal(
    recorded: RecordedGame, number: int, actions: list[tuple[int, ...]]
) -> Verdict | None:
    record = recorded.decisions[number]
    if len(actions) == record["n"] and legal_hash(actions) == record["h"]:
        return None
    listed = [tuple(action) for action in record["L"]] if "L" in record else None
    return different_legal_sets(where(recorded, number), record["n"], listed, actions, text_of)
