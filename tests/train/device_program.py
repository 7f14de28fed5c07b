"""What `test_devices.py` runs in a process of its own, which has as many devices as it was told.

Usage: python tests/train/device_program.py RESULT.npz [learn_all]
"""

import contextlib
import pathlib
import re
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

from configs.alphazero import AlphaZeroConfig, LearnerConfig, SelfPlayConfig
from jaxgames.env import Env
from jaxgames.internal import devices
from jaxgames.matches.match import devices_for, match
from jaxgames.matches.resumable import Checkpoint
from jaxgames.networks.config import NetworkConfig
from jaxgames.players import registry
from jaxgames.search import action_slots
from tests.turn_nim import TurnNim
from train import learner, parallel
from train.steps import Steps
from train.targets import Samples

UPDATES = 3
ENV = Env("turn_nim", TurnNim())  # nothing here depends on the game, and its programs are small
CONFIG = AlphaZeroConfig(
    game="turn_nim",
    network=NetworkConfig(channels=8, blocks=1, policy_channels=4, value_channels=2),
    selfplay=SelfPlayConfig(lanes=16, plies=2, simulations=4, max_considered=4),
    learner=LearnerConfig(batch_size=32, updates=UPDATES, warmup_steps=1),
)
MATCH_GAMES = 32
OPENING_PLIES = 2  # random ones, so that games without chance differ
_COLLECTIVE = re.compile(r"all-reduce|all-gather|all-to-all|collective-permute|reduce-scatter")


def make_batch() -> learner.Batch:
    """Returns a batch of opening positions with arbitrary targets, the same on any devices."""
    rules = ENV.rules
    game_key, policy_key, value_key, augment_key = jax.random.split(jax.random.key(7), 4)
    size = CONFIG.learner.batch_size
    game = jax.vmap(rules.init)(jax.random.split(game_key, size))
    words = action_slots.pack(jax.vmap(rules.legal_actions)(game))
    _, filled = action_slots.legal_list(words, rules.max_legal_actions)
    weights = jax.random.uniform(policy_key, filled.shape) * filled
    win = jax.random.bernoulli(value_key, shape=(size,))
    outcome = jnp.stack([jnp.where(win, 1, -1), jnp.where(win, -1, 1)], axis=1)
    samples = Samples(
        game=game,
        policy=(weights / weights.sum(axis=1, keepdims=True)).astype(jnp.float16),
        search_values=jnp.zeros((size, 2), jnp.float16),
        outcome=outcome.astype(jnp.float16),
        outcome_known=jnp.ones((size,), bool),
    )
    return learner.make_batch(rules, CONFIG.learner, samples, augment_key)


def play_twice(steps: Steps, start, key, results: dict[str, np.ndarray]) -> None:
    """Adds to the results what two calls of self-play with the same arguments leave."""
    selfplay = steps.selfplay.lower(start.params, start.lanes, start.replay, key).compile()
    results["selfplay_collectives"] = np.array(sorted(set(_COLLECTIVE.findall(selfplay.as_text()))))
    for run in ("first", "second"):
        state = jax.tree.map(jnp.copy, start)  # the arrays given to self-play are donated
        lanes, replay, _ = selfplay(state.params, state.lanes, state.replay, key)
        for name, leaf in enumerate(jax.tree.leaves((lanes, replay))):
            results[f"{run}_{name}"] = np.asarray(leaf)


def _stop(*_: int) -> None:
    raise InterruptedError


def play_matches(results: dict[str, np.ndarray]) -> None:
    """Adds matches divided among the devices: without chance, random, and stopped and resumed."""
    number, key = devices_for(MATCH_GAMES, ENV), jax.random.key(1)
    for name, spec in (("certain", "first_legal"), ("random", "random")):
        pair = [registry.make(spec, ENV), registry.make(spec, ENV)]
        for run in ("first", "second"):
            played = match(ENV, pair, key, MATCH_GAMES, OPENING_PLIES, num_devices=number)
            for field in ("returns", "seats", "plies", "winner"):
                results[f"match_{name}_{run}_{field}"] = getattr(played, field)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kept.npz"
        stop = Checkpoint(file, seconds=0.0, report=_stop)
        with contextlib.suppress(InterruptedError):
            match(ENV, pair, key, MATCH_GAMES, OPENING_PLIES, checkpoint=stop, num_devices=number)
        kept = Checkpoint(file)
        played = match(
            ENV, pair, key, MATCH_GAMES, OPENING_PLIES, checkpoint=kept, num_devices=number
        )
    results["match_kept_plies"] = played.plies


def learn_all(path: str) -> None:
    """Takes the gradient steps of an iteration by the host and in one compiled loop; saves both."""
    steps = Steps(ENV, CONFIG, devices.make_mesh())
    key = jax.random.key(0)
    start = steps.initial_state(key)
    _, replay, _ = steps.selfplay(start.params, start.lanes, start.replay, key)
    results: dict[str, np.ndarray] = {}
    for name in ("host", "loop"):
        params, opt_state = jax.tree.map(jnp.copy, (start.params, start.opt_state))
        steps.on_cpu = name == "host"
        params, _, metrics = steps.learn_all(params, opt_state, replay, key)
        results[f"{name}_loss"] = np.asarray(metrics["learner/loss"])
        for number, leaf in enumerate(jax.tree.leaves(params)):
            results[f"{name}_{number}"] = np.asarray(leaf)
    compiled = steps.learn_in_one_loop.lower(start.params, start.opt_state, replay, key).compile()
    results["collectives"] = np.array(sorted(set(_COLLECTIVE.findall(compiled.as_text()))))
    np.savez(path, **results)


def main(path: str) -> None:
    """Learns from a fixed batch, plays matches, plays against itself, and saves all."""
    mesh = devices.make_mesh()
    steps = Steps(ENV, CONFIG, mesh)
    key = jax.random.key(0)
    results: dict[str, np.ndarray] = {"devices": np.array(mesh.size)}

    play_matches(results)
    start = steps.initial_state(key)
    if mesh.size > 1:
        play_twice(steps, start, key, results)

    batch = jax.device_put(make_batch(), parallel.by_lane(mesh))
    params, opt_state, losses = start.params, start.opt_state, []
    learn = steps.learn.lower(params, opt_state, batch).compile()
    results["learn_collectives"] = np.array(sorted(set(_COLLECTIVE.findall(learn.as_text()))))
    for _ in range(UPDATES):
        params, opt_state, metrics = learn(params, opt_state, batch)
        losses.append(float(metrics["learner/loss"]))
    results["losses"] = np.array(losses)
    for name, leaf in enumerate(jax.tree.leaves(params)):
        results[f"params_{name}"] = np.asarray(leaf)
    np.savez(path, **results)


if __name__ == "__main__":
    program = learn_all if sys.argv[2:] == ["learn_all"] else main
    program(sys.argv[1])
