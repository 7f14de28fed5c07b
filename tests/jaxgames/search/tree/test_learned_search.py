"""Search with a learned model that is right about everything, against search with the rules."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.model_agent import LearnedSearch
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.turn_nim import Exact, TurnNim


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
