"""Income at the start of a round: structures, favor tiles, bonus card."""

import jax.numpy as jnp
from jaxtyping import Array, Int32

from jaxgames.terra_mystica.engine import seats
from jaxgames.terra_mystica.engine.seats import PlayerRow
from jaxgames.terra_mystica.tables.costs import INCOME
from jaxgames.terra_mystica.tables.factions import NUM_STRUCTURES
from jaxgames.terra_mystica.tables.tiles import CARD_INCOME, FAVOR_INCOME, NUM_FAVORS


def income(player: PlayerRow, counts: Int32[Array, "5"]) -> Int32[Array, "4"]:
    """Returns coins, workers, priests and power that a seat gets next, without caps.

    Args:
        player: the seat.
        counts: its structures of each kind.
    """
    structures = jnp.asarray(INCOME)[player.faction, jnp.arange(NUM_STRUCTURES), counts].sum(0)
    held = (player.favors >> jnp.arange(NUM_FAVORS)) & 1
    favors = (held[:, None] * FAVOR_INCOME).sum(0)
    card = jnp.asarray(CARD_INCOME)[jnp.maximum(player.card - 1, 0)] * (player.card > 0)
    return structures + favors + card


def collect(player: PlayerRow, counts: Int32[Array, "5"]) -> PlayerRow:
    """Gives a seat its income; priests above the cap and power without room are lost."""
    return seats.gain(player, income(player, counts))
