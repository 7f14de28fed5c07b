"""Leech: opponents beside a new structure may take power for points, one decision after another.

A seat that builds or upgrades makes an event. Each opponent with structures beside it gets an offer
of power. Offers are decided in the order of events, and within one event in turn order.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.batching.arrays import set_cell
from jaxgames.terra_mystica.engine import seats
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decoded_action import ActionContext, DecodedAction
from jaxgames.terra_mystica.engine.seats import Number, Source
from jaxgames.terra_mystica.state import MAX_LEECH_EVENTS, Leech, TerraMysticaState


def no_offers(players: int) -> Leech:
    """Returns a `Leech` without offers of power."""
    return Leech(
        amounts=jnp.zeros((MAX_LEECH_EVENTS, players), jnp.uint8),
        was_taken=jnp.bool_(False),
        was_declined=jnp.bool_(False),
    )


def offers(state: TerraMysticaState) -> Int32[Array, "2 P"]:
    """Returns the power that each opponent can take now in each event, capped by room and points.

    A seat pays one point less than the power it takes, and cannot pay more than it has.
    """
    bowls = state.players.bowls.astype(jnp.int32)
    room = 2 * bowls[:, 0] + bowls[:, 1]
    cap = jnp.minimum(room, state.players.vp.astype(jnp.int32) + 1)
    return jnp.minimum(state.leech.amounts.astype(jnp.int32), cap)


def places_after(state: TerraMysticaState, seat: Number) -> Int32[Array, "P"]:
    """Returns how many places each seat stands behind `seat` in the turn order; 0 for itself."""
    players = state.order.shape[0]
    numbers = jnp.arange(players)
    place = ((state.order == numbers[:, None]) * numbers).sum(axis=1)
    return (place - place[seat]) % players


class LeechDecision(NamedTuple):
    """The next decision about power."""

    is_due: Bool[Array, ""]
    event: Number
    seat: Number
    amount: Number


def next_decision(state: TerraMysticaState) -> LeechDecision:
    """Returns the next decision about power: events in order, seats in turn order."""
    amounts = offers(state)
    players = amounts.shape[1]
    distance = places_after(state, state.seat.astype(jnp.int32))
    rank = jnp.arange(2)[:, None] * players + distance
    rank = jnp.where(amounts > 0, rank, 2 * players).reshape(-1)
    first = jnp.argmin(rank)
    event, seat = first // players, first % players
    return LeechDecision((amounts > 0).any(), event, seat, amounts.reshape(-1)[first])


def answer(
    context: ActionContext, action: DecodedAction, state: TerraMysticaState
) -> ActionContext:
    """Takes the offered power for one point less, or declines it."""
    offer = next_decision(state)
    takes, declines = action.is_a(Kind.TAKE_POWER), action.is_a(Kind.DECLINE_POWER)
    mover = seats.gain_power(context.mover, offer.amount * takes)
    mover = seats.award(mover, Source.LEECH, (1 - offer.amount) * takes)
    leech = context.leech.replace(
        amounts=set_cell(context.leech.amounts, offer.event, offer.seat, 0, takes | declines),
        was_taken=context.leech.was_taken | takes,
        was_declined=context.leech.was_declined | declines,
    )
    return context._replace(mover=mover, leech=leech)
