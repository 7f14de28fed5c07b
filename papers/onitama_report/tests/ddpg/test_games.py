"""The environment against a plain replay, game by game: turns, rewards, transitions, new games."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from papers.onitama_report.ddpg.games import Games, draw
from papers.onitama_report.game.rules import OnitamaReport
from papers.onitama_report.tests.ddpg.small import FromTheEnd

RULES = OnitamaReport(max_plies=24)  # so short that some games are drawn
LEARNERS, LANES, TURNS = 2, 8, 40
DEPTHS = jnp.array([1, 3], jnp.int8)


def indifferent(games):
    """A policy that is uniform over all actions but the first, which it prefers."""
    return jnp.full((games.ply.shape[0], RULES.num_actions), 0.02).at[:, 0].set(0.22)


@functools.cache
def record(ends_after_move):
    """Returns seats before each turn, and turns, of a number of turns played."""
    games = Games(RULES, FromTheEnd(RULES), LANES, ends_after_move)

    @jax.jit
    def turn(lanes, keys):
        both = jax.vmap(jax.random.split)(keys)
        after, turn = games.play(lanes, indifferent, both[:, 0])
        return games.restart(after, turn.has_ended, DEPTHS, both[:, 1]), turn

    keys = jax.random.split(jax.random.key(5), (TURNS + 1, LEARNERS))
    lanes = jax.jit(games.start)(DEPTHS, keys[0])
    seats, turns = [], []
    for turn_keys in keys[1:]:
        seats.append(np.asarray(lanes.seat))
        lanes, done = turn(lanes, turn_keys)
        turns.append(jax.device_get(done))
    return seats, turns


def state_of(games, lane):
    return jax.tree.map(lambda x: np.asarray(x)[lane], games)


def same(first, second):
    return all(
        np.array_equal(x, y)
        for x, y in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
    )


@pytest.mark.parametrize("ends_after_move", [False, True])
def test_turns_are_those_of_a_plain_replay(ends_after_move):
    step, legal_actions = jax.jit(RULES.step), jax.jit(RULES.legal_actions)
    is_over, returns = jax.jit(RULES.is_over), jax.jit(RULES.returns)
    seats, turns = record(ends_after_move)
    outcomes, waited = [], 0
    for lane in range(0, LEARNERS * LANES, 3):
        state, plies = state_of(turns[0].transition.game, lane), 0
        for seat, turn in zip((s[lane] for s in seats), turns, strict=True):
            found = jax.tree.map(lambda x, lane=lane: x[lane], turn)
            if plies == 0:  # a new game, whose cards only the record knows
                state = state_of(turn.transition.game, lane)
                assert int(state.ply) == 0
            assert same(found.transition.game, state)
            moved = state
            assert found.has_acted == (int(state.seat) == seat)
            if found.has_acted:
                legal = np.asarray(legal_actions(state))
                action = int(found.transition.action)
                assert legal[action] and found.num_legal == legal.sum()
                assert found.is_valid == legal[0]
                np.testing.assert_allclose(
                    found.valid_mass, 0.02 * legal.sum() + 0.2 * legal[0], rtol=1e-5
                )
                moved, plies = step(state, jnp.int32(action)), plies + 1
            else:
                waited += 1
                assert plies == 0  # only the opponent's first move is a turn of its own
            after = moved
            if not is_over(moved):
                replies = np.flatnonzero(legal_actions(moved))[::-1]
                reply = replies[min(DEPTHS[lane // LANES], len(replies)) - 1]
                after, plies = step(moved, jnp.int32(reply)), plies + 1
            assert found.has_ended == found.transition.has_ended == is_over(after)
            assert found.transition.reward == np.asarray(returns(after))[seat]
            assert same(found.transition.next_game, moved if ends_after_move else after)
            assert found.plies == plies
            assert found.depth == DEPTHS[lane // LANES]
            state = after
            if found.has_ended:
                outcomes.append(int(found.transition.reward))
                plies = 0
    assert {-1, 0, 1} == set(outcomes) and waited > 0


def test_draws_never_leave_the_mask_however_they_are_rounded():
    rng = np.random.default_rng(0)
    mask = rng.random((4000, 40)) < 0.3
    mask[:, 5] |= ~mask.any(axis=1)
    policy = np.where(mask, rng.random((4000, 40)) ** 20, 0).astype(np.float32)
    policy[~policy.any(axis=1), 5] = 1
    for word in (0, 1, 2**31, 2**32 - 1):
        words = jnp.full(4000, word, jnp.uint32)
        action = np.asarray(draw(jnp.asarray(policy), jnp.asarray(mask), words))
        assert mask[np.arange(4000), action].all()


def test_learner_begins_half_of_the_games_and_sits_in_either_seat():
    games = Games(RULES, FromTheEnd(RULES), 1000)
    lanes = jax.jit(games.start)(DEPTHS, jax.random.split(jax.random.key(1), LEARNERS))
    seat, first = np.asarray(lanes.seat), np.asarray(lanes.game.seat)
    for red in (0, 1):
        assert abs((seat[first == red] == red).mean() - 0.5) < 5 * 0.5 / np.sqrt(1000)
    assert not np.array_equal(seat[:1000], seat[1000:])


def test_moves_are_drawn_from_the_policy_without_invalid_actions():
    games = Games(RULES, FromTheEnd(RULES), 4000)
    keys = jax.random.split(jax.random.key(2), LEARNERS)
    lanes = jax.jit(games.start)(DEPTHS, keys)
    # The same position everywhere, in which the learner is to move.
    game = jax.tree.map(lambda x: jnp.broadcast_to(x[:1], x.shape), lanes.game)
    lanes = lanes.replace(game=game, seat=game.seat)
    policy = jnp.arange(1.0, 41.0) / 820
    _, turn = jax.jit(lambda lanes: games.play(lanes, lambda g: jnp.tile(policy, (8000, 1)), keys))(
        lanes
    )
    legal = np.asarray(RULES.legal_actions(state_of(game, 0)))
    wanted = np.where(legal, policy, 0)
    wanted = wanted / wanted.sum()
    found = np.bincount(turn.transition.action, minlength=40) / 8000
    assert (abs(found - wanted) <= 5 * np.sqrt(wanted * (1 - wanted) / 8000)).all()
