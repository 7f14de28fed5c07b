"""The compiled pieces of an iteration of afterstate learning, for any number of devices."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jaxtyping import Array, Int32, PRNGKeyArray

from configs.afterstates import AfterstatesConfig, PlayConfig
from jaxgames import Env, Rules
from jaxgames.internal import devices, jax_modes
from jaxgames.internal.devices import COPIED, SPLIT
from jaxgames.players import registry
from jaxgames.players.afterstate import make_network, make_player
from jaxgames.search.agent import Agent, Params
from train import parallel
from train.afterstates import learner, play
from train.afterstates.play import AfterstateLanes, Afterstates, Group, LanePlayers
from train.learner import Metrics

MOST_PAST = 8  # earlier networks that are kept
_OF_WINDOW = P(None, None, devices.AXIS)  # iterations, plies, lanes


class AfterstateState(struct.PyTreeNode):
    """Everything that changes. The key of an iteration follows from the seed and its number."""

    params: Params
    opt_state: optax.OptState
    window: Afterstates
    """The newest iterations of play: `[window, plies, lanes, ...]`, a ring."""
    lanes: AfterstateLanes
    past: Params
    """Earlier parameters, a ring with a leading axis of `MOST_PAST`."""


class PlayStats(NamedTuple):
    """Counts of one device, one entry each; summed on the host."""

    actions: Any
    games: Any
    plies_of_games: Any
    wins_of_seat_0: Any
    decided: Any
    points: Any
    """The points of all seats in games that ended by their rules; zero in games without points."""


class AfterstateSteps:
    """The compiled functions of one run.

    Raises:
        ValueError: if lanes or batch cannot be split over the devices, or an opponent cannot play.
    """

    def __init__(self, env: Env[Any], config: AfterstatesConfig, mesh: Mesh):
        """Describes the steps; each compiles at its first call."""
        self._rules, self._config, self._mesh = env.rules, config, mesh
        self.network = make_network(env, config.network)
        newest = make_player(env, self.network, noise=config.play.noise, width=config.play.width)
        self._lanes = parallel.check_divisible("play.lanes", config.play.lanes, mesh)
        self._batch = parallel.check_divisible(
            "learner.batch_size", config.learner.batch_size, mesh
        )
        groups, self._others = self._make_groups(env, newest)
        self._players = LanePlayers(self.network, newest, groups)
        # A function of its own is traced once, for the shapes of its record and for play.
        self._play_plies = jax.jit(self._plies)
        self._optimizer = learner.make_optimizer(config.learner)
        self.play = jax.jit(
            devices.on_each_device(
                self._play,
                mesh,
                (COPIED, COPIED, SPLIT, _OF_WINDOW, COPIED, COPIED),
                (SPLIT, _OF_WINDOW, SPLIT),
            ),
            donate_argnums=(2, 3),
        )
        self.learn = jax.jit(
            devices.on_each_device(
                self._learn,
                mesh,
                (COPIED, COPIED, _OF_WINDOW, COPIED, COPIED),
                (COPIED, COPIED, COPIED),
            ),
            donate_argnums=(0, 1),
        )

    def _make_groups(
        self, env: Env[Any], newest: Agent
    ) -> tuple[tuple[Group, ...], tuple[Params, ...]]:
        """Returns who plays beside the newest network, and the parameters of those who have some.

        The first group is that of earlier networks, if there is one.

        Raises:
            ValueError: if an opponent is unknown or cannot play the game, or a share of the games
                of a device is no whole game for each player that it is for.
        """
        settings = self._config.play
        num_past, num_others = divide_lanes(settings, self._lanes)
        groups, others, start = [], [], 0
        if num_past:
            groups.append(Group(newest, slice(0, num_past)))
            start = num_past
        for number, spec in enumerate(settings.opponents):
            stop = num_past + num_others * (number + 1) // len(settings.opponents)
            opponent = registry.make_program(spec, env)
            groups.append(Group(opponent.agent, slice(start, stop)))
            others.append(opponent.params)
            start = stop
        return tuple(groups), tuple(others)

    @property
    def _plays_past(self) -> bool:
        return len(self._players.groups) > len(self._others)

    def initial_state(self, key: PRNGKeyArray, params: Params | None = None) -> AfterstateState:
        """Returns the state before the first iteration, with fresh parameters or given ones."""
        params_key, lanes_key = jax.random.split(key)
        copied = parallel.replicated(self._mesh)
        if params is None:
            params = jax.jit(jax_modes.standard(self.network.init), out_shardings=copied)(
                params_key
            )
        else:
            params = jax.device_put(params, copied)
        opt_state = jax.jit(self._optimizer.init, out_shardings=copied)(params)
        past = jax.jit(
            lambda tree: jax.tree.map(lambda x: jnp.stack([x] * MOST_PAST), tree),
            out_shardings=copied,
        )(params)
        start = devices.on_each_device(
            self._start, self._mesh, (COPIED, COPIED), (SPLIT, _OF_WINDOW)
        )
        lanes, window = jax.jit(start)(params, lanes_key)
        return AfterstateState(params, opt_state, window, lanes, past)

    def with_past(self, state: AfterstateState, iteration: int) -> AfterstateState:
        """Returns the state with the newest parameters among the earlier ones."""
        place = iteration // self._config.play.past_every % MOST_PAST
        past = jax.jit(_put)(state.past, state.params, jnp.int32(place))
        return state.replace(past=past)

    def _start(self, params: Params, key: PRNGKeyArray) -> tuple[AfterstateLanes, Afterstates]:
        lanes = play.start_lanes(self._players, self._lanes, devices.device_key(key))
        others = (params, *self._others) if self._plays_past else self._others

        record = jax.eval_shape(self._play_plies, params, others, lanes, key)[1]
        size = self._config.learner.window
        return lanes, jax.tree.map(lambda x: jnp.zeros((size, *x.shape), x.dtype), record)

    def _plies(
        self, params: Params, others: tuple[Params, ...], lanes: AfterstateLanes, key: PRNGKeyArray
    ) -> tuple[AfterstateLanes, Afterstates]:
        keys = jax.random.split(key, self._config.play.plies)
        one_ply = functools.partial(play.play_ply, self._players, params, others)
        return jax.lax.scan(one_ply, lanes, keys)

    def _play(
        self,
        params: Params,
        past: Params,
        lanes: AfterstateLanes,
        window: Afterstates,
        iteration: Int32[Array, ""],
        key: PRNGKeyArray,
    ) -> tuple[AfterstateLanes, Afterstates, PlayStats]:
        """Plays one iteration and writes it over the oldest one of the window."""
        others = self._others
        if self._plays_past:
            filled = jnp.clip(iteration // self._config.play.past_every + 1, 1, MOST_PAST)
            which = jax.random.randint(jax.random.fold_in(key, 0), (), 0, filled)
            others = (jax.tree.map(lambda x: x[which], past), *others)
        lanes, record = self._play_plies(params, others, lanes, devices.device_key(key))
        place = iteration % self._config.learner.window
        return lanes, _put(window, record, place), self._stats(record)

    def _stats(self, record: Afterstates) -> PlayStats:
        players = self._rules.num_players
        values = record.outcome[..., :players]
        points = record.outcome[..., players:].sum(axis=-1) * self.network.domain.points_unit
        won = record.decided & (values[..., 0] >= values.max(axis=-1))
        return PlayStats(
            actions=record.is_action.sum()[None],
            games=record.ended.sum()[None],
            plies_of_games=jnp.where(record.ended, record.length, 0).sum()[None],
            wins_of_seat_0=(won & (values[..., 0] > values.min(axis=-1))).sum()[None],
            decided=record.decided.sum()[None],
            points=(record.decided * points).sum()[None],
        )

    def _learn(
        self,
        params: Params,
        opt_state: optax.OptState,
        window: Afterstates,
        iteration: Int32[Array, ""],
        key: PRNGKeyArray,
    ) -> tuple[Params, optax.OptState, Metrics]:
        settings = self._config.learner
        return learner.learn(
            self.network,
            self._optimizer,
            settings,
            params,
            opt_state,
            window,
            jnp.minimum(iteration + 1, settings.window),
            learner.learning_rate(settings, iteration),
            devices.device_key(key),
            self._batch,
        )


def _put(ring: Any, entry: Any, place: Int32[Array, ""]) -> Any:
    """Returns a ring of pytrees with one entry written."""
    return jax.tree.map(
        lambda x, new: jax.lax.dynamic_update_index_in_dim(x, new, place, 0), ring, entry
    )


def summarise(stats: PlayStats, rules: Rules[Any]) -> dict[str, float]:
    """Returns the metrics of one iteration of play over all devices of all processes."""
    total = jax.tree.map(lambda leaf: np.sum(parallel.to_host(leaf), axis=0), stats)
    games = max(int(total.games), 1)
    numbers = {
        "selfplay/actions": float(total.actions),
        "selfplay/games": float(total.games),
        "selfplay/game_length": float(total.plies_of_games / games),
        "selfplay/seat_0_win_rate": float(total.wins_of_seat_0 / games),
    }
    if rules.counts_points:
        seats = max(int(total.decided), 1) * rules.num_players
        numbers["selfplay/points"] = float(total.points / seats)
    return numbers


def divide_lanes(settings: PlayConfig, lanes: int) -> tuple[int, int]:
    """Returns the games of a device against earlier networks, and those against opponents.

    Raises:
        ValueError: if one of these players is left without a game.
    """
    num_past = round(settings.past_share * lanes)
    num_others = min(round(settings.opponent_share * lanes), lanes - num_past)
    for name, games, players in (
        ("past_share", num_past, 1),
        ("opponent_share", num_others, len(settings.opponents)),
    ):
        share = getattr(settings, name)
        if share > 0 and games < players:
            whom = f"each of its {players} players a game" if players > 1 else "a game"
            raise ValueError(
                f"play.{name} must give {whom} on each device, at least {players / lanes:.3g} of "
                f"its {lanes} games, beside the other share; got {share}"
            )
    return num_past, num_others
