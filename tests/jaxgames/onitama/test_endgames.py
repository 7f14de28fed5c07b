"""The table of endgames: complete, consistent with search, and equal to independent results."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.golden.core import perft
from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import Status
from benchmarks.golden.onitama import tablebase
from benchmarks.golden.onitama.variant import BASE
from jaxgames.batching import trees
from jaxgames.onitama import cards, endgames, notation
from jaxgames.onitama.rules import PASS, Onitama
from tests import locations

GOLDEN = locations.GOLDEN / "onitama"
SEED_CARDS = tuple(
    sorted(cards.CARD_IDS[n] for n in ("dragon", "elephant", "goose", "monkey", "rooster"))
)
# With these cards a master alone in a corner can be without a move.
CORNER_CARDS = tuple(sorted(cards.CARD_IDS[n] for n in ("dog", "frog", "panda", "sable", "tanuki")))
RULES = Onitama(deck="all")
NUM_SAMPLES = 400


def golden(file: str) -> list[dict]:
    return [json.loads(line) for line in (GOLDEN / file).read_text().splitlines()]


@functools.cache
def masters_only(card_ids: tuple[int, ...]) -> np.ndarray:
    return endgames.solve(card_ids, max_students=0)


@functools.cache
def sampled_positions(card_ids: tuple[int, ...]) -> tuple[np.ndarray, notation.OnitamaState]:
    """Returns index and position of random endgames with masters only."""
    random = np.random.default_rng(0)
    pieces = endgames.placements(max_students=0)
    texts = []
    for _ in range(NUM_SAMPLES):
        place = random.integers(len(pieces.own_master))
        dealt = [cards.CARDS[card].name for card in random.permutation(card_ids)]
        own = int(pieces.own_master[place])
        other = cards.NUM_SQUARES - 1 - int(pieces.other_master[place])
        symbols = {own: "R", other: "B"}
        rows = [
            "".join(symbols.get(5 * y + x, "1") for x in range(cards.SIDE))
            for y in reversed(range(cards.SIDE))
        ]
        deal = f"{dealt[0]},{dealt[1]}|{dealt[2]},{dealt[3]}|{dealt[4]}"
        texts.append(f"{'/'.join(rows)} r {deal} 0")
    games = trees.stack([notation.text_to_state(RULES, text) for text in texts])
    index = endgames.indices(games, jnp.asarray(card_ids, jnp.int32))
    return jax.device_get(index), games


def test_placements_are_all_those_in_which_the_game_goes_on():
    pieces = endgames.placements()
    assert len(pieces.own_master) == 305_809  # 9 174 270 / 30 splits of the cards
    assert len(endgames.placements(max_students=0).own_master) == 24 * 24 - 23
    assert not (np.asarray(pieces.own_master) == cards.TARGET_TEMPLE).any()
    assert not (np.asarray(pieces.other_master) == cards.TARGET_TEMPLE).any()


def test_splits_are_the_thirty_deals_of_five_cards():
    assert len({tuple(split) for split in endgames.SPLITS.tolist()}) == 30
    for own, other, side in endgames.SPLITS.tolist():
        assert own.bit_count() == other.bit_count() == 2 and own | other | 1 << side == 0b11111


@pytest.mark.parametrize("card_ids", [SEED_CARDS, CORNER_CARDS])
def test_distances_up_to_4_are_those_of_exhaustive_search(card_ids):
    index, games = sampled_positions(card_ids)
    values = masters_only(card_ids)[index].astype(np.int32)
    scores = perft.scores(RULES, games, depth=4)
    searched = np.where(scores == 0, 0, np.sign(scores) * (perft.WIN - np.abs(scores)))
    np.testing.assert_array_equal(np.where(np.abs(values) <= 4, values, 0), searched)
    assert {1, -2, 3} <= set(values.tolist())


@pytest.mark.parametrize("card_ids", [SEED_CARDS, CORNER_CARDS])
def test_each_value_follows_from_those_of_the_successors(card_ids):
    index, games = sampled_positions(card_ids)
    table = masters_only(card_ids)
    moves = jax.device_get(endgames.moves_of(games, jnp.asarray(card_ids, jnp.int32)))
    np.testing.assert_array_equal(moves.legal.sum(1), perft.legal_masks(RULES, games).sum(1))
    for i, value in enumerate(table[index].tolist()):
        replies = table[moves.successors[i, moves.legal[i] & ~moves.wins[i]]].tolist()
        if moves.wins[i].any():
            assert value == 1
        elif lost := [reply for reply in replies if reply < 0]:
            assert value == 1 - max(lost)
        else:
            assert value == (0 if 0 in replies else -1 - max(replies))


def test_a_side_without_a_move_passes_with_either_card():
    stuck = notation.text_to_state(RULES, "R4/5/4B/5/5 r dog,panda|frog,sable|tanuki 0")
    ids = jnp.asarray(CORNER_CARDS, jnp.int32)
    moves = jax.device_get(endgames.moves_of(trees.stack([stuck]), ids))
    assert moves.actions[moves.legal].tolist() == [PASS, PASS + 1]
    texts = [
        "R4/5/4B/5/5 b panda,tanuki|frog,sable|dog 1",
        "R4/5/4B/5/5 b dog,tanuki|frog,sable|panda 1",
    ]
    after = endgames.indices(
        trees.stack([notation.text_to_state(RULES, text) for text in texts]), ids
    )
    assert moves.successors[moves.legal].tolist() == after.tolist()


def test_positions_without_a_move_are_counted():
    assert endgames.count_stuck(SEED_CARDS) == 0
    assert endgames.count_stuck(CORNER_CARDS) > 0


@functools.cache
def seed_totals() -> endgames.Totals:
    return endgames.totals(endgames.solved(SEED_CARDS))


@pytest.mark.slow
def test_totals_of_the_reports_cards_equal_the_published_ones():
    (record,) = golden("tablebase_summary.jsonl")
    totals = seed_totals()
    assert (totals.total, totals.win, totals.loss, totals.draw) == (
        9174270,
        7007388,
        2094984,
        71898,
    )
    (verdict,) = tablebase.check_summary(BASE, [record], CheckSettings(deep=True))
    assert verdict.status is Status.EQUAL, verdict.detail


@pytest.mark.slow
def test_a_wrong_total_is_detected():
    (record,) = golden("tablebase_summary.jsonl")
    wrong = record | {"draw": record["draw"] + 1}
    (verdict,) = tablebase.check_summary(BASE, [wrong], CheckSettings(deep=True))
    assert verdict.status is Status.DIFFERENT and "draw: the record has 71899" in verdict.detail


def seed_records() -> list[dict]:
    names = {cards.CARDS[card].name for card in SEED_CARDS}
    records = golden("tablebase.jsonl")
    return [r for r in records if set(r["fen"].split()[2].replace("|", ",").split(",")) == names]


@pytest.mark.slow
def test_endgames_of_the_reports_cards_are_equal_at_all_distances():
    records = seed_records()
    verdicts = tablebase.check_tablebase(BASE, records, CheckSettings(deep=True))
    assert [v.detail for v in verdicts if v.status is Status.DIFFERENT] == []
    not_checked = [
        r["men"] for r, v in zip(records, verdicts, strict=True) if v.status is not Status.EQUAL
    ]
    assert not_checked == [6]
    assert max(record["dtm"] or 0 for record in records) > 40
    assert any(record["dtm"] is None for record in records)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtm", "changes", "message"),
    [
        (51, {"dtm": 49}, "dtm: the record has 49, the game gives 51"),
        (None, {"dtm": 5, "value": 1}, "value: the record has 1, the game gives 0"),
        (51, {"best": ["rooster:a1b1", "monkey:a1b2"]}, "best: the record has"),
    ],
)
def test_a_wrong_value_at_a_long_distance_is_detected(dtm, changes, message):
    record = next(record for record in seed_records() if record["dtm"] == dtm)
    (verdict,) = tablebase.check_tablebase(BASE, [record | changes], CheckSettings(deep=True))
    assert verdict.status is Status.DIFFERENT and message in verdict.detail


def test_five_different_cards_are_required():
    with pytest.raises(ValueError, match="expected five different cards"):
        endgames.solve((1, 2, 3, 4, 4))
