import re

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jaxgames
from jaxgames import records
from jaxgames.env import Env
from jaxgames.records import Move
from tests.gamble import Gamble
from tests.jaxgames.records.games import random_game
from tests.locations import CHECKOUT

ONITAMA = jaxgames.make("onitama", max_plies=30)
GAMBLE = Env("gamble", Gamble(), notation="tests.gamble")
LARGE = (
    ("terra_mystica", {"num_players": 3, "mini_towns": True}),
    ("terra_mystica_alphatm", {}),
    ("tribes", {"fog": True, "parameters": {"heal_hp": 5}}),
    ("tribes", {"num_players": 3, "mode": "score"}),
)


def check_round_trip(env, record):
    (read,) = records.from_text(records.to_text(record))
    assert read == record
    made = records.make_env(read)
    assert made == env
    *_, last = records.positions(made, read)
    assert env.state_to_text(last) == record.end


@pytest.mark.parametrize(
    ("env_id", "options"),
    [
        ("onitama", {"deck": "all", "max_plies": 60}),
        ("onitama", {"deck": ("boar", "ox", "crab", "tiger", "eel")}),
        ("onitama_report", {}),
        ("murus_gallicus", {"pie_rule": True, "redistribute_start": True, "repetition_draw": 3}),
        *(pytest.param(*large, marks=pytest.mark.slow) for large in LARGE),
    ],
)
def test_random_games_are_written_and_played_again(env_id, options):
    env = jaxgames.make(env_id, **options)
    for seed in range(3):
        check_round_trip(env, random_game(env, seed, 400))


@given(st.integers(0, 2**31), st.integers(0, 30))
def test_parts_of_games_are_written_and_played_again(seed, plies):
    check_round_trip(ONITAMA, random_game(ONITAMA, seed, plies))


def test_a_game_moves_by_move_is_the_game_of_its_actions():
    env, whole = ONITAMA, random_game(ONITAMA, 0)
    state = env.text_to_state(whole.start)
    record = records.begin(env, state, whole.seats)
    states = [state]
    for move in whole.moves:
        action = env.text_to_action(state, move.text)
        after = env.step(state, np.int32(action))
        record = records.add(env, record, state, action, after, seconds=0.5, values=(0, 1))
        state = after
        states.append(state)
    plain = tuple(move._replace(seconds=None, values=()) for move in record.moves)
    assert record._replace(moves=plain) == whole
    assert record.moves[0].values == (0.0, 1.0)
    shorter = records.shorten(env, whole, 2, states[2])
    assert shorter == random_game(env, 0, 2)
    with pytest.raises(ValueError, match="moves must be from 0 to 1, got 2"):
        records.shorten(env, shorter, 2, states[2])


def test_keys_of_steps_decide_chance_again():
    outcomes = set()
    for seed in range(24):
        record = random_game(GAMBLE, seed)
        (read,) = records.from_text(records.to_text(record))
        *_, last = records.positions(GAMBLE, read)
        assert GAMBLE.state_to_text(last) == record.end
        outcomes.add((record.moves[0].text, record.end.split()[2], len(record.moves)))
    assert len(outcomes) >= 3


def test_chance_is_that_of_the_settings_in_which_a_game_was_played():
    with jax.threefry_partitionable(False):
        record = random_game(GAMBLE, 1001)
        assert record.random == "threefry2x32 sequential"
    assert len(list(records.positions(GAMBLE, record))) == len(record.moves) + 1


def test_a_move_of_chance_needs_a_key_when_it_is_recorded():
    state = GAMBLE.init(jax.random.key(0))
    record = records.begin(GAMBLE, state, ("a", "b"))
    after = GAMBLE.step(state, np.int32(0), jax.random.key(1))
    with pytest.raises(ValueError, match="a move needs the key of its step"):
        records.add(GAMBLE, record, state, 0, after)
    with pytest.raises(ValueError, match="records need keys of threefry2x32, got key data of sh"):
        records.add(GAMBLE, record, state, 0, after, key=jax.random.key(0, impl="rbg"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": (Move("gamble"),)}, "move 1: chance takes part in gamble: expected a key of 16"),
        ({"random": "dice"}, "unknown generator of random numbers 'dice'"),
        ({"random": ""}, "unknown generator of random numbers ''"),
    ],
)
def test_chance_without_its_key_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        list(records.positions(GAMBLE, random_game(GAMBLE, 0)._replace(**change)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "onitma-v1"}, "unknown environment 'onitma'; .*did you mean 'onitama'"),
        ({"game": "onitama-v9"}, "onitama has version 1, not 9"),
        ({"options": {"dekc": "all"}}, "unknown option 'dekc'"),
        ({"options": {"env_id": "all"}}, "options: "),
        ({"options": {"deck": {}}}, "deck"),
        ({"seats": ("a",)}, "onitama has 2 seats, got 1"),
        ({"moves": (Move("tiger:a1a1"),)}, "move 1: move 'tiger:a1a1' is not legal here; did you"),
        ({"moves": (Move("illegal:abc"),)}, "move 1: move 'illegal:abc': expected the number of"),
        ({"moves": (Move("illegal:2147483648"),)}, "move 1: move 'illegal:2147483648': expected"),
        ({"moves": (Move("illegal:201"),) * 2}, "the game ends after 1 of 2 moves"),
        ({"returns": (0.5, -0.5)}, r"the moves give \[.*\], the record says \[0\.5, -0\.5\]"),
        ({"returns": None}, r"the moves give \[.*\], the record says no outcome"),
        ({"end": "elsewhere"}, "moves do not end in the position of the record, but in "),
        ({"start": "x"}, "start: position 'x': expected 4 fields"),
        ({"moves": (), "end": ""}, "the game is not over after its 0 moves"),
    ],
)
def test_what_does_not_follow_the_rules_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        records.check(random_game(ONITAMA, 1)._replace(**change))


def test_a_game_may_end_by_something_else_than_the_rules():
    state = ONITAMA.init(jax.random.key(0))
    record = records.begin(ONITAMA, state, ("a", "b"), tags={"date": "today"})
    lost = records.finish(record, (-1, 1), "time")
    check_round_trip(ONITAMA, lost)
    assert lost.returns == (-1.0, 1.0)
    with pytest.raises(ValueError, match="the game is over already"):
        records.finish(lost, (-1, 1), "time")
    with pytest.raises(ValueError, match="expected a word for the ending and 2 outcomes"):
        records.finish(record, (-1, 1, 0), "time")


def test_an_illegal_action_is_played_again():
    state = ONITAMA.init(jax.random.key(0))
    action = int(np.flatnonzero(~np.asarray(state.legal_action_mask))[0])
    record = records.from_actions(ONITAMA, state, [action], ("a", "b"))
    assert record.moves[0].text == f"illegal:{action}"
    check_round_trip(ONITAMA, record)
    assert sorted(record.returns) == [-1, 1]


def test_a_wrong_number_of_seats_is_refused():
    with pytest.raises(ValueError, match=re.escape("onitama has 2 seats, got 3")):
        records.begin(ONITAMA, ONITAMA.init(jax.random.key(0)), ("a", "b", "c"))


def test_the_example_of_the_documentation_is_a_game():
    text = (CHECKOUT / "docs" / "records.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (record,) = records.from_text(example)
    records.check(record)
    assert record.moves[1] == Move("boar:d1d2", "", (0.1, -0.1), 2.5, "the usual")
