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


class Session:
    """One call of the program: what does not change, and how far the run has come.

    A context manager, which at its end waits for the checkpoints and lets go of the folder.
    """

    def __init__(self, config: AlphaZeroConfig):
        """Opens the run, and goes on from its newest checkpoint if there is one.

        Raises:
            ValueError: for settings that do not fit the game, the devices or the folder's run.
            OSError: if a folder cannot be written.
        """
        self._clock = time.monotonic()
        self.config = config
        self.env = make_env(config.game, config.env_options)
        self.steps = Steps(self.env, config, parallel.make_mesh())
        self.evaluation = Evaluation(self.env, self.steps.network, config)
        if config.export is not None:
            export.check_target(config.export)
        self.directory = run_record.open_run(config, self.env.version)
        self._lock = run_record.lock(self.directory)
        self.checkpoints = Checkpoints(self.directory / "checkpoints", config.checkpoint.keep)
        self.keys = Keys(*jax.random.split(jax.random.key(config.seed), 3))
        self.state = self.steps.initial_state(self.keys.start)
        self.iteration = 0  # iterations done
        self.minutes = 0.0  # spent on them
        self.is_resumed = self._restore()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self.checkpoints.close()
        if self._lock is not None:
            self._lock.close()

    def _restore(self) -> bool:
        rest = _rest(self.state)
        found = self.checkpoints.restore_latest(self.state.params, rest, self.describe())
        if found is None:
            return False
        self.iteration, self.minutes = found.iteration, found.meta["minutes"]
        self.state = TrainState(params=found.params, **found.state)
        return True

    def save(self) -> None:
        """Saves a checkpoint, unless this iteration has one."""
        rest = _rest(self.state)
        self.checkpoints.save(self.iteration, self.state.params, rest, self.describe())

    def describe(self) -> dict[str, Any]:
        """Returns what is saved with the parameters, as plain values."""
        config = self.config
        meta = export.describe(self.env, config.env_options, config.network, self.iteration)
        return meta | {"minutes": self.minutes}

    def advance(self) -> dict[str, float]:
        """Runs one iteration, and the evaluation that is due after it; returns the metrics."""
        key = jax.random.fold_in(self.keys.iterations, self.iteration)
        self.state, numbers = run_iteration(self.steps, self.config, self.state, key)
        self.iteration += 1
        if is_finite(numbers):
            numbers |= self.evaluate()
        now = time.monotonic()
        self.minutes += (now - self._clock) / 60
        self._clock = now
        return numbers | {"time/minutes": self.minutes}

    def evaluate(self) -> dict[str, float]:
        """Returns the scores against the opponents if they are due now, else nothing."""
        if not self.is_due(self.config.evaluation.every):
            return {}
        key = jax.random.fold_in(self.keys.evaluations, self.iteration)
        return self.evaluation(parallel.to_host(self.state.params), key)

    def is_due(self, every: int) -> bool:
        """Whether something that happens `every` iterations (0: never) happens now."""
        is_last = self.iteration == self.config.iterations
        return every > 0 and (self.iteration % every == 0 or is_last)

    def is_finished(self, stop: StopRequest) -> bool:
        """Whether to stop; the clock or the signal of any process stops all of them."""
        limit = self.config.max_minutes
        ends_now = stop.requested or (limit is not None and self.minutes >= limit)
        return self.iteration >= self.config.iterations or parallel.any_process(ends_now)

    def write_results(self) -> None:
        """Draws the learning curve and exports the network."""
        params = parallel.to_host(self.state.params)
        if not parallel.is_main_process():
            return
        picture = self.directory / "learning_curve.png"
        plots.plot_learning_curve(self.directory / metrics.FILE_NAME, picture)
        for path in (self.directory / "network.npz", self.config.export):
            if path is not None:
                export.save_network(path, params, self.describe())


def train(session: Session) -> bool:
    """Trains until `iterations`, `max_minutes` or a signal.

    Returns whether the run ended well: false if the loss or its gradient became infinite or not a
    number; the checkpoints before that are kept.
    """
    config = session.config
    with (
        session,
        StopRequest() as stop,
        TrainingProgress(session.iteration, config.iterations) as display,
        # A run that ended before its first checkpoint starts its log anew.
        MetricsLog(session.directory, session.iteration if session.is_resumed else -1) as log,
    ):
        if session.iteration >= config.iterations:
            display.message(f"{session.directory} is finished; raise --iterations to go on")
        elif session.is_resumed:
            display.message(f"going on with {session.directory} at {session.iteration}")
        elif scores := session.evaluate():
            log.write(0, scores)
            display.update(0, scores)
        while not session.is_finished(stop):
            numbers = session.advance()
            log.write(session.iteration, numbers)
            display.update(session.iteration, numbers)
            if not is_finite(numbers):
                display.message(
                    f"iteration {session.iteration}: the loss or its gradient is not finite; "
                    f"stopped, {session.directory} keeps the checkpoints before it"
                )
                return False
            if session.is_due(config.checkpoint.every):
                session.save()
        session.save()
    if session.iteration > 0:
        session.write_results()
    return True


def is_finite(numbers: dict[str, float]) -> bool:
    """Whether learning went well: a step with an infinite gradient spoils the next loss only."""
    return bool(np.isfinite([numbers["learner/loss"], numbers["learner/gradient_norm"]]).all())


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
        batch = steps.wait(steps.sample(replay, jax.random.fold_in(learn_key, update)))
        params, opt_state, learning = steps.learn(params, opt_state, batch)
        learned.append(steps.wait(learning))
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
