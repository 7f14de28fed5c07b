"""Games in which a teacher labels every position."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.search.agent import Decision, Memoryless
from jaxgames.search.evaluators.evaluator import Evaluation
from jaxgames.search.planning.one_step import OneStep
from tests import hidden_coin, turn_nim
from tests.jaxgames.search.planning.planners import TwoPlies, TwoStepNim
from tests.turn_nim import TurnNim
from train import teacher
from train.teacher import Taught, TaughtParams

RULES = TurnNim()
GAMES = 2000


@dataclasses.dataclass(frozen=True)
class LastLegal(Memoryless):
    """Plays the last legal action, and says so."""

    value: float = 0.0  # of seat 0, in every other game; else it has none

    def act(self, params, memory, state, key):
        mask = jax.vmap(RULES.legal_actions)(state)
        last = jnp.where(mask, jnp.arange(mask.shape[1]), -1).max(axis=1)
        policy = jax.nn.one_hot(last, mask.shape[1])
        values = jnp.array([self.value, -self.value]) * (jnp.arange(len(last)) % 2)[:, None]
        return Decision(last.astype(jnp.int32), policy, values), memory


@dataclasses.dataclass(frozen=True)
class PrefersFirst:
    """Prefers action 0 by the logit that is its parameter, and values every position alike."""

    def __call__(self, params, state, key):
        size = jax.tree.leaves(state)[0].shape[0]
        logits = jnp.zeros((size, RULES.num_actions)).at[:, 0].set(params)
        return Evaluation(logits, jnp.broadcast_to(jnp.array([0.25, -0.25]), (size, 2)))


class ForCoins:
    """Prefers nothing."""

    def __call__(self, params, state, key):
        return Evaluation(jnp.zeros((len(state.coin), 6)), jnp.zeros((len(state.coin), 2)))


@pytest.fixture(scope="module")
def states():
    return jax.vmap(RULES.init)(jax.random.split(jax.random.key(0), GAMES))


@functools.partial(jax.jit, static_argnames="teacher")
def decide(state, share, logit, teacher=LastLegal()):
    agent = Taught(RULES, teacher, PrefersFirst())
    params = TaughtParams(logit, (), share)
    return agent.act(params, agent.reset(GAMES), state, jax.random.key(1))[0]


def test_every_position_has_the_teachers_policy_and_values_or_those_of_the_network(states):
    teacher = LastLegal(0.75)
    taught, _ = teacher.act((), (), states, None)
    has_value = np.asarray(taught.values[:, 0] != 0)
    assert 0 < has_value.sum() < GAMES
    expected = np.where(has_value, 0.75, 0.25)
    for share in (0.0, 0.5, 1.0):
        found = decide(states, share, 3.0, teacher)
        np.testing.assert_array_equal(found.policy, taught.policy)
        np.testing.assert_array_equal(found.values, np.stack([expected, -expected], axis=1))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_teacher_makes_its_share_of_the_moves(states, share):
    taught, _ = LastLegal().act((), (), states, None)
    is_teachers = np.asarray(decide(states, share, 50.0).action == taught.action)
    assert is_teachers.mean() == pytest.approx(share, abs=0.05)


def test_moves_of_the_network_are_legal_and_drawn_from_its_policy(states):
    actions = np.asarray(decide(states, 0.0, 0.0).action)
    legal = np.asarray(jax.vmap(RULES.legal_actions)(states))
    assert legal[np.arange(GAMES), actions].all() and len(set(actions.tolist())) > 1


def test_a_plan_labels_no_position_that_it_was_not_made_for():
    """A teacher that remembers its plan still judges each position by itself.

    It wants one stone less in the first heap, and none in the second. So it plans to take all three
    from the second; where the network chooses the first instead, taking three is legal, but wrong.
    """
    wanted = jnp.array(turn_nim.HEAPS) - jnp.array([1, 3, 1])

    def nearness(state):
        return jnp.full((2,), -jnp.abs(state.heaps - wanted).sum() / 8)

    planner = OneStep(TwoPlies(TwoStepNim(), nearness))
    agent = Taught(RULES, planner, PrefersFirst())
    params = TaughtParams(jnp.float32(0.0), (), jnp.float32(0.5))

    @jax.jit
    def ply(memory, state, key):
        decision, memory = agent.act(params, memory, state, key)
        fresh, _ = planner.act((), planner.reset(GAMES), state, key)
        return decision, fresh, memory, jax.vmap(RULES.step)(state, decision.action)

    state = jax.vmap(RULES.init)(jax.random.split(jax.random.key(0), GAMES))
    memory, differs = agent.reset(GAMES), 0
    for number in range(4):
        decision, fresh, memory, after = ply(memory, state, jax.random.key(number))
        going_on = ~np.asarray(jax.vmap(RULES.is_over)(state))
        np.testing.assert_array_equal(decision.policy[going_on], fresh.policy[going_on])
        np.testing.assert_array_equal(decision.values[going_on], fresh.values[going_on])
        chosen = np.asarray(decision.policy).argmax(axis=1)
        differs += (chosen != np.asarray(decision.action))[going_on].sum()
        state = after
    assert differs > GAMES / 4  # the network's moves are others than the teacher's


def test_no_label_is_a_move_that_hidden_facts_make_illegal():
    rules = hidden_coin.HiddenCoin()
    coins = jnp.arange(GAMES) % 2
    states = hidden_coin.start(jnp.full((GAMES,), hidden_coin.ODDS // 2), coins)
    agent = Taught(rules, hidden_coin.Counter(hidden_coin.BLUNDER), ForCoins())
    params = TaughtParams((), (), jnp.float32(1.0))
    decision = agent.act(params, (), states, jax.random.key(0))[0]
    policy, is_heads = np.asarray(decision.policy), np.asarray(coins) == hidden_coin.HEADS
    assert (policy[is_heads, hidden_coin.BLUNDER] == 1).all()
    np.testing.assert_allclose(policy[~is_heads, :3], 1 / 3, rtol=1e-6)
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-6)


def test_the_share_falls_from_all_to_nothing():
    shares = [teacher.share_of_moves(iteration, 4) for iteration in range(6)]
    assert shares == [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
