"""The compiled pieces of an iteration, for any number of devices.

Self-play, replay and sampling run on each device by itself: a device owns its lanes, its part of
the replay and its random numbers. Only the gradient step sees the global batch.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jax.sharding import Mesh
from jaxtyping import Array, PRNGKeyArray

from configs.alphazero import AlphaZeroConfig
from jaxgames import Env, Rules
from jaxgames.internal import compilation_cache, devices, jax_modes
from jaxgames.internal.devices import COPIED, SPLIT
from jaxgames.players import registry
from jaxgames.search.agent import Agent, Params
from train import (
    against,
    learner,
    parallel,
    reanalyse,
    replay,
    selfplay,
    solved,
    starts,
    targets,
)
from train.against import Against, AgainstParams
from train.algorithm import Algorithm, Batch, make_alphazero
from train.learner import Metrics
from train.metrics import mean_points
from train.replay import Replay
from train.selfplay import Lanes
from train.targets import Samples
from train.teacher import Taught, TaughtParams, share_of_moves

Play = Callable[[Params, Lanes, Replay, PRNGKeyArray], tuple[Lanes, Replay, "SelfPlayStats"]]


class TrainState(struct.PyTreeNode):
    """Everything that changes. The key of an iteration follows from the seed and its number."""

    params: Params
    opt_state: optax.OptState
    replay: Replay
    lanes: Lanes


class SelfPlayStats(NamedTuple):
    """Counts of one device, one entry each; summed on the host."""

    games: Any
    plies_of_games: Any
    draws: Any
    wins_of_seat_0: Any
    known_outcomes: Any
    # In games that count points, by role: seats that ended a game, and their points.
    seats: Any = None
    points: Any = None
    # In games against an opponent: the learner's score.
    score: Any = None


class Steps:
    """The compiled functions of one run.

    Raises:
        ValueError: if lanes, batch or replay cannot be split over the devices, if positions to
            start from cannot be read, or if the game has no endgames or solved positions.
    """

    def __init__(
        self,
        env: Env,
        config: AlphaZeroConfig,
        mesh: Mesh,
        algorithm: Algorithm | None = None,
    ):
        """Describes the steps; each compiles at its first call.

        Args:
            env: the game.
            config: the settings.
            mesh: the devices.
            algorithm: what is learned; None: what AlphaZero learns.
        """
        self._rules = env.rules
        self._config = config
        self._mesh = mesh
        self.on_cpu = mesh.devices.flat[0].platform == "cpu"
        self.algorithm: Algorithm = make_alphazero(env, config) if algorithm is None else algorithm
        self.roles = env.rules.roles
        self._lanes = parallel.check_divisible("selfplay.lanes", config.selfplay.lanes, mesh)
        self._batch = parallel.check_divisible(
            "learner.batch_size", config.learner.batch_size, mesh
        )
        self._capacity = config.replay_capacity // mesh.size
        self._agent = self.algorithm.make_search(config.selfplay)
        self._solved = solved.load(env, config.seed) if config.replay.solved > 0 else None
        given = config.selfplay.starts
        self._starts = None if given is None else starts.load(env, given, config.seed)
        self._against: Against | None = None
        self._opponent_params: Params = ()
        if config.selfplay.opponent is not None:
            against.check(env, self._lanes)
            opponent = registry.make_program(config.selfplay.opponent, env)
            evaluator = self.algorithm.evaluator
            self._against = Against(env.rules, self._agent, evaluator, opponent.agent)
            self._opponent_params = opponent.params
        # A function of its own is traced once, for the shapes of its record and for self-play.
        self._player: Agent = self._against or self._agent
        self._play_games = jax.jit(functools.partial(self._play, self._player))
        self._optimizer = learner.make_optimizer(config.learner)
        self._teacher_params: Params = ()
        self._taught: Taught | None = None
        if config.teacher is not None:
            teacher = registry.make_program(config.teacher, env)
            self._taught = Taught(env.rules, teacher.agent, self.algorithm.evaluator)
            self._teacher_params = teacher.params

        copied, split = parallel.replicated(mesh), parallel.by_lane(mesh)
        self.selfplay = self._compiled_play(self._selfplay)
        self._play_taught = self._compiled_play(self._taught_selfplay)
        self.reanalyse = jax.jit(
            self._on_each_device(self._reanalyse, (COPIED, SPLIT, COPIED), SPLIT),
            donate_argnums=(1,),
        )
        draw = self._on_each_device(self._sample, (SPLIT, COPIED), SPLIT)
        gradient_step = functools.partial(
            jax_modes.standard(learner.gradient_step), self.algorithm.loss, self._optimizer
        )
        # XLA would leave an array without elements unsplit.
        self.sample = jax.jit(draw, out_shardings=split)
        self.learn = jax.jit(
            gradient_step,
            in_shardings=(copied, copied, split),
            out_shardings=(copied, copied, copied),
            donate_argnums=(0, 1),
        )
        self.learn_in_one_loop = jax.jit(
            functools.partial(
                jax_modes.standard(_learn), draw, gradient_step, config.learner.updates
            ),
            in_shardings=(copied, copied, split, copied),
            out_shardings=(copied, copied, copied),
            donate_argnums=(0, 1),
        )

    def initial_state(self, key: PRNGKeyArray, params: Params | None = None) -> TrainState:
        """Returns the state before the first iteration, with fresh parameters or given ones."""
        params_key, lanes_key = jax.random.split(key)
        copied = parallel.replicated(self._mesh)
        if params is None:
            init = jax.jit(jax_modes.standard(self.algorithm.init), out_shardings=copied)
            params = init(params_key)
        else:
            params = jax.device_put(params, copied)
        opt_state = jax.jit(jax_modes.standard(self._optimizer.init), out_shardings=copied)(params)
        start = self._on_each_device(self._start, (COPIED, COPIED), (SPLIT, SPLIT))
        with compilation_cache.purpose("the first games of the lanes"):
            lanes, samples = jax.jit(start)(self._of_players(params), lanes_key)
        return TrainState(params, opt_state, samples, lanes)

    def play_with_others(self, iteration: int) -> Play | None:
        """Returns how the games of an iteration are played with a teacher or against an opponent.

        None: by self-play.
        """
        if self._against is not None:
            return lambda params, *others: self.selfplay(self._of_players(params), *others)
        if self._taught is None or iteration >= self._config.teacher_iterations:
            return None
        share = jnp.float32(share_of_moves(iteration, self._config.teacher_iterations))

        def play(params: Params, *others: Any) -> tuple[Lanes, Replay, SelfPlayStats]:
            taught = TaughtParams(params, self._teacher_params, share)
            result: tuple[Lanes, Replay, SelfPlayStats] = self._play_taught(taught, *others)
            return result

        return play

    def _of_players(self, params: Params) -> Params:
        """Returns the parameters of all who play in self-play."""
        if self._against is None:
            return params
        return AgainstParams(params, self._opponent_params)

    def _compiled_play(self, play: Play) -> Any:
        """Returns self-play on each device; the lanes and the replay are donated."""
        specs = (COPIED, SPLIT, SPLIT, COPIED), (SPLIT, SPLIT, SPLIT)
        return jax.jit(self._on_each_device(play, *specs), donate_argnums=(1, 2))

    def learn_all(
        self, params: Params, opt_state: optax.OptState, samples: Replay, key: PRNGKeyArray
    ) -> tuple[Params, optax.OptState, Any]:
        """Takes all gradient steps of an iteration; returns the means of their metrics as well.

        Accelerators run one compiled loop. On a CPU the loop is on the host, since XLA computes the
        gradient of a convolution many times slower inside a loop there.
        """
        if not self.on_cpu:
            result: tuple[Params, optax.OptState, Any] = self.learn_in_one_loop(
                params, opt_state, samples, key
            )
            return result
        rows = []
        for update in range(self._config.learner.updates):
            batch = self.wait(self.sample(samples, jax.random.fold_in(key, update)))
            params, opt_state, metrics = self.learn(params, opt_state, batch)
            rows.append(self.wait(metrics))
        means = jax.tree.map(lambda *values: np.mean(values), *jax.device_get(rows))
        return params, opt_state, means

    def wait(self, result: Any) -> Any:
        """Returns `result`: on several CPU devices once it is computed, elsewhere at once.

        Several CPU devices that are given steps in advance can deadlock: each waits in its own
        order for a partner in the all-reduce.
        """
        if self._mesh.size > 1 and self.on_cpu:
            jax.block_until_ready(result)
        return result

    def _on_each_device(self, function: Any, in_specs: Any, out_specs: Any) -> Any:
        return devices.on_each_device(function, self._mesh, in_specs, out_specs)

    def _start(self, params: Params, key: PRNGKeyArray) -> tuple[Lanes, Replay]:
        key = devices.device_key(key)
        lanes = selfplay.start_lanes(
            self._rules, self._config.selfplay, self._lanes, key, self._starts
        )
        lanes = lanes.replace(memory=self._player.reset(self._lanes))
        shapes = jax.eval_shape(self._play_games, params, lanes, key)[1]
        samples = jax.eval_shape(self._make_samples, shapes)
        one_sample = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), samples)
        return lanes, replay.empty(one_sample, self._capacity)

    def _play(
        self, agent: Agent, params: Params, lanes: Lanes, key: PRNGKeyArray
    ) -> tuple[Lanes, selfplay.Plies]:
        config = self._config.selfplay
        return selfplay.play(self._rules, agent, config, params, lanes, key, self._starts)

    def _selfplay(
        self, params: Params, lanes: Lanes, samples: Replay, key: PRNGKeyArray
    ) -> tuple[Lanes, Replay, SelfPlayStats]:
        before = lanes.memory
        lanes, plies = self._play_games(params, lanes, devices.device_key(key))
        lanes, samples, stats = self._recorded(lanes, plies, samples)
        if self._against is not None:
            score = against.total_score(self._rules, plies, before.is_learners)
            stats = stats._replace(score=score[None])
        return lanes, samples, stats

    def _taught_selfplay(
        self, params: TaughtParams, lanes: Lanes, samples: Replay, key: PRNGKeyArray
    ) -> tuple[Lanes, Replay, SelfPlayStats]:
        assert self._taught is not None
        own, lanes = lanes.memory, lanes.replace(memory=())
        lanes, plies = self._play(self._taught, params, lanes, devices.device_key(key))
        return self._recorded(lanes.replace(memory=own), plies, samples)

    def _recorded(
        self, lanes: Lanes, plies: selfplay.Plies, samples: Replay
    ) -> tuple[Lanes, Replay, SelfPlayStats]:
        new = self._make_samples(plies)
        winner_is_0 = (plies.returns[..., 0] > 0) & plies.ended
        stats = SelfPlayStats(
            games=plies.ended.sum()[None],
            plies_of_games=jnp.where(plies.ended, plies.length, 0).sum()[None],
            draws=(plies.ended & (plies.returns == 0).all(axis=-1)).sum()[None],
            wins_of_seat_0=winner_is_0.sum()[None],
            known_outcomes=new.outcome_known.sum()[None],
        )
        if plies.scores is not None:
            seats, points = _by_role(self._rules, plies)
            stats = stats._replace(seats=seats[None], points=points[None])
        return lanes, replay.add(samples, new), stats

    def _sample(self, samples: Replay, key: PRNGKeyArray) -> Batch:
        key, draw = devices.device_key(key), self.algorithm.sample
        if self._solved is None:
            return draw(samples, self._batch, self._lanes, key)
        count = round(self._config.replay.solved * self._batch)
        played_key, solved_key = jax.random.split(key)
        played = draw(samples, self._batch - count, self._lanes, played_key)
        exact = draw(jax.tree.map(jnp.asarray, self._solved), count, self._lanes, solved_key)
        return jax.tree.map(lambda *parts: jnp.concatenate(parts), played, exact)

    def _make_samples(self, plies: selfplay.Plies) -> Samples:
        return targets.make_samples(plies, with_moves=self.algorithm.needs_moves)

    def _reanalyse(self, params: Params, samples: Replay, key: PRNGKeyArray) -> Replay:
        """Searches positions of the replay anew, as many in each lane as the settings say."""
        return reanalyse.renew(
            self._rules,
            self._agent,
            params,
            samples,
            reanalyse.Amount(self._lanes, self._config.reanalysed_plies),
            devices.device_key(key),
        )


def _learn(
    draw: Callable[[Replay, PRNGKeyArray], Batch],
    gradient_step: Callable[..., tuple[Params, optax.OptState, Metrics]],
    updates: int,
    params: Params,
    opt_state: optax.OptState,
    samples: Replay,
    key: PRNGKeyArray,
) -> tuple[Params, optax.OptState, Metrics]:
    """Returns parameters and optimizer after `updates` steps on drawn batches, and mean metrics."""

    def update(
        carry: tuple[Params, optax.OptState], number: Array
    ) -> tuple[tuple[Params, optax.OptState], Metrics]:
        params, opt_state, metrics = gradient_step(
            *carry, draw(samples, jax.random.fold_in(key, number))
        )
        return (params, opt_state), metrics

    numbers = jnp.arange(updates, dtype=jnp.uint32)
    (params, opt_state), metrics = jax.lax.scan(update, (params, opt_state), numbers)
    return params, opt_state, jax.tree.map(lambda values: values.mean(), metrics)


def _by_role(rules: Rules, plies: selfplay.Plies) -> tuple[Array, Array]:
    """Returns for each role the seats that played it in games that ended, and their points."""
    is_end = plies.ended & plies.decided
    role = jax.vmap(jax.vmap(rules.role))(plies.game)
    played = jax.nn.one_hot(role, max(len(rules.roles), 1)) * is_end[..., None, None]
    points = played * jnp.asarray(plies.scores, jnp.float32)[..., None]
    return played.sum(axis=(0, 1, 2)), points.sum(axis=(0, 1, 2))


def summarise(stats: SelfPlayStats, positions: int, roles: tuple[str, ...]) -> dict[str, float]:
    """Returns the metrics of one iteration of self-play over all devices of all processes."""
    total = jax.tree.map(lambda leaf: np.sum(parallel.to_host(leaf), axis=0), stats)
    games = max(int(total.games), 1)
    numbers = {
        "selfplay/games": total.games,
        "selfplay/game_length": total.plies_of_games / games,
        "selfplay/draw_rate": total.draws / games,
        "selfplay/seat_0_win_rate": total.wins_of_seat_0 / games,
        "selfplay/known_outcomes": total.known_outcomes / positions,
    }
    numbers = {name: float(number) for name, number in numbers.items()}
    if total.score is not None:
        numbers["selfplay/score"] = float(total.score / games)
    if total.seats is not None:
        numbers |= mean_points("selfplay/points", total.points, total.seats, roles)
    return numbers
