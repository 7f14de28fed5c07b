"""The first layer of a tower: with its neighbours, or the cell alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jaxgames
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import make_network

SIZES = {"channels": 8, "common_channels": 4, "blocks": 0, "dtype": "float32"}
GAMES = {"square": "onitama", "hex": "terra_mystica", "tile": "tribes"}


def changed_cells(tower, stem):
    """Returns how many cells of the features differ after one cell of the observation does."""
    env = jaxgames.make(GAMES[tower])
    network = make_network(env, NetworkConfig(tower=tower, stem=stem, **SIZES))
    module = network.tower.build(network, jnp.dtype(jnp.float32), nnx.Rngs(0))
    obs = [
        jax.random.normal(jax.random.fold_in(jax.random.key(1), i), (1, *shape))
        for i, shape in enumerate(network.board if tower != "square" else (network.board,))
    ]
    row, column = obs[0].shape[1] // 2, obs[0].shape[2] // 2
    other = [obs[0].at[0, row, column].add(3.0), *obs[1:]]
    before, after = (
        jax.tree.leaves(nnx.jit(lambda module, x: module.represent(*x))(module, x))[0]
        for x in (obs, other)
    )
    return int((np.asarray(before) != np.asarray(after)).any(axis=-1).sum())


@pytest.mark.parametrize("tower", GAMES)
def test_a_stem_sees_a_cell_with_its_neighbours_or_alone(tower):
    assert changed_cells(tower, "cell") == 1
    assert changed_cells(tower, "neighbours") == (7 if tower == "hex" else 9)


def test_other_stems_are_refused():
    with pytest.raises(ValueError, match=r"network\.stem: unknown value 'cells'.*'cell'"):
        NetworkConfig(stem="cells")
