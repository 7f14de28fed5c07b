"""Gumbel AlphaZero: self-play, learning, evaluation, checkpoint, again (`session.py` loops).

In self-play a search that the network guides chooses the moves. The network learns the policies of
the search and the outcomes of the games. One iteration is a few compiled calls (`steps.py`).
"""

import pathlib
import shlex
import time
from typing import Any, NamedTuple

import jax
import numpy as np

from agents.games import registry
from agents.registry import make_env
from configs.alphazero import AlphaZeroConfig
from jaxgames.networks import network_files
from train import parallel, plots, session
from train.evaluation import Evaluation
from train.steps import Steps, TrainState, summarise


class Keys(NamedTuple):
    """The independent sources of random numbers of a run."""

    start: Any
    iterations: Any
    evaluations: Any


class AlphaZero(session.Session):
    """A run of Gumbel AlphaZero."""

    def __init__(self, config: AlphaZeroConfig):
        """Opens the run, and goes on from its newest checkpoint if there is one.

        Raises:
            ValueError: for settings that do not fit the game, the devices or the folder's run.
            OSError: if a folder cannot be written.
        """
        self.config = config
        self.env = make_env(config.game, config.env_options)
        self.steps = Steps(self.env, config, parallel.make_mesh())
        self.evaluation = Evaluation(self.env, self.steps.network, config)
        if config.export is not None:
            network_files.check_target(config.export)
        super().__init__(config, self.env.version)
        self.keys = Keys(*jax.random.split(jax.random.key(config.seed), 3))
        self.state = self.steps.initial_state(self.keys.start)
        self.restore()

    @property
    def goal(self) -> int:
        """Iterations in total."""
        return self.config.iterations

    def arrays(self) -> tuple[Any, Any]:
        """Returns the parameters; and the optimizer, the replay and the games in progress."""
        state = self.state
        rest = {"opt_state": state.opt_state, "replay": state.replay, "lanes": state.lanes}
        return state.params, rest

    def set_arrays(self, params: Any, rest: Any) -> None:
        """Takes back what `arrays` returned."""
        self.state = TrainState(params=params, **rest)

    def describe(self) -> dict[str, Any]:
        """Returns the description of the network that agents need."""
        config = self.config
        return network_files.describe(self.env, config.env_options, config.network, self.iteration)

    def iterate(self) -> dict[str, float]:
        """Runs one iteration."""
        key = jax.random.fold_in(self.keys.iterations, self.iteration)
        self.state, numbers = run_iteration(self.steps, self.config, self.state, key)
        return numbers

    @property
    def evaluate_every(self) -> int:
        """Iterations between evaluations."""
        return self.config.evaluation.every

    def evaluate(self) -> dict[str, float]:
        """Returns the scores against the opponents."""
        key = jax.random.fold_in(self.keys.evaluations, self.iteration)
        return self.evaluation(parallel.to_host(self.state.params), key)

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Returns the failure of learning; an infinite gradient spoils only the next loss."""
        critical = [numbers["learner/loss"], numbers["learner/gradient_norm"]]
        return None if np.isfinite(critical).all() else "the loss or its gradient is not finite"

    def write_results(self) -> None:
        """Exports the network."""
        params = parallel.to_host(self.state.params)
        if not parallel.is_main_process():
            return
        for path in (self.directory / "network.npz", self.config.export):
            if path is not None:
                network_files.save_network(
                    path, params, self.describe() | {"minutes": self.minutes}
                )

    def closing_lines(self) -> tuple[str, str]:
        """Returns the path of the network, and the command of a match with it."""
        path, config = self.directory / "network.npz", self.config
        plugin = registry.game_agents(config.game).plugin
        plugin_option = f" --plugin={plugin}" if plugin else ""
        options = f" --env-options={shlex.quote(config.env_options)}" if config.env_options else ""
        opponent = config.evaluation.opponents[0] if config.evaluation.opponents else "random"
        player = f"gumbel:checkpoint={path},simulations={config.selfplay.simulations}"
        return (
            f"network: {path}",
            f"match: python -m agents.arena{plugin_option} --game={config.game}"
            f"{options} "
            f"--agents {shlex.quote(player)} {shlex.quote(opponent)}",
        )

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws scores, losses, game lengths and speed."""
        plots.plot_learning_curve(log, picture)


def run_iteration(
    steps: Steps, config: AlphaZeroConfig, state: TrainState, key: jax.Array
) -> tuple[TrainState, dict[str, float]]:
    """Runs self-play, then gradient steps; returns the new state and the metrics."""
    play_key, learn_key = jax.random.split(key)
    started = time.monotonic()
    lanes, replay, stats = steps.selfplay(state.params, state.lanes, state.replay, play_key)
    positions = config.selfplay.lanes * config.selfplay.plies
    numbers = summarise(stats, positions, steps.roles)
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
