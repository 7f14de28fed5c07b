"""Observation planes of Murus Gallicus."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.murus_gallicus import notation
from tests.jaxgames.murus_gallicus.positions import observe, read, rules_of

POSITION = "4c3/1t1w4/8/5T2/8/1WC5/8 r 50"


def seen(text: str = POSITION, player: int | None = None, **options) -> np.ndarray:
    game = read(text, **options)
    return np.asarray(observe(rules_of(**options), game, game.seat if player is None else player))


def plane(*cells: str) -> np.ndarray:
    """Returns a plane with ones on cells, as the Romans name and see them."""
    board = np.zeros((7, 8), np.float32)
    for cell in cells:
        board[int(cell[1]) - 1, notation.FILE_NAMES.index(cell[0])] = 1
    return board


def test_shape_and_type():
    env = jaxgames.make("murus_gallicus")
    assert env.observation_shape == (7, 8, 8)
    observation = env.init(jax.random.key(0)).observation
    assert observation.shape == (7, 8, 8)
    assert observation.astype(np.float32).dtype == np.float32


def test_stacks_of_both_sides():
    expected = [("b2",), ("f4",), ("c2",), ("d6",), ("b6",), ("e7",)]
    for number, cells in enumerate(expected):
        np.testing.assert_array_equal(seen()[..., number], plane(*cells))


def test_gauls_see_the_board_turned():
    gauls = seen(POSITION.replace(" r", " g"))
    romans = seen(player=1)  # a seat that does not act sees the same
    np.testing.assert_array_equal(gauls, romans)
    expected = [("d6",), ("b6",), ("e7",), ("b2",), ("f4",), ("c2",)]
    for number, cells in enumerate(expected):
        np.testing.assert_array_equal(gauls[..., number], plane(*cells)[::-1, ::-1])


def test_constant_planes_are_ones_and_the_share_of_plies():
    assert (seen()[..., 6] == 1).all()
    np.testing.assert_array_equal(seen()[..., 7], np.full((7, 8), 0.25, np.float32))
    assert (seen(max_plies=100)[..., 7] == 0.5).all()


@pytest.mark.parametrize("player", [0, 1])
def test_reflection_of_the_position_reflects_the_planes(player):
    rules = rules_of()
    ((mirror, _),) = rules.symmetries
    image = jax.jit(lambda game: rules.observe(mirror(game), player))(read(POSITION))
    np.testing.assert_array_equal(image, seen(player=player)[:, ::-1])
