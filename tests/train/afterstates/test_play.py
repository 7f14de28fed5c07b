"""AfterstateLanes of games to learn from: who moves, and what the players remember."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.networks.afterstates import AfterstateNetwork
from jaxgames.networks.config import AfterstateConfig
from jaxgames.search.agent import Decision
from jaxgames.search.planning.afterstate_domain import AfterstateDomain
from tests import hidden_coin
from tests.turn_nim import TurnNim
from train.afterstates import play
from train.afterstates.play import Group, LanePlayers

RULES = TurnNim()
LANES, PLIES = 12, 30


@dataclasses.dataclass(frozen=True)
class Counts:
    """Plays a legal action and counts its decisions in a game."""

    last: bool

    def reset(self, batch_size):
        return jnp.zeros((batch_size,), jnp.int32)

    def act(self, params, memory, state, key):
        mask = jax.vmap(RULES.legal_actions)(state)
        numbers = jnp.arange(mask.shape[1])
        last = jnp.where(mask, numbers, -1).max(axis=1)
        first = jnp.where(mask, numbers, mask.shape[1]).min(axis=1)
        action = last if self.last else first
        policy = jax.nn.one_hot(action, mask.shape[1])
        return Decision(action, policy, jnp.zeros((len(action), 2))), memory + 1


def test_players_remember_the_decisions_of_a_game_that_were_played():
    network = AfterstateNetwork(AfterstateDomain(RULES), AfterstateConfig(hidden=(4,)))
    groups = (Group(Counts(last=True), slice(0, 4)), Group(Counts(last=True), slice(4, 8)))
    players = LanePlayers(network, Counts(last=False), groups)
    lanes = play.start_lanes(players, LANES, jax.random.key(0))
    step = jax.jit(lambda lanes, key: play.play_ply(players, (), ((), ()), lanes, key))
    own, theirs = np.zeros(LANES, int), np.zeros(LANES, int)
    finished = 0
    for number in range(PLIES):
        is_theirs = np.asarray(lanes.game.seat) != np.asarray(lanes.learner_seat)
        is_theirs &= np.arange(LANES) < 8
        lanes, record = step(lanes, jax.random.key(number))
        ended = np.asarray(record.ended)
        own = np.where(ended, 0, own + ~is_theirs)
        theirs = np.where(ended, 0, theirs + is_theirs)
        finished += ended.sum()
        *of_groups, newest = map(np.asarray, lanes.memory)
        np.testing.assert_array_equal(newest, own)
        np.testing.assert_array_equal(np.concatenate(of_groups), theirs[:8])
        assert not theirs[8:].any()
    assert finished > LANES


def test_a_move_that_hidden_facts_make_illegal_is_replaced():
    domain = AfterstateDomain(hidden_coin.HiddenCoin())
    network = AfterstateNetwork(domain, AfterstateConfig(hidden=(4,)))
    players = LanePlayers(network, hidden_coin.Counter(hidden_coin.BLUNDER), ())
    lanes = play.start_lanes(players, LANES, jax.random.key(0))
    step = jax.jit(lambda lanes, key: play.play_ply(players, (), (), lanes, key))
    endings = set()
    for number in range(PLIES):
        lanes, record = step(lanes, jax.random.key(number))
        outcome = np.asarray(record.outcome)[np.asarray(record.ended), 0]
        assert np.isfinite(outcome).all()
        assert not lanes.memory[-1].any(), "the game has ended, or another action was played"
        endings |= {round(float(points), 1) for points in outcome}
    assert endings == {-0.9, 0.3, -1.0, 1.0}
