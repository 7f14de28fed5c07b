"""The effect of building: structures, strongholds, bridges, and the towns they found."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.batching.arrays import set_cell, set_row
from jaxgames.boards import hexes
from jaxgames.terra_mystica.engine import bonuses, reachability, seats, towns
from jaxgames.terra_mystica.engine.actions import NUM_UPGRADES, Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.decoded_action import ActionContext, DecodedAction
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow, Source
from jaxgames.terra_mystica.state import Board, Options, Spades, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import PRICES, SHIP_VP, Price
from jaxgames.terra_mystica.tables.factions import COLUMNS, NUM_STRUCTURES, POWER_VALUE, Structure
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_ENDS,
    LAND,
    NEIGHBOURS,
    RIVER_CELLS,
    RIVER_COLUMN,
    RIVER_ROW,
    ROWS,
)
from jaxgames.terra_mystica.tables.tiles import TOWN_FAVOR

UPGRADED_FROM = np.array(
    [Structure.DWELLING, Structure.TRADING_POST, Structure.TRADING_POST, Structure.TEMPLE],
    np.int32,
)


def place(
    context: ActionContext,
    action: DecodedAction,
    state: TerraMysticaState,
    seat: Number,
    scoring: Number,
    counts: Int32[Array, "5"],
) -> ActionContext:
    """Builds a dwelling or upgrades a structure, with all its immediate effects."""
    board, mover, pending = context.board, context.mover, context.pending
    is_build, is_upgrade = action.is_a(Kind.BUILD), action.is_a(Kind.UPGRADE)
    is_setup = action.decision == Due.DWELLING
    is_free = is_setup | (action.decision == Due.RIDE) | (action.decision == Due.TRADING_POST)
    step = action.argument % NUM_UPGRADES
    structure = jnp.where(is_upgrade, step + 1, Structure.DWELLING)
    old = jnp.asarray(UPGRADED_FROM)[step]
    counted = (is_build | is_upgrade) & ~is_setup

    target = reachability.land(action.hex)
    near = reachability.adjacent(board, action.hex)
    others = reachability.occupied(board) & ~board.terrain[mover.board.colour]
    is_lone = hexes.is_empty(near & others)
    row = jnp.where(structure == Structure.DWELLING, Price.DWELLING, structure + 1)
    row = jnp.where((structure == Structure.TRADING_POST) & ~is_lone, Price.TRADING_POST, row)
    workers, coins = jnp.asarray(PRICES)[mover.faction, row] * (counted & ~is_free)
    mover = mover._replace(workers=mover.workers - workers, coins=mover.coins - coins)
    mover = bonuses.score_structure(mover, structure, scoring, counted)

    index = jnp.arange(NUM_STRUCTURES)
    adds = (index == structure) & (is_build | is_upgrade)
    drops = (index == old) & is_upgrade
    placed = jnp.where(adds[:, None], board.structures | target, board.structures)
    placed = jnp.where(drops[:, None], placed & ~target, placed)

    home = board.terrain[colours(state)]  # [P, 9]
    values = hexes.count(board.structures & home[:, None] & near) * POWER_VALUE
    offered = values.sum(axis=1) * (jnp.arange(home.shape[0]) != seat) * counted
    is_second = (context.leech.amounts[0] > 0).any()
    event = jnp.arange(2) == is_second
    amounts = context.leech.amounts + (event[:, None] * offered).astype(jnp.uint8)

    is_stronghold = is_upgrade & (structure == Structure.STRONGHOLD)
    is_sacred = is_upgrade & ((structure == Structure.TEMPLE) | (structure == Structure.SANCTUARY))
    terms = mover.board
    mover = seats.gain_power(mover, terms.stronghold_power * is_stronghold)
    mover = seats.award(mover, Source.FACTION, terms.stronghold_vp * is_stronghold)
    mover = advance_ship(mover, (terms.stronghold_ship > 0) & is_stronghold)
    longer = jnp.minimum(mover.range + terms.stronghold_range * is_stronghold, terms.max_range)
    mover = mover._replace(range=longer)
    free_spades = terms.stronghold_spades * is_stronghold
    mover = bonuses.receive_spades(mover, free_spades, scoring, jnp.bool_(False))
    favors = terms.stronghold_favors * is_stronghold + terms.favors_per_tile * is_sacred
    is_done = (is_build & (action.decision != Due.DWELLING)) | is_upgrade
    pending = pending.replace(
        favors=(pending.favors + favors).astype(jnp.uint8),
        priests=(pending.priests + terms.stronghold_priests * is_stronghold).astype(jnp.uint8),
        spades=(pending.spades + free_spades).astype(jnp.uint8),
        source=jnp.where(free_spades > 0, Spades.STRONGHOLD, pending.source).astype(jnp.uint8),
        buildable=pending.buildable * ~is_build,
        special=pending.special * ~is_done,
    )
    return context._replace(
        board=board.replace(structures=placed),
        mover=mover,
        pending=pending,
        leech=context.leech.replace(amounts=amounts),
    )


def colours(state: TerraMysticaState) -> Int32[Array, "P"]:
    """Returns the colour of each seat."""
    return jnp.asarray(COLUMNS.colour)[state.players.faction]


def advance_ship(mover: PlayerRow, is_it: Bool[Array, ""]) -> PlayerRow:
    """Raises the ship level with its points, if there is a next one."""
    is_it = is_it & (mover.ship < mover.board.max_ship)
    level = mover.ship + is_it
    points = jnp.asarray(SHIP_VP)[mover.faction, level] * is_it
    return seats.award(mover._replace(ship=level), Source.ADVANCE, points)


def bridge(context: ActionContext, action: DecodedAction, seat: Number) -> ActionContext:
    """Places a bridge, or skips a river hex."""
    board, pending = context.board, context.pending
    is_it, is_skip = action.is_a(Kind.BRIDGE), action.is_a(Kind.CONNECT)
    own = board.bridges[seat]
    place = jnp.argmin(own)  # the first empty one: built ones are above zero
    river = jnp.where(is_skip, action.argument, 0)
    skipped = hexes.single(jnp.asarray(RIVER_ROW)[river], jnp.asarray(RIVER_COLUMN)[river], ROWS)
    board = board.replace(
        bridges=set_cell(board.bridges, seat, place, action.argument + 1, is_it),
        skipped=board.skipped | jnp.where(is_skip, skipped, jnp.uint16(0)),
    )
    pending = pending.replace(bridges=pending.bridges - is_it.astype(jnp.uint8))
    return context._replace(board=board, pending=pending)


def found_towns(
    context: ActionContext,
    action: DecodedAction,
    state: TerraMysticaState,
    seat: Number,
    options: Options,
    joins: Bool[Array, ""],
) -> ActionContext:
    """Marks the towns that the action founds, and makes their tiles pending."""
    board, mover, pending = context.board, context.mover, context.pending
    ground = towns.ground_of(board, mover, seat)
    own = ground.own
    is_structure = action.is_a(Kind.BUILD, Kind.UPGRADE) & (action.decision != Due.DWELLING)
    none = jnp.zeros_like(own)
    seeds = jnp.where(is_structure, reachability.land(action.hex), none)
    last = reachability.across(reachability.across(own, ground.bridges), ground.bridges)
    seeds = jnp.where(action.is_a(Kind.BRIDGE), last & own, seeds)
    river = jnp.where(action.is_a(Kind.CONNECT), action.argument, 0)
    around = jnp.asarray(NEIGHBOURS[RIVER_CELLS])[river] & LAND & own
    seeds = jnp.where(action.is_a(Kind.CONNECT), hexes.first(around), seeds)
    seeds = jnp.where(joins, own, seeds) & ~board.in_town
    power = towns.needed_power(seats.has_favor(mover, TOWN_FAVOR))
    held = state.players.replace(towns=set_row(state.players.towns, seat, mover.towns))
    left = towns.tiles_left(held, options.mini_towns).sum() - pending.towns
    in_town, number = towns.found(board, ground, seeds, power, left)
    pending = pending.replace(towns=pending.towns + number.astype(jnp.uint8))
    return context._replace(board=board.replace(in_town=in_town), pending=pending)


def joined_bridges(board: Board, mover: PlayerRow, seat: Number) -> Number:
    """Returns how many bridges of a seat have own structures at both ends."""
    own = reachability.to_hexes(reachability.own_structures(board, mover.board.colour))
    ends = jnp.asarray(BRIDGE_ENDS)[jnp.maximum(board.bridges[seat].astype(jnp.int32) - 1, 0)]
    return (own[ends].all(axis=1) & (board.bridges[seat] > 0)).sum()
