"""Inputs at the edge: forced lines, evaluators gone wrong, very many actions and simulations."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.wide_game import RandomNumbers, WideGame
from jaxgames.internal import device_kind
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.tree.arrays import ROOT
from jaxgames.search.tree.gumbel import Gumbel, halving_table
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.turn_nim import CHOOSING, TurnNim

RULES = TurnNim()
KEY = jax.random.key(0)
POLICIES = trees.each_policy(gumbel=Gumbel(), puct=Puct(), uct=Uct())


@dataclasses.dataclass(frozen=True)
class Constant:
    """The same numbers for every position: a logit and a value, given as parameters."""

    def __call__(self, params, state, key):
        logit, value = params
        size = len(state.seat)
        own = jnp.where(jnp.arange(2) == state.seat[:, None], value, -value)
        return Evaluation(jnp.full((size, RULES.num_actions), logit), own)


def check_links(tree):
    used, parent = np.asarray(tree.used), np.asarray(tree.parent)
    for lane, count in enumerate(used):
        numbers = np.arange(1, count)
        assert (parent[lane, 1:count] >= 0).all() and (parent[lane, 1:count] < numbers).all()
    assert (np.asarray(tree.visits)[:, ROOT] > 0).all()


@pytest.mark.parametrize("reuse", [pytest.param(False, marks=pytest.mark.slow), True])
def test_forced_lines_with_too_hopeful_values_leave_the_tree_sound(reuse):
    # One stone is left: choose the only heap, take the only stone. All actions have children soon,
    # and the weights of exp(value_scale * visits) would be 0 / 0 if those without one counted.
    state = turn_nim.batch([((1, 0, 0), CHOOSING), ((1, 0, 0), 0), ((1, 1, 0), CHOOSING)], 0)
    policy = Gumbel(value_scale=2.0)
    search = TreeSearch(RULES, Constant(), policy, simulations=128, reuse=reuse)

    @jax.jit
    def run(memory):
        return search.search((0.0, 1.0), memory, state, KEY)

    found = run(search.reset(3))
    if reuse:
        found = run(found.tree)
    check_links(found.tree)
    assert (np.asarray(found.tree.used)[:2] <= 3).all()
    assert (found.simulations == 128).all()


@dataclasses.dataclass(frozen=True)
class Short:
    """An evaluator of 16 bits."""

    dtype: str

    def __call__(self, params, state, key):
        return Evaluation(*(x.astype(self.dtype) for x in Constant()(params, state, key)))


@POLICIES
@pytest.mark.parametrize("mode", ["closed_loop", "open_loop"])
@pytest.mark.parametrize("device", ["cpu", "tpu", "cuda"])
def test_evaluators_may_compute_in_16_bits(policy, mode, device):
    search = TreeSearch(RULES, Short("bfloat16"), policy, simulations=4, mode=mode)
    state = turn_nim.batch(turn_nim.all_positions()[:4], 0)
    with device_kind.assumed(device):
        found = jax.eval_shape(lambda: search.act((0.0, 0.0), (), state, KEY)[0])
    assert found.policy.dtype == found.values.dtype == jnp.float32


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_infinities_of_16_bits_are_made_finite(dtype):
    numbers = jnp.array([[jnp.inf, -jnp.inf, jnp.nan, 1.0]], dtype)
    found = Evaluation(numbers, numbers).made_finite()
    assert all(np.isfinite(x).all() and x.dtype == jnp.float32 for x in found)
    assert found.logits[0].argmax() == 0 and found.logits[0].argmin() == 1


# One program for all numbers of a policy.
@functools.partial(jax.jit, static_argnums=0)
def decide(search, numbers, state, key):
    return search.act(numbers, (), state, key)[0]


@POLICIES
@pytest.mark.parametrize(
    "numbers",
    [
        (float("nan"), 0.0),
        (float("inf"), 0.5),
        (float("-inf"), 0.5),
        (float(np.finfo(np.float32).min), 0.0),
        (0.0, float("nan")),
        (0.0, float("-inf")),
    ],
    ids=["nan logit", "inf logit", "-inf logit", "least logit", "nan value", "-inf value"],
)
def test_evaluator_gone_wrong_gives_legal_moves_all_the_same(policy, numbers):
    positions = turn_nim.all_positions()[::7]
    state = turn_nim.batch(positions, 0)
    search = TreeSearch(RULES, Constant(), policy, simulations=12)
    decision = decide(search, numbers, state, KEY)
    mask = np.asarray(jax.vmap(RULES.legal_actions)(state))
    assert mask[np.arange(len(mask)), decision.action].all()
    policy_found = np.asarray(decision.policy)
    np.testing.assert_allclose(policy_found.sum(axis=1), 1, rtol=1e-5)
    assert (policy_found[~mask] == 0).all() and np.isfinite(decision.values).all()


def test_action_numbers_beyond_sixteen_bits_with_sign_are_kept():
    width = 40_000
    search = TreeSearch(WideGame(width), RandomNumbers(width), Gumbel(), 4, max_children=16)
    state = jax.vmap(search.rules.init)(jax.random.split(KEY, 4))
    tree = jax.jit(lambda key: search.search((), (), state, key).tree)(KEY)
    action = np.asarray(tree.action)[:, ROOT].astype(np.int64)
    assert action.min() >= 0 and action.max() > 2**15


def test_very_long_searches_have_a_schedule():
    table = halving_table(4, 40_000)
    assert table.shape == (5, 40_000) and table[1, -1] == 39_999 and table.min() == 0


def test_memory_of_a_search_of_another_size_is_refused():
    small = TreeSearch(RULES, Constant(), Gumbel(), simulations=4, reuse=True)
    large = dataclasses.replace(small, simulations=8)
    state = turn_nim.batch([((1, 0, 0), CHOOSING)], 0)
    with pytest.raises(ValueError, match="memory of a search with 9 nodes, expected 17"):
        large.act((0.0, 0.0), small.reset(1), state, KEY)
