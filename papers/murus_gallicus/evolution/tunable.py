"""`Tunable`: an `IntegerScore` whose parameters a program may tune, one group at a time."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Int32

from jaxgames.internal.messages import unknown
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.integer_score import IntegerScore, Latch


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """Parameters that are tuned together. The genes of a player are their values, whole numbers."""

    genes: tuple[str, ...]
    population: Int32[np.ndarray, "individuals genes"]
    """Players to start from."""
    spread: int
    """At the start, each gene of all players but the frozen one is moved by up to this."""
    frozen: int
    """Index in the population of the player that never changes, the standard to measure by."""
    frozen_name: str
    """Name of the frozen player in tables."""
    limit: int
    """Genes lie from `-limit` to `limit`, so that the score keeps within its range."""
    put: Callable[[Params, Int32[Array, "genes"]], Params]
    """`put(params, genes)` returns the parameters of one player with its genes put in."""


class Tunable(NamedTuple):
    """The score of a game, with the groups of its parameters that can be tuned."""

    score: IntegerScore
    params: Params
    """The parameters of the frozen player."""
    groups: Mapping[str, Group]
    """Groups by name."""
    latch: Latch | None = None
    """A change of the parameters in the course of a game; None: they stay the same."""


def group_of(tunable: Tunable, name: str) -> Group:
    """Returns a group by its name.

    Raises:
        ValueError: for an unknown name.
    """
    if name not in tunable.groups:
        raise ValueError(unknown("group of parameters", name, tunable.groups))
    return tunable.groups[name]
