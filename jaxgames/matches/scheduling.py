"""Scheduling of a match: the games in which a player acts in a tick, and its actions there."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batching.trees import select_rows
from jaxgames.boards import bits
from jaxgames.env import Env
from jaxgames.rules import Rules
from jaxgames.search.agent import Agent, GameStates, Memory, Params, decision_of


def has_enough(waiting: Int32[Array, "players"], width: int) -> Bool[Array, "players"]:
    """Returns the mask of players that act now, given the number of games that wait for each.

    While no game is over, a full batch always waits for some player.
    """
    return (waiting >= width) | (jnp.arange(len(waiting)) == waiting.argmax())


def furthest_behind(
    waits: Bool[Array, "B"],
    how_far: tuple[Int32[Array, "B"], ...],
    is_over: Bool[Array, "B"],
    width: int,
) -> tuple[Int32[Array, "width"], Bool[Array, "width"]]:
    """Returns the waiting games that are furthest behind, and a mask of the filled places.

    The games are sorted by the arrays `how_far`, of which the last counts most. So all games end at
    about the same time: the longest games are not left to be searched alone. An empty place gets a
    game that is over, which no agent searches. While no game is over, it gets the first of the
    chosen games again: any other game might need a search where the chosen games need none.
    """
    order = jnp.lexsort((*how_far, ~waits))[:width]
    is_there = waits[order]
    instead = jnp.where(is_over.any(), is_over.argmax(), order[0])
    return jnp.where(is_there, order, instead).astype(jnp.int32), is_there


def decide(
    env: Env[Any],
    agent: Agent,
    params: Params,
    memory: Memory,
    games: GameStates,
    lanes: Int32[Array, "width"],
    is_filled: Bool[Array, "width"],
    key: PRNGKeyArray,
) -> tuple[Int32[Array, "width"], Memory]:
    """Returns an agent's actions in some of the games, and its memory of all games.

    The places of `lanes` outside `is_filled` get any action, and the memory of their games stays as
    it was. Where the agent's action could not be played, its memory begins anew.
    """
    hide_key, act_key, instead_key = jax.random.split(key, 3)
    nowhere = len(jax.tree.leaves(games)[0])
    games = jax.tree.map(lambda x: x[lanes], games)
    seen = games
    if not env.rules.perfect_information:
        seats = jax.vmap(env.rules.to_move)(games)
        hide_keys = jax.random.split(hide_key, lanes.shape[0])
        seen = jax.vmap(env.rules.determinize)(games, seats, hide_keys)
    before = jax.tree.map(lambda x: x[lanes], memory)
    decision, after = decision_of(agent, params, before, seen, act_key)
    actions = decision.action.astype(jnp.int32)
    if not env.rules.perfect_information:
        actions, after = played(env.rules, agent, actions, after, games, seen, instead_key)
    targets = jnp.where(is_filled, lanes, nowhere)
    memory = jax.tree.map(
        lambda whole, part: whole.at[targets].set(part, mode="drop"), memory, after
    )
    return actions, memory


def played(
    rules: Rules[Any],
    agent: Agent,
    decided: Int32[Array, "width"],
    memory: Memory,
    games: GameStates,
    seen: GameStates,
    key: PRNGKeyArray,
) -> tuple[Int32[Array, "width"], Memory]:
    """Returns the actions that are played after decisions in `seen`, and the agent's memory.

    The memory is fresh where another action is played than decided.
    """
    actions = legal_instead(rules, decided, games, seen, key)
    return actions, select_rows(actions == decided, memory, agent.reset(len(decided)))


def legal_instead(
    rules: Rules[Any],
    actions: Int32[Array, "width"],
    games: GameStates,
    seen: GameStates,
    key: PRNGKeyArray,
) -> Int32[Array, "width"]:
    """Returns the actions; a random legal action replaces one that only hidden facts make illegal.

    An agent cannot know such facts. An action that it could know to be illegal stays.
    """
    legal = jax.vmap(rules.packed_legal_actions)(games)
    is_legal = jax.vmap(bits.contains_packed)(legal, actions)

    def replace() -> Int32[Array, "width"]:
        seemed_legal = jax.vmap(bits.contains_packed)(
            jax.vmap(rules.packed_legal_actions)(seen), actions
        )
        return jnp.where(seemed_legal, sampling.legal_or_drawn(legal, actions, key), actions)

    return jax.lax.cond(is_legal.all(), lambda: actions, replace)
