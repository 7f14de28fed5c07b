"""The domain of planners to Tribes: what they leave out, how they group and draw actions."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import host_batches
from jaxgames import make
from jaxgames.batching.trees import choose
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.players.tribes.planner_domain import TribesDomain
from jaxgames.search.planning.domain import NO_PLY
from jaxgames.tribes.engine.actions import (
    END_TURN,
    FIRST_BUILD,
    FIRST_LEVEL_UP,
    FIRST_TILE_SUB_ACTION,
    FIRST_UNIT_SUB_ACTION,
)
from jaxgames.tribes.state import Stage
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction
from jaxgames.tribes.tables.technologies import PARENTS
from tests.jaxgames.tribes import recorded

ENV = make("tribes")
DOMAIN = planner_domain_of(ENV)
LANES, SIZE, TILES = 128, 256, 121
END = TILES + END_TURN
DESTROY = FIRST_TILE_SUB_ACTION + TileSubAction.DESTROY
ROAD = FIRST_TILE_SUB_ACTION + TileSubAction.BUILD_ROAD
DISBAND = FIRST_UNIT_SUB_ACTION + UnitSubAction.DISBAND
LEVEL_UPS = slice(FIRST_LEVEL_UP, FIRST_LEVEL_UP + 2)


class Masks(NamedTuple):
    """What the domain says of actions, found in one program."""

    look_ahead: Any
    groups_passing: Any
    groups: Any
    number: Any
    turn_end: Any


@functools.partial(jax.jit, static_argnums=0)
def masks(domain, states):
    def of_game(state):
        groups = [domain.action_groups(state, passing=passing) for passing in (True, False)]
        ahead, number = domain.look_ahead(state), domain.count_actions(state)
        return Masks(ahead, *groups, number, domain.turn_end(state))

    return jax.vmap(of_game)(states)


@functools.partial(jax.jit, static_argnums=0)
def draws(domain, states, words):
    def of_game(state, word):
        nothing = jnp.full((2,), NO_PLY)
        return (
            domain.playout_action(state, word),
            domain.plan_action(state, nothing, jnp.bool_(False), word),
            domain.random_action(state, word)[None],
        )

    return jax.vmap(of_game)(states, words)


@pytest.fixture(scope="module")
def seen():
    """Returns positions of a game before and after a tile was chosen, and the legal pairs."""
    recorded_game = recorded.game("paper_levels", "33")
    rows = np.linspace(0, len(recorded_game.decisions) - 1, LANES).astype(int)
    states = host_batches.take(recorded_game.states, rows)
    pairs, of_tribe = jax.device_get(jax.jit(jax.vmap(ENV.rules.legal_pairs))(states))
    rng = np.random.default_rng(0)
    tiles = [rng.choice(np.append(np.flatnonzero(row.any(axis=1)), [])) if row.any() else 0
             for row in pairs]  # fmt: skip
    chosen = states.replace(
        phase=np.full_like(states.phase, Stage.SUB_ACTION), selected=np.asarray(tiles, np.int16)
    )
    return states, chosen, pairs, of_tribe


def padded(first, of_tribe):
    return np.pad(np.concatenate([first, of_tribe], axis=1), ((0, 0), (0, SIZE - TILES - 27)))


def test_the_domain_is_found():
    assert isinstance(DOMAIN, TribesDomain)
    assert DOMAIN.decision_plies == 2


def test_a_look_ahead_leaves_out_what_destroys_and_the_end_of_the_turn(seen):
    states, chosen, pairs, of_tribe = seen
    kept = pairs.copy()
    kept[:, :, [DESTROY, DISBAND]] = False
    others = of_tribe.copy()
    others[:, END_TURN] = False
    expected = padded(kept.any(axis=2), others)
    empty = ~expected.any(axis=1)
    assert empty.any()
    assert pairs[:, :, DESTROY].any()
    assert pairs[:, :, DISBAND].any()
    expected[empty, END] = True
    np.testing.assert_array_equal(masks(DOMAIN, states).look_ahead, expected)
    lanes = np.arange(LANES)
    expected = kept[lanes, chosen.selected]
    expected = np.where(expected.any(axis=1)[:, None], expected, pairs[lanes, chosen.selected])
    there = pairs.any(axis=(1, 2))
    found = np.asarray(masks(DOMAIN, chosen).look_ahead)
    np.testing.assert_array_equal(found[there], expected[there])


def test_action_groups_are_cities_units_and_the_tribe(seen):
    states, chosen, pairs, of_tribe = seen
    by = np.zeros((3, SIZE), bool)
    by[0, FIRST_BUILD:] = True
    by[0, [DESTROY, ROAD]] = False
    by[1, :FIRST_BUILD] = True
    by[2, ROAD] = True
    things = np.zeros((3, 27), bool)
    things[0, LEVEL_UPS] = True
    things[2] = ~things[0]
    things[2, END_TURN] = False
    groups = np.stack(
        [padded((pairs & by[g]).any(axis=2), of_tribe & things[g]) for g in range(3)], axis=1
    )
    has = groups.any(axis=2)
    can_end = of_tribe[:, END_TURN]
    assert (has.sum(axis=0) > 10).all()
    assert (~has.any(axis=1)).any()
    for passing, found in zip((True, False), masks(DOMAIN, states)[1:3], strict=True):
        expected = groups.copy()
        counts = (has[:, 2] & passing) | ~has.any(axis=1)
        expected[:, 2, END] = counts & can_end
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).any(axis=(1, 2)).all()
    lanes = np.arange(LANES)
    expected = pairs[lanes, chosen.selected][:, None] & by
    there = pairs.any(axis=(1, 2))
    found = np.asarray(masks(DOMAIN, chosen).groups_passing)
    np.testing.assert_array_equal(found[there], expected[there])


def spread(state, total):
    """Returns copies of a position, and a word for each of `total` equal parts of all words."""
    words = ((2 * np.arange(LANES, dtype=np.uint64) + 1) << np.uint64(31)) // np.uint64(total)
    copies = jax.tree.map(lambda x: np.stack([x] * LANES), state)
    return copies, jnp.asarray(words.astype(np.uint32))


def counted(actions, total):
    """Returns how often each pair of plies was drawn; the last column is that of no second ply."""
    plies = np.asarray(actions)[:total]
    found = np.zeros((SIZE, SIZE + 1), int)
    np.add.at(found, tuple(plies.T), 1)
    return found


@pytest.mark.slow
def test_all_whole_actions_have_the_same_chance(seen):
    states, _, pairs, of_tribe = seen
    checked = 0
    for row in range(0, LANES, 9):
        state = host_batches.take(states, row)
        anything = np.zeros((SIZE, SIZE + 1), int)
        anything[:TILES, :SIZE] = pairs[row]
        anything[TILES : TILES + 27, NO_PLY] = of_tribe[row]
        playout, plan = anything.copy(), anything.copy()
        plan[:TILES, [DESTROY, DISBAND]] = 0
        if playout.sum() > 1:
            playout[END] = 0
        for number, expected in enumerate((playout, plan)):
            if (total := expected.sum()) <= LANES:
                found = draws(DOMAIN, *spread(state, total))[number]
                np.testing.assert_array_equal(counted(found, total), expected)
                checked += total > 1
        if (total := anything.sum()) <= LANES:
            first = np.asarray(draws(DOMAIN, *spread(state, total))[2])[:total, 0]
            np.testing.assert_array_equal(np.bincount(first, minlength=SIZE), anything.sum(axis=1))
            checked += total > 1
    assert checked > 10


def test_sub_actions_on_a_tile_have_the_same_chance(seen):
    _, chosen, pairs, _ = seen
    sub_actions = pairs[np.arange(LANES), chosen.selected]
    rows = [int(sub_actions.sum(axis=1).argmax())]
    rows += [row for row in range(LANES) if sub_actions[row, [DESTROY, DISBAND]].any()][:2]
    for row in rows:
        anything = sub_actions[row].astype(int)
        plan = anything.copy()
        plan[[DESTROY, DISBAND]] = 0
        plan = plan if plan.any() else anything
        for number, expected in enumerate((anything, plan, anything)):
            total = expected.sum()
            found = draws(DOMAIN, *spread(host_batches.take(chosen, row), total))[number]
            found = np.asarray(found)[:total]
            np.testing.assert_array_equal(np.bincount(found[:, 0], minlength=SIZE), expected)
            assert (found[:, 1:] == NO_PLY).all()


def test_a_wanted_action_is_kept_if_it_is_legal(seen):
    states, chosen, pairs, of_tribe = seen
    plan = jax.jit(jax.vmap(DOMAIN.plan_action))
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**32, LANES, np.uint32)
    legal = np.zeros((LANES, SIZE, SIZE + 1), bool)
    legal[:, :TILES, :SIZE] = pairs
    legal[:, TILES : TILES + 27, NO_PLY] = of_tribe
    kept = 0
    for _ in range(8):
        first = rng.integers(0, TILES + 27, LANES)
        second = np.where(first < TILES, rng.integers(0, SIZE, LANES), NO_PLY)
        # Half of them legal.
        for row in range(0, LANES, 2):
            candidates = np.argwhere(legal[row])
            first[row], second[row] = candidates[rng.integers(len(candidates))]
            second[row] = NO_PLY if second[row] == SIZE else second[row]
        wanted = np.stack([first, second], axis=1).astype(np.int32)
        redraws = rng.random(LANES) < 0.2
        found = np.asarray(plan(states, wanted, redraws, words))
        stays = legal[np.arange(LANES), first, second] & ~redraws
        np.testing.assert_array_equal(found[stays], wanted[stays])
        assert legal[np.arange(LANES), found[:, 0], found[:, 1]].all()
        kept += stays.sum()
    assert kept > 2 * LANES
    # A lone tile, or a tile without what to do there, is no action.
    tiles = np.stack([pairs.any(axis=2).argmax(axis=1), np.full(LANES, NO_PLY)], axis=1)
    found = np.asarray(plan(states, tiles.astype(np.int32), np.zeros(LANES, bool), words))
    assert legal[np.arange(LANES), found[:, 0], found[:, 1]].all()
    # After the choice of a tile, what was planned for another action is drawn anew.
    there = pairs.any(axis=(1, 2))
    found = np.asarray(plan(chosen, tiles.astype(np.int32), np.zeros(LANES, bool), words))
    assert pairs[np.arange(LANES), chosen.selected, found[:, 0]][there].all()


@pytest.mark.slow
def test_a_whole_action_leads_where_its_plies_lead(seen):
    states, chosen, pairs, _ = seen
    words = np.arange(LANES, dtype=np.uint32) * np.uint32(2**25 + 12345)
    keys = jax.random.split(jax.random.key(3), LANES)
    act = jax.jit(jax.vmap(DOMAIN.playout_action))
    play = jax.jit(jax.vmap(DOMAIN.play))
    step = jax.jit(jax.vmap(DOMAIN.rules.step))
    is_asked = pairs.any(axis=(1, 2))
    for games, counts in ((states, np.ones(LANES, bool)), (chosen, is_asked)):
        plies = act(games, words)
        after, completes = play(games, plies, keys)
        assert np.asarray(completes)[counts].all()
        first, second = np.asarray(plies).T
        assert len(np.unique(plies[counts], axis=0)) > 20
        middle = step(games, first, keys)
        last = step(middle, np.maximum(second, 0), keys)
        expected = jax.vmap(choose)(second == NO_PLY, middle, last)
        for got, wanted in zip(jax.tree.leaves(after), jax.tree.leaves(expected), strict=True):
            np.testing.assert_array_equal(got[counts], wanted[counts])


def test_actions_are_counted(seen):
    states, chosen, pairs, of_tribe = seen
    expected = pairs.sum(axis=(1, 2)) + of_tribe.sum(axis=1)
    assert expected.max() > 50
    np.testing.assert_array_equal(masks(DOMAIN, states).number, expected)
    there = pairs.any(axis=(1, 2))
    sub_actions = pairs[np.arange(LANES), chosen.selected].sum(axis=1)
    np.testing.assert_array_equal(
        np.asarray(masks(DOMAIN, chosen).number)[there], sub_actions[there]
    )


def test_playouts_start_with_technologies_of_the_others(seen):
    states = host_batches.take(seen[0], slice(None, None, 4))
    keys = jax.random.split(jax.random.key(0), len(states.tick))
    start = jax.device_get(jax.jit(jax.vmap(DOMAIN.playout_start))(states, keys))
    lanes = np.arange(len(states.tick))
    own, before = start.tribes.technologies, states.tribes.technologies
    np.testing.assert_array_equal(own[lanes, states.active], before[lanes, states.active])
    others = own[lanes, 1 - states.active]
    assert [int(known).bit_count() for known in others] == [min(t // 2, 24) for t in states.tick]
    assert len(set(others.tolist())) > 10
    for technology, parent in PARENTS.items():
        assert (others >> technology & 1 <= others >> parent & 1).all()
    assert (start.tribes.stars[lanes, 1 - states.active] == 0).all()


def test_turns_end_where_their_end_is_legal(seen):
    states, chosen, _, of_tribe = seen
    can_end = of_tribe[:, END_TURN]
    expected = np.where(can_end[:, None], [TILES + END_TURN, NO_PLY], NO_PLY)
    np.testing.assert_array_equal(masks(DOMAIN, states).turn_end, expected)
    assert (np.asarray(masks(DOMAIN, chosen).turn_end) == NO_PLY).all()
