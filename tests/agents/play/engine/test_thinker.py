"""Analyses that grow: what they show on the way, and that they end as the agent decides."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents.play.engine import thinker
from agents.play.engine.thinker import Thinker
from jaxgames.analysis.analysis import analyse
from jaxgames.env import Env
from jaxgames.players import registry, search_limits
from jaxgames.players.player import Player
from jaxgames.search.agent import Decision, Memoryless
from tests import hidden_coin

KEY = jax.random.key(3)
POSITION = "1bB1b/3b1/1b1r1/2R2/rr2r r ox,tiger|boar,crab|dragon 14"


@functools.cache
def onitama():
    env = registry.make_env("onitama")
    return env, env.text_to_state(POSITION)


def thoughts(spec, patience):
    env, state = onitama()
    thinking = Thinker(env, registry.make(spec, env))
    return list(thinking.think(state, thinking.reset(), KEY, patience=patience))


def test_a_tree_search_grows_to_the_decision_of_the_agent():
    spec = "gumbel:evaluator=uniform,simulations=24"
    env, state = onitama()
    thinking = Thinker(env, registry.make(spec, env))
    found = list(thinking.think(state, thinking.reset(), KEY, patience=0))
    assert [thought.analysis.visits for thought in found] == [9, 17, 25]
    assert [thought.is_final for thought in found] == [False, False, True]
    (whole,) = thinking.think(state, thinking.reset(), KEY, patience=1)
    assert whole.is_final and whole.analysis == found[-1].analysis


def test_a_depth_first_search_shows_its_depths():
    found = thoughts("negascout:depth=3", 0)
    depths = [thought.analysis.depth for thought in found]
    assert depths == sorted(depths) and depths[-1] == 3
    assert found[-1].is_final and len(found[-1].analysis.moves[0].variation) == 3


def test_a_search_in_real_time_grows_to_the_same_decision(monkeypatch):
    monkeypatch.setattr(thinker, "BETWEEN_THOUGHTS", 0.0)
    monkeypatch.setattr(search_limits, "MOST_SIMULATIONS", 64)
    spec = "gumbel:evaluator=uniform,"
    (whole,) = thoughts(f"{spec}simulations=24", 1)
    found = thoughts(f"{spec}nodes=24", 0)
    visits = [thought.analysis.visits for thought in found]
    assert len(visits) > 1 and visits == sorted(set(visits))
    assert [thought.is_final for thought in found] == [False] * (len(found) - 1) + [True]
    assert found[-1].analysis == whole.analysis
    assert len(thoughts(f"{spec}nodes=24", 1)) == 1
    env, state = onitama()
    assert analyse(env, state, f"{spec}nodes=24", key=KEY) == whole.analysis


def test_a_depth_first_search_in_real_time_shows_its_depths(monkeypatch):
    monkeypatch.setattr(thinker, "BETWEEN_THOUGHTS", 0.0)
    found = thoughts("negascout:depth=3,nodes=1000000", 0)
    depths = [thought.analysis.depth for thought in found]
    assert depths == sorted(depths) and depths[-1] == 3
    assert found[-1].is_final and len(found[-1].analysis.moves[0].variation) == 3


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["gumbel:evaluator=uniform,simulations=24", "negascout:depth=3"])
def test_the_last_thought_is_the_analysis(spec):
    env, state = onitama()
    whole = analyse(env, state, registry.make(spec, env), key=KEY)
    assert thoughts(spec, 0)[-1].analysis == whole


def test_other_agents_decide_at_once_and_a_finished_game_is_refused():
    (found,) = thoughts("first_legal", 0)
    env, state = onitama()
    assert found.is_final and found.analysis.action == min(env.legal_moves(state))
    over = env.text_to_state("2B2/5/5/5/rr1rr r ox,tiger|boar,crab|dragon 14")
    thinking = Thinker(env, registry.make("first_legal", env))
    with pytest.raises(ValueError, match="the game is over"):
        thinking.think(over, thinking.reset(), KEY)


class Peeking(Memoryless):
    """Bets on the coin as the state has it."""

    def act(self, params, memory, state, key):
        bet = jnp.where(
            state.coin == hidden_coin.HEADS, hidden_coin.BET_HEADS, hidden_coin.BET_TAILS
        )
        policy = jax.nn.one_hot(bet, hidden_coin.HiddenCoin.num_actions)
        return Decision(bet, policy, jnp.zeros((1, 2))), memory


class Words:
    """Numbers for words: the game of the coin has no notation."""

    def __init__(self, env, state, key):
        self.seat, self.legal = 0, np.asarray(state.legal_action_mask)

    def of(self, action):
        assert self.legal[action], "a move in words is legal"
        return str(action)


def test_a_player_gets_only_what_the_seat_to_move_knows(monkeypatch):
    monkeypatch.setattr("agents.play.engine.thinker.Notation", Words)
    env = Env("coin", hidden_coin.HiddenCoin())
    tails = hidden_coin.start(jnp.int8(hidden_coin.ODDS // 2), jnp.int8(hidden_coin.TAILS))
    thinking = Thinker(env, Player("peeking", Peeking(), ()))
    bets = set()
    for number in range(20):
        (found,) = thinking.think(env.wrap(tails), (), jax.random.key(number))
        bets.add(found.analysis.action)
    assert bets == {hidden_coin.BET_HEADS, hidden_coin.BET_TAILS}


def test_an_action_that_hidden_facts_make_illegal_is_replaced(monkeypatch):
    monkeypatch.setattr("agents.play.engine.thinker.Notation", Words)
    env = Env("coin", hidden_coin.HiddenCoin())
    state = env.wrap(hidden_coin.start(jnp.int8(hidden_coin.ODDS), jnp.int8(hidden_coin.TAILS)))
    counter = hidden_coin.Counter(hidden_coin.BLUNDER)
    thinking = Thinker(env, Player("blundering", counter, ()))
    played = set()
    for number in range(20):
        (found,) = thinking.think(state, jnp.array([5]), jax.random.key(number))
        played.add(found.analysis.action)
        assert found.memory == 0, "another action is played, so the memory begins anew"
    assert played == {hidden_coin.PASS, hidden_coin.BET_HEADS, hidden_coin.BET_TAILS}
