"""The last ply: all moves of a node whose children are at the horizon, judged at once.

The result is that of one move after the other, in the order of their keys: moves after the first
one that reaches beta do not count, neither for the value nor as nodes.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.boards import bits
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.depth_first import ordering
from jaxgames.search.depth_first.search_state import (
    INFINITY,
    NO_ACTION,
    WIN,
    SearchNode,
    Settings,
)


class Judgement(NamedTuple):
    """The values of positions for the seat to move there."""

    is_over: Bool[Array, "*any"]
    value: Int32[Array, "*any"]  # outcome or static score


def judge(settings: Settings, params: Params, game: Any, level: Int32[Array, ""]) -> Judgement:
    """Returns the judgement of one position, `level` plies from the root."""
    rules = settings.rules
    is_over = rules.is_over(game)
    won = jnp.sign(rules.returns(game)[rules.to_move(game)]).astype(jnp.int32)
    return Judgement(is_over, jnp.where(is_over, won * (WIN - level), settings.score(params, game)))


def search_moves(
    settings: Settings,
    params: Params,
    games: GameStates,
    level: Int32[Array, "B"],
    keys: Int32[Array, "B slots"],
    node: SearchNode,
) -> tuple[SearchNode, Int32[Array, "B"]]:
    """Returns the nodes with the values of their moves, and how many moves were made.

    Args:
        settings: the settings of the search.
        params: parameters of the score.
        games: the positions of the nodes.
        level: their plies from the root.
        keys: their moves, 0 in unused slots.
        node: the nodes before their first move.
    """
    rules = settings.rules

    def value_of(
        params: Params, game: Any, level: Int32[Array, ""], action: Int32[Array, ""]
    ) -> Int32[Array, ""]:
        after = rules.step(game, action, None)
        value = judge(settings, params, after, level + 1).value
        return jnp.where(rules.to_move(after) == rules.to_move(game), value, -value)

    of_params = None if settings.shares_params else 0
    of_node = jax.vmap(value_of, in_axes=(None, None, None, 0))
    values = jax.vmap(of_node, in_axes=(of_params, 0, 0, 0))(
        params, games, level, ordering.action_of(keys, rules.num_actions)
    )
    values = bits.computed_once(values)
    is_cut = (keys > 0) & (values >= node.beta[:, None])
    cut_key = ordering.greatest(jnp.where(is_cut, keys, 0))
    is_made = keys >= jnp.maximum(cut_key, 1)[:, None]
    best = ordering.greatest(jnp.where(is_made, values, -INFINITY))
    best_key = ordering.greatest(jnp.where(is_made & (values == best[:, None]), keys, 0))
    action = ordering.action_of(best_key, rules.num_actions)
    finished = node._replace(
        best=jnp.maximum(node.best, best),
        best_action=jnp.where(best > node.best, action, NO_ACTION),
        left=jnp.zeros_like(node.left),
    )
    return finished, is_made.sum(axis=1, dtype=jnp.int32)
