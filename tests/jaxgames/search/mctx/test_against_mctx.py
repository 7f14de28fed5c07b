"""Our policies against those of mctx, on random models of every kind.

In 64-bit numbers both must find the same in every root: there rounding decides nothing but ties
that are ties in exact numbers too. In 32-bit numbers hardly any root may differ.
"""

import functools
import logging

import jax
import jax.numpy as jnp
import mctx as theirs
import numpy as np
import pytest

import jaxgames.search.mctx as ours
from jaxgames.internal import device_kind
from tests.jaxgames.search.mctx import random_models

log = logging.getLogger(__name__)
ACTIONS, OUTCOMES = 9, 3


def searched(mctx, policy, simulations, lanes, dtype, first, **options):
    """Returns action, weights, visits, value and Q-values of the roots from `first` on."""
    root, invalid = random_models.roots(mctx, first, lanes, ACTIONS, dtype)
    if policy == "stochastic_muzero_policy":
        models = random_models.chance_models(mctx, ACTIONS, OUTCOMES, dtype)
    else:
        models = [random_models.model(mctx, ACTIONS, dtype)]
    key = random_models.key(first)
    found = getattr(mctx, policy)(
        (), key, root, *models, simulations, invalid_actions=invalid, **options
    )
    summary = found.search_tree.summary()
    return found.action, found.action_weights, summary.visit_counts, summary.value, summary.qvalues


def compare(policy, simulations, number, lanes, dtype, platform="cpu", **options):
    """Returns the mask of roots in which both find the same, ours traced for a platform."""
    equal = []
    with jax.enable_x64(dtype == jnp.float64):
        run = []
        for mctx in (ours, theirs):
            search = functools.partial(searched, mctx, policy, simulations, lanes, dtype, **options)
            with device_kind.assumed(platform):
                run.append(jax.jit(search).lower(jnp.uint32(0)).compile())
        for first in range(0, number, lanes):
            own, other = (jax.device_get(one(jnp.uint32(first))) for one in run)
            assert [x.dtype for x in own[:2]] == [x.dtype for x in other[:2]]
            same = own[0] == other[0]
            for mine, its in zip(own[1:], other[1:], strict=True):
                near = np.isclose(mine, its, rtol=0, atol=1e-7 if dtype == jnp.float64 else 1e-4)
                same &= near.reshape(lanes, -1).all(axis=1)
            equal.append(same)
    return np.concatenate(equal)


POLICIES = ("gumbel_muzero_policy", "muzero_policy", "stochastic_muzero_policy")


@pytest.mark.parametrize(
    ("policy", "max_depth"),
    [(POLICIES[0], None), pytest.param(POLICIES[1], 4, marks=pytest.mark.slow)],
)
def test_policies_find_the_same_as_those_of_mctx(policy, max_depth):
    assert compare(policy, 24, 256, 256, jnp.float64, max_depth=max_depth).all()


@pytest.mark.parametrize(
    ("policy", "max_depth", "platform"),
    [
        (POLICIES[1], 4, "tpu"),
        pytest.param(POLICIES[0], None, "tpu", marks=pytest.mark.slow),
        pytest.param(POLICIES[1], None, "cuda", marks=pytest.mark.slow),
        pytest.param(POLICIES[2], None, "tpu", marks=pytest.mark.slow),
    ],
)
def test_whole_trees_of_accelerators_find_the_same(policy, max_depth, platform):
    found = compare(policy, 24, 256, 64, jnp.float64, platform=platform, max_depth=max_depth)
    assert found.all()


@pytest.mark.slow
@pytest.mark.parametrize("max_depth", [None, 4])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("simulations", "number", "lanes"),
    [(8, 4096, 1024), (32, 4096, 1024), (100, 2048, 1024), (400, 256, 256)],
)
def test_policies_find_the_same_in_10_000_roots(simulations, number, lanes, policy, max_depth):
    assert compare(policy, simulations, number, lanes, jnp.float64, max_depth=max_depth).all()


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_in_32_bits_hardly_any_root_differs(policy):
    share = compare(policy, 32, 4096, 1024, jnp.float32).mean()
    log.info("%s: the same in %.4f of 4,096 roots", policy, share)
    assert share > 0.99
