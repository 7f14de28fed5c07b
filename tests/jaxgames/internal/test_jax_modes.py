"""Games, wrappers and searches under settings of JAX that other projects turn on for all code."""

import contextlib
import functools
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames import search
from jaxgames.env import random_actions
from jaxgames.wrappers.auto_reset import auto_reset
from tests.conformance.games import Nim

GAMES = jaxgames.available()
SMALL = ("onitama",)  # its programs are those of the searches and wrappers, at the least cost
# Terra Mystica stands for the large games here, which all use the same helpers of JAX.
ENVIRONMENTS = ("murus_gallicus", "terra_mystica")  # besides the small ones
KEY = jax.eval_shape(lambda: jax.random.key(0))
BATCH = 3


def marked(quick: tuple[str, ...]) -> list[Any]:
    """Returns all games; those that are not quick are marked as slow."""
    return [game if game in quick else pytest.param(game, marks=pytest.mark.slow) for game in GAMES]


@contextlib.contextmanager
def strict_types():
    with jax.numpy_dtype_promotion("strict"):
        yield


@contextlib.contextmanager
def strict_ranks():
    with jax.numpy_rank_promotion("raise"):
        yield


@contextlib.contextmanager
def wide():
    with jax.enable_x64(True):
        yield


@contextlib.contextmanager
def leaks_checked():
    with jax.checking_leaks():
        yield


@contextlib.contextmanager
def all_at_once():
    with strict_types(), strict_ranks(), wide():
        yield


MODES = {"types, ranks, 64 bits": all_at_once, "leaks": leaks_checked}


def batched(tree: Any) -> Any:
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct((BATCH, *x.shape), x.dtype), tree)


@functools.cache
def programs(env_id: str) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Functions that other projects trace, with the shapes of their arguments."""
    env = jaxgames.make(env_id)
    state = jax.eval_shape(env.init, KEY)
    action = jax.ShapeDtypeStruct((), jnp.int32)
    again = auto_reset(env)
    found = {
        "init": (env.init, (KEY,)),
        "init, batch": (jax.vmap(env.init), (batched(KEY),)),
        "wrap": (env.wrap, (state.game,)),
        "step": (env.step, (state, action, KEY)),
        "step, batch": (jax.vmap(env.step), batched((state, action, KEY))),
        "step, nested batch": (
            jax.vmap(jax.vmap(env.step)),
            batched(batched((state, action, KEY))),
        ),
        "step, compiled, batch": (jax.vmap(jax.jit(env.step)), batched((state, action, KEY))),
        "observe": (env.observe, (state, action)),
        "sample_action": (env.sample_action, (state, KEY)),
        "random_actions": (functools.partial(random_actions, env), (batched(state), KEY)),
        "determinize": (env.rules.determinize, (state.game, action, KEY)),
        "sample_belief": (env.rules.sample_belief, (state.game, action, KEY)),
        "score": (env.rules.score, (state.game,)),
        "auto_reset": (again.step, (state, action, KEY)),
        "auto_reset, batch": (jax.vmap(again.step), batched((state, action, KEY))),
    }
    players = {
        "gumbel": search.gumbel_search(env.rules, search.Uniform(env.rules), simulations=2),
        "puct": search.puct_search(env.rules, search.Rollout(env.rules), simulations=2),
        "uct": search.TreeSearch(env.rules, search.Uniform(env.rules), search.Uct(), 2),
    }
    for name, player in players.items():
        act = functools.partial(player.act, (), player.reset(BATCH))
        found[name] = (act, (batched(state.game), KEY))
    return found


def traced(env_id: str, names: tuple[str, ...]) -> dict[str, Any]:
    # A new function each time, since JAX keeps what it has traced.
    return {
        name: jax.eval_shape(lambda *x, f=function: f(*x), *arguments)
        for name, (function, arguments) in programs(env_id).items()
        if not names or name in names
    }


@functools.cache
def types_by_default(env_id: str, names: tuple[str, ...]) -> dict[str, Any]:
    return jax.tree.map(lambda x: (x.shape, x.dtype), traced(env_id, names))


def check(env_id: str, mode: Any, names: tuple[str, ...] = ()) -> None:
    wanted = types_by_default(env_id, names)
    with mode():
        found = traced(env_id, names)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), found) == wanted


OF_ENVIRONMENTS = ("init", "step, compiled, batch", "observe", "sample_action")


@pytest.mark.parametrize("env_id", marked(ENVIRONMENTS))
def test_environments_trace_to_the_same_types(env_id):
    check(env_id, all_at_once, OF_ENVIRONMENTS)


@pytest.mark.parametrize("env_id", marked(ENVIRONMENTS[:1]))
def test_environments_leak_no_tracer(env_id):
    check(env_id, leaks_checked, OF_ENVIRONMENTS)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("env_id", marked(SMALL))
def test_all_programs_trace_to_the_same_types(env_id, mode):
    check(env_id, mode)


def test_rules_of_another_package_need_no_decorator():
    rules = Nim()
    with wide():
        assert rules.returns(rules.init(jax.random.key(0))).dtype == jnp.float32


def played(env_id: str, steps: int) -> Any:
    """All states of a few random games, on the host."""
    env = jaxgames.make(env_id)
    again = auto_reset(env)

    def one_step(state, key):
        action_key, step_key = jax.random.split(key)
        following = again.step(state, env.sample_action(state, action_key), step_key).state
        return following, following

    def one_game(key):
        return jax.lax.scan(one_step, env.init(key), jax.random.split(key, steps))[1]

    keys = jax.random.split(jax.random.key(1), 4)
    return jax.device_get(jax.jit(jax.vmap(one_game))(keys))


@pytest.mark.parametrize("env_id", marked(SMALL))
def test_random_games_are_the_same_with_64_bits(env_id):
    wanted = played(env_id, 200)
    with wide():
        found = played(env_id, 200)
    chex.assert_trees_all_equal_dtypes(found, wanted)
    jax.tree.map(
        lambda x, y: (
            np.testing.assert_allclose(x, y, rtol=1e-6)
            if x.dtype.kind == "f"
            else np.testing.assert_array_equal(x, y)
        ),
        found,
        wanted,
    )
