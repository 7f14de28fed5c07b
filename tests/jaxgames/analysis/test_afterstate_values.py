"""The final points that agents with values of afterstates expect."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import pytest

from jaxgames.analysis.afterstate_values import expectations, expects_points
from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.networks.config import AfterstateConfig
from jaxgames.players.player import Player
from jaxgames.search.evaluators.afterstates import AfterstateEvaluator
from jaxgames.search.planning.afterstate_domain import AfterstateDomain
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests.points_nim import PointsNim
from tests.turn_nim import TurnNim


class Leads(AfterstateDomain):
    """A domain whose aim is a lead in points."""

    bounded: ClassVar[bool] = False


RULES = PointsNim()
NETWORK = AfterstateNetwork(Leads(RULES), AfterstateConfig(hidden=(4,)))


def no_score(state):
    return jnp.zeros((2,))


@pytest.mark.parametrize(
    "agent",
    [
        OneStep(PlannerDomain(RULES, no_score), 9, 8, NETWORK),
        TreeSearch(RULES, AfterstateEvaluator(RULES, NETWORK), Puct(), 4),
    ],
    ids=["one step", "tree search"],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_points_are_those_of_the_network_by_seat(agent, seat):
    params = NETWORK.init(jax.random.key(0))
    last = params["layers"][1]
    last["bias"] = jnp.array([0.0, 0.03, 0.08])  # value, own points, points of the other seat
    player = Player("learned", agent, params)
    expected = (3.0, 8.0) if seat == 0 else (8.0, 3.0)
    start = jax.device_get(RULES.init(jax.random.key(1)))
    assert expects_points(player)
    assert expectations(player, [start] * 3, [seat] * 3) == [pytest.approx(expected)] * 3


def test_other_agents_and_games_expect_no_points():
    judge = Player("greedy", OneStep(PlannerDomain(RULES, no_score), 9, 8), ())
    assert not expects_points(judge)
    with pytest.raises(ValueError, match="greedy has no learned values"):
        expectations(judge, [RULES.init(jax.random.key(1))], [0])
    counted = AfterstateNetwork(AfterstateDomain(RULES), AfterstateConfig(hidden=(4,)))
    winning = OneStep(PlannerDomain(RULES, no_score), 9, 8, counted)
    assert not expects_points(Player("winning", winning, ())), "its aim is to win"
    plain = AfterstateNetwork(AfterstateDomain(TurnNim()), AfterstateConfig(hidden=(4,)))
    learned = OneStep(PlannerDomain(TurnNim(), no_score), 9, 8, plain)
    assert not expects_points(Player("learned", learned, ()))
