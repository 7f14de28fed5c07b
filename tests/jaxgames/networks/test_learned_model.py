"""Learned models: what their dynamics know of actions, and that all their parts learn."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jaxgames
from jaxgames.env import Env
from jaxgames.networks import square_tower
from jaxgames.networks.blocks import scaled
from jaxgames.networks.config import ModelConfig
from jaxgames.networks.dynamics import TileDynamics, hex_actions, moves_next, square_actions
from jaxgames.networks.grid_tower import GridFeatures, mover_first
from jaxgames.networks.hex_convolution import shifted_places
from jaxgames.networks.learned_model import make_model
from tests import turn_nim
from tests.turn_nim import CHOOSING, TurnNim

SIZES = ModelConfig(
    channels=4,
    common_channels=4,
    blocks=1,
    dynamics_blocks=1,
    policy_channels=4,
    value_channels=2,
    value_hidden=8,
    projection=4,
)
TOWERS = {
    "onitama": "square",
    "murus_gallicus": "square",
    "terra_mystica": "hex",
    "tribes": "tile",
}


def model_of(game: str):
    return make_model(jaxgames.make(game), dataclasses.replace(SIZES, tower=TOWERS[game]))


def test_actions_of_onitama_lie_on_the_squares_of_the_pieces_that_move():
    table = square_actions(model_of("onitama").network)
    # Action (square * 2 + slot) * 4 + move; the last two pass.
    assert table.cell[[0, 7, 8, 199, 200, 201]].tolist() == [0, 0, 1, 24, 25, 25]
    assert table.kind[[0, 7, 8, 199, 200, 201]].tolist() == [0, 7, 0, 7, 8, 9]
    assert table.num_kinds == 10


def test_actions_of_murus_gallicus_are_numbered_plane_by_plane():
    table = square_actions(model_of("murus_gallicus").network)
    assert table.cell[[0, 55, 56, 895]].tolist() == [0, 55, 0, 55]
    assert table.kind[[0, 55, 56, 895]].tolist() == [0, 0, 1, 15]
    assert table.num_kinds == 16


def test_actions_of_terra_mystica_lie_on_their_hexes():
    network = model_of("terra_mystica").network
    table, places = hex_actions(network), shifted_places(9, 13)
    on_cells = np.zeros(network.num_actions, bool)
    for actions in network.cell_actions:
        for index in (0, len(actions.cells) - 1):
            for kind in (0, actions.kinds - 1):
                number = actions.start + actions.kinds * index + kind
                assert table.cell[number] == places[actions.cells[index]]
        on_cells[actions.start : actions.start + len(actions.cells) * actions.kinds] = True
    assert (table.cell[~on_cells] == 9 * 17).all()
    # An action without a cell is a kind of its own.
    assert len(set(table.kind[~on_cells].tolist())) == (~on_cells).sum()
    assert set(table.kind.tolist()) == set(range(table.num_kinds))


def test_tribes_chooses_a_tile_then_acts_there():
    network = model_of("tribes").network
    tiles, others = 121, network.tile_actions.others
    chosen = jnp.zeros((4, tiles)).at[3, 60].set(1)
    features = GridFeatures(jnp.zeros((4, 11, 11, 4)), jnp.zeros((4, 4)), chosen)
    module = object.__new__(TileDynamics)
    object.__setattr__(module, "network", network)
    placed = TileDynamics.place(module, features, jnp.array([7, tiles, 255, 5]))
    # The first step of an action: a tile, the first action of the whole game, a number too large.
    # The second step: sub-action 5 on tile 60.
    assert placed.kind.tolist() == [0, 1, others, 1 + others + 5]
    assert placed.where.sum(axis=1).tolist() == [1, 0, 0, 1]
    assert placed.where[0, 7] == 1 and placed.where[3, 60] == 1
    assert placed.chosen.sum(axis=1).tolist() == [1, 0, 0, 0] and placed.chosen[0, 7] == 1


def test_numbers_of_seats_are_told_from_the_mover():
    numbers = jnp.array([[10.0, 20.0, 30.0]] * 3)
    sure = mover_first(numbers, jnp.eye(3))
    assert sure.tolist() == [[10, 20, 30], [20, 30, 10], [30, 10, 20]]
    between = mover_first(numbers[:1], jnp.array([[0.5, 0.0, 0.5]]))
    assert between.tolist() == [[20, 15, 25]]


def test_the_turn_goes_on_from_the_mover():
    mover, steps = np.meshgrid(np.arange(3), np.arange(3))
    after = moves_next(jnp.eye(3)[mover.reshape(-1)], jnp.eye(3)[steps.reshape(-1)])
    expected = (mover + steps).reshape(-1) % 3
    assert after.argmax(axis=1).tolist() == expected.tolist()
    assert (after.sum(axis=1) == 1).all()


@pytest.mark.parametrize("game", ["terra_mystica", "tribes"])
def test_values_of_one_position_are_told_from_the_seat_that_moves(game):
    model = model_of(game)
    players = model.network.num_players
    obs = tuple(jnp.ones((players, *shape)) for shape in model.network.board)

    @jax.jit
    def movers_and_values():
        keys = iter(jax.random.split(jax.random.key(1), 200))
        params = model.init(jax.random.key(0))
        params = jax.tree.map(lambda x: x + 0.3 * jax.random.normal(next(keys), x.shape), params)
        features = model.represent(params, obs)
        by_seat = features._replace(mover=jnp.eye(players))
        return features.mover, model.predict(params, by_seat).values

    movers, values = movers_and_values()
    assert movers.argmax(axis=1).tolist() == [0] * players
    assert (values[0] != 0).any()
    for seat in range(players):
        np.testing.assert_array_equal(values[seat], jnp.roll(values[0], -seat))


@pytest.mark.parametrize("game", TOWERS)
def test_features_after_actions_are_like_those_of_observations(game):
    sizes = dataclasses.replace(SIZES, tower=TOWERS[game], dtype="bfloat16")
    model = make_model(jaxgames.make(game), sizes)
    board = model.network.board
    shapes = board if TOWERS[game] != "square" else (board,)
    obs = tuple(jax.ShapeDtypeStruct((3, *shape), jnp.float32) for shape in shapes)
    obs = obs if len(obs) > 1 else obs[0]
    params = jax.eval_shape(model.init, jax.random.key(0))
    features = jax.eval_shape(model.represent, params, obs)
    action = jax.ShapeDtypeStruct((3,), jnp.int32)
    after = jax.eval_shape(model.step, params, features, action)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), after.features) == jax.tree.map(
        lambda x: (x.shape, x.dtype), features
    )
    players = model.network.num_players
    assert after.seat_logits.shape == (3, players)
    prediction = jax.eval_shape(model.predict, params, after.features)
    assert prediction.logits.shape == (3, model.network.num_actions)
    assert prediction.values.shape == (3, players)


def test_all_parameters_learn_from_what_follows_two_actions():
    rules = TurnNim()
    model = make_model(Env("turn_nim", rules), SIZES)
    params = jax.jit(model.init)(jax.random.key(1))
    # Fresh blocks are the identity and fresh values are zero, which hides layers from each other.
    keys = iter(jax.random.split(jax.random.key(2), 100))
    params = jax.tree.map(lambda x: x + 0.3 * jax.random.normal(next(keys), x.shape), params)
    state = turn_nim.batch([((2, 1, 0), CHOOSING), ((3, 1, 2), 0)], [0, 1])
    obs = jax.vmap(rules.observe)(state, state.seat)

    def total(params):
        features = model.represent(params, obs)
        found = 0.0
        for action in (jnp.array([0, 3]), jnp.array([4, 1])):
            features, seat = model.step(params, features, action)
            prediction = model.predict(params, features)
            found += (prediction.logits**2).sum() + prediction.values[:, 0].sum()
            found += (seat**2).sum()
        return found + (model.foresee(params, model.project(params, features)) ** 2).sum()

    gradients = jax.jit(jax.grad(total))(params)
    used = np.concatenate([square_actions(model.network).kind[[0, 3, 4, 1]]])
    for path, leaf in jax.tree.leaves_with_path(gradients):
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        rows = leaf[np.unique(used)] if name.startswith("dynamics.action") else leaf
        assert (rows != 0).any(), name


def fresh_dynamics(game: str):
    """Returns the parameters of the dynamics of a fresh model."""
    network = model_of(game).network

    def parameters(key):
        module = network.tower.dynamics(network, jnp.float32, nnx.Rngs(key))
        return nnx.to_pure_dict(nnx.state(module))

    return jax.jit(parameters)(jax.random.key(0))


def test_fresh_square_dynamics_tell_actions_apart_and_see_the_board_from_the_other_side():
    found, squares = fresh_dynamics("onitama"), jnp.arange(25.0)
    assert 0.5 < float(jnp.square(found["action"]["embedding"]).mean()) < 2
    np.testing.assert_array_equal(squares @ found["turn"]["kernel"], squares[::-1])


def test_fresh_grid_dynamics_tell_actions_apart_and_drown_nothing():
    found = fresh_dynamics("tribes")
    for table in ("to_cell", "to_numbers"):
        assert 0.04 < float(jnp.square(found[table]["embedding"]).mean()) < 0.2


def test_features_keep_their_scale():
    x = jax.random.normal(jax.random.key(0), (2, 3, 4)) * jnp.array([1e3, 1e-2])[:, None, None]
    np.testing.assert_allclose(jnp.square(scaled(x)).mean(axis=(1, 2)), 1, rtol=0.02)
    assert (scaled(jnp.zeros((2, 5))) == 0).all()


def test_a_tower_without_dynamics_is_refused(monkeypatch):
    monkeypatch.setattr(square_tower, "TOWER", square_tower.TOWER._replace(dynamics=None))
    with pytest.raises(ValueError, match=r"network.tower=square has no dynamics"):
        make_model(jaxgames.make("onitama"), SIZES)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("dynamics_blocks", -1, "network.dynamics_blocks must be at least 0, got -1"),
        ("channels", 0, "network.channels must be at least 1, got 0"),
    ],
)
def test_sizes_are_checked_under_the_names_of_the_command_line(field, value, words):
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(SIZES, **{field: value})
