"""The next position of each lane: the move that leads to it, then its expansion.

To expand a position is to look it up in the table and to list its moves. That is the dearest part
of a step and the one needed least often. So only some lanes expand in one step, and the others
wait. Results do not depend on which lanes wait.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.batching.trees import choose, select_rows
from jaxgames.search import action_slots
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.depth_first import ordering, transposition_table, zobrist
from jaxgames.search.depth_first.last_ply import judge, search_moves
from jaxgames.search.depth_first.rows import FEW_LANES, once, read, written
from jaxgames.search.depth_first.search_state import (
    INFINITY,
    NO_ACTION,
    WIN,
    Counters,
    SearchNode,
    SearchState,
    Settings,
    Stack,
    counted_from,
    unpack_node,
)
from jaxgames.search.depth_first.transposition_table import EXACT, LOWER
from jaxgames.search.tree import packing


class Child(NamedTuple):
    """The position that each lane searches in one step."""

    words: UInt32[Array, "B words"]
    game: GameStates
    level: Int32[Array, "B"]
    action: Int32[Array, "B"]
    key: Int32[Array, "B"]
    alpha: Int32[Array, "B"]
    beta: Int32[Array, "B"]
    is_null: Bool[Array, "B"]
    mover: Int32[Array, "B"]  # seat to move at the current node
    negates: Bool[Array, "B"]
    is_over: Bool[Array, "B"]
    value: Int32[Array, "B"]  # outcome or static score, for the seat to move there
    left: Int32[Array, "B"]  # plies still to look ahead


def next_child(
    settings: Settings, params: Params, s: SearchState, row: Int32[Array, "B"], like: Any
) -> Child:
    """Returns the position after the next move of the current node; the root at the start."""
    node, begins = s.node, s.level < 0
    keys = read(s.stack.keys, row)
    key = ordering.greatest(jnp.where(keys < node.last[:, None], keys, 0))
    key = once(jnp.where(node.again == 1, node.last, key))
    action = ordering.action_of(key, settings.rules.num_actions)
    action = jnp.where(begins, 0, action)
    games = packing.unpack(read(s.stack.words, row), like)
    moved = jax.vmap(lambda game, move: settings.rules.step(game, move, None))(games, action)
    moved = select_rows(begins, games, moved)

    to_move = jax.vmap(settings.rules.to_move)
    seat, mover = to_move(moved), to_move(games)
    negates = seat != mover
    level = s.level + 1
    lower, upper = node.lower, node.beta
    is_null = jnp.zeros_like(begins)
    if settings.pruning == "pvs":
        is_null = (node.last != ordering.FIRST) & (node.again == 0) & (upper - lower > 1)
        upper = jnp.where(is_null, lower + 1, upper)
    alpha = jnp.where(negates, -upper, lower)
    beta = jnp.where(negates, -lower, upper)
    if settings.pruning != "none":
        beta = jnp.minimum(beta, WIN - level - 1)  # to win with the next move is best
    full = begins | (settings.pruning == "none")
    of_params = None if settings.shares_params else 0
    judgement = jax.vmap(
        lambda params, game, level: judge(settings, params, game, level), (of_params, 0, 0)
    )(params, moved, level)
    words = once(packing.pack(moved))
    return Child(
        words=words,
        game=packing.unpack(words, like),
        level=level,
        action=action,
        key=key,
        alpha=jnp.where(full, -INFINITY, alpha),
        beta=jnp.where(full, INFINITY, beta),
        is_null=is_null & ~begins,
        mover=mover,
        negates=negates,
        is_over=judgement.is_over,
        value=judgement.value,
        left=s.depth - level,
    )


# With more than a few lanes, one in so many expands in one step, and the moves of the last ply are
# made one after the other: a batch has enough to do without moves that need not be made.
_LANES_PER_EXPANSION = 4


class Expansion(NamedTuple):
    """The result of expansion in each lane."""

    was_tried: Bool[Array, "B"]  # lanes served in this step; the others wait
    has_value: Bool[Array, "B"]  # not expanded: the table gives its value, or it is quiet
    value: Int32[Array, "B"]
    is_exact: Bool[Array, "B"]
    node: SearchNode
    made: Int32[Array, "B"]  # moves of the last ply that were made
    stack: Stack
    statistics: Counters


def expand(
    settings: Settings, params: Params, s: SearchState, child: Child, needed: Bool[Array, "B"]
) -> Expansion:
    """Returns the expansion of the children where `needed`, in as many lanes as a step serves."""
    rules, batch_size = settings.rules, len(needed)
    is_small = batch_size <= FEW_LANES
    width = batch_size if is_small else -(-batch_size // _LANES_PER_EXPANSION)
    lane = jnp.arange(batch_size, dtype=jnp.int32)
    chosen = jnp.where(needed, lane, batch_size) if is_small else _first_lanes(needed, width)
    at = lane if is_small else jnp.minimum(chosen, batch_size - 1)
    some = child if is_small else jax.tree.map(lambda x: x[at], child)
    is_chosen = chosen < batch_size
    begins = some.level == 0
    is_quiet = some.left <= 0

    masks = jax.vmap(rules.packed_legal_actions)(some.game)
    if settings.tactics is not None and settings.quiescence:
        noisy = action_slots.pack(jax.vmap(settings.tactics.noisy)(some.game))
        masks = jnp.where(is_quiet[:, None], masks & noisy, masks)
    actions, is_used = action_slots.legal_list(masks, rules.max_legal_actions)

    statistics = s.statistics
    value, is_exact, has_value = some.value, jnp.ones_like(begins), jnp.zeros_like(begins)
    first = jnp.where(begins, s.action[at], NO_ACTION)
    hashes = jnp.zeros((width, zobrist.LANES), jnp.uint32)
    if settings.table_bits is not None and s.table is not None:
        hashes = zobrist.position_hash(some.words) ^ s.salt[at]
        probed = is_chosen & ~is_quiet
        entry = transposition_table.probe(
            s.table.entries, transposition_table.rows(at, hashes, settings.table_bits), hashes
        )
        known = entry._replace(value=counted_from(entry.value, -some.level))
        # If another position had the same hash, its move would most likely be illegal here.
        is_legal = (is_used & (actions == known.action[:, None])).any(axis=1)
        is_hit = probed & known.is_known & is_legal
        first = jnp.where(is_hit & (first == NO_ACTION), known.action, first)
        cuts = (known.bound == EXACT) | jnp.where(
            known.bound == LOWER, known.value >= some.beta, known.value <= some.alpha
        )
        has_value = is_hit & ~begins & (known.depth >= some.left) & cuts
        value = jnp.where(has_value, known.value, value)
        is_exact = ~has_value | (known.bound == EXACT)
        counted = _added if is_small else functools.partial(_added_in_lanes, chosen)
        statistics = statistics._replace(
            probes=counted(statistics.probes, probed),
            hits=counted(statistics.hits, is_hit),
            cuts=counted(statistics.cuts, has_value),
        )

    has_value, value, is_exact, first = once((has_value, value, is_exact, first))
    keys = once(_keys(settings, s, some, at, actions, is_used, first))
    count = (keys > 0).sum(axis=1, dtype=jnp.int32)
    if settings.quiescence:
        stays = is_quiet & ((count == 0) | (some.value >= some.beta))
        has_value = has_value | stays
        # If moves are left, the score is only a lower bound.
        is_exact = is_exact & ~(stays & (count > 0))

    enters, row = is_chosen & ~has_value, at * settings.levels + some.level
    stack = s.stack._replace(
        keys=written(s.stack.keys, row, keys, enters),
        words=written(s.stack.words, row, some.words, enters),
    )
    node = SearchNode(
        alpha=some.alpha,
        beta=some.beta,
        best=jnp.where(is_quiet, some.value, -INFINITY),
        best_action=jnp.full(width, NO_ACTION),
        last=jnp.full(width, ordering.FIRST),
        left=count,
        again=jnp.zeros(width, jnp.int32),
        is_null=some.is_null.astype(jnp.int32),
        negates=some.negates.astype(jnp.int32),
        hash=jax.lax.bitcast_convert_type(hashes[:, 0], jnp.int32),
        check=jax.lax.bitcast_convert_type(hashes[:, 1], jnp.int32),
    )
    made = jnp.zeros(width, jnp.int32)
    if is_small and not settings.shares_params:
        judged, made = search_moves(settings, params, some.game, some.level, keys, node)
        is_last = some.left == 1 - settings.quiescence
        node = once(choose(is_last, judged, node))
        made = jnp.where(is_last, made, 0)
    # A position that is not over has a move, so `count > 0` always holds here. The test makes the
    # later writes to history and killers depend on the reads of them; otherwise the compiler would
    # copy these arrays in every step.
    was_tried = is_chosen & (has_value | (count > 0))
    found = Expansion(was_tried, has_value, value, is_exact, node, made, stack, statistics)
    return found if is_small else _in_their_lanes(found, chosen, batch_size)


def _in_their_lanes(some: Expansion, chosen: Int32[Array, "W"], batch_size: int) -> Expansion:
    """Returns the results of the chosen lanes in all lanes."""
    numbers = [some.was_tried, some.has_value, some.value, some.is_exact, *some.node]
    results = jnp.stack(numbers, axis=1).astype(jnp.int32)
    full = jnp.zeros((batch_size, results.shape[1]), jnp.int32)
    full = full.at[chosen].set(results, mode="drop")
    return some._replace(
        was_tried=full[:, 0] == 1,
        has_value=full[:, 1] == 1,
        value=full[:, 2],
        is_exact=full[:, 3] == 1,
        node=unpack_node(full[:, 4:]),
        made=jnp.zeros(batch_size, jnp.int32),
    )


def _keys(
    settings: Settings,
    s: SearchState,
    some: Child,
    at: Int32[Array, "W"],
    actions: Int32[Array, "W slots"],
    is_used: Bool[Array, "W slots"],
    first: Int32[Array, "W"],
) -> Int32[Array, "W slots"]:
    """Returns the keys that order the moves of each position."""
    size = settings.rules.num_actions
    seat = jax.vmap(settings.rules.to_move)(some.game)
    index = (at * 2 + seat)[:, None] * size + actions
    history = s.stack.history[index].astype(jnp.int32)
    by_chance = ordering.chance(actions, s.noise[at], size)
    history = jnp.where((some.level == 0)[:, None], by_chance, history)
    bonus: Int32[Array, "W slots"] | int = 0
    if settings.tactics is not None:
        bonus = jax.vmap(settings.tactics.bonus)(some.game, actions)
    killers = read(s.stack.killers, at * settings.levels + some.level)
    return ordering.keys(
        actions,
        is_used,
        first=first,
        bonus=bonus,
        killers=killers,
        history=history,
        num_actions=size,
    )


def _first_lanes(needed: Bool[Array, "B"], width: int) -> Int32[Array, "W"]:
    """Returns the first `width` lanes where `needed` holds, then the number of lanes."""
    batch_size = len(needed)
    place = jnp.where(needed, jnp.cumsum(needed, dtype=jnp.int32) - 1, width)
    lanes = jnp.full(width, batch_size, jnp.int32)
    return lanes.at[place].set(jnp.arange(batch_size, dtype=jnp.int32), mode="drop")


def _added(counts: Int32[Array, "B"], mask: Bool[Array, "B"]) -> Int32[Array, "B"]:
    return counts + mask


def _added_in_lanes(
    lane: Int32[Array, "W"], counts: Int32[Array, "B"], mask: Bool[Array, "W"]
) -> Int32[Array, "B"]:
    return counts.at[lane].add(mask, mode="drop")
