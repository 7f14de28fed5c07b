"""Murus Gallicus: reach the far row with a stone, or leave the opponent without a legal action.

Sources: Wilson, Savinov, Kadavanich, "Developing a game AI for Murus Gallicus" (TU Berlin, 2020),
whose wording decides the default rules; the designer's published rules (Phil Leduc, 2009) for the
variants. Seat 0 is the Romans, who begin, seat 1 the Gauls.

A stack of one stone is a wall, of two a tower, of three a catapult. A turn is one action of one
tower or catapult; `moves.py` numbers the actions of the board, `opening.py` those that options add.
"""

import dataclasses
import functools
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int8, Int32, PRNGKeyArray, UInt16, UInt32

from jaxgames.batching.trees import choose
from jaxgames.boards.packed_planes import PackedPlanes
from jaxgames.murus_gallicus import moves, observation, opening, option_checks, repetition
from jaxgames.murus_gallicus.board import FILES, NUM_CELLS, NUM_DIRECTIONS
from jaxgames.murus_gallicus.moves import NUM_BOARD_ACTIONS, Stones
from jaxgames.murus_gallicus.opening import OpeningPhase
from jaxgames.murus_gallicus.variants import DELAYED, MAX_LEGAL_ACTIONS, VARIANTS, Variant
from jaxgames.rules import Action, LegalMask, Rules, Seat, SeatValues, Symmetry
from jaxgames.sampling import RandomWord

PLY_LIMIT = 200


class MurusState(struct.PyTreeNode):
    """A position, 35 bytes without options. `own` is the seat to move, `other` the one that waits.

    Each side's cells are numbered in that side's own frame.
    """

    printed: ClassVar[str] = "jaxgames.murus_gallicus.notation:printed"

    own: Stones
    other: Stones
    seat: Int8[Array, ""]  # seat to move
    ply: UInt16[Array, ""]  # plies played
    swapped: Bool[Array, ""] | None  # seat 0 plays the Gauls; None without `pie_rule`
    history: repetition.History | None  # earlier positions; None without `repetition_draw`


@dataclasses.dataclass(frozen=True)
class MurusGallicus(Rules[MurusState]):
    """The rules of Murus Gallicus.

    Raises:
        ValueError: for an unknown variant or a value that an option does not have.
    """

    variant: str = "default"
    """`"default"`, `"basic"`, `"delayed"`, `"designer"`, `"fire3"` or `"fire8"`."""
    max_stack: int | None = None
    """Highest stack, 2 or 3; None: as the variant says."""
    fire_directions: int | None = None
    """Directions in which a catapult fires, 3, 5 or 8; None: as the variant says."""
    win_timing: str | None = None
    """When a stone on the far row wins, `"immediate"` or `"delayed"`; None: as the variant says."""
    breakthrough: bool = True
    """Whether a stone on the far row wins at all."""
    max_plies: int = PLY_LIMIT
    """The game is drawn after this many plies; 1 to 65535."""
    repetition_draw: int = 0
    """The game is drawn at this occurrence of a position, at least 2; 0: repetition is allowed."""
    redistribute_start: bool = False
    """Whether each side begins by moving two stones to its second row (`opening.py`)."""
    pie_rule: bool = False
    """Whether the second seat may take over the Romans after their first turn."""

    num_players: ClassVar[int] = 2
    actions_by_plane: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Checks the options, so that a bad one fails in `make`."""
        option_checks.check(self)

    @property
    def version(self) -> str:  # type: ignore[override]  # of the game with these options
        """2 with `redistribute_start`, whose first turns had four plies before; else 1."""
        return "2" if self.redistribute_start else "1"

    @functools.cached_property
    def terms(self) -> Variant:
        """The variant, with the changes that single options make."""
        changes = {name: getattr(self, name) for name in Variant._fields}
        changes = {name: value for name, value in changes.items() if value is not None}
        return VARIANTS[self.variant]._replace(**changes)

    @property
    def canonical(self) -> "MurusGallicus":
        """The rules as changes of the default variant, each by the option of its own."""
        usual = VARIANTS["default"]._asdict()
        changes: dict[str, Any] = {
            name: None if value == usual[name] else value
            for name, value in self.terms._asdict().items()
        }
        return dataclasses.replace(self, variant="default", **changes)

    @property
    def num_actions(self) -> int:
        """896, and more with `redistribute_start` or `pie_rule`."""
        if self.pie_rule:
            return opening.SWAP + 1
        return opening.SWAP if self.redistribute_start else NUM_BOARD_ACTIONS

    @property
    def max_legal_actions(self) -> int:
        """Most legal actions of any position."""
        return MAX_LEGAL_ACTIONS[self.terms.max_stack] + self.pie_rule

    @property
    def max_steps(self) -> int:
        """The ply limit belongs to the rules, so nothing is ever truncated."""
        return self.max_plies

    @property
    def seats_alternate(self) -> bool:
        """True, but for openings in which a side moves twice or the sides may be exchanged."""
        return not (self.redistribute_start or self.pie_rule)

    def init(self, key: PRNGKeyArray) -> MurusState:
        """Returns the start position; there is no chance, so `key` is not used."""
        del key
        return MurusState(
            own=moves.start_stones(),
            other=moves.start_stones(),
            seat=jnp.int8(0),
            ply=jnp.uint16(0),
            swapped=jnp.bool_(False) if self.pie_rule else None,
            history=repetition.empty(self.max_plies) if self.repetition_draw else None,
        )

    def to_move(self, state: MurusState) -> Seat:
        """Returns the seat that must act."""
        return state.seat.astype(jnp.int32)

    def legal_actions(self, state: MurusState) -> LegalMask:
        """Returns the mask of legal actions."""
        on_board = moves.legal_mask(state.own, state.other, self.terms)
        if self.num_actions == NUM_BOARD_ACTIONS:
            return on_board
        set_up = jnp.zeros(opening.SWAP - opening.TAKE, bool)
        if self.redistribute_start:
            due = self.phase(state)
            on_board = on_board & (due == OpeningPhase.ACT)
            set_up = opening.legal_mask(state.own, due)
        parts = [on_board, set_up]
        if self.pie_rule:
            parts.append(self.may_swap(state)[None])
        return jnp.concatenate(parts)

    def packed_legal_actions(self, state: MurusState) -> UInt32[Array, "words"]:
        """Returns the mask of legal actions in words."""
        if self.num_actions == NUM_BOARD_ACTIONS:
            return moves.packed_legal_actions(state.own, state.other, self.terms)
        return super().packed_legal_actions(state)

    def sample_action(self, state: MurusState, word: RandomWord) -> Action:
        """Returns a uniformly random legal action."""
        if self.num_actions == NUM_BOARD_ACTIONS:
            return moves.sample(state.own, state.other, self.terms, word)
        return super().sample_action(state, word)

    def step(
        self, state: MurusState, action: Action, key: PRNGKeyArray | None = None
    ) -> MurusState:
        """Acts with one stack and passes the turn, or carries out an action of the opening."""
        del key
        own, other = moves.act(state.own, state.other, action)
        ply = state.ply + jnp.uint16(1)
        after = state.replace(own=other, other=own, seat=1 - state.seat, ply=ply)
        if self.redistribute_start:
            is_set_up = (action >= opening.TAKE) & (action < opening.SWAP)
            changed = state.replace(own=opening.redistribute(state.own, action), ply=ply)
            passed = changed.replace(own=state.other, other=changed.own, seat=1 - state.seat)
            is_last = self.phase(state) == OpeningPhase.PUT_SECOND
            after = choose(is_set_up, choose(is_last, passed, changed), after)
        if self.pie_rule:
            swapped = state.replace(seat=1 - state.seat, ply=ply, swapped=jnp.bool_(True))
            after = choose(action == opening.SWAP, swapped, after)
        if state.history is not None:
            past = state.history.at[state.ply].set(_fingerprint(state))
            after = after.replace(history=past)
        return after

    def is_over(self, state: MurusState) -> Bool[Array, ""]:
        """The game ends by a breakthrough, without a legal action, or by a limit."""
        is_drawn = state.ply >= self.max_plies
        if self.repetition_draw:
            is_drawn |= self.occurrences(state) >= self.repetition_draw
        return is_drawn | (self.outcome(state) != 0)

    def returns(self, state: MurusState) -> SeatValues:
        """+1 for the winner, -1 for the loser, zeros for a draw and before the end."""
        own = self.outcome(state)
        return jnp.where(jnp.arange(2) == state.seat, own, -own).astype(jnp.float32)

    def observe(self, state: MurusState, player: Seat) -> PackedPlanes:
        """Returns the planes of `observation.py` from the side of `player`."""
        is_own = player == state.seat
        constants = [state.ply.astype(jnp.float32) / self.max_plies]
        if self.redistribute_start:
            left = (OpeningPhase.ACT - self.phase(state)).astype(jnp.float32)
            constants.append(left / OpeningPhase.ACT)
        if self.pie_rule:
            constants.append(self.may_swap(state).astype(jnp.float32))
        if self.repetition_draw:
            earlier = (self.occurrences(state) - 1).astype(jnp.float32)
            constants.append(earlier / self.repetition_draw)
        own, other = (
            choose(is_own, *pair) for pair in ((state.own, state.other), (state.other, state.own))
        )
        return observation.planes(own, other, constants)

    def completes_action(self, state: MurusState, action: Action) -> Bool[Array, ""]:
        """Returns false for the plies of a first turn but its last, which completes the action."""
        if not self.redistribute_start:
            return jnp.bool_(True)
        is_swap = action == opening.SWAP
        return is_swap | (self.phase(state) >= OpeningPhase.PUT_SECOND)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Returns the left-right reflection."""
        return (Symmetry(_reflected, self._reflected_actions),)

    def outcome(self, state: MurusState) -> Int32[Array, ""]:
        """Returns 1 if the seat to move has won, -1 if it has lost, else 0; ignores limits."""
        stuck = ~moves.can_act(state.own, state.other, self.terms)
        if not self.breakthrough:
            return -stuck.astype(jnp.int32)
        if self.terms.win_timing == DELAYED:
            won = state.own.occupied.reaches_far_row()
            return jnp.where(won, 1, -stuck.astype(jnp.int32))
        return -(stuck | state.other.occupied.reaches_far_row()).astype(jnp.int32)

    def phase(self, state: MurusState) -> Int32[Array, ""]:
        """Returns the `OpeningPhase` of the opening with `redistribute_start`."""
        ply = state.ply.astype(jnp.int32)
        return opening.phase(ply if state.swapped is None else ply - state.swapped)

    def may_swap(self, state: MurusState) -> Bool[Array, ""]:
        """Returns whether `pie_rule` offers the sides to the seat to move."""
        if state.swapped is None:
            return jnp.bool_(False)
        first_turn = opening.PLIES_OF_FIRST_TURN if self.redistribute_start else 1
        return (state.ply == first_turn) & ~state.swapped

    def occurrences(self, state: MurusState) -> Int32[Array, ""]:
        """Returns how often the position has occurred, now included; 1 without the option."""
        if state.history is None:
            return jnp.int32(1)
        return repetition.occurrences(state.history, _fingerprint(state))

    def _reflected_actions(self, state: MurusState) -> Int32[Array, "actions"]:
        del state
        return jnp.asarray(_REFLECTED[: self.num_actions])


def _reflection_table() -> np.ndarray:
    """Returns `[actions]` int32: the number of each action with left and right exchanged."""
    numbers = np.arange(NUM_BOARD_ACTIONS).reshape(2, NUM_DIRECTIONS, NUM_CELLS // FILES, FILES)
    mirrored = numbers[:, -np.arange(NUM_DIRECTIONS), :, ::-1].reshape(-1)
    set_up = np.arange(opening.TAKE, opening.SWAP).reshape(2, FILES)[:, ::-1].reshape(-1)
    return np.concatenate([mirrored, set_up, [opening.SWAP]]).astype(np.int32)


_REFLECTED = _reflection_table()


def _reflected(state: MurusState) -> MurusState:
    past = None if state.history is None else repetition.reflected(state.history)
    return state.replace(own=state.own.reflected(), other=state.other.reflected(), history=past)


def _fingerprint(state: MurusState) -> Any:
    return repetition.fingerprint(state.own, state.other, state.seat)
