"""A run of DDPG: learners play, learn from their memory, and play again.

One iteration is a compiled call in which all learners play, and then a loop on the host over their
gradient steps.
"""

import dataclasses
import functools
import pathlib
import shlex
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from jaxgames.batching.trees import fold_in
from jaxgames.players.registry import make_env
from papers.onitama_report.config import ARCHITECTURES, DdpgConfig
from papers.onitama_report.ddpg import plots
from papers.onitama_report.ddpg.evaluation import Evaluation
from papers.onitama_report.ddpg.players import save_actor
from papers.onitama_report.ddpg.steps import PlayStats, make_steps
from train import session


class Ddpg(session.Session):
    """A run of `python -m papers.onitama_report.train`."""

    def __init__(self, config: DdpgConfig):
        """Opens the run, and goes on from its newest checkpoint if there is one.

        Raises:
            ValueError: for settings that do not fit the game or the folder's run.
            OSError: if a folder cannot be written.
        """
        self.config = config
        self.env = make_env(config.game, config.env_options)
        self.steps = make_steps(self.env, config)
        self.evaluation = Evaluation(self.env, config.evaluation)
        super().__init__(config, self.env.version)
        seeds = range(config.seed, config.seed + config.seeds)
        self.names = [f"{name}-seed_{seed}" for name in config.architectures for seed in seeds]
        keys = _learner_keys(config.architectures, seeds)
        start_keys, self._keys, self._evaluation_keys = keys[:, 0], keys[:, 1], keys[:, 2]
        # On a named device, like the arrays of a checkpoint: so a resumed run compiles nothing new.
        fresh = jax.device_put(self.steps.start(start_keys), jax.devices()[0])
        self._learners, self._play = fresh
        self.restore()
        self._episodes = np.asarray(self._play.episodes)

    @property
    def goal(self) -> int:
        """Games of every learner in total."""
        return self.config.episodes

    @property
    def done(self) -> int:
        """The least number of games that a learner has ended."""
        return int(min(self._episodes.min(), self.goal))

    @property
    def unit(self) -> str:
        """A game is an episode."""
        return "episode"

    def iterate(self) -> dict[str, float]:
        """Plays one iteration; learners that have not reached their last game learn."""
        started = time.monotonic()
        play_keys, learn_keys = _iteration_keys(self._keys, jnp.int32(self.iteration))
        actors = tuple(learner.actor for learner in self._learners)
        self._play, device_stats = self.steps.play(actors, self._play, play_keys)
        stats: PlayStats = jax.device_get(device_stats)
        played = time.monotonic()

        is_running = self._episodes < self.goal
        is_learning = is_running & (stats.remembered >= self.config.learner.batch_size)
        losses = self._learn(is_learning, learn_keys)
        ended = time.monotonic()

        numbers = {
            "time/turns_per_second": float(stats.turns.sum() / (ended - started)),
            "time/play_seconds": played - started,
            "time/learner_seconds": ended - played,
        }
        for row, name in enumerate(self.names):
            if is_running[row]:
                numbers |= _figures(name, row, stats)
            if is_learning[row]:
                numbers |= {f"learner/{x}/{name}": y for x, y in losses[row].items()}
        self._episodes = stats.episodes
        return numbers

    def _learn(self, is_learning: np.ndarray, keys: PRNGKeyArray) -> list[dict[str, float]]:
        """Makes the gradient steps of an iteration; returns the mean losses of each learner."""
        learned: list[list[Any]] = [[] for _ in self.steps.actors]
        learners = list(self._learners)
        # A loop on the host, over a step compiled on its own: see `train/loop.py`.
        for number in range(self.config.updates):
            for index in range(len(learners)):
                rows = self.steps.rows(index)
                if not is_learning[rows].any():
                    continue
                learners[index], step = self.steps.learn(
                    index, learners[index], self._play, is_learning[rows], keys[rows], number
                )
                learned[index].append(step)
        self._learners = tuple(learners)
        return [
            {name: float(np.mean([step[name][seed] for step in steps])) for name in steps[0]}
            if steps
            else {}
            for steps in jax.device_get(learned)
            for seed in range(self.steps.seeds)
        ]

    @property
    def evaluate_every(self) -> int:
        """Iterations between evaluations."""
        return self.config.evaluation.every

    def evaluate(self) -> dict[str, float]:
        """Returns the scores of all actors against the opponents."""
        scores: dict[str, float] = {}
        keys = jax.jit(fold_in)(self._evaluation_keys, jnp.int32(self.iteration))
        for row, name in enumerate(self.names):
            index, seed = divmod(row, self.steps.seeds)
            scores |= self.evaluation(
                name, self.steps.actors[index], self._actor(index, seed), keys[row]
            )
        return scores

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Learning has failed if a loss is not finite."""
        losses = {name: x for name, x in numbers.items() if name.startswith("learner/")}
        wrong = [name for name, loss in losses.items() if not np.isfinite(loss)]
        return f"{wrong[0]} is not finite" if wrong else None

    def arrays(self) -> tuple[Any, Any]:
        """Returns the actors of each architecture, and all other arrays of the run."""
        names = self.config.architectures
        actors = {name: one.actor for name, one in zip(names, self._learners, strict=True)}
        others = {
            name: one.replace(actor=()) for name, one in zip(names, self._learners, strict=True)
        }
        return actors, {"learners": others, "play": self._play}

    def set_arrays(self, params: Any, rest: Any) -> None:
        """Restores the arrays that `arrays` returned."""
        self._play = rest["play"]
        self._learners = tuple(
            rest["learners"][name].replace(actor=params[name]) for name in self.config.architectures
        )

    def describe(self) -> dict[str, Any]:
        """Returns the description of the actors that is stored beside them."""
        config = self.config
        return {
            "game": config.game,
            "env_options": config.env_options,
            "architectures": list(config.architectures),
            "network": dataclasses.asdict(config.network),
            "iteration": self.iteration,
        }

    def write_results(self) -> None:
        """Writes every actor to a file of its own."""
        for row, name in enumerate(self.names):
            index, seed = divmod(row, self.steps.seeds)
            save_actor(
                self.directory / "actors" / f"{name}.npz",
                self._actor(index, seed),
                self.env,
                self.config.env_options,
                self.steps.actors[index],
                self.iteration,
            )

    def closing_lines(self) -> tuple[str, str]:
        """Returns where the actors are, and the command of a match with the first one."""
        folder = self.directory / "actors"
        player = f"ddpg:actor={folder / self.names[0]}.npz"
        return (
            f"actors: {folder}",
            f"match: python -m agents.arena --plugin=papers.onitama_report --game={self.env.id} "
            f"--agents {shlex.quote(player)} random",
        )

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws losses, rates and depths of all learners."""
        plots.plot_curves([log], picture)

    def _actor(self, index: int, seed: int) -> Any:
        """Returns the parameters of one learner's actor."""
        return jax.tree.map(lambda x: x[seed], self._learners[index].actor)


def _figures(name: str, row: int, stats: PlayStats) -> dict[str, float]:
    """Returns the metrics of a learner's play in one iteration; those of games if one ended."""
    of_row = PlayStats(*(float(x[row]) for x in stats))
    values = {"episodes": of_row.episodes, "opponent_depth": of_row.depth}
    if of_row.turns:
        values |= {
            "valid_rate": of_row.valid_choices / of_row.turns,
            "valid_mass": of_row.valid_mass / of_row.turns,
            "legal_actions": of_row.legal_actions / of_row.turns,
        }
    if of_row.games:
        values |= {
            "win_rate": of_row.wins / of_row.games,
            "draw_rate": of_row.draws / of_row.games,
            "game_length": of_row.plies / of_row.games,
        }
    return {f"play/{x}/{name}": value for x, value in values.items()}


def _learner_keys(architectures: tuple[str, ...], seeds: range) -> PRNGKeyArray:
    """Returns three keys for each learner, independent of the other learners."""
    numbers = jnp.array([ARCHITECTURES.index(name) for name in architectures])
    roots = jax.vmap(jax.random.key)(jnp.array(seeds, jnp.uint32))
    of_learner = jax.vmap(jax.vmap(jax.random.fold_in, (0, None)), (None, 0))(roots, numbers)
    return jax.vmap(functools.partial(jax.random.split, num=3))(of_learner.reshape(-1))


@jax.jit
def _iteration_keys(keys: PRNGKeyArray, number: Array) -> tuple[PRNGKeyArray, PRNGKeyArray]:
    both = jax.vmap(jax.random.split)(fold_in(keys, number))
    return both[:, 0], both[:, 1]
