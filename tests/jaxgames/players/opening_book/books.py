"""A small book for the tests: Nim with two plies a turn."""

import functools
import pathlib

import jax
import numpy as np

from agents.opening_book import building
from configs.opening_book import BookConfig
from jaxgames import Env
from jaxgames.players.opening_book.book import Book
from jaxgames.search.tree import packing
from tests import turn_nim
from tests.turn_nim import TurnNim

ENV = Env("turn_nim", TurnNim())
CONFIG = BookConfig(
    output=pathlib.Path("book.npz"),
    game="turn_nim",
    moves=3,
    simulations=64,
    choices=2,
    replies=3,
    positions=12,
    lanes=8,
)
POSITIONS = turn_nim.both_seats(turn_nim.all_positions())


@functools.cache
def small() -> Book:
    return building.build(ENV, CONFIG)


def words(state: object) -> np.ndarray:
    return np.asarray(packing.pack(state))


def where_known(book: Book, state: object) -> np.ndarray:
    """Returns which positions are in a book, by comparing all words."""
    return (words(state)[:, None] == np.asarray(book.words)).all(axis=-1).any(axis=1)


def start(number: int) -> object:
    return jax.vmap(ENV.rules.init)(jax.random.split(jax.random.key(0), number))
