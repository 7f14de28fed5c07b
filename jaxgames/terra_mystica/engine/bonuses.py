"""Points of a round: for structures, at passing, and the cult bonus after the round."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.terra_mystica.engine import seats
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow, Source
from jaxgames.terra_mystica.tables.factions import Structure
from jaxgames.terra_mystica.tables.tiles import (
    CARD_PASS_SHIP_VP,
    CARD_PASS_VP,
    DWELLING_FAVOR,
    FAVOR_DWELLING_VP,
    FAVOR_PASS_VP,
    FAVOR_TRADING_VP,
    NUM_CULTS,
    PASS_FAVOR,
    SCORING_BUILT_VP,
    SCORING_CULT,
    SCORING_GAIN,
    SCORING_SPADE_VP,
    SCORING_SPADES,
    SCORING_STEPS,
    TRADING_FAVOR,
)


def score_structure(
    player: PlayerRow, structure: Number, scoring: Number, is_built: Bool[Array, ""]
) -> PlayerRow:
    """Awards the points for building or upgrading to a structure, if `is_built`."""
    is_dwelling = (structure == Structure.DWELLING) & seats.has_favor(player, DWELLING_FAVOR)
    is_trading = (structure == Structure.TRADING_POST) & seats.has_favor(player, TRADING_FAVOR)
    favor = FAVOR_DWELLING_VP * is_dwelling + FAVOR_TRADING_VP * is_trading
    tile = jnp.asarray(SCORING_BUILT_VP)[scoring, structure]
    player = seats.award(player, Source.FAVOR, favor * is_built)
    return seats.award(player, Source.SCORING_TILE, tile * is_built)


def receive_spades(
    player: PlayerRow, number: Number, scoring: Number, has_stronghold: Bool[Array, ""]
) -> PlayerRow:
    """Awards points and power for received spades, even if the spades are given up later."""
    tile = jnp.asarray(SCORING_SPADE_VP)[scoring]
    player = seats.award(player, Source.SCORING_TILE, number * tile)
    player = seats.award(player, Source.FACTION, number * player.board.vp_per_spade)
    return seats.gain_power(player, number * player.board.spade_power * has_stronghold)


def score_pass(
    player: PlayerRow, counts: Int32[Array, "5"], joined_bridges: Number, is_pass: Bool[Array, ""]
) -> PlayerRow:
    """Awards the points of passing, if `is_pass`.

    Args:
        player: the seat, still with its bonus card.
        counts: its structures of each kind.
        joined_bridges: its bridges with own structures at both ends.
        is_pass: whether it passes.
    """
    card = jnp.maximum(player.card - 1, 0)
    by_structure = (jnp.asarray(CARD_PASS_VP)[card] * counts).sum()
    by_ship = jnp.asarray(CARD_PASS_SHIP_VP)[card] * player.ship
    by_card = (by_structure + by_ship) * (player.card > 0)
    favor = jnp.asarray(FAVOR_PASS_VP)[counts[Structure.TRADING_POST]]
    favor = favor * seats.has_favor(player, PASS_FAVOR)
    bridges = bridge_points(player, counts, joined_bridges)
    player = seats.award(player, Source.BONUS_CARD, by_card * is_pass)
    player = seats.award(player, Source.FAVOR, favor * is_pass)
    return seats.award(player, Source.FACTION, bridges * is_pass)


def bridge_points(player: PlayerRow, counts: Int32[Array, "5"], joined_bridges: Number) -> Number:
    """Returns the points that a seat's bridges bring at each passing; see `score_pass`."""
    return joined_bridges * player.board.bridge_vp * (counts[Structure.STRONGHOLD] > 0)


def cult_bonus(
    player: PlayerRow, scoring: Number, priests_on_boards: Number, has_stronghold: Bool[Array, ""]
) -> PlayerRow:
    """Gives the cult bonus of a round's scoring tile; its spades wait in `cult_spades`."""
    cult = jnp.asarray(SCORING_CULT)[scoring]
    level = player.cults[jnp.minimum(cult, NUM_CULTS - 1)]
    counted = jnp.where(cult == NUM_CULTS, priests_on_boards, level)
    times = counted // jnp.asarray(SCORING_STEPS)[scoring]
    player = seats.gain(player, times * jnp.asarray(SCORING_GAIN)[scoring])
    spades = times * jnp.asarray(SCORING_SPADES)[scoring]
    player = player._replace(cult_spades=player.cult_spades + spades)
    return receive_spades(player, spades, scoring, has_stronghold)
