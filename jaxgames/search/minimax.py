"""Minimax: exact search to a fixed depth, for a whole batch in one loop.

Source: alpha-beta in its fail-soft form, Fishburn, "Another optimization of alpha-beta search",
1983. The search goes depth first, on an explicit stack for each game. All children of a position
are generated at once. At the last ply, the best child is the value of the position; before it, the
static scores of the children order the search. So one step of the loop handles, in every game, one
position of the first `depth - 1` plies.

A value counts for the seat to move at the node. A win counts `WIN` minus `PLY` for each ply from
the root, so a fast win is better than a slow one, and a slow loss better than a fast one. A draw
counts 0, any other position its score. The sign of a value stays when the same seat moves again.

The set of best moves equals that of plain minimax: the search drops a move of the root only when it
is certainly worse than the best one so far, never when it may be equal.
"""

import dataclasses
import functools
from typing import Any, ClassVar, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batching.empty_batches import allows_empty
from jaxgames.rules import Rules
from jaxgames.search import action_slots
from jaxgames.search.agent import Decision, GameStates, Memory, Memoryless, Params
from jaxgames.search.evaluators.heuristic import Score

WIN = 2.0  # above every static score, which is an expected return in [-1, 1]
PLY = 2.0**-10  # sums of these are exact in float32
MAX_DEPTH = 500  # a win that far ahead still counts more than any static score

Ties = Literal["random", "first"]
"""Which of equal moves is played: each with the same chance, or the first in the list."""


class SearchResult(NamedTuple):
    """The result of a search in each game, by the slots of `action_slots.legal_list`."""

    actions: Int32[Array, "B slots"]
    is_best: Bool[Array, "B slots"]
    """The mask of the moves of highest value, exactly those of plain minimax."""
    value: Float[Array, "B"]
    """The value of the root for the seat to move."""
    nodes: Int32[Array, "B"]
    """The number of positions generated, the root not counted."""


class _Node(NamedTuple):
    """A position whose moves are being searched; the stack has a second axis `level`."""

    game: GameStates
    actions: Int32[Array, "B slots"]
    pending: Float[Array, "B slots"]  # static score of moves yet to search, -inf for all others
    best: Float[Array, "B"]  # best value found so far
    alpha: Float[Array, "B"]  # values up to alpha or from beta on need not be exact
    beta: Float[Array, "B"]
    sign: Float[Array, "B"]  # +1 if the parent's seat moves again, else -1
    slot: Int32[Array, "B"]  # the parent's move that leads here


class _Search(NamedTuple):
    """The variables of the loop."""

    stack: _Node
    level: Int32[Array, "B"]  # plies from the root to the current node
    is_active: Bool[Array, "B"]
    root_values: Float[Array, "B slots"]  # exact for the best moves, upper bounds for others
    nodes: Int32[Array, "B"]


@dataclasses.dataclass(frozen=True)
class Minimax(Memoryless):
    """Plays a best move of exact minimax."""

    rules: Rules[Any]
    score: Score
    depth: int = 2  # plies looked ahead, the own move included
    ties: Ties = "random"
    evaluates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Checks the game and the settings."""
        if self.rules.num_players != 2:
            raise ValueError(f"minimax needs a game of two seats, not {self.rules.num_players}")
        if self.rules.stochastic or not self.rules.perfect_information:
            raise ValueError("minimax needs a game without chance and hidden information")
        if not 1 <= self.depth <= MAX_DEPTH:
            raise ValueError(f"minimax depth must be from 1 to {MAX_DEPTH} plies, got {self.depth}")
        if self.ties not in ("random", "first"):
            raise ValueError(f"ties must be random or first, got {self.ties!r}")

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns a best move; `policy` is uniform over the moves that it may play."""
        del params
        result = self.search(state)
        may_play = result.is_best
        if self.ties == "first":
            may_play &= jnp.cumsum(may_play, axis=1) == 1
        words = sampling.random_words(key, result.value.shape[0])
        slots = jax.vmap(sampling.sample_mask)(may_play, words)
        action = jnp.take_along_axis(result.actions, slots[:, None], axis=1)[:, 0]

        share = may_play / jnp.maximum(may_play.sum(axis=1, keepdims=True), 1)
        policy = action_slots.to_dense(share, jax.vmap(self.rules.legal_actions)(state))
        to_move = jax.vmap(self.rules.to_move)(state)
        value = jnp.clip(result.value, -1.0, 1.0)[:, None]
        values = jnp.where(jnp.arange(2) == to_move[:, None], value, -value)
        return Decision(action, policy, values), memory

    @allows_empty("state", "depth")
    def search(self, state: GameStates, depth: Int32[Array, "B"] | None = None) -> SearchResult:
        """Returns the best moves and the value of each position of a batch.

        Positions that are over cost nothing and have no best move.

        Args:
            state: the positions.
            depth: plies to look ahead in each of them, from 1 to the agent's own depth, which holds
                for all if not given. A batch takes as long as its deepest search.
        """
        plies = self.depth if depth is None else jnp.clip(depth, 1, self.depth)
        is_active = ~jax.vmap(self.rules.is_over)(state)
        actions, values, is_final = self._expand(state, jnp.zeros(is_active.shape, jnp.int32))
        nodes = jnp.where(is_active, (values > -jnp.inf).sum(axis=1), 0)
        if self.depth == 1:
            root_values = values
        else:
            search = self._first(state, is_active, actions, values, is_final, nodes, plies)
            advance = functools.partial(self._advance, plies)
            search = jax.lax.while_loop(lambda s: s.is_active.any(), advance, search)
            root_values, nodes = search.root_values, search.nodes
        best = root_values.max(axis=1)
        is_best = (root_values == best[:, None]) & (best > -jnp.inf)[:, None] & is_active[:, None]
        return SearchResult(actions, is_best, jnp.where(is_active, best, 0.0), nodes)

    def _expand(
        self, games: GameStates, level: Int32[Array, "B"]
    ) -> tuple[Int32[Array, "B slots"], Float[Array, "B slots"], Bool[Array, "B slots"]]:
        """Returns the moves of nodes, their static values for the mover, and which end the game.

        Unused slots have value -inf.
        """
        words = action_slots.pack(jax.vmap(self.rules.legal_actions)(games))
        actions, is_used = action_slots.legal_list(words, self.rules.max_legal_actions)

        def child_value(
            game: GameStates, action: Int32[Array, ""], level: Int32[Array, ""]
        ) -> tuple[Float[Array, ""], Bool[Array, ""]]:
            seat = self.rules.to_move(game)
            child = self.rules.step(game, action, None)
            is_over = self.rules.is_over(child)
            outcome = self.rules.returns(child)[seat] * (WIN - PLY * (level + 1))
            return jnp.where(is_over, outcome, self.score(child)[seat]), is_over

        of_one_game = jax.vmap(child_value, in_axes=(None, 0, None))
        values, is_over = jax.vmap(of_one_game)(games, actions, level)
        return actions, jnp.where(is_used, values, -jnp.inf), is_over & is_used

    def _first(
        self,
        state: GameStates,
        is_active: Bool[Array, "B"],
        actions: Int32[Array, "B slots"],
        values: Float[Array, "B slots"],
        is_final: Bool[Array, "B slots"],
        nodes: Int32[Array, "B"],
        plies: Int32[Array, "B"] | int,
    ) -> _Search:
        """Returns the first variables of the loop: the root is expanded and current."""
        batch_size = is_active.shape[0]
        looks_on = jnp.broadcast_to(jnp.asarray(plies > 1), (batch_size,))
        is_final |= ~looks_on[:, None]  # with one ply to look ahead, static values are the result
        root = _Node(
            game=state,
            actions=actions,
            pending=jnp.where(is_final, -jnp.inf, values),
            best=jnp.where(is_final, values, -jnp.inf).max(axis=1),
            alpha=jnp.full(batch_size, -jnp.inf),
            beta=jnp.full(batch_size, WIN - PLY),  # nothing is better than to win at once
            sign=jnp.ones(batch_size),
            slot=jnp.zeros(batch_size, jnp.int32),
        )
        return _Search(
            stack=jax.tree.map(lambda x: jnp.repeat(x[:, None], self.depth, axis=1), root),
            level=jnp.zeros(batch_size, jnp.int32),
            is_active=is_active & looks_on,
            root_values=jnp.where(is_final, values, -jnp.inf),
            nodes=nodes,
        )

    def _advance(self, plies: Int32[Array, "B"] | int, search: _Search) -> _Search:
        """Expands the next child of each current node, then closes the finished nodes."""
        lanes = jnp.arange(search.level.shape[0])
        node = jax.tree.map(lambda x: x[lanes, search.level], search.stack)
        is_open = search.is_active & _is_open(node)
        child, nodes = self._child(node, search.level, plies)

        level = jnp.where(is_open, search.level, self.depth)  # writes to level `depth` are dropped
        pending = search.stack.pending.at[lanes, level, child.slot].set(-jnp.inf, mode="drop")
        stack = search.stack._replace(pending=pending)
        stack = jax.tree.map(lambda x, y: x.at[lanes, level + 1].set(y, mode="drop"), stack, child)
        search = search._replace(
            stack=stack,
            level=search.level + is_open,
            nodes=search.nodes + jnp.where(is_open, nodes, 0),
        )
        # A node on the last level closes at once, and often its parent too. Further nodes are
        # closed in the next steps.
        return self._close(self._close(search))

    def _child(
        self, node: _Node, level: Int32[Array, "B"], plies: Int32[Array, "B"] | int
    ) -> tuple[_Node, Int32[Array, "B"]]:
        """Returns the most promising child of each node, expanded, and the number of its moves."""
        slot = node.pending.argmax(axis=1).astype(jnp.int32)
        action = jnp.take_along_axis(node.actions, slot[:, None], axis=1)[:, 0]
        games = jax.vmap(lambda game, move: self.rules.step(game, move, None))(node.game, action)
        actions, values, is_final = self._expand(games, level + 1)
        is_valued = is_final | (level + 2 == plies)[:, None]

        lower = jnp.maximum(node.alpha, node.best)
        # At the root, a move equal to the best one must be distinguished from a worse one.
        lower = jnp.where(level == 0, _next_below(lower), lower)
        to_move = jax.vmap(self.rules.to_move)
        same_seat = to_move(games) == to_move(node.game)
        best_possible = WIN - PLY * (level + 2)
        child = _Node(
            game=games,
            actions=actions,
            pending=jnp.where(is_valued, -jnp.inf, values),
            best=jnp.where(is_valued, values, -jnp.inf).max(axis=1),
            alpha=jnp.where(same_seat, lower, -node.beta),
            beta=jnp.minimum(jnp.where(same_seat, node.beta, -lower), best_possible),
            sign=jnp.where(same_seat, 1.0, -1.0),
            slot=slot,
        )
        return child, (values > -jnp.inf).sum(axis=1)

    def _close(self, search: _Search) -> _Search:
        """Returns the value of each finished current node to its parent."""
        lanes = jnp.arange(search.level.shape[0])
        node = jax.tree.map(lambda x: x[lanes, search.level], search.stack)
        is_closing = search.is_active & ~_is_open(node)
        returns_to = jnp.where(is_closing & (search.level > 0), search.level - 1, self.depth)
        value = node.sign * node.best

        best = search.stack.best.at[lanes, returns_to].max(value, mode="drop")
        root_slot = jnp.where(returns_to == 0, node.slot, self.rules.max_legal_actions)
        return search._replace(
            stack=search.stack._replace(best=best),
            level=jnp.where(is_closing, jnp.maximum(search.level - 1, 0), search.level),
            is_active=search.is_active & ~(is_closing & (search.level == 0)),
            root_values=search.root_values.at[lanes, root_slot].set(value, mode="drop"),
        )


def _is_open(node: _Node) -> Bool[Array, "B"]:
    """Returns the mask of nodes that have a move left to search which can matter."""
    return (node.pending > -jnp.inf).any(axis=-1) & (node.best < node.beta)


def _next_below(values: Float[Array, "B"]) -> Float[Array, "B"]:
    """Returns the next smaller number; below zero, the next one that is not flushed to zero."""
    return jnp.minimum(jnp.nextafter(values, -jnp.inf), values - jnp.finfo(values.dtype).tiny)
