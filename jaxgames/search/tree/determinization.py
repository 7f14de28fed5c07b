"""Determinizations: full states that stand for what the seat to move knows."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames.batching.trees import select_rows
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates
from jaxgames.search.tree.arrays import NO_CHILD, ROOT, Edge, Trees
from jaxgames.search.tree.descent import action_of


def sample(rules: Rules, state: GameStates, count: int, key: PRNGKeyArray) -> GameStates:
    """Returns `count` determinizations of each game, as a new leading axis.

    The seat to move cannot tell them apart. Without hidden information, there is one: the state.
    """
    if rules.perfect_information:
        return jax.tree.map(lambda x: x[None], state)
    size = jax.tree.leaves(state)[0].shape[0]
    seat = jax.vmap(rules.to_move)(state)
    keys = jax.random.split(key, (count, size))
    return jax.vmap(jax.vmap(rules.sample_belief), in_axes=(None, None, 0))(state, seat, keys)


def for_simulation(
    rules: Rules,
    determinizations: GameStates,
    tree: Trees,
    lanes: Int32[Array, "W"],
    edge: Edge,
) -> GameStates:
    """Returns the state that a simulation of each lane starts from.

    Every action of the root goes through the determinizations in turn, so that all actions are
    judged by the same ones. Where the action of `edge` is illegal in a determinization, the first
    determinization takes its place: there it is legal.
    """
    count = len(jax.tree.leaves(determinizations)[0])
    first = jax.tree.map(lambda x: x[0, lanes], determinizations)
    if count == 1:
        return first
    turn = _visits(tree, lanes, edge.child) % count
    state = jax.tree.map(lambda x: x[turn, lanes], determinizations)
    action = action_of(tree, lanes, jnp.full_like(lanes, ROOT), edge.slot)
    is_legal = jax.vmap(lambda s, a: rules.legal_actions(s)[a])(state, action)
    return select_rows(is_legal, state, first)


def _visits(tree: Trees, lanes: Int32[Array, "W"], child: Int32[Array, "W"]) -> Int32[Array, "W"]:
    """Returns the visits of a child of each root; 0 where there is none yet.

    A gather of single numbers would do, but with it the compiler of TPUs never ends for a search of
    a thousand games of Tribes: its assignment of layouts goes back and forth between two of them.
    """
    visits = tree.visits[lanes]
    is_child = jnp.arange(visits.shape[1]) == child[:, None]
    return jnp.where(is_child & (child != NO_CHILD)[:, None], visits, 0).sum(axis=-1)
