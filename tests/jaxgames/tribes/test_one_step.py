"""Moves and targets that are counted without a search, on any ground with any parameters."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes.engine import candidate_moves, legal_actions, pathfinding
from jaxgames.tribes.engine.pathfinding import Ground
from jaxgames.tribes.tables import parameters
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.tribes.positions import config_of

GAMES = 32


@functools.partial(jax.jit, static_argnums=0)
@functools.partial(jax.vmap, in_axes=(None, 0, 0, 0, 0))
def counted_and_searched(side: int, p, ground: Ground, kinds, targets):
    config, tiles = config_of(side=side, p=p), jnp.arange(side * side)
    words = pathfinding.packed(ground)
    goals = jax.vmap(lambda tile: pathfinding.destinations(config, tile, words, kinds))(tiles)
    one_step = jax.vmap(lambda tile: pathfinding.one_step(config, tile, words, kinds))(tiles)
    counts = pathfinding.one_step_counts(config, ground, kinds)
    aims = jax.vmap(functools.partial(legal_actions.targets_from, config, targets))
    found = aims(tiles, kinds.astype(jnp.int32)).sum(axis=1)
    aimed_at = [
        there(config, targets, kinds)
        for there in (candidate_moves.target_counts, candidate_moves.have_targets)
    ]
    return goals, one_step, counts, found, aimed_at


def any_parameters(rng):
    """Returns other movement and range of all kinds for each game."""
    changes = [
        {
            "unit_movement": rng.choice([1, 1, 2, 3], len(UnitKind)).tolist(),
            "unit_range": rng.integers(1, 4, len(UnitKind)).tolist(),
        }
        for _ in range(GAMES)
    ]
    sets = [parameters.changed(change) for change in changes]
    # What follows from other parameters has another size in each set, and is not read here.
    sets = [p._replace(down_rounded=parameters.DEFAULTS.down_rounded) for p in sets]
    return jax.tree.map(lambda *values: np.stack(values), *sets)


@pytest.mark.parametrize("side", [11, 14, 16])
def test_units_of_which_one_step_is_said_to_be_all_go_nowhere_else(side):
    rng, tiles = np.random.default_rng(side), side * side
    kinds = rng.integers(0, len(UnitKind), (GAMES, tiles))
    mine = rng.random((GAMES, tiles)) < 0.4
    kinds = np.where(mine, kinds, -1).astype(np.int8)
    shares = rng.random((len(Ground._fields), GAMES, 1))
    ground = Ground(*(rng.random((GAMES, tiles)) < share for share in shares))
    ground = ground._replace(taken=mine)
    targets = (rng.random((GAMES, tiles)) < rng.choice([0.01, 0.05, 0.3], (GAMES, 1))) & ~mine
    goals, (steps, is_all), (counts, is_all_counted), found, (aimed_at, aims) = jax.device_get(
        counted_and_searched(side, any_parameters(rng), ground, kinds, targets)
    )
    np.testing.assert_array_equal(is_all[mine], is_all_counted[mine])
    np.testing.assert_array_equal(steps.sum(axis=-1)[mine], counts[mine])
    np.testing.assert_array_equal(found[mine], aimed_at[mine])
    np.testing.assert_array_equal(found[mine] > 0, aims[mine])
    assert 0.1 < aims[mine].mean() < 0.9
    assert not (steps & ~goals)[mine].any()
    np.testing.assert_array_equal(steps[mine & is_all], goals[mine & is_all])
    goes_farther = (steps != goals).any(axis=-1)
    assert 0.1 < is_all[mine].mean() < 0.9 and goes_farther[mine].mean() > 0.1
