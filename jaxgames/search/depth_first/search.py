"""Depth-first search of two-seat games for a whole batch in one loop: NegaMax and its refinements.

Sources: alpha-beta in its fail-soft form (Fishburn, "Another optimization of alpha-beta search",
1983); principal variation search or NegaScout (Marsland and Campbell 1982, Reinefeld 1983); the
transposition table with Zobrist hashing; iterative deepening (Slate and Atkin, 1977); quiescence.

Every lane has its own stack and table, and its own place in its tree. One step of the loop makes
one move in every lane. At the horizon, the new position is scored; before it, the position is
expanded (`expand.py`), in the last ply with all its moves (`last_ply.py`). A finished node returns
its value to its parent. On a CPU a lane is searched by one kernel (`one_kernel`).

A win counts `WIN` minus one for each ply from the root, so a fast win is better than a slow one,
and a slow loss better than a fast one. A draw counts 0, any other position its score. Returns of a
game count by their sign only.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.batching.empty_batches import allows_empty
from jaxgames.internal import jax_modes
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.depth_first import transposition_table, zobrist
from jaxgames.search.depth_first.loop_step import loop_step
from jaxgames.search.depth_first.one_kernel import one_kernel
from jaxgames.search.depth_first.search_state import (
    NO_ACTION,
    Counters,
    Iterations,
    SearchState,
    Settings,
    empty_node,
    empty_stack,
    lane_of,
    with_lane,
)
from jaxgames.search.depth_first.transposition_table import TranspositionTable
from jaxgames.search.tree import packing

UNLIMITED = np.iinfo(np.int32).max  # steps of the loop, or moves
# On a CPU, so many lanes or fewer are searched one after the other, each by one kernel: 64 lanes of
# Onitama took a twelfth of the time of one loop for all. That loop makes three times as many moves
# a second with 1,024 lanes of Murus Gallicus, as long as all of them are busy.
MOST_IN_TURN = 128


class DepthFirstResult(NamedTuple):
    """The result of the deepest finished iteration in each lane.

    A lane without a finished iteration has action -1 and depth 0.
    """

    action: Int32[Array, "B"]
    value: Int32[Array, "B"]
    """The value for the seat to move: a score, or for a win `WIN` minus its plies."""
    variation: Int16[Array, "B depth"]
    """The principal variation, filled up with -1. It is short where a value came from the table."""
    depth: Int32[Array, "B"]
    """The plies searched."""
    iterations: Iterations
    statistics: Counters
    table: TranspositionTable | None


@dataclasses.dataclass(frozen=True)
class DepthFirst(Settings):
    """Searches to a fixed depth, by iterative deepening."""

    @jax_modes.standard
    @allows_empty("state", "params", "depth", "table")
    def search(
        self,
        params: Params,
        state: GameStates,
        key: PRNGKeyArray,
        depth: Int32[Array, "B"] | None = None,
        table: TranspositionTable | None = None,
    ) -> DepthFirstResult:
        """Returns the result for every position of a batch; finished games cost nothing.

        Args:
            params: the parameters of the score, with a leading axis `B` unless all lanes share
                them.
            state: the positions.
            key: decides between equal moves of the root.
            depth: the plies to search in each lane, from 1 to `max_depth`; None: `max_depth`.
            table: the table of an earlier search; None: an empty one.
        """
        search_state = self.start(params, state, key, depth, table)
        return self.result(self.advance(params, search_state, UNLIMITED))

    @jax_modes.standard
    def start(
        self,
        params: Params,
        state: GameStates,
        key: PRNGKeyArray,
        depth: Int32[Array, "B"] | None = None,
        table: TranspositionTable | None = None,
    ) -> SearchState:
        """Returns a search that `advance` carries on."""
        is_active = ~jax.vmap(self.rules.is_over)(state)
        batch_size = is_active.shape[0]
        target = jnp.full(batch_size, self.max_depth) if depth is None else depth
        target = jnp.clip(target, 1, self.max_depth).astype(jnp.int32)
        rules = self.rules
        if table is None and self.table_bits is not None:
            table = transposition_table.empty(batch_size, self.table_bits)
        zeros = jnp.zeros(batch_size, jnp.int32)
        unknown = jnp.full((batch_size, self.max_depth), NO_ACTION, jnp.int16)
        counts = jnp.zeros((batch_size, self.max_depth), jnp.int32)
        return SearchState(
            stack=empty_stack(
                packing.pack(state),
                self.levels,
                rules.max_legal_actions,
                rules.num_actions,
                self.max_depth,
            ),
            node=empty_node(batch_size),
            level=jnp.full(batch_size, -1),
            is_active=is_active,
            depth=jnp.ones_like(target) if self.deepening else target,
            target=target,
            table=None if table is None else transposition_table.aged(table),
            salt=self._salt(params, batch_size),
            noise=sampling.random_words(key, batch_size),
            statistics=Counters(*(zeros for _ in Counters._fields)),
            iterations=Iterations(counts, counts),
            finished=zeros,
            action=jnp.full(batch_size, NO_ACTION),
            value=zeros,
            variation=unknown,
        )

    def _salt(self, params: Params, batch_size: int) -> UInt32[Array, "B 2"]:
        if self.table_bits is None:
            return jnp.zeros((batch_size, zobrist.LANES), jnp.uint32)
        if not self.shares_params:
            return zobrist.salt(params, batch_size)
        one = zobrist.salt(jax.tree.map(lambda x: x[None], params), 1)
        return jnp.broadcast_to(one, (batch_size, *one.shape[1:]))

    @jax_modes.standard
    def advance(
        self,
        params: Params,
        search_state: SearchState,
        steps: int | Array,
        nodes: int | Array = UNLIMITED,
    ) -> SearchState:
        """Returns the search after at most `steps` more steps of the loop, or `nodes` more moves.

        The step in which a lane makes the last of these moves may make further ones.
        """
        like = jax.eval_shape(self.rules.init, jax.random.key(0))

        def all_steps(params: Params, first: SearchState, most: Array) -> SearchState:
            steps, nodes = most

            def goes_on(carry: tuple[SearchState, Int32[Array, ""]]) -> Bool[Array, ""]:
                made = carry[0].statistics.nodes - first.statistics.nodes
                return carry[0].is_active.any() & (carry[1] < steps) & (made < nodes).all()

            def one_step(
                carry: tuple[SearchState, Int32[Array, ""]],
            ) -> tuple[SearchState, Int32[Array, ""]]:
                return loop_step(self, params, carry[0], like), carry[1] + 1

            return jax.lax.while_loop(goes_on, one_step, (first, jnp.int32(0)))[0]

        most = jnp.stack([jnp.asarray(x, jnp.int32) for x in (steps, nodes)])
        lanes = search_state.level.shape[0]
        if 1 <= lanes <= MOST_IN_TURN:
            one = jax.eval_shape(functools.partial(lane_of, lanes), search_state, 0)
            some = params if self.shares_params else jax.tree.map(lambda x: x[:1], params)
            kernel = one_kernel(all_steps, some, one, most)
            if kernel is not None:
                return self._in_turn(kernel, params, search_state, most)
        return all_steps(params, search_state, most)

    def _in_turn(
        self,
        kernel: Callable[..., SearchState],
        params: Params,
        search_state: SearchState,
        most: Int32[Array, "2"],
    ) -> SearchState:
        """Returns the search after `most` steps or moves in each lane, one lane after the other."""
        lanes = search_state.level.shape[0]
        if lanes == 1:
            return kernel(params, search_state, most)

        def one(lane: Int32[Array, ""], carry: SearchState) -> SearchState:
            own = params
            if not self.shares_params:
                own = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, lane, 1), params)
            return with_lane(lanes, carry, lane, kernel(own, lane_of(lanes, carry, lane), most))

        return jax.lax.fori_loop(0, lanes, one, search_state)

    @jax_modes.standard
    def result(self, search_state: SearchState) -> DepthFirstResult:
        """Returns the result so far."""
        return DepthFirstResult(
            action=search_state.action,
            value=search_state.value,
            variation=search_state.variation,
            depth=search_state.finished,
            iterations=search_state.iterations,
            statistics=search_state.statistics,
            table=search_state.table,
        )
