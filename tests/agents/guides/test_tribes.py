"""The guide of planners to Tribes: what they leave out, how they group and draw actions."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents.guides.tribes import TribesGuide
from agents.search.planning.guide import guide_of
from benchmarks.golden import batches
from jaxgames import make
from jaxgames.boards import bits
from jaxgames.tribes.actions import (
    END_TURN,
    FIRST_BUILD,
    FIRST_LEVEL_UP,
    FIRST_TILE_DEED,
    FIRST_UNIT_DEED,
    TileDeed,
    UnitDeed,
)
from jaxgames.tribes.state import Phase
from jaxgames.tribes.tables.technologies import PARENTS
from tests.jaxgames.tribes import recorded

ENV = make("tribes")
GUIDE = guide_of(ENV)
LANES, SIZE, TILES = 128, 256, 121
END = TILES + END_TURN
DESTROY = FIRST_TILE_DEED + TileDeed.DESTROY
ROAD = FIRST_TILE_DEED + TileDeed.BUILD_ROAD
DISBAND = FIRST_UNIT_DEED + UnitDeed.DISBAND
LEVEL_UPS = slice(FIRST_LEVEL_UP, FIRST_LEVEL_UP + 2)


@functools.partial(jax.jit, static_argnums=0)
def masks(guide, states):
    def of_game(state):
        groups = [guide.root_groups(state, passing=passing) for passing in (True, False)]
        return guide.look_ahead(state), *groups, guide.rules.legal_actions(state)

    return jax.vmap(of_game)(states)


@functools.partial(jax.jit, static_argnums=0)
def draws(guide, states, words):
    def of_game(state, word):
        legal = bits.pack(guide.rules.legal_actions(state))
        return (
            guide.playout_action(state, word),
            guide.plan_action(state, legal, word),
            guide.random_action(state, word),
        )

    return jax.vmap(of_game)(states, words)


@pytest.fixture(scope="module")
def seen():
    """Returns positions of a game before and after a tile was chosen, and the legal pairs."""
    script = recorded.script("paper_levels", "33")
    rows = np.linspace(0, len(script.decisions) - 1, LANES).astype(int)
    states = batches.take(script.states, rows)
    pairs, of_tribe = jax.device_get(jax.jit(jax.vmap(ENV.rules.legal_pairs))(states))
    rng = np.random.default_rng(0)
    tiles = [rng.choice(np.append(np.flatnonzero(row.any(axis=1)), [])) if row.any() else 0
             for row in pairs]  # fmt: skip
    chosen = states.replace(
        phase=np.full_like(states.phase, Phase.DEED), selected=np.asarray(tiles, np.int16)
    )
    return states, chosen, pairs, of_tribe


def padded(first, of_tribe):
    return np.pad(np.concatenate([first, of_tribe], axis=1), ((0, 0), (0, SIZE - TILES - 27)))


def test_the_guide_is_found():
    assert isinstance(GUIDE, TribesGuide)
    assert GUIDE.plies == 2


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
    np.testing.assert_array_equal(masks(GUIDE, states)[0], expected)
    lanes = np.arange(LANES)
    expected = kept[lanes, chosen.selected]
    expected = np.where(expected.any(axis=1)[:, None], expected, pairs[lanes, chosen.selected])
    there = pairs.any(axis=(1, 2))
    np.testing.assert_array_equal(np.asarray(masks(GUIDE, chosen)[0])[there], expected[there])


def test_root_groups_are_cities_units_and_the_tribe(seen):
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
    for passing, found in zip((True, False), masks(GUIDE, states)[1:3], strict=True):
        expected = groups.copy()
        counts = (has[:, 2] & passing) | ~has.any(axis=1)
        expected[:, 2, END] = counts & can_end
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).any(axis=(1, 2)).all()
    lanes = np.arange(LANES)
    expected = pairs[lanes, chosen.selected][:, None] & by
    there = pairs.any(axis=(1, 2))
    np.testing.assert_array_equal(np.asarray(masks(GUIDE, chosen)[1])[there], expected[there])


def spread(state, total):
    """Returns copies of a position, and a word for each of `total` equal parts of all words."""
    words = ((2 * np.arange(LANES, dtype=np.uint64) + 1) << np.uint64(31)) // np.uint64(total)
    copies = jax.tree.map(lambda x: np.stack([x] * LANES), state)
    return copies, jnp.asarray(words.astype(np.uint32))


def counted(actions, total):
    return np.bincount(np.asarray(actions)[:total], minlength=SIZE)


@pytest.mark.slow
def test_all_whole_actions_have_the_same_chance(seen):
    states, _, pairs, of_tribe = seen
    checked = 0
    for row in range(0, LANES, 9):
        state = batches.take(states, row)
        anything = padded(pairs[row].sum(axis=1)[None], of_tribe[row][None].astype(int))[0]
        playout, plan = anything.copy(), anything.copy()
        plan[:TILES] -= pairs[row][:, [DESTROY, DISBAND]].sum(axis=1)
        if playout.sum() > 1:
            playout[END] = 0
        for number, expected in enumerate((playout, plan, anything)):
            if (total := expected.sum()) <= LANES:
                found = draws(GUIDE, *spread(state, total))[number]
                np.testing.assert_array_equal(counted(found, total), expected)
                checked += total > 1
    assert checked > 10


def test_deeds_on_a_tile_have_the_same_chance(seen):
    _, chosen, pairs, _ = seen
    deeds = pairs[np.arange(LANES), chosen.selected]
    row = int(deeds.sum(axis=1).argmax())
    expected = deeds[row].astype(int)
    found, _, other = draws(GUIDE, *spread(batches.take(chosen, row), expected.sum()))
    np.testing.assert_array_equal(counted(found, expected.sum()), expected)
    np.testing.assert_array_equal(counted(other, expected.sum()), expected)
    wasted = [n for n in range(LANES) if deeds[n, [DESTROY, DISBAND]].any()]
    row = wasted[0]
    expected = deeds[row].astype(int)
    expected[[DESTROY, DISBAND]] = 0
    if expected.any():
        _, found, _ = draws(GUIDE, *spread(batches.take(chosen, row), expected.sum()))
        np.testing.assert_array_equal(counted(found, expected.sum()), expected)


def test_actions_are_counted(seen):
    states, chosen, pairs, of_tribe = seen
    count = jax.jit(jax.vmap(GUIDE.count_actions))
    expected = pairs.sum(axis=(1, 2)) + of_tribe.sum(axis=1)
    assert expected.max() > 50
    np.testing.assert_array_equal(count(states), expected)
    there = pairs.any(axis=(1, 2))
    deeds = pairs[np.arange(LANES), chosen.selected].sum(axis=1)
    np.testing.assert_array_equal(np.asarray(count(chosen))[there], deeds[there])


def test_playouts_start_with_technologies_of_the_others(seen):
    states = batches.take(seen[0], slice(None, None, 4))
    keys = jax.random.split(jax.random.key(0), len(states.tick))
    start = jax.device_get(jax.jit(jax.vmap(GUIDE.playout_start))(states, keys))
    lanes = np.arange(len(states.tick))
    own, before = start.tribes.technologies, states.tribes.technologies
    np.testing.assert_array_equal(own[lanes, states.active], before[lanes, states.active])
    others = own[lanes, 1 - states.active]
    assert [int(known).bit_count() for known in others] == [min(t // 2, 24) for t in states.tick]
    assert len(set(others.tolist())) > 10
    for technology, parent in PARENTS.items():
        assert (others >> technology & 1 <= others >> parent & 1).all()
    assert (start.tribes.stars[lanes, 1 - states.active] == 0).all()
