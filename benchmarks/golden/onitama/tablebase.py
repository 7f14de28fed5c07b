"""Checks of solved Onitama endgames: value, distance and all best moves."""

import functools

import jax.numpy as jnp
import numpy as np

from benchmarks import host_batches
from benchmarks.golden.core import perft
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Status,
    Verdict,
    combine,
    compare,
    different,
    not_checked,
)
from benchmarks.golden.onitama.variant import BASE, Variant
from benchmarks.host_batches import Batch
from jaxgames.onitama import endgames, notation
from jaxgames.onitama.setup import card_id

FIELDS = {"fen": str, "men": int, "value": int, "dtm": (int, type(None)), "best": [str]}
SUMMARY_FIELDS = {"cards": str, "hist": [int]} | dict.fromkeys(
    ("max_students", "total", "win", "loss", "draw", "win_in_1", "no_move", "max_dtm"), int
)
SEARCH_DEPTH = 4  # plies; one more would take ten times as long
MAX_STUDENTS = 1  # a side, in our own table
TABLE_CHUNK = 512  # positions


def check_tablebase(
    variant: Variant, records: list[Record], settings: CheckSettings
) -> list[Verdict]:
    """Compares text and legality of all records, and values as far as they can be computed.

    Exhaustive search checks distances up to `SEARCH_DEPTH`. With `settings.deep`, our own table
    checks all records with few students, draws included.
    """

    def check(records: list[Record], games: Batch) -> list[Verdict]:
        moves = _check_moves(variant, records, games)
        values = _check_by_search(variant, records, games)
        if settings.deep and variant == BASE:
            by_table = _check_by_table(records, games)
            values = [_either(*pair) for pair in zip(values, by_table, strict=True)]
        return [combine(*pair) for pair in zip(moves, values, strict=True)]

    return variant.check_positions(records, check)


def check_summary(
    variant: Variant, records: list[Record], settings: CheckSettings
) -> list[Verdict]:
    """Compares the totals over all positions of a card set with our own table, if `deep`."""
    if variant == BASE and settings.deep:
        return [_check_totals(record) for record in records]
    return [not_checked("totals of solved card sets need game onitama with --deep")] * len(records)


def _either(first: Verdict, second: Verdict) -> Verdict:
    """Returns the verdict of two ways to check a record: one of the two is enough to check it."""
    for status in (Status.DIFFERENT, Status.EQUAL):
        for verdict in (first, second):
            if verdict.status is status:
                return verdict
    return second


def _check_moves(variant: Variant, records: list[Record], games: Batch) -> list[Verdict]:
    """Checks, without a search: men, sign of the value, texts and legality of best moves."""
    masks = perft.legal_masks(variant.rules, games)
    verdicts = []
    for i, record in enumerate(records):
        game = host_batches.take(games, i)
        verdict = _check_numbers(variant, record, game)
        for move in record["best"]:
            try:
                action = variant.notation.text_to_action(variant.rules, game, move)
            except ValueError as error:
                verdict = combine(
                    verdict, different("best move", repr(move), f"an error ({error})")
                )
                continue
            if not masks[i, action]:
                verdict = combine(verdict, different("best move", repr(move), "an illegal move"))
        verdicts.append(verdict)
    return verdicts


def _check_numbers(variant: Variant, record: Record, game: Batch) -> Verdict:
    base = variant.to_base(game)
    men = int(base.own_pieces).bit_count() + int(base.other_pieces).bit_count()
    if record["men"] != men:
        return different("men", record["men"], men)
    # The winner makes the last move, so the distance of a win is odd and of a loss even.
    dtm = record["dtm"]
    value = 0 if dtm is None else 1 if dtm % 2 else -1
    if record["value"] != value:
        return different(f"value with distance {dtm}", record["value"], value)
    return EQUAL


def _check_by_search(variant: Variant, records: list[Record], games: Batch) -> list[Verdict]:
    way = "--deep" if variant == BASE else "game onitama with --deep"
    reason = f"values beyond distance {SEARCH_DEPTH} need {way} (text and legality equal)"
    verdicts = [not_checked(reason)] * len(records)
    distances = np.array([record["dtm"] or 0 for record in records])
    for distance in range(1, SEARCH_DEPTH + 1):
        group = np.flatnonzero(distances == distance)
        if len(group) == 0:
            continue
        edges, scores = perft.action_scores(
            variant.rules, host_batches.take(games, group), distance
        )
        for row, i in enumerate(group):
            chosen = edges.parents == row
            actions, of_actions = edges.actions[chosen], scores[chosen]
            if of_actions.max() == 0:
                verdicts[i] = different("dtm", distance, f"no result within {distance} plies")
                continue
            game = host_batches.take(games, i)
            verdicts[i] = _judge(variant, records[i], game, actions, of_actions)
    return verdicts


def _check_by_table(records: list[Record], games: Batch) -> list[Verdict]:
    reason = (
        f"values beyond distance {SEARCH_DEPTH} with more than {MAX_STUDENTS} student a side "
        "(text and legality equal)"
    )
    verdicts = [not_checked(reason)] * len(records)
    men = [np.bitwise_count(board) for board in (games.own_pieces, games.other_pieces)]
    is_small = np.maximum(*men) <= 1 + MAX_STUDENTS
    card_sets = (
        games.own_hand | games.other_hand | np.uint32(1) << games.side_card.astype(np.uint32)
    )
    for card_set in np.unique(card_sets[is_small]):
        group = np.flatnonzero(is_small & (card_sets == card_set))
        ids = tuple(notation.hand_ids(int(card_set)))
        moves, scores = _table_scores(host_batches.take(games, group), ids)
        for row, i in enumerate(group):
            legal = np.asarray(moves.legal[row])
            actions = np.asarray(moves.actions[row])[legal]
            game = host_batches.take(games, i)
            verdicts[i] = _judge(BASE, records[i], game, actions, scores[row, legal])
    return verdicts


def _table_scores(games: Batch, ids: tuple[int, ...]) -> tuple[endgames.EndgameMoves, np.ndarray]:
    """Returns the moves of each position and their scores as in `perft.action_scores`."""
    moves_of = functools.partial(endgames.moves_of, card_ids=jnp.asarray(ids, jnp.int32))
    moves = endgames.EndgameMoves(*host_batches.map_chunks(moves_of, TABLE_CHUNK, games))
    reply = endgames.solved(ids)[moves.successors].astype(np.int32)
    reply = np.sign(reply) * perft.WIN - reply
    return moves, np.where(moves.wins, perft.WIN - 1, perft.one_ply_earlier(reply))


def _judge(
    variant: Variant, record: Record, game: Batch, actions: np.ndarray, scores: np.ndarray
) -> Verdict:
    """Compares a record with the scores of all its legal actions."""
    score = int(scores.max())
    dtm = perft.WIN - abs(score) if score else None
    best = [
        variant.notation.action_to_text(variant.rules, game, int(action))
        for action in actions[scores == score]
    ]
    mine = {"value": int(np.sign(score)), "dtm": dtm, "best": sorted(best)}
    return compare(record | {"best": sorted(record["best"])}, mine)


def _check_totals(record: Record) -> Verdict:
    """Compares the totals of a card set.

    `max_dtm` in the records is the length of `hist`, which lists distances in pairs (loss in n, win
    in n + 1). If the longest game is a loss, a zero follows it. So the length is always odd, and
    the greatest distance is compared through `hist`.
    """
    if record["max_students"] != MAX_STUDENTS:
        return not_checked(f"our own table has at most {MAX_STUDENTS} student a side")
    ids = tuple(sorted(card_id(name) for name in record["cards"].split(",")))
    mine = endgames.totals(endgames.solved(ids))._asdict()
    mine["no_move"] = endgames.count_stuck(ids)
    if record["max_dtm"] != len(record["hist"]):
        return different("max_dtm", record["max_dtm"], len(record["hist"]))
    hist = np.trim_zeros(record["hist"], "b")  # zeros at the end count no position
    return compare(record | {"hist": hist, "max_dtm": len(hist)}, mine)
