"""Which actions the slots of a tree node stand for.

A node has one slot for each of its candidates. With as many slots as the game has actions, slot and
action are the same. With as many as a position has legal actions at most, slot `j` is the `j`-th
legal action in the order of the action numbers. With fewer, the most probable ones are kept.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int32, UInt32

from jaxgames.boards import bits
from jaxgames.rules import Rules


def pack(mask: Bool[Array, "B actions"]) -> UInt32[Array, "B words"]:
    """Returns the masks packed into words."""
    return jax.vmap(bits.pack)(mask)


def action_at(words: UInt32[Array, "B words"], slot: Int32[Array, "B K"]) -> Int32[Array, "B K"]:
    """Returns the action in each slot of packed masks; a slot past the end gives some action."""
    of_one = jax.vmap(bits.select_packed, (None, 0))
    return jax.vmap(of_one)(words, slot)


def legal_list(
    words: UInt32[Array, "B words"], size: int
) -> tuple[Int32[Array, "B K"], Bool[Array, "B K"]]:
    """Returns the first `size` legal actions and which slots of that list are filled."""
    slots = jnp.broadcast_to(jnp.arange(size), (words.shape[0], size))
    filled = slots < bits.count(words).sum(axis=-1, keepdims=True)
    return jnp.where(filled, action_at(words, slots), 0), filled


def to_dense(
    by_slot: Float[Array, "B K"], mask: Bool[Array, "B actions"]
) -> Float[Array, "B actions"]:
    """Returns numbers by slot of the legal list as numbers by action; zero for illegal actions."""
    slot = jnp.cumsum(mask, axis=-1) - 1
    slot = jnp.minimum(slot, by_slot.shape[-1] - 1)
    return jnp.where(mask, jnp.take_along_axis(by_slot, jnp.maximum(slot, 0), axis=-1), 0.0)


def width(rules: Rules, limit: int | None) -> int:
    """Returns the slots of a node: `limit`, or as many as any position of the game needs.

    A list nearly as long as all actions is not worth its numbers: then a slot is an action.
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
    """Returns the actions of `size` slots and which are filled with legal ones.

    Only where a position may have more legal actions than slots, `preference` decides.
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
    """Returns numbers by action as numbers by slot; an empty slot has some number."""
    if by_action.shape == action.shape:
        return by_action
    return jnp.take_along_axis(by_action, action, axis=-1)
