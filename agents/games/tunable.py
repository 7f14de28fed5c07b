"""`Tunable`: an `IntegerScore` with parameters that a program may tune, a group at a time."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Int32

from jaxgames.messages import unknown
from jaxgames.search.agent import Params
from jaxgames.search.evaluators.integer_score import IntegerScore
from jaxgames.search.evaluators.latch import Latch


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """Parameters that are tuned together. Those of one player are its genes: whole numbers."""

    genes: tuple[str, ...]
    population: Int32[np.ndarray, "individuals genes"]
    """Players to start from."""
    spread: int
    """All of them but the frozen one are moved by up to this at the start, in every gene."""
    frozen: int
    """The player of the population that stays as it is, as a standard to measure by."""
    frozen_name: str
    limit: int
    """Genes lie from `-limit` to `limit`, so that the score keeps within its range."""
    put: Callable[[Params, Int32[Array, "genes"]], Params]
    """Returns one player's parameters with the genes in their place."""


class Tunable(NamedTuple):
    """What can be tuned in a game's score."""

    score: IntegerScore
    params: Params
    """One player's parameters, those of the frozen player."""
    groups: Mapping[str, Group]
    """Groups by name."""
    latch: Latch | None = None


def group_of(tunable: Tunable, name: str) -> Group:
    """Returns a group by its name.

    Raises:
        ValueError: for an unknown name.
    """
    if name not in tunable.groups:
        raise ValueError(unknown("group of parameters", name, tunable.groups))
    return tunable.groups[name]
