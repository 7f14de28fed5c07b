"""The record of self-play against the rules, ply by ply."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs.alphazero import SelfPlayConfig
from jaxgames.search import action_slots
from jaxgames.search.agent import Decision
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.factories import gumbel_search
from jaxgames.testing import playouts
from tests import hidden_coin, turn_nim
from tests.turn_nim import TurnNim
from train import selfplay

LANES = 64
RULES = TurnNim()
PLAIN = SelfPlayConfig(lanes=LANES, plies=24, temperature_plies=0, random_opening_share=0.0)
FIRST = 0.75


@dataclasses.dataclass(frozen=True)
class Stub:
    """Plays the last legal action; its policy prefers the first one."""

    rules: TurnNim
    first: float = 1.0  # share of the first legal action in the policy, the last has the rest

    def reset(self, batch_size):
        return ()

    def act(self, params, memory, state, key):
        mask = jax.vmap(self.rules.legal_actions)(state)
        actions = jnp.arange(mask.shape[1])
        first = jnp.where(mask, actions, 99).min(axis=1)
        last = jnp.where(mask, actions, -1).max(axis=1)
        policy = self.first * (actions == first[:, None]) + (1 - self.first) * (
            actions == last[:, None]
        )
        values = jnp.where(jnp.arange(2) == state.seat[:, None], 0.5, -0.5)
        return Decision(last, policy, values), ()


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def play(rules, agent, config, lanes, key):
    return selfplay.play(rules, agent, config, (), lanes, key)


def record(rules=RULES, agent=None, seed=0, **changes):
    """Returns lanes and record of one call that starts with fresh games."""
    config = dataclasses.replace(PLAIN, **changes)
    start = selfplay.start_lanes(rules, config, LANES, jax.random.key(seed))
    return play(rules, agent or Stub(rules), config, start, jax.random.key(seed + 1))


def step_all(rules, games):
    """Returns the states after each action of games `[..., ]`, and which actions are legal."""
    mask = playouts.map2(rules.legal_actions)(games)
    after = playouts.map2(
        lambda game: jax.vmap(lambda a: rules.step(game, a, None))(jnp.arange(rules.num_actions))
    )(games)
    return after, np.asarray(mask)


def chosen_actions(rules, games, following, stays):
    """Returns the legal action that led from each state to the following one; checks it exists."""
    after, mask = step_all(rules, games)
    same = [
        (np.asarray(a) == np.asarray(b)[:, :, None]).reshape(*mask.shape, -1).all(axis=-1)
        for a, b in zip(jax.tree.leaves(after), jax.tree.leaves(following), strict=True)
    ]
    leads = np.logical_and.reduce(same) & mask
    assert leads.any(axis=2)[stays].all(), "a state does not follow from the one before it"
    return leads.argmax(axis=2)


def check_record(rules, lanes, plies):
    """Every game of a record is a game by the rules; returns the actions (0 where one ended)."""
    ended = np.asarray(plies.ended)
    following = jax.tree.map(
        lambda x, last: np.concatenate([x[1:], np.asarray(last)[None]]), plies.game, lanes.game
    )
    actions = chosen_actions(rules, plies.game, following, ~ended)
    fresh = rules.init(None)
    for new, start in zip(jax.tree.leaves(following), jax.tree.leaves(fresh), strict=True):
        assert (np.asarray(new)[ended] == np.asarray(start)).all(), "a new game is not fresh"
    assert not np.asarray(playouts.map2(rules.is_over)(plies.game)).any()
    length = np.asarray(plies.length)
    np.testing.assert_array_equal(length[1:], np.where(ended[:-1], 1, length[:-1] + 1))
    np.testing.assert_array_equal(lanes.step_count, np.where(ended[-1], 0, length[-1]))
    assert (np.asarray(plies.returns)[~ended] == 0).all()
    return np.where(ended, 0, actions)


def test_searched_games_follow_the_rules_and_lanes_go_on_from_call_to_call():
    agent = gumbel_search(RULES, Uniform(RULES), simulations=4)
    config = dataclasses.replace(PLAIN, temperature_plies=4, random_opening_share=0.25)
    start = selfplay.start_lanes(RULES, config, LANES, jax.random.key(0))
    middle, first = play(RULES, agent, config, start, jax.random.key(1))
    end, second = play(RULES, agent, config, middle, jax.random.key(2))
    both = jax.tree.map(lambda a, b: np.concatenate([a, b]), first, second)
    check_record(RULES, end, both)
    np.testing.assert_array_equal(both.length[0], 1)
    assert both.ended.sum() > 2 * LANES
    assert both.decided[both.ended].all() and not both.decided[~both.ended].any()
    ends = both.returns[both.ended]
    assert (abs(ends) == 1).all() and (ends.sum(axis=1) == 0).all()
    # The one who takes the last stone has moved and wins.
    mover = both.game.seat[both.ended]
    assert (ends[np.arange(len(mover)), mover] == 1).all()
    assert set(mover) == {0, 1}


def test_same_keys_give_the_same_record_and_others_do_not():
    agent = gumbel_search(RULES, Uniform(RULES), simulations=4)
    config = dataclasses.replace(PLAIN, temperature_plies=4, random_opening_share=0.25)
    start = selfplay.start_lanes(RULES, config, LANES, jax.random.key(0))
    first, again, other = (
        play(RULES, agent, config, start, jax.random.key(seed)) for seed in (1, 1, 2)
    )
    jax.tree.map(np.testing.assert_array_equal, first, again)
    assert (first[1].policy != other[1].policy).any()


def test_agent_action_is_played_once_the_temperature_plies_are_over():
    lanes, plies = record(temperature_plies=3)
    actions = check_record(RULES, lanes, plies)
    mask = np.asarray(playouts.map2(RULES.legal_actions)(plies.game))
    first, last = mask.argmax(axis=2), mask.shape[2] - 1 - mask[:, :, ::-1].argmax(axis=2)
    goes_on = ~np.asarray(plies.ended)
    explores = np.asarray(plies.length) <= 3
    np.testing.assert_array_equal(actions[goes_on & explores], first[goes_on & explores])
    np.testing.assert_array_equal(actions[goes_on & ~explores], last[goes_on & ~explores])
    assert (first != last)[goes_on & ~explores].any()
    assert not np.asarray(plies.off_policy).any()


def test_moves_with_temperature_are_drawn_from_the_policy():
    agent = Stub(RULES, first=FIRST)
    lanes, plies = record(agent=agent, temperature_plies=99)
    actions = check_record(RULES, lanes, plies)
    mask = np.asarray(playouts.map2(RULES.legal_actions)(plies.game))
    free = (mask.sum(axis=2) > 1) & ~np.asarray(plies.ended)
    assert (actions == mask.argmax(axis=2))[free].mean() == pytest.approx(FIRST, abs=0.05)


def test_policy_is_recorded_by_slot_and_values_by_seat():
    _, plies = record(agent=Stub(RULES, first=FIRST))
    mask = playouts.map2(RULES.legal_actions)(plies.game).reshape(-1, RULES.num_actions)
    policy = plies.policy.astype(jnp.float32).reshape(-1, RULES.max_legal_actions)
    games = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), plies.game)
    wanted = Stub(RULES, first=FIRST).act((), (), games, None)[0]
    np.testing.assert_array_equal(action_slots.to_dense(policy, mask), wanted.policy)
    np.testing.assert_array_equal(policy.sum(axis=1), 1)
    np.testing.assert_array_equal(plies.search_values.reshape(-1, 2), wanted.values)
    assert plies.policy.dtype == plies.search_values.dtype == plies.returns.dtype == jnp.float16


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_share_of_the_games_opens_with_some_random_plies(share):
    lanes, plies = record(seed=5, random_opening_share=share, random_opening_plies=3, plies=48)
    check_record(RULES, lanes, plies)
    games = []  # of each finished game, which plies were random
    for lane in range(LANES):
        ends = np.flatnonzero(plies.ended[:, lane]) + 1
        games += np.split(np.asarray(plies.off_policy[:, lane]), ends)[:-1]
    counts = np.array([game.sum() for game in games])
    for game, count in zip(games, counts, strict=True):
        assert game[:count].all(), "random plies come first"
    assert len(games) > 2 * LANES
    assert (counts > 0).mean() == pytest.approx(share, abs=0.08)
    # A game of this agent takes more than three plies, so none was cut short.
    assert set(counts[counts > 0]) == ({1, 2, 3} if share else set())


def test_random_plies_are_drawn_evenly_from_the_legal_actions():
    lanes, plies = record(seed=7, random_opening_share=1.0, random_opening_plies=1, plies=48)
    actions = check_record(RULES, lanes, plies)
    first = np.asarray(plies.length) == 1
    assert np.asarray(plies.off_policy)[first].all()
    shares = np.bincount(actions[first], minlength=3) / first.sum()
    np.testing.assert_allclose(shares[:3], 1 / 3, atol=0.1)


def test_game_at_the_step_cap_is_cut_off_without_result_and_a_new_one_begins():
    rules = TurnNim(limit=3)
    lanes, plies = record(rules=rules, plies=7)
    check_record(rules, lanes, plies)
    np.testing.assert_array_equal(plies.ended, [[t % 3 == 2] * LANES for t in range(7)])
    assert not np.asarray(plies.decided).any()
    assert (np.asarray(plies.returns) == 0).all()
    np.testing.assert_array_equal(lanes.step_count, 1)


def test_win_at_the_step_cap_counts_as_a_win():
    # The stub takes whole heaps, so a game is over after six plies.
    rules = TurnNim(limit=6)
    _, plies = record(rules=rules, plies=6)
    np.testing.assert_array_equal(plies.ended[-1], True)
    np.testing.assert_array_equal(plies.decided[-1], True)
    np.testing.assert_array_equal(plies.returns[-1], [[1, -1]] * LANES)


def test_a_move_that_hidden_facts_make_illegal_is_replaced():
    rules = hidden_coin.HiddenCoin()
    lanes = selfplay.start_lanes(rules, PLAIN, LANES, jax.random.key(0))
    lanes = lanes.replace(memory=jnp.zeros((LANES,), jnp.int32))
    _, plies = play(
        rules, hidden_coin.Counter(hidden_coin.BLUNDER), PLAIN, lanes, jax.random.key(1)
    )
    assert np.isfinite(plies.returns).all()
    is_first = np.asarray(plies.game.bet) == hidden_coin.NO_BET
    is_heads = np.asarray(plies.game.coin) == hidden_coin.HEADS
    plays = np.asarray(plies.action)
    assert (plays[is_first & is_heads] == hidden_coin.BLUNDER).all()
    assert len(set(plays[is_first & ~is_heads])) == 3


def test_a_share_of_the_games_begins_from_given_positions_without_drawn_moves():
    starts = jax.device_get(turn_nim.batch([((1, 0, 2), turn_nim.CHOOSING)], 1))
    config = dataclasses.replace(
        PLAIN, temperature_plies=99, random_opening_share=1.0, random_opening_plies=1,
        starts_share=0.5,
    )  # fmt: skip
    lanes = selfplay.start_lanes(RULES, config, LANES, jax.random.key(0), starts)
    agent, key = Stub(RULES), jax.random.key(1)
    _, plies = jax.jit(lambda: selfplay.play(RULES, agent, config, (), lanes, key, starts))()
    plies = jax.device_get(plies)
    first = plies.length == 1
    here = first & (plies.game.heaps == [1, 0, 2]).all(axis=-1)
    assert here[first].mean() == pytest.approx(0.5, abs=0.1)
    is_given = np.empty_like(here)
    for ply in range(len(here)):
        is_given[ply] = np.where(first[ply], here[ply], is_given[ply - 1])
    np.testing.assert_array_equal(plies.off_policy, first & ~is_given)
    mask = np.asarray(playouts.map2(RULES.legal_actions)(plies.game))
    lowest, highest = mask.argmax(axis=2), mask.shape[2] - 1 - mask[:, :, ::-1].argmax(axis=2)
    np.testing.assert_array_equal(plies.action[is_given], highest[is_given])
    drawn = ~first & ~is_given
    np.testing.assert_array_equal(plies.action[drawn], lowest[drawn])
    assert (lowest != highest)[drawn].any() and (lowest != highest)[is_given].any()
