"""A score to tune for the small Nim game, and games that need no rules at all."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from papers.murus_gallicus.evolution.matches import Outcome
from papers.murus_gallicus.evolution.tunable import Group, Tunable

GENES = ("stones", "heaps", "pairs")


class Weights(NamedTuple):
    """One weight for each feature of a position."""

    stones: jax.Array
    heaps: jax.Array
    pairs: jax.Array
    sign: jax.Array


@dataclasses.dataclass(frozen=True)
class HeapScore:
    """A weighted sum of three features of the heaps, for the seat to move."""

    def __call__(self, params, state):
        heaps = state.heaps.astype(jnp.int32)
        total = params.stones * heaps.sum() + params.heaps * (heaps > 0).sum()
        return params.sign * (total + params.pairs * (heaps == 2).sum())


def put(params, genes):
    return params._replace(stones=genes[0], heaps=genes[1], pairs=genes[2])


def make_group(**changes) -> Group:
    group = Group(
        genes=GENES,
        population=np.array([[10 * i, 100 - 7 * i, (i * i) % 11] for i in range(10)], np.int32),
        spread=0,
        frozen=3,
        frozen_name="nim_player",
        limit=1000,
        put=put,
    )
    return dataclasses.replace(group, **changes)


def make_tunable(env) -> Tunable:
    del env
    zero = jnp.int32(0)
    params = Weights(zero, zero, zero, jnp.int32(1))
    return Tunable(HeapScore(), params, {"material": make_group(), "pst": make_group(spread=200)})


@dataclasses.dataclass(frozen=True)
class NearestWins:
    """Games that the genes nearer to a target win; a draw between equally near ones."""

    target: tuple[int, ...] = (100, -200, 300)

    def __call__(self, genomes, keys):
        del keys
        distance = jnp.abs(genomes - jnp.array(self.target)).sum(axis=-1)
        first = jnp.sign(distance[:, 1] - distance[:, 0]).astype(jnp.float32)
        return Outcome(jnp.stack([first, -first], axis=1), jnp.full(len(genomes), 7, jnp.int32))
