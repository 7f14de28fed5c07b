"""The whole actions at the root of a search, each with all its plies, as a set of bits.

If an action is one ply, bit `a` is action `a`. If it may be two plies, bit
`first * padded + second` is the action of these two, and bit `first * padded` is the action that is
complete after `first`; `padded` is the number of actions rounded up to whole words.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt32

from jaxgames.boards import bits
from jaxgames.rules import LegalMask
from jaxgames.search import action_slots
from jaxgames.search.action_slots import ActionBatch, over_actions
from jaxgames.search.agent import GameStates
from jaxgames.search.planning.domain import NO_PLY, PlannerDomain

MAX_ACTIONS = 2048  # distinguished at a root, if actions have two plies
Allowed = Callable[[Any, Int32[Array, ""]], LegalMask]
"""Maps one game and the number of a group to the mask of actions in that group."""


class RootActions(NamedTuple):
    """The actions of a batch of games; slot `j` is the `j`-th one in the order of the bits."""

    words: UInt32[Array, "B words"]
    is_complete: Bool[Array, "B actions"] | None
    """Whether each first ply is a whole action; None if actions have one ply."""

    @property
    def num_actions(self) -> Int32[Array, "B"]:
        """Returns the number of actions of each game."""
        return bits.count(self.words).sum(axis=-1)

    def at(self, slot: Int32[Array, "B K"]) -> Int32[Array, "B K plies"]:
        """Returns the plies of the actions in some slots; NO_PLY in slots past the last action."""
        bit = action_slots.action_at(self.words, slot)
        game = jnp.broadcast_to(jnp.arange(slot.shape[0])[:, None], slot.shape)
        exists = slot < self.num_actions[:, None]
        return jnp.where(exists[..., None], self.plies_of(game, bit), NO_PLY)

    def plies_of(
        self, game: Int32[Array, "*n"], bit: Int32[Array, "*n"]
    ) -> Int32[Array, "*n plies"]:
        """Returns the plies of the action that a bit stands for, then NO_PLY."""
        if self.is_complete is None:
            return bit[..., None]
        padded = -(-self.is_complete.shape[1] // bits.WORD_BITS) * bits.WORD_BITS
        first, second = jnp.divmod(bit, padded)
        second = jnp.where(self.is_complete[game, first], NO_PLY, second)
        return jnp.stack([first, second], axis=-1)


def expand(
    domain: PlannerDomain,
    state: GameStates,
    needs_plan: Bool[Array, "B"],
    allowed: Allowed,
    group: Int32[Array, "B"],
    width: int,
) -> RootActions:
    """Returns the whole actions of the games where `needs_plan` holds; others get none.

    The first plies of all games form one list, which is processed in parts of `width` plies for
    each game of the batch.
    """
    rules = domain.rules
    mask = jax.vmap(allowed)(state, group) & needs_plan[:, None]
    words = action_slots.pack(mask)
    if domain.decision_plies == 1:
        return RootActions(words, None)
    completes = jax.vmap(jax.vmap(rules.completes_action, (None, 0)), (0, None))
    is_complete = completes(state, jnp.arange(rules.num_actions))
    num_games = len(needs_plan)

    def second_plies(place: ActionBatch, found: Array) -> Array:
        games = jax.tree.map(lambda x: x[place.game], state)
        middle = jax.vmap(domain.first_ply)(games, place.bit)
        seconds = action_slots.pack(jax.vmap(allowed)(middle, group[place.game]))
        whole = jnp.zeros_like(seconds).at[:, 0].set(1)
        is_whole = is_complete[place.game, place.bit]
        row = jnp.where(place.is_there, place.game, num_games)
        bits_of_first = jnp.where(is_whole[:, None], whole, seconds)
        return found.at[row, place.bit].set(bits_of_first, mode="drop")

    found = jnp.zeros((num_games, rules.num_actions, words.shape[1]), jnp.uint32)
    size = num_games * width
    found = over_actions(words, rules.num_actions, size, second_plies, found)
    return RootActions(found.reshape(num_games, -1), is_complete)


def max_actions(domain: PlannerDomain) -> int:
    """Returns the most actions that are distinguished at a root."""
    one_ply = domain.decision_plies == 1
    return domain.rules.max_legal_actions if one_ply else MAX_ACTIONS
