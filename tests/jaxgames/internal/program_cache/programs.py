"""Functions whose programs the tests keep."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax

traced: list[int] = []  # what `draw` was traced for


class Hand(NamedTuple):
    cards: Any
    rest: dict[str, Any]


def draw(sides: int, key: jax.Array, hand: Hand) -> tuple[Hand, jax.Array, None]:
    """Rolls a die for each card, and returns a new key."""
    if sides < 1:
        raise ValueError("no sides")
    traced.append(sides)
    after, key = jax.random.split(key)
    rolls = jax.random.randint(key, hand.cards.shape, 0, sides)
    return hand._replace(cards=hand.cards + rolls.astype(hand.cards.dtype)), after, None


def draw_twice(sides: int, key: jax.Array, hand: Hand) -> tuple[Hand, jax.Array, None]:
    hand, key, _ = draw(sides, key, hand)
    return draw(sides, key, hand)


def hold(hand: Hand) -> Hand:
    traced.append(0)
    return hand


def same(key: jax.Array) -> jax.Array:
    return key


def negate(number: Any) -> Any:
    return -number


def moved(start: Any, by: Any) -> Any:
    """Its arguments stand in another order than that of their names."""
    return start + by, by + 1


def adder(summand: Any) -> Callable[[Any], Any]:
    """Returns a function that adds a number, and nothing for any other object."""

    def add(number: Any) -> Any:
        return number + summand if isinstance(summand, int) else number

    return add
