"""The compiled program: no loop may copy or rewrite an array of the tree."""

import jax
import pytest

import jaxgames.search.mctx as ours
from tests.jaxgames.search.mctx import random_models
from tests.jaxgames.search.tree import hlo, trees

ACTIONS, LANES, SIMULATIONS = 40, 32, 256


@pytest.mark.parametrize(
    "policy",
    [ours.gumbel_muzero_policy, pytest.param(ours.muzero_policy, marks=pytest.mark.slow)],
)
def test_no_loop_copies_or_rewrites_the_tree(policy):
    root, invalid = random_models.roots(ours, 0, LANES, ACTIONS, "float32")
    model = random_models.model(ours, ACTIONS, "float32")

    def decide(key):
        return policy((), key, root, model, SIMULATIONS, invalid).action

    text = jax.jit(decide).lower(jax.random.key(0)).compile(trees.QUICK).as_text()
    assert f"[{LANES},{SIMULATIONS + 1},{ACTIONS}]" in text
    assert hlo.rewritten_in_loops(text, LANES * SIMULATIONS) == []
