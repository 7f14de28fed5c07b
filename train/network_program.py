"""`NetworkProgram`: trains one network and matches it with fixed opponents."""

import pathlib
import shlex
from typing import Any, Protocol

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from agents import command_line
from configs import presets
from configs.training import TrainingConfig
from jaxgames import Env, records
from jaxgames.internal import files, programs
from jaxgames.networks import network_files
from train import game_pictures, parallel, plots
from train.evaluation import Matches
from train.run import Snapshot

BEST = "best.npz"
"""Name of the file of the best network so far, in the folder of a run."""


class NetworkLearner(Protocol):
    """How one network learns. A state is a pytree with the parameters as its field `params`."""

    @property
    def env(self) -> Env[Any]:
        """The game."""
        ...

    @property
    def matches(self) -> Matches:
        """The matches of an evaluation."""
        ...

    def initial_state(self, key: PRNGKeyArray) -> Any:
        """Returns the state before the first iteration."""
        ...

    def iterate(
        self, state: Any, iteration: int, key: PRNGKeyArray
    ) -> tuple[Any, dict[str, float]]:
        """Runs one iteration; returns the state after it, and its metrics."""
        ...

    def split(self, state: Any) -> tuple[Any, Any]:
        """Returns the parameters of a state, and its other arrays."""
        ...

    def join(self, params: Any, rest: Any) -> Any:
        """Returns the state that `split` divided."""
        ...

    def describe(self, iteration: int) -> dict[str, Any]:
        """Returns the description of the network that agents need."""
        ...

    def player(self, path: pathlib.Path) -> str:
        """Returns the spec of an agent that plays with the network of a file."""
        ...


class NetworkProgram:
    """A `Program` whose result is a network."""

    def __init__(self, learner: NetworkLearner, config: TrainingConfig):
        """Reads what the folder of the run holds of the best network so far.

        Raises:
            ValueError: if the best network is damaged or cannot be judged, or the exported one
                cannot be written.
        """
        self.learner, self._config = learner, config
        every, opponents = config.evaluation.every, learner.matches.specs
        if config.export_best and not (every and opponents):
            raise ValueError(
                "--export-best needs evaluations, got "
                f"--evaluation.every={every} and opponents {list(opponents)}"
            )
        if config.export is not None:
            network_files.check_target(config.export)
        self._best = self._stored_best() if config.export_best else None
        # The independent sources of random numbers of a run.
        keys = jax.random.split(jax.random.key(config.seed), 3)
        self._start_key, self._iteration_key, self._evaluation_key = keys
        self.game_version = learner.env.version
        self.split, self.join, self.describe = learner.split, learner.join, learner.describe

    def initial_state(self) -> Any:
        """Returns the state before the first iteration."""
        return self.learner.initial_state(self._start_key)

    def iterate(self, state: Any, iteration: int) -> tuple[Any, dict[str, float]]:
        """Runs one iteration, with a key of its own."""
        key = jax.random.fold_in(self._iteration_key, iteration)
        return self.learner.iterate(state, iteration, key)

    def done(self, state: Any, iteration: int) -> int:
        """Returns the iterations done."""
        del state
        return iteration

    def evaluate(self, now: Snapshot) -> dict[str, float]:
        """Returns the scores against the opponents; writes the games that are to be kept.

        With `export_best`, the network is written, too, if none before had a better mean score.
        """
        key = jax.random.fold_in(self._evaluation_key, now.iteration)
        games: list[records.Record] = []
        params = parallel.to_host(now.state.params)
        scores = self.learner.matches(params, key, games)
        if self._config.export_best and parallel.is_main_process():
            self._keep_best(params, scores, now)
        if games and parallel.is_main_process():
            path = game_pictures.games_file(now.directory, now.iteration)
            path.parent.mkdir(exist_ok=True)
            files.replace(path, records.to_text(*games))
        return scores

    def _keep_best(self, params: Any, scores: dict[str, float], now: Snapshot) -> None:
        """Writes the network if it has learned and none before had a better mean score."""
        mean = float(np.mean([v for k, v in scores.items() if k.startswith("evaluation/")]))
        if now.iteration > 0 and (self._best is None or mean >= self._best["score"]):
            about = self.describe(now.iteration) | {"minutes": now.minutes}
            about |= {"score": mean, "evaluation": self._conditions()}
            network_files.save_network(now.directory / BEST, params, about)
            self._best = about

    def _stored_best(self) -> dict[str, Any] | None:
        """Returns what is stored of the best network; None if none was evaluated like this."""
        path = pathlib.Path(self._config.directory).resolve() / BEST
        if not path.exists():
            return None
        _, about = network_files.load_network(path)
        if "score" not in about:
            raise ValueError(f"{path} was not written by an evaluation; move it away to go on")
        return about if about["evaluation"] == self._conditions() else None

    def _conditions(self) -> str:
        """Returns the settings of the matches; scores by other ones cannot be compared."""
        settings = vars(self._config.evaluation).items()
        return repr({k: v for k, v in settings if k not in ("every", "saved_games")})

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Returns the failure of learning; an infinite gradient spoils only the next loss."""
        critical = [numbers["learner/loss"], numbers["learner/gradient_norm"]]
        return None if np.isfinite(critical).all() else "the loss or its gradient is not finite"

    def write_results(self, now: Snapshot) -> None:
        """Exports the network."""
        params = parallel.to_host(now.state.params)
        about = self.describe(now.iteration) | {"minutes": now.minutes}
        if not parallel.is_main_process():
            return
        if self._best is not None:
            params, about = network_files.load_network(now.directory / BEST)
        for path in (now.directory / "network.npz", self._config.export):
            if path is not None:
                network_files.save_network(path, params, about)

    def closing_lines(self, directory: pathlib.Path) -> tuple[str, str]:
        """Returns the path of the network, and the command of a match with it."""
        path, config = directory / "network.npz", self._config
        named = (*command_line.plugins_of(), presets.plugin(config.game))
        plugins = [shlex.quote(plugin) for plugin in dict.fromkeys(named) if plugin]
        plugin_options = "".join(f" {command_line.PLUGIN}={plugin}" for plugin in plugins)
        options = f" --env-options={shlex.quote(config.env_options)}" if config.env_options else ""
        player = shlex.quote(self.learner.player(path))
        opponent = shlex.quote(next(iter(self.learner.matches.specs), "random"))
        if self.learner.env.num_players == 2:
            command, agents = "agents.arena", f"--agents {player} {opponent}"
        elif programs.IN_WHEEL.is_dir():  # without benchmarks
            others = " ".join([opponent] * (self.learner.env.num_players - 1))
            command, agents = "agents.play", f"--seats {player} {others}"
        else:  # the tournament is for two seats
            command, agents = "benchmarks.ranks", f"--agents {player} --others {opponent}"
        of_best = ""
        if self._best is not None:
            of_best = f", of iteration {self._best['iteration']}, the best evaluation"
        return (
            f"network: {path}{of_best}",
            f"match: {programs.command(command)}{plugin_options} --game={config.game}{options} "
            f"{agents}",
        )

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws scores, losses, game lengths and speed."""
        plots.plot_learning_curve(log, picture)
