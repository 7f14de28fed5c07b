"""The tower for actions of two steps: where its logits come from, and for which games it is."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jaxgames
from jaxgames.networks.blocks import few_outputs, only_output
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, make_network
from jaxgames.networks.tile_tower import NEVER, logits_of_targets
from jaxgames.rules import TileActions, TileTargets

SIDE, PLANES, NUMBERS, NUM_ACTIONS = 3, 4, 5, 16
TILES = SIDE * SIDE
OFFSETS = ((-2, 0), (0, 1), (1, -1))
TARGETS = (TileTargets(2, OFFSETS), TileTargets(8, ((1, 0), (0, -1))))
ACTIONS = TileActions(others=2, sub_actions=14, chosen_plane=3, has_chosen=4, targets=TARGETS)
CONFIG = NetworkConfig(
    tower="tile",
    channels=8,
    common_channels=6,
    blocks=0,
    policy_channels=4,
    value_channels=2,
    value_hidden=8,
    dtype="float32",
)


@pytest.fixture(scope="module")
def network():
    shapes = ((SIDE, SIDE, PLANES), (NUMBERS,))
    return Network(shapes, NUM_ACTIONS, 2, CONFIG, tile_actions=ACTIONS, predicts_scores=True)


@pytest.fixture(scope="module")
def params(network):
    """Returns parameters without zeros, which would hide what a logit does not depend on."""
    rng = np.random.default_rng(2)
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    return jax.tree.map(lambda x: jnp.asarray(0.3 * rng.normal(size=x.shape), x.dtype), shapes)


def observation(chosen=None):
    grid = jax.random.normal(jax.random.key(2), (1, SIDE, SIDE, PLANES)).at[..., 3].set(0)
    vector = jax.random.normal(jax.random.key(3), (1, NUMBERS)).at[:, 4].set(0)
    if chosen is not None:
        grid = grid.at[0, chosen // SIDE, chosen % SIDE, 3].set(1)
        vector = vector.at[:, 4].set(1)
    return grid, vector


def logits_of(network, params, obs):
    return np.asarray(jax.jit(network.apply)(params, obs)[0][0])


def test_first_step_has_a_logit_for_each_tile_and_other_action(network, params):
    logits = logits_of(network, params, observation())
    used = TILES + ACTIONS.others
    assert (logits[:used] != 0).all() and (logits[used:] == NEVER).all()


def test_logit_of_a_tile_follows_its_own_surroundings(network, params):
    quiet = {**params, "summary": jax.tree.map(jnp.zeros_like, params["summary"])}
    grid, vector = observation()
    before = logits_of(network, quiet, (grid, vector))
    after = logits_of(network, quiet, (grid.at[0, 2, 2, 0].add(1), vector))
    # Without blocks, a tile sees as far as one convolution.
    np.testing.assert_array_equal(np.flatnonzero(before != after), [4, 5, 7, 8])


def test_second_step_has_a_logit_for_each_sub_action_and_knows_the_tile(network, params):
    first, other = (logits_of(network, params, observation(tile)) for tile in (0, 8))
    assert (first[: ACTIONS.sub_actions] != 0).all() and (
        first[ACTIONS.sub_actions :] == NEVER
    ).all()
    assert (first[: ACTIONS.sub_actions] != other[: ACTIONS.sub_actions]).all()


def test_a_sub_action_follows_the_tile_that_it_names(network, params):
    quiet = {**params, "summary": jax.tree.map(jnp.zeros_like, params["summary"])}
    grid, vector = observation(chosen=7)  # in the last row, which does not see the first
    before = logits_of(network, quiet, (grid, vector))
    after = logits_of(network, quiet, (grid.at[0, 0, 1, 0].add(1), vector))
    two_up = TARGETS[0].start + OFFSETS.index((-2, 0))
    np.testing.assert_array_equal(np.flatnonzero(before != after), [two_up])


@pytest.mark.parametrize("size", [(3, 3), (3, 5), (1, 4)])
def test_a_sub_action_gets_the_logit_of_the_tile_that_it_names(size):
    rows, columns = size
    tiles = rows * columns
    of_targets = np.random.default_rng(0).normal(size=(tiles, 2, tiles)).astype(np.float32)
    found = logits_of_targets(ACTIONS, size, jnp.asarray(of_targets), jnp.eye(tiles))
    expected = np.zeros((tiles, ACTIONS.sub_actions), np.float32)
    for chosen in range(tiles):
        for group, (start, offsets) in enumerate(TARGETS):
            for number, (down, right) in enumerate(offsets):
                row, column = chosen // columns + down, chosen % columns + right
                if 0 <= row < rows and 0 <= column < columns:
                    logit = of_targets[chosen, group, row * columns + column]
                    expected[chosen, start + number] = logit
    np.testing.assert_array_equal(found, expected)


def test_all_parameters_learn(network, params):
    def total(params):
        result = 0.0
        for chosen in (None, 4):
            prediction = network.predict(params, observation(chosen))
            weights = jnp.arange(1.0, NUM_ACTIONS + 1)
            result += (prediction.logits * weights).sum() + (prediction.values[:, 0] ** 2).sum()
            result += sum((x[:, 0] ** 2).sum() for x in prediction.scores)
        return result

    for path, leaf in jax.tree.leaves_with_path(jax.jit(jax.grad(total))(params)):
        assert (leaf != 0).any(), jax.tree_util.keystr(path)


@pytest.mark.parametrize(("dtype", "error"), [("float32", 1e-6), ("bfloat16", 0.02)])
def test_the_only_output_of_a_dense_layer_is_what_the_layer_returns(dtype, error):
    layer = nnx.Linear(8, 1, dtype=jnp.dtype(dtype), rngs=nnx.Rngs(0))
    layer.bias[...] = jnp.array([0.5])
    x = jax.random.normal(jax.random.key(1), (3, 5, 8))
    found = only_output(layer, x)
    assert found.dtype == dtype
    np.testing.assert_allclose(
        np.float32(found), np.float32(layer(x)[..., 0]), rtol=error, atol=error
    )


@pytest.mark.parametrize(("dtype", "error"), [("float32", 1e-6), ("bfloat16", 0.02)])
def test_few_outputs_are_those_that_the_layer_returns(dtype, error):
    layer = nnx.Linear(8, 2, dtype=jnp.dtype(dtype), rngs=nnx.Rngs(0))
    layer.bias[...] = jnp.array([0.5, -1.0])
    x = jax.random.normal(jax.random.key(1), (3, 5, 8))
    found = few_outputs(layer, x)
    assert found.dtype == dtype
    expected = np.float32(layer(x)).transpose(0, 2, 1)
    np.testing.assert_allclose(np.float32(found), expected, rtol=error, atol=error)


def test_it_fits_tribes_of_all_sizes():
    for players, actions in ((2, 256), (4, 288)):
        env = jaxgames.make("tribes", num_players=players)
        network = make_network(env, CONFIG)
        obs = tuple(jax.ShapeDtypeStruct((2, *shape), jnp.float32) for shape in network.board)
        fresh = jax.eval_shape(network.init, jax.random.key(0))
        logits, values = jax.eval_shape(network.apply, fresh, obs)
        assert (logits.shape, values.shape) == ((2, actions), (2, players))


def test_games_of_single_steps_are_refused():
    with pytest.raises(ValueError, match=r"tower=tile is for actions that name a tile first"):
        make_network(jaxgames.make("terra_mystica"), CONFIG)
    with pytest.raises(ValueError, match=r"tower=tile needs .* a vector; onitama"):
        make_network(jaxgames.make("onitama"), dataclasses.replace(CONFIG))
