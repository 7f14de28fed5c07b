"""Properties of the rules in positions of all kinds: batches, chance, plain execution, promises."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames import testing
from jaxgames.batching import trees
from jaxgames.tribes.engine.actions import FIRST_ATTACK, FIRST_UNIT_SUB_ACTION
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage
from tests.jaxgames.tribes.examples import TWO, act, options_of
from tests.jaxgames.tribes.positions import anything, change

BATCH = 64
DRAWS = jax.jit(jax.vmap(TWO.draws))


def _class_of(sub_action: int) -> int:
    """Returns one number for all moves, one for all attacks, and one for each other sub-action."""
    return (
        0
        if sub_action < FIRST_ATTACK
        else min(sub_action, FIRST_ATTACK)
        if sub_action < FIRST_UNIT_SUB_ACTION
        else sub_action
    )


@functools.cache
def cases():
    """Returns `BATCH` positions with an action each, of as many kinds as there are."""
    found: dict[tuple[int, int], tuple] = {}
    for seed in range(12):
        state = anything(seed, players=2, fog=False)
        if seed % 4:  # else, mostly, a city must level up
            state = change(state, "cities", population=0 * state.cities.population)
        pairs, of_tribe = jax.device_get(options_of(TWO, state))
        source = state.replace(phase=np.int8(Stage.SOURCE), selected=np.int16(0))
        for number in np.flatnonzero(of_tribe).tolist():
            found.setdefault((-1 - number, seed % 2), (source, 121 + number))
        for tile, sub_action in np.argwhere(pairs).tolist():
            chosen = state.replace(phase=np.int8(Stage.SUB_ACTION), selected=np.int16(tile))
            found.setdefault((_class_of(sub_action), seed % 2), (chosen, sub_action))
    chosen = [found[key] for key in sorted(found)]
    chosen = (chosen * BATCH)[:BATCH] if len(chosen) < BATCH else chosen[-BATCH:]
    states = trees.stack([state for state, _ in chosen])
    return len(found), states, np.array([action for _, action in chosen], np.int32)


@functools.cache
def one_by_one():
    """Returns what each action leads to, computed alone, with recorded words."""
    _, states, actions = cases()
    words = DRAWS(jax.random.split(jax.random.key(5), BATCH))
    rows = [
        act(TWO, jax.tree.map(lambda x, i=i: x[i], states), actions[i], np.asarray(words[i]))
        for i in range(BATCH)
    ]
    return trees.stack(jax.device_get(rows))


def assert_equal(one, other) -> None:
    for (path, a), b in zip(jax.tree.leaves_with_path(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=jax.tree_util.keystr(path))


@jax.jit
def _step_all(states, actions, keys):
    return jax.vmap(TWO.step)(states, actions, keys)


def step_in_batches(size: int):
    """Returns what all actions lead to, computed in batches, with words made when needed."""
    _, states, actions = cases()
    keys = jax.random.split(jax.random.key(5), BATCH)
    parts = []
    for start in range(0, BATCH - BATCH % size, size):
        part = slice(start, start + size)
        parts.append(
            _step_all(jax.tree.map(lambda x, p=part: x[p], states), actions[part], keys[part])
        )
    return jax.device_get(jax.tree.map(lambda *rows: np.concatenate(rows), *parts))


def test_the_positions_show_most_kinds_of_actions():
    kinds, _, _ = cases()
    assert kinds >= BATCH


@pytest.mark.slow
def test_a_batch_gives_what_single_games_with_the_same_words_give():
    assert_equal(step_in_batches(BATCH), one_by_one())


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 3])
def test_small_batches_give_what_single_games_give(size):
    whole = BATCH - BATCH % size
    assert_equal(step_in_batches(size), jax.tree.map(lambda x: x[:whole], one_by_one()))


@pytest.mark.slow
def test_plain_execution_gives_what_compiled_code_gives():
    _, states, actions = cases()
    words = DRAWS(jax.random.split(jax.random.key(5), BATCH))
    for index in range(0, BATCH, 16):
        with jax.disable_jit():
            state = jax.tree.map(lambda x, i=index: jnp.asarray(x[i]), states)
            plain = TWO.step_with_draws(state, jnp.int32(actions[index]), words[index])
        assert_equal(plain, jax.tree.map(lambda x, i=index: x[i], one_by_one()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"rules": "corrected", "mode": "score"},
        {"num_players": 3, "fog": True},
        {"num_players": 4, "tribes": "oumaji,bardur,xin_xi,imperius"},
    ],
)
def test_rules_with_other_options_keep_all_promises(options):
    testing.check_rules(Tribes(**options))
