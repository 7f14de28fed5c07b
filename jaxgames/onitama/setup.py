"""Set-up of Onitama: which cards may be dealt, and the deal."""

import difflib
import functools

import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Int8, PRNGKeyArray, UInt32

from jaxgames import sampling
from jaxgames.boards import bits
from jaxgames.internal.messages import unknown
from jaxgames.onitama import cards

CARDS_IN_PLAY = 5


class Deal(struct.PyTreeNode):
    """The five cards of a game."""

    red_hand: UInt32[Array, ""]  # bit c: card c
    blue_hand: UInt32[Array, ""]
    side_card: Int8[Array, ""]


def card_id(name: str) -> int:
    """Returns the id of a card.

    Raises:
        ValueError: for an unknown name; offers the nearest one.
    """
    if name not in cards.CARD_IDS:
        nearest = difflib.get_close_matches(str(name), cards.CARD_IDS, n=1)
        hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise ValueError(
            f"unknown Onitama card {name!r}; available: {', '.join(cards.CARD_IDS)}{hint}"
        )
    return cards.CARD_IDS[name]


@functools.cache
def deal_mask(deck: str | tuple[str, ...]) -> int:
    """Returns the set of cards of a deck: bit `c` for card `c`.

    Raises:
        ValueError: for an unknown deck or card, a repeated card or fewer than five cards.
    """
    if isinstance(deck, str):
        if deck not in cards.DECKS:
            wrong = unknown("deck", deck, tuple(cards.DECKS))
            raise ValueError(f"{wrong}; a tuple of at least five card names is a deck, too")
        deck = cards.DECKS[deck]
    if not isinstance(deck, tuple):
        raise ValueError(f"a deck is a name or a tuple of card names, got {deck!r}")
    ids = [card_id(name) for name in deck]
    if len(set(ids)) != len(ids) or len(ids) < CARDS_IN_PLAY:
        raise ValueError(f"a deck has at least {CARDS_IN_PLAY} different cards, got {deck!r}")
    return sum(1 << index for index in ids)


def parse_deal(text: str) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Returns the card ids of `"red,red|blue,blue|side"`.

    Raises:
        ValueError: if the text has another form, or a card is unknown or repeated.
    """
    parts = [part.split(",") for part in str(text).split("|")]
    if [len(part) for part in parts] != [2, 2, 1]:
        raise ValueError(f"cards must read 'card,card|card,card|card', got {text!r}")
    ids = [[card_id(name) for name in part] for part in parts]
    flat = [index for part in ids for index in part]
    if len(set(flat)) != CARDS_IN_PLAY:
        raise ValueError(f"the five cards must differ, got {text!r}")
    return (ids[0][0], ids[0][1]), (ids[1][0], ids[1][1]), ids[2][0]


def fixed_deal(text: str, mask: int) -> Deal:
    """Returns the deal that a text describes.

    Raises:
        ValueError: if the text is malformed or a card is not in the deck `mask`.
    """
    red, blue, side = parse_deal(text)
    for index in (*red, *blue, side):
        if not mask >> index & 1:
            raise ValueError(f"deal {text!r}: card {cards.CARDS[index].name!r} is not in the deck")
    return Deal(
        red_hand=jnp.uint32(1 << red[0] | 1 << red[1]),
        blue_hand=jnp.uint32(1 << blue[0] | 1 << blue[1]),
        side_card=jnp.int8(side),
    )


def draw_deal(key: PRNGKeyArray, mask: int) -> Deal:
    """Returns a uniformly random deal of five cards of the deck `mask`.

    Two random words hold the five draws, without a shuffle: 3 of at most 32 * 31 * 30 ordered
    choices, then 2 of at most 29 * 28. The chance of a deal differs from uniform by at most 1e-5,
    relatively.
    """
    words = jax.random.bits(key, (2,), jnp.uint32)
    left = mask.bit_count()
    remaining = jnp.uint32(mask)
    drawn = []
    for word, num_draws in ((words[0], 3), (words[1], 2)):
        combinations = 1
        for i in range(num_draws):
            combinations *= left - i
        code = sampling.bounded(word, combinations)
        for _ in range(num_draws):
            card = bits.select(remaining, code % left)
            code = code // left
            remaining = remaining ^ bits.single(card)
            left -= 1
            drawn.append(card)
    red, blue = (bits.single(drawn[i]) | bits.single(drawn[i + 1]) for i in (0, 2))
    return Deal(red_hand=red, blue_hand=blue, side_card=drawn[4].astype(jnp.int8))
