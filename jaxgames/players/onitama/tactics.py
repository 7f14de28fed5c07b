"""The order of moves in searches of Onitama: wins, captures, advances."""

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Int32

from jaxgames.boards import bits
from jaxgames.onitama import cards
from jaxgames.onitama.moves import NUM_SLOTS, hand_cards, leading_to, move_words, origins
from jaxgames.onitama.rules import PASS, WORDS_PER_SQUARE, Onitama, OnitamaState
from jaxgames.rules import LegalMask
from jaxgames.search.depth_first.ordering import WIN_BONUS

CAPTURE_BONUS = 32  # of taking a student


@dataclasses.dataclass(frozen=True)
class OnitamaTactics:
    """Finds captures and steps of the master onto the temple."""

    rules: Onitama

    def noisy(self, state: OnitamaState) -> LegalMask:
        """Returns the mask of captures, and of moves that conquer the temple."""
        words = move_words(state.own_hand)
        enemy = bits.reverse(state.other_pieces, cards.NUM_SQUARES)
        master = bits.single(state.own_master)
        temple = jnp.uint32(1 << cards.TARGET_TEMPLE)
        loud = [
            legal & (leading_to(enemy, word) | (master & leading_to(temple, word)))
            for legal, word in zip(origins(state.own_pieces, words), words, strict=True)
        ]
        squares = jnp.arange(cards.NUM_SQUARES, dtype=jnp.uint32)[:, None]
        mask = ((jnp.stack(loud) >> squares) & 1).astype(bool).reshape(-1)
        return jnp.pad(mask, (0, self.rules.num_actions - PASS))

    def bonus(self, state: OnitamaState, actions: Int32[Array, "slots"]) -> Int32[Array, "slots"]:
        """Returns a bonus for wins at once, captures, and the rank reached."""
        hand = jnp.stack(hand_cards(state.own_hand))
        card = hand[actions // cards.MAX_MOVES % NUM_SLOTS]
        origin = jnp.minimum(actions // WORDS_PER_SQUARE, cards.NUM_SQUARES - 1)
        target = jnp.asarray(cards.TARGETS)[card, origin, actions % cards.MAX_MOVES]
        target = target.astype(jnp.int32)
        enemy_square = cards.NUM_SQUARES - 1 - target
        captures = bits.contains(state.other_pieces, enemy_square)
        is_win = (origin == state.own_master) & (target == cards.TARGET_TEMPLE)
        is_win |= enemy_square == state.other_master
        bonus = jnp.where(captures, CAPTURE_BONUS, 0) + jnp.maximum(target // cards.SIDE, 0)
        return jnp.where(actions < PASS, jnp.where(is_win, WIN_BONUS, bonus), 0)
