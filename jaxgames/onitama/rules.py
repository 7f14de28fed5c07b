"""Onitama: capture the enemy master, or walk your own onto the enemy temple.

Source: rulebook of Onitama (Arcane Wonders, 2014), "Sensei's Path" for the expansion cards, and for
the limit of 200 plies Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement
Learning" (2021). Seat 0 is Red, seat 1 Blue; the stamp of the side card decides who begins.

Actions: `(square * 2 + slot) * 4 + move` moves the piece on `square` (mover's frame) by move index
`move` of a hand card; slot 0 is the hand card with the lower id. `200 + slot` passes with a card,
legal only when no piece can move.

The position is kept in bitboards, each side's pieces in its own frame (`cards.py`). The move
generator then reads the mover's pieces only, and passing the turn swaps two words.
"""

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Int8, Int32, PRNGKeyArray, UInt8, UInt32

from jaxgames import sampling
from jaxgames.boards import bits
from jaxgames.boards.packed_planes import PackedPlanes
from jaxgames.onitama import cards, observation
from jaxgames.onitama.moves import (
    NUM_SLOTS,
    hand_cards,
    legal_origins,
    move_words,
    origins,
    words_of_cards,
)
from jaxgames.onitama.setup import Deal, deal_mask, draw_deal, fixed_deal, parse_deal
from jaxgames.rules import Action, LegalMask, Rules, Seat, SeatValues, Symmetry
from jaxgames.sampling import RandomWord

WORDS_PER_SQUARE = NUM_SLOTS * cards.MAX_MOVES
PASS = cards.NUM_SQUARES * WORDS_PER_SQUARE  # first of the two pass actions
HOME_ROW = 0b11111
CAPTURED = -1  # square of a captured master
PLY_LIMIT = 200
_SQUARE_BITS = np.uint32(1) << np.arange(cards.NUM_SQUARES + 1, dtype=np.uint32)
PLANES = {"moves": observation.all_planes, "board": observation.board_planes}


class OnitamaState(struct.PyTreeNode):
    """A position, 21 bytes. `own` is the seat to move, `other` the one that waits.

    Each side's squares are numbered in that side's own frame.
    """

    printed: ClassVar[str] = "jaxgames.onitama.notation:printed"

    own_pieces: UInt32[Array, ""]  # bit s: a piece (master or student) on square s
    other_pieces: UInt32[Array, ""]
    own_hand: UInt32[Array, ""]  # bit c: card c is in hand; two bits are set
    other_hand: UInt32[Array, ""]
    own_master: Int8[Array, ""]  # square, or CAPTURED
    other_master: Int8[Array, ""]
    side_card: Int8[Array, ""]
    seat: Int8[Array, ""]  # seat to move: 0 Red, 1 Blue
    ply: UInt8[Array, ""]  # plies played


@dataclasses.dataclass(frozen=True)
class Onitama(Rules[OnitamaState]):
    """The rules of Onitama.

    Raises:
        ValueError: for an unknown deck or card, a deal outside the deck or a limit out of range.
    """

    deck: str | tuple[str, ...] = "base"
    """`"base"`, `"expansion"`, `"all"`, or the names of at least five cards."""
    deal: str | None = None
    """Cards of every game, `"boar,ox|elephant,horse|crab"` (Red | Blue | side); None: at random."""
    max_plies: int = PLY_LIMIT
    """The game is drawn after this many plies; 1 to 255."""
    planes: str = "moves"
    """Observation: `"moves"`, all 44 planes, or `"board"`, the first 10 (`observation.py`)."""

    num_players: ClassVar[int] = 2
    num_actions: ClassVar[int] = PASS + NUM_SLOTS
    max_legal_actions: ClassVar[int] = 40  # 5 pieces x 2 cards x 4 moves; reached
    seats_alternate: ClassVar[bool] = True
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        """Checks the options, so that a bad one fails in `make`."""
        if isinstance(self.deck, list):
            object.__setattr__(self, "deck", tuple(self.deck))
        _check_types(self)
        mask = deal_mask(self.deck)
        if self.deal is not None:
            fixed_deal(self.deal, mask)
        if isinstance(self.max_plies, bool) or not 1 <= self.max_plies <= 255:
            raise ValueError(f"max_plies must be an integer from 1 to 255, got {self.max_plies!r}")
        if self.planes not in PLANES:
            raise ValueError(f"planes must be one of {', '.join(PLANES)}, got {self.planes!r}")

    @property
    def canonical(self) -> "Onitama":
        """The rules with a deck by its name if it has one, and cards in the order of their ids.

        Where the deal is fixed, no other card than its own belongs to the deck.
        """
        mask, deal = deal_mask(self.deck), None
        if self.deal is not None:
            red, blue, side = parse_deal(self.deal)
            hands = (sorted(red), sorted(blue), [side])
            mask = sum(1 << index for hand in hands for index in hand)
            deal = "|".join(",".join(cards.CARDS[index].name for index in hand) for hand in hands)
        names = tuple(card.name for index, card in enumerate(cards.CARDS) if mask >> index & 1)
        deck = next((name for name, deck in cards.DECKS.items() if deck == names), names)
        return dataclasses.replace(self, deck=deck, deal=deal)

    @property
    def has_expansion_cards(self) -> bool:
        """Whether any card of the expansion can be in play."""
        return bool(deal_mask(self.canonical.deck) & deal_mask("expansion"))

    @property
    def max_steps(self) -> int:
        """The ply limit belongs to the rules, so nothing is ever truncated."""
        return self.max_plies

    def init(self, key: PRNGKeyArray) -> OnitamaState:
        """Returns the start position with the cards dealt."""
        mask = deal_mask(self.deck)
        deal = draw_deal(key, mask) if self.deal is None else fixed_deal(self.deal, mask)
        return start_position(deal)

    def to_move(self, state: OnitamaState) -> Seat:
        """Returns the seat that must act."""
        return state.seat.astype(jnp.int32)

    def legal_actions(self, state: OnitamaState) -> LegalMask:
        """Returns the mask of legal actions; the two passes only if no piece can move."""
        hand = jnp.stack(hand_cards(state.own_hand))
        entries = bits.computed_once(words_of_cards(hand).reshape(-1))  # as in `observation.py`
        words = legal_origins(state.own_pieces, entries)
        stuck = (words == 0).all()
        # Action 200 + slot is bit 25 of word `slot`: no separate part to concatenate.
        is_pass_word = jnp.arange(WORDS_PER_SQUARE) < NUM_SLOTS
        words = words | jnp.where(stuck & is_pass_word, jnp.uint32(1 << cards.NUM_SQUARES), 0)
        by_square = (words & _SQUARE_BITS[:, None]) != 0
        # Without `computed_once` the last slice is fused into the loop, which is then twice slower.
        return bits.computed_once(by_square).reshape(-1)[: self.num_actions]

    def sample_action(self, state: OnitamaState, word: RandomWord) -> Action:
        """Returns a uniformly random legal action, counted and selected on the bitboards."""
        words = origin_words(state)
        counts = [bits.count(origins) for origins in words]
        total = sum(counts[1:], counts[0])
        rank = sampling.bounded(word, jnp.where(total > 0, total, NUM_SLOTS))
        passing = PASS + rank

        chosen, index = words[0], jnp.int32(0)
        rank_in_word, before = rank, counts[0]
        for position in range(1, WORDS_PER_SQUARE):
            later = rank >= before
            chosen = jnp.where(later, words[position], chosen)
            index = jnp.where(later, position, index)
            rank_in_word = jnp.where(later, rank - before, rank_in_word)
            before = before + counts[position]
        square = bits.select(chosen, rank_in_word)
        return jnp.where(total > 0, square * WORDS_PER_SQUARE + index, passing)

    def step(
        self, state: OnitamaState, action: Action, key: PRNGKeyArray | None = None
    ) -> OnitamaState:
        """Moves a piece, captures, exchanges the used card and passes the turn."""
        del key
        passes = action >= PASS
        slot = jnp.where(passes, action - PASS, (action // cards.MAX_MOVES) % NUM_SLOTS)
        low, high = hand_cards(state.own_hand)
        card = jnp.where(slot == 0, low, high)

        entry = jnp.asarray(cards.MOVE_WORDS)[card * cards.MAX_MOVES + action % cards.MAX_MOVES]
        shift = (entry >> cards.SHIFT_POSITION).astype(jnp.int32)
        origin = action // WORDS_PER_SQUARE
        target = origin + jnp.where(shift >= 16, shift - 32, shift)
        return apply_move(state, card, origin, target, passes)

    def is_over(self, state: OnitamaState) -> Bool[Array, ""]:
        """The game ends by a captured master, a conquered temple or the ply limit."""
        return waiting_seat_won(state) | (state.ply >= self.max_plies)

    def returns(self, state: OnitamaState) -> SeatValues:
        """+1 for the winner, -1 for the loser, zeros for a draw and before the end."""
        won = waiting_seat_won(state).astype(jnp.int32)
        return jnp.where(jnp.arange(2) == state.seat, -won, won).astype(jnp.float32)

    def observe(self, state: OnitamaState, player: Seat) -> PackedPlanes:
        """Returns the planes of `observation.py` from the side of `player`."""
        is_own = player == state.seat
        own_pieces, other_pieces = _pair(is_own, state.own_pieces, state.other_pieces)
        own_hand, other_hand = _pair(is_own, state.own_hand, state.other_hand)
        own_master, other_master = _pair(is_own, state.own_master, state.other_master)
        view = state.replace(
            own_pieces=own_pieces,
            other_pieces=other_pieces,
            own_hand=own_hand,
            other_hand=other_hand,
            own_master=own_master,
            other_master=other_master,
        )
        return PLANES[self.planes](view)

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Returns the left-right reflection, which also replaces each card by its mirror card."""
        return (Symmetry(mirror_state, mirror_actions),)


def _check_types(rules: Onitama) -> None:
    """Raises a `ValueError` for options of a wrong type, which the later checks cannot take."""
    is_deck = isinstance(rules.deck, str) or (
        isinstance(rules.deck, tuple) and all(isinstance(name, str) for name in rules.deck)
    )
    if not is_deck:
        raise ValueError(f"deck must be a name or a tuple of card names, got {rules.deck!r}")
    if not isinstance(rules.planes, str):
        raise ValueError(f"planes must be one of {', '.join(PLANES)}, got {rules.planes!r}")
    if not isinstance(rules.max_plies, int):
        raise ValueError(f"max_plies must be an integer from 1 to 255, got {rules.max_plies!r}")


def start_position(deal: Deal) -> OnitamaState:
    """Returns the start position for a deal; the stamp of the side card decides who begins."""
    seat = jnp.asarray(cards.STAMPS)[deal.side_card]
    red_starts = seat == cards.Stamp.RED
    own_hand, other_hand = _pair(red_starts, deal.red_hand, deal.blue_hand)
    return OnitamaState(
        own_pieces=jnp.uint32(HOME_ROW),
        other_pieces=jnp.uint32(HOME_ROW),
        own_hand=own_hand,
        other_hand=other_hand,
        own_master=jnp.int8(cards.OWN_TEMPLE),
        other_master=jnp.int8(cards.OWN_TEMPLE),
        side_card=deal.side_card.astype(jnp.int8),
        seat=seat,
        ply=jnp.uint8(0),
    )


def apply_move(
    state: OnitamaState,
    card: Int32[Array, ""],
    origin: Int32[Array, ""],
    target: Int32[Array, ""],
    passes: Bool[Array, ""],
) -> OnitamaState:
    """Moves origin -> target (not if `passes`), exchanges `card` and passes the turn."""
    from_bit = jnp.where(passes, jnp.uint32(0), bits.single(origin))
    to_bit = jnp.where(passes, jnp.uint32(0), bits.single(target))
    captured_square = cards.NUM_SQUARES - 1 - target  # in the other side's frame
    capture_bit = jnp.where(passes, jnp.uint32(0), bits.single(captured_square))
    moves = jnp.logical_not(passes)  # one move on the host may be known as a `bool`
    master_moves = moves & (origin == state.own_master)
    master_falls = moves & (captured_square == state.other_master)
    hand = state.own_hand ^ bits.single(card) ^ bits.single(state.side_card)
    return OnitamaState(
        own_pieces=state.other_pieces & ~capture_bit,
        other_pieces=(state.own_pieces ^ from_bit) | to_bit,
        own_hand=state.other_hand,
        other_hand=hand,
        own_master=jnp.where(master_falls, CAPTURED, state.other_master).astype(jnp.int8),
        other_master=jnp.where(master_moves, target, state.own_master).astype(jnp.int8),
        side_card=card.astype(jnp.int8),
        seat=1 - state.seat,
        ply=state.ply + jnp.uint8(1),
    )


def waiting_seat_won(state: OnitamaState) -> Bool[Array, ""]:
    """Returns whether the last move won: Way of the Stone or Way of the Stream."""
    return is_stone(state) | (state.other_master == cards.TARGET_TEMPLE)


def is_stone(state: OnitamaState) -> Bool[Array, ""]:
    """Returns whether the game was won by capturing the master (also if on its temple)."""
    return state.own_master == CAPTURED


def origin_words(state: OnitamaState) -> list[UInt32[Array, ""]]:
    """Returns for each `slot * 4 + move` the bitboard of squares from which it is legal."""
    return origins(state.own_pieces, move_words(state.own_hand))


def is_stuck(state: OnitamaState) -> Bool[Array, ""]:
    """Returns whether no piece can move, so that the seat passes."""
    return jnp.stack([word == 0 for word in origin_words(state)]).all()


def mirror_state(state: OnitamaState) -> OnitamaState:
    """Returns the position reflected left-right, every card replaced by its mirror card."""
    return state.replace(
        own_pieces=_mirror_board(state.own_pieces),
        other_pieces=_mirror_board(state.other_pieces),
        own_hand=_mirror_hand(state.own_hand),
        other_hand=_mirror_hand(state.other_hand),
        own_master=_mirror_square(state.own_master),
        other_master=_mirror_square(state.other_master),
        side_card=jnp.asarray(cards.MIRROR_CARD)[state.side_card],
    )


def mirror_actions(state: OnitamaState) -> Int32[Array, "actions"]:
    """Returns the number that each action of `state` has in `mirror_state(state)`.

    It depends on the hand: mirroring may change which of the two cards has the lower id.
    """
    hand = jnp.stack(hand_cards(state.own_hand))
    mirrored = jnp.asarray(cards.MIRROR_CARD)[hand].astype(jnp.int32)
    slots = jnp.where(mirrored[0] > mirrored[1], jnp.array([1, 0]), jnp.array([0, 1]))
    moves = jnp.asarray(cards.MIRROR_MOVE)[hand].astype(jnp.int32)  # [slot, move]
    squares = _mirror_square(jnp.arange(cards.NUM_SQUARES))
    ids = (squares[:, None, None] * NUM_SLOTS + slots[:, None]) * cards.MAX_MOVES + moves
    return jnp.concatenate([ids.reshape(-1), PASS + slots])


def _mirror_square(square: Int32[Array, "*any"]) -> Int32[Array, "*any"]:
    x = square % cards.SIDE
    return jnp.where(square == CAPTURED, square, square - x + (cards.SIDE - 1 - x))


def _mirror_board(board: UInt32[Array, ""]) -> UInt32[Array, ""]:
    columns = [(board >> x) & jnp.uint32(0x108421) for x in range(cards.SIDE)]
    reflected = [column << (cards.SIDE - 1 - x) for x, column in enumerate(columns)]
    return jax.tree.reduce(jnp.bitwise_or, reflected)


def _mirror_hand(hand: UInt32[Array, ""]) -> UInt32[Array, ""]:
    low, high = hand_cards(hand)
    mirror = jnp.asarray(cards.MIRROR_CARD)
    return bits.single(mirror[low]) | bits.single(mirror[high])


def _pair(condition: Bool[Array, ""], own: Array, other: Array) -> tuple[Array, Array]:
    """Returns `(own, other)` where `condition` holds, else `(other, own)`."""
    return jnp.where(condition, own, other), jnp.where(condition, other, own)
