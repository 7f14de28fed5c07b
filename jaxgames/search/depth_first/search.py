"""Depth-first search of two-seat games for a whole batch in one loop: NegaMax and its refinements.

Sources: alpha-beta in its fail-soft form (Fishburn, "Another optimization of alpha-beta search",
1983); principal variation search or NegaScout (Marsland and Campbell 1982, Reinefeld 1983); the
transposition table with Zobrist hashing; iterative deepening (Slate and Atkin, 1977); quiescence.

Every lane has its own stack, table and place in its own tree. One turn of the loop makes one move
in every lane: the position it leads to is scored where it is the last one looked ahead, otherwise
entered; nodes that are finished hand their value to their parent. Positions that are entered need
their moves listed, which costs most and is needed least often, so only a part of the lanes may do
so in one turn; the others wait. A result does not depend on that.

A win counts `WIN` less one for each ply from the root, so the faster win is better and the slower
loss too; a draw 0, other positions what the score says. Outcomes count by their sign.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.search.agent import GameStates, Params
from jaxgames.search.depth_first import table as tables
from jaxgames.search.depth_first import zobrist
from jaxgames.search.depth_first.loop_step import loop_step
from jaxgames.search.depth_first.search_state import (
    NO_ACTION,
    Iterations,
    SearchState,
    Statistics,
    empty_node,
    empty_stack,
)
from jaxgames.search.depth_first.settings import Settings
from jaxgames.search.depth_first.table import Table
from jaxgames.search.tree import packing


class DepthFirstResult(NamedTuple):
    """The result of a search: that of the deepest finished iteration in each lane.

    Of a lane without a finished iteration the action is -1, and the depth 0.
    """

    action: Int32[Array, "B"]
    value: Int32[Array, "B"]
    """Value for the seat to move: a score, or beyond `MAX_SCORE` a win, `WIN` less the plies."""
    variation: Int16[Array, "B depth"]
    """The principal variation, then -1. It ends early where a value came from the table."""
    depth: Int32[Array, "B"]
    """Plies looked ahead."""
    iterations: Iterations
    statistics: Statistics
    table: Table | None


@dataclasses.dataclass(frozen=True)
class DepthFirst(Settings):
    """Searches to a fixed depth, by iterative deepening."""

    def search(
        self,
        params: Params,
        state: GameStates,
        key: PRNGKeyArray,
        depth: Int32[Array, "B"] | None = None,
        table: Table | None = None,
    ) -> DepthFirstResult:
        """Searches every position of a batch; those that are over cost nothing.

        `params` go to the score and have a leading axis of lanes. `depth` is the depth of each
        lane, from 1 to `max_depth`. A table of an earlier search is used and returned.
        """
        search_state = self.start(params, state, key, depth, table)
        return self.result(self.advance(params, search_state, np.iinfo(np.int32).max))

    def start(
        self,
        params: Params,
        state: GameStates,
        key: PRNGKeyArray,
        depth: Int32[Array, "B"] | None = None,
        table: Table | None = None,
    ) -> SearchState:
        """Returns a search that `advance` carries on."""
        is_active = ~jax.vmap(self.rules.is_over)(state)
        batch_size = is_active.shape[0]
        target = jnp.full(batch_size, self.max_depth) if depth is None else depth
        target = jnp.clip(target, 1, self.max_depth).astype(jnp.int32)
        rules = self.rules
        if table is None and self.table_bits is not None:
            table = tables.empty(batch_size, self.table_bits)
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
            table=None if table is None else tables.aged(table),
            salt=zobrist.salt(params, batch_size),
            noise=sampling.random_words(key, batch_size),
            statistics=Statistics(*(zeros for _ in Statistics._fields)),
            iterations=Iterations(counts, counts),
            finished=zeros,
            action=jnp.full(batch_size, NO_ACTION),
            value=zeros,
            variation=unknown,
        )

    def advance(self, params: Params, search_state: SearchState, steps: int | Array) -> SearchState:
        """Carries a search on for at most `steps` turns of the loop."""
        like = jax.eval_shape(self.rules.init, jax.random.key(0))

        def goes_on(carry: tuple[SearchState, Int32[Array, ""]]) -> Bool[Array, ""]:
            return carry[0].is_active.any() & (carry[1] < steps)

        def one_step(
            carry: tuple[SearchState, Int32[Array, ""]],
        ) -> tuple[SearchState, Int32[Array, ""]]:
            return loop_step(self, params, carry[0], like), carry[1] + 1

        return jax.lax.while_loop(goes_on, one_step, (search_state, jnp.int32(0)))[0]

    def result(self, search_state: SearchState) -> DepthFirstResult:
        """Returns what a search has found so far."""
        return DepthFirstResult(
            action=search_state.action,
            value=search_state.value,
            variation=search_state.variation,
            depth=search_state.finished,
            iterations=search_state.iterations,
            statistics=search_state.statistics,
            table=search_state.table,
        )
