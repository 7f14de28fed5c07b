"""The promises that players and training rely on, and one test for each sentence of the rules."""

import jax
import pytest

import jaxgames
from jaxgames import testing

SMALL = {"ranks": 4, "files": 5, "row": 3}


def play(env, *moves):
    """Returns the state after some moves from the start."""
    state = env.init(jax.random.key(0))
    for move in moves:
        state = env.step(state, env.text_to_action(state, move))
    return state


def test_it_keeps_the_promises_of_a_game():
    testing.check_env(jaxgames.make("my_game", **SMALL))


@pytest.mark.parametrize(
    "moves",
    [
        ("a1", "a2", "b1", "b2", "c1"),
        ("a1", "b1", "a2", "b2", "a3"),
        ("a1", "b1", "b2", "c1", "d1", "c2", "c3"),
        ("e1", "d1", "d2", "c1", "b1", "c2", "c3"),
    ],
)
def test_a_row_in_any_direction_wins(moves):
    env = jaxgames.make("my_game", **SMALL)
    assert not play(env, *moves[:-1]).terminated
    assert play(env, *moves).rewards.tolist() == [1, -1]


def test_a_full_board_without_a_row_is_a_draw():
    env = jaxgames.make("my_game", ranks=3, files=3, row=3)
    end = play(env, "a1", "b1", "c1", "a2", "c2", "b2", "a3", "c3", "b3")
    assert end.terminated and end.rewards.tolist() == [0, 0]


def test_a_square_is_taken_once():
    env = jaxgames.make("my_game", **SMALL)
    with pytest.raises(ValueError, match="not legal here"):
        play(env, "a1", "a1")


def test_options_are_checked():
    with pytest.raises(ValueError, match="row must be an integer from 2 to 5, got 6"):
        jaxgames.make("my_game", **SMALL | {"row": 6})
