"""The compiled pieces of an iteration: all games together, and each architecture's gradient step.

A learner is one seed of one architecture. Its row, wherever arrays have an axis `learners`, is
`architecture * seeds + seed`. All learners' games are one batch for the rules and the opponent;
networks compute for all seeds of an architecture at once.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import fold_in, select_rows
from jaxgames.env import Env
from jaxgames.search.agent import GameStates, Params
from papers.onitama_report.config import DdpgConfig, LearnerConfig, OpponentConfig
from papers.onitama_report.ddpg import curriculum, learner, replay
from papers.onitama_report.ddpg.actor import ActorNetwork, make_actor
from papers.onitama_report.ddpg.critic import CriticNetwork, make_critic
from papers.onitama_report.ddpg.curriculum import Curriculum
from papers.onitama_report.ddpg.games import Games, Lanes, Turn
from papers.onitama_report.ddpg.learner import Learner, Metrics
from papers.onitama_report.ddpg.opponents import make_opponent
from papers.onitama_report.ddpg.replay import Replay

VALID_RATE_TURNS = 1000  # over which the valid rate that freezes `dual` is averaged


class PlayState(struct.PyTreeNode):
    """All that playing changes."""

    lanes: Lanes
    curriculum: Curriculum
    replay: Replay
    episodes: Int32[Array, "learners"]  # games ended
    valid_rate: Float[Array, "learners"]  # moving average
    is_frozen: Bool[Array, "learners"]  # the valid rate has been high enough to freeze `dual`


class PlayStats(NamedTuple):
    """Sums over the turns of an iteration for each learner, and its progress after them."""

    turns: Any  # in which the learner moved
    legal_actions: Any
    valid_choices: Any
    valid_mass: Any
    games: Any
    wins: Any
    draws: Any
    plies: Any  # of the games that ended
    episodes: Any
    depth: Any
    remembered: Any  # transitions in the replay


@dataclasses.dataclass(frozen=True)
class Steps:
    """The compiled functions of a run; runs with equal fields share them."""

    games: Games
    actors: tuple[ActorNetwork, ...]  # one for each architecture
    critic: CriticNetwork
    seeds: int
    turns: int  # of one iteration
    opponent: OpponentConfig
    learner: LearnerConfig

    @property
    def learners(self) -> int:
        """Number of learners."""
        return len(self.actors) * self.seeds

    def rows(self, architecture: int) -> slice:
        """Returns the learners of an architecture."""
        return slice(architecture * self.seeds, (architecture + 1) * self.seeds)

    def start(self, keys: PRNGKeyArray) -> tuple[tuple[Learner, ...], PlayState]:
        """Returns fresh learners of each architecture, and their first games."""
        both = jax.vmap(jax.random.split)(keys)
        learners = tuple(
            self._fresh_learners(actor, both[self.rows(index), 0])
            for index, actor in enumerate(self.actors)
        )
        return learners, self._first_games(tuple(one.actor for one in learners), both[:, 1])

    def _fresh_learners(self, actor: ActorNetwork, keys: PRNGKeyArray) -> Learner:
        # Not compiled as a whole: compilation takes longer than it saves, and grows with the seeds.
        fresh = [learner.init(actor, self.critic, self.learner, key) for key in keys]
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *fresh)

    @functools.partial(jax.jit, static_argnums=0)
    def _first_games(self, actors: tuple[Params, ...], keys: PRNGKeyArray) -> PlayState:
        stages = curriculum.start(self.opponent, self.learners)
        lanes = self.games.start(stages.depth, keys)
        turn = jax.eval_shape(self._play_turn, actors, (lanes, stages), keys)[1]
        entry = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), turn.transition)
        return PlayState(
            lanes=lanes,
            curriculum=stages,
            replay=replay.empty(entry, self.learners, self.learner.replay_capacity),
            episodes=jnp.zeros(self.learners, jnp.int32),
            valid_rate=jnp.zeros(self.learners),
            is_frozen=jnp.zeros(self.learners, bool),
        )

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=2)
    def play(
        self, actors: tuple[Params, ...], state: PlayState, keys: PRNGKeyArray
    ) -> tuple[PlayState, PlayStats]:
        """Plays the turns of one iteration in all lanes and remembers them."""
        turn_keys = jax.vmap(lambda key: jax.random.split(key, self.turns), out_axes=1)(keys)
        one_turn = functools.partial(self._play_turn, actors)
        start = (state.lanes, state.curriculum)
        (lanes, stages), turns = jax.lax.scan(one_turn, start, turn_keys)

        by_learner = jax.tree.map(self._by_learner, turns)
        memory = replay.add(state.replay, by_learner.transition, by_learner.has_acted)
        stats = _stats(by_learner, state.episodes, stages, memory)
        moved = jnp.maximum(stats.turns, 1)
        share = jnp.minimum(stats.turns / VALID_RATE_TURNS, 1.0)
        valid_rate = state.valid_rate + share * (stats.valid_choices / moved - state.valid_rate)
        after = PlayState(
            lanes=lanes,
            curriculum=stages,
            replay=memory,
            episodes=stats.episodes,
            valid_rate=valid_rate,
            is_frozen=state.is_frozen | (valid_rate > self.learner.freeze_valid_rate),
        )
        return after, stats

    @functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=2)
    def learn(
        self,
        architecture: int,
        learners: Learner,
        state: PlayState,
        is_learning: Bool[Array, "seeds"],
        keys: PRNGKeyArray,
        number: Int32[Array, ""],
    ) -> tuple[Learner, Metrics]:
        """Returns the learners of an architecture after a gradient step, and its metrics.

        Learners that are not learning stay as they are. The steps of an iteration share the keys;
        `number` tells them apart.
        """
        rows = jnp.arange(self.learners)[self.rows(architecture)]
        keys = fold_in(keys, number)
        samples = replay.sample(state.replay, rows, self.learner.batch_size, keys)
        batch = jax.vmap(functools.partial(learner.make_batch, self.games.rules))(samples)
        update = functools.partial(
            learner.update, self.actors[architecture], self.critic, self.learner
        )
        after, metrics = jax.vmap(update)(learners, batch, state.is_frozen[rows])
        return select_rows(is_learning, after, learners), metrics

    def _play_turn(
        self,
        actors: tuple[Params, ...],
        progress: tuple[Lanes, Curriculum],
        keys: PRNGKeyArray,
    ) -> tuple[tuple[Lanes, Curriculum], Turn]:
        """Plays one turn in all lanes, and begins new games where a game ended."""
        lanes, stages = progress
        both = jax.vmap(jax.random.split)(keys)
        lanes, turn = self.games.play(lanes, functools.partial(self._policy, actors), both[:, 0])
        of_lanes = (turn.has_ended, turn.transition.reward > 0, turn.depth)
        shape = (self.learners, self.games.lanes)
        stages = curriculum.record(self.opponent, stages, *(x.reshape(shape) for x in of_lanes))
        lanes = self.games.restart(lanes, turn.has_ended, stages.depth, both[:, 1])
        return (lanes, stages), turn

    def _policy(self, params: tuple[Params, ...], games: GameStates) -> Float[Array, "B actions"]:
        """Returns the policy of each lane's actor."""
        rules = self.games.rules
        obs = jax.vmap(rules.observe)(games, jax.vmap(rules.to_move)(games))
        obs = tuple(x.reshape(self.learners, self.games.lanes, *x.shape[1:]) for x in obs)
        policies = [
            jax.vmap(actor.apply)(params[index], *(x[self.rows(index)] for x in obs)).policy
            for index, actor in enumerate(self.actors)
        ]
        return jnp.concatenate(policies).reshape(-1, rules.num_actions)

    def _by_learner(self, x: Array) -> Array:
        """Returns `[turns, learners x lanes, ...]` as `[learners, turns x lanes, ...]`."""
        split = x.reshape(self.turns, self.learners, self.games.lanes, *x.shape[2:])
        return jnp.moveaxis(split, 1, 0).reshape(self.learners, -1, *x.shape[2:])


def make_steps(env: Env[Any], config: DdpgConfig) -> Steps:
    """Returns the steps of a run; each compiles at its first call.

    Raises:
        ValueError: if the game is not one for actor, critic and opponent.
    """
    if env.num_players != 2 or env.rules.stochastic or not env.rules.perfect_information:
        raise ValueError(f"DDPG needs two seats, full information and no chance, unlike {env.id}")
    opponent = make_opponent(env, config.opponent)
    ends_after_move = config.play.transition == "after_move"
    return Steps(
        games=Games(env.rules, opponent, config.play.lanes, ends_after_move),
        actors=tuple(make_actor(env, name, config.network) for name in config.architectures),
        critic=make_critic(env, config.network),
        seeds=config.seeds,
        turns=config.play.turns,
        opponent=config.opponent,
        learner=config.learner,
    )


def _stats(
    turns: Turn, episodes: Int32[Array, "learners"], stages: Curriculum, memory: Replay
) -> PlayStats:
    """Returns the sums over the turns `[learners, N]`."""
    acted, ended = turns.has_acted, turns.has_ended
    reward = turns.transition.reward
    games = ended.sum(axis=1)
    return PlayStats(
        turns=acted.sum(axis=1),
        legal_actions=jnp.where(acted, turns.num_legal, 0).sum(axis=1, dtype=jnp.int32),
        valid_choices=(acted & turns.is_valid).sum(axis=1),
        valid_mass=jnp.where(acted, turns.valid_mass, 0.0).sum(axis=1),
        games=games,
        wins=(ended & (reward > 0)).sum(axis=1),
        draws=(ended & (reward == 0)).sum(axis=1),
        plies=jnp.where(ended, turns.plies, 0).sum(axis=1),
        episodes=episodes + games,
        depth=stages.depth,
        remembered=memory.size,
    )
