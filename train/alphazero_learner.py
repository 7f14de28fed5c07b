"""Gumbel AlphaZero: self-play, learning, evaluation, checkpoint, again (`run.py` loops).

In self-play a search that the network guides chooses the moves. The network learns the policies of
the search and the outcomes of the games. One iteration is a few compiled calls (`steps.py`).
"""

import pathlib
import time
from collections.abc import Callable
from typing import Any

import jax
from jaxtyping import PRNGKeyArray

from configs.alphazero import AlphaZeroConfig, SelfPlayConfig
from jaxgames import Env
from jaxgames.internal import compilation_cache, devices
from jaxgames.internal.messages import title
from jaxgames.networks import network_files
from jaxgames.players.registry import make_env
from train import start
from train.algorithm import Algorithm, make_alphazero
from train.evaluation import network_matches
from train.network_program import NetworkProgram
from train.steps import Play, Steps, TrainState, summarise


class AlphaZero:
    """Gumbel AlphaZero as a `NetworkLearner`, or another algorithm in its place."""

    def __init__(self, env: Env[Any], config: AlphaZeroConfig, algorithm: Algorithm):
        """Makes the steps, and the opponents of evaluations.

        Raises:
            ValueError: for settings that do not fit the game or the devices.
        """
        self.env, self.config = env, config
        self.steps = Steps(env, config, devices.make_mesh(), algorithm)
        self.matches = network_matches(env, algorithm, config)
        self._start = start.of_run(env, config, algorithm.init)

    def initial_state(self, key: PRNGKeyArray) -> TrainState:
        """Returns the state before the first iteration."""
        return self.steps.initial_state(key, self._start)

    def iterate(
        self, state: TrainState, iteration: int, key: PRNGKeyArray
    ) -> tuple[TrainState, dict[str, float]]:
        """Plays, with the teacher or against the opponent if there is one, and learns."""
        play = self.steps.play_with_others(iteration)
        return run_iteration(self.steps, self.config, state, key, play)

    def split(self, state: TrainState) -> tuple[Any, Any]:
        """Returns the parameters; and the optimizer, the replay and the games in progress."""
        rest = {"opt_state": state.opt_state, "replay": state.replay, "lanes": state.lanes}
        return state.params, rest

    def join(self, params: Any, rest: Any) -> TrainState:
        """Returns the state that `split` divided."""
        return TrainState(params=params, **rest)

    def describe(self, iteration: int) -> dict[str, Any]:
        """Returns the description of the network that agents need."""
        config = self.config
        about = network_files.describe(self.env, config.env_options, config.network, iteration)
        return {**about, **self.steps.algorithm.about}

    def player(self, path: pathlib.Path) -> str:
        """Returns the search that was trained, without noise, with the network of a file."""
        return search_spec(self.config.selfplay, path)


def make_program(
    config: AlphaZeroConfig,
    make_algorithm: Callable[[Env[Any], Any], Algorithm] = make_alphazero,
) -> NetworkProgram:
    """Returns the training of AlphaZero, or of another algorithm by self-play.

    Raises:
        ValueError: for settings that do not fit the game or the devices.
    """
    env = make_env(config.game, config.env_options)
    return NetworkProgram(AlphaZero(env, config, make_algorithm(env, config)), config)


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
        play: how games with a teacher or against an opponent are played, in which nothing is
            reanalysed; None: by self-play.
    """
    play_key, learn_key = jax.random.split(key)
    started = time.monotonic()
    with compilation_cache.purpose(f"self-play of {title(config.game)}"):
        lanes, replay, stats = (play or steps.selfplay)(
            state.params, state.lanes, state.replay, play_key
        )
    jax.block_until_ready(stats)
    played = time.monotonic()
    if config.reanalysed_plies and play is None:
        # The keys of smaller numbers are for the gradient steps.
        renew_key = jax.random.fold_in(learn_key, config.learner.updates)
        with compilation_cache.purpose(f"new searches of past games of {title(config.game)}"):
            replay = steps.wait(steps.reanalyse(state.params, replay, renew_key))
    with compilation_cache.purpose(f"gradient steps of {title(config.game)}"):
        params, opt_state, learned = steps.learn_all(
            state.params, state.opt_state, replay, learn_key
        )
    learned = jax.device_get(learned)
    ended = time.monotonic()

    positions = config.selfplay.lanes * config.selfplay.plies
    numbers = summarise(stats, positions, steps.roles)
    numbers |= {name: float(number) for name, number in learned.items()}
    numbers["time/positions_per_second"] = positions / (ended - started)
    numbers["time/selfplay_seconds"] = played - started
    numbers["time/learner_seconds"] = ended - played
    return TrainState(params, opt_state, replay, lanes), numbers
