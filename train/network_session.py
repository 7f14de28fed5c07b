"""`NetworkSession`: a program that trains one network and matches it with fixed opponents."""

import abc
import pathlib
import shlex
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np

from configs import presets
from configs.training import TrainingConfig
from jaxgames import Env, records
from jaxgames.internal import files, programs
from jaxgames.networks import network_files
from jaxgames.search.agent import Params
from train import parallel, plots, session
from train.evaluation import Matches

BEST = "best.npz"
"""Name of the file of the best network so far, in the folder of a run."""


class Keys(NamedTuple):
    """The independent sources of random numbers of a run."""

    start: Any
    iterations: Any
    evaluations: Any


class EvaluationSettings(Protocol):
    """The settings that evaluations of every program have."""

    @property
    def every(self) -> int:
        """Iterations between evaluations; 0 for none."""
        ...

    @property
    def opponents(self) -> tuple[str, ...]:
        """Opponents as agent specs."""
        ...


class NetworkSession(session.Session):
    """A session whose result is a network.

    A derived class trains in `iterate`, and gives its parameters and the spec of its player.
    """

    evaluation: Matches

    def __init__(self, config: TrainingConfig, settings: EvaluationSettings, env: Env[Any]):
        """Opens the folder of the run.

        Raises:
            ValueError: if the folder holds another run, or another process works on it, or its best
                network is damaged.
            OSError: if a folder cannot be written.
        """
        self._run, self._settings, self.env = config, settings, env
        if config.export_best and not (settings.every and settings.opponents):
            raise ValueError(
                "--export-best needs evaluations, got "
                f"--evaluation.every={settings.every} and opponents {list(settings.opponents)}"
            )
        if config.export is not None:
            network_files.check_target(config.export)
        super().__init__(config, env.version)
        self._best = self._stored_best() if config.export_best else None
        self.keys = Keys(*jax.random.split(jax.random.key(config.seed), 3))

    @property
    @abc.abstractmethod
    def params(self) -> Params:
        """The parameters, on the devices."""

    @abc.abstractmethod
    def player(self, path: pathlib.Path) -> str:
        """Returns the spec of an agent that plays with the network of a file."""

    @property
    def goal(self) -> int:
        """Iterations in total."""
        return self._run.iterations

    @property
    def evaluate_every(self) -> int:
        """Iterations between evaluations."""
        return self._settings.every

    def evaluate(self) -> dict[str, float]:
        """Returns the scores against the opponents; writes the games that are to be kept.

        With `export_best`, the network is written, too, if none before had a better mean score.
        """
        key = jax.random.fold_in(self.keys.evaluations, self.iteration)
        kept: list[records.Record] = []
        params = parallel.to_host(self.params)
        scores = self.evaluation(params, key, kept)
        if self._run.export_best and parallel.is_main_process():
            self._keep_best(params, scores)
        if kept and parallel.is_main_process():
            folder = self.directory / "games"
            folder.mkdir(exist_ok=True)
            text = records.to_text(*kept)
            files.replace(folder / f"iteration-{self.iteration:06}.jsonl", text)
        return scores

    def _keep_best(self, params: Params, scores: dict[str, float]) -> None:
        """Writes the network if it has learned and none before had a better mean score."""
        mean = float(np.mean([v for k, v in scores.items() if k.startswith("evaluation/")]))
        if self.iteration > 0 and (self._best is None or mean >= self._best["score"]):
            about = self.describe() | {"minutes": self.minutes}
            about |= {"score": mean, "evaluation": self._conditions()}
            network_files.save_network(self.directory / BEST, params, about)
            self._best = about

    def _stored_best(self) -> dict[str, Any] | None:
        """Returns what is stored of the best network; None if none was evaluated like this."""
        path = self.directory / BEST
        if not path.exists():
            return None
        _, about = network_files.load_network(path)
        if "score" not in about:
            raise ValueError(f"{path} was not written by an evaluation; move it away to go on")
        return about if about["evaluation"] == self._conditions() else None

    def _conditions(self) -> str:
        """Returns the settings of the matches; scores by other ones cannot be compared."""
        return repr(
            {k: v for k, v in vars(self._settings).items() if k not in ("every", "saved_games")}
        )

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Returns the failure of learning; an infinite gradient spoils only the next loss."""
        critical = [numbers["learner/loss"], numbers["learner/gradient_norm"]]
        return None if np.isfinite(critical).all() else "the loss or its gradient is not finite"

    def write_results(self) -> None:
        """Exports the network."""
        params, about = parallel.to_host(self.params), self.describe() | {"minutes": self.minutes}
        if not parallel.is_main_process():
            return
        if self._best is not None:
            params, about = network_files.load_network(self.directory / BEST)
        for path in (self.directory / "network.npz", self._run.export):
            if path is not None:
                network_files.save_network(path, params, about)

    def closing_lines(self) -> tuple[str, str]:
        """Returns the path of the network, and the command of a match with it."""
        path, config = self.directory / "network.npz", self._run
        plugin = presets.plugin(config.game)
        plugin_option = f" --plugin={plugin}" if plugin else ""
        options = f" --env-options={shlex.quote(config.env_options)}" if config.env_options else ""
        player = shlex.quote(self.player(path))
        opponent = self._settings.opponents[0] if self._settings.opponents else "random"
        opponent = shlex.quote(opponent)
        if self.env.num_players == 2:
            command, agents = "agents.arena", f"--agents {player} {opponent}"
        elif programs.IN_WHEEL.is_dir():  # without benchmarks
            others = " ".join([opponent] * (self.env.num_players - 1))
            command, agents = "agents.play", f"--seats {player} {others}"
        else:  # the tournament is for two seats
            command, agents = "benchmarks.ranks", f"--agents {player} --others {opponent}"
        of_best = ""
        if self._best is not None:
            of_best = f", of iteration {self._best['iteration']}, the best evaluation"
        return (
            f"network: {path}{of_best}",
            f"match: {programs.command(command)}{plugin_option} --game={config.game}{options} "
            f"{agents}",
        )

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws scores, losses, game lengths and speed."""
        plots.plot_learning_curve(log, picture)
