"""Planners of Tribes that can take the last capital: they do, or in half of the games at least.

All conquests of one turn are worth the same, so a plan that takes the capital later is as good.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.batching.trees import select_rows
from jaxgames.players import registry
from jaxgames.tribes.tables.tribes import Result
from tests.jaxgames.tribes import recorded

pytestmark = pytest.mark.slow
LANES = 8
DECISIONS = 128  # of a turn at most


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("tribes")


@pytest.mark.parametrize(
    ("spec", "least"),
    [("osla", 1), ("mc:budget=400", 1), ("planning_mcts:budget=200", 1), ("rhea:budget=400", 0.5)],
)
def test_the_last_capital_is_taken_in_the_same_turn(env, spec, least):
    # A unit stands in the last city of the others, and much else can be done as well.
    root = recorded.position("mixed", "10", 334)
    states = jax.tree.map(lambda leaf: jnp.stack([jnp.asarray(leaf)] * LANES), root)
    agent = registry.make(spec, env).agent

    def goes_on(states):
        return ~states.over & (states.active == root.active)

    @jax.jit
    def turn(states, key):
        def decision(carry):
            number, states, memory = carry
            act_key, step_key = jax.random.split(jax.random.fold_in(key, number))
            chosen, memory = agent.act((), memory, states, act_key)
            keys = jax.random.split(step_key, LANES)
            moved = jax.vmap(env.rules.step)(states, chosen.action, keys)
            return number + 1, select_rows(goes_on(states), moved, states), memory

        def runs(carry):
            return (carry[0] < DECISIONS) & goes_on(carry[1]).any()

        return jax.lax.while_loop(runs, decision, (0, states, agent.reset(LANES)))

    _, states, _ = turn(states, jax.random.key(0))
    wins = states.over & (states.tribes.result[:, root.active] == Result.WIN)
    assert np.mean(wins) >= least
