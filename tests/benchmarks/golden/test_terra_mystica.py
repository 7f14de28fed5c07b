"""Golden games of Terra Mystica: how records are prepared, and that differences are found.

The replays here are made from the records themselves, so that nothing is played; whether the game
agrees with the records is tested with the game.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.golden.core.reader import CheckSettings
from benchmarks.golden.core.records import EQUAL, Status, read_records
from benchmarks.golden.terra_mystica import games, masks
from benchmarks.golden.terra_mystica.compared_state import ComparedState
from benchmarks.golden.terra_mystica.games import by_source, check_game, legal_actions
from benchmarks.golden.terra_mystica.masks import check_legal_sets
from benchmarks.golden.terra_mystica.recorded_game import read_game
from benchmarks.golden.terra_mystica.replay import Replay, Trace
from jaxgames.terra_mystica.engine.actions import NUM_ACTIONS, Kind, encode
from jaxgames.terra_mystica.engine.seats import Source
from jaxgames.terra_mystica.text.commands import command
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "terra_mystica"
WORDS = -(-NUM_ACTIONS // 32)


def game_of(file: str, name: str) -> dict:
    records = read_records(COMMITTED / f"{file}.jsonl.gz", games.FIELDS)
    return next(record for record in records if record["id"] == name)


GAME = game_of("selfplay_2p_engineers_halflings", "evh1031")
RECORDED = read_game(GAME)
END = len(RECORDED.decisions)


def replay_of(record=GAME, recorded=RECORDED, **changes) -> Replay:
    """Returns a replay that agrees with a record, with some arrays of the trace replaced."""
    end = len(recorded.decisions)
    row = np.minimum(np.searchsorted(recorded.checks, np.arange(end + 1)), len(recorded.checks) - 1)
    earned = np.zeros((record["players"], len(Source)), np.int32)
    for points, sources in zip(earned, by_source(record), strict=True):
        for name, number in sources.items():
            points[Source[name]] = number
    trace = Trace(
        state=ComparedState(*(field[row] for field in recorded.states)),
        to_move=np.array([decision.seat for decision in recorded.decisions] + [0]),
        is_over=np.arange(end + 1) == end,
        is_legal=np.ones(end + 1, bool),
        legal=legal_words([encode(Kind.END)], end + 1),
    )
    final = SimpleNamespace(players=SimpleNamespace(vp=np.array(record["vp"])))
    return Replay(trace._replace(**changes), final, earned, np.array(record["network"]))


def legal_words(actions: list[int], steps: int) -> np.ndarray:
    mask = np.isin(np.arange(32 * WORDS), actions)
    words = np.packbits(mask, bitorder="little").view("<u4")
    return np.repeat(words[None], steps, axis=0)


def changed(array: np.ndarray, index, value) -> np.ndarray:
    array = array.copy()
    array[index] = value
    return array


def test_a_replay_that_agrees_is_equal():
    assert check_game(GAME, RECORDED, replay_of()) == EQUAL


def test_states_are_compared_after_turns_and_other_decisions():
    # Six decisions of the set-up, of which the first starts from the state that is given.
    assert RECORDED.checks[:5].tolist() == [1, 2, 3, 4, 5]
    ends = [k + 1 for k, decision in enumerate(RECORDED.decisions) if decision.is_last]
    assert RECORDED.checks.tolist() == ends
    first_turn = int(RECORDED.checks[5])
    assert first_turn == 6 and RECORDED.states.w[5].tolist() == [4, 6]  # after the first income


def test_host_corrections_are_no_commands_of_a_player():
    record = GAME | {
        "check": {"host_corrections": True},
        "steps": [*GAME["steps"][:9], [1, "-1 W", {"1": {"w": 5}}], *GAME["steps"][9:]],
    }
    recorded = read_game(record)
    assert [d[:2] for d in recorded.decisions] == [d[:2] for d in RECORDED.decisions]
    (edit,) = recorded.edits
    assert edit[1:] == (1, "workers", -1)


def test_power_without_room_is_no_decision():
    step = next(k for k, s in enumerate(GAME["steps"]) if s[1].startswith("leech"))
    seat = GAME["steps"][step][0]
    full = [0, "done", {str(seat): {"pw": [0, 0, 12]}}]
    record = GAME | {"steps": [*GAME["steps"][:step], full, *GAME["steps"][step:]]}
    assert len(read_game(record).decisions) < len(RECORDED.decisions)


FIELDS = {
    "c": (0,), "pw": (1, 2), "fav": (0, 3), "bon": (1,), "structures": (0, 5), "hex": (5,),
    "coins": (4,), "spots": (2, 1), "br": (0, 7), "passed": (0,),
}  # fmt: skip


@pytest.mark.parametrize(("field", "index"), FIELDS.items())
def test_the_first_state_that_differs_is_put_into_words(field, index):
    number = int(RECORDED.checks[8])
    state = replay_of().trace.state
    array = getattr(state, field).copy()
    old = int(array[(number, *index)])
    array[(slice(number, None), *index)] += 9
    verdict = check_game(GAME, RECORDED, replay_of(state=state._replace(**{field: array})))
    assert verdict.status is Status.DIFFERENT and verdict.kind == f"state: {field}"
    assert f"evh1031, decision {number} (" in verdict.detail
    texts = [f"{field} {[*index]} {value}" for value in (old, old + 9)]
    assert verdict.detail.endswith(": the record has {}, the game gives {}".format(*texts))


def test_states_within_a_turn_are_not_compared():
    inside = next(k for k in range(END) if k not in RECORDED.checks)
    state = replay_of().trace.state
    other = state._replace(c=changed(state.c, inside, 77))
    assert check_game(GAME, RECORDED, replay_of(state=other)) == EQUAL


def test_an_illegal_action_is_shown_with_those_that_are_legal():
    number = next(k for k, d in enumerate(RECORDED.decisions) if command(d.action) == "burn 1")
    replay = replay_of(is_legal=changed(np.ones(END + 1, bool), number, False))
    verdict = check_game(GAME, RECORDED, replay)
    assert verdict.kind == "illegal burn"
    assert f"decision {number} (engineers: burn 1) after [" in verdict.detail
    assert verdict.detail.endswith("legality: the record has 'burn 1', the game gives only end")


def test_the_seat_to_move_and_an_early_end_are_compared():
    replay = replay_of()
    wrong_seat = replay_of(to_move=changed(replay.trace.to_move, 20, 1 - replay.trace.to_move[20]))
    assert "decision 20 " in check_game(GAME, RECORDED, wrong_seat).detail
    assert check_game(GAME, RECORDED, wrong_seat).kind == "seat to move"
    early = replay_of(is_over=np.arange(END + 1) >= 50)
    assert "decision 50 " in check_game(GAME, RECORDED, early).detail
    late = replay_of(is_over=np.zeros(END + 1, bool))
    assert "the record has the game is over" in check_game(GAME, RECORDED, late).detail


def test_results_are_compared():
    replay = replay_of()
    networks = replay._replace(networks=replay.networks[::-1] + 1)
    assert check_game(GAME, RECORDED, networks).kind == "largest networks"
    earned = replay._replace(earned=changed(replay.earned, (0, Source.LEECH), 5))
    assert "'LEECH': 5" in check_game(GAME, RECORDED, earned).detail
    final = SimpleNamespace(players=SimpleNamespace(vp=np.array(GAME["vp"]) + 1))
    assert check_game(GAME, RECORDED, replay._replace(final=final)).kind == "final points"


def test_packed_legal_actions_are_unpacked():
    actions = [0, 31, 32, 540, NUM_ACTIONS - 1]
    assert legal_actions(replay_of(legal=legal_words(actions, END + 1)), 3) == actions


def masks_of(name: str) -> tuple[dict, np.ndarray]:
    records = read_records(COMMITTED / "decisions.jsonl.gz", masks.FIELDS)
    record = next(record for record in records if record["id"] == name)
    words = np.concatenate([legal_words(row[4], 1) for row in record["decisions"]])
    return record, np.concatenate([words, words[:1]])


def test_legal_sets_are_compared_by_number_checksum_and_list():
    record, words = masks_of("evh1031")
    assert check_legal_sets(record, RECORDED, replay_of(legal=words)) == EQUAL
    missing = changed(words, 8, legal_words(record["decisions"][8][4][1:], 1)[0])
    verdict = check_legal_sets(record, RECORDED, replay_of(legal=missing))
    first = command(record["decisions"][8][4][0])
    assert "decision 8 (engineers: burn 1)" in verdict.detail
    assert verdict.detail.endswith(f"the record has {first}, the game gives none")
    assert verdict.kind == f"legal actions: {first.split()[0]}"
    brief = record | {"decisions": [row[:4] for row in record["decisions"]]}
    assert check_legal_sets(brief, RECORDED, replay_of(legal=words)) == EQUAL
    verdict = check_legal_sets(brief, RECORDED, replay_of(legal=missing))
    assert verdict.kind == "number of legal actions"


def test_another_sequence_of_actions_is_found_before_anything_is_compared():
    record, words = masks_of("evh1031")
    other = record | {"decisions": record["decisions"][1:]}
    verdict = check_legal_sets(other, RECORDED, replay_of(legal=words))
    assert "evh1031, decision 0: the record has (1, " in verdict.detail


def test_games_out_of_order_and_decisions_without_game_are_not_checked():
    unordered = GAME | {"check": {"strict_order": False}}
    (verdict,) = games.check_games([unordered], CheckSettings())
    assert verdict.status is Status.NOT_CHECKED and "order of play" in verdict.detail
    record, _ = masks_of("evh1031")
    for directory in (None, COMMITTED.parent):
        (verdict,) = masks.check_masks([record], CheckSettings(directory=directory))
        assert verdict.status is Status.NOT_CHECKED
