"""One step of look-ahead: the best successor, whatever the size of the parts."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players import registry
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.one_step import Noisy, OneStep
from jaxgames.search.planning.root_actions import MAX_ACTIONS
from tests import gamble, hidden_coin, ladder, three_nim, turn_nim
from tests.jaxgames.search.planning import planners
from tests.three_nim import ThreeNim

RULES = ThreeNim()
POSITIONS = three_nim.all_positions()
STATES = three_nim.batch(POSITIONS)
KEY = jax.random.key(0)
run = jax.jit(OneStep.act, static_argnums=0)


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
    agent = OneStep(PlannerDomain(RULES, score), width=width)
    decision, _ = run(agent, (), agent.reset(len(POSITIONS)), states, key)
    return jax.device_get(decision)


def test_one_step_is_enough_where_positions_are_judged_exactly():
    decision = act()
    assert three_nim.mistakes(POSITIONS, decision.action) == []
    wanted = [three_nim.values(position) for position in POSITIONS]
    np.testing.assert_allclose(decision.values, wanted)


class RanksOnly(PlannerDomain):
    """A domain whose own values are no returns."""

    judges_returns = False


@dataclasses.dataclass(frozen=True)
class Thrice:
    """Three times the true values, wherever a game stands."""

    def __call__(self, params, state, seat):
        over = jax.vmap(RULES.is_over)(state)[:, None]
        values = jnp.where(
            over, jax.vmap(RULES.returns)(state), three_nim.Exact()((), state, None).values
        )
        return 3.0 * values

    def as_returns(self, values):
        return values / 3.0


@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_a_learned_value_is_told_as_a_return_whatever_the_domain_judges(noise):
    agent = OneStep(RanksOnly(RULES, Indifferent()), value=Thrice(), noise=noise)
    decision, _ = run(agent, (), agent.reset(len(POSITIONS)), STATES, KEY)
    own = np.take_along_axis(decision.values, np.asarray(STATES.seat)[:, None], axis=1)[:, 0]
    wanted = [three_nim.values(position)[position[1]] for position in POSITIONS]
    np.testing.assert_allclose(own, wanted, atol=1e-5)


def test_noise_makes_the_value_that_of_the_policy():
    agent = OneStep(PlannerDomain(RULES, Indifferent()), value=Thrice(), noise=2.0)
    decision, _ = run(agent, (), agent.reset(len(POSITIONS)), STATES, KEY)
    other, _ = run(agent, (), agent.reset(len(POSITIONS)), STATES, jax.random.key(1))
    assert (decision.action != other.action).any()
    np.testing.assert_allclose(decision.values, other.values, atol=1e-5)


def test_noise_among_the_parameters_is_noise_of_the_same_scale():
    fixed = OneStep(PlannerDomain(RULES, Indifferent()), value=Thrice(), noise=2.0)
    free = dataclasses.replace(fixed, noise=None)
    found, _ = run(free, Noisy((), jnp.float32(2.0)), free.reset(len(POSITIONS)), STATES, KEY)
    wanted, _ = run(fixed, (), fixed.reset(len(POSITIONS)), STATES, KEY)
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


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


def test_actions_of_two_plies_are_judged_as_a_whole():
    positions = turn_nim.all_positions()
    state = turn_nim.both_seats(positions)
    agent = OneStep(planners.TwoPlies(planners.TwoStepNim(), planners.ExactNim()), width=3)
    first, after, _ = planners.play_action(agent, state)
    assert turn_nim.mistakes(positions * 2, first) == []
    best = np.array([turn_nim.best_outcome(position) for position in positions * 2])
    is_over = np.asarray(after.heaps.sum(axis=1)) == 0
    own = np.where(is_over, 1, -np.array([outcome_of_rest(*rest) for rest in rests(after)]))
    np.testing.assert_array_equal(own, best)


def rests(state):
    return zip(np.asarray(state.heaps).tolist(), np.asarray(state.chosen).tolist(), strict=True)


def outcome_of_rest(heaps, chosen):
    return turn_nim.best_outcome((tuple(heaps), chosen)) if any(heaps) else 0


def test_no_more_actions_are_judged_than_the_budget_says():
    agent = OneStep(ladder.domain(2), budget=3)
    _, after, _ = planners.play_action(agent, ladder.starts(agent.domain.rules, 4))
    # In the order of their numbers: 0 for oneself, 0 for the other seat, 1 for oneself.
    np.testing.assert_array_equal(after.points, [[1, 0]] * 4)


class WithoutTwo(PlannerDomain):
    """Leaves out the best action of `Ladder`."""

    def look_ahead(self, state):
        return super().look_ahead(state).at[ladder.TWO].set(False)


class WithoutAny(PlannerDomain):
    """Leaves out everything, which no domain should."""

    def look_ahead(self, state):
        return jnp.zeros_like(super().look_ahead(state))


def test_the_guide_says_which_actions_count():
    rules = ladder.Ladder()
    state = ladder.starts(rules, 50)
    decision, _ = planners.decide(OneStep(WithoutTwo(rules, ladder.Lead())), state)
    assert (decision.action == ladder.ONE).all()
    decision, _ = planners.decide(OneStep(WithoutAny(rules, ladder.Lead())), state)
    assert set(decision.action.tolist()) == {0, 1, 2, 3}


def test_one_outcome_of_chance_is_drawn_for_each_action():
    state = gamble.start(jnp.full((400,), 2, jnp.int8), jnp.full((400,), -0.5))
    agent = OneStep(PlannerDomain(gamble.Gamble(), planners.Indifferent()))
    decision, _ = planners.decide(agent, state)
    # Half of the gambles are lost at once, which is worse than the safe loss of a half.
    assert abs((decision.action == gamble.GAMBLE).mean() - 0.5) < 0.1


def test_what_is_hidden_is_guessed():
    coins = jnp.array([hidden_coin.HEADS, hidden_coin.TAILS] * 100, jnp.int8)
    state = hidden_coin.start(jnp.full((200,), 4, jnp.int8), coins)
    agent = OneStep(PlannerDomain(hidden_coin.HiddenCoin(), CheatingCoin()))
    decision, _ = planners.decide(agent, state)
    # The guess decides what to bet on, and knows nothing of the coin.
    assert set(decision.action.tolist()) == {hidden_coin.BET_HEADS, hidden_coin.BET_TAILS}
    is_right = (decision.action == hidden_coin.BET_HEADS) == (coins == hidden_coin.HEADS)
    assert 0.35 < is_right.mean() < 0.65


@dataclasses.dataclass(frozen=True)
class CheatingCoin:
    """Knows the coin of the state that it is given."""

    def __call__(self, state):
        wins = jnp.where(state.bet == state.coin, 1.0, -1.0)
        return jnp.stack([wins, -wins])


def test_both_names_take_what_the_game_says():
    for name in ("onitama", "murus_gallicus", "terra_mystica"):
        env = jaxgames.make(name)
        player = registry.make("greedy:width=4", env)
        assert player.agent.width == 4 and player.name == "greedy:width=4"
        assert registry.make("osla:width=4", env).agent == player.agent


@pytest.mark.parametrize(("game", "most"), [("tribes", MAX_ACTIONS), ("onitama", 40)])
def test_a_large_budget_takes_no_more_memory_than_there_may_be_actions(game, most):
    agent = registry.make(f"osla:budget={2**24}", jaxgames.make(game)).agent
    assert agent._slots == most
    assert registry.make("osla:budget=7", jaxgames.make(game)).agent._slots == 7
