"""Codes of cells in Onitama and Murus Gallicus: they show what the observation shows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.boards.packed_planes import as_floats
from jaxgames.players.knowledge import afterstate_domain_of
from tests.jaxgames.search import test_minimax

# The code of the cells of each plane: own pieces, then those of the opponent.
CODE_OF_PLANE = {"onitama": (1, 2, 3, 4), "murus_gallicus": (1, 2, 3, 4, 5, 6)}


@pytest.mark.parametrize("game", CODE_OF_PLANE)
def test_codes_are_the_planes_of_pieces_of_either_seat(game):
    env = jaxgames.make(game)
    domain = afterstate_domain_of(env)
    games = test_minimax.positions(env.rules, 60, 30)
    for seat in (0, 1):
        seats = jnp.full((60,), seat)
        codes = jax.vmap(domain.cells)(games, seats)
        planes = as_floats(jax.vmap(env.rules.observe)(games, seats))
        pieces = np.asarray(planes).reshape(60, codes.shape[1], -1)
        expected = pieces[..., : len(CODE_OF_PLANE[game])] @ np.array(CODE_OF_PLANE[game])
        over = np.asarray(jax.vmap(env.rules.is_over)(games))
        assert (~over).sum() > 40
        np.testing.assert_array_equal(np.asarray(codes)[~over], expected[~over])
        assert codes.max() == domain.num_cell_codes - 1


@pytest.mark.parametrize("game", CODE_OF_PLANE)
def test_features_are_small_and_tell_seats_apart(game):
    env = jaxgames.make(game)
    domain = afterstate_domain_of(env)
    games = test_minimax.positions(env.rules, 60, 30)
    own, other = (
        np.asarray(jax.vmap(domain.features)(games, jnp.full((60,), seat))) for seat in (0, 1)
    )
    assert own.shape[1] == other.shape[1] < 200
    assert np.abs(own).max() < 4 and (own != other).any(axis=1).mean() > 0.8
