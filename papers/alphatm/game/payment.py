"""What an output costs, and the conversions of power that pay for what is missing.

**Paper:** "actions are legal if they can be paid in that turn". This is read as in the
author's program: missing coins, workers and priests are bought with power at 1, 3 and 5 each. If
bowl III does not suffice, tokens of bowl II are burnt, as few as possible. No other conversion is
ever made.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.terra_mystica.engine import reachability, seats, spades
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.legal import LegalView
from jaxgames.terra_mystica.engine.seats import PlayerRow
from jaxgames.terra_mystica.tables.costs import (
    DIG_PRIESTS,
    DIG_WORKERS,
    NUM_RESOURCES,
    PRICES,
    SHIP_COINS,
    SHIP_PRIESTS,
    SPADES,
    Good,
    Price,
)
from jaxgames.terra_mystica.tables.tiles import POWER_ACTION_COST
from papers.alphatm.game import outputs

POWER_PRICES = np.array([1, 3, 5], np.int32)
"""Power for a coin, a worker, a priest."""


_DIG, _BRIDGE = outputs.ADVANCE + 1 - outputs.SEND, outputs.FACTION_SPECIAL - outputs.SEND


def _fixed_prices() -> np.ndarray:
    """Returns `[37, 4]`: prices of the outputs from `SEND` on; 0 where they depend on factions."""
    prices = np.zeros((outputs.NUM_OUTPUTS, NUM_RESOURCES), np.int32)
    prices[outputs.SEND : outputs.ADVANCE, Good.PRIESTS] = 1
    prices[outputs.ADVANCE] = (SHIP_COINS, 0, SHIP_PRIESTS, 0)
    prices[outputs.ADVANCE + 1] = (0, DIG_WORKERS, DIG_PRIESTS, 0)
    prices[outputs.POWER : outputs.CARD_SPECIAL, Good.POWER] = POWER_ACTION_COST
    return prices[outputs.SEND :]


_FIXED = _fixed_prices()


class Bill(NamedTuple):
    """How a seat pays a price; the fields have the axes of the prices."""

    bought: Int32[Array, "*any 3"]  # coins, workers, priests bought with power
    power: Int32[Array, "*any"]  # power spent on them
    burns: Int32[Array, "*any"]  # times that tokens are burnt
    is_possible: Bool[Array, "*any"]


def bill(mover: PlayerRow, prices: Int32[Array, "*any 4"]) -> Bill:
    """Returns how a seat pays prices given as coins, workers, priests, power."""
    in_hand = jnp.stack([mover.coins, mover.workers, mover.priests])
    bought = jnp.maximum(prices[..., : Good.POWER] - in_hand, 0)
    power = (bought * POWER_PRICES).sum(axis=-1)
    _, second, third = mover.bowls
    burns = jnp.maximum(power + prices[..., Good.POWER] - third, 0)
    has_room = mover.priests + bought[..., Good.PRIESTS] <= mover.priest_cap
    has_room |= bought[..., Good.PRIESTS] == 0
    return Bill(bought, power, burns, (2 * burns <= second) & has_room)


def convert(mover: PlayerRow, price: Int32[Array, "4"]) -> PlayerRow:
    """Returns the seat after the conversions that a price needs; it still has to pay."""
    due = bill(mover, price)
    mover = seats.burn_power(mover, due.burns)
    mover = seats.spend_power(mover, due.power)
    return mover._replace(
        coins=mover.coins + due.bought[Good.COINS],
        workers=mover.workers + due.bought[Good.WORKERS],
        priests=mover.priests + due.bought[Good.PRIESTS],
    )


def spade_workers(seen: LegalView) -> Int32[Array, "77 7"]:
    """Returns the workers for the spades to buy, by hex and new terrain."""
    board, mover = seen.state.board, seen.mover
    is_cult = seen.decision == Due.CULT_SPADES
    in_hand = jnp.where(is_cult, mover.cult_spades, seen.state.pending.spades.astype(jnp.int32))
    terrain = reachability.to_hexes(board.terrain).astype(jnp.int32)  # [7, 77], one-hot
    needed = terrain.T @ jnp.asarray(SPADES)[mover.faction]
    count = spades.bought(needed, in_hand)[:, outputs.TERRAINS]
    return count * spades.spade_price(mover).workers


def prices(seen: LegalView) -> Int32[Array, "2143 4"]:
    """Returns what each output costs, as coins, workers, priests, power."""
    mover = seen.mover
    table = jnp.asarray(PRICES)[mover.faction]  # [price, (workers, coins)]
    is_setup = seen.decision == Due.DWELLING
    digging = spade_workers(seen)
    dwelling = table[Price.DWELLING] * ~is_setup

    near = reachability.to_hexes(seen.beside_others)
    post = jnp.where(near[:, None], table[Price.TRADING_POST], table[Price.LONE_TRADING_POST])
    others = table[jnp.array([Price.STRONGHOLD, Price.TEMPLE, Price.SANCTUARY])]
    upgrades = jnp.concatenate([post[:, None], jnp.broadcast_to(others, (len(post), 3, 2))], axis=1)
    workers = jnp.concatenate([digging, digging + dwelling[0], upgrades[..., 0]], axis=1)
    coins = jnp.concatenate(
        [jnp.zeros_like(digging), jnp.zeros_like(digging) + dwelling[1], upgrades[..., 1]], axis=1
    )

    rest = jnp.asarray(_FIXED)
    rest = rest.at[_DIG, Good.COINS].set(mover.board.dig_coins)
    rest = rest.at[_BRIDGE, Good.WORKERS].set(mover.board.bridge_workers)
    none = jnp.zeros_like(workers)
    columns = (coins, workers, none, none)
    return jnp.stack(
        [outputs.from_parts(part, rest[:, i]) for i, part in enumerate(columns)], axis=-1
    )
