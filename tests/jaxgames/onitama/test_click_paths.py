"""Clicks on pictures of Onitama and of the variant of the report."""

import jax
import numpy as np
import pytest

import jaxgames
from tests.jaxgames.click_areas import areas

POSITION = "1bB1b/3b1/1b1r1/2R2/rr2r r ox,tiger|boar,crab|dragon 14"
STUCK = "2B2/5/5/5/4R r kirin,tiger|boar,crab|dragon 14"


def paths_by_text(env, state):
    moves = env.legal_moves(state)
    paths = env.click_paths(state)
    assert [path.action for path in paths] == list(moves)
    return {moves[path.action]: (path.parts, path.refinements) for path in paths}


def test_a_move_is_the_squares_from_and_to_and_its_card():
    env = jaxgames.make("onitama")
    state = env.text_to_state(POSITION)
    paths = paths_by_text(env, state)
    assert paths["ox:c2c3"] == (("square:c2", "square:c3"), ("card:ox",))
    parts = areas(env.render(state))
    assert len(parts) == 25 + 5
    assert {part for path in paths.values() for part in path[0] + path[1]} <= parts.keys()
    assert parts["square:c2"] == "c2, Red master" and parts["square:d4"] == "d4, Blue student"
    assert parts["card:tiger"] == "tiger, card of Red" and parts["card:dragon"].endswith(
        "side card"
    )


def test_squares_have_the_names_that_red_gives_them_when_blue_moves():
    env = jaxgames.make("onitama")
    state = env.text_to_state(POSITION.replace(" r ", " b "))
    for text, (parts, _) in paths_by_text(env, state).items():
        squares = text.partition(":")[2]
        assert parts == (f"square:{squares[:2]}", f"square:{squares[2:]}")


def test_the_report_has_the_same_clicks_with_its_own_action_numbers():
    report, base = jaxgames.make("onitama_report"), jaxgames.make("onitama")
    state = jax.device_get(report.init(jax.random.key(1)))
    base_state = base.text_to_state(" ".join(report.state_to_text(state).split()[:4]))
    assert paths_by_text(report, state) == paths_by_text(base, base_state)
    legal = np.flatnonzero(state.legal_action_mask).tolist()
    assert [path.action for path in report.click_paths(state)] == legal


@pytest.mark.parametrize("game", ["onitama", "onitama_report"])
def test_seats_are_red_and_blue(game):
    env = jaxgames.make(game)
    renderer = __import__(env.renderer, fromlist=["seat_looks"])
    state = jax.device_get(env.init(jax.random.key(0)))
    assert [look.name for look in renderer.seat_looks(env.rules, state.game)] == ["Red", "Blue"]
    assert areas(env.render(state))
