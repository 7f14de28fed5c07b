"""Golden games of Tribes: how records are prepared, and that differences are found.

What is compared here is made from the records themselves, so that nothing is played; whether the
game agrees with the records is tested with the game.
"""

import json

import jax
import numpy as np
import pytest

from benchmarks import host_batches
from benchmarks.golden.core.records import different_states, read_records
from benchmarks.golden.tribes import fields, games, replay
from benchmarks.golden.tribes.actions import (
    GLOBAL,
    Type,
    decode,
    encode,
    legal_hash,
    text_of,
)
from benchmarks.golden.tribes.recorded_game import documents, draws_of, read_game
from benchmarks.golden.tribes.replay import (
    Piece,
    Trace,
    first_difference,
    pieces_of,
    word_of,
)
from jaxgames.tribes.engine.actions import NUM_GLOBAL, NUM_SUB_ACTIONS
from jaxgames.tribes.text import position_reading
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "tribes"
FILES = ("paper_levels", "tribes", "mixed", "search", "fog", "multi")


def games_of(file: str) -> list[dict]:
    lines = read_records(COMMITTED / f"games_{file}.jsonl.gz", games.FIELDS)
    return games.games_of(lines)


LINES = games_of("mixed")[0]["lines"]
RECORDED = read_game(LINES)
LISTED = [row for row, line in enumerate(RECORDED.decisions) if "L" in line]


def masks(actions: list[list[int]], side: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns golden actions as pairs of tile and sub-action, and as actions of the whole tribe."""
    pairs, of_tribe = np.zeros((side * side, NUM_SUB_ACTIONS), bool), np.zeros(NUM_GLOBAL, bool)
    for action in actions:
        tile, number = encode(action, side)
        if tile == GLOBAL:
            of_tribe[number] = True
        else:
            pairs[tile, number] = True
    return pairs, of_tribe


@pytest.mark.parametrize("file", FILES)
def test_full_lists_of_actions_are_encoded_and_decoded_without_loss(file):
    for game in games_of(file):
        recorded, seen = read_game(game["lines"]), 0
        for row, line in enumerate(recorded.decisions):
            if "L" not in line:
                continue
            pairs, of_tribe = masks(line["L"], recorded.head["n"])
            assert pairs.sum() + of_tribe.sum() == line["n"]
            state = host_batches.take(recorded.states, slice(row, row + 1))
            (listed,) = decode(state, pairs[None], of_tribe[None])
            assert listed == [tuple(action) for action in line["L"]]
            assert legal_hash(listed) == line["h"]
            seen += 1
        assert seen


def test_actions_have_words():
    assert text_of([Type.MOVE, 50, 60, -1]) == "move 50,60,-1"


@pytest.mark.parametrize("file", FILES)
def test_positions_between_changes_are_those_that_are_recorded_in_full(file):
    for game in games_of(file):
        lines, seen = game["lines"], 0
        full = [line["full"] for line in lines if line["k"] == "R"]
        for number, line in enumerate(lines):
            if line["k"] == "S" and "full" in line and lines[number + 1]["k"] == "A":
                full.insert(-1, line["full"])
        expected = iter(full)
        wanted = next(expected)
        for document in documents(lines):
            recorded = {name: document[name] for name in ("tribes", "cities", "units")}
            if recorded == {name: wanted[name] for name in recorded}:
                assert document["tiles"].tolist() == wanted["tiles"]
                seen += 1
                wanted = next(expected, {"tribes": None, "cities": None, "units": None})
        assert seen == len(full)


def test_draws_become_the_least_words_that_give_them():
    for bound in (1, 2, 3, 5, 8, 24):
        for value in range(bound):
            word = word_of(bound, value)
            assert 0 <= word < 1 << 32
            assert word * bound >> 32 == value
            assert value == 0 or (word - 1) * bound >> 32 == value - 1


def line_of(kind: Type, draws: list[list[int]], option: int = -1) -> dict:
    return {"a": [kind, 3, -1, option], "r": draws}


@pytest.mark.parametrize(
    ("kind", "option", "draws", "knows_all", "has_fog", "expected"),
    [
        ("LEVEL_UP", 1, [[8, 3], [5, 0]], False, False, []),
        ("LEVEL_UP", 1, [[8, 3], [5, 0]], False, True, [(8, 3), (5, 0)]),
        ("LEVEL_UP", 7, [[3, 1]], False, True, [(3, 1)]),
        ("EXAMINE", -1, [[5, 3], [8, 3], [8, 1]], False, False, [(5, 3)]),
        ("EXAMINE", -1, [[5, 3], [8, 3]], False, True, [(5, 3), (8, 3)]),
        ("EXAMINE", -1, [[5, 1], [5, 4]], False, False, [(5, 1), (5, 4)]),
        ("EXAMINE", -1, [[5, 1], [5, 1], [5, 4]], True, False, [(5, 4)]),
        ("EXAMINE", -1, [[5, 1], [5, 3], [8, 2]], True, False, [(5, 3)]),
        ("CAPTURE", -1, [[3, 1], [2, 0]], False, False, [(3, 1), (2, 0)]),
    ],
)
def test_draws_that_the_game_does_not_make_are_dropped(
    kind, option, draws, knows_all, has_fog, expected
):
    assert draws_of(line_of(Type[kind], draws, option), knows_all, has_fog) == expected


def difference_of(states, others, row: int):
    """Returns the verdict on two positions that differ."""
    pair = (fields.fields_of(host_batches.take(batch, row)) for batch in (states, others))
    return different_states("", *pair)


def test_labels_do_not_count_and_everything_else_does():
    states = host_batches.take(RECORDED.states, slice(300, 302))
    renumbered = states.replace(
        units=states.units.replace(joined=states.units.joined * 3 + 7),
        counter=states.counter + 100,
    )
    assert not fields.unequal(states, renumbered).any()
    flat, structure = jax.tree.flatten(states)
    paths = [path for path, _ in jax.tree_util.tree_leaves_with_path(states)]
    for number, path in enumerate(paths):
        name = ".".join(key.name for key in path)
        if name in ("tiles.built", "units.joined", "cities.joined", "counter"):
            continue
        leaf = flat[number].copy()
        leaf[1] ^= True
        changed = structure.unflatten([*flat[:number], leaf, *flat[number + 1 :]])
        assert fields.unequal(states, changed).tolist() == [False, True]
        assert name in difference_of(states, changed, 1).kind


@pytest.mark.parametrize("part", ["tiles.built", "units.joined", "cities.joined"])
def test_the_order_of_a_list_counts(part):
    states = host_batches.take(RECORDED.states, slice(300, 301))
    name, field = part.split(".")
    old = getattr(states, name)
    changed = states.replace(**{name: old.replace(**{field: -getattr(old, field)})})
    assert fields.unequal(states, changed).all()
    assert difference_of(states, changed, 0).kind.startswith("state: order of ")


def traced(piece: Piece) -> Trace:
    """Returns what a replay sees that agrees with a record, at decisions with full lists."""
    rows = range(piece.first, piece.first + piece.length)
    seen = [masks(RECORDED.decisions[row]["L"], 11) for row in rows]
    pairs = np.stack([*(pairs for pairs, _ in seen), np.zeros_like(seen[0][0])])
    words = np.packbits(pairs.reshape(len(pairs), -1), axis=1, bitorder="little").view("<u4")
    states = host_batches.take(RECORDED.states, slice(piece.first, piece.first + piece.length + 1))
    return Trace(states, words, np.stack([*(of for _, of in seen), seen[0][1]]))


def test_a_replay_that_agrees_has_no_difference():
    for row in LISTED:
        piece = Piece(RECORDED, row, 1)
        assert first_difference(piece, traced(piece)) is None


def test_a_wrong_state_is_found_at_the_decision_after_it():
    piece = Piece(RECORDED, LISTED[-1], 1)
    trace = traced(piece)
    stars = trace.state.tribes.stars.copy()
    stars[1, 0] += 1
    state = trace.state.replace(tribes=trace.state.tribes.replace(stars=stars))
    finding = first_difference(piece, trace._replace(state=state))
    assert finding.decision == LISTED[-1] + 1
    assert finding.verdict.kind == "state: tribes.stars"
    assert "the record has tribes.stars [0]" in finding.verdict.detail


@pytest.mark.parametrize(("met", "is_fine"), [(0b00, True), (0b01, True), (0b10, False)])
def test_without_fog_the_record_may_name_more_tribes_met(met, is_fine):
    row = LISTED[0]
    assert RECORDED.states.tribes.met[row].tolist() == [0b11, 0b01]
    trace = traced(Piece(RECORDED, row, 1))
    changed = trace.state.tribes.met.copy()
    changed[0, 1] = met
    state = trace.state.replace(tribes=trace.state.tribes.replace(met=changed))
    finding = first_difference(Piece(RECORDED, row, 1), trace._replace(state=state))
    assert (finding is None) == is_fine


def test_a_wrong_legal_set_is_found_and_put_into_words():
    piece = Piece(RECORDED, LISTED[-1], 1)
    trace = traced(piece)
    of_tribe = trace.of_tribe.copy()
    of_tribe[0, -1] = False
    finding = first_difference(piece, trace._replace(of_tribe=of_tribe))
    assert (finding.decision, finding.verdict.kind) == (LISTED[-1], "legal actions: end_turn")
    assert "the record has end_turn -1,-1,-1, the game gives none" in finding.verdict.detail
    short = {key: value for key, value in RECORDED.decisions[LISTED[-1]].items() if key != "L"}
    decisions = [*RECORDED.decisions]
    decisions[LISTED[-1]] = short
    piece = Piece(RECORDED._replace(decisions=decisions), LISTED[-1], 1)
    finding = first_difference(piece, trace._replace(of_tribe=of_tribe))
    assert f"the record has {short['n']} (not listed)" in finding.verdict.detail


def test_pieces_make_up_the_game():
    pieces = pieces_of(RECORDED)
    assert sum(piece.length for piece in pieces) == len(RECORDED.decisions)
    assert [piece.first for piece in pieces[:3]] == [
        0,
        replay.STEPS,
        2 * replay.STEPS,
    ]


def test_the_start_is_followed_by_the_first_decision():
    start = json.loads(json.dumps(LINES[0]["init"]))
    first = next(documents(LINES))
    assert first["units"] != start["units"]
    state = position_reading.state_of(first)
    assert (int(state.tick), int(state.active)) == (0, 0)


def test_a_file_must_begin_with_a_game():
    with pytest.raises(ValueError, match="expected a record of kind 'G' first, got 'A'"):
        games.games_of([{"k": "A"}])
