"""Rare and costly parts of a rule, computed only for the games of a batch that need them.

Under `jax.vmap` both sides of a `lax.cond` run for all games. That is cheap for a few operations,
and ruinous for the final scoring of a game in each of its two hundred steps. `where_needed` keeps
the code of a rule unbatched, but batches it by hand: the games that need the costly part are
gathered into small groups, and only those are computed.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool

T = TypeVar("T")

DEFAULT_SHARE = 1 / 16


def where_needed(
    needed: Bool[Array, ""],
    compute: Callable[..., T],
    otherwise: T,
    *arguments: Any,
    share: float = DEFAULT_SHARE,
) -> T:
    """Returns `compute(*arguments)` where it is needed, and `otherwise` elsewhere.

    Args:
        needed: whether this game needs the computation.
        compute: a function of its arguments alone; it may not use other traced values.
        otherwise: the result for games that do not need it, of the same structure and types.
        *arguments: pytrees of arrays.
        share: expected share of games that need it. A batch is worked off in groups of so many of
            its games, until all that need it are done; results do not depend on it.
    """

    @custom_vmap
    def choose(needed: Bool[Array, ""], otherwise: T, arguments: tuple[Any, ...]) -> T:
        return jax.lax.cond(needed, lambda: compute(*arguments), lambda: otherwise)

    @choose.def_vmap
    def _(axis_size: int, in_batched: Any, *operands: Any) -> tuple[T, Any]:
        operands = jax.tree.map(
            lambda x, is_batched: x if is_batched else _repeated(x, axis_size),
            operands,
            tuple(in_batched),
        )
        result = _in_groups(compute, max(1, round(share * axis_size)), *operands)
        return result, jax.tree.map(lambda _: True, result)

    return choose(needed, otherwise, arguments)


def _repeated(x: Array, times: int) -> Array:
    return jnp.broadcast_to(x, (times, *jnp.shape(x)))


def _in_groups(
    compute: Callable[..., T],
    group: int,
    needed: Bool[Array, "lanes"],
    otherwise: T,
    arguments: tuple[Any, ...],
) -> T:
    lanes = needed.shape[0]
    # Numbers of the lanes that need it, in order; the rest is `lanes`, which is written nowhere.
    place = jnp.where(needed, jnp.cumsum(needed) - 1, lanes + group)
    waiting = jnp.full((lanes + group,), lanes, jnp.int32)
    waiting = waiting.at[place].set(jnp.arange(lanes, dtype=jnp.int32), mode="drop")
    count = needed.sum()

    def is_waiting(carry: tuple[Array, T]) -> Array:
        return carry[0] < count

    def work(carry: tuple[Array, T]) -> tuple[Array, T]:
        start, results = carry
        chosen = jax.lax.dynamic_slice(waiting, (start,), (group,))
        inputs = jax.tree.map(lambda x: x.at[chosen].get(mode="clip"), arguments)
        outputs = jax.vmap(compute)(*inputs)
        results = jax.tree.map(
            lambda all_, new: all_.at[chosen].set(new, mode="drop"), results, outputs
        )
        return start + group, results

    return jax.lax.while_loop(is_waiting, work, (jnp.int32(0), otherwise))[1]
