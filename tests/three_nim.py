"""A small game of three seats: Nim in which taking three stones gives another turn."""

import dataclasses
import functools
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32

from jaxgames.rules import Rules
from jaxgames.search.evaluators.evaluator import Evaluation

HEAPS = (4, 3)
MAX_TAKE = 3
NUM_SEATS = 3
NUM_ACTIONS = len(HEAPS) * MAX_TAKE
SHARES = (1.0, -1.0, 0.25)  # for the seat that takes the last stone, the next one and the third


class ThreeNimState(struct.PyTreeNode):
    heaps: Int8[Array, "heaps"]
    seat: Int8[Array, ""]
    last: Int8[Array, ""]  # the seat that moved last


@dataclasses.dataclass(frozen=True)
class ThreeNim(Rules[ThreeNimState]):
    """Action `a` takes `a % 3 + 1` stones from heap `a // 3`; the turn goes on by as many seats."""

    num_players: ClassVar[int] = NUM_SEATS
    num_actions: ClassVar[int] = NUM_ACTIONS
    max_legal_actions: ClassVar[int] = NUM_ACTIONS
    max_steps: ClassVar[int] = sum(HEAPS)  # type: ignore[assignment]
    version: ClassVar[str] = "1"

    def init(self, key: Any) -> ThreeNimState:
        return ThreeNimState(jnp.array(HEAPS, jnp.int8), jnp.int8(0), jnp.int8(0))

    def to_move(self, state: ThreeNimState) -> Int32[Array, ""]:
        return state.seat.astype(jnp.int32)

    def legal_actions(self, state: ThreeNimState) -> Bool[Array, "actions"]:
        return (jnp.arange(1, MAX_TAKE + 1) <= state.heaps[:, None]).reshape(-1)

    def step(self, state: ThreeNimState, action: Any, key: Any = None) -> ThreeNimState:
        taken = action % MAX_TAKE + 1
        here = jnp.arange(len(HEAPS)) == action // MAX_TAKE
        return ThreeNimState(
            heaps=(state.heaps - here * taken).astype(jnp.int8),
            seat=((state.seat + taken) % NUM_SEATS).astype(jnp.int8),
            last=state.seat,
        )

    def is_over(self, state: ThreeNimState) -> Bool[Array, ""]:
        return (state.heaps == 0).all()

    def returns(self, state: ThreeNimState) -> Float[Array, "players"]:
        shares = jnp.asarray(SHARES)[(jnp.arange(NUM_SEATS) - state.last) % NUM_SEATS]
        return jnp.where(self.is_over(state), shares, 0.0)

    def observe(self, state: ThreeNimState, player: Any) -> Float[Array, "planes"]:
        sizes = state.heaps[:, None] == jnp.arange(1, max(HEAPS) + 1)
        turn = (state.seat - player) % NUM_SEATS == jnp.arange(NUM_SEATS)
        return jnp.concatenate([sizes.reshape(-1), turn]).astype(jnp.float32)


Position = tuple[tuple[int, ...], int]
"""The heaps and the seat to move."""


@functools.cache
def outcomes(position: Position) -> dict[int, tuple[float, ...]]:
    """Returns for each legal action what it is worth to all seats, if each plays for itself."""
    heaps, seat = position
    worth = {}
    for action in range(NUM_ACTIONS):
        heap, taken = action // MAX_TAKE, action % MAX_TAKE + 1
        if taken <= heaps[heap]:
            rest = tuple(n - taken * (index == heap) for index, n in enumerate(heaps))
            if any(rest):
                worth[action] = values((rest, (seat + taken) % NUM_SEATS))
            else:
                worth[action] = tuple(SHARES[(p - seat) % NUM_SEATS] for p in range(NUM_SEATS))
    return worth


def values(position: Position) -> tuple[float, ...]:
    """Returns what the seats get; a seat never has two best actions with different values."""
    return max(outcomes(position).values(), key=lambda worth: worth[position[1]])


def all_positions() -> list[Position]:
    """Returns every position that is not over."""
    return [
        ((first, second), seat)
        for first in range(HEAPS[0] + 1)
        for second in range(HEAPS[1] + 1)
        for seat in range(NUM_SEATS)
        if first + second > 0
    ]


def batch(positions: list[Position]) -> ThreeNimState:
    """Returns positions as a batch of states."""
    seats = jnp.array([seat for _, seat in positions], jnp.int8)
    return ThreeNimState(
        heaps=jnp.array([heaps for heaps, _ in positions], jnp.int8),
        seat=seats,
        last=(seats + 2) % NUM_SEATS,
    )


@dataclasses.dataclass(frozen=True)
class Exact:
    """The true values of every position that is not over; nonsense for the others."""

    turned: int = 0  # a wrong evaluator gives them to seats so much further on

    def __call__(self, params: Any, state: ThreeNimState, key: Any) -> Evaluation:
        table = np.full((HEAPS[0] + 1, HEAPS[1] + 1, NUM_SEATS, NUM_SEATS), 0.5, np.float32)
        for heaps, seat in all_positions():
            table[(*heaps, seat)] = np.roll(values((heaps, seat)), self.turned)
        found = jnp.asarray(table)[state.heaps[:, 0], state.heaps[:, 1], state.seat]
        return Evaluation(jnp.zeros((len(found), NUM_ACTIONS)), found)


def mistakes(positions: list[Position], actions: Any) -> list[tuple[Position, int]]:
    """Returns the positions in which an action is not the best of its seat, with that action."""
    return [
        (position, int(action))
        for position, action in zip(positions, actions, strict=True)
        if outcomes(position)[int(action)] != values(position)
    ]
