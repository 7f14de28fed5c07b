"""Gumbel AlphaZero: self-play, learning, evaluation, checkpoint, again (`session.py` loops).

In self-play a search that the network guides chooses the moves. The network learns the policies of
the search and the outcomes of the games. One iteration is a few compiled calls (`steps.py`).
"""

import pathlib
import time
from typing import Any

import jax

from configs.alphazero import AlphaZeroConfig, SelfPlayConfig
from jaxgames import Env
from jaxgames.internal import devices
from jaxgames.networks import network_files
from jaxgames.players.registry import make_env
from jaxgames.search.agent import Params
from train import network_session
from train.algorithm import Algorithm, make_alphazero
from train.evaluation import Evaluation
from train.steps import Play, Steps, TrainState, summarise


class AlphaZero(network_session.NetworkSession):
    """A run of Gumbel AlphaZero; with another algorithm in its place, the run of that one."""

    def __init__(self, config: AlphaZeroConfig):
        """Opens the run, and goes on from its newest checkpoint if there is one.

        Raises:
            ValueError: for settings that do not fit the game, the devices or the folder's run.
            OSError: if a folder cannot be written.
        """
        self.config = config
        env = make_env(config.game, config.env_options)
        algorithm = self.make_algorithm(env)
        self.steps = Steps(env, config, devices.make_mesh(), algorithm)
        self.evaluation = Evaluation(env, algorithm, config)
        super().__init__(config, config.evaluation, env)
        self.state = self.steps.initial_state(self.keys.start)
        self.restore()

    def make_algorithm(self, env: Env[Any]) -> Algorithm:
        """Returns what is learned.

        Raises:
            ValueError: for settings that do not fit the game.
        """
        return make_alphazero(env, self.config)

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
        play = self.steps.play_with_teacher(self.iteration)
        self.state, numbers = run_iteration(self.steps, self.config, self.state, key, play)
        return numbers

    @property
    def params(self) -> Params:
        """The parameters, on the devices."""
        return self.state.params

    def player(self, path: pathlib.Path) -> str:
        """Returns the search that was trained, without noise, with the network of a file."""
        return search_spec(self.config.selfplay, path)


def search_spec(settings: SelfPlayConfig, path: pathlib.Path) -> str:
    """Returns the spec of the agent with the search of self-play, as matches use it.

    It has no noise and keeps no tree between moves (`SelfPlayConfig.for_matches`). Settings that
    have the default of the agent are left out. The reference `mctx` makes the same decisions as
    `gumbel` more slowly, so it is not named.
    """
    name = "gumbel"
    options: dict[str, Any] = {}
    if settings.search == "puct":
        name = "puct"
        if settings.c_init != SelfPlayConfig.c_init:
            options["c_init"] = settings.c_init
    else:
        if settings.max_considered != SelfPlayConfig.max_considered:
            options["max_considered"] = settings.max_considered
        if not settings.rescale_values:
            options["rescale_values"] = "false"
    if settings.max_children is not None:
        options["max_children"] = settings.max_children
    more = "".join(f",{option}={value}" for option, value in options.items())
    return f"{name}:network={path},simulations={settings.simulations}{more}"


def run_iteration(
    steps: Steps,
    config: AlphaZeroConfig,
    state: TrainState,
    key: jax.Array,
    play: Play | None = None,
) -> tuple[TrainState, dict[str, float]]:
    """Plays, then takes gradient steps; returns the new state and the metrics.

    Args:
        steps: the compiled pieces.
        config: the settings.
        state: the state before.
        key: of all chance.
        play: how a teacher's games are played, in which nothing is reanalysed; None: by self-play.
    """
    play_key, learn_key = jax.random.split(key)
    started = time.monotonic()
    lanes, replay, stats = (play or steps.selfplay)(
        state.params, state.lanes, state.replay, play_key
    )
    jax.block_until_ready(stats)
    played = time.monotonic()
    if config.reanalysed_plies and play is None:
        # The keys of smaller numbers are for the gradient steps.
        renew_key = jax.random.fold_in(learn_key, config.learner.updates)
        replay = steps.wait(steps.reanalyse(state.params, replay, renew_key))
    params, opt_state, learned = steps.learn_all(state.params, state.opt_state, replay, learn_key)
    learned = jax.device_get(learned)
    ended = time.monotonic()

    positions = config.selfplay.lanes * config.selfplay.plies
    numbers = summarise(stats, positions, steps.roles)
    numbers |= {name: float(number) for name, number in learned.items()}
    numbers["time/positions_per_second"] = positions / (ended - started)
    numbers["time/selfplay_seconds"] = played - started
    numbers["time/learner_seconds"] = ended - played
    return TrainState(params, opt_state, replay, lanes), numbers
