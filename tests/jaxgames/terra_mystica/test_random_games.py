"""Random games of all sizes and factions: sound positions, points by source, games that end."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.terra_mystica.engine.seats import NUM_SOURCES
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.tables.factions import COLUMNS, NUM_FACTIONS, START_VP
from tests.jaxgames.terra_mystica import invariants

CHUNK = 128  # decisions between two looks at whether all games are over


@functools.partial(jax.jit, static_argnums=0)
def _play(rules, states, sources, key):
    """Plays random legal actions; returns the games, points by source, and all checks."""

    def ply(carry, key):
        states, sources = carry
        words = jax.random.bits(key, states.phase.shape, jnp.uint32)
        actions = jax.vmap(rules.sample_action)(states, words)
        after, earned = jax.vmap(rules.step_with_sources)(states, actions)
        running = ~jax.vmap(rules.is_over)(states)

        def keep(new, old):
            return jnp.where(running.reshape(-1, *(1,) * (new.ndim - 1)), new, old)

        checks = jax.vmap(invariants.of_both)(states, actions, after, earned)
        checks["an action is legal"] = jax.vmap(rules.legal_actions)(states).any(axis=1)
        checks = {name: (result | ~running).all() for name, result in checks.items()}
        states = jax.tree.map(keep, after, states)
        return (states, sources + earned * running[:, None, None]), (checks, running.sum())

    keys = jax.random.split(key, CHUNK)
    (states, sources), (checks, running) = jax.lax.scan(ply, (states, sources), keys)
    return states, sources, {name: result.all() for name, result in checks.items()}, running.sum()


def _play_to_the_end(rules, games: int, seed: int):
    """Returns the final positions, points by source, and decisions per game."""
    init_key, key = jax.random.split(jax.random.key(seed))
    states = jax.jit(jax.vmap(rules.init))(jax.random.split(init_key, games))
    sources = jnp.zeros((games, rules.num_players, NUM_SOURCES), jnp.int32)
    plies = 0
    for _ in range(rules.max_steps // CHUNK):
        key, chunk_key = jax.random.split(key)
        states, sources, checks, running = _play(rules, states, sources, chunk_key)
        invariants.assert_sound(jax.device_get(checks))
        plies += int(running)
        if jax.vmap(rules.is_over)(states).all():
            return jax.device_get(states), np.asarray(sources), plies / games
    raise AssertionError(f"a game is not over after {rules.max_steps} decisions")


def _check(rules, games: int, seed: int):
    states, sources, _ = _play_to_the_end(rules, games, seed)
    assert (states.players.vp == START_VP + sources.sum(axis=-1)).all()
    return states


@pytest.mark.slow
def test_short_games_are_sound_and_end():
    states = _check(TerraMystica(post_conversions=False), games=64, seed=1)
    assert len(np.unique(states.players.faction)) > NUM_FACTIONS // 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "games", "options"),
    [
        (2, 4000, {}),
        (3, 2000, {"turn_order": "passing", "mini_towns": True}),
        (4, 2000, {"score9": True, "bon10": True, "factions": "draft"}),
        (5, 2000, {"turn_order": "passing", "errata_cultists": False, "auto_end": False}),
    ],
)
def test_ten_thousand_games_are_sound_and_end(players: int, games: int, options: dict):
    rules = TerraMystica(num_players=players, **options)
    states = _check(rules, games, seed=players)
    chosen = np.sort(states.players.faction, axis=1)
    pairs = {tuple(row[[i, j]]) for row in chosen for i in range(players) for j in range(i)}
    colours = COLUMNS.colour
    of_two_colours = sum(colours[a] != colours[b] for a in range(NUM_FACTIONS) for b in range(a))
    assert len(pairs) == of_two_colours == 84
