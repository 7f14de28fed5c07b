import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from jaxtyping import Array, Int8

import jaxgames
from jaxgames import Env, Rules
from jaxgames.matches.match import match
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.search.agent import Decision, Memoryless
from tests import hidden_coin, ladder, nim

NUM_GAMES = 100


class TallyState(struct.PyTreeNode):
    moves: Int8[Array, "players"]
    length: Int8[Array, ""]


@dataclasses.dataclass(frozen=True)
class Tally(Rules[TallyState]):
    """Each seat must play the number of its own earlier moves; seat 0 moves twice in a row."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 20
    max_legal_actions: ClassVar[int] = 1
    max_steps: ClassVar[int] = 20
    version: ClassVar[str] = "1"

    def init(self, key):
        length = jax.random.randint(key, (), 4, 15).astype(jnp.int8)
        return TallyState(jnp.zeros(2, jnp.int8), length)

    def to_move(self, state):
        return (state.moves.sum() % 3 == 2).astype(jnp.int32)

    def legal_actions(self, state):
        return jnp.arange(self.num_actions) == state.moves[self.to_move(state)]

    def step(self, state, action, key=None):
        return state.replace(moves=state.moves.at[self.to_move(state)].add(1))

    def is_over(self, state):
        return state.moves.sum() >= state.length

    def returns(self, state):
        return jnp.where(self.is_over(state), jnp.array([0.5, -0.5]), 0.0)

    def observe(self, state, player):
        return state.moves.astype(jnp.float32)


@dataclasses.dataclass(frozen=True)
class Counter:
    """Plays the number of decisions it remembers: legal only if memory follows each game."""

    num_actions: int

    def reset(self, batch_size: int) -> Any:
        return jnp.zeros(batch_size, jnp.int32)

    def act(self, params, memory, state, key):
        policy = jax.nn.one_hot(memory, self.num_actions)
        return Decision(memory, policy, jnp.zeros((memory.shape[0], 2))), memory + params


@pytest.fixture(scope="module")
def env():
    return jaxgames.make("onitama")


def players(env, *specs):
    return tuple(registry.make(spec, env) for spec in specs)


@pytest.fixture(scope="module")
def random_match(env):
    return match(env, players(env, "random", "random"), jax.random.key(3), NUM_GAMES)


def test_each_player_sits_in_each_seat_equally_often(random_match):
    seats = random_match.seats
    np.testing.assert_array_equal(seats.sum(axis=1), 1)
    np.testing.assert_array_equal(seats.sum(axis=0), [NUM_GAMES // 2] * 2)
    np.testing.assert_array_equal(seats[0::2, 0], 0)
    np.testing.assert_array_equal(seats[1::2, 0], 1)


def test_games_of_a_group_start_alike_and_groups_differ(env):
    # Without chance in play, the two games of a group are the same game with names exchanged.
    result = match(env, players(env, "first_legal", "first_legal"), jax.random.key(0), NUM_GAMES)
    np.testing.assert_array_equal(result.plies[0::2], result.plies[1::2])
    np.testing.assert_array_equal(result.returns[0::2], -result.returns[1::2])
    assert len(np.unique(result.plies)) > 5


def test_a_match_that_repeats_itself_says_so(env, random_match):
    one = jax.tree.map(lambda x: x[None], env.rules.init(jax.random.key(0)))
    starts = jax.tree.map(lambda x: jnp.repeat(x, 10, axis=0), one)
    result = match(env, players(env, "first_legal", "first_legal"), 0, 20, starts=starts)
    assert result.different == 2
    assert "only 2 of the 20 games are different" in repr(result)
    assert random_match.different > 0.9 * NUM_GAMES
    assert "different" not in repr(random_match)


def test_games_that_end_alike_differ_by_their_actions():
    env = Env("nim", nim.Nim())  # all games end with empty heaps
    result = match(env, ("random", "random"), 0, 200, opening_plies=2, record=True)
    played = np.column_stack([np.arange(200) % 2, result.plies, result.record.actions])
    assert result.different == len(np.unique(played, axis=0)) > 180


def test_random_openings_are_shared_by_a_group(env):
    pair = players(env, "first_legal", "first_legal")
    plain = match(env, pair, jax.random.key(0), NUM_GAMES)
    opened = match(env, pair, jax.random.key(0), NUM_GAMES, opening_plies=4)
    np.testing.assert_array_equal(opened.plies[0::2], opened.plies[1::2])
    np.testing.assert_array_equal(opened.returns[0::2], -opened.returns[1::2])
    assert (opened.plies != plain.plies).any()
    assert (opened.plies > 4).all()  # the opening itself ends no game


def test_results_are_complete_and_consistent(random_match):
    returns, winner = random_match.returns, random_match.winner
    np.testing.assert_array_equal(returns.sum(axis=1), 0)
    won = returns[np.arange(NUM_GAMES), winner] == 1
    assert (won | (winner == -1) & (returns[:, 0] == 0)).all()
    assert (won | (random_match.plies == 200)).all()
    assert random_match.plies.min() >= 3
    assert 25 < random_match.plies.mean() < 47  # 35.7 in a long run


def test_same_key_gives_the_same_match_and_another_key_another(env, random_match):
    pair = players(env, "random", "random")
    again = match(env, pair, jax.random.key(3), NUM_GAMES)
    other = match(env, pair, jax.random.key(4), NUM_GAMES)
    jax.tree.map(np.testing.assert_array_equal, again, random_match)
    assert (other.plies != random_match.plies).any()


def test_memory_follows_each_game_when_a_seat_moves_twice():
    env = Env("tally", Tally())
    one = jnp.int32(1)
    pair = (Player("a", Counter(20), one), Player("b", Counter(20), one))
    result = match(env, pair, jax.random.key(0), 40)
    # An illegal move would give -1 and 1, and end the game early.
    own = np.take_along_axis(result.returns, result.seats, axis=1)
    np.testing.assert_array_equal(own, [[0.5, -0.5]] * 40)
    np.testing.assert_array_equal(result.winner, result.seats[:, 0])
    np.testing.assert_array_equal(result.plies[0::2], result.plies[1::2])
    assert set(result.plies) > {6, 7, 8, 9, 10, 11}


def test_an_illegal_move_loses():
    env = Env("tally", Tally())
    pair = (Player("a", Counter(20), jnp.int32(1)), Player("forgetful", Counter(20), jnp.int32(0)))
    result = match(env, pair, jax.random.key(0), 40)
    np.testing.assert_array_equal(result.winner, 0)
    np.testing.assert_array_equal(result.returns, [[1, -1]] * 40)


@dataclasses.dataclass(frozen=True)
class Chooser(Memoryless):
    """Always plays one action."""

    chosen: int

    def act(self, params, memory, state, key):
        action = jnp.full(state.coin.shape, self.chosen, jnp.int32)
        return Decision(action, jax.nn.one_hot(action, 6), jnp.zeros((len(action), 2))), memory


def test_what_is_hidden_makes_no_move_a_lost_game():
    """A move that only what a seat cannot see forbids is replaced; one it can judge is not."""
    env, groups = Env("coin", hidden_coin.HiddenCoin()), 100
    coins = jnp.asarray(np.arange(groups) % 2, jnp.int8)
    starts = hidden_coin.start(jnp.full((groups,), hidden_coin.ODDS // 2, jnp.int8), coins)

    def play(chosen):
        pair = (Player("a", Chooser(chosen), ()), Player("b", Chooser(chosen), ()))
        return match(env, pair, jax.random.key(0), 2 * groups, starts=starts, record=True)

    blunders = play(hidden_coin.BLUNDER)
    first = np.asarray(blunders.record.actions)[:, 0]
    is_tails = np.repeat(np.asarray(coins) == hidden_coin.TAILS, 2)
    assert (first[~is_tails] == hidden_coin.BLUNDER).all()
    others = [hidden_coin.PASS, hidden_coin.BET_HEADS, hidden_coin.BET_TAILS]
    assert set(first[is_tails]) == {hidden_coin.BLUNDER, *others}
    lost = (blunders.returns == -1).any(axis=1) & (blunders.plies == 1)
    np.testing.assert_array_equal(lost, is_tails & (first == hidden_coin.BLUNDER))
    shown = play(hidden_coin.SHOW_HEADS)
    assert (shown.plies == 1).all()
    np.testing.assert_array_equal(shown.returns.min(axis=1), -1)


def test_games_start_where_they_are_told_and_show_where_they_end(env):
    key = jax.random.key(7)
    starts = jax.vmap(env.rules.init)(jax.random.split(key, 10))
    pair = players(env, "first_legal", "random")
    result = match(env, pair, key, 20, record=True, starts=starts)
    jax.tree.map(np.testing.assert_array_equal, result.record.starts, starts)
    assert jax.vmap(env.rules.is_over)(result.finals).sum() > 10
    by_seat = np.asarray(jax.vmap(env.rules.returns)(result.finals))
    of_players = np.take_along_axis(by_seat, result.seats, axis=1)
    np.testing.assert_array_equal(of_players, result.returns)
    with pytest.raises(ValueError, match="starts must be 9 positions, one for each group"):
        match(env, pair, key, 18, starts=starts)


@dataclasses.dataclass(frozen=True)
class Plies:
    """Counts the plies of each seat."""

    def start(self, num_games):
        return jnp.zeros((num_games, 2), jnp.int32)

    def add(self, counts, games, moves):
        lanes = jnp.where(moves, jnp.arange(len(moves)), len(moves))
        return counts.at[lanes, games.seat].add(1, mode="drop")


@dataclasses.dataclass(frozen=True)
class Searcher:
    """Searches for whole actions, as a planner does; notes when it was asked, and when it had to.

    Its actions have two plies, but for a share of them, which have one and end the turn.
    """

    name: str
    ends: float

    def reset(self, batch_size):
        return jnp.zeros(batch_size, jnp.int32)

    def act(self, params, memory, state, key):
        ends = jax.random.bernoulli(key, self.ends, memory.shape)
        first = jnp.where(ends, ladder.END, ladder.TWO)
        is_first = state.chosen == ladder.NONE
        jax.debug.callback(
            lambda any_first: ASKED.append((self.name, bool(any_first))), is_first.any()
        )
        action = jnp.where(is_first, first, ladder.KEEP)
        policy = jax.nn.one_hot(action, 6)
        return Decision(action, policy, jnp.zeros((len(memory), 2))), memory + is_first


ASKED: list[tuple[str, bool]] = []


def test_games_out_of_step_are_searched_in_full_batches():
    """Later plies of actions have ticks of their own, and so have the actions of each player."""
    env = Env("ladder", ladder.Ladder(steps=2, length=48))
    pair = (Player("a", Searcher("a", 0.5), ()), Player("b", Searcher("b", 0.2), ()))
    ASKED.clear()
    groups = 10
    result = match(env, pair, jax.random.key(0), 2 * groups, tally=Plies())
    jax.effects_barrier()
    assert not result.finals.is_broken.any()
    np.testing.assert_array_equal(result.counts.sum(axis=1), result.plies)
    actions = result.finals.played.sum()
    assert result.plies.sum() > actions == 2 * groups * 48
    # A player is asked about second plies without any first one among them.
    for name in "ab":
        kinds = [any_first for asked, any_first in ASKED if asked == name]
        assert 0.3 < np.mean(kinds) < 0.7
    searches = sum(any_first for _, any_first in ASKED)
    assert actions <= searches * groups < 1.2 * actions


@dataclasses.dataclass(frozen=True)
class Unpaced(ladder.Rounds):
    """Does not say how far a game has come."""

    turns_played = ladder.Ladder.turns_played


@dataclasses.dataclass(frozen=True)
class HastyBelowZero:
    """Notes that it was asked; ends turns at once in games in which seat 0 has lost points.

    Elsewhere it plays ONE, and from the second time on that it is asked about a game, TWO.
    """

    def reset(self, batch_size):
        return jnp.zeros(batch_size, bool)

    def act(self, params, memory, state, key):
        jax.debug.callback(lambda: ASKED.append(("hasty", True)))
        wanted = jnp.where(memory, ladder.TWO, ladder.ONE)
        action = jnp.where(state.points[:, 0] < 0, ladder.END, wanted)
        policy = jax.nn.one_hot(action, 6)
        return Decision(action, policy, jnp.zeros((len(action), 2))), jnp.ones_like(memory)


@pytest.mark.parametrize(
    ("rules", "width", "least", "most"),
    [(ladder.Rounds, 5, 1.0, 1.15), (Unpaced, 5, 1.2, 2.0), (ladder.Rounds, None, 1.3, 2.5)],
)
def test_games_with_long_turns_go_first_and_end_with_the_others(rules, width, least, most):
    env, groups = Env("rounds", rules(length=40)), 10
    starts = ladder.starts(env.rules, groups)
    starts = starts.replace(points=starts.points.at[:8, 0].set(-1))
    players = (Player("a", HastyBelowZero(), ()), Player("b", HastyBelowZero(), ()))
    ASKED.clear()
    result = match(env, players, jax.random.key(0), 2 * groups, starts=starts, width=width)
    jax.effects_barrier()
    is_long = np.arange(2 * groups) >= 16
    np.testing.assert_array_equal(result.plies, np.where(is_long, 3 * 40, 40))
    # Each player keeps a memory of each game.
    expected = np.where(is_long[:, None], 2 * 60 - 1, [-1, 0])
    np.testing.assert_array_equal(result.finals.points, expected)
    assert least <= len(ASKED) * (width or groups) / result.plies.sum() < most


@pytest.mark.parametrize(
    ("specs", "num_games", "options", "message"),
    [
        (["random"], 10, {}, "onitama is played by 2 players, got 1"),
        (["random", "random"], 11, {}, "positive multiple of 2.*got 11"),
        (["random", "random"], 0, {}, "positive multiple of 2.*got 0"),
        (["random", "random"], 10, {"opening_plies": 200}, "must be from 0 to 199, got 200"),
        (["random", "random"], 20, {"width": 0}, "width must be from 1 to 10"),
        (["random", "random"], 20, {"width": 11}, "width must be from 1 to 10"),
        (["random", "random"], 20, {"num_devices": 3}, "num_devices must be from 1 to "),
    ],
)
def test_numbers_that_do_not_fit_are_refused(env, specs, num_games, options, message):
    with pytest.raises(ValueError, match=message):
        match(env, players(env, *specs), jax.random.key(0), num_games, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stronger", "weaker", "score"),
    [
        ("minimax:depth=1", "random", 0.947),
        ("minimax:depth=2", "random", 0.997),
        ("minimax:depth=2", "minimax:depth=1", 0.960),
        ("minimax:depth=3", "minimax:depth=2", 0.861),
    ],
)
def test_minimax_has_the_known_strength(env, stronger, weaker, score):
    result = match(env, players(env, stronger, weaker), jax.random.key(1), 1000)
    wins = (result.winner == 0).mean()
    # The expected values were measured over at least 600 games themselves.
    error = np.sqrt(score * (1 - score) * (1 / 1000 + 1 / 600))
    assert abs(wins - score) < 3 * error
