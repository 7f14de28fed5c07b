"""The loop of Gumbel AlphaZero: self-play, learning, evaluation, checkpoint, again.

Self-play is guided by the network through a search; the search's policies and the outcomes of the
games are what the network learns. One iteration is a few compiled calls (`steps.py`).
"""

import time
from typing import Any, NamedTuple

import jax
import numpy as np

from agents.networks import export
from agents.registry import make_env
from configs.alphazero import AlphaZeroConfig
from train import metrics, parallel, plots, run_record
from train.checkpoint import Checkpoints
from train.evaluation import Evaluation
from train.metrics import MetricsLog
from train.progress import TrainingProgress
from train.signals import StopRequest
from train.steps import Steps, TrainState, summarise


class Keys(NamedTuple):
    """The independent sources of random numbers of a run."""

    start: Any
    iterations: Any
    evaluations: Any


def train(config: AlphaZeroConfig) -> bool:
    """Trains until `iterations`, `max_minutes` or a signal; goes on with a run that exists.

    Returns whether the run ended well: false if the loss became infinite or not a number; the last
    good checkpoint is kept then.

    Raises:
        ValueError: for settings that do not fit the game, the devices or the folder's run.
    """
    env = make_env(config.game, config.env_options)
    steps = Steps(env, config, parallel.make_mesh())
    evaluation = Evaluation(env, steps.network, config.evaluation)
    directory = run_record.open_run(config, env.version)
    keys = Keys(*jax.random.split(jax.random.key(config.seed), 3))
    state, iteration, minutes = steps.initial_state(keys.start), 0, 0.0

    def describe() -> dict[str, Any]:
        meta = export.describe(env, config.env_options, config.network, iteration)
        return meta | {"minutes": minutes}

    with (
        Checkpoints(directory / "checkpoints", config.checkpoint.keep) as checkpoints,
        StopRequest() as stop,
    ):
        restored = checkpoints.restore_latest(state.params, _rest(state), describe())
        if restored is not None:
            iteration, minutes = restored.iteration, restored.meta["minutes"]
            state = TrainState(params=restored.params, **restored.state)

        is_good = True
        with (
            TrainingProgress(iteration, config.iterations) as display,
            MetricsLog(directory, iteration) as log,
        ):
            if restored is not None:
                display.message(f"going on with {directory} after iteration {iteration}")
            while is_good and not _is_finished(config, iteration, minutes, stop):
                started = time.monotonic()
                key = jax.random.fold_in(keys.iterations, iteration)
                state, numbers = run_iteration(steps, config, state, key)
                iteration += 1
                is_good = np.isfinite(numbers["learner/loss"])
                if is_good and _is_due(iteration, config.evaluation.every, config.iterations):
                    key = jax.random.fold_in(keys.evaluations, iteration)
                    numbers |= evaluation(parallel.to_host(state.params), key)
                minutes += (time.monotonic() - started) / 60
                numbers["time/minutes"] = minutes
                log.write(iteration, numbers)
                display.update(iteration, numbers)
                if is_good and _is_due(iteration, config.checkpoint.every, config.iterations):
                    checkpoints.save(iteration, state.params, _rest(state), describe())
            if is_good and iteration > 0:
                checkpoints.save(iteration, state.params, _rest(state), describe())
            elif not is_good:
                display.message(
                    f"iteration {iteration}: the loss is not finite; stopped, "
                    f"the last good checkpoint is kept in {directory}"
                )

    params = parallel.to_host(state.params)
    if parallel.is_main_process() and iteration > 0:
        plots.plot_learning_curve(directory / metrics.FILE_NAME, directory / "learning_curve.png")
        if is_good:
            export.save_network(directory / "network.npz", params, describe())
            if config.export is not None:
                export.save_network(config.export, params, describe())
    return bool(is_good)


def run_iteration(
    steps: Steps, config: AlphaZeroConfig, state: TrainState, key: jax.Array
) -> tuple[TrainState, dict[str, float]]:
    """Self-play, then gradient steps; returns the new state and the metrics."""
    play_key, learn_key = jax.random.split(key)
    started = time.monotonic()
    lanes, replay, stats = steps.selfplay(state.params, state.lanes, state.replay, play_key)
    positions = config.selfplay.lanes * config.selfplay.plies
    numbers = summarise(stats, positions)
    played = time.monotonic()

    params, opt_state, learned = state.params, state.opt_state, []
    # A loop on the host: on a CPU the gradient of a convolution is many times slower inside a scan.
    for update in range(config.learner.updates):
        batch = steps.sample(replay, jax.random.fold_in(learn_key, update))
        params, opt_state, learning = steps.learn(params, opt_state, batch)
        learned.append(learning)
    learned = jax.device_get(learned)
    ended = time.monotonic()

    numbers |= {name: float(np.mean([step[name] for step in learned])) for name in learned[0]}
    numbers["time/positions_per_second"] = positions / (ended - started)
    numbers["time/selfplay_seconds"] = played - started
    numbers["time/learner_seconds"] = ended - played
    return TrainState(params, opt_state, replay, lanes), numbers


def _rest(state: TrainState) -> dict[str, Any]:
    """Returns what a checkpoint holds besides the parameters."""
    return {"opt_state": state.opt_state, "replay": state.replay, "lanes": state.lanes}


def _is_due(iteration: int, every: int, last: int) -> bool:
    return every > 0 and (iteration % every == 0 or iteration == last)


def _is_finished(
    config: AlphaZeroConfig, iteration: int, minutes: float, stop: StopRequest
) -> bool:
    """Whether to stop; the clock or the signal of any process stops all of them."""
    out_of_time = config.max_minutes is not None and minutes >= config.max_minutes
    return iteration >= config.iterations or parallel.any_process(stop.requested or out_of_time)
