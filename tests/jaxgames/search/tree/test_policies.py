"""Gumbel MuZero and AlphaZero besides selection: the schedule, the noise, moves that are drawn."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from mctx._src import seq_halving

from jaxgames.search.tree.gumbel import TIE_NOISE, Gumbel, halving_table
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.turn_nim import CHOOSING, TurnNim

KEY = jax.random.key(0)
LANES = 3000
MASK = jnp.arange(8) < 5
LOGITS = jnp.linspace(2.0, -1.0, 8)


def rows(row, number=LANES):
    return jnp.broadcast_to(row, (number, *row.shape))


@functools.cache
def prepared(policy):
    drawn = policy.draw(jax.typeof(rows(LOGITS)), KEY)
    return [np.asarray(x) for x in policy.prepare(rows(LOGITS), rows(MASK), drawn)]


@pytest.mark.parametrize("simulations", [1, 8, 50, 400])
@pytest.mark.parametrize("considered", [1, 2, 7, 16])
def test_schedule_of_sequential_halving_is_that_of_mctx(considered, simulations):
    expected = seq_halving.get_table_of_considered_visits(considered, simulations)
    np.testing.assert_array_equal(halving_table(considered, simulations), expected)


def test_schedule_halves_the_actions_until_two_are_left():
    # 16 simulations of 4 actions: two rounds of eight.
    row = halving_table(4, 16)[4].tolist()
    assert row == [0] * 4 + [1] * 4 + [2] * 2 + [3] * 2 + [4] * 2 + [5] * 2


def test_gumbel_noise_has_its_distribution_and_scale_and_leaves_the_prior_alone():
    logits, noise = prepared(Gumbel(gumbel_scale=1.0))
    np.testing.assert_array_equal(logits[:, :5], rows(LOGITS[:5]))
    assert (logits[:, 5:] == np.finfo(np.float32).min).all()
    assert noise.mean() == pytest.approx(np.euler_gamma, abs=0.02)
    assert noise.var() == pytest.approx(np.pi**2 / 6, abs=0.06)
    np.testing.assert_allclose(prepared(Gumbel(gumbel_scale=0.5))[1], noise / 2, rtol=1e-6)
    np.testing.assert_allclose(prepared(Gumbel(gumbel_scale=0.0))[1], TIE_NOISE * noise, rtol=1e-5)


def test_without_exploration_the_order_of_equal_logits_is_random():
    noise = prepared(Gumbel(gumbel_scale=0.0))[1][:, :5]
    first = np.bincount(np.argmax(noise, axis=1), minlength=5) / len(noise)
    np.testing.assert_allclose(first, 1 / 5, atol=0.04)
    assert abs(noise).max() < 0.01  # too little to change the order of logits that differ


@pytest.mark.parametrize("alpha", [0.03, 0.3, 10.0])
def test_dirichlet_noise_is_spread_over_the_legal_actions_alone(alpha):
    fraction = 0.25
    logits, noise = prepared(Puct(dirichlet_fraction=fraction, dirichlet_alpha=alpha))
    assert (noise == 0).all() and np.isfinite(logits).all()
    assert (logits[:, 5:] == np.finfo(np.float32).min).all()
    found = np.exp(logits[:, :5])
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)
    drawn = (found - (1 - fraction) * np.asarray(jax.nn.softmax(LOGITS[:5]))) / fraction
    assert drawn.min() > -1e-5
    np.testing.assert_allclose(drawn.mean(axis=0), 1 / 5, atol=0.04)
    variance = (1 / 5) * (4 / 5) / (5 * alpha + 1)
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.15)


def test_without_dirichlet_noise_the_prior_stays_as_it_is():
    logits, noise = prepared(Puct(dirichlet_fraction=0.0))
    np.testing.assert_array_equal(logits[:, :5], rows(LOGITS[:5]))
    assert (noise == 0).all()


@pytest.mark.parametrize("temperature", [0.5, 1000.0])
def test_temperature_draws_actions_by_powers_of_their_visits(temperature):
    rules = TurnNim()
    state = turn_nim.batch([((3, 3, 2), CHOOSING)] * LANES, 0)
    policy = Puct(dirichlet_fraction=0.0, temperature=temperature)
    search = TreeSearch(rules, RandomFunction(rules, spread=1.0), policy, simulations=8)
    decision, found = jax.device_get(trees.decide_compiled(search, state, KEY))
    visits = trees.root_visits(found.tree, rules.num_actions)
    assert (visits == visits[0]).all() and (visits[0] > 0).sum() >= 2
    np.testing.assert_allclose(decision.policy, visits / 8)
    shares = np.bincount(decision.action, minlength=rules.num_actions) / LANES
    weight = np.where(visits[0] > 0, visits[0] ** (1 / temperature), 0)
    np.testing.assert_allclose(shares, weight / weight.sum(), atol=0.03)
    assert (shares[visits[0] == 0] == 0).all()
