"""Random models of every kind for comparisons of searches: rewards, discounts, ties, chance.

A state is a number, and all that a model says of it is computed from this number. So two searches
that visit the same states see the same model, whatever their batches are.
"""

import jax
import jax.numpy as jnp
import numpy as np

ACTIONS, LANES, SIMULATIONS = 5, 8, 12  # of small searches, see `inputs`
KINDS = 4  # smooth; no rewards, alternating players; ties in everything; priors and values equal


def mixed(number):
    """Returns another number, each bit of which depends on all bits of the first."""
    number = (number ^ (number >> 16)) * np.uint32(0x7FEB352D)
    number = (number ^ (number >> 15)) * np.uint32(0x846CA68B)
    return number ^ (number >> 16)


def drawn(state, columns, salt, dtype):
    """Returns numbers from 0 to 1, `[B, columns]`."""
    column = jnp.arange(columns, dtype=jnp.uint32) + np.uint32(salt)
    numbers = mixed(mixed(state)[:, None] + column * np.uint32(0x9E3779B9))
    return (numbers >> 8).astype(dtype) / 2**24


def by_kind(kind, *choices):
    """Returns one of the arrays of each kind for each lane."""
    kind = kind.reshape(-1, *[1] * (choices[0].ndim - 1))
    return jnp.select([kind == number for number in range(len(choices))], choices)


def predicted(embedding, num_actions, dtype):
    """Returns logits, value, reward and discount of states."""
    state, kind = embedding
    logits = drawn(state, num_actions, 1, dtype)
    value, reward, discount = drawn(state, 3, 7919, dtype).T
    zero, one = jnp.zeros_like(value), jnp.ones_like(value)
    logits = by_kind(kind, 6 * logits, 3 * logits, jnp.round(2 * logits), jnp.zeros_like(logits))
    is_illegal = drawn(state, num_actions, 104729, dtype) < 0.2
    is_illegal &= jnp.arange(num_actions) > 0  # something is always possible
    logits = jnp.where(is_illegal & (kind == 1)[:, None], -jnp.inf, logits)
    value = by_kind(kind, 2 * value - 1, 2 * value - 1, jnp.round(2 * value), zero)
    reward = by_kind(kind, 2 * reward - 1, zero, jnp.round(3 * reward) - 1, zero)
    is_end = discount < 0.1
    discount = by_kind(kind, discount, jnp.where(is_end, 0, -one), jnp.round(2 * discount) / 2, one)
    return logits, value, reward, discount


def model(mctx, num_actions, dtype):
    """Returns a `recurrent_fn` with the classes of `mctx`."""

    def recurrent_fn(params, key, action, embedding):
        state, kind = embedding
        state = mixed(state * np.uint32(31) + action.astype(jnp.uint32) + 1)
        logits, value, reward, discount = predicted((state, kind), num_actions, dtype)
        output = mctx.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=logits, value=value
        )
        return output, (state, kind)

    return recurrent_fn


def chance_models(mctx, num_actions, num_outcomes, dtype):
    """Returns the functions of stochastic MuZero."""

    def decision_fn(params, key, action, embedding):
        state, kind = embedding
        state = mixed(state * np.uint32(31) + action.astype(jnp.uint32) + 1)
        logits, value, _, _ = predicted((state, kind), num_outcomes, dtype)
        output = mctx.DecisionRecurrentFnOutput(chance_logits=logits, afterstate_value=value)
        return output, (state, kind)

    def chance_fn(params, key, outcome, embedding):
        state, kind = embedding
        state = mixed(state * np.uint32(37) + outcome.astype(jnp.uint32) + 1)
        logits, value, reward, discount = predicted((state, kind), num_actions, dtype)
        output = mctx.ChanceRecurrentFnOutput(
            action_logits=logits, value=value, reward=reward, discount=discount
        )
        return output, (state, kind)

    return decision_fn, chance_fn


def roots(mctx, first, number, num_actions, dtype):
    """Returns roots of all kinds, and their masks of invalid actions."""
    number = jnp.arange(number, dtype=jnp.uint32) + first
    embedding = (mixed(number), (number % KINDS).astype(jnp.int32))
    logits, value, _, _ = predicted(embedding, num_actions, dtype)
    share = drawn(embedding[0], 1, 15485863, dtype)  # in some roots hardly any action is valid
    invalid = drawn(embedding[0], num_actions, 32452843, dtype) < share**2
    root = mctx.RootFnOutput(
        prior_logits=jnp.maximum(logits, -100), value=value, embedding=embedding
    )
    return root, invalid


def inputs(mctx):
    """Returns the roots, the model and the mask of invalid actions of a small search."""
    root, invalid = roots(mctx, 0, LANES, ACTIONS, jnp.float32)
    return root, model(mctx, ACTIONS, jnp.float32), invalid


def key(first):
    return jax.random.fold_in(jax.random.key(3), first)
