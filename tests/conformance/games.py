"""Nim as a test game, and variants that each break one promise of `Rules`."""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32

from jaxgames.rules import Rules, Symmetry

HEAPS = np.array([3, 3, 2], np.int8)
MAX_TAKE = 3
# [action, heap]: stones that an action takes; action = heap * MAX_TAKE + stones - 1.
TAKEN = np.kron(np.eye(3, dtype=np.int8), np.arange(1, MAX_TAKE + 1, dtype=np.int8)[:, None])


class NimState(struct.PyTreeNode):
    heaps: Int8[Array, "heaps"]
    seat: Int32[Array, ""]


@dataclasses.dataclass(frozen=True)
class Nim(Rules[NimState]):
    """Take stones from one heap; whoever takes the last stone wins."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = len(TAKEN)
    max_legal_actions: ClassVar[int] = 8
    max_steps: ClassVar[int] = 8
    seats_alternate: ClassVar[bool] = True
    version: ClassVar[str] = "1"

    def init(self, key: Any) -> NimState:
        return NimState(heaps=jnp.asarray(HEAPS), seat=jnp.int32(0))

    def to_move(self, state: NimState) -> Int32[Array, ""]:
        return state.seat

    def legal_actions(self, state: NimState) -> Bool[Array, "actions"]:
        return (jnp.asarray(TAKEN) <= state.heaps).all(axis=1)

    def step(self, state: NimState, action: Any, key: Any = None) -> NimState:
        return NimState(state.heaps - jnp.asarray(TAKEN)[action], 1 - state.seat)

    def is_over(self, state: NimState) -> Bool[Array, ""]:
        return (state.heaps == 0).all()

    def returns(self, state: NimState) -> Float[Array, "players"]:
        won = jnp.where(jnp.arange(2) == state.seat, -1.0, 1.0)
        return jnp.where(self.is_over(state), won, 0.0)

    def observe(self, state: NimState, player: Any) -> Float[Array, "heaps"]:
        return state.heaps.astype(jnp.float32)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The first two heaps may be exchanged."""
        exchange = np.arange(len(TAKEN)).reshape(3, MAX_TAKE)[[1, 0, 2]].reshape(-1)
        return (
            Symmetry(
                lambda state: state.replace(heaps=state.heaps[jnp.array([1, 0, 2])]),
                lambda state: jnp.asarray(exchange),
            ),
        )


class EmptyMask(Nim):
    def legal_actions(self, state):
        return jnp.zeros(self.num_actions, bool)


class TooManyActions(Nim):
    max_legal_actions = 3


class ChangingType(Nim):
    def step(self, state, action, key=None):
        following = super().step(state, action)
        return following.replace(heaps=following.heaps.astype(jnp.int32))


class WeakType(Nim):
    def init(self, key):
        return super().init(key).replace(seat=jax.lax.full((), 0) * 0)

    def step(self, state, action, key=None):
        return super().step(state, action).replace(seat=jnp.asarray(1) - state.seat.astype(int))


class HiddenKey(Nim):
    """Keeps a random key in its state."""

    def init(self, key):
        return {"nim": super().init(key), "key": key}


class EmptyPart(Nim):
    """Keeps an array without elements in its state."""

    def init(self, key):
        return {"nim": super().init(key), "extra": jnp.zeros((0,))}


class EmptyView(Nim):
    def observe(self, state, player):
        return (super().observe(state, player), jnp.zeros((3, 0)))


class SecondTurn(Nim):
    """The seat that takes a single stone moves again."""

    def step(self, state, action, key=None):
        following = super().step(state, action)
        is_single = (state.heaps.sum() - following.heaps.sum()) == 1
        return following.replace(seat=jnp.where(is_single, state.seat, following.seat))


class EarlyReward(Nim):
    def returns(self, state):
        return jnp.where(jnp.arange(2) == state.seat, -0.5, 0.5)


class LargeReward(Nim):
    def returns(self, state):
        return 3 * super().returns(state)


class GenerousReward(Nim):
    def returns(self, state):
        return jnp.where(self.is_over(state), jnp.ones(2), 0.0)


class BiasedSampling(Nim):
    def sample_action(self, state, word):
        return jnp.argmax(self.legal_actions(state)).astype(jnp.int32)


class IllegalSampling(Nim):
    def sample_action(self, state, word):
        return (word % self.num_actions).astype(jnp.int32)


class OtherWords(Nim):
    def packed_legal_actions(self, state):
        return super().packed_legal_actions(state) >> 1


class SecretDice(Nim):
    """Draws a random number in `step` without saying so."""

    seats_alternate = False

    def step(self, state, action, key=None):
        following = super().step(state, action)
        if key is None:
            return following
        return following.replace(seat=jax.random.randint(key, (), 0, 2, jnp.int32))


class WrongSymmetry(Nim):
    @property
    def symmetries(self):
        right = super().symmetries[0]
        return (Symmetry(right.map_state, lambda state: jnp.arange(self.num_actions)),)


class MergingSymmetry(Nim):
    @property
    def symmetries(self):
        return (Symmetry(lambda state: state, lambda state: jnp.zeros(self.num_actions, int)),)


class ForgetfulDeterminize(Nim):
    def determinize(self, state, player, key):
        return self.init(key)


class OutOfRangeSeat(Nim):
    def to_move(self, state):
        return state.seat + 1


class DoubleObservation(Nim):
    def observe(self, state, player):
        return state.heaps


class WordyVersion(Nim):
    version = "first"


class Unhashable(Nim):
    __hash__ = None


# The check that notices, the game, and the promise that it breaks.
BROKEN = (
    ("check_legal_actions", EmptyMask, "a legal action exists until the game is over"),
    ("check_legal_actions", TooManyActions, "no state has more than max_legal_actions"),
    ("check_types", ChangingType, "step keeps the structure, shapes and dtypes of init"),
    ("check_one_trace", WeakType, "one trace serves all calls"),
    ("check_types", HiddenKey, "a game state holds no random key"),
    ("check_types", EmptyPart, r"no array of a game state is empty \(\['extra'\]\)"),
    ("check_types", EmptyView, r"no array of an observation is empty \(\[1\]\)"),
    ("check_outcomes", SecondTurn, "seats that alternate move in order"),
    ("check_outcomes", EarlyReward, "returns are zero before the end"),
    ("check_outcomes", LargeReward, "returns lie in"),
    ("check_outcomes", GenerousReward, "returns of two seats sum to zero"),
    ("check_sampling", BiasedSampling, "sample_action is uniform"),
    ("check_legal_actions", IllegalSampling, "sample_action returns a legal action"),
    ("check_legal_actions", OtherWords, "packed_legal_actions has the bits"),
    ("check_chance", SecretDice, "ignores the key of step"),
    ("check_symmetries", WrongSymmetry, "symmetry 0"),
    ("check_symmetries", MergingSymmetry, "symmetry 0 renumbers the actions one to one"),
    ("check_knowledge", ForgetfulDeterminize, "determinize"),
    ("check_outcomes", OutOfRangeSeat, "to_move is a seat"),
    ("check_types", DoubleObservation, "observe returns float32 or bool arrays"),
    ("check_static_facts", WordyVersion, "version is a string of digits"),
    ("check_static_facts", Unhashable, "rules can be hashed"),
)
