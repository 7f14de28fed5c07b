"""`BookThen`: the book while it lasts, then the other agent; games that do not repeat."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.matches.match import match
from jaxgames.players import search_limits
from jaxgames.players.basic import FirstLegal
from jaxgames.players.opening_book import book as books
from jaxgames.players.opening_book.book import NO_MOVE
from jaxgames.players.opening_book.player import BookParams, BookThen
from jaxgames.players.player import Player
from jaxgames.players.real_time import UNKNOWN, RealTime
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.jaxgames.players.opening_book.books import ENV, POSITIONS, small, start, where_known
from tests.random_function import RandomFunction

KEY = jax.random.key(0)
RULES = ENV.rules
OTHER = FirstLegal(RULES)
LANES = 2000


@functools.partial(jax.jit, static_argnums=0)
def act_compiled(agent, book, memory, state, key):
    return agent.act(BookParams(book, ()), memory, state, key)


def act(agent, memory, state, key=KEY):
    return act_compiled(agent, small(), memory, state, key)


def test_positions_of_the_book_are_played_from_it_and_others_by_the_agent():
    agent = BookThen(RULES, OTHER)
    count = len(POSITIONS.seat)
    decision, memory = jax.device_get(act(agent, agent.reset(count), POSITIONS))
    known = where_known(small(), POSITIONS)
    found = jax.device_get(books.find(small(), POSITIONS))
    drawn = (found.actions == decision.action[:, None]) & (found.actions != NO_MOVE)
    assert drawn[known].any(axis=1).all()
    first, _ = jax.device_get(OTHER.act((), (), POSITIONS, KEY))
    np.testing.assert_array_equal(decision.action[~known], first.action[~known])
    np.testing.assert_array_equal(decision.policy[~known], first.policy[~known])
    assert not np.array_equal(decision.action[known], first.action[known])
    np.testing.assert_array_equal(memory.moves, 1)
    np.testing.assert_allclose(decision.values[known], found.values[known])


def test_after_its_first_moves_the_agent_plays_on_its_own():
    agent = BookThen(RULES, OTHER, moves=2)
    memory = agent.reset(LANES)._replace(moves=jnp.arange(LANES, dtype=jnp.int32) % 4)
    decision, memory = jax.device_get(act(agent, memory, start(LANES)))
    played = np.arange(LANES) % 4
    assert (decision.action[played >= 2] == 0).all()
    assert len(set(decision.action[played < 2].tolist())) > 1
    np.testing.assert_array_equal(memory.moves, played + 1)


@pytest.mark.parametrize("temperature", [0.0, 1e-3, 0.5, 1.0])
def test_moves_are_drawn_by_powers_of_their_shares(temperature):
    agent = BookThen(RULES, OTHER, temperature=temperature)
    decision, _ = jax.device_get(act(agent, agent.reset(LANES), start(LANES)))
    found = jax.device_get(books.find(small(), start(1)))
    actions, shares = found.actions[0], found.shares[0]
    assert (actions != NO_MOVE).sum() >= 2
    ratio = shares / shares.max()
    weight = ratio ** (1 / temperature) if temperature else (ratio == 1)
    expected = np.zeros(RULES.num_actions)
    expected[actions[actions != NO_MOVE]] = (weight / weight.sum())[actions != NO_MOVE]
    np.testing.assert_allclose(decision.policy, np.tile(expected, (LANES, 1)), rtol=1e-5)
    drawn = np.bincount(decision.action, minlength=RULES.num_actions) / LANES
    np.testing.assert_allclose(drawn, expected, atol=0.05)


class Counted:
    """Another agent that says when it is asked."""

    calls = 0

    def reset(self, batch_size):
        return ()

    def act(self, params, memory, state, key):
        jax.debug.callback(self.count)
        return OTHER.act(params, memory, state, key)

    def count(self):
        self.calls += 1


def test_agent_is_asked_only_if_a_game_needs_it():
    other = Counted()
    agent = BookThen(RULES, other)
    for state, calls in ((start(4), 0), (turn_nim.batch([((0, 0, 1), -1)] * 4, 0), 1)):
        jax.block_until_ready(act(agent, agent.reset(4), state))
        jax.effects_barrier()
        assert other.calls == calls


class Counting:
    """Another agent that remembers how often it was asked in each game."""

    def reset(self, batch_size):
        return jnp.zeros(batch_size, jnp.int32)

    def act(self, params, memory, state, key):
        decision, _ = OTHER.act(params, (), state, key)
        return decision, memory + 1


def test_memory_of_the_agent_does_not_depend_on_the_other_games():
    agent = BookThen(RULES, Counting())
    heaps = turn_nim.batch([((0, 0, 1), -1), ((0, 0, 0), -1)], 0)
    state = jax.tree.map(lambda x, y: jnp.concatenate([x, y]), start(2), heaps)
    _, memory = act(agent, agent.reset(4), state)
    assert memory.agent.tolist() == [0, 0, 1, 0]  # two games from the book, one not, one over
    _, memory = act(agent, memory, start(4))
    assert memory.agent.tolist() == [0, 0, 1, 0]  # nobody asks


class Watching(Counting):
    """Another agent that also remembers how often it watched."""

    def watch(self, memory, state):
        return memory + 10


def test_agent_watches_the_positions_of_the_book():
    agent = BookThen(RULES, Watching())
    heaps = turn_nim.batch([((0, 0, 1), -1), ((0, 0, 0), -1)], 0)
    state = jax.tree.map(lambda x, y: jnp.concatenate([x, y]), start(2), heaps)
    _, memory = act(agent, agent.reset(4), state)
    assert memory.agent.tolist() == [10, 10, 1, 0]  # two games from the book, one not, one over
    _, memory = act(agent, memory, start(4))
    assert memory.agent.tolist() == [20, 20, 11, 10]  # nobody asks


def test_an_agent_in_real_time_is_asked_on_the_host_where_the_book_ends():
    search = TreeSearch(RULES, RandomFunction(RULES), Gumbel(), 8)
    assert search_limits.takes_limits(BookThen(RULES, search))
    agent = search_limits.limited(BookThen(RULES, search), search_limits.limit_of({"nodes": "4"}))
    assert isinstance(agent.agent, RealTime)
    player = Player("timed", agent, BookParams(small(), ()))
    memory = agent.reset(1)
    has_choice = np.asarray(jax.vmap(RULES.legal_actions)(POSITIONS)).sum(axis=1) > 1
    place = int(np.flatnonzero(~where_known(small(), POSITIONS) & has_choice)[0])
    beyond = jax.tree.map(lambda x: x[place : place + 1], POSITIONS)
    for state, searches in ((start(1), False), (beyond, True)):
        decision, memory = player.act(memory, state, KEY)
        assert RULES.legal_actions(jax.tree.map(lambda x: x[0], state))[decision.action[0]]
        assert (memory.agent.speed[0] != UNKNOWN) == searches
    with pytest.raises(ValueError, match="ponder=true: BookThen keeps no tree"):
        search_limits.limited(
            BookThen(RULES, search), search_limits.limit_of({"nodes": "4", "ponder": "true"})
        )


class WatchingOnHost(Watching):
    """The same on the host, with a memory that has no rows, as a table of positions."""

    decides_on_host = True

    def reset(self, batch_size):
        return 0


def test_an_agent_on_the_host_watches_the_book_with_a_memory_that_has_no_rows():
    agent = BookThen(RULES, WatchingOnHost())
    params, memory = BookParams(small(), ()), agent.reset(1)
    beyond = turn_nim.batch([((0, 0, 1), -1)], 0)
    for state, expected in ((start(1), 10), (beyond, 11), (beyond, 12)):
        _, memory = agent.act(params, memory, state, KEY)
        assert memory.agent == expected


def test_a_pairing_does_not_repeat_one_game():
    without = [Player(name, OTHER, ()) for name in ("a", "b")]
    with_book = [Player("a", BookThen(RULES, OTHER), BookParams(small(), ())), without[1]]
    for players, least, most in ((without, 1, 2), (with_book, 4, 40)):
        result = match(ENV, players, KEY, num_games=40, record=True)
        games = {tuple(row) for row in np.asarray(result.record.actions).tolist()}
        assert least <= len(games) <= most


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"moves": 0}, "moves must be at least 1, got 0"),
        ({"temperature": -1.0}, "temperature must be 0 or at least 0.001, got -1.0"),
        ({"temperature": 1e-40}, "temperature must be 0 or at least 0.001, got 1e-40"),
        ({"temperature": float("inf")}, "temperature must be 0 or at least 0.001, got inf"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        BookThen(RULES, OTHER, **settings)
