"""One step of look-ahead: the best successor, whatever the size of the parts."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from agents import registry
from agents.search.greedy import Greedy
from tests import gamble, hidden_coin, three_nim
from tests.three_nim import ThreeNim

RULES = ThreeNim()
POSITIONS = three_nim.all_positions()
STATES = three_nim.batch(POSITIONS)
KEY = jax.random.key(0)
run = jax.jit(Greedy.act, static_argnums=0)


@dataclasses.dataclass(frozen=True)
class Exact:
    """The true values of one position that is not over; nonsense for others."""

    def __call__(self, state):
        one = jax.tree.map(lambda x: x[None], state)
        return three_nim.Exact()((), one, None).values[0]


@dataclasses.dataclass(frozen=True)
class Indifferent:
    def __call__(self, state):
        return jnp.zeros(3)


def act(score=Exact(), width=8, states=STATES, key=KEY):
    agent = Greedy(RULES, score, width)
    decision, memory = run(agent, (), agent.reset(len(POSITIONS)), states, key)
    assert memory == ()
    return jax.device_get(decision)


def test_one_step_is_enough_where_positions_are_judged_exactly():
    decision = act()
    assert three_nim.mistakes(POSITIONS, decision.action) == []
    wanted = [three_nim.values(position) for position in POSITIONS]
    np.testing.assert_allclose(decision.values, wanted)


@pytest.mark.parametrize("width", [1, 2, 5])
def test_parts_of_any_size_judge_all_actions(width):
    jax.tree.map(np.testing.assert_array_equal, act(), act(width=width))


def test_chance_decides_among_equals_and_takes_no_illegal_action():
    legal = np.asarray(jax.vmap(RULES.legal_actions)(STATES))
    seen = np.zeros_like(legal)
    # Endings are judged by the rules, so only positions without one are alike.
    goes_on = np.array([sum(heaps) > 3 for heaps, _ in POSITIONS])
    for seed in range(40):
        decision = act(Indifferent(), key=jax.random.key(seed))
        seen[np.arange(len(seen)), decision.action] = True
    assert not (seen & ~legal).any()
    np.testing.assert_array_equal(seen[goes_on], legal[goes_on])
    uniform = legal / legal.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(decision.policy[goes_on], uniform[goes_on])


def test_finished_games_among_others_change_nothing():
    is_over = np.arange(len(POSITIONS)) % 3 == 0
    heaps = jnp.where(is_over[:, None], 0, STATES.heaps)
    decision = act(states=STATES.replace(heaps=heaps))
    np.testing.assert_array_equal(decision.values[~is_over], act().values[~is_over])


@pytest.mark.parametrize("rules", [gamble.Gamble(), hidden_coin.HiddenCoin()])
def test_games_whose_successors_are_not_known_are_refused(rules):
    with pytest.raises(ValueError, match=f"{type(rules).__name__} has chance or hidden"):
        Greedy(rules, Exact())


def test_spec_takes_the_heuristic_of_the_game():
    for name in ("onitama", "murus_gallicus", "terra_mystica"):
        player = registry.make("greedy:width=4", jaxgames.make(name))
        assert player.agent.width == 4 and player.name == "greedy:width=4"
    with pytest.raises(ValueError, match="width must be at least 1, got 0"):
        registry.make("greedy:width=0", jaxgames.make("onitama"))
