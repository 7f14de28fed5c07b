"""Lists of legal actions, and a search over them against the same search over all actions."""

import functools

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

import jaxgames
from jaxgames.batching.trees import choose
from jaxgames.search import action_slots
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.testing import playouts
from tests.random_function import RandomFunction

SIMULATIONS = 16
CONSIDERED = 8


def random_masks(num_actions):
    """Returns masks of every density, the empty and the full one among them."""
    rng = np.random.default_rng(num_actions)
    masks = rng.random((64, num_actions)) < np.linspace(0, 1, 64)[:, None]
    masks[0], masks[-1] = False, True
    return masks


@pytest.mark.parametrize("num_actions", [1, 6, 32, 33, 202])
def test_list_names_the_legal_actions_in_order(num_actions):
    masks = random_masks(num_actions)
    words = jax.jit(action_slots.pack)(masks)
    actions, filled = jax.jit(action_slots.legal_list, static_argnums=1)(words, num_actions)
    for mask, row, is_filled in zip(masks, np.asarray(actions), np.asarray(filled), strict=True):
        legal = np.flatnonzero(mask)
        np.testing.assert_array_equal(is_filled, np.arange(num_actions) < len(legal))
        np.testing.assert_array_equal(row[: len(legal)], legal)
        assert (row[len(legal) :] == 0).all()


def test_list_that_is_too_short_keeps_the_first_actions():
    masks = random_masks(40)
    actions, filled = action_slots.legal_list(action_slots.pack(masks), 5)
    for mask, row, is_filled in zip(masks, np.asarray(actions), np.asarray(filled), strict=True):
        np.testing.assert_array_equal(row[is_filled], np.flatnonzero(mask)[:5])


def test_numbers_by_slot_go_back_to_their_actions():
    masks = random_masks(202)
    by_slot = np.random.default_rng(0).random((64, 202)).astype(np.float32)
    dense = np.asarray(jax.jit(action_slots.to_dense)(by_slot, masks))
    for mask, slots, row in zip(masks, by_slot, dense, strict=True):
        assert (row[~mask] == 0).all()
        np.testing.assert_array_equal(row[mask], slots[: mask.sum()])


def dense_search(rules, evaluator, state, key):
    """Gumbel AlphaZero over all actions, as mctx's examples write it."""

    def evaluate(state):
        seat = jax.vmap(rules.to_move)(state)
        evaluation = evaluator((), state, None)
        mask = jax.vmap(rules.legal_actions)(state)
        logits = jnp.where(mask, evaluation.logits, jnp.finfo(jnp.float32).min)
        value = evaluation.values[jnp.arange(len(seat)), seat]
        return logits, jnp.where(jax.vmap(rules.is_over)(state), 0.0, value), mask, seat

    def recurrent(params, key, action, state):
        seat, was_over = jax.vmap(rules.to_move)(state), jax.vmap(rules.is_over)(state)
        moved = jax.vmap(lambda s, a: rules.step(s, a, None))(state, action)
        after = jax.vmap(choose)(was_over, state, moved)
        over = jax.vmap(rules.is_over)(after)
        reward = jax.vmap(rules.returns)(after)[jnp.arange(len(seat)), seat]
        logits, value, _, _ = evaluate(after)
        return mctx.RecurrentFnOutput(
            reward=jnp.where(was_over, 0.0, reward),
            discount=jnp.where(over, 0.0, -1.0),
            prior_logits=logits,
            value=value,
        ), after

    logits, value, mask, _ = evaluate(state)
    output = mctx.gumbel_muzero_policy(
        params=(),
        rng_key=key,
        root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state),
        recurrent_fn=recurrent,
        num_simulations=SIMULATIONS,
        invalid_actions=~mask,
        max_num_considered_actions=CONSIDERED,
        gumbel_scale=0.0,
    )
    return output.action, output.action_weights, output.search_tree.summary().value


def test_search_over_the_list_equals_the_search_over_all_actions():
    rules = jaxgames.make("onitama", deck="all", planes="board").rules
    games = playouts.play(rules, seed=4)
    states = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), games.states)
    number = np.asarray(playouts.map2(rules.legal_actions)(games.states).sum(axis=-1)).reshape(-1)
    # With all slots filled mctx scales its values a little differently: nothing stands for the
    # actions without a visit.
    fits = ~np.asarray(games.over).reshape(-1) & (number < rules.max_legal_actions)
    chosen = np.random.default_rng(0).permutation(np.flatnonzero(fits))[:256]
    batch = playouts.at(states, chosen)

    evaluator, key = RandomFunction(rules), jax.random.key(0)
    search = MctxGumbel(rules, evaluator, Gumbel(CONSIDERED, 0.0), SIMULATIONS)
    found = jax.jit(lambda state: search.act((), (), state, key)[0])(batch)
    action, policy, value = jax.jit(functools.partial(dense_search, rules, evaluator))(batch, key)
    np.testing.assert_array_equal(found.action, action)
    np.testing.assert_allclose(found.policy, policy, atol=1e-5)
    seat = np.asarray(jax.vmap(rules.to_move)(batch))
    np.testing.assert_allclose(found.values[np.arange(256), seat], value, atol=1e-5)
    assert set(seat) == {0, 1}
    assert len(set(np.asarray(action).tolist())) > 50
