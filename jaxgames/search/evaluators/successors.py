"""The value of the position after every legal action, for evaluators that look one step ahead."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import fold_in
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.action_lists import ActionBatch, over_actions
from jaxgames.search.agent import GameStates

Judge = Callable[[GameStates, Int32[Array, "N"]], Float[Array, "N players"]]
"""Returns the value of positions for every seat, given the seat that acted before each."""


def values_after_actions(
    rules: Rules[Any], state: GameStates, judge: Judge, width: int, key: PRNGKeyArray
) -> Float[Array, "B actions players"]:
    """Returns the value for every seat after each legal action; zeros for illegal actions.

    A game that ended with the action counts its returns. The cost grows with the number of legal
    actions. In games with chance, one outcome of each action is drawn.

    Args:
        rules: the game.
        state: `B` positions.
        judge: values of positions that are not over; it is called with `B * width` of them.
        width: successors judged at once for each game.
        key: of the outcomes of chance.
    """
    mover = jax.vmap(rules.to_move)(state).astype(jnp.int32)
    is_over = jax.vmap(rules.is_over)(state)
    words = action_slots.pack(jax.vmap(rules.legal_actions)(state) & ~is_over[:, None])

    def judge_part(part: ActionBatch, found: Array) -> Array:
        games = jax.tree.map(lambda x: x[part.game], state)
        if rules.stochastic:
            keys = fold_in(jax.random.fold_in(key, part.part), jnp.arange(len(part.game)))
            after = jax.vmap(rules.step)(games, part.bit, keys)
        else:
            after = jax.vmap(lambda game, action: rules.step(game, action, None))(games, part.bit)
        has_ended = jax.vmap(rules.is_over)(after)
        returns = jax.vmap(rules.returns)(after)
        values = jnp.where(has_ended[:, None], returns, judge(after, mover[part.game]))
        row = jnp.where(part.is_there, part.game, len(mover))
        return found.at[row, part.bit].set(values, mode="drop")

    nothing = jnp.zeros((len(mover), rules.num_actions, rules.num_players))
    return over_actions(words, rules.num_actions, len(mover) * width, judge_part, nothing)
