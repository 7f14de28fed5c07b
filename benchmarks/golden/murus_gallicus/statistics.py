"""Compares averages of random play of Murus Gallicus with those of many recorded games."""

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from benchmarks.golden.core.records import (
    EQUAL,
    Record,
    Verdict,
    different,
)
from jaxgames import sampling
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS

FIELDS = {"variants": dict}
GAMES = 20_000
TOLERANCE = 5.0  # standard errors of the difference between our sample and the recorded one


class Sample(NamedTuple):
    """A mean with its standard error."""

    mean: float
    error: float


class Totals(NamedTuple):
    """Counts of games; each array is `[games]`."""

    plies: Any
    legal: Any  # legal actions, summed over the plies
    roman_win: Any
    breakthrough: Any


def check_variants(record: Record) -> Verdict:
    """Compares game length, results and numbers of legal actions of each variant."""
    for name, listed in record["variants"].items():
        if name not in VARIANTS:
            return different("variant", name, f"only {', '.join(VARIANTS)}")
        for what, sample in averages(MurusGallicus(variant=name)).items():
            is_share = what in ("roman", "breakthrough")
            expected = listed[what] / listed["games"] if is_share else listed[what]
            error = sample.error * math.sqrt(1 + GAMES / listed["games"])
            if abs(sample.mean - expected) > TOLERANCE * error:
                mine = f"{sample.mean:.4f} +- {error:.4f}"
                return different(f"{name}, average {what}", expected, mine)
    return EQUAL


def averages(rules: MurusGallicus, seed: int = 0) -> dict[str, Sample]:
    """Returns averages over uniformly random games from the start, by the names in the records."""
    games = Totals(*jax.device_get(_play(rules, jax.random.key(seed))))
    plies, legal = (np.asarray(values, np.float64) for values in (games.plies, games.legal))
    ratio = legal.sum() / plies.sum()
    # The error of a ratio of means comes from the deviations of the games from the common ratio.
    deviation = (legal - ratio * plies).std() / plies.mean()
    return {
        "mean_len": Sample(plies.mean(), plies.std() / math.sqrt(GAMES)),
        "roman": _share(games.roman_win),
        "breakthrough": _share(games.breakthrough),
        "mean_legal": Sample(ratio, deviation / math.sqrt(GAMES)),
    }


def _share(is_so: Any) -> Sample:
    share = float(np.mean(is_so))
    return Sample(share, math.sqrt(share * (1 - share) / GAMES))


@functools.partial(jax.jit, static_argnums=0)
def _play(rules: MurusGallicus, key: PRNGKeyArray) -> Totals:
    init_key, play_key = jax.random.split(key)
    first = jax.vmap(rules.init)(jax.random.split(init_key, GAMES))

    def ply(carry: Any) -> Any:
        games, plies, legal, key = carry
        key, action_key = jax.random.split(key)
        actions = jax.vmap(rules.sample_action)(games, sampling.random_words(action_key, GAMES))
        moved = jax.vmap(lambda game, action: rules.step(game, action))(games, actions)
        over = jax.vmap(rules.is_over)(games)
        counts = jax.vmap(rules.legal_actions)(games).sum(axis=1)
        legal += jnp.where(over, 0, counts)
        following = jax.tree.map(lambda old, new: jnp.where(over, old, new), games, moved)
        return following, plies + ~over, legal, key

    def goes_on(carry: Any) -> Any:
        return ~jax.vmap(rules.is_over)(carry[0]).all()

    zeros = jnp.zeros(GAMES, jnp.int32)
    games, plies, legal, _ = jax.lax.while_loop(goes_on, ply, (first, zeros, zeros, play_key))
    wins = jax.vmap(rules.returns)(games)[:, 0] > 0
    # A stone that broke through still stands on the far row of its owner.
    crossed = jax.vmap(
        lambda game: game.own.occupied.reaches_far_row() | game.other.occupied.reaches_far_row()
    )(games)
    return Totals(plies, legal, wins, crossed)
