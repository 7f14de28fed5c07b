"""The effect of priests sent to a cult, and of all cult steps of an action."""

import jax.numpy as jnp
from jaxtyping import Array, Int32

from jaxgames.batching.trees import choose
from jaxgames.terra_mystica.engine import cults
from jaxgames.terra_mystica.engine.actions import NUM_SENDS, Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.decoded_action import ActionContext, DecodedAction
from jaxgames.terra_mystica.engine.seats import Number
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.tiles import NUM_CULTS

REACTION_STEPS = 1  # cult steps of cultists when an opponent takes power


def step_on_cults(
    context: ActionContext,
    action: DecodedAction,
    state: TerraMysticaState,
    seat: Number,
    steps: Int32[Array, "4"],
) -> ActionContext:
    """Sends a priest, or makes the cult steps of a choice or a tile; uses keys."""
    mover, pending, supply = context.mover, context.pending, context.supply
    is_send, is_cult = action.is_a(Kind.SEND), action.is_a(Kind.CULT)
    cult = action.argument // NUM_SENDS
    spots, send_steps = cults.send(
        supply.spots, cult % NUM_CULTS, action.argument % NUM_SENDS, seat
    )
    spots = jnp.where(is_send, spots, supply.spots)
    mover = mover._replace(
        priests=mover.priests - is_send, priest_cap=cults.priest_cap(spots, seat)
    )
    steps = steps + cults.steps_on(cult, send_steps * is_send)

    is_key = is_cult & (action.decision == Due.KEY)
    chosen = jnp.where(
        action.decision == Due.REACTION, REACTION_STEPS, pending.cult_steps.astype(jnp.int32)
    )
    steps = steps + cults.steps_on(action.argument, chosen * (is_cult & ~is_key))
    waiting = pending.refused.astype(jnp.int32)
    tops = cults.free_tops(state.players)
    moved, still = cults.advance(mover, steps, tops, waiting)
    keyed, keyed_still = cults.use_key_on(mover, waiting, action.argument)
    mover = choose(is_key, keyed, moved)
    waiting = jnp.where(is_key, keyed_still, still)
    pending = pending.replace(
        cult_steps=pending.cult_steps * ~(is_cult & ~is_key), refused=waiting.astype(jnp.uint8)
    )
    return context._replace(mover=mover, pending=pending, supply=supply.replace(spots=spots))
