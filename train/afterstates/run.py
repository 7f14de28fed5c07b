"""Afterstate learning: play, learn, evaluate, checkpoint, again (`train/run.py` loops)."""

import pathlib
import time
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from configs.afterstates import AfterstatesConfig
from jaxgames import Env
from jaxgames.internal import compilation_cache, devices
from jaxgames.internal.messages import title
from jaxgames.networks import network_files
from jaxgames.players.afterstate import PLAYS_AS, make_player
from jaxgames.players.registry import make_env
from train import start
from train.afterstates import seats
from train.afterstates.steps import AfterstateState, AfterstateSteps, summarise
from train.evaluation import Matches
from train.network_program import NetworkProgram


class AfterstateLearner:
    """TD(lambda) on values of afterstates as a `NetworkLearner`."""

    def __init__(self, env: Env[Any], config: AfterstatesConfig):
        """Makes the steps, and the opponents of evaluations.

        Raises:
            ValueError: for settings that do not fit the game or the devices.
        """
        self.env, self.config, matches = env, config, config.evaluation
        self.steps = AfterstateSteps(env, config, devices.make_mesh())
        player = make_player(env, self.steps.network, width=config.play.width)
        self.matches = Matches(
            env, {"afterstate": player}, matches.opponents, matches.games, matches.saved_games
        )
        self._start = start.of_run(env, config, self.steps.network.init, self._adapt)

    def _adapt(self, params: Any, meta: Mapping[str, Any]) -> tuple[Any, list[str]]:
        of_seat = self.steps.network.domain.num_seat_features
        return seats.with_more_seats(params, meta, self.env, of_seat)

    def initial_state(self, key: PRNGKeyArray) -> AfterstateState:
        """Returns the state before the first iteration."""
        return self.steps.initial_state(key, self._start)

    def split(self, state: AfterstateState) -> tuple[Any, Any]:
        """Returns the parameters; and the optimizer, the window and the games in progress."""
        return state.params, state.replace(params=None)

    def join(self, params: Any, rest: Any) -> AfterstateState:
        """Returns the state that `split` divided."""
        state: AfterstateState = rest.replace(params=params)
        return state

    def describe(self, iteration: int) -> dict[str, Any]:
        """Returns what agents must know of the network."""
        config = self.config
        about = network_files.describe(self.env, config.env_options, config.network, iteration)
        return about | {"plays_as": PLAYS_AS}

    def iterate(
        self, state: AfterstateState, iteration: int, key: PRNGKeyArray
    ) -> tuple[AfterstateState, dict[str, float]]:
        """Plays in all lanes, then learns."""
        play_key, learn_key = jax.random.split(key)
        number, steps = jnp.int32(iteration), self.steps
        started = time.monotonic()
        with compilation_cache.purpose(f"self-play of {title(self.env.id)}"):
            lanes, window, stats = steps.play(
                state.params, state.past, state.lanes, state.window, number, play_key
            )
        numbers = summarise(stats, self.env.rules)
        played = time.monotonic()
        with compilation_cache.purpose(f"gradient steps of {title(self.env.id)}"):
            params, opt_state, learned = steps.learn(
                state.params, state.opt_state, window, number, learn_key
            )
        numbers |= {name: float(value) for name, value in jax.device_get(learned).items()}
        ended = time.monotonic()
        state = state.replace(params=params, opt_state=opt_state, window=window, lanes=lanes)
        if (iteration + 1) % self.config.play.past_every == 0:
            state = steps.with_past(state, iteration + 1)
        numbers["time/actions_per_second"] = numbers["selfplay/actions"] / (ended - started)
        numbers["time/selfplay_seconds"] = played - started
        numbers["time/learner_seconds"] = ended - played
        return state, numbers

    def player(self, path: pathlib.Path) -> str:
        """Returns the player with the network of a file."""
        return f"afterstate:network={path}"


def make_program(config: AfterstatesConfig) -> NetworkProgram:
    """Returns the training of afterstate values.

    Raises:
        ValueError: for settings that do not fit the game or the devices.
    """
    env = make_env(config.game, config.env_options)
    return NetworkProgram(AfterstateLearner(env, config), config)
