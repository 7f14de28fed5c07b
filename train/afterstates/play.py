"""Games to learn from: lanes that persist between iterations and reset on their own.

Only what the learner needs of each afterstate is recorded: the inputs of the network as the seat
that acted sees it. A whole action may take several plies; one afterstate is recorded for each
action, at its last ply.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames import Rules, sampling
from jaxgames.batching.trees import select_rows
from jaxgames.networks.afterstates import AfterstateNetwork, Inputs
from jaxgames.search.agent import Agent, GameStates, Memory, Params
from train.selfplay import new_games_where, step


class AfterstateLanes(struct.PyTreeNode):
    """The games in progress on one device."""

    game: GameStates
    step_count: Int32[Array, "B"]
    learner_seat: Int32[Array, "B"]
    """The seat that the newest network plays in games against others."""
    memory: tuple[Memory, ...]
    """The memory of each group of players (`Group`); at last, that of the newest network."""


class Group(NamedTuple):
    """AfterstateLanes whose other seats are played by somebody else than the newest network."""

    agent: Agent
    lanes: slice


class LanePlayers(NamedTuple):
    """Who plays; holds no parameters."""

    network: AfterstateNetwork
    newest: Agent
    """The player with the network."""
    groups: tuple[Group, ...]
    """Who else plays in some of the lanes."""


class Afterstates(NamedTuple):
    """What happened in one ply of every lane; with a leading time axis after a scan."""

    inputs: Inputs  # of the afterstate, the seat that acted first
    outcome: Float[Array, "B players"]  # final values and, after them, final points; seat 0 first
    seat: Int32[Array, "B"]  # that acted
    is_action: Bool[Array, "B"]  # an action was completed
    ended: Bool[Array, "B"]  # the game ended with this ply
    decided: Bool[Array, "B"]  # it ended by its rules, not by the step cap
    length: Int32[Array, "B"]  # plies of the game so far


def start_lanes(players: LanePlayers, num_lanes: int, key: PRNGKeyArray) -> AfterstateLanes:
    """Returns fresh games in all lanes; the last memory belongs to the newest network."""
    rules = players.network.domain.rules
    deal_key, seat_key = jax.random.split(key)
    return AfterstateLanes(
        game=jax.vmap(rules.init)(jax.random.split(deal_key, num_lanes)),
        step_count=jnp.zeros((num_lanes,), jnp.int32),
        learner_seat=_draw_seats(rules, num_lanes, seat_key),
        memory=_fresh_memory(players, num_lanes),
    )


def _fresh_memory(players: LanePlayers, num_lanes: int) -> tuple[Memory, ...]:
    memory = [group.agent.reset(group.lanes.stop - group.lanes.start) for group in players.groups]
    return (*memory, players.newest.reset(num_lanes))


def _fresh_where(
    forgets: Bool[Array, "B"], players: LanePlayers, memory: tuple[Memory, ...]
) -> tuple[Memory, ...]:
    """Returns the memory of all players, fresh in the lanes where `forgets` holds."""
    parts = [*(group.lanes for group in players.groups), slice(None)]
    fresh = _fresh_memory(players, len(forgets))
    return tuple(
        select_rows(forgets[part], new, kept)
        for part, new, kept in zip(parts, fresh, memory, strict=True)
    )


def _draw_seats(rules: Rules[Any], num_lanes: int, key: PRNGKeyArray) -> Int32[Array, "B"]:
    return jax.random.randint(key, (num_lanes,), 0, rules.num_players, jnp.int32)


def play_ply(
    players: LanePlayers,
    params: Params,
    others: tuple[Params, ...],
    lanes: AfterstateLanes,
    key: PRNGKeyArray,
) -> tuple[AfterstateLanes, Afterstates]:
    """Plays one ply in every lane; returns the lanes and what happened.

    Args:
        players: who plays.
        params: the newest parameters.
        others: the parameters of the agent of each group.
        lanes: the games.
        key: of all chance.
    """
    network = players.network
    rules = network.domain.rules
    act_key, step_key, reset_key, *group_keys, instead_key = jax.random.split(
        key, 4 + len(players.groups)
    )
    num_lanes = lanes.step_count.shape[0]
    seat = jax.vmap(rules.to_move)(lanes.game).astype(jnp.int32)

    decision, own_memory = players.newest.act(params, lanes.memory[-1], lanes.game, act_key)
    action, memory, is_own = decision.action, [], jnp.ones((num_lanes,), bool)
    for group, theirs, kept, group_key in zip(
        players.groups, others, lanes.memory[:-1], group_keys, strict=True
    ):
        part = group.lanes
        games = jax.tree.map(lambda x, part=part: x[part], lanes.game)
        decision, new = group.agent.act(theirs, kept, games, group_key)
        is_theirs = seat[part] != lanes.learner_seat[part]
        action = action.at[part].set(jnp.where(is_theirs, decision.action, action[part]))
        is_own = is_own.at[part].set(~is_theirs)
        memory.append(select_rows(is_theirs, new, kept))
    memory.append(select_rows(is_own, own_memory, lanes.memory[-1]))
    decisions = action
    if not rules.perfect_information:  # what the seat does not know may make an action illegal
        words = jax.vmap(rules.packed_legal_actions)(lanes.game)
        action = sampling.legal_or_drawn(words, decisions, instead_key)

    is_action = jax.vmap(rules.completes_action)(lanes.game, action)
    after, step_count, decided, ended = step(rules, lanes.game, lanes.step_count, action, step_key)
    record = Afterstates(
        inputs=_stored(network.inputs(after, seat)),
        outcome=outcome_of(network, after),
        seat=seat,
        is_action=is_action,
        ended=ended,
        decided=decided,
        length=step_count,
    )
    deal_key, seat_key = jax.random.split(reset_key)
    lanes = AfterstateLanes(
        game=new_games_where(rules, ended, after, deal_key),
        step_count=jnp.where(ended, 0, step_count),
        learner_seat=jnp.where(ended, _draw_seats(rules, num_lanes, seat_key), lanes.learner_seat),
        memory=_fresh_where(ended | (action != decisions), players, tuple(memory)),
    )
    return lanes, record


def outcome_of(network: AfterstateNetwork, games: GameStates) -> Float[Array, "B heads"]:
    """Returns the values of all seats and, in games that count points, the points of all seats."""
    domain = network.domain
    heads = [jax.vmap(domain.outcome)(games)]
    if domain.rules.counts_points:
        heads.append(jax.vmap(domain.points)(games))
    return jnp.concatenate(heads, axis=-1).astype(jnp.float32)


def _stored(inputs: Inputs) -> Inputs:
    """Returns inputs in half precision, as they are kept; estimates stay exact."""
    return inputs._replace(features=inputs.features.astype(jnp.float16))
