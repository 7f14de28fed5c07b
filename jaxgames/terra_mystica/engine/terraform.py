"""The effect of terraforming: spades, tunnels, and the colour of the hex."""

import jax.numpy as jnp
from jaxtyping import Array, Int32

from jaxgames.boards import hexes
from jaxgames.terra_mystica.engine import bonuses, reachability, seats, spades
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.decoded_action import ActionContext, DecodedAction
from jaxgames.terra_mystica.engine.seats import Number, Source
from jaxgames.terra_mystica.state import Spades
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS


def terraform(
    context: ActionContext, action: DecodedAction, scoring: Number, counts: Int32[Array, "5"]
) -> ActionContext:
    """Moves a hex along the colour wheel; buys the spades that are missing, and tunnels."""
    board, mover, pending = context.board, context.mover, context.pending
    is_it, is_dig = action.is_a(Kind.TERRAFORM), action.is_a(Kind.DIG)
    is_storm = action.decision == Due.SANDSTORM
    is_cult = action.decision == Due.CULT_SPADES
    has_stronghold = spades.has_stronghold(counts)
    target = reachability.land(action.hex)
    old = reachability.contains_land(board.terrain, action.hex)  # [7], one is true
    new = jnp.arange(NUM_COLOURS) == action.argument % NUM_COLOURS
    in_hand = jnp.where(is_cult, mover.cult_spades, pending.spades.astype(jnp.int32))
    table = jnp.asarray(SPADES)[mover.faction]
    needed = (table * (old[:, None] & new)).sum() * (is_it & ~is_storm)
    count = spades.bought(needed, in_hand) + is_dig
    left = jnp.maximum(in_hand - needed, 0)

    by_action = action.is_a(Kind.BUILD) & (action.decision == Due.ACTION)
    is_walked = (is_it & ~is_storm & ~is_cult) | by_action
    is_near = ~hexes.is_empty(
        reachability.adjacent(board, action.hex)
        & reachability.own_structures(board, mover.board.colour)
    )
    tunnels = is_walked & (mover.range > 0) & ~is_near & (action.hex + 1 != pending.tunnelled)
    price, tunnel = spades.spade_price(mover), spades.tunnel_price(mover, has_stronghold)
    mover = mover._replace(
        workers=mover.workers - count * price.workers - tunnels * tunnel.workers,
        priests=mover.priests - count * price.priests - tunnels * tunnel.priests,
        cult_spades=jnp.where(is_cult & is_it, left, mover.cult_spades),
    )
    points = tunnels * mover.board.tunnel_vp + count * mover.board.vp_per_paid_spade
    mover = seats.award(mover, Source.FACTION, points)
    mover = bonuses.receive_spades(mover, count, scoring, has_stronghold)

    terrain = jnp.where(new[:, None], board.terrain | target, board.terrain & ~target)
    is_home = (action.argument % NUM_COLOURS) == mover.board.colour
    opens = is_it & is_home & ~is_cult
    in_turn = is_it & ~is_cult
    after_dig = pending.spades + is_dig.astype(jnp.uint8)
    pending = pending.replace(
        spades=jnp.where(in_turn, left, after_dig).astype(jnp.uint8),
        source=jnp.where(is_dig, Spades.BOUGHT, pending.source).astype(jnp.uint8),
        is_elsewhere=pending.is_elsewhere | (in_turn & ~is_home),
        has_terraformed=pending.has_terraformed | in_turn,
        tunnelled=jnp.where(tunnels, action.hex + 1, pending.tunnelled).astype(jnp.uint8),
        buildable=pending.buildable | jnp.where(opens, target, jnp.uint16(0)),
        special=pending.special * ~(is_it & is_storm),
    )
    board = board.replace(terrain=jnp.where(is_it, terrain, board.terrain))
    return context._replace(board=board, mover=mover, pending=pending)
