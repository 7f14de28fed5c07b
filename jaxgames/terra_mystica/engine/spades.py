"""Terraforming: how far the colour of a hex can be moved, and what that costs."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt16

from jaxgames.terra_mystica.engine import reachability
from jaxgames.terra_mystica.engine.reachability import Reach
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import Board, Pending, Spades
from jaxgames.terra_mystica.tables.costs import SPADES, WORKERS_PER_SPADE
from jaxgames.terra_mystica.tables.factions import Structure
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS

MOST_SPADES = SPADES.max(axis=2)
"""`[14, 7]` most spades that one terraforming takes, by faction and colour of the hex."""


class SpadePrice(NamedTuple):
    """Price of one spade."""

    workers: Number
    priests: Number


def spade_price(player: PlayerRow) -> SpadePrice:
    """Returns what a seat pays for a spade."""
    by_priest = player.board.pays_spades_with_priests
    return SpadePrice(
        workers=jnp.where(by_priest > 0, 0, jnp.asarray(WORKERS_PER_SPADE)[player.dig]),
        priests=by_priest,
    )


def tunnel_price(player: PlayerRow, has_stronghold: Bool[Array, ""]) -> SpadePrice:
    """Returns what a tunnel or carpet costs, as workers and priests."""
    workers, priests = player.board.tunnel[0], player.board.tunnel[1]
    return SpadePrice(workers - player.board.tunnel_workers_saved * has_stronghold, priests)


def bought(needed: Int32[Array, "*any"], pending: Number) -> Int32[Array, "*any"]:
    """Returns the number of spades to buy for a terraforming; `pending` ones are in hand."""
    return jnp.maximum(needed - pending, 0)


def _is_allowed(
    needed: Int32[Array, "7 7"], is_home: Bool[Array, "7"], pending: Pending
) -> Bool[Array, "7 7"]:
    """Returns the terraformings that the spades in hand can be used for, whatever the price."""
    source, spades = pending.source.astype(jnp.int32), pending.spades.astype(jnp.int32)
    may_buy = (
        (source == Spades.NONE)
        | (source == Spades.SINGLE)
        | (source == Spades.BOUGHT)
        | ((source == Spades.DOUBLE) & ~pending.has_terraformed)
    )
    may_keep = (source == Spades.DOUBLE) | (source == Spades.STRONGHOLD) | (source == Spades.CULT)
    fits = (needed == spades) | ((needed > spades) & may_buy) | ((needed < spades) & may_keep)
    return (needed > 0) & fits & (is_home | ~pending.is_elsewhere)


def terraform_targets(
    board: Board,
    player: PlayerRow,
    pending: Pending,
    reach: Reach,
    has_stronghold: Bool[Array, ""],
) -> UInt16[Array, "7 9"]:
    """Returns the hexes that can be turned into each colour with the resources in hand."""
    needed = jnp.asarray(SPADES)[player.faction]
    is_home = jnp.arange(NUM_COLOURS) == player.board.colour
    allowed = _is_allowed(needed, is_home, pending)
    price, tunnel = spade_price(player), tunnel_price(player, has_stronghold)
    count = bought(needed, pending.spades.astype(jnp.int32))
    workers, priests = count * price.workers, count * price.priests
    direct = allowed & (workers <= player.workers) & (priests <= player.priests)
    tunnelled = (
        allowed
        & (workers + tunnel.workers <= player.workers)
        & (priests + tunnel.priests <= player.priests)
        & (pending.tunnelled == 0)
    )
    paid = reachability.land(pending.tunnelled.astype(jnp.int32) - 1)
    paid = jnp.where(pending.tunnelled > 0, paid, jnp.uint16(0))
    near = reach.direct | (reach.tunnelled & paid)
    return (_turned(board, direct) & near) | (_turned(board, tunnelled) & reach.tunnelled)


def sandstorm_targets(board: Board, player: PlayerRow, beside_own: UInt16[Array, "9"]) -> Array:
    """Returns `[7, 9]` uint16: hexes that a sandstorm can turn into each colour, home only."""
    is_home = jnp.arange(NUM_COLOURS) == player.board.colour
    return jnp.where(is_home[:, None], beside_own & ~board.terrain, jnp.uint16(0))


def _turned(board: Board, pairs: Bool[Array, "7 7"]) -> UInt16[Array, "7 9"]:
    """Returns, for each new colour, the hexes whose colour is paired with it."""
    chosen = jnp.where(pairs[:, :, None], board.terrain[:, None], jnp.uint16(0))
    return jax.lax.reduce(chosen, np.uint16(0), jax.lax.bitwise_or, (0,))


def can_dig(
    board: Board,
    player: PlayerRow,
    pending: Pending,
    reach: Reach,
    has_stronghold: Bool[Array, ""],
) -> Bool[Array, ""]:
    """Returns whether a spade may be bought before its hex is named.

    This matters only if spades bring power at once, which may pay for the next spade. A bought
    spade must be used, so a spade that no hex in reach could take is not sold.
    """
    source = pending.source.astype(jnp.int32)
    is_open = (
        (source == Spades.NONE)
        | (source == Spades.SINGLE)
        | (source == Spades.BOUGHT)
        | ((source == Spades.DOUBLE) & ~pending.has_terraformed)
    )
    in_reach = (board.terrain & (reach.direct | reach.tunnelled) != 0).any(axis=1)  # by colour
    most = (jnp.asarray(MOST_SPADES)[player.faction] * in_reach).max()
    return (
        is_open
        & (player.board.spade_power > 0)
        & has_stronghold
        & (pending.spades < most)
        & (player.workers >= spade_price(player).workers)
    )


def has_stronghold(counts: Int32[Array, "5"]) -> Bool[Array, ""]:
    """Returns whether a seat's stronghold stands."""
    return counts[Structure.STRONGHOLD] > 0
