"""Onitama as encoded in Dasgupta and Chong's report (2021): numbered pawns and 40 actions.

Source: "Mastering the game of Onitama with Reinforcement Learning", National University of
Singapore, 2021. The rules are those of `rules.py` with five fixed cards; state, actions and
observation are the report's. It does not say how pawns are numbered or moves are ordered: here
pawns 1-4 stand from left to right at the start, as their owner sees them, and moves follow
`cards.py`.

Action `piece * 8 + slot * 4 + move`: pieces are pawn 1 to 4 and the master, slot 0 is the hand card
that comes first in `CARD_NAMES`. There is no pass: with these cards some piece can always move.
"""

import dataclasses
import functools
from typing import ClassVar, NamedTuple

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32, PRNGKeyArray, UInt8, UInt32

from jaxgames.boards import bits
from jaxgames.boards.packed_planes import PackedPlanes
from jaxgames.internal.messages import unknown
from jaxgames.onitama import cards
from jaxgames.onitama.moves import NUM_SLOTS, hand_cards
from jaxgames.onitama.rules import CAPTURED, PLY_LIMIT, Onitama, OnitamaState
from jaxgames.rules import Action, LegalMask, Rules, Seat, SeatValues, Symmetry

CARD_NAMES = ("dragon", "elephant", "goose", "rooster", "monkey")
CARD_IDS = np.array([cards.CARD_IDS[name] for name in CARD_NAMES], np.int8)  # [report card]
NUM_CARDS = len(CARD_NAMES)
ALL_CARDS = (1 << NUM_CARDS) - 1
HOME_SQUARES = np.array([0, 1, 3, 4, cards.OWN_TEMPLE], np.int8)  # pawns 1-4, master
NUM_PIECES = len(HOME_SQUARES)
MASTER = NUM_PIECES - 1
ACTIONS_PER_PIECE = NUM_SLOTS * cards.MAX_MOVES

REPORT, PLANES = OBSERVATIONS = ("report", "planes")

TARGETS = cards.TARGETS[CARD_IDS]  # [report card, square, move]
MIRROR_MOVE = cards.MIRROR_MOVE[CARD_IDS]
MIRROR_CARD = np.array([CARD_IDS.tolist().index(i) for i in cards.MIRROR_CARD[CARD_IDS]], np.int8)
# Reflected, pawn 1 stands where pawn 4 of the start position does, and so on.
MIRROR_PIECE = np.array([3, 2, 1, 0, MASTER], np.int8)


def _card_sets() -> np.ndarray:
    """Returns `[set of report cards]` uint32: the same set with bits numbered by card id."""
    members = np.arange(1 << NUM_CARDS)[:, None] >> np.arange(NUM_CARDS) & 1
    return (members << CARD_IDS.astype(np.int64)).sum(axis=1).astype(np.uint32)


CARD_SETS = _card_sets()


class ReportState(struct.PyTreeNode):
    """A position, 14 bytes. `own` is the seat to move; squares are in each side's own frame."""

    printed: ClassVar[str] = "papers.onitama_report.game.notation:printed"

    own_squares: Int8[Array, "5"]  # of pawns 1-4 and the master, or CAPTURED
    other_squares: Int8[Array, "5"]
    own_hand: UInt8[Array, ""]  # bit c: card CARD_NAMES[c]
    other_hand: UInt8[Array, ""]  # the card in no hand is the side card
    seat: Int8[Array, ""]  # seat to move: 0 Red, 1 Blue
    ply: UInt8[Array, ""]  # plies played


class ReportObservation(NamedTuple):
    """The observation of a seat; `board` is indexed `[plane, y, x]`, `y = 0` its home row."""

    board: Float[Array, "10 5 5"]
    """One square each for own pawns 1-4 and master, then for the opponent's; empty if captured."""
    cards: Float[Array, "10"]
    """Flags of the five cards in the own hand, then in the opponent's."""


@dataclasses.dataclass(frozen=True)
class OnitamaReport(Rules[ReportState]):
    """The rules of Onitama in the report's encoding.

    Raises:
        ValueError: for a deal with other cards, a limit out of range or an unknown observation.
    """

    deal: str | None = None
    """Cards of every game, `"dragon,elephant|goose,rooster|monkey"` (Red | Blue | side); None: at
    random."""
    max_plies: int = PLY_LIMIT
    """The game is drawn after this many plies; 1 to 255."""
    observation: str = REPORT
    """What `observe` returns: `"report"`, a `ReportObservation`; or `"planes"`, the planes of
    `observation.py` and one more for each own piece, for networks over one grid."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = NUM_PIECES * ACTIONS_PER_PIECE
    max_legal_actions: ClassVar[int] = num_actions
    seats_alternate: ClassVar[bool] = True
    version: ClassVar[str] = "1"
    actions_on_squares: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Checks the options, so that a bad one fails in `make`."""
        _ = self.base
        if self.observation not in OBSERVATIONS:
            raise ValueError(unknown("observation", self.observation, OBSERVATIONS))

    @functools.cached_property
    def base(self) -> Onitama:
        """The same game in the encoding of `rules.py`."""
        return Onitama(deck=CARD_NAMES, deal=self.deal, max_plies=self.max_plies)

    @property
    def max_steps(self) -> int:
        """The ply limit belongs to the rules, so nothing is ever truncated."""
        return self.max_plies

    def init(self, key: PRNGKeyArray) -> ReportState:
        """Returns the start position with the cards dealt."""
        start = self.base.init(key)
        return ReportState(
            own_squares=jnp.asarray(HOME_SQUARES),
            other_squares=jnp.asarray(HOME_SQUARES),
            own_hand=_report_hand(start.own_hand),
            other_hand=_report_hand(start.other_hand),
            seat=start.seat,
            ply=start.ply,
        )

    def to_move(self, state: ReportState) -> Seat:
        """Returns the seat that must act."""
        return state.seat.astype(jnp.int32)

    def legal_actions(self, state: ReportState) -> LegalMask:
        """Returns the moves of living pieces to squares on the board without an own piece."""
        hand = jnp.stack(hand_cards(state.own_hand.astype(jnp.uint32)))
        squares = state.own_squares[:, None]
        targets = jnp.asarray(TARGETS)[hand[None, :], squares]  # [piece, slot, move]
        is_own = (targets[..., None] == state.own_squares).any(axis=-1)
        legal = (squares[..., None] != CAPTURED) & (targets >= 0) & ~is_own
        return legal.reshape(-1)

    def step(
        self, state: ReportState, action: Action, key: PRNGKeyArray | None = None
    ) -> ReportState:
        """Moves a piece, captures, exchanges the used card and passes the turn."""
        del key
        piece, move = action // ACTIONS_PER_PIECE, action % cards.MAX_MOVES
        low, high = hand_cards(state.own_hand.astype(jnp.uint32))
        card = jnp.where(action // cards.MAX_MOVES % NUM_SLOTS == 0, low, high)
        target = jnp.asarray(TARGETS)[card, state.own_squares[piece], move]
        captured_square = cards.NUM_SQUARES - 1 - target  # in the other side's frame
        is_captured = state.other_squares == captured_square
        side_card = ALL_CARDS ^ state.own_hand ^ state.other_hand
        return ReportState(
            own_squares=jnp.where(is_captured, jnp.int8(CAPTURED), state.other_squares),
            other_squares=jnp.where(jnp.arange(NUM_PIECES) == piece, target, state.own_squares),
            own_hand=state.other_hand,
            other_hand=state.own_hand ^ bits.single(card).astype(jnp.uint8) ^ side_card,
            seat=1 - state.seat,
            ply=state.ply + jnp.uint8(1),
        )

    def is_over(self, state: ReportState) -> Bool[Array, ""]:
        """The game ends as `Onitama` does."""
        return self.base.is_over(to_base(state))

    def returns(self, state: ReportState) -> SeatValues:
        """+1 for the winner, -1 for the loser, zeros for a draw and before the end."""
        return self.base.returns(to_base(state))

    def observe(self, state: ReportState, player: Seat) -> ReportObservation | PackedPlanes:
        """Returns the observation that the option names, from the side of `player`."""
        if self.observation == REPORT:
            return observe_pieces(state, player)
        own = jnp.where(player == state.seat, state.own_squares, state.other_squares)
        seen = self.base.observe(to_base(state), player)
        return seen.replace(words=jnp.concatenate([seen.words, bits.single(own)[None]], axis=-1))

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Returns the left-right reflection: it maps the five cards to themselves."""
        return (Symmetry(mirror_state, mirror_actions),)


def observe_pieces(state: ReportState, player: Seat) -> ReportObservation:
    """Returns board planes and card flags from the side of `player`, as in the report."""
    is_own = player == state.seat
    last_square = cards.NUM_SQUARES - 1
    own = jnp.where(is_own, state.own_squares, state.other_squares)
    other = last_square - jnp.where(is_own, state.other_squares, state.own_squares)
    # A captured piece has square -1 or 25, which is none of the board's.
    occupied = jnp.concatenate([own, other])[:, None] == jnp.arange(cards.NUM_SQUARES)
    hands = jnp.stack([state.own_hand, state.other_hand])
    hands = jnp.where(is_own, hands, hands[::-1])
    flags = (hands[:, None] >> jnp.arange(NUM_CARDS, dtype=jnp.uint8)) & 1
    return ReportObservation(
        board=occupied.reshape(-1, cards.SIDE, cards.SIDE).astype(jnp.float32),
        cards=flags.reshape(-1).astype(jnp.float32),
    )


def to_base(state: ReportState) -> OnitamaState:
    """Returns the position in the encoding of `rules.py`, which has no numbers of pawns."""
    side_card = bits.lowest((ALL_CARDS ^ state.own_hand ^ state.other_hand).astype(jnp.uint32))
    return OnitamaState(
        own_pieces=_board(state.own_squares),
        other_pieces=_board(state.other_squares),
        own_hand=jnp.asarray(CARD_SETS)[state.own_hand],
        other_hand=jnp.asarray(CARD_SETS)[state.other_hand],
        own_master=state.own_squares[MASTER],
        other_master=state.other_squares[MASTER],
        side_card=jnp.asarray(CARD_IDS)[side_card],
        seat=state.seat,
        ply=state.ply,
    )


def base_actions(state: ReportState) -> Int32[Array, "actions"]:
    """Returns the number in the encoding of `rules.py` of each action of a living piece."""
    ids = jnp.asarray(CARD_IDS)[jnp.stack(hand_cards(state.own_hand.astype(jnp.uint32)))]
    slots = jnp.where(ids[0] > ids[1], jnp.array([1, 0]), jnp.array([0, 1]))
    squares = state.own_squares.astype(jnp.int32)
    words = squares[:, None] * NUM_SLOTS + slots
    return (words[..., None] * cards.MAX_MOVES + jnp.arange(cards.MAX_MOVES)).reshape(-1)


def mirror_state(state: ReportState) -> ReportState:
    """Returns the position reflected left-right: pawn 1 becomes pawn 4, goose becomes rooster."""
    return state.replace(
        own_squares=_mirror_squares(state.own_squares),
        other_squares=_mirror_squares(state.other_squares),
        own_hand=_mirror_hand(state.own_hand),
        other_hand=_mirror_hand(state.other_hand),
    )


def mirror_actions(state: ReportState) -> Int32[Array, "actions"]:
    """Returns the number that each action of `state` has in `mirror_state(state)`.

    It depends on the hand: goose and rooster change places in the card order.
    """
    hand = jnp.stack(hand_cards(state.own_hand.astype(jnp.uint32)))
    mirrored = jnp.asarray(MIRROR_CARD)[hand]
    slots = jnp.where(mirrored[0] > mirrored[1], jnp.array([1, 0]), jnp.array([0, 1]))
    moves = jnp.asarray(MIRROR_MOVE)[hand].astype(jnp.int32)  # [slot, move]
    pieces = jnp.asarray(MIRROR_PIECE).astype(jnp.int32)[:, None, None]
    return ((pieces * NUM_SLOTS + slots[:, None]) * cards.MAX_MOVES + moves).reshape(-1)


def _board(squares: Int8[Array, "5"]) -> UInt32[Array, ""]:
    return bits.single(squares).sum(dtype=jnp.uint32)


def _report_hand(hand: UInt32[Array, ""]) -> UInt8[Array, ""]:
    """Returns a set of card ids as a set of report cards."""
    members = (hand >> jnp.asarray(CARD_IDS).astype(jnp.uint32)) & 1
    return (members << jnp.arange(NUM_CARDS, dtype=jnp.uint32)).sum().astype(jnp.uint8)


def _mirror_squares(squares: Int8[Array, "5"]) -> Int8[Array, "5"]:
    x = squares % cards.SIDE
    mirrored = jnp.where(squares == CAPTURED, squares, squares - x + (cards.SIDE - 1 - x))
    return mirrored[jnp.asarray(MIRROR_PIECE)]


def _mirror_hand(hand: UInt8[Array, ""]) -> UInt8[Array, ""]:
    members = (hand >> jnp.arange(NUM_CARDS, dtype=jnp.uint8)) & 1
    return (members << jnp.asarray(MIRROR_CARD).astype(jnp.uint8)).sum().astype(jnp.uint8)
