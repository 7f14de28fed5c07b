"""Games traced for an accelerator are the games that a CPU plays, position by position."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal import device_kind

LANES, STEPS = 16, 64


def _played(game: str, platform: str, steps: int):
    """Returns the positions after random moves, traced for a platform and run on this one."""
    rules = jaxgames.make(game).rules

    @jax.jit
    def play(key):
        games = jax.vmap(rules.init)(jax.random.split(key, LANES))

        def step(games, key):
            action_key, chance_key = jax.random.split(key)
            words = jax.random.bits(action_key, (LANES,), jnp.uint32)
            actions = jax.vmap(rules.sample_action)(games, words)
            chance = jax.random.split(chance_key, LANES)
            return jax.vmap(rules.step)(games, actions, chance), jax.vmap(rules.returns)(games)

        return jax.lax.scan(step, games, jax.random.split(key, steps))

    with device_kind.assumed(platform):
        return play(jax.random.key(0))


@pytest.mark.parametrize(
    ("game", "steps"),
    [
        ("onitama", STEPS),
        ("murus_gallicus", STEPS),
        pytest.param("terra_mystica", 1500, marks=pytest.mark.slow),
        pytest.param("tribes", 3000, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("platform", ["cuda", "tpu"])
def test_the_same_games_are_played(game: str, steps: int, platform: str):
    expected, found = (_played(game, device, steps) for device in ("cpu", platform))
    assert len(jax.tree.leaves(found)) == len(jax.tree.leaves(expected))
    jax.tree.map(np.testing.assert_array_equal, found, expected)


def test_the_assumption_ends_with_its_block():
    before = device_kind.is_cpu()
    with device_kind.assumed("tpu"):
        assert not device_kind.is_cpu()
        with device_kind.assumed("cpu"):
            assert device_kind.is_cpu()
        assert not device_kind.is_cpu()
    assert device_kind.is_cpu() == before
