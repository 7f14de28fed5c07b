"""One step of the loop: every lane makes one move and passes values up its stack."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32

from jaxgames.batching.trees import choose
from jaxgames.search.agent import Params
from jaxgames.search.depth_first import ordering, transposition_table
from jaxgames.search.depth_first.expand import Child, expand, next_child
from jaxgames.search.depth_first.rows import once, read, written
from jaxgames.search.depth_first.search_state import (
    NO_ACTION,
    Iterations,
    SearchNode,
    SearchState,
    Settings,
    Stack,
    counted_from,
    pack_node,
    unpack_node,
)
from jaxgames.search.depth_first.transposition_table import (
    EXACT,
    LOWER,
    UPPER,
    Entry,
    TranspositionTable,
)
from jaxgames.search.evaluators.integer_score import MAX_SCORE


def loop_step(settings: Settings, params: Params, s: SearchState, like: Any) -> SearchState:
    """Returns the search after one move in each lane; finished nodes return their value."""
    lane = jnp.arange(s.level.shape[0])
    row = lane * settings.levels + jnp.maximum(s.level, 0)
    begins = s.level < 0
    opens = s.is_active & (begins | ~s.node.is_finished)

    child = next_child(settings, params, s, row, like)
    child = once(child._replace(game=()))._replace(game=child.game)
    is_leaf = ~begins & (child.is_over | (child.left <= -settings.quiescence))
    expansion = expand(settings, params, s, child, opens & ~is_leaf)

    has_value = opens & (is_leaf | expansion.has_value)
    value = jnp.where(is_leaf, child.value, expansion.value)
    is_exact = is_leaf | expansion.is_exact
    enters = opens & ~is_leaf & expansion.was_tried & ~expansion.has_value

    # The current node gets the value of the child, or waits on the stack for it.
    node, improves = _with_value(
        s.node, child, jnp.where(child.negates, -value, value), has_value, is_exact
    )
    node = once(node._replace(last=jnp.where(enters & ~begins, child.key, node.last)))
    stack = expansion.stack
    stack = stack._replace(node=written(stack.node, row, pack_node(node), enters & ~begins))
    line = read(stack.variation, row)
    node, level = choose(enters, expansion.node, node), s.level + enters
    row = lane * settings.levels + jnp.maximum(level, 0)
    is_new = improves | enters
    line = jnp.where(is_new[:, None], _line_of(node.best_action, settings.max_depth), line)
    # A quiet position may have no best move: then the stored line belongs to another node.
    line = jnp.where((node.best_action == NO_ACTION)[:, None], NO_ACTION, line)

    # A finished node returns its value to its parent, which becomes the current node. A node of the
    # last ply is finished at once.
    node, level, row = once((node, level, row))
    closes = once(s.is_active & (level >= 0) & node.is_finished)
    parent = unpack_node(read(stack.node, jnp.maximum(row - 1, 0)))
    has_parent = closes & (level > 0)
    above, improves_above = once(_returned(parent, node, has_parent, settings.rules.num_actions))
    line_above = jnp.concatenate(
        [above.best_action.astype(jnp.int16)[:, None], line[:, :-1]], axis=1
    )
    stack = stack._replace(
        variation=written(
            stack.variation,
            row - improves_above,
            jnp.where(improves_above[:, None], line_above, line),
            improves_above | (improves & ~closes),
        )
    )
    left = s.depth - level  # plies still to search below the current node
    seat = jnp.where(enters & child.negates, 1 - child.mover, child.mover)
    cuts = closes & (node.best >= node.beta) & (left > 0)
    stack = _learn(settings, stack, node, seat, row, left, cuts)
    table, stores = _store(settings, s, node, lane, left, closes & (left > 0))

    made = jnp.where(enters, expansion.made, 0)
    statistics = expansion.statistics._replace(
        nodes=s.statistics.nodes + ((has_value | enters) & ~begins) + made,
        stores=s.statistics.stores + stores,
    )
    s = s._replace(
        stack=stack,
        node=choose(has_parent, above, node),
        level=level - closes,
        table=table,
        statistics=statistics,
    )
    return _finish_iteration(s, node, line, closes & (s.level < 0))


def _learn(
    settings: Settings,
    stack: Stack,
    node: SearchNode,
    seat: Int32[Array, "B"],
    row: Int32[Array, "B"],
    left: Int32[Array, "B"],
    cuts: Bool[Array, "B"],
) -> Stack:
    """Returns the stacks with killers and history updated by the moves that cut a search."""
    size = settings.rules.num_actions
    old = read(stack.killers, row)
    is_new = cuts & (old[:, 0] != node.best_action)
    killers = jnp.stack([node.best_action, old[:, 0]], axis=1)
    lane = jnp.arange(len(row))
    index = (lane * 2 + seat) * size + jnp.maximum(node.best_action, 0)
    gained = ordering.learned(read(stack.history, index), left, size)
    return stack._replace(
        killers=written(stack.killers, row, killers, is_new),
        history=written(stack.history, index, gained, cuts),
    )


def _store(
    settings: Settings,
    s: SearchState,
    node: SearchNode,
    lane: Int32[Array, "B"],
    left: Int32[Array, "B"],
    closes: Bool[Array, "B"],
) -> tuple[TranspositionTable | None, Bool[Array, "B"]]:
    """Returns the tables with the values of finished nodes, and the mask of values stored."""
    if settings.table_bits is None or s.table is None:
        return s.table, jnp.zeros_like(closes)
    words = [node.hash, node.check]
    hashes = jnp.stack([jax.lax.bitcast_convert_type(x, jnp.uint32) for x in words], axis=1)
    bound = jnp.where(node.best >= node.beta, LOWER, EXACT)
    entry = Entry(
        is_known=closes,
        value=counted_from(node.best, s.depth - left),
        bound=jnp.where(node.best <= node.alpha, UPPER, bound),
        depth=left,
        action=jnp.maximum(node.best_action, 0),
    )
    row = transposition_table.rows(lane, hashes, settings.table_bits)
    return transposition_table.store(s.table, row, hashes, entry, closes)


def _with_value(
    node: SearchNode,
    child: Child,
    value: Int32[Array, "B"],
    has_value: Bool[Array, "B"],
    is_exact: Bool[Array, "B"],
) -> tuple[SearchNode, Bool[Array, "B"]]:
    """Returns the nodes after a child that has a value, and the mask of improved nodes."""
    inside = (value > node.lower) & (value < node.beta)
    again = has_value & child.is_null & inside & ~is_exact
    accepted = has_value & ~again
    improves = accepted & (value > node.best)
    return node._replace(
        best=jnp.where(improves, value, node.best),
        best_action=jnp.where(improves, child.action, node.best_action),
        last=jnp.where(has_value, child.key, node.last),
        left=node.left - accepted,
        again=jnp.where(has_value, again.astype(jnp.int32), node.again),
    ), improves


def _returned(
    parent: SearchNode, node: SearchNode, returns: Bool[Array, "B"], num_actions: int
) -> tuple[SearchNode, Bool[Array, "B"]]:
    """Returns the parents after finished nodes returned, and the mask of improved parents."""
    value = node.seen_from(node.negates)
    inside = (value > parent.lower) & (value < parent.beta)
    again = returns & (node.is_null == 1) & inside
    accepted = returns & ~again
    improves = accepted & (value > parent.best)
    action = ordering.action_of(parent.last, num_actions)
    return parent._replace(
        best=jnp.where(improves, value, parent.best),
        best_action=jnp.where(improves, action, parent.best_action),
        left=parent.left - accepted,
        again=again.astype(jnp.int32),
    ), improves


def _finish_iteration(
    s: SearchState, root: SearchNode, line: Int16[Array, "B depth"], finishes: Bool[Array, "B"]
) -> SearchState:
    """Returns the search with finished iterations recorded; lanes go on to their next depth."""
    value, nodes = s.iterations
    is_here = finishes[:, None] & (jnp.arange(value.shape[1]) == s.depth[:, None] - 1)
    new_nodes = s.statistics.nodes - nodes.sum(axis=1)
    iterations = Iterations(
        jnp.where(is_here, root.best[:, None], value),
        jnp.where(is_here, new_nodes[:, None], nodes),
    )
    # A win or loss within the depth searched is certain, and the shortest.
    is_proven = jnp.abs(root.best) > MAX_SCORE
    ends = finishes & ((s.depth >= s.target) | is_proven)
    return s._replace(
        is_active=s.is_active & ~ends,
        depth=jnp.where(finishes & ~ends, s.depth + 1, s.depth),
        iterations=iterations,
        finished=jnp.where(finishes, s.depth, s.finished),
        action=jnp.where(finishes, root.best_action, s.action),
        value=jnp.where(finishes, root.best, s.value),
        variation=jnp.where(finishes[:, None], line, s.variation),
    )


def _line_of(action: Int32[Array, "B"], depth: int) -> Int16[Array, "B depth"]:
    """Returns lines that consist of one move."""
    rest = jnp.full((len(action), depth - 1), NO_ACTION, jnp.int16)
    return jnp.concatenate([action.astype(jnp.int16)[:, None], rest], axis=1)
