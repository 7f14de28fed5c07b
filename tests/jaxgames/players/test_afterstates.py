"""Afterstate domains of the games, and networks of values on them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.batching.trees import select_rows
from jaxgames.networks.config import AfterstateConfig
from jaxgames.players.afterstate import make_network, make_player
from jaxgames.players.knowledge import afterstate_domain_of
from jaxgames.players.registry import make_env

CONFIG = AfterstateConfig(hidden=(8,))
GAMES = ("onitama", "murus_gallicus")
LARGE = ("terra_mystica", "tribes")


def positions(env, plies: int):
    """Random positions, and the seat that acted before each."""

    def advance(carry, key):
        game, _ = carry
        word_key, step_key = jax.random.split(key)
        seat = env.rules.to_move(game)
        action = env.rules.sample_action(game, jax.random.bits(word_key, (), jnp.uint32))
        moved = env.rules.step(game, action, step_key if env.rules.stochastic else None)
        return (moved, seat.astype(jnp.int32)), None

    def playout(key):
        start = env.rules.init(key), jnp.int32(0)
        return jax.lax.scan(advance, start, jax.random.split(key, plies))[0]

    return jax.jit(jax.vmap(playout))(jax.random.split(jax.random.key(0), 4))


@pytest.mark.parametrize(
    "game", [*GAMES, *(pytest.param(game, marks=pytest.mark.slow) for game in LARGE)]
)
def test_a_fresh_network_has_the_values_of_the_estimate(game):
    env = make_env(game, "")
    network, domain = make_network(env, CONFIG), afterstate_domain_of(env)
    params = network.init(jax.random.key(0))
    games, seat = positions(env, 12)

    @jax.jit
    def judge(games, seat):
        estimate = jax.vmap(domain.estimate)(games, seat)
        return network(params, games, seat), estimate, network.inputs(games, seat)

    values, estimate, inputs = jax.device_get(judge(games, seat))
    wanted = np.tanh(estimate) if domain.bounded else estimate
    np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(values.sum(axis=1), 0, atol=1e-5)
    assert np.isfinite(inputs.features).all() and abs(inputs.features).max() < 20
    if env.rules.counts_points:
        np.testing.assert_allclose(
            inputs.points[np.arange(4), 0] * domain.points_unit,
            np.asarray(jax.vmap(env.rules.score)(games))[np.arange(4), seat],
            rtol=1e-5,
        )


@pytest.mark.parametrize("game", GAMES)
def test_finished_games_have_their_outcome(game):
    env = make_env(game, "")
    network = make_network(env, CONFIG)
    params = jax.tree.map(lambda x: x + 0.1, network.init(jax.random.key(0)))

    def ply(states, key):
        over = jax.vmap(env.rules.is_over)(states)
        actions = jax.vmap(env.rules.sample_action)(states, jax.random.bits(key, (16,), jnp.uint32))
        moved = jax.vmap(lambda s, a: env.rules.step(s, a, None))(states, actions)
        return select_rows(over, states, moved), None

    @jax.jit
    def play(key):
        start_key, play_key = jax.random.split(key)
        start = jax.vmap(env.rules.init)(jax.random.split(start_key, 16))
        states, _ = jax.lax.scan(ply, start, jax.random.split(play_key, env.max_steps))
        over = jax.vmap(env.rules.is_over)(states)
        values = network(params, states, jnp.zeros(16, jnp.int32))
        return over, values, jax.vmap(env.rules.returns)(states)

    over, values, returns = jax.device_get(play(jax.random.key(1)))
    np.testing.assert_array_equal(values[over], returns[over])
    assert over.any()


def test_seats_are_seen_from_their_own_side():
    """After the seats of a game are exchanged, the other seat has the same features."""
    env = make_env("onitama", "")
    domain = afterstate_domain_of(env)
    game = env.rules.init(jax.random.key(0))
    assert (domain.features(game, jnp.int32(0)) != domain.features(game, jnp.int32(1))).any()


def test_noise_draws_actions_by_their_value():
    env = make_env("onitama", "")
    network = make_network(env, CONFIG)
    params = network.init(jax.random.key(0))
    start = jax.vmap(env.rules.init)(jnp.repeat(jax.random.key(3)[None], 64, axis=0))
    for noise, least, most in ((0.0, 1, 30), (5.0, 5, 30)):
        player = make_player(env, network, noise=noise)
        decision, _ = jax.jit(player.act)(params, player.reset(64), start, jax.random.key(0))
        assert least <= len(np.unique(decision.action)) <= most
        assert jax.vmap(env.rules.legal_actions)(start)[jnp.arange(64), decision.action].all()
