"""A small game for searches and training: Nim in which every turn is two plies of the same seat."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32

from jaxgames.rules import Rules, Symmetry
from jaxgames.search.evaluators.evaluator import Evaluation

HEAPS = (3, 3, 2)
CHOOSING = -1
NUM_HEAPS = len(HEAPS)
MAX_TAKE = 3


class TurnNimState(struct.PyTreeNode):
    heaps: Int8[Array, "heaps"]
    chosen: Int8[Array, ""]  # the heap to take from, or CHOOSING
    seat: Int8[Array, ""]


@dataclasses.dataclass(frozen=True)
class TurnNim(Rules[TurnNimState]):
    """Choose a heap (actions 0-2), then how many stones to take (3-5); the last stone wins."""

    limit: int = 16

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = NUM_HEAPS + MAX_TAKE
    max_legal_actions: ClassVar[int] = 3
    version: ClassVar[str] = "1"

    @property
    def max_steps(self) -> int:
        return self.limit

    def init(self, key: Any) -> TurnNimState:
        return TurnNimState(jnp.array(HEAPS, jnp.int8), jnp.int8(CHOOSING), jnp.int8(0))

    def to_move(self, state: TurnNimState) -> Int32[Array, ""]:
        return state.seat.astype(jnp.int32)

    def legal_actions(self, state: TurnNimState) -> Bool[Array, "actions"]:
        is_choosing = state.chosen == CHOOSING
        available = state.heaps[jnp.maximum(state.chosen, 0)]
        amounts = jnp.arange(1, MAX_TAKE + 1) <= available
        return jnp.concatenate([is_choosing & (state.heaps > 0), ~is_choosing & amounts])

    def step(self, state: TurnNimState, action: Any, key: Any = None) -> TurnNimState:
        is_choosing = state.chosen == CHOOSING
        taken = jnp.where(is_choosing, 0, action - NUM_HEAPS + 1)
        here = jnp.arange(NUM_HEAPS) == state.chosen
        return TurnNimState(
            heaps=(state.heaps - here * taken).astype(jnp.int8),
            chosen=jnp.where(is_choosing, action, CHOOSING).astype(jnp.int8),
            seat=jnp.where(is_choosing, state.seat, 1 - state.seat),
        )

    def is_over(self, state: TurnNimState) -> Bool[Array, ""]:
        return (state.heaps == 0).all()

    def returns(self, state: TurnNimState) -> Float[Array, "players"]:
        result = jnp.where(jnp.arange(2) == state.seat, -1.0, 1.0)
        return jnp.where(self.is_over(state), result, 0.0)

    def observe(self, state: TurnNimState, player: Any) -> Float[Array, "1 heaps planes"]:
        sizes = state.heaps[:, None] == jnp.arange(1, MAX_TAKE + 1)
        chosen = state.chosen == jnp.arange(NUM_HEAPS)
        is_own_turn = jnp.broadcast_to(player == state.seat, (NUM_HEAPS,))
        planes = jnp.concatenate([sizes, chosen[:, None], is_own_turn[:, None]], axis=1)
        return planes[None].astype(jnp.float32)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The first two heaps may be exchanged."""
        order = np.array([1, 0, 2], np.int8)

        def exchange(state: TurnNimState) -> TurnNimState:
            chosen = jnp.where(
                state.chosen == CHOOSING, CHOOSING, jnp.asarray(order)[state.chosen]
            ).astype(jnp.int8)
            return state.replace(heaps=state.heaps[order], chosen=chosen)

        return (Symmetry(exchange, lambda state: jnp.array([1, 0, 2, 3, 4, 5])),)


@dataclasses.dataclass(frozen=True)
class ThreeSeats(TurnNim):
    num_players: ClassVar[int] = 3


@dataclasses.dataclass(frozen=True)
class WithChance(TurnNim):
    stochastic: ClassVar[bool] = True


Position = tuple[tuple[int, ...], int]
"""The heaps and the chosen one, or CHOOSING."""


@functools.cache
def outcomes(position: Position) -> dict[int, int]:
    """Returns for each legal action what it is worth to the mover, by exhaustive search."""
    heaps, chosen = position
    if chosen == CHOOSING:
        return {heap: best_outcome((heaps, heap)) for heap in range(NUM_HEAPS) if heaps[heap] > 0}
    worth = {}
    for taken in range(1, heaps[chosen] + 1):
        rest = tuple(n - taken * (heap == chosen) for heap, n in enumerate(heaps))
        # The turn passes to the other seat.
        worth[NUM_HEAPS + taken - 1] = -best_outcome((rest, CHOOSING)) if any(rest) else 1
    return worth


def best_outcome(position: Position) -> int:
    """Returns the outcome for the mover when both play well."""
    return max(outcomes(position).values())


def all_positions() -> list[Position]:
    """Returns every position that is not over."""
    sizes = [range(n + 1) for n in HEAPS]
    positions = []
    for heaps in np.ndindex(*[len(size) for size in sizes]):
        if any(heaps):
            chosen = [heap for heap in range(NUM_HEAPS) if heaps[heap] > 0]
            positions += [(heaps, choice) for choice in (CHOOSING, *chosen)]
    return positions


def batch(positions: list[Position], seats: Any) -> TurnNimState:
    """Returns positions as a batch of states with the given seats to move."""
    return TurnNimState(
        heaps=jnp.array([heaps for heaps, _ in positions], jnp.int8),
        chosen=jnp.array([chosen for _, chosen in positions], jnp.int8),
        seat=jnp.broadcast_to(jnp.asarray(seats, jnp.int8), (len(positions),)),
    )


@functools.cache
def _table() -> np.ndarray:
    """Returns the outcome for the seat to move by the three heaps and the chosen one + 1."""
    table = np.zeros((MAX_TAKE + 1, MAX_TAKE + 1, MAX_TAKE + 1, NUM_HEAPS + 1), np.float32)
    for heaps, chosen in all_positions():
        table[(*heaps, chosen + 1)] = best_outcome((heaps, chosen))
    return table


@dataclasses.dataclass(frozen=True)
class Exact:
    """The true value of every position that is not over; nonsense for the others."""

    def __call__(self, params: Any, state: TurnNimState, key: Any) -> Evaluation:
        heaps = state.heaps.astype(jnp.int32)
        value = jnp.asarray(_table())[heaps[:, 0], heaps[:, 1], heaps[:, 2], state.chosen + 1]
        value = jnp.where((heaps == 0).all(axis=1), 0.5, value)
        own = jnp.arange(2) == state.seat[:, None]
        values = jnp.where(own, value[:, None], -value[:, None])
        return Evaluation(jnp.zeros((value.shape[0], TurnNim.num_actions)), values)


def both_seats(positions: list[Position]) -> TurnNimState:
    """Returns the positions with seat 0 to move and again with seat 1 to move."""
    return batch(positions * 2, np.repeat([0, 1], len(positions)))


def mistakes(positions: list[Position], actions: Any) -> list[tuple[Position, int]]:
    """Returns the positions in which an action gives something away, with that action."""
    return [
        (position, int(action))
        for position, action in zip(positions, actions, strict=True)
        if outcomes(position)[int(action)] < best_outcome(position)
    ]
