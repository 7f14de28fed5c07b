"""The hexagonal tower: its neighbourhoods, where its logits stand, whose numbers it returns."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jaxgames
from jaxgames.boards import hexes
from jaxgames.networks import hex_convolution
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, make_network
from jaxgames.rules import CellActions
from jaxgames.terra_mystica.engine.actions import ARGUMENT_OF, KIND_OF, Kind
from jaxgames.terra_mystica.tables.terrain import LAND_CELLS, RIVER_CELLS

CONFIG = NetworkConfig(
    tower="hex",
    channels=8,
    common_channels=6,
    blocks=2,
    policy_channels=4,
    value_channels=2,
    value_hidden=8,
    dtype="float32",
)
ROWS, COLUMNS = 5, 4
NUMBERS = 7
# Two kinds of actions on three cells, after two others; one kind on another cell, after one more.
CELLS = (CellActions(2, (0, 6, 19), 2), CellActions(9, (3,)))
NUM_ACTIONS = 12
KEY = jax.random.key(0)
predict = jax.jit(Network.predict, static_argnums=0)
init = jax.jit(Network.init, static_argnums=0)


def tower(num_players=2, **changes):
    config = dataclasses.replace(CONFIG, **changes)
    board = ((ROWS, COLUMNS, 3), (NUMBERS,))
    return Network(
        board, NUM_ACTIONS, num_players, config, cell_actions=CELLS, predicts_scores=True
    )


def random_obs(size=6):
    grid_key, vector_key = jax.random.split(jax.random.key(1))
    grid = jax.random.normal(grid_key, (size, ROWS, COLUMNS, 3))
    return grid, jax.random.normal(vector_key, (size, NUMBERS))


def trained(network):
    """Returns parameters as of a network that has learned something: no zeros left."""
    rng = np.random.default_rng(2)
    shapes = jax.eval_shape(network.init, KEY)
    return jax.tree.map(lambda x: jnp.asarray(0.3 * rng.normal(size=x.shape), x.dtype), shapes)


@pytest.mark.parametrize("height", [4, 5])
def test_convolution_sums_over_a_cell_and_its_six_neighbours(height):
    conv = hex_convolution.HexConv(1, 1, jnp.dtype("float32"), nnx.Rngs(0), nnx.initializers.ones)
    grids = np.eye(height * COLUMNS, dtype=np.float32).reshape(-1, height, COLUMNS, 1)
    summed = conv(hex_convolution.to_shifted(jnp.asarray(grids)))
    places = hex_convolution.shifted_places(height, COLUMNS)
    found = np.asarray(summed).reshape(len(grids), -1)[:, places] > 0
    everywhere = hexes.from_cells(np.arange(height * COLUMNS), height, COLUMNS)
    for cell in range(height * COLUMNS):
        own = jnp.asarray(hexes.from_cells([cell], height, COLUMNS))
        near = np.asarray((hexes.neighbours(own) & everywhere) | own)
        wanted = (near[:, None] >> np.arange(COLUMNS)) & 1
        np.testing.assert_array_equal(found[cell].reshape(height, COLUMNS), wanted)


def test_each_weight_looks_in_one_direction_from_even_and_odd_rows():
    conv = hex_convolution.HexConv(1, 1, jnp.dtype("float32"), nnx.Rngs(0))
    conv.kernel[...] = jnp.arange(1.0, 8.0).reshape(7, 1, 1)
    places = hex_convolution.shifted_places(ROWS, COLUMNS)
    # Above left, above right, left, itself, right, below left, below right, as (row, column).
    even = [(-1, -1), (-1, 0), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0)]
    odd = [(-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, 0), (1, 1)]
    for row, steps in ((2, even), (1, odd)):
        for weight, (down, right) in enumerate(steps, start=1):
            grid = np.zeros((1, ROWS, COLUMNS, 1), np.float32)
            grid[0, row + down, 1 + right] = 1
            summed = np.asarray(conv(hex_convolution.to_shifted(jnp.asarray(grid)))).reshape(-1)
            assert summed[places].reshape(ROWS, COLUMNS)[row, 1] == weight


@pytest.mark.parametrize("num_players", [2, 3])
def test_sizes_and_signs(num_players):
    network = tower(num_players)
    logits, values, scores = predict(network, trained(network), random_obs())
    assert (logits.shape, values.shape) == ((6, NUM_ACTIONS), (6, num_players))
    assert (scores.points.shape, scores.lead.shape) == ((6, num_players),) * 2
    assert (abs(values) <= 1).all() and values.std() > 0.01
    for opposite in (values, scores.lead):
        assert (opposite.sum(axis=1) == 0).all() == (num_players == 2)


def test_fresh_network_expects_nothing_and_its_blocks_change_no_cell():
    deep, flat = tower(), tower(blocks=0)
    params = init(deep, KEY)
    logits, values, scores = predict(deep, params, random_obs())
    assert (values == 0).all() and (scores.points == 0).all() and (scores.lead == 0).all()
    without = {name: part for name, part in params.items() if name != "tower"}
    np.testing.assert_array_equal(logits, predict(flat, without, random_obs())[0])


def test_all_parameters_learn():
    network = tower(num_players=3)

    def total(params):
        logits, values, scores = network.predict(params, random_obs())
        weights = jnp.arange(logits.size).reshape(logits.shape)
        return (logits * weights).sum() + sum((x[:, 0] ** 2).sum() for x in (values, *scores))

    gradient = jax.jit(jax.grad(total))(trained(network))
    for path, leaf in jax.tree.leaves_with_path(gradient):
        assert (leaf != 0).any(), jax.tree_util.keystr(path)


def test_numbers_reach_every_cell_and_every_cell_reaches_the_numbers():
    network = tower(blocks=1)
    params = trained(network)
    grid, vector = random_obs(1)
    logits, values, _ = predict(network, params, (grid, vector))
    others, elsewhere, _ = predict(network, params, (grid, vector + 1))
    assert (logits != others).all() and (values != elsewhere).all()
    for row, column in ((0, 0), (4, 3)):
        changed = grid.at[0, row, column].add(1)
        assert (predict(network, params, (changed, vector))[1] != values).all()


def test_logits_of_cells_stand_between_the_others():
    network = tower()
    params = jax.tree.map(jnp.zeros_like, trained(network))
    params["policy_cells"]["bias"] = jnp.array([10.0, 20.0, 30.0])
    params["policy_others"]["bias"] = -jnp.arange(1.0, 6.0)
    logits = predict(network, params, random_obs(1))[0][0]
    np.testing.assert_array_equal(logits, [-1, -2, 10, 20, 10, 20, 10, 20, -3, 30, -4, -5])


def test_action_on_a_cell_hears_that_cell_most():
    network = tower(blocks=0)
    params = trained(network)
    params["summary"] = jax.tree.map(jnp.zeros_like, params["summary"])
    grid, vector = random_obs(1)
    before = predict(network, params, (grid, vector))[0][0]
    # Cell 19 is the last of the board; cells 0 and 3 are far from it.
    after = predict(network, params, (grid.at[0, 4, 3].add(1), vector))[0][0]
    np.testing.assert_array_equal(np.flatnonzero(np.asarray(before != after)), [6, 7])


@pytest.mark.parametrize("num_players", range(2, 6))
def test_terra_mystica_has_its_hexes_where_its_actions_are(num_players):
    env = jaxgames.make("terra_mystica", num_players=num_players)
    network = make_network(env, CONFIG)
    assert network.predicts_scores
    on_cells = {
        blocks.start + blocks.kinds * index + kind: cell
        for blocks in network.cell_actions
        for index, cell in enumerate(blocks.cells)
        for kind in range(blocks.kinds)
    }
    hexes_of = {Kind.TERRAFORM: 7, Kind.BUILD: 1, Kind.UPGRADE: 4}
    for action, (kind, argument) in enumerate(zip(KIND_OF, ARGUMENT_OF, strict=True)):
        if kind in hexes_of:
            assert on_cells.pop(action) == LAND_CELLS[argument // hexes_of[kind]]
        elif kind == Kind.CONNECT:
            assert on_cells.pop(action) == RIVER_CELLS[argument]
    assert not on_cells
    obs = tuple(jax.ShapeDtypeStruct((2, *shape), jnp.float32) for shape in network.board)
    logits, values = jax.eval_shape(network.apply, jax.eval_shape(network.init, KEY), obs)
    assert (logits.shape, values.shape) == ((2, 1077), (2, num_players))


def test_towers_refuse_the_observations_of_each_other():
    with pytest.raises(ValueError, match=r"tower=hex needs .* a vector; onitama"):
        make_network(jaxgames.make("onitama"), CONFIG)
    with pytest.raises(ValueError, match=r"needs an observation \[height, width, planes\]; terra"):
        make_network(jaxgames.make("terra_mystica"), dataclasses.replace(CONFIG, tower="square"))


def test_bfloat16_keeps_float32_parameters_and_nearly_the_same_outputs():
    exact, rough = tower(), tower(dtype="bfloat16")
    params = trained(exact)
    outputs = (
        jax.tree.leaves(predict(network, params, random_obs())) for network in (exact, rough)
    )
    for wanted, found in zip(*outputs, strict=True):
        assert found.dtype == jnp.float32 and (wanted != found).any()
        np.testing.assert_allclose(found, wanted, atol=0.05 * abs(wanted).max())
