"""A small game of turns: several actions a turn, of one ply or two, each of which moves points."""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.rules import Rules, SeatValues
from jaxgames.search.planning.domain import PlannerDomain

NOTHING, ONE, TWO, END, KEEP, GIVE = range(6)
NONE = -1  # nothing was chosen
TURN = 3  # actions of a turn, unless END comes first
WORST = -TWO


class LadderState(struct.PyTreeNode):
    points: Int32[Array, "players"]
    seat: Int32[Array, ""]
    left: Int32[Array, ""]  # actions that may still be played in this turn
    chosen: Int32[Array, ""]  # in the first ply of an action; else NONE
    played: Int32[Array, ""]  # completed actions of the game
    turns: Int32[Array, ""]  # that have ended
    is_broken: Bool[Array, ""]  # an illegal action was played


@dataclasses.dataclass(frozen=True)
class Ladder(Rules[LadderState]):
    """NOTHING, ONE and TWO bring so many points, END ends the turn.

    With `steps=2` it must then be said who gets the points: KEEP or GIVE.
    """

    steps: int = 1
    length: int = 60  # completed actions of a game

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = 6
    max_legal_actions: ClassVar[int] = 4
    max_steps: ClassVar[int] = 200  # type: ignore[assignment]
    version: ClassVar[str] = "1"

    def init(self, key: Any) -> LadderState:
        del key
        zero = jnp.int32(0)
        return LadderState(
            jnp.zeros((2,), jnp.int32), zero, zero + TURN, zero + NONE, zero, zero, jnp.bool_(False)
        )

    def to_move(self, state: LadderState) -> Int32[Array, ""]:
        return state.seat

    def legal_actions(self, state: LadderState) -> Bool[Array, "actions"]:
        second = np.array([False, False, False, False, True, True])
        return jnp.where(state.chosen == NONE, ~second, second)

    def completes_action(self, state: LadderState, action: Any) -> Bool[Array, ""]:
        return (jnp.asarray(action) >= END) | (self.steps == 1)

    def step(self, state: LadderState, action: Any, key: Any = None) -> LadderState:
        del key
        completes = self.completes_action(state, action)
        amount = jnp.where(action >= KEEP, state.chosen, jnp.where(action == END, 0, action))
        seat = jnp.where(action == GIVE, 1 - state.seat, state.seat)
        left = jnp.where(action == END, 0, state.left - 1)
        ends = completes & (left == 0)
        return LadderState(
            points=state.points.at[seat].add(jnp.where(completes, amount, 0)),
            seat=jnp.where(ends, 1 - state.seat, state.seat),
            left=jnp.where(completes, jnp.where(ends, TURN, left), state.left),
            chosen=jnp.where(completes, NONE, action).astype(jnp.int32),
            played=state.played + completes,
            turns=state.turns + ends,
            is_broken=state.is_broken | ~self.legal_actions(state)[action],
        )

    def is_over(self, state: LadderState) -> Bool[Array, ""]:
        return state.played >= self.length

    def returns(self, state: LadderState) -> Float[Array, "players"]:
        lead = jnp.sign(state.points[0] - state.points[1]).astype(jnp.float32)
        return jnp.where(self.is_over(state), jnp.stack([lead, -lead]), 0.0)

    def observe(self, state: LadderState, player: Any) -> Float[Array, "planes"]:
        return jnp.stack([state.points[player], state.points[1 - player]]).astype(jnp.float32)


@dataclasses.dataclass(frozen=True)
class Rounds(Ladder):
    """Is over after `length` turns, however many actions those have."""

    def is_over(self, state: LadderState) -> Bool[Array, ""]:
        return state.turns >= self.length

    def turns_played(self, state: LadderState) -> Int32[Array, ""]:
        return state.turns


@dataclasses.dataclass(frozen=True)
class Lead:
    """A hundredth of the lead in points."""

    def __call__(self, state: LadderState) -> SeatValues:
        lead = (state.points[0] - state.points[1]) / 100
        return jnp.stack([lead, -lead]).astype(jnp.float32)


class TwoPlies(PlannerDomain):
    decision_plies: ClassVar[int] = 2


def domain(steps: int = 1, length: int = 60) -> PlannerDomain:
    """Returns the domain of the game with actions of so many plies."""
    make = PlannerDomain if steps == 1 else TwoPlies
    return make(Ladder(steps, length), Lead())


CALLS: list[int] = []
"""Completed actions of every position that a `Counting` domain judged since the last reset."""


class Counting(PlannerDomain):
    """Notes how far from the start of the game each position is that it judges."""

    def evaluate(self, state: LadderState) -> SeatValues:
        jax.debug.callback(lambda played: CALLS.append(int(played)), state.played)
        return super().evaluate(state)


class CountingTwoPlies(Counting):
    decision_plies: ClassVar[int] = 2


def starts(rules: Ladder, num_games: int) -> LadderState:
    """Returns games at their start."""
    return jax.vmap(rules.init)(jax.random.split(jax.random.key(0), num_games))
