"""Texts of static values: equal for equal values, different for others, none where none is safe."""

import dataclasses
import enum
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.internal.program_cache.identities import Identities, NoIdentity
from jaxgames.players import registry


class Colour(enum.IntEnum):
    RED = 1


@dataclasses.dataclass(frozen=True)
class Rules:
    side: int
    table: Any = None


class Plain:
    def __init__(self, rules: Any) -> None:
        self.rules = rules

    @functools.cached_property
    def side(self) -> int:
        return int(self.rules.side)

    def act(self) -> int:
        return self.side


class Word(str):
    pass


def text(value: Any) -> str:
    return Identities().of(value)


DIFFERENT = [
    None,
    1,
    1.0,
    True,
    "1",
    b"1",
    Colour.RED,
    (1,),
    [1],
    {"a": 1},
    {"a": 2},
    {"b": 1},
    frozenset({1}),
    Rules(1),
    Rules(2),
    Rules(1, np.arange(2)),
    Rules(1, np.arange(3)),
    Rules(1, np.arange(2, dtype=np.int8)),
    Plain(Rules(1)),
    Plain(Rules(2)),
    Plain(Rules(1)).act,
    Plain,
    len,
    jax.nn.relu,
    jnp.float32,
    np.dtype("float32"),
    functools.partial(len, 1),
    functools.partial(len, 2),
    lambda: 1,
    lambda: 2,
    jax.random.key(0),
    jax.random.key(1),
]


def test_different_values_have_different_texts() -> None:
    assert len({text(value) for value in DIFFERENT}) == len(DIFFERENT)


def test_equal_values_have_equal_texts() -> None:
    one, other = Plain(Rules(1)), Plain(Rules(1))
    assert one.side == 1  # what is computed at first use is no part of the object
    assert text(one) == text(other)
    assert text({3, 1, 2}) == text({2, 3, 1})


@pytest.mark.parametrize(
    "value", [object(), Word("a"), iter(()), np.array([None]), type("Local", (), {})]
)
def test_values_that_a_text_would_not_tell_apart_have_none(value: Any) -> None:
    with pytest.raises(NoIdentity):
        text(value)


def test_values_that_hold_themselves_have_none() -> None:
    loop = Plain(None)
    loop.rules = loop
    with pytest.raises(NoIdentity, match="without end"):
        text(loop)


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus", "terra_mystica", "tribes"])
def test_games_and_their_players_have_one(game: str) -> None:
    env = jaxgames.make(game)
    agents = [registry.make(spec, env).agent for spec in ("best", "random", "greedy", "mcts")]
    texts = {text(value) for value in (env, *agents)}
    assert len(texts) == 1 + len(agents)
    assert texts == {text(value) for value in (env, *agents)}
