"""Examples of the rules: turns, their number, the end of the game, the ranking."""

import functools

import jax
import numpy as np
import pytest

from jaxgames.tribes.engine import chance, turn
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.tribes import Result
from tests.jaxgames.tribes.examples import in_city, in_tribe, knowing
from tests.jaxgames.tribes.positions import begun, change, city

LOSS, WIN, PLAYING = Result.LOSS, Result.WIN, Result.PLAYING
CAPITALS = {2: "c3 i9", 3: "c3 i3 f9"}


@functools.partial(jax.jit, static_argnums=0)
def _end(rules: Tribes, state: TribesState, words) -> TribesState:
    return turn.end(rules.config, state, chance.recorded(words), np.bool_(True))


def end_turn(state: TribesState, *coins: int, mode="capitals", rules="reference") -> TribesState:
    """Returns the state after the end of a turn; `coins` decide ties, the highest is first."""
    players = len(state.tribes.tribe_ids)
    words = np.array([*coins, *[0] * players][:players], np.uint32)
    return jax.device_get(_end(Tribes(players, 11, mode, rules=rules), state, words))


def table(players: int, tick: int = 9, **tribes) -> TribesState:
    """Returns a position in which the last tribe is to end its turn."""
    state = begun(CAPITALS[players], tuple(range(players)))
    last = state.replace(tick=np.int16(tick), active=np.int8(players - 1))
    return change(last, "tribes", **tribes)


@pytest.mark.parametrize(
    ("mode", "rules", "last"),
    [
        ("capitals", "reference", 50),
        ("score", "reference", 30),
        ("capitals", "corrected", 49),
        ("score", "corrected", 29),
    ],
)
def test_the_game_ends_after_a_number_of_turns(mode, rules, last):
    after = end_turn(table(2, last - 1), mode=mode, rules=rules)
    assert (after.tick, after.active, after.over) == (last, 0, False)
    after = end_turn(after, mode=mode, rules=rules)
    assert (after.tick, after.active, after.over) == (last, 1, False)
    after = end_turn(change(after, "tribes", score=[5, 9]), mode=mode, rules=rules)
    assert after.over and after.tick == last + 1
    assert after.ranking.tolist() == [1, 0]
    assert after.tribes.result.tolist() == [LOSS, WIN]


def test_tribes_that_have_lost_are_left_out():
    state = table(3, result=[PLAYING, LOSS, PLAYING])
    after = end_turn(state)
    assert (after.active, after.tick) == (0, 10)
    after = end_turn(after)
    assert (after.active, after.tick, after.over) == (2, 10, False)


def test_in_the_first_tick_there_is_no_income():
    state = table(2, tick=0, stars=[7, 7]).replace(active=np.int8(0))
    after = end_turn(state)
    assert after.tribes.stars.tolist() == [7, 5]
    assert end_turn(after).tribes.stars.tolist() == [7 + 2, 5]


def test_who_owns_all_capitals_wins_at_once_whatever_the_score():
    state = table(3, score=[1, 900, 500])
    for name in ("c3", "i3", "f9"):
        state = in_city(state, name, tribe=0)
        after = end_turn(city(state, "b8", 1, "b8"))
        assert after.over == (name == "f9")
    assert after.ranking.tolist() == [0, 1, 2]
    assert after.tribes.result.tolist() == [WIN, LOSS, LOSS]


@pytest.mark.parametrize("lost", [1, 2])
def test_for_points_the_game_goes_on_until_one_is_left(lost):
    results = [PLAYING] * (3 - lost) + [LOSS] * lost
    after = end_turn(table(3, result=results), mode="score")
    assert after.over == (lost == 2)
    # Owning all capitals is not enough.
    state = table(3)
    for name in ("c3", "i3", "f9"):
        state = in_city(state, name, tribe=0)
    assert not end_turn(city(state, "b8", 1, "b8"), mode="score").over


def test_a_tribe_that_has_lost_may_win_by_points_but_with_the_clean_rules():
    state = table(3, 50, score=[5, 9, 7], result=[PLAYING, LOSS, PLAYING])
    assert end_turn(state).ranking.tolist() == [2, 0, 1]
    corrected_rules = end_turn(state.replace(tick=np.int16(49)), rules="corrected")
    assert corrected_rules.ranking.tolist() == [1, 2, 0]
    assert corrected_rules.tribes.result.tolist() == [LOSS, LOSS, WIN]


def test_the_ranking_looks_at_score_technologies_cities_production_and_luck():
    state = table(3, 50, score=[7, 7, 8])
    assert end_turn(state, 9, 1, 5).ranking.tolist() == [1, 2, 0]
    assert end_turn(state, 1, 9, 5).ranking.tolist() == [2, 1, 0]
    richer = in_city(state, "i3", production=1)
    assert end_turn(richer, 9, 1, 5).ranking.tolist() == [2, 1, 0]
    # Another city, though it makes no more stars.
    more = in_city(city(richer, "b8", 0, "b8"), "b8", population=-1)
    assert end_turn(more, 1, 9, 5).ranking.tolist() == [1, 2, 0]
    wiser = knowing(more, 1, "riding")
    assert end_turn(wiser, 9, 1, 5).ranking.tolist() == [2, 1, 0]
    first = in_tribe(wiser, 0, score=9)
    assert end_turn(first, 1, 9, 5).ranking.tolist() == [0, 2, 1]


def test_a_finished_game_stays_as_it_is():
    over = end_turn(table(2, 50))
    again = end_turn(over)
    assert again.ranking.tolist() == over.ranking.tolist() and again.tick == over.tick


def test_returns_are_linear_in_the_rank():
    rules = Tribes(3)
    state = end_turn(table(3, 50, score=[5, 9, 7]))
    assert np.asarray(rules.returns(state)).tolist() == [-1, 1, 0]
    assert np.asarray(rules.returns(table(3))).tolist() == [0, 0, 0]
