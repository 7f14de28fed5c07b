"""A run of afterstate learning: play, learn, evaluate, checkpoint, again (`train/session.py`)."""

import pathlib
import time
from typing import Any

import jax
import jax.numpy as jnp

from configs.afterstates import AfterstatesConfig
from jaxgames import Env
from jaxgames.internal import devices
from jaxgames.networks import network_files
from jaxgames.players.afterstate import PLAYS_AS, fitted, make_player
from jaxgames.players.registry import make_env
from jaxgames.players.stored_networks import load_network
from jaxgames.search.agent import Params
from train import network_session
from train.afterstates.steps import Steps, summarise
from train.evaluation import Matches


class Afterstates(network_session.NetworkSession):
    """A run of `python -m train.afterstates`."""

    def __init__(self, config: AfterstatesConfig):
        """Opens the run, and goes on from its newest checkpoint if there is one.

        Raises:
            ValueError: for settings that do not fit the game, the devices or the folder's run.
            OSError: if a folder cannot be written.
        """
        self.config, matches = config, config.evaluation
        env = make_env(config.game, config.env_options)
        self.steps = Steps(env, config, devices.make_mesh())
        player = make_player(env, self.steps.network, width=config.play.width)
        self.evaluation = Matches(
            env, {"afterstate": player}, matches.opponents, matches.games, matches.saved_games
        )
        start = None if config.start is None else self._start_from(env, config.start)
        super().__init__(config, matches, env)
        self.state = self.steps.initial_state(self.keys.start, start)
        self.restore()

    def _start_from(self, env: Env[Any], source: str) -> Params:
        network, params = fitted(env, *load_network(source), source)
        if network.config != self.config.network:
            raise ValueError(
                f"start={source} has a network of {network.config}, asked for {self.config.network}"
            )
        return params

    def arrays(self) -> tuple[Any, Any]:
        """Returns the parameters; and the optimizer, the window and the games in progress."""
        return self.state.params, self.state.replace(params=None)

    def set_arrays(self, params: Any, rest: Any) -> None:
        """Takes back what `arrays` returned."""
        self.state = rest.replace(params=params)

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
    def params(self) -> Params:
        """The parameters, on the devices."""
        return self.state.params

    def player(self, path: pathlib.Path) -> str:
        """Returns the player with the network of a file."""
        return f"afterstate:network={path}"
