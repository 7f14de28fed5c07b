"""A run of afterstate learning: play, learn, evaluate, checkpoint, again (`train/session.py`)."""

import shlex
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from agents import registry
from agents.arena.match import match
from agents.arena.statistics import score
from agents.games import registry as games
from agents.player import Player
from agents.players.afterstate import PLAYS_AS, fitted, make_player
from agents.players.stored_networks import load_network
from agents.registry import make_env
from configs.afterstates import AfterstatesConfig
from jaxgames.networks import network_files
from train import parallel, plots, session
from train.afterstates.steps import Steps, summarise


class Keys(NamedTuple):
    """The independent sources of random numbers of a run."""

    start: Any
    iterations: Any
    evaluations: Any


class Afterstates(session.Session):
    """A run of `python -m train.afterstates`."""

    def __init__(self, config: AfterstatesConfig):
        """Opens the run, and goes on from its newest checkpoint if there is one.

        Raises:
            ValueError: for settings that do not fit the game, the devices or the folder's run.
            OSError: if a folder cannot be written.
        """
        self.config = config
        self.env = make_env(config.game, config.env_options)
        self.steps = Steps(self.env, config, parallel.make_mesh())
        self._opponents = [registry.make(spec, self.env) for spec in config.evaluation.opponents]
        self._player = make_player(self.env, self.steps.network, width=config.play.width)
        start = None if config.start is None else self._start_from(config.start)
        if config.export is not None:
            network_files.check_target(config.export)
        super().__init__(config, self.env.version)
        self.keys = Keys(*jax.random.split(jax.random.key(config.seed), 3))
        self.state = self.steps.initial_state(self.keys.start, start)
        self.restore()

    def _start_from(self, source: str) -> Any:
        network, params = fitted(self.env, *load_network(source), source)
        if network.config != self.config.network:
            raise ValueError(
                f"start={source} has a network of {network.config}, asked for {self.config.network}"
            )
        return params

    @property
    def goal(self) -> int:
        """Iterations in total."""
        return self.config.iterations

    def arrays(self) -> tuple[Any, Any]:
        """Returns the parameters; and the optimizer, the window and the games in progress."""
        rest = self.state.replace(params=None)
        # Orbax stores no arrays without elements, such as the memory of players without one.
        return self.state.params, jax.tree.map(lambda x: x if x.size else None, rest)

    def set_arrays(self, params: Any, rest: Any) -> None:
        """Takes back what `arrays` returned."""
        present, structure = jax.tree.flatten(self.state.replace(params=None))
        restored = iter(jax.tree.leaves(rest))
        leaves = [next(restored) if leaf.size else leaf for leaf in present]
        self.state = jax.tree.unflatten(structure, leaves).replace(params=params)

    def describe(self) -> dict[str, Any]:
        """Returns what agents must know of the network."""
        config = self.config
        about = network_files.describe(self.env, config.env_options, config.network, self.iteration)
        return about | {"plays_as": PLAYS_AS}

    def iterate(self) -> dict[str, float]:
        """Plays in all lanes, then learns."""
        key = jax.random.fold_in(self.keys.iterations, self.iteration)
        play_key, learn_key = jax.random.split(key)
        number, steps, state = jnp.int32(self.iteration), self.steps, self.state
        started = time.monotonic()
        lanes, window, stats = steps.play(
            state.params, state.past, state.lanes, state.window, number, play_key
        )
        numbers = summarise(stats, self.env.rules)
        played = time.monotonic()
        params, opt_state, learned = steps.learn(
            state.params, state.opt_state, window, number, learn_key
        )
        numbers |= {name: float(value) for name, value in jax.device_get(learned).items()}
        ended = time.monotonic()
        self.state = state.replace(params=params, opt_state=opt_state, window=window, lanes=lanes)
        if (self.iteration + 1) % self.config.play.past_every == 0:
            self.state = steps.with_past(self.state, self.iteration + 1)
        numbers["time/actions_per_second"] = numbers["selfplay/actions"] / (ended - started)
        numbers["time/selfplay_seconds"] = played - started
        numbers["time/learner_seconds"] = ended - played
        return numbers

    @property
    def evaluate_every(self) -> int:
        """Iterations between evaluations."""
        return self.config.evaluation.every

    def evaluate(self) -> dict[str, float]:
        """Returns the scores and, in games that count points, the points against the opponents."""
        params = parallel.to_host(self.state.params)
        key = jax.random.fold_in(self.keys.evaluations, self.iteration)
        seats, numbers = self.env.num_players, {}
        count = -(-self.config.evaluation.games // seats) * seats
        for index, opponent in enumerate(self._opponents):
            players = Player("afterstate", self._player, params), *[opponent] * (seats - 1)
            result = match(self.env, players, jax.random.fold_in(key, index), count)
            against = f"afterstate/{opponent.name}"
            numbers[f"evaluation/{against}"] = score(np.asarray(result.returns)).mean
            if result.points is not None:
                points = np.asarray(result.points)
                numbers[f"points/{against}"] = float(points[:, 0].mean())
                numbers[f"points/of_opponent/{against}"] = float(points[:, 1:].mean())
        return numbers

    def problem(self, numbers: dict[str, float]) -> str | None:
        """Learning has failed if the loss or its gradient is not finite."""
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
        """Returns where the network is, and the command of a match with it."""
        path, config = self.directory / "network.npz", self.config
        plugin = games.game_agents(config.game).plugin
        plugin_option = f" --plugin={plugin}" if plugin else ""
        options = f" --env-options={shlex.quote(config.env_options)}" if config.env_options else ""
        opponent = config.evaluation.opponents[0] if config.evaluation.opponents else "random"
        return (
            f"network: {path}",
            f"match: python -m agents.arena{plugin_option} --game={config.game}{options} "
            f"--agents {shlex.quote(f'afterstate:network={path}')} {shlex.quote(opponent)}",
        )

    def draw_curves(self, log: Any, picture: Any) -> None:
        """Draws scores, losses, game lengths and speed."""
        plots.plot_learning_curve(log, picture)
