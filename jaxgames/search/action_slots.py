"""The actions of tree nodes as slots, and those of all games of a batch as one list.

A node has one slot for each action that it keeps. How slots map to actions depends on their number:

* as many slots as the game has actions: slot and action are the same;
* as many slots as a position can have legal actions: slot `j` is the `j`-th legal action, in the
  order of the action numbers;
* fewer slots: the most probable legal actions have one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, UInt32

from jaxgames.batching import lookups
from jaxgames.boards import bits
from jaxgames.rules import Rules


def pack(mask: Bool[Array, "B actions"]) -> UInt32[Array, "B words"]:
    """Returns masks packed into 32-bit words: action `a` is bit `a % 32` of word `a // 32`."""
    return jax.vmap(bits.pack)(mask)


def action_at(words: UInt32[Array, "B words"], slot: Int32[Array, "B K"]) -> Int32[Array, "B K"]:
    """Returns the action of each slot: the `slot`-th set bit of a packed mask.

    A slot past the last set bit gives an arbitrary action.
    """
    of_one = jax.vmap(bits.select_packed, (None, 0))
    return jax.vmap(lookups.selected(of_one))(words, slot)


def legal_list(
    words: UInt32[Array, "B words"], size: int
) -> tuple[Int32[Array, "B K"], Bool[Array, "B K"]]:
    """Returns the first `size` legal actions, 0 in empty slots, and the mask of filled slots."""
    slots = jnp.broadcast_to(jnp.arange(size), (words.shape[0], size))
    filled = slots < bits.count(words).sum(axis=-1, keepdims=True)
    return jnp.where(filled, action_at(words, slots), 0), filled


def to_dense(
    by_slot: Float[Array, "B K"], mask: Bool[Array, "B actions"]
) -> Float[Array, "B actions"]:
    """Returns numbers by action from numbers by slot of `legal_list`; zero for illegal actions."""
    slot = jnp.cumsum(mask, axis=-1) - 1
    slot = jnp.minimum(slot, by_slot.shape[-1] - 1)
    return jnp.where(mask, jnp.take_along_axis(by_slot, jnp.maximum(slot, 0), axis=-1), 0.0)


def num_slots(rules: Rules, limit: int | None) -> int:
    """Returns the number of slots of a node: `limit`, or as many as any position can need.

    Where legal actions can be more than half of all actions, every action has its own slot: the
    shorter list would not pay for storing the number of each action.
    """
    if limit is not None:
        return min(limit, rules.num_actions)
    is_short = 2 * rules.max_legal_actions <= rules.num_actions
    return rules.max_legal_actions if is_short else rules.num_actions


def choose(
    rules: Rules,
    mask: Bool[Array, "B actions"],
    preference: Float[Array, "B actions"],
    size: int,
) -> tuple[Int32[Array, "B K"], Bool[Array, "B K"]]:
    """Returns the actions of `size` slots, and the mask of slots filled with a legal action.

    `preference` matters only where a position can have more legal actions than slots: the legal
    actions of greatest preference are taken.
    """
    if size >= rules.num_actions:
        return jnp.broadcast_to(jnp.arange(size), mask.shape), mask
    if size >= rules.max_legal_actions:
        return legal_list(pack(mask), size)
    best, actions = jax.lax.top_k(jnp.where(mask, preference, -jnp.inf), size)
    return actions, best > -jnp.inf


def at_slots(
    by_action: Float[Array, "B actions"], action: Int32[Array, "B K"]
) -> Float[Array, "B K"]:
    """Returns numbers by slot from numbers by action; empty slots get an arbitrary number."""
    if by_action.shape == action.shape:
        return by_action
    return jax.vmap(lookups.selected(jnp.take_along_axis))(by_action, action)


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
    if words.shape[0] == 0:
        return results
    upto = jnp.cumsum(jnp.minimum(bits.count(words).sum(axis=-1), most))  # up to each game

    def part(carry: tuple[Int32[Array, ""], Any]) -> tuple[Int32[Array, ""], Any]:
        done, results = carry
        place = done + jnp.arange(size)
        game = jnp.searchsorted(upto, place, side="right").astype(jnp.int32)
        is_there = game < len(upto)
        game = jnp.minimum(game, len(upto) - 1)
        slot = place - jnp.where(game > 0, upto[game - 1], 0)
        bit = action_at(words[game], slot[:, None])[:, 0]
        listed = ActionBatch(done // size, game, slot, jnp.where(is_there, bit, 0), is_there)
        return done + size, work(listed, results)

    return jax.lax.while_loop(lambda carry: carry[0] < upto[-1], part, (jnp.int32(0), results))[1]
