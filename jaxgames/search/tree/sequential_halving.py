"""Sequential halving: how Gumbel MuZero spreads its simulations over the actions of the root.

Source: Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013, as
Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022, use it.
"""

import functools
import math

import numpy as np
from jaxtyping import Int32


@functools.cache
def halving_table(max_considered: int, simulations: int) -> Int32[np.ndarray, "considered budget"]:
    """Returns the schedule: the visits that a root action must have in order to be considered.

    Entry `[m, i]` is for the `i`-th simulation of a search that starts with `m` actions.
    """
    rows = [_halving(considered, simulations) for considered in range(max_considered + 1)]
    return np.array(rows, np.int32)


def _halving(considered: int, simulations: int) -> list[int]:
    """Returns one row: each round visits all remaining actions equally, then drops half of them."""
    if considered <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    visits: list[int] = []
    done, left = 0, considered
    while len(visits) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            visits += [done] * left
            done += 1
        left = max(2, left // 2)
    return visits[:simulations]
