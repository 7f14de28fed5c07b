"""The tower: what a fresh one computes, where its logits stand, whose values it returns."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.env import Env
from jaxgames.networks.config import NetworkConfig
from jaxgames.networks.network import Network, count_parameters, make_network
from jaxgames.search.evaluators.network import (
    NetworkEvaluator,
    to_absolute_seats,
    to_observer_first,
)
from tests.conformance.games import Nim
from tests.turn_nim import CHOOSING, TurnNim, batch

CONFIG = NetworkConfig(
    channels=8, blocks=2, policy_channels=4, value_channels=2, value_hidden=8, dtype="float32"
)
BOARD = (5, 4, 3)
SQUARES = 20
KEY = jax.random.key(0)
init = jax.jit(Network.init, static_argnums=0)
apply = jax.jit(Network.apply, static_argnums=0)


def tower(num_actions=SQUARES * 3 + 2, num_players=2, **changes):
    return Network(BOARD, num_actions, num_players, dataclasses.replace(CONFIG, **changes))


def random_obs(size=6):
    return jax.random.normal(jax.random.key(1), (size, *BOARD))


def trained(network):
    """Returns parameters as of a network that has learned something: no zeros left."""
    rng = np.random.default_rng(2)
    shapes = jax.eval_shape(network.init, KEY)
    return jax.tree.map(lambda x: jnp.asarray(0.3 * rng.normal(size=x.shape), x.dtype), shapes)


@pytest.mark.parametrize("num_players", [2, 3])
@pytest.mark.parametrize("num_actions", [SQUARES * 3 + 2, SQUARES * 3, 7])
def test_logits_and_values_have_the_sizes_of_the_game(num_actions, num_players):
    network = tower(num_actions, num_players)
    params = jax.eval_shape(network.init, KEY)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(params))
    logits, values = jax.eval_shape(network.apply, params, random_obs())
    assert (logits.shape, values.shape) == ((6, num_actions), (6, num_players))
    assert logits.dtype == values.dtype == jnp.float32


def test_parameters_are_counted():
    # One 3x3 stem, 1x1 heads, and dense layers; each with its biases.
    convolutions = (9 * 3 + 1) * 8 + (8 + 1) * 4 + (4 + 1) * 3 + (8 + 1) * 2
    dense = (SQUARES * 4 + 1) * 2 + (SQUARES * 2 + 1) * 8 + (8 + 1)
    blocks = 2 * 2 * (9 * 8 + 1) * 8
    assert count_parameters(trained(tower())) == convolutions + dense + blocks


def test_fresh_network_expects_nothing_and_knows_its_moves_apart():
    network = tower()
    logits, values = apply(network, init(network, KEY), random_obs())
    assert (values == 0).all()
    assert logits.std() > 0.01
    again, _ = apply(network, init(network, KEY), random_obs())
    other, _ = apply(network, init(network, jax.random.key(1)), random_obs())
    np.testing.assert_array_equal(again, logits)
    assert (other != logits).any()


def test_blocks_of_a_fresh_tower_change_nothing_and_those_of_a_trained_one_do():
    deep, flat = tower(), tower(blocks=0)
    params = init(deep, KEY)
    without = {name: part for name, part in params.items() if name != "tower"}
    np.testing.assert_array_equal(
        apply(deep, params, random_obs())[0], apply(flat, without, random_obs())[0]
    )
    for block in params["tower"].values():
        assert (block["project"]["kernel"] == 0).all()
        assert (block["expand"]["kernel"] != 0).any()
    params = trained(deep)
    without = {name: part for name, part in params.items() if name != "tower"}
    difference = apply(deep, params, random_obs())[0] - apply(flat, without, random_obs())[0]
    assert abs(difference).max() > 0.1


def test_all_parameters_of_a_network_learn():
    network = tower(num_players=3)
    params = trained(network)

    def total(params):
        logits, values = apply(network, params, random_obs())
        return (logits * jnp.arange(logits.size).reshape(logits.shape)).sum() + values[:, 0].sum()

    for path, leaf in jax.tree.leaves_with_path(jax.grad(total)(params)):
        assert (leaf != 0).any(), jax.tree_util.keystr(path)


def test_values_of_two_seats_are_opposite_and_those_of_three_are_independent():
    for num_players in (2, 3):
        network = tower(num_players=num_players)
        _, values = apply(network, trained(network), random_obs())
        assert (abs(values) <= 1).all() and values.std() > 0.01
        assert (values.sum(axis=1) == 0).all() == (num_players == 2)


def test_action_number_is_square_times_kinds_plus_kind_and_the_rest_comes_last():
    network = tower()
    kinds = jnp.array([10.0, 20.0, 30.0])
    zero = jax.tree.map(jnp.zeros_like, trained(network))
    zero["policy_square"]["bias"] = kinds
    zero["policy_extra"]["bias"] = jnp.array([-1.0, -2.0])
    logits = np.asarray(apply(network, zero, random_obs())[0])
    np.testing.assert_array_equal(logits[:, : SQUARES * 3], [[10, 20, 30] * SQUARES] * 6)
    np.testing.assert_array_equal(logits[:, SQUARES * 3 :], [[-1, -2]] * 6)


def test_actions_numbered_by_plane_get_the_same_logits_in_another_order():
    by_square = tower()
    by_plane = dataclasses.replace(by_square, by_plane=True)
    params = trained(by_square)
    squares, planes = (apply(n, params, random_obs())[0] for n in (by_square, by_plane))
    on_board = squares[:, : SQUARES * 3].reshape(6, SQUARES, 3)
    np.testing.assert_array_equal(
        planes[:, : SQUARES * 3].reshape(6, 3, SQUARES), jnp.moveaxis(on_board, 2, 1)
    )
    np.testing.assert_array_equal(planes[:, SQUARES * 3 :], squares[:, SQUARES * 3 :])


@pytest.mark.parametrize(("game", "by_plane"), [("onitama", False), ("murus_gallicus", True)])
def test_network_of_a_game_follows_its_action_numbers(game, by_plane):
    assert make_network(jaxgames.make(game), CONFIG).by_plane == by_plane


def test_logits_of_murus_gallicus_stand_on_the_cells_of_their_stacks():
    env = jaxgames.make("murus_gallicus")
    network = make_network(env, dataclasses.replace(CONFIG, blocks=0))
    params = trained(network)
    start = env.init(KEY).observation
    moved = env.text_to_state("tttttttt/8/8/8/8/5W2/TTTTTTTT r".replace("T r", "W r"))
    both = jax.tree.map(lambda *parts: jnp.stack(parts), start, moved.observation)
    logits = np.asarray(apply(network, params, both)[0])
    changed = (logits[0] != logits[1]).reshape(16, 7, 8).any(axis=0)
    # One 3x3 convolution sees f2 (file 5, rank 1) and h1 from the cells next to them.
    expected = np.zeros((7, 8), bool)
    expected[0:3, 4:7] = expected[0:2, 6:8] = True
    np.testing.assert_array_equal(changed, expected)


def test_a_pattern_moved_by_one_square_moves_its_logits_by_one_square():
    network = tower(SQUARES * 3, blocks=0)
    params = trained(network)
    pattern = jnp.array([1.0, -2.0, 3.0])
    obs = jnp.zeros((3, *BOARD)).at[0, 2, 1].set(pattern).at[1, 2, 2].set(pattern)
    here, right, empty = np.asarray(apply(network, params, obs)[0]).reshape(3, 5, 4, 3)
    np.testing.assert_allclose(right[1:4, 1:4], here[1:4, 0:3], rtol=1e-5)
    changed = (here != empty).any(axis=-1)
    assert changed[1:4, 0:3].all() and changed.sum() == 9


def test_bfloat16_keeps_float32_parameters_and_nearly_the_same_outputs():
    exact, rough = tower(), tower(dtype="bfloat16")
    params = trained(rough)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(params))
    outputs = apply(exact, params, random_obs()), apply(rough, params, random_obs())
    for wanted, found in zip(*outputs, strict=True):
        assert found.dtype == jnp.float32
        assert (wanted != found).any()
        np.testing.assert_allclose(found, wanted, atol=0.05 * abs(wanted).max())
    gradient = jax.grad(lambda p: apply(rough, p, random_obs())[0].sum())(params)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(gradient))


def test_network_is_hashable_and_equal_settings_are_equal_networks():
    assert tower() == tower() and hash(tower()) == hash(tower())
    assert tower() != tower(channels=16)


def test_game_without_a_board_is_refused():
    with pytest.raises(ValueError, match=r"tower=square needs .* \[height, width, planes\]; nim"):
        make_network(Env("nim", Nim()), CONFIG)
    with pytest.raises(ValueError, match="onitama_report has"):
        make_network(jaxgames.make("onitama_report"), CONFIG)
    found = make_network(jaxgames.make("onitama"), CONFIG)
    assert (found.board, found.num_actions, found.num_players) == ((5, 5, 44), 202, 2)


def test_actions_of_no_square_come_from_a_dense_layer():
    env = jaxgames.make("onitama_report", observation="planes")
    network = make_network(env, CONFIG)
    params = network.init(jax.random.key(0))
    assert "policy_square" not in params
    assert params["policy_extra"]["kernel"].shape == (25 * CONFIG.policy_channels, 40)
    obs = jax.vmap(env.rules.observe, (0, None))(
        jax.vmap(env.rules.init)(jax.random.split(jax.random.key(0), 3)), 0
    )
    logits, values = apply(network, params, obs)
    assert (logits.shape, values.shape) == ((3, 40), (3, 2))


def test_seats_follow_the_observer_in_turn_order():
    relative = jnp.array([[0.1, 0.2, 0.3]] * 3)
    observer = jnp.arange(3)
    absolute = to_absolute_seats(relative, observer)
    wanted = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]], np.float32)
    np.testing.assert_array_equal(absolute, wanted)
    np.testing.assert_array_equal(to_observer_first(absolute, observer), relative)
    two = to_absolute_seats(jnp.array([[0.5, -0.5]] * 2), jnp.arange(2))
    np.testing.assert_array_equal(two, [[0.5, -0.5], [-0.5, 0.5]])


@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_seats_are_counted_round_the_table(players):
    observer = jnp.arange(-players, 2 * players)
    values = jax.random.normal(jax.random.key(0), (len(observer), players))
    turned = np.stack([np.roll(row, seat) for row, seat in zip(values, observer, strict=True)])
    np.testing.assert_array_equal(to_absolute_seats(values, observer), turned)
    np.testing.assert_array_equal(to_observer_first(jnp.asarray(turned), observer), values)


def test_evaluator_looks_from_the_seat_to_move_and_answers_for_absolute_seats():
    env = Env("turn_nim", TurnNim())
    network = make_network(env, CONFIG)
    params = trained(network)
    state = batch([((2, 1, 0), CHOOSING), ((2, 1, 0), CHOOSING)], [0, 1])
    logits, values = NetworkEvaluator(env.rules, network)(params, state, KEY)
    np.testing.assert_array_equal(logits[0], logits[1])
    np.testing.assert_array_equal(values[0], values[1, ::-1])
    assert values[0, 0] != 0
    obs = env.rules.observe(jax.tree.map(lambda x: x[0], state), 0)
    np.testing.assert_allclose(apply(network, params, obs[None])[1][0], values[0], rtol=1e-6)
