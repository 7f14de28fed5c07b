"""The settings of a depth-first search, and its arrays, among them a stack for each lane.

Row `lane * levels + level` of the stacks is one node, so that one index reads or writes it.
"""

import dataclasses
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from jaxgames.rules import Rules
from jaxgames.search.depth_first import ordering
from jaxgames.search.depth_first.transposition_table import TranspositionTable
from jaxgames.search.evaluators.integer_score import MAX_SCORE, IntegerScore

WIN = 2**29  # a game won at once; each ply from the root to the win takes off 1
INFINITY = 2**30
NO_ACTION = -1


class SearchNode(NamedTuple):
    """The current node of each lane. Values are those of the seat to move there."""

    alpha: Int32[Array, "B"]  # the window when the node was expanded
    beta: Int32[Array, "B"]
    best: Int32[Array, "B"]  # best value so far; -INFINITY before the first
    best_action: Int32[Array, "B"]
    last: Int32[Array, "B"]  # key of the last move searched; `ordering.FIRST` before the first
    left: Int32[Array, "B"]  # moves that have no value yet
    again: Int32[Array, "B"]  # 1: the last move is to be searched again, with the full window
    is_null: Int32[Array, "B"]  # 1: the window is a null window inside a wider one
    negates: Int32[Array, "B"]  # 1: another seat moved at the parent
    hash: Int32[Array, "B"]
    check: Int32[Array, "B"]  # second word of the hash

    @property
    def lower(self) -> Int32[Array, "B"]:
        """Returns the value that the next move must exceed."""
        return jnp.maximum(self.alpha, self.best)

    @property
    def is_finished(self) -> Bool[Array, "B"]:
        """Returns the mask of nodes whose further moves cannot matter."""
        return (self.again == 0) & ((self.left == 0) | (self.best >= self.beta))

    def seen_from(self, negates: Int32[Array, "B"]) -> Int32[Array, "B"]:
        """Returns the best value, seen by the seat to move at the parent."""
        return jnp.where(negates == 1, -self.best, self.best)


class Stack(NamedTuple):
    """The nodes from the root to the current node."""

    words: UInt32[Array, "B*levels words"]  # packed positions
    keys: Int32[Array, "B*levels slots"]  # moves, see `ordering.py`
    node: Int32[Array, "B*levels fields"]  # `SearchNode` of each level above the current one
    variation: Int16[Array, "B*levels depth"]  # best line from the node on
    killers: Int32[Array, "B*levels 2"]
    history: Int16[Array, "B*2*actions"]


class Counters(NamedTuple):
    """Counters of a search in each lane."""

    nodes: Int32[Array, "B"]  # moves made, repeated searches included
    probes: Int32[Array, "B"]  # positions looked up in the table
    hits: Int32[Array, "B"]  # positions found there
    cuts: Int32[Array, "B"]  # positions found there with a value that made a search unnecessary
    stores: Int32[Array, "B"]  # entries written


class Iterations(NamedTuple):
    """The results of iterative deepening; entry `d` is for depth `d + 1`."""

    value: Int32[Array, "B depth"]
    nodes: Int32[Array, "B depth"]


class SearchState(NamedTuple):
    """The state of a search between two steps of the loop."""

    stack: Stack
    node: SearchNode
    level: Int32[Array, "B"]  # level of the current node; -1: the next step begins an iteration
    is_active: Bool[Array, "B"]
    depth: Int32[Array, "B"]  # plies to search in this iteration
    target: Int32[Array, "B"]  # plies to search in the last iteration
    table: TranspositionTable | None
    salt: UInt32[Array, "B 2"]
    noise: UInt32[Array, "B"]  # decides between equal moves of the root
    statistics: Counters
    iterations: Iterations
    finished: Int32[Array, "B"]  # depth of the last finished iteration; 0: none
    action: Int32[Array, "B"]  # result of that iteration
    value: Int32[Array, "B"]
    variation: Int16[Array, "B depth"]


def pack_node(node: SearchNode) -> Int32[Array, "B fields"]:
    """Returns nodes as rows of the stack."""
    return jnp.stack(node, axis=1)


def unpack_node(rows: Int32[Array, "B fields"]) -> SearchNode:
    """Returns nodes from rows of the stack."""
    return SearchNode(*(rows[:, index] for index in range(len(SearchNode._fields))))


def empty_node(batch_size: int) -> SearchNode:
    """Returns nodes without moves."""
    return SearchNode(*(jnp.zeros(batch_size, jnp.int32) for _ in SearchNode._fields))


def empty_stack(
    roots: UInt32[Array, "B words"], levels: int, slots: int, num_actions: int, depth: int
) -> Stack:
    """Returns stacks with the roots' positions on level 0."""
    batch_size, num_words = roots.shape
    rows = batch_size * levels
    words = jnp.zeros((batch_size, levels, num_words), jnp.uint32).at[:, 0].set(roots)
    return Stack(
        words=words.reshape(rows, num_words),
        keys=jnp.zeros((rows, slots), jnp.int32),
        node=jnp.zeros((rows, len(SearchNode._fields)), jnp.int32),
        variation=jnp.full((rows, depth), NO_ACTION, jnp.int16),
        killers=jnp.full((rows, ordering.KILLERS), NO_ACTION, jnp.int32),
        history=jnp.zeros(batch_size * 2 * num_actions, jnp.int16),
    )


def lane_of(lanes: int, search_state: SearchState, lane: Int32[Array, ""] | int) -> SearchState:
    """Returns the search of one lane."""

    def own(x: Array) -> Array:
        if x.ndim == 0:  # the age of the tables
            return x
        rows = x.shape[0] // lanes
        return jax.lax.dynamic_slice_in_dim(x, lane * rows, rows)

    return jax.tree.map(own, search_state)


def with_lane(lanes: int, all_lanes: SearchState, lane: Array, one: SearchState) -> SearchState:
    """Returns the search of all lanes with that of one lane in its place."""

    def put(x: Array, own: Array) -> Array:
        if x.ndim == 0:
            return x
        return jax.lax.dynamic_update_slice_in_dim(x, own, lane * (x.shape[0] // lanes), axis=0)

    return jax.tree.map(put, all_lanes, one)


def counted_from(value: Int32[Array, "W"], plies: Int32[Array, "W"]) -> Int32[Array, "W"]:
    """Returns values with wins and losses counted from a position `plies` further on."""
    shift = jnp.where(jnp.abs(value) > MAX_SCORE, jnp.sign(value) * plies, 0)
    return value + shift


Pruning = Literal["none", "alpha_beta", "pvs"]
MAX_DEPTH = 64
MAX_TABLE_BITS = 24


@dataclasses.dataclass(frozen=True)
class Settings:
    """The game, the score and the hyper-parameters of a depth-first search.

    Raises:
        ValueError: for a game or a setting that the search does not allow.
    """

    rules: Rules[Any]
    score: IntegerScore
    max_depth: int = 3  # most plies to search, the own move included
    pruning: Pruning = "pvs"
    table_bits: int | None = None  # a table of 2^bits entries for each lane; None: no table
    quiescence: int = 0  # further plies in which noisy moves are searched; needs tactics
    tactics: ordering.Tactics | None = None
    deepening: bool = True  # search depth 1, 2, ... up to the wanted depth
    shares_params: bool = False  # all lanes have the same parameters, without a leading axis

    def __post_init__(self) -> None:
        """Checks the game and the settings."""
        if self.rules.num_players != 2:
            raise ValueError(
                f"a depth-first search needs two seats, this game has {self.rules.num_players}"
            )
        if self.rules.stochastic or not self.rules.perfect_information:
            raise ValueError("a depth-first search needs a game without chance and hidden moves")
        if not 1 <= self.max_depth <= MAX_DEPTH:
            raise ValueError(f"depth must be from 1 to {MAX_DEPTH} plies, got {self.max_depth}")
        if self.pruning not in ("none", "alpha_beta", "pvs"):
            raise ValueError(f"pruning must be none, alpha_beta or pvs, got {self.pruning!r}")
        if self.table_bits is not None and not 1 <= self.table_bits <= MAX_TABLE_BITS:
            raise ValueError(
                f"table must be from 1 to {MAX_TABLE_BITS} bits, got {self.table_bits}"
            )
        if not 0 <= self.quiescence <= MAX_DEPTH:
            raise ValueError(
                f"quiescence must be from 0 to {MAX_DEPTH} plies, got {self.quiescence}"
            )
        if self.quiescence and self.tactics is None:
            raise ValueError("quiescence needs a game whose noisy moves are known (tactics)")
        if self.rules.num_actions >= 2**15:
            raise ValueError(
                f"a depth-first search numbers actions with 15 bits, got {self.rules.num_actions}"
            )

    @property
    def levels(self) -> int:
        """Returns the levels of a stack: one for every position that can be expanded."""
        return self.max_depth + self.quiescence
