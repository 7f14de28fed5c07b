"""No random key is used twice, by what `jax_debug_key_reuse` sees in what JAX traces."""

import jax
import jax.numpy as jnp
import pytest

import jaxgames
from jaxgames.wrappers.auto_reset import auto_reset
from tests.jaxgames.public_batches import CASES, PLAYERS

LARGE = ("terra_mystica", "terra_mystica_alphatm", "tribes")  # take seconds to trace
EVERYTHING = CASES | {f"player {name}": case for name, case in PLAYERS.items()}


def check_keys(function, *arguments):
    """Traces a function; JAX raises an error where a key is used twice."""
    with jax.debug_key_reuse(True):
        jax.jit(function).trace(*arguments)


def test_a_key_that_is_used_twice_is_found():
    def twice(key):
        return jax.random.bits(key) + jax.random.bits(key)

    with pytest.raises(jax.errors.KeyReuseError):
        check_keys(twice, jax.random.key(0))


@pytest.mark.parametrize("name", EVERYTHING)
def test_no_key_is_used_twice(name):
    check_keys(lambda: EVERYTHING[name](2))


def steps():
    """Returns every game, in a batch and alone; of large games the batch is enough."""
    for env_id in jaxgames.available():
        marks = pytest.mark.slow if env_id == "terra_mystica_alphatm" else ()  # a paper's game
        yield pytest.param(env_id, True, id=f"{env_id}-games", marks=marks)
        marks = pytest.mark.slow if env_id in LARGE else ()
        yield pytest.param(env_id, False, id=f"{env_id}-one game", marks=marks)


@pytest.mark.parametrize(("env_id", "batch"), list(steps()))
def test_no_key_is_used_twice_in_games_that_never_stop(env_id, batch):
    env = auto_reset(jaxgames.make(env_id))

    def play(init_key, step_key):
        init, step, actions = env.init, env.step, jnp.int32(0)
        if batch:
            init, step, actions = jax.vmap(init), jax.vmap(step), jnp.zeros(2, jnp.int32)
            init_key, step_key = jax.random.split(init_key), jax.random.split(step_key)
        return step(init(init_key), actions, step_key)

    check_keys(play, jax.random.key(0), jax.random.key(1))


def test_no_key_is_used_twice_in_a_match():
    with jax.debug_key_reuse(True):
        result = jaxgames.match("onitama", ["random", "random"], num_games=2, opening_plies=2)
    assert len(result.returns) == 2
