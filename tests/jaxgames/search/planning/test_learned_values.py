"""Planners that judge by learned values: the parameters count, and who plans is told."""

import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.monte_carlo import MonteCarlo
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.rhea import Evolution
from jaxgames.search.planning.tree import TreePlanner
from tests import turn_nim
from tests.jaxgames.search.planning.planners import KEY, ExactNim, Indifferent

NOTHING = Indifferent()
PLANNERS = {
    "one step": OneStep,
    "Monte Carlo": functools.partial(MonteCarlo, budget=120, depth=1),
    "evolution": functools.partial(Evolution, budget=160, depth=1, mutation=1.0),
    "evolution of turns": functools.partial(
        Evolution, budget=160, depth=1, mutation=1.0, whole_turn=True
    ),
    "tree": functools.partial(TreePlanner, budget=120, depth=1),
}
POSITIONS = [p for p in turn_nim.all_positions() if p[1] == turn_nim.CHOOSING and any(p[0])]
act = jax.jit(lambda agent, params, *args: agent.act(params, *args), static_argnums=0)


class Domain(PlannerDomain):
    judges_returns: ClassVar[bool] = False


class Learned:
    """Exact values times a parameter, the opposite for any seat but `planner`; a return is half."""

    def __call__(self, params: Any, state: Any, seat: Any) -> Any:
        exact = jax.vmap(Domain(turn_nim.TurnNim(), ExactNim()).evaluate)(state)
        return params["scale"] * jnp.where(seat == params["planner"], 1.0, -1.0)[:, None] * exact

    def as_returns(self, values: Any) -> Any:
        return values / 2


LEARNED = Learned()  # one for all tests, which share what is compiled for it


def learned(scale, planner):
    """Parameters of learned values."""
    return {"scale": jnp.float32(scale), "planner": jnp.int32(planner)}


def decide(make, seat, params, value=None, score=NOTHING):
    agent = make(Domain(turn_nim.TurnNim(), score), value=value)
    states = turn_nim.batch(POSITIONS, seat)
    decision, _ = act(agent, params, agent.reset(len(POSITIONS)), states, KEY)
    return jax.device_get(decision)


EACH_PLANNER = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name == "evolution of turns" else ())
        for name in PLANNERS
    ],
)


@EACH_PLANNER
def test_values_of_parameters_replace_those_of_the_domain(name):
    for seat in (0, 1):
        by_domain = decide(PLANNERS[name], seat, (), score=ExactNim())
        found = decide(PLANNERS[name], seat, learned(1.0, seat), LEARNED)
        np.testing.assert_array_equal(found.action, by_domain.action)
    inverse = decide(PLANNERS[name], 0, learned(-1.0, 0), LEARNED)
    assert (inverse.action != by_domain.action).any()


@EACH_PLANNER
def test_values_of_decisions_are_returns(name):
    two = decide(PLANNERS[name], 0, learned(2.0, 0), LEARNED)
    assert np.abs(two.values).max() <= 1.0 and np.abs(two.values).max() > 0.5
    assert not decide(PLANNERS[name], 0, (), score=ExactNim()).values.any()
