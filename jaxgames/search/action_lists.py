"""The actions of all games of a batch as one list, which is processed in parts of a fixed size."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.boards import bits
from jaxgames.search import action_slots


class ActionBatch(NamedTuple):
    """A part of the list of all actions of all games, game after game."""

    part: Int32[Array, ""]  # the number of this part
    game: Int32[Array, "N"]
    slot: Int32[Array, "N"]  # index among the actions of its game
    bit: Int32[Array, "N"]  # bit in the set of its game
    is_there: Bool[Array, "N"]  # false after the end of the list


def over_actions(
    words: UInt32[Array, "B words"],
    most: int,
    size: int,
    work: Callable[[ActionBatch, Any], Any],
    results: Any,
) -> Any:
    """Returns the results of `work` on the first `most` actions of each game, `size` at a time.

    The cost grows with the number of actions that exist, not with the number that could exist.
    """
    upto = jnp.cumsum(jnp.minimum(bits.count(words).sum(axis=-1), most))  # up to each game

    def part(carry: tuple[Int32[Array, ""], Any]) -> tuple[Int32[Array, ""], Any]:
        done, results = carry
        place = done + jnp.arange(size)
        game = jnp.searchsorted(upto, place, side="right").astype(jnp.int32)
        is_there = game < len(upto)
        game = jnp.minimum(game, len(upto) - 1)
        slot = place - jnp.where(game > 0, upto[game - 1], 0)
        bit = action_slots.action_at(words[game], slot[:, None])[:, 0]
        listed = ActionBatch(done // size, game, slot, jnp.where(is_there, bit, 0), is_there)
        return done + size, work(listed, results)

    return jax.lax.while_loop(lambda carry: carry[0] < upto[-1], part, (jnp.int32(0), results))[1]
