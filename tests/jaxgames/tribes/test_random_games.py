"""Random games: sound positions, legal actions that agree in all views, games that end."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.tribes import Result
from tests.jaxgames.tribes import invariants, recorded

CHUNK = 256  # steps between two looks at whether all games are over
SHARE = 8  # the whole legal set, which is large, is looked at in every so many-th game of a ply


@functools.partial(jax.jit, static_argnums=0)
def _play(rules: Tribes, states, key):
    """Plays random legal actions; returns the games and all checks."""

    def ply(states, numbered_key):
        number, key = numbered_key
        word_key, step_key = jax.random.split(key)
        words = jax.random.bits(word_key, states.phase.shape, jnp.uint32)
        actions = jax.vmap(rules.sample_action)(states, words)
        keys = jax.random.split(step_key, len(words))
        after = jax.vmap(rules.step)(states, actions, keys)
        over = jax.vmap(rules.is_over)(states)

        def check(before, action, after):
            return {
                **invariants.of_state(rules, after),
                **invariants.of_mask(rules, after),
                **invariants.of_step(rules, before, action, after),
            }

        checks = jax.vmap(check)(states, actions, after)
        assert len(over) >= SHARE, "else the whole legal set is never looked at"
        some = (jnp.arange(len(over) // SHARE) * SHARE + number) % len(over)
        views = jax.vmap(functools.partial(invariants.of_legal, rules))(
            jax.tree.map(lambda x: x[some], after)
        )
        checks = {name: (result | over).all() for name, result in checks.items()}
        checks |= {name: (result | over[some]).all() for name, result in views.items()}

        def keep(new, old):
            return jnp.where(over.reshape(-1, *(1,) * (new.ndim - 1)), old, new)

        return jax.tree.map(keep, after, states), checks

    keys = jnp.arange(CHUNK), jax.random.split(key, CHUNK)
    states, checks = jax.lax.scan(ply, states, keys)
    return states, {name: result.all() for name, result in checks.items()}


def play(rules: Tribes, games: int, seed: int, most: int | None = None):
    """Returns the positions after all games have ended, or `most` steps were played."""
    init_key, key = jax.random.split(jax.random.key(seed))
    states = jax.jit(jax.vmap(rules.init))(jax.random.split(init_key, games))
    for _ in range(0, most or rules.max_steps, CHUNK):
        key, chunk_key = jax.random.split(key)
        states, checks = _play(rules, states, chunk_key)
        invariants.assert_sound(jax.device_get(checks))
        if states.over.all():
            break
    return jax.device_get(states)


def check_ends(states) -> None:
    assert states.over.all()
    assert ((states.tribes.result == Result.WIN).sum(axis=1) == 1).all()
    players = states.ranking.shape[1]
    assert (np.sort(states.ranking, axis=1) == np.arange(players)).all()


@pytest.mark.parametrize(
    ("file", "name", "options"),
    [("mixed", "10", {}), ("fog", "15", {"fog": True}), ("multi", "1", {"num_players": 3})],
)
def test_recorded_games_are_sound(file: str, name: str, options: dict):
    rules = Tribes(**options)
    check = jax.jit(jax.vmap(functools.partial(invariants.of_state, rules)))
    invariants.assert_sound(jax.device_get(check(recorded.game(file, name).states)))


@pytest.mark.slow
def test_short_games_are_sound_and_end():
    rules = Tribes(parameters={"turn_limit": (12, 12)})
    check_ends(play(rules, games=32, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "options"),
    [
        (2000, {}),
        (1500, {"mode": "score"}),
        (1500, {"fog": True}),
        (1000, {"rules": "corrected"}),
        (500, {"rules": "corrected", "mode": "score", "fog": True}),
        (1000, {"num_players": 3}),
        (500, {"num_players": 3, "mode": "score", "fog": True, "terrain_defence": False}),
        (500, {"num_players": 4}),
        (500, {"num_players": 4, "side": 11, "fog": True, "rules": "corrected"}),
        (500, {"num_players": 4, "mode": "score", "fog": True}),
        (500, {"num_players": 2, "side": 16}),
    ],
)
def test_ten_thousand_games_are_sound_and_end(games: int, options: dict):
    """By hand: `pytest -n0 -m slow tests/jaxgames/tribes/test_random_games.py`."""
    for seed in range(games // 500):
        check_ends(play(Tribes(**options), 500, seed))
