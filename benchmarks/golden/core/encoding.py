"""Checks of games whose records have positions and moves as text: an `Encoding` of the game."""

import dataclasses
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from benchmarks import host_batches
from benchmarks.golden.core import perft
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    compare,
    different,
    not_checked,
)
from benchmarks.host_batches import Batch
from jaxgames import Rules
from jaxgames.batching import trees

GAME_FIELDS = {
    "plies": int, "reason": str, "final": str, "moves": [str], "actions": [int], "nlegal": [int],
}  # fmt: skip
CHUNK = 128  # games
NO_ACTION = -1  # pads the shorter games of a batch

Check = Callable[[list[Record], Batch], list[Verdict]]


class Trace(NamedTuple):
    """Replayed games; each array is `[games, plies]` and ply `t` has the position before it.

    After the record's last move the final position repeats.
    """

    games: Any
    is_over: Any
    returns: Any  # [games, plies, seats]
    num_legal: Any
    action: Any  # the encoding's number of the recorded action
    is_legal: Any  # the recorded action


@dataclasses.dataclass(frozen=True)
class Encoding:
    """One encoding of a game.

    Records have the action numbers of one encoding; those of another one are translated.
    """

    rules: Rules[Any]
    notation: types.ModuleType
    numbers: Callable[[Any], Int32[Array, "actions"]] | None = None
    """Maps a position to the number that each of its actions has in the records; None: its own."""
    num_fields: ClassVar[int]
    """Fields of a position text that records have."""

    def text(self, game: Any) -> str:
        """Returns the position text with the fields that records have."""
        fields = self.notation.state_to_text(self.rules, game).split()
        return " ".join(fields[: self.num_fields])

    def result(self, game: Any, returns: np.ndarray) -> dict[str, Any]:
        """Returns the result of a finished game in the fields that records have."""
        raise NotImplementedError

    def reason_not_to_check(self, text: str) -> str | None:
        """Returns why records with a position are not checked; None if they are."""
        del text
        return None

    def fault(self, game: Any) -> Verdict | None:
        """Returns the verdict on a record with a position that it must not have; None if it may."""
        del game
        return None

    def read(self, text: str) -> Any:
        """Returns a position, or the verdict on a record whose position cannot be checked."""
        try:
            if reason := self.reason_not_to_check(text):
                return not_checked(reason)
            game = self.notation.text_to_state(self.rules, text)
        except ValueError as error:
            return different("position", repr(text), f"an error ({error})")
        if fault := self.fault(game):
            return fault
        written = self.text(game)
        return game if written == text else different("position", repr(text), repr(written))

    def check_positions(
        self, records: Sequence[Record], check: Check, field: str = "fen"
    ) -> list[Verdict]:
        """Reads a position of each record, and checks the records whose position can be read.

        Args:
            records: of one file.
            check: gets the readable records and the batch of their positions.
            field: name of the field with the position text.
        """
        found = [self.read(record[field]) for record in records]
        good = [i for i, game in enumerate(found) if not isinstance(game, Verdict)]
        if good:
            games = trees.stack([found[i] for i in good])
            checked = check([records[i] for i in good], games)
            for i, verdict in zip(good, checked, strict=True):
                found[i] = verdict
        return found

    def check_perft(
        self, settings: CheckSettings, records: list[Record], games: Batch
    ) -> list[Verdict]:
        """Compares the numbers of move sequences and, if recorded, of those that end the game."""
        depths = np.array([len(record["perft"]) for record in records])
        if settings.max_depth is not None:
            depths = np.minimum(depths, settings.max_depth)
        verdicts = [EQUAL] * len(records)
        for depth in np.unique(depths).tolist():
            group = np.flatnonzero(depths == depth)
            count_ends = any("ended" in records[i] for i in group)
            chosen = host_batches.take(games, group)
            counts, ended = perft.perft(self.rules, chosen, depth, count_ends)
            for row, i in enumerate(group):
                mine = {"perft": counts[row].tolist(), "ended": ended[row].tolist()}
                verdicts[i] = _compare_counts(records[i], depth, mine)
        return verdicts

    def check_games(self, records: list[Record], starts: Batch) -> list[Verdict]:
        """Compares positions, numbers of legal actions, actions, texts and results of games."""
        # One length for all files of a game, so that the scan compiles once.
        numbers = np.full((len(records), self.rules.max_steps + 1), NO_ACTION, np.int32)
        for row, record in zip(numbers, records, strict=True):
            for ply, number in enumerate(record["actions"][: self.rules.max_steps]):
                row[ply] = number if 0 <= number < np.iinfo(np.int32).max else NO_ACTION
        replay = functools.partial(_replay, self)
        trace = Trace(*host_batches.map_chunks(replay, CHUNK, starts, numbers))
        return [
            self._check_game(record, Trace(*host_batches.take(tuple(trace), i)))
            for i, record in enumerate(records)
        ]

    def _check_game(self, record: Record, trace: Trace) -> Verdict:
        """Compares one record with its replay; the first difference counts."""
        plies = record["plies"]
        lengths = [len(record[name]) for name in ("moves", "actions", "nlegal")]
        if lengths != [plies] * 3 or plies > self.rules.max_steps:
            counts = f"{lengths} moves, actions and numbers of legal actions"
            return different("number of plies", plies, counts)
        for ply in range(plies):
            verdict = self._check_ply(record, trace, ply)
            if verdict != EQUAL:
                return verdict
        final = host_batches.take(trace.games, plies)
        if not trace.is_over[plies]:
            return different("end of the game", f"an end after {plies} plies", "no end")
        mine = self.result(final, trace.returns[plies]) | {"final": self.text(final)}
        return compare(record, mine)

    def _check_ply(self, record: Record, trace: Trace, ply: int) -> Verdict:
        place, rules, notation = f"ply {ply + 1}", self.rules, self.notation
        number, move = record["actions"][ply], record["moves"][ply]
        game, action = host_batches.take(trace.games, ply), int(trace.action[ply])
        count = record["nlegal"][ply]
        if trace.is_over[ply]:
            return different(place, f"the move {move!r}", "the end of the game before it")
        if trace.num_legal[ply] != count:
            return different(f"{place}, number of legal actions", count, trace.num_legal[ply])
        moves = notation.playable_moves(rules, game)
        if not trace.is_legal[ply]:
            legal = list(moves) if self.numbers is None else self.numbers(game)[np.array([*moves])]
            listed = np.sort(legal).tolist()
            return different(f"{place}, action", number, f"the legal ones {listed}")
        if moves.get(action) != move:
            text = repr(moves.get(action))
            return different(f"{place}, text of action {number}", repr(move), text)
        again = notation.text_to_action(rules, game, move)
        if again != action:
            return different(f"{place}, action of {move!r}", action, again)
        text = notation.state_to_text(rules, game)
        written = notation.state_to_text(rules, notation.text_to_state(rules, text))
        return EQUAL if written == text else different(f"{place}, position text", text, written)


def _compare_counts(record: Record, depth: int, mine: dict[str, list[int]]) -> Verdict:
    for name, values in mine.items():
        if name not in record:
            continue
        if len(record[name]) != len(record["perft"]):
            return different("depth", len(record[name]), f"{len(record['perft'])} in perft")
        if record[name][:depth] != values:
            return different(name, record[name][:depth], values)
    if depth < len(record["perft"]):
        return not_checked(f"counts deeper than {depth} plies (equal so far)")
    return EQUAL


@functools.partial(jax.jit, static_argnums=0)
def _replay(encoding: Encoding, starts: Any, numbers: Int32[Array, "B plies"]) -> Trace:
    rules = encoding.rules

    def replay_one(start: Any, numbers: Int32[Array, "plies"]) -> Trace:
        def ply(game: Any, number: Int32[Array, ""]) -> tuple[Any, Trace]:
            legal, is_over = rules.legal_actions(game), rules.is_over(game)
            own = jnp.arange(rules.num_actions)
            matches = legal & ((encoding.numbers(game) if encoding.numbers else own) == number)
            is_legal, action = matches.any() & ~is_over, jnp.argmax(matches)
            moved = rules.step(game, action, None)
            after = jax.tree.map(lambda new, old: jnp.where(is_legal, new, old), moved, game)
            returns = rules.returns(game)
            return after, Trace(game, is_over, returns, legal.sum(), action, is_legal)

        return jax.lax.scan(ply, start, numbers)[1]

    return jax.vmap(replay_one)(starts, numbers)
