"""Search with a model that is right about everything: it is the search over the rules."""

import dataclasses
import functools
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.tree.arrays import OVER
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.model_agent import LearnedSearch, ModelSearch
from jaxgames.search.tree.model_search import Prediction
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.jaxgames.search.tree import trees
from tests.random_function import RandomFunction
from tests.turn_nim import Exact, TurnNim

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
    return trees.decide_alike(search, positions(rules), jax.random.key(0))


@pytest.mark.parametrize(
    ("rules", "pays_on_the_way"),
    [
        pytest.param(TurnNim(), False, id="two seats-False", marks=pytest.mark.slow),
        pytest.param(TurnNim(), True, id="two seats-True", marks=pytest.mark.slow),
        pytest.param(Circle(), False, id="three seats-False", marks=pytest.mark.slow),
        pytest.param(Circle(), True, id="three seats-True"),
    ],
)
def test_a_model_that_knows_the_rules_gives_the_search_of_the_rules(rules, pays_on_the_way):
    search = ModelSearch(model_of(rules, pays_on_the_way), Gumbel(max_considered=4), SIMULATIONS)
    state = positions(rules)
    legal = jax.vmap(rules.legal_actions)(state)
    act = jax.jit(search.act)
    found = act((), predicted(rules, state), state, legal, jax.random.key(0))
    wanted, _ = by_rules(rules)
    np.testing.assert_array_equal(found.action, wanted.action)
    np.testing.assert_allclose(found.policy, wanted.policy, atol=1e-5)
    np.testing.assert_allclose(found.values, of_seats(wanted.values, rules), atol=1e-5)


@dataclasses.dataclass(frozen=True)
class Seen(TurnNim):
    """The observation is the whole position."""

    def observe(self, state: Any, player: Any) -> Any:
        return state


class Known(NamedTuple):
    logits: Any
    values: Any


class Next(NamedTuple):
    features: Any
    seat_logits: Any


RULES = Seen()


@dataclasses.dataclass(frozen=True)
class Perfect:
    """A model of Nim that makes no mistake; it numbers seats from the seat to move."""

    def represent(self, params: Any, obs: Any) -> Any:
        return obs.replace(seat=jnp.zeros_like(obs.seat))

    def predict(self, params: Any, state: Any) -> Known:
        over = jax.vmap(RULES.is_over)(state)[:, None]
        exact = Exact()((), state, None)
        values = jnp.where(over, jnp.array([-1.0, 1.0]), exact.values)
        legal = jax.vmap(RULES.legal_actions)(state) | over
        return Known(jnp.where(legal, exact.logits, -1e6), values)

    def step(self, params: Any, state: Any, action: Any) -> Next:
        over = jax.vmap(RULES.is_over)(state)
        after = jax.vmap(RULES.step)(state, action)
        after = jax.tree.map(
            lambda x, y: jnp.where(over.reshape(-1, *[1] * (x.ndim - 1)), x, y), state, after
        )
        seat_logits = jax.nn.one_hot(after.seat, 2)
        return Next(after.replace(seat=jnp.zeros_like(after.seat)), seat_logits)


POSITIONS = turn_nim.all_positions()


def test_a_perfect_model_decides_like_the_rules_for_both_seats():
    states, half = turn_nim.both_seats(POSITIONS), len(POSITIONS)
    key, policy = jax.random.key(0), Puct(dirichlet_fraction=0.0)
    learned = LearnedSearch(RULES, Perfect(), policy, simulations=12)
    by_rules = TreeSearch(RULES, Exact(), policy, 12, wide_edges=True)
    found = jax.jit(lambda state: learned.act((), (), state, key)[0])(states)
    memory = by_rules.reset(2 * half)
    wanted = jax.jit(lambda state: by_rules.act((), memory, state, key)[0])(states)
    np.testing.assert_allclose(found.policy, wanted.policy, atol=1e-4)
    np.testing.assert_allclose(found.values, wanted.values, atol=1e-4)
    values = np.asarray(found.values)
    np.testing.assert_allclose(values[:half], values[half:, ::-1], atol=1e-6)
    for position, own in zip(POSITIONS, values[:half, 0], strict=True):
        assert np.sign(own) == turn_nim.best_outcome(position)


def test_gumbel_search_with_a_perfect_model_gives_nothing_away():
    states, half = turn_nim.both_seats(POSITIONS), len(POSITIONS)
    search = LearnedSearch(RULES, Perfect(), Gumbel(gumbel_scale=0.0), simulations=12)
    action = jax.jit(lambda key: search.act((), (), states, key)[0].action)(jax.random.key(0))
    assert not turn_nim.mistakes(POSITIONS, action[:half])
    assert not turn_nim.mistakes(POSITIONS, action[half:])


def test_only_legal_actions_of_the_root_are_chosen_whatever_the_model_says():
    class Careless(Perfect):
        def predict(self, params: Any, state: Any) -> Known:
            return Known(jnp.zeros((len(state.seat), 6)).at[:, 5].set(9.0), jnp.zeros((1, 2)))

    states = turn_nim.batch(POSITIONS, 0)
    search = LearnedSearch(RULES, Careless(), Gumbel(), simulations=4)
    decision, _ = jax.jit(lambda key: search.act((), (), states, key))(jax.random.key(1))
    legal = jax.vmap(RULES.legal_actions)(states)
    assert legal[jnp.arange(len(POSITIONS)), decision.action].all()
    assert (decision.policy[~legal] == 0).all()
    np.testing.assert_allclose(decision.policy.sum(axis=1), 1, rtol=1e-5)
