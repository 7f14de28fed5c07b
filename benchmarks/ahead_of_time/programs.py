"""The device programs of a game, ready to be lowered for devices that may not be there.

Every program is split over the devices of a target as a training splits it: lanes over devices,
parameters on all of them.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding

from benchmarks import rollouts
from configs import presets
from configs.afterstates import AfterstatesConfig
from configs.alphazero import AlphaZeroConfig
from configs.muzero import MuZeroConfig
from jaxgames.internal.devices import AXIS, COPIED, SPLIT, device_key, on_each_device
from jaxgames.networks.network import Network, make_network
from jaxgames.players.registry import make_env
from jaxgames.search.evaluators.network import NetworkEvaluator
from jaxgames.search.tree.gumbel import halving_table
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.side_by_side import SideBySide
from train import selfplay
from train.afterstates.steps import AfterstateSteps
from train.muzero.algorithm import make_muzero
from train.steps import Steps

RANDOM_STEPS = 64
ONE_POSITION_SIMULATIONS = 256  # of a search, as many as `best` makes in Onitama


@dataclasses.dataclass(frozen=True)
class Program:
    """A jitted function with its arguments, or their shapes where the devices are not there."""

    function: Any
    arguments: tuple[Any, ...]
    units: float
    """What one call makes on all devices together, in `unit`."""
    unit: str
    evaluations: float = 0
    """How many positions the network evaluates for it, on all devices together."""


class Programs:
    """The programs of one game with one preset on some devices."""

    def __init__(self, game: str, preset: str, devices: list[Any], batch: int, run: bool = False):
        """Describes the programs.

        Args:
            game: the name of a game.
            preset: of the trainings.
            devices: the devices.
            batch: games that are played at random on each device.
            run: whether the devices are there, so that arguments are arrays instead of shapes.
        """
        self.mesh = Mesh(np.array(devices), (AXIS,), axis_types=(AxisType.Auto,))
        self._run = run
        self._preset = preset
        config = presets.preset("alphazero", game, preset)
        values = presets.preset("afterstates", game, preset)
        dtype = "float32" if devices[0].platform == "cpu" and run else "bfloat16"
        network = dataclasses.replace(config.network, dtype=dtype)
        self._config: AlphaZeroConfig = dataclasses.replace(config, network=network)
        small = dataclasses.replace(values.network, dtype=dtype)
        self._values: AfterstatesConfig = dataclasses.replace(values, network=small)
        self._env = make_env(game, config.env_options)
        self._batch = batch
        self._key = self._argument(lambda: jax.random.key(0), COPIED)

    def make(self, name: str) -> Program:
        """Returns a program by its name, one of `targets.PROGRAMS`."""
        makers: dict[str, Callable[[], Program]] = {
            "init": self._init,
            "step": self._step,
            "random play, lean": lambda: self._random("lean"),
            "random play, full": lambda: self._random("full"),
            "network": self._network,
            "one position": lambda: self._one_position(is_together=False),
            "one position, side by side": lambda: self._one_position(is_together=True),
            "search": lambda: self._decide(self._config.selfplay.lanes, self._config.selfplay),
            "model search": self._model_search,
            "self-play": self._selfplay,
            "learning": self._learning,
            "evaluation": self._evaluation,
            "afterstate play": self._afterstate_play,
            "afterstate learning": self._afterstate_learning,
        }
        return makers[name]()

    def _argument(self, make: Callable[[], Any], spec: Any) -> Any:
        """Returns what `make` returns, laid out over the devices; its shapes if they are absent."""
        sharding = NamedSharding(self.mesh, spec)
        if self._run:
            return jax.jit(make, out_shardings=sharding)()
        return self._described(jax.eval_shape(make), spec)

    def _described(self, tree: Any, spec: Any) -> Any:
        sharding = NamedSharding(self.mesh, spec)
        return jax.tree.map(
            lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding), tree
        )

    def _split(self, function: Callable[..., Any], specs: Any) -> Any:
        """Returns a function that every device runs on its own part, and that returns parts."""
        return jax.jit(on_each_device(function, self.mesh, specs, SPLIT))

    def _states(self, init: Callable[..., Any], count: int) -> Any:
        return self._argument(
            lambda: jax.vmap(init)(jax.random.split(jax.random.key(0), count)), SPLIT
        )

    @property
    def _games(self) -> int:
        return self._batch * self.mesh.size

    def _init(self) -> Program:
        def start(key: Any) -> Any:
            keys = jax.random.split(device_key(key), self._batch)
            return jax.vmap(self._env.init)(keys)

        return Program(self._split(start, (COPIED,)), (self._key,), self._games, "games")

    def _step(self) -> Program:
        def step(states: Any, actions: Any, key: Any) -> Any:
            keys = jax.random.split(device_key(key), self._batch)
            return jax.vmap(self._env.step)(states, actions, keys)

        def legal(key: Any) -> Any:
            sample_key, start_key = jax.random.split(key)
            word = jax.random.bits(sample_key, dtype=jnp.uint32)
            return self._env.rules.sample_action(self._env.rules.init(start_key), word)

        states = self._states(self._env.init, self._games)
        actions = self._states(legal, self._games)
        function = self._split(step, (SPLIT, SPLIT, COPIED))
        return Program(function, (states, actions, self._key), self._games, "steps")

    def _random(self, mode: str) -> Program:
        program = rollouts.own_env(self._env, mode)
        chunk = program.chunk(self._batch, RANDOM_STEPS)

        def play(states: Any, key: Any) -> Any:
            result = chunk(states, device_key(key))
            return jax.tree.map(lambda x: x if x.ndim else x[None], result)

        init = self._env.init if mode == "full" else self._env.rules.init
        function = self._split(play, (SPLIT, COPIED))
        units = self._games * RANDOM_STEPS
        return Program(function, (self._states(init, self._games), self._key), units, "steps")

    def _network(self) -> Program:
        """Describes one evaluation of all lanes of self-play, without observing the positions."""
        lanes = self._config.selfplay.lanes
        network, params = self._network_and_params

        def observed(key: Any) -> Any:
            return self._env.observe_game(self._env.rules.init(key), jnp.int32(0))

        function = self._split(network.apply, (COPIED, SPLIT))
        arguments = (params, self._states(observed, lanes))
        return Program(function, arguments, lanes, "evaluations", evaluations=lanes)

    def _decide(self, games: int, settings: Any) -> Program:
        network, params = self._network_and_params
        evaluator = NetworkEvaluator(self._env.rules, network)
        agent = selfplay.make_search(self._env.rules, evaluator, settings)
        return self._decisions(agent, params, games, settings.simulations)

    def _model_search(self) -> Program:
        config: MuZeroConfig = presets.preset("muzero", self._env.id, self._preset)
        network = dataclasses.replace(config.network, dtype=self._config.network.dtype)
        muzero = make_muzero(self._env, dataclasses.replace(config, network=network))
        params = self._argument(lambda: muzero.init(jax.random.key(0)), COPIED)
        settings = config.selfplay
        agent = muzero.make_search(settings)
        return self._decisions(agent, params, settings.lanes, settings.simulations)

    def _decisions(self, agent: Any, params: Any, games: int, simulations: int) -> Program:
        """Describes one decision in each of some games, at least so many as there are devices."""
        games = -(-games // self.mesh.size) * self.mesh.size

        def decide(params: Any, states: Any, key: Any) -> Any:
            memory = agent.reset(games // self.mesh.size)
            return agent.act(params, memory, states, device_key(key))[0].action

        states = self._states(self._env.rules.init, games)
        function = self._split(decide, (COPIED, SPLIT, COPIED))
        evaluations = games * (1 + simulations)
        return Program(function, (params, states, self._key), games, "decisions", evaluations)

    def _one_position(self, is_together: bool) -> Program:
        """Describes one round of a search in real time, the eighth.

        It makes one simulation, or one of each action that is considered then; counted are as many
        as a round makes on average in a search of so many simulations.
        """
        settings = self._config.selfplay.for_matches(ONE_POSITION_SIMULATIONS)
        network, params = self._network_and_params
        search = selfplay.make_search(
            self._env.rules, NetworkEvaluator(self._env.rules, network), settings
        )
        assert isinstance(search, TreeSearch)
        agent: Any = SideBySide(search) if is_together else search

        def begun(key: Any) -> Any:
            state = jax.tree.map(lambda x: x[None], self._env.rules.init(key))
            return agent.advance(network.init(key), agent.begin((), state, key), 7)

        function = jax.jit(lambda params, run: agent.advance(params, run, 1), donate_argnums=1)
        rounds = ONE_POSITION_SIMULATIONS
        if is_together:
            considered = settings.max_considered
            rounds = halving_table(considered, rounds)[considered].max() + 1
        units = ONE_POSITION_SIMULATIONS / rounds
        run = self._argument(lambda: begun(jax.random.key(0)), COPIED)
        return Program(function, (params, run), units, "simulations", units)

    @functools.cached_property
    def _network_and_params(self) -> tuple[Network, Any]:
        network = make_network(self._env, self._config.network)
        return network, self._argument(lambda: network.init(jax.random.key(0)), COPIED)

    def _evaluation(self) -> Program:
        settings = self._config.evaluation
        search = self._config.selfplay.for_matches(settings.simulations)
        return self._decide(settings.games, search)

    @functools.cached_property
    def _training(self) -> tuple[Steps, Any]:
        steps = Steps(self._env, self._config, self.mesh)
        specs = {"params": COPIED, "opt_state": COPIED, "replay": SPLIT, "lanes": SPLIT}
        return steps, self._state(steps, specs)

    def _state(self, steps: Any, specs: dict[str, Any]) -> Any:
        """Returns the state before a training; the shapes of some fields if devices are absent."""
        if self._run:
            return steps.initial_state(self._key)
        state = jax.eval_shape(steps.initial_state, self._key)
        described = {
            name: self._described(getattr(state, name), spec) for name, spec in specs.items()
        }
        return state.replace(**described)

    def _selfplay(self) -> Program:
        steps, state = self._training
        arguments = (state.params, state.lanes, state.replay, self._key)
        settings = self._config.selfplay
        units = settings.lanes * settings.plies
        evaluations = units * (1 + settings.simulations)
        return Program(steps.selfplay, arguments, units, "positions", evaluations)

    def _learning(self) -> Program:
        steps, state = self._training
        settings = self._config.learner
        if self._run and steps.on_cpu:  # where the loop over the updates is on the host
            batch = steps.sample(state.replay, self._key)
            taken = (state.params, state.opt_state, batch)
            return Program(steps.learn, taken, settings.batch_size, "positions")
        arguments = (state.params, state.opt_state, state.replay, self._key)
        units = settings.updates * settings.batch_size
        return Program(steps.learn_in_one_loop, arguments, units, "positions")

    @functools.cached_property
    def _afterstate_training(self) -> tuple[AfterstateSteps, Any, Any]:
        steps = AfterstateSteps(self._env, self._values, self.mesh)
        specs = {"params": COPIED, "opt_state": COPIED, "past": COPIED, "lanes": SPLIT}
        state = self._state(steps, specs | {"window": jax.P(None, None, AXIS)})
        return steps, state, self._argument(lambda: jnp.int32(0), COPIED)

    def _afterstate_play(self) -> Program:
        steps, state, number = self._afterstate_training
        arguments = (state.params, state.past, state.lanes, state.window, number, self._key)
        units = self._values.play.lanes * self._values.play.plies
        return Program(steps.play, arguments, units, "plies")

    def _afterstate_learning(self) -> Program:
        steps, state, number = self._afterstate_training
        arguments = (state.params, state.opt_state, state.window, number, self._key)
        units = self._values.learner.updates * self._values.learner.batch_size
        return Program(steps.learn, arguments, units, "afterstates")
