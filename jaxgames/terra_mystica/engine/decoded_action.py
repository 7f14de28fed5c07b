"""An action taken apart, and the parts of the state that it changes."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool

from jaxgames.boards import bits
from jaxgames.terra_mystica.engine.actions import ARGUMENT_OF, KIND_OF, NUM_UPGRADES, Kind
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import Board, Leech, Pending, Supply
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS


class DecodedAction(NamedTuple):
    """An action taken apart."""

    kind: Number
    argument: Number
    decision: Number  # the decision that it answers
    hex: Number  # land hex of TERRAFORM, BUILD, UPGRADE

    def is_a(self, *kinds: Kind) -> Bool[Array, ""]:
        """Returns whether the action is of one of the given kinds."""
        if len(kinds) == 1:
            return self.kind == kinds[0]
        among = jnp.uint32(sum(1 << kind for kind in kinds))  # there are fewer than 32 kinds
        return (among >> self.kind.astype(jnp.uint32)) & 1 != 0


def decode_action(action: Number, decision: Number) -> DecodedAction:
    """Returns an action's kind, argument and hex."""
    kind, argument = jnp.asarray(KIND_OF)[action], jnp.asarray(ARGUMENT_OF)[action]
    hex_number = jnp.where(kind == Kind.BUILD, argument, argument // NUM_UPGRADES)
    hex_number = jnp.where(kind == Kind.TERRAFORM, argument // NUM_COLOURS, hex_number)
    return bits.computed_once(DecodedAction(kind, argument, decision, hex_number))


class ActionContext(NamedTuple):
    """The parts of the state that an action changes."""

    board: Board
    supply: Supply
    pending: Pending
    leech: Leech
    mover: PlayerRow
