"""`DepthFirstPieces`: a depth-first search of one position in pieces of its loop."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import Params
from jaxgames.search.depth_first.search import UNLIMITED, DepthFirst, DepthFirstResult
from jaxgames.search.depth_first.search_state import SearchState
from jaxgames.search.depth_first.transposition_table import TranspositionTable
from jaxgames.search.real_time.pieces import Findings


class DepthFirstPieces:
    """The search of one position in pieces, by iterative deepening; a round is a move made."""

    first_rounds = 64  # a search of depth 1 has hardly more
    fewest_rounds = 16

    def __init__(
        self,
        search: DepthFirst,
        params: Params,
        game: Any,
        key: PRNGKeyArray,
        depth: int,
        table: TranspositionTable | None = None,
    ) -> None:
        """Begins a search.

        Args:
            search: the search.
            params: the parameters of its score, with a leading axis unless all lanes share them.
            game: the position, without a leading axis.
            key: decides between equal moves of the root.
            depth: the plies of the deepest iteration.
            table: the table of an earlier search of one position, which is not changed; None: an
                empty one.
        """
        self._search, self._params = search, params
        self._state = _start(search, params, game, key, np.int32(depth), table)
        self.depth = 0
        """The plies that the search has finished."""

    def advance(self, rounds: int) -> Findings:
        """Makes at most so many moves, and those that come with the last of them."""
        self._state, is_running, finished, nodes = _advance(
            self._search, self._params, self._state, np.int32(rounds)
        )
        self.depth = int(finished)
        return Findings(bool(is_running), self.depth > 0, int(nodes))

    def result(self) -> DepthFirstResult:
        """Returns the result so far, in one lane."""
        return self._search.result(self._state)


@functools.partial(cached_jit.jit, static_argnames="search")
def _start(
    search: DepthFirst,
    params: Params,
    game: Any,
    key: PRNGKeyArray,
    depth: Int32[Array, ""],
    table: TranspositionTable | None,
) -> SearchState:
    """Begins the search of one position."""
    games = jax.tree.map(lambda x: jnp.asarray(x)[None], game)
    table = jax.tree.map(jnp.copy, table)  # the first piece takes the arrays of its search
    progress = search.start(params, games, key, depth[None], table)
    # Without weak types, so that the first piece is compiled like all others.
    return jax.tree.map(lambda x: x.astype(x.dtype), progress)


@functools.partial(cached_jit.jit, static_argnames="search", donate_argnames="progress")
def _advance(
    search: DepthFirst, params: Params, progress: SearchState, moves: Int32[Array, ""]
) -> tuple[SearchState, Bool[Array, ""], Int32[Array, ""], Int32[Array, ""]]:
    """Continues a search; returns also whether it goes on, the finished depth, and the nodes."""
    progress = search.advance(params, progress, UNLIMITED, moves)
    return progress, progress.is_active[0], progress.finished[0], progress.statistics.nodes[0]
