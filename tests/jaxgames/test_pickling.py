"""Every public object can be pickled, copied, and used in a process that was spawned."""

import copy
import dataclasses
import functools
import importlib
import importlib.util
import inspect
import pickle
import re
import subprocess
import sys

import cloudpickle
import gymnasium
import jax
import numpy as np
import pyspiel
import pytest

import jaxgames
from jaxgames import networks, records, search
from jaxgames.wrappers import (
    auto_reset,
    gymnax,
    open_spiel,
    pettingzoo,
    pgx,
    reset_pool,
    stoix,
    versus,
)
from jaxgames.wrappers import gymnasium as gymnasium_wrapper
from tests.locations import CHECKOUT

KEY = jax.random.key(0)
EXEMPT = {
    "jaxgames.Rules": "an abstract class; the rules of every game are tested",
    "jaxgames.search.Agent": "a protocol; agents are tested",
    "jaxgames.search.Evaluator": "a protocol; evaluators are tested",
    "jaxgames.search.ModelSearch": "holds the caller's model, and nothing else but numbers",
    "jaxgames.search.LearnedSearch": "holds the caller's model, and nothing else but numbers",
}


def public_names() -> list[str]:
    """Returns the names in the documentation of the API and those that packages export."""
    page = (CHECKOUT / "docs" / "api.md").read_text("utf-8")
    names = re.findall(r"^::: (\S+)", page, re.MULTILINE)
    for package in (jaxgames, search, networks, records):
        names += [f"{package.__name__}.{name}" for name in dir(package) if name[0] != "_"]
    if importlib.util.find_spec("jaxmarl") is None:  # an extra that the tests do not install
        names = [name for name in names if not name.startswith("jaxgames.wrappers.jaxmarl.")]
    return sorted(set(names))


def public(name: str):
    module, _, member = name.rpartition(".")
    return getattr(importlib.import_module(module), member)


NAMES = public_names()
CLASSES = [name for name in NAMES if inspect.isclass(public(name))]
OTHERS = [name for name in NAMES if name not in CLASSES and not inspect.ismodule(public(name))]


@functools.cache
def roots() -> list:
    """Returns objects that have been used, so that what they compile and keep is there."""
    env = jaxgames.make("onitama", planes="board")
    state, full = env.init(KEY), jaxgames.make("onitama")
    assert env.observation_spec and env.render(state)
    specs = ("minimax:depth=2", "alpha_beta:depth=1", "mcts:simulations=2", "random", "best")
    players = [jaxgames.player(spec, full) for spec in specs]
    for spec in ("gumbel:evaluator=rollout", "puct:evaluator=rollout"):
        players.append(jaxgames.player(f"{spec},simulations=2", full))
    evaluator, params = networks.load_evaluator(full, networks.pretrained_file("onitama"))
    jax.eval_shape(evaluator.network.apply, params, jax.tree.map(lambda x: x[None], state_of(full)))
    single = gymnasium_wrapper.make("onitama", planes="board")
    many = gymnasium_wrapper.make_vec("onitama", planes="board", num_envs=2)
    seats = pettingzoo.make("onitama", planes="board")
    for played in (single, many, seats):
        played.reset(seed=0)
    single.step(int(single.action_masks().argmax()))
    many.step(many.action_masks().argmax(-1))
    seats.observe("seat_0")
    spiel = open_spiel.make("onitama", planes="board")
    bot = open_spiel.AgentBot(spiel, players[3].agent)
    one = versus.make(env, opponent=players[0].agent)
    auto = auto_reset.auto_reset(env)
    after = auto.step(state, env.sample_action(state, KEY), KEY)
    seen = jax.jit(one.init)(KEY)
    record = records.begin(env, state, ["random", "random"])
    move = env.legal_moves(state)[int(env.sample_action(state, KEY))]
    game = records.from_moves(env, state, [move], ["random", "random"])
    return [
        *(jaxgames.make(name) for name in jaxgames.available()),
        *(env, state, full.init(KEY), env.animate([state, after.reached]), env.rules.symmetries),
        *(players, evaluator, params, search.Uniform(env.rules), search.Uct()),
        search.Heuristic(full.rules, players[0].agent.score),
        *(single, gymnasium.make("jaxgames/onitama-v0"), many, seats, spiel, bot),
        *(spiel.make_py_observer(), pyspiel.load_game("jaxgames_onitama").new_initial_state()),
        *(one, seen, versus.VersusTransition(seen, seen), auto, after, gymnax.make(env)),
        *(versus.AgentOpponent(players[0].agent), stoix.make(env), pgx.PgxEnv(env)),
        *(pgx.PgxEnv(env).init(KEY), reset_pool.make_reset_pool(env.rules.init, KEY, 2)),
        *(record, game, networks.NetworkConfig(), jaxgames.analyse(env, state, "random")),
    ]


def state_of(env):
    return env.init(KEY).observation


@functools.cache
def objects() -> dict[type, object]:
    """Returns an object of each type that the roots consist of."""
    found: dict[type, object] = {}
    seen: set[int] = set()

    def visit(value: object) -> None:
        kind = type(value)
        if isinstance(value, np.ndarray | jax.Array | str | int | float | type(None) | type):
            return
        if id(value) in seen:
            return
        seen.add(id(value))
        found.setdefault(kind, value)
        parts = value if isinstance(value, tuple | list) else []
        parts = list(value.values()) if isinstance(value, dict) else list(parts)
        if dataclasses.is_dataclass(value):
            parts += [getattr(value, field.name) for field in dataclasses.fields(value)]
        for part in parts:
            visit(part)

    visit(roots())
    return found


def made(kind: type) -> object:
    """Returns an object of a public class."""
    for other, value in objects().items():
        if issubclass(other, kind):
            return value
    if issubclass(kind, tuple):  # a named tuple of arrays
        return kind(*([np.zeros(2, np.float32)] * len(kind._fields)))
    raise AssertionError(f"the test makes no {kind.__name__}: add one to `roots`, or a reason")


WAYS = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "cloudpickle": lambda value: cloudpickle.loads(cloudpickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("name", OTHERS)
def test_functions_are_pickled_by_name(name):
    value = public(name)
    assert pickle.loads(pickle.dumps(value)) is value or not callable(value)


@pytest.mark.parametrize("way", WAYS)
def test_objects_of_all_public_classes_are_copied(way):
    failures = []
    for name in CLASSES:
        if name not in EXEMPT and not issubclass(public(name), BaseException):
            failures += failure(WAYS[way], made(public(name)), name)
    for kind, value in objects().items():
        failures += failure(WAYS[way], value, f"{kind.__module__}.{kind.__qualname__}")
    assert failures == []


def failure(copied, value, name: str) -> list[str]:
    try:
        again = copied(value)
        pickle.dumps(again)
    except Exception as error:
        return [f"{name}: {type(error).__name__}: {error}"]
    return [] if type(again) is type(value) else [f"{name}: became a {type(again).__name__}"]


def test_copies_play_on_as_the_original_does():
    for make in (gymnasium_wrapper.make, gymnasium_wrapper.make_vec):
        original = make("onitama", planes="board")
        original.reset(seed=0)
        copies = [copied(original) for copied in WAYS.values()]
        action = original.action_masks().argmax(-1)
        expected = original.step(action)
        for copied in copies:
            jax.tree.map(np.testing.assert_array_equal, copied.step(action), expected)


def test_a_copied_bot_and_a_copied_observer_work():
    game = open_spiel.make("onitama", planes="board")
    state = game.new_initial_state()
    state.apply_action(3)
    bot = open_spiel.AgentBot(game, jaxgames.player("random", "onitama").agent, seed=4)
    observer = game.make_py_observer()
    observer.set_from(state, 0)
    for copied in WAYS.values():
        assert copied(bot).step(state) == pickle.loads(pickle.dumps(bot)).step(state)
        again = copied(observer)
        np.testing.assert_array_equal(again.tensor, observer.tensor)
        again.set_from(state, 1)
        (part,) = again.dict.values()
        np.testing.assert_array_equal(part.ravel(), again.tensor)


SPAWNED = """
import pickle, sys
env, state, player, single, film = pickle.load(sys.stdin.buffer)
import jax
print(int(env.step(state, env.sample_action(state, jax.random.key(1))).step_count))
print(single.step(int(single.action_masks().argmax()))[0].shape)
print(player.name, len(film.stills()))
"""


def test_a_spawned_process_uses_what_it_is_sent():
    env = jaxgames.make("onitama", planes="board")
    state = env.init(KEY)
    single = gymnasium_wrapper.make("onitama", planes="board")
    single.reset(seed=0)
    sent = env, state, jaxgames.player("random", env), single, env.animate([state, state])
    command = [sys.executable, "-c", SPAWNED]
    done = subprocess.run(
        command, input=pickle.dumps(sent), capture_output=True, cwd=CHECKOUT, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    assert lines == ["1", str(single.observation_space.shape), "random 2"]


@pytest.mark.slow
def test_environments_run_in_the_processes_of_gymnasium():
    make = functools.partial(gymnasium_wrapper.make, "onitama", planes="board")
    envs = gymnasium.vector.AsyncVectorEnv([make, make], context="spawn")
    try:
        _, infos = envs.reset(seed=0)
        envs.step(infos["action_mask"].argmax(-1))
    finally:
        envs.close()
