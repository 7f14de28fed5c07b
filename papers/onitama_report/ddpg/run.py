"""A run of DDPG: learners play, learn from their memory, and play again.

One iteration is a compiled call in which all learners play, and then a loop on the host over their
gradient steps.
"""

import dataclasses
import functools
import pathlib
import shlex
import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, PRNGKeyArray

from jaxgames.batching.trees import fold_in
from jaxgames.matches.match import match
from jaxgames.matches.statistics import score
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.players.registry import make_env
from jaxgames.search.agent import Params
from papers.onitama_report.config import ARCHITECTURES, DdpgConfig
from papers.onitama_report.ddpg import plots
from papers.onitama_report.ddpg.actor import ActorNetwork
from papers.onitama_report.ddpg.learner import Learner
from papers.onitama_report.ddpg.players import MaskedActor, save_actor
from papers.onitama_report.ddpg.steps import PlayState, PlayStats, make_steps
from train.run import Snapshot


class DdpgState(struct.PyTreeNode):
    """All that changes."""

    learners: tuple[Learner, ...]  # for each architecture, those of all seeds
    play: PlayState


class Ddpg:
    """The report's learning system as a `Program`."""

    def __init__(self, config: DdpgConfig):
        """Makes the steps, and the opponents of evaluations.

        Raises:
            ValueError: for settings that do not fit the game.
        """
        self.config = config
        self.env = make_env(config.game, config.env_options)
        self.game_version = self.env.version
        self.steps = make_steps(self.env, config)
        self.opponents = [registry.make_program(x, self.env) for x in config.evaluation.opponents]
        seeds = range(config.seed, config.seed + config.seeds)
        self.names = [f"{name}-seed_{seed}" for name in config.architectures for seed in seeds]
        keys = _learner_keys(config.architectures, seeds)
        self._start_keys, self._keys, self._evaluation_keys = keys[:, 0], keys[:, 1], keys[:, 2]

    def initial_state(self) -> DdpgState:
        """Returns fresh learners and their first games."""
        # On a named device, like the arrays of a checkpoint: so a resumed run compiles nothing new.
        fresh = jax.device_put(self.steps.start(self._start_keys), jax.devices()[0])
        return DdpgState(*fresh)

    def done(self, state: DdpgState, iteration: int) -> int:
        """Returns the least number of games that a learner has ended."""
        del iteration
        return int(min(np.asarray(state.play.episodes).min(), self.config.episodes))

    def iterate(self, state: DdpgState, iteration: int) -> tuple[DdpgState, dict[str, float]]:
        """Plays one iteration; learners that have not reached their last game learn."""
        is_running = np.asarray(state.play.episodes) < self.config.episodes
        started = time.monotonic()
        play_keys, learn_keys = _iteration_keys(self._keys, jnp.int32(iteration))
        actors = tuple(learner.actor for learner in state.learners)
        play, device_stats = self.steps.play(actors, state.play, play_keys)
        stats: PlayStats = jax.device_get(device_stats)
        played = time.monotonic()

        is_learning = is_running & (stats.remembered >= self.config.learner.batch_size)
        learners, losses = self._learn(state.learners, play, is_learning, learn_keys)
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
        return DdpgState(learners, play), numbers

    def _learn(
        self,
        learners: tuple[Learner, ...],
        play: PlayState,
        is_learning: np.ndarray,
        keys: PRNGKeyArray,
    ) -> tuple[tuple[Learner, ...], list[dict[str, float]]]:
        """Makes all gradient steps; returns the learners, and the mean losses of each."""
        metrics: list[list[Any]] = [[] for _ in self.steps.actors]
        after = list(learners)
        # A loop on the host, over a step compiled on its own: see `train/alphazero_learner.py`.
        for number in range(self.config.updates):
            for index in range(len(after)):
                rows = self.steps.rows(index)
                if not is_learning[rows].any():
                    continue
                after[index], step = self.steps.learn(
                    index, after[index], play, is_learning[rows], keys[rows], number
                )
                metrics[index].append(step)
        return tuple(after), [
            {name: float(np.mean([step[name][seed] for step in steps])) for name in steps[0]}
            if steps
            else {}
            for steps in jax.device_get(metrics)
            for seed in range(self.steps.seeds)
        ]

    def evaluate(self, now: Snapshot) -> dict[str, float]:
        """Returns the scores of all actors against the opponents."""
        scores: dict[str, float] = {}
        keys = jax.jit(fold_in)(self._evaluation_keys, jnp.int32(now.iteration))
        for key, (name, network, params) in zip(keys, self._actors(now.state), strict=True):
            player = Player(name, MaskedActor(self.env.rules, network), params)
            for opponent in self.opponents:
                played = match(self.env, (player, opponent), key, self.config.evaluation.games)
                mean = score(np.asarray(played.returns)).mean
                scores[f"evaluation/{name}/{opponent.name}"] = mean
        return scores

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Learning has failed if a loss is not finite."""
        losses = {name: x for name, x in numbers.items() if name.startswith("learner/")}
        wrong = [name for name, loss in losses.items() if not np.isfinite(loss)]
        return f"{wrong[0]} is not finite" if wrong else None

    def split(self, state: DdpgState) -> tuple[Any, Any]:
        """Returns the actors of each architecture, and all other arrays of the run."""
        learners = dict(zip(self.config.architectures, state.learners, strict=True))
        actors = {name: learner.actor for name, learner in learners.items()}
        others = {name: learner.replace(actor=()) for name, learner in learners.items()}
        return actors, {"learners": others, "play": state.play}

    def join(self, params: Any, rest: Any) -> DdpgState:
        """Returns the state that `split` divided."""
        learners = tuple(
            rest["learners"][name].replace(actor=params[name]) for name in self.config.architectures
        )
        return DdpgState(learners, rest["play"])

    def describe(self, iteration: int) -> dict[str, Any]:
        """Returns the description of the actors that is stored beside them."""
        config = self.config
        return {
            "game": config.game,
            "env_options": config.env_options,
            "architectures": list(config.architectures),
            "network": dataclasses.asdict(config.network),
            "iteration": iteration,
        }

    def write_results(self, now: Snapshot) -> None:
        """Writes every actor to a file of its own."""
        options = self.config.env_options
        for name, network, params in self._actors(now.state):
            path = now.directory / "actors" / f"{name}.npz"
            save_actor(path, params, self.env, options, network, now.iteration)

    def closing_lines(self, directory: pathlib.Path) -> tuple[str, str]:
        """Returns where the actors are, and the command of a match with the first one."""
        folder = directory / "actors"
        player = f"ddpg:actor={folder / self.names[0]}.npz"
        return (
            f"actors: {folder}",
            f"match: python -m agents.arena --plugin=papers.onitama_report --game={self.env.id} "
            f"--agents {shlex.quote(player)} random",
        )

    def draw_curves(self, log: pathlib.Path, picture: pathlib.Path) -> None:
        """Draws losses, rates and depths of all learners."""
        plots.plot_curves([log], picture)

    def _actors(self, state: DdpgState) -> Iterator[tuple[str, ActorNetwork, Params]]:
        """Yields name, network and parameters of each learner's actor."""
        for row, name in enumerate(self.names):
            index, seed = divmod(row, self.steps.seeds)
            params = jax.tree.map(lambda x, seed=seed: x[seed], state.learners[index].actor)
            yield name, self.steps.actors[index], params


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
