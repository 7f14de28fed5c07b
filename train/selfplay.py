"""Self-play: lanes of games that persist between iterations and reset on their own.

The number of plies of a call does not depend on the length of games: a game that is unfinished
when the call ends goes on in the next one, so short games are not favoured.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Float16, Int32, PRNGKeyArray

from configs.alphazero import SelfPlayConfig
from jaxgames import Rules, sampling
from jaxgames.batching.trees import select_rows
from jaxgames.search import action_slots
from jaxgames.search.agent import (
    Agent,
    GameStates,
    Memory,
    Params,
)
from jaxgames.search.evaluators.evaluator import Evaluator
from jaxgames.search.factories import Engine, TreeSettings, tree_search
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.wrappers.auto_reset import fresh_where

GIVEN = -1


class Lanes(struct.PyTreeNode):
    """The games in progress on one device."""

    game: GameStates
    step_count: Int32[Array, "B"]
    random_plies: Int32[Array, "B"]
    """Uniformly random plies still to come (diverse openings); `GIVEN` in a game that began from a
    given position, in which no move is drawn."""
    memory: Memory = ()  # the agent's, for instance its search trees


class Plies(NamedTuple):
    """The events of one ply in every lane; with a leading time axis after a scan."""

    game: GameStates  # before the ply
    policy: Float16[Array, "B K"]  # improved policy by slot of the list of legal actions
    search_values: Float16[Array, "B players"]
    returns: Float16[Array, "B players"]  # of the game that this ply ended, else zeros
    ended: Bool[Array, "B"]  # the game ended with this ply
    decided: Bool[Array, "B"]  # it ended by its rules, not by the step cap
    length: Int32[Array, "B"]  # plies of the game so far
    off_policy: Bool[Array, "B"]  # the move was random: the outcome says little about earlier plies
    scores: Float16[Array, "B players"] | None = (
        None  # points after the ply, if the game counts any
    )
    action: Int32[Array, "B"] | None = None  # the move


def make_search(rules: Rules, evaluator: Evaluator, config: SelfPlayConfig) -> Agent:
    """Returns the search that the settings describe.

    Raises:
        ValueError: if the search cannot play this game.
    """
    settings = TreeSettings(config.simulations, config.max_children, config.reuse)
    engine: Engine = "mctx" if config.search == "mctx" else "tree"
    return tree_search(rules, evaluator, make_policy(config), settings, engine)


def make_policy(config: SelfPlayConfig) -> Gumbel | Puct:
    """Returns how the search selects actions and decides."""
    if config.search == "puct":
        return Puct(config.dirichlet_fraction, config.dirichlet_alpha, c_init=config.c_init)
    return Gumbel(config.max_considered, config.gumbel_scale, rescale_values=config.rescale_values)


def start_lanes(
    rules: Rules,
    config: SelfPlayConfig,
    num_lanes: int,
    key: PRNGKeyArray,
    starts: GameStates | None = None,
) -> Lanes:
    """Returns fresh games in all lanes, without memory; `starts` as in `play`."""
    deal_key, opening_key = jax.random.split(key)
    games = jax.vmap(rules.init)(jax.random.split(deal_key, num_lanes))
    openings = _draw_random_plies(config, num_lanes, opening_key)
    if starts is not None:
        begins = jnp.ones((num_lanes,), bool)
        games, openings = _given_where(begins, config, starts, games, openings, key)
    step_count = jnp.zeros((num_lanes,), jnp.int32)
    return Lanes(game=games, step_count=step_count, random_plies=openings)


def play(
    rules: Rules,
    agent: Agent,
    config: SelfPlayConfig,
    params: Params,
    lanes: Lanes,
    key: PRNGKeyArray,
    starts: GameStates | None = None,
) -> tuple[Lanes, Plies]:
    """Plays `config.plies` plies in every lane; returns the lanes and the record `[T, B, ...]`.

    The agent's memory stays when a new game starts or a random move is made: reused search trees
    find the new root by its state.

    Args:
        rules: the game.
        agent: who plays.
        config: the settings.
        params: the agent's.
        lanes: the games.
        key: of all chance.
        starts: positions `[N, ...]`, from which `config.starts_share` of the new games begin; None:
            all of them begin as the rules say.
    """

    def one_ply(lanes: Lanes, key: PRNGKeyArray) -> tuple[Lanes, Plies]:
        search_key, choice_key, random_key, step_key, reset_key = jax.random.split(key, 5)
        num_lanes = lanes.step_count.shape[0]

        decision, memory = agent.act(params, lanes.memory, lanes.game, search_key)
        mask = jax.vmap(rules.legal_actions)(lanes.game)
        by_preference = jax.random.categorical(choice_key, jnp.log(decision.policy), axis=-1)
        explores = lanes.step_count < config.temperature_plies
        if starts is not None:
            explores &= lanes.random_plies != GIVEN
        action = jnp.where(explores, by_preference, decision.action)
        words = sampling.random_words(random_key, num_lanes)
        is_random = draws = lanes.random_plies > 0
        if not rules.perfect_information:  # what the seat does not know may make a move illegal
            draws |= ~jnp.take_along_axis(mask, action[:, None], axis=-1)[:, 0]
        action = jnp.where(draws, jax.vmap(rules.sample_action)(lanes.game, words), action)

        after, step_count, decided, ended = step(
            rules, lanes.game, lanes.step_count, action, step_key
        )
        scores = None
        if rules.counts_points:
            scores = jax.vmap(rules.score)(after).astype(jnp.float16)
        plies = Plies(
            game=lanes.game,
            policy=by_slot(decision.policy, mask, rules.max_legal_actions).astype(jnp.float16),
            search_values=decision.values.astype(jnp.float16),
            returns=jax.vmap(rules.returns)(after).astype(jnp.float16),
            ended=ended,
            decided=decided,
            length=step_count,
            off_policy=is_random,
            scores=scores,
            action=action,
        )
        deal_key, opening_key = jax.random.split(reset_key)
        games = new_games_where(rules, ended, after, deal_key)
        left = jnp.maximum(lanes.random_plies - 1, 0)
        if starts is not None:
            left = jnp.where(lanes.random_plies == GIVEN, GIVEN, left)
        openings = _draw_random_plies(config, num_lanes, opening_key)
        openings = jnp.where(ended, openings, left)
        if starts is not None:
            games, openings = _given_where(ended, config, starts, games, openings, reset_key)
        step_count = jnp.where(ended, 0, step_count)
        lanes = Lanes(game=games, step_count=step_count, random_plies=openings, memory=memory)
        return lanes, plies

    return jax.lax.scan(one_ply, lanes, jax.random.split(key, config.plies))


class Stepped(NamedTuple):
    """The games of all lanes after a ply."""

    games: GameStates
    step_count: Int32[Array, "B"]
    decided: Bool[Array, "B"]  # the game is over by its rules
    ended: Bool[Array, "B"]  # it is over, by its rules or by the step cap


def step(
    rules: Rules,
    games: GameStates,
    step_count: Int32[Array, "B"],
    action: Int32[Array, "B"],
    key: PRNGKeyArray,
) -> Stepped:
    """Plays a ply in every lane; `step_count` are the plies before it."""
    keys = jax.random.split(key, len(action)) if rules.stochastic else None
    axes = (0, 0, 0 if rules.stochastic else None)
    after = jax.vmap(rules.step, in_axes=axes)(games, action, keys)
    decided = jax.vmap(rules.is_over)(after)
    return Stepped(after, step_count + 1, decided, decided | (step_count + 1 >= rules.max_steps))


def new_games_where(
    rules: Rules, ended: Bool[Array, "B"], games: GameStates, key: PRNGKeyArray
) -> GameStates:
    """Returns new games where others have ended, at the cost of those alone."""
    return jax.vmap(partial(fresh_where, rules))(ended, games, jax.random.split(key, len(ended)))


def _given_where(
    begins: Bool[Array, "B"],
    config: SelfPlayConfig,
    starts: GameStates,
    games: GameStates,
    openings: Int32[Array, "B"],
    key: PRNGKeyArray,
) -> tuple[GameStates, Int32[Array, "B"]]:
    """Returns games and random plies with given positions in a share of the games that begin."""
    share_key, choice_key = jax.random.split(jax.random.fold_in(key, 0))
    begins &= jax.random.bernoulli(share_key, config.starts_share, begins.shape)
    index = jax.random.randint(choice_key, begins.shape, 0, len(jax.tree.leaves(starts)[0]))
    given = jax.tree.map(lambda x: jnp.asarray(x)[index], starts)
    return select_rows(begins, given, games), jnp.where(begins, GIVEN, openings)


def by_slot(
    policy: Float[Array, "B actions"], mask: Bool[Array, "B actions"], size: int
) -> Float[Array, "B K"]:
    """Returns a policy by slot of the list of legal actions, as samples hold it."""
    actions, filled = action_slots.legal_list(action_slots.pack(mask), size)
    return jnp.where(filled, jnp.take_along_axis(policy, actions, axis=-1), 0.0)


def _draw_random_plies(
    config: SelfPlayConfig, num_lanes: int, key: PRNGKeyArray
) -> Int32[Array, "B"]:
    share_key, count_key = jax.random.split(key)
    shape = (num_lanes,)
    diverse = jax.random.bernoulli(share_key, config.random_opening_share, shape)
    count = jax.random.randint(count_key, shape, 1, config.random_opening_plies + 1)
    return jnp.where(diverse, count, 0)
