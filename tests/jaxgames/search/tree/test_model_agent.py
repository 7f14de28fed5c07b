"""`ModelSearch`: with a model that knows the rules, it is the search over these rules."""

import dataclasses
import functools
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.tree.arrays import OVER
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.model_agent import ModelSearch
from jaxgames.search.tree.model_search import Prediction
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.turn_nim import TurnNim

SIMULATIONS = 20


@dataclasses.dataclass(frozen=True)
class Circle(TurnNim):
    """The game for three seats, which move in a circle."""

    num_players: ClassVar[int] = 3

    def step(self, state, action, key=None):
        after = super().step(state, action, key)
        is_choosing = state.chosen == turn_nim.CHOOSING
        seat = jnp.where(is_choosing, state.seat, (state.seat + 1) % 3)
        return after.replace(seat=seat.astype(jnp.int8))

    def returns(self, state):
        took_the_last = jnp.arange(3) == (state.seat - 1) % 3
        return jnp.where(self.is_over(state), jnp.where(took_the_last, 1.0, -0.5), 0.0)


def of_seats(values, rules):
    return values[:, :1] if rules.num_players == 2 else values


def predicted(rules, state, pays_on_the_way=False):
    """Returns what the rules and an evaluator say of states."""
    evaluation = RandomFunction(rules)((), state, None)
    over = jax.vmap(rules.is_over)(state)
    values = jnp.where(over[:, None], jax.vmap(rules.returns)(state), evaluation.values)
    legal = jax.vmap(rules.legal_actions)(state)
    seat = jnp.where(over, OVER, jax.vmap(rules.to_move)(state))
    logits = jnp.where(legal, evaluation.logits, -jnp.inf)
    prediction = Prediction(
        jnp.where(over[:, None], 0, logits), of_seats(values, rules), seat, None, None
    )
    if not pays_on_the_way:
        return prediction
    # The outcome is paid on the edge into the end, whose value does not count.
    return prediction._replace(
        reward=jnp.where(over[:, None], prediction.value, 0),
        discount=jnp.where(over, 0.0, 1.0),
    )


def model_of(rules, pays_on_the_way):
    def model(params, key, action, state):
        after = jax.vmap(lambda s, a: rules.step(s, a, None))(state, action)
        return predicted(rules, after, pays_on_the_way), after

    return model


def positions(rules):
    found = turn_nim.all_positions()[:40]
    return turn_nim.batch(found, np.arange(len(found)) % rules.num_players)


@functools.cache
def by_rules(rules):
    search = TreeSearch(
        *(rules, RandomFunction(rules), Gumbel(max_considered=4), SIMULATIONS),
        max_children=rules.num_actions,
        wide_edges=True,
    )
    return trees.decide_compiled(search, positions(rules), jax.random.key(0))


@pytest.mark.parametrize(
    ("rules", "pays_on_the_way"),
    [
        pytest.param(TurnNim(), False, id="two seats-False"),
        pytest.param(TurnNim(), True, id="two seats-True", marks=pytest.mark.slow),
        pytest.param(Circle(), False, id="three seats-False", marks=pytest.mark.slow),
        pytest.param(Circle(), True, id="three seats-True"),
    ],
)
def test_a_model_that_knows_the_rules_gives_the_search_of_the_rules(rules, pays_on_the_way):
    search = ModelSearch(model_of(rules, pays_on_the_way), Gumbel(max_considered=4), SIMULATIONS)
    state = positions(rules)
    legal = jax.vmap(rules.legal_actions)(state)
    act = jax.jit(search.act, compiler_options=trees.QUICK)
    found = act((), predicted(rules, state), state, legal, jax.random.key(0))
    wanted, _ = by_rules(rules)
    np.testing.assert_array_equal(found.action, wanted.action)
    np.testing.assert_allclose(found.policy, wanted.policy, atol=1e-5)
    np.testing.assert_allclose(found.values, of_seats(wanted.values, rules), atol=1e-5)
