"""Descent: from the root to a leaf in all lanes together, one level in each round of a loop.

The loop reads the tree, never writes it, and carries a few numbers for each lane.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames.batching.trees import select_rows
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates
from jaxgames.search.tree import access, arrays, backup, views, whole
from jaxgames.search.tree.arrays import EXPANDED, NO_CHILD, ROOT, Edge, NodeView, Trees
from jaxgames.search.tree.policy import TreePolicy

Step = Callable[[GameStates, Int32[Array, "W"], Int32[Array, ""]], GameStates]
"""Plays an action in each lane; the third argument, the depth, selects the draw of chance."""


class RootEdges(NamedTuple):
    """The edges selected at the roots."""

    lanes: Int32[Array, "W"]
    runs: Bool[Array, "W"]  # lanes that take part
    edge: Edge
    is_given: bool = False  # instead of selected by what the nodes show


class Leaf(NamedTuple):
    """The end of a descent: the leaf lies behind `edge` of the node `parent`."""

    parent: Int32[Array, "W"]
    edge: Edge
    state: GameStates  # the game at the leaf
    marks: Array
    """The nodes between root and leaf: their numbers by width, see `backup`, or in trees that are
    read as a whole their mask `[B, N]`."""


def only_edge(
    tree: Trees,
    lanes: Int32[Array, "W"],
    order: Float[Array, "W K"],
    place: Int32[Array, "W"],
) -> Edge:
    """Returns the edge of roots through which all simulations of a lane go.

    Args:
        tree: the trees, whose roots have no other child.
        lanes: the games.
        order: of the slots of the roots, the greatest number first.
        place: of the slot in that order, from 0.
    """
    has_child = tree.used > 1 if tree.is_whole else tree.stored.children[lanes, ROOT] > 0
    slots = jnp.arange(order.shape[-1])
    here, other = order[:, :, None], order[:, None, :]
    is_before = (other > here) | ((other == here) & (slots < slots[:, None]))
    slot = (is_before.sum(axis=-1) == place[:, None]).argmax(axis=-1).astype(jnp.int32)
    child = jnp.where(has_child, ROOT + 1, NO_CHILD)
    prior = arrays.prior_of(tree.log_prior[lanes, ROOT, slot])
    return Edge(slot, child, jnp.where(has_child, tree.prior[lanes, child], prior))


def action_of(
    tree: Trees, lanes: Int32[Array, "W"], node: Int32[Array, "W"], slot: Int32[Array, "W"]
) -> Int32[Array, "W"]:
    """Returns the actions that slots stand for."""
    if tree.action is None:
        return slot
    if tree.is_whole:
        return access.along_last(access.of_each(tree.action, node), slot).astype(jnp.int32)
    return access.read_before(tree.action[lanes, node, slot].astype(jnp.int32), lanes)


class End(NamedTuple):
    """The end of a descent along stored edges."""

    depth: Int32[Array, ""]  # edges on the longest path, without the one of the root
    parent: Int32[Array, "W"]
    edge: Edge
    marks: Array  # see `Leaf`


def descend_closed_loop(
    tree: Trees,
    policy: TreePolicy,
    start: RootEdges,
    states: Callable[[Int32[Array, "W"]], GameStates],
    step: Step,
    stays: Bool[Array, "W"],
) -> Leaf:
    """Descends through nodes that stand for states: each keeps the chance first drawn for it.

    Args:
        tree: the trees.
        policy: selects below the root.
        start: the edges selected at the roots.
        states: returns the game states at one node of each lane.
        step: plays an action.
        stays: lanes that take no part, and whose leaf is the root.
    """
    if tree.is_whole:
        end = End(*whole.descend(tree, start.runs, start.edge, start.is_given, policy.below_root))
    else:
        end = follow_next_edges(tree, start)
    action = action_of(tree, start.lanes, end.parent, end.edge.slot)
    state = states(end.parent)
    state = select_rows(stays, state, step(state, action, end.depth))
    return Leaf(end.parent, end.edge, state, end.marks)


def follow_next_edges(
    tree: Trees,
    start: RootEdges,
    choose: Callable[[Int32[Array, "W"], Int32[Array, ""], Bool[Array, "W"]], Edge] | None = None,
    max_depth: Int32[Array, ""] | int | None = None,
) -> End:
    """Follows the edge that each node takes next, down to a leaf.

    Args:
        tree: the trees.
        start: the edges selected at the roots.
        choose: returns the edges to take from one node of each lane at a depth, where the last
            argument holds; None: those that the nodes store.
        max_depth: the most edges of a path, at least 1; None: no limit.
    """
    lanes, runs, edge, _ = start
    links = tree.stored
    batch, _, most = links.child.shape

    def may_go_on(child: Int32[Array, "W"], edges: Int32[Array, ""] | int) -> Bool[Array, "W"]:
        """Returns where a path goes on after the edge to `child`, with `edges` above that one."""
        goes_on = views.can_descend(tree, lanes, child)
        return goes_on if max_depth is None else goes_on & (edges + 1 < max_depth)

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        level, node, edge, counts, goes_on = carry
        node = jnp.where(goes_on, edge.child, node)
        if choose is None:
            below = next_edge(tree, lanes, node)
        else:
            below = choose(node, level + 1, goes_on)
        edge = select_rows(goes_on, below, edge)
        counts = counts + (backup.by_width(links.children[lanes, node], batch, most) & goes_on)
        level = level + 1
        goes_on = goes_on & may_go_on(edge.child, level)
        return level, node, edge, counts, goes_on

    goes_on = runs & may_go_on(edge.child, 0)
    counts = no_counts(tree, lanes)
    first = jnp.int32(0), jnp.full_like(lanes, ROOT), edge, counts, goes_on
    level, node, edge, counts, _ = jax.lax.while_loop(
        lambda carry: carry[-1].any(), one_level, first
    )
    return End(level, node, edge, counts)


def next_edge(tree: Trees, lanes: Int32[Array, "W"], node: Int32[Array, "W"]) -> Edge:
    """Returns the edges that nodes take next."""
    links = tree.stored
    tied = None if links.next_tied is None else links.next_tied[lanes, node]
    stored = (links.next_slot, links.next_child, links.next_prior)
    return Edge(*(x[lanes, node] for x in stored))._replace(tied=tied)


def descend_open_loop(
    tree: Trees,
    policy: TreePolicy,
    rules: Rules,
    start: RootEdges,
    root_states: GameStates,
    step: Step,
) -> Leaf:
    """Descends through nodes that stand for sequences of actions.

    Each game is played again from `root_states`, with new chance. At a node, only the actions that
    are legal in the state reached this time can be selected; if there is none, the descent ends. A
    node where the game ended in an earlier simulation and goes on in this one is a leaf.
    """
    lanes, runs, edge, _ = start
    node = jnp.full_like(lanes, ROOT)
    state = step(root_states, action_of(tree, lanes, node, edge.slot), jnp.int32(0))

    def may_go_on(child: Int32[Array, "W"], state: GameStates) -> Bool[Array, "W"]:
        return views.can_descend(tree, lanes, child) & ~jax.vmap(rules.is_over)(state)

    def one_level(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        level, node, edge, state, goes_on = carry
        level = level + 1
        seen = views.view(tree, lanes, edge.child, jax.vmap(rules.to_move)(state))
        seen = _legal_now(tree, rules, lanes, edge.child, state, seen)
        goes_on = goes_on & (seen.is_child.any(axis=-1) | (seen.best_unexpanded_prior > 0))
        node = jnp.where(goes_on, edge.child, node)
        below = views.follow(tree, lanes, seen, policy.below_root(seen))
        edge = select_rows(goes_on, below, edge)
        moved = step(state, action_of(tree, lanes, node, edge.slot), level)
        state = select_rows(goes_on, moved, state)
        return level, node, edge, state, goes_on & may_go_on(edge.child, state)

    first = jnp.int32(0), node, edge, state, runs & may_go_on(edge.child, state)
    _, node, edge, state, _ = jax.lax.while_loop(lambda carry: carry[-1].any(), one_level, first)
    return Leaf(node, edge, state, no_counts(tree, lanes))


def no_counts(tree: Trees, lanes: Int32[Array, "W"]) -> Int32[Array, "widths W"]:
    """Returns the counts of a path without nodes below the root."""
    batch, _, most = tree.stored.child.shape
    return jnp.zeros((len(backup.widths(batch, most)), len(lanes)), jnp.int32)


def _legal_now(
    tree: Trees,
    rules: Rules,
    lanes: Int32[Array, "W"],
    node: Int32[Array, "W"],
    state: GameStates,
    seen: NodeView,
) -> NodeView:
    """Returns the view without the actions that are illegal in `state`."""
    is_legal = jax.vmap(rules.legal_actions)(state)
    if tree.action is not None:
        action = tree.action[lanes, node].astype(jnp.int32)
        is_legal = jnp.take_along_axis(is_legal, action, axis=-1)
    is_child = seen.is_child & jnp.take_along_axis(is_legal, seen.slot, axis=-1)
    log_prior = jnp.where(is_legal, tree.log_prior[lanes, node].astype(jnp.float32), EXPANDED)
    unexpanded_priors = arrays.prior_of(log_prior)
    return seen._replace(
        is_child=is_child,
        child_visits=jnp.where(is_child, seen.child_visits, 0),
        unexpanded_slot=log_prior.argmax(axis=-1).astype(jnp.int32),
        best_unexpanded_prior=unexpanded_priors.max(axis=-1),
        unexpanded_prior=unexpanded_priors.sum(axis=-1),
    )


def sample_determinizations(
    rules: Rules, state: GameStates, count: int, key: PRNGKeyArray
) -> GameStates:
    """Returns `count` determinizations of each game, as a new leading axis.

    The seat to move cannot tell them apart. Without hidden information, there is one: the state.
    """
    if rules.perfect_information:
        return jax.tree.map(lambda x: x[None], state)
    size = jax.tree.leaves(state)[0].shape[0]
    seat = jax.vmap(rules.to_move)(state)
    keys = jax.random.split(key, (count, size))
    return jax.vmap(jax.vmap(rules.sample_belief), in_axes=(None, None, 0))(state, seat, keys)


def determinization_for(
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
