"""Effects of actions that concern neither hexes nor cults: conversions, levels, tiles, passing.

`rules.py` has the order of all effects. The prices, gains and changes of all kinds of action are
computed; kinds that were not chosen contribute zeros.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.terra_mystica.engine import (
    actions,
    bonuses,
    build,
    cults,
    seats,
    spades,
)
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.decoded_action import ActionContext, DecodedAction
from jaxgames.terra_mystica.engine.seats import Number, Source
from jaxgames.terra_mystica.state import Spades, TerraMysticaState, Used
from jaxgames.terra_mystica.tables.costs import (
    DIG_PRIESTS,
    DIG_VP,
    DIG_WORKERS,
    SHIP_COINS,
    SHIP_PRIESTS,
)
from jaxgames.terra_mystica.tables.factions import Special
from jaxgames.terra_mystica.tables.tiles import (
    FAVOR_CULT,
    FAVOR_STEPS,
    NUM_CARDS,
    NUM_FAVORS,
    NUM_TOWNS,
    POWER_ACTION_BRIDGES,
    POWER_ACTION_COST,
    POWER_ACTION_GAIN,
    POWER_ACTION_SPADES,
    SCORING_TOWN_VP,
    TOWN_CULT_STEPS,
    TOWN_FAVOR,
    TOWN_GAIN,
    TOWN_KEYS,
    TOWN_SHIP,
    TOWN_VP,
)

CULT_CARD_STEPS, CULT_FAVOR_STEPS, CULT_SPECIAL_STEPS = 1, 1, 2
SPECIAL_SPADES = 2


MAIN_ACTIONS = (
    Kind.TERRAFORM,
    Kind.BUILD,
    Kind.UPGRADE,
    Kind.SEND,
    Kind.ADVANCE_SHIP,
    Kind.ADVANCE_DIG,
    Kind.POWER,
    Kind.CARD_SPADE,
    Kind.CARD_CULT,
    Kind.FAVOR_CULT,
    Kind.BUY_BRIDGE,
    Kind.SPECIAL,
    Kind.PASS,
    Kind.DIG,
)


def begin(context: ActionContext, action: DecodedAction) -> ActionContext:
    """Counts a full action and clears the flags of the last one; passing uses up all actions."""
    pending = context.pending
    starts = (action.decision == Due.ACTION) & action.is_a(*MAIN_ACTIONS)
    keeps = ~starts
    left = jnp.where(action.is_a(Kind.PASS), 0, pending.actions - starts)
    return context._replace(
        pending=pending.replace(
            actions=left.astype(jnp.uint8),
            source=pending.source * keeps,
            is_elsewhere=pending.is_elsewhere & keeps,
            has_terraformed=pending.has_terraformed & keeps,
            tunnelled=pending.tunnelled * keeps,
            buildable=pending.buildable * keeps,
        )
    )


def convert(context: ActionContext, action: DecodedAction) -> ActionContext:
    """Converts power, priests, workers, coins and points; burns power."""
    is_it = action.is_a(Kind.CONVERT)
    row = jnp.where(is_it, action.argument, 0)
    price = jnp.asarray(actions.CONVERSION_PRICES)[row] * is_it
    gained = jnp.asarray(actions.CONVERSION_GAINS)[row] * is_it
    mover = seats.pay(context.mover, price)
    mover = seats.gain(mover, gained)
    mover = seats.award(mover, Source.CONVERSION, gained[4] - price[4])
    mover = seats.burn_power(mover, is_it & (action.argument == actions.BURN))
    used = is_it & (action.argument == actions.WORKER_TO_PRIEST)
    pending = context.pending.replace(priests=context.pending.priests - used.astype(jnp.uint8))
    return context._replace(mover=mover, pending=pending)


def advance(context: ActionContext, action: DecodedAction) -> ActionContext:
    """Advances shipping or digging."""
    mover = context.mover
    is_ship, is_dig = action.is_a(Kind.ADVANCE_SHIP), action.is_a(Kind.ADVANCE_DIG)
    mover = mover._replace(
        coins=mover.coins - SHIP_COINS * is_ship - mover.board.dig_coins * is_dig,
        workers=mover.workers - DIG_WORKERS * is_dig,
        priests=mover.priests - SHIP_PRIESTS * is_ship - DIG_PRIESTS * is_dig,
        dig=mover.dig + is_dig,
    )
    mover = seats.award(mover, Source.ADVANCE, DIG_VP * is_dig)
    return context._replace(mover=build.advance_ship(mover, is_ship))


def take_action_spaces(
    context: ActionContext, action: DecodedAction, scoring: Number, counts: Int32[Array, "5"]
) -> ActionContext:
    """Carries out power actions, and the special actions of tiles and strongholds."""
    mover, pending, supply = context.mover, context.pending, context.supply
    is_power = action.is_a(Kind.POWER)
    space = jnp.where(is_power, action.argument, 0)
    mover = seats.spend_power(mover, jnp.asarray(POWER_ACTION_COST)[space] * is_power)
    mover = seats.gain(mover, jnp.asarray(POWER_ACTION_GAIN)[space] * is_power)
    taken = supply.power_actions | (is_power << space).astype(jnp.uint8)

    is_special = action.is_a(Kind.SPECIAL)
    special = mover.board.special * is_special
    card = action.is_a(Kind.CARD_SPADE, Kind.CARD_CULT)
    used = Used.CARD * card + Used.FAVOR * action.is_a(Kind.FAVOR_CULT)
    mover = mover._replace(used=mover.used | used | Used.STRONGHOLD * is_special)
    mover = mover._replace(
        workers=mover.workers - mover.board.bridge_workers * action.is_a(Kind.BUY_BRIDGE)
    )

    free = jnp.asarray(POWER_ACTION_SPADES)[space] * is_power
    is_double = free > 1
    free = free + action.is_a(Kind.CARD_SPADE) + SPECIAL_SPADES * (special == Special.SPADES)
    mover = bonuses.receive_spades(mover, free, scoring, spades.has_stronghold(counts))
    source = jnp.where(is_double, Spades.DOUBLE, Spades.SINGLE)
    steps = (
        CULT_CARD_STEPS * action.is_a(Kind.CARD_CULT)
        + CULT_FAVOR_STEPS * action.is_a(Kind.FAVOR_CULT)
        + CULT_SPECIAL_STEPS * (special == Special.CULT_STEPS)
    )
    bridges = jnp.asarray(POWER_ACTION_BRIDGES)[space] * is_power + action.is_a(Kind.BUY_BRIDGE)
    carried_out = (
        (special == Special.SANDSTORM)
        | (special == Special.RIDE)
        | (special == Special.TRADING_POST)
    )
    pending = pending.replace(
        actions=(pending.actions + 2 * (special == Special.DOUBLE_TURN)).astype(jnp.uint8),
        spades=(pending.spades + free).astype(jnp.uint8),
        source=jnp.where(free > 0, source, pending.source).astype(jnp.uint8),
        cult_steps=(pending.cult_steps + steps).astype(jnp.uint8),
        bridges=(pending.bridges + bridges).astype(jnp.uint8),
        special=jnp.where(carried_out, special, pending.special).astype(jnp.uint8),
    )
    supply = supply.replace(power_actions=taken)
    return context._replace(mover=mover, pending=pending, supply=supply)


def take_tiles(
    context: ActionContext, action: DecodedAction, scoring: Number
) -> tuple[ActionContext, Int32[Array, "4"], Array]:
    """Takes a favor or town tile; returns its cult steps, and whether towns now need less power."""
    mover, pending = context.mover, context.pending
    is_favor, is_town = action.is_a(Kind.FAVOR), action.is_a(Kind.TOWN)
    favor = jnp.where(is_favor, jnp.minimum(action.argument, NUM_FAVORS - 1), 0)
    steps = cults.steps_on(
        jnp.asarray(FAVOR_CULT)[favor], jnp.asarray(FAVOR_STEPS)[favor] * is_favor
    )
    town = jnp.where(is_town, jnp.minimum(action.argument, NUM_TOWNS - 1), 0)
    terms = mover.board
    by_tile = jnp.asarray(TOWN_VP)[town] * is_town
    mover = seats.award(mover, Source.TOWN, by_tile)
    by_scoring = jnp.asarray(SCORING_TOWN_VP)[scoring] * is_town
    mover = seats.award(mover, Source.SCORING_TILE, by_scoring)
    mover = seats.award(mover, Source.FACTION, terms.town_vp * is_town)
    mover = seats.gain(mover, jnp.asarray(TOWN_GAIN)[town] * is_town)
    sails = jnp.asarray(TOWN_SHIP)[town] * is_town > 0
    # For factions without ships, the tile that advances shipping lengthens the carpet. It does not
    # lengthen a tunnel, which has its greatest length from the start.
    longer = sails & (terms.max_ship == 0)
    mover = mover._replace(
        workers=jnp.minimum(mover.workers + terms.town_workers * is_town, seats.MAX_RESOURCE),
        favors=mover.favors | (is_favor << favor),
        towns=mover.towns + (jnp.arange(NUM_TOWNS) == town) * is_town,
        keys=mover.keys + jnp.asarray(TOWN_KEYS)[town] * is_town,
        range=jnp.minimum(mover.range + longer, terms.max_range),
    )
    mover = build.advance_ship(mover, sails)
    steps = steps + jnp.asarray(TOWN_CULT_STEPS)[town] * is_town
    pending = pending.replace(
        favors=pending.favors - is_favor.astype(jnp.uint8),
        towns=pending.towns - is_town.astype(jnp.uint8),
    )
    joins = is_favor & (favor == TOWN_FAVOR)
    return context._replace(mover=mover, pending=pending), steps, joins


def pass_round(
    context: ActionContext,
    action: DecodedAction,
    state: TerraMysticaState,
    seat: Number,
    counts: Int32[Array, "5"],
) -> ActionContext:
    """Scores and passes; takes a bonus card with its coins, also before the first round."""
    mover, supply = context.mover, context.supply
    is_it = action.is_a(Kind.PASS)
    is_pass = is_it & (action.decision == Due.ACTION)
    joined = build.joined_bridges(context.board, mover, seat)
    mover = bonuses.score_pass(mover, counts, joined, is_pass)
    takes = is_it & (action.argument < NUM_CARDS)
    card = jnp.where(takes, action.argument, 0)
    coins = supply.card_coins[card].astype(jnp.int32) * takes
    left = supply.card_coins * ~((jnp.arange(NUM_CARDS) == card) & takes)
    kept = jnp.where(is_it & ~takes, 0, mover.card)
    mover = mover._replace(
        coins=jnp.minimum(mover.coins + coins, seats.MAX_RESOURCE),
        card=jnp.where(takes, card + 1, kept),
        passed=mover.passed | is_pass,
    )
    return context._replace(mover=mover, supply=supply.replace(card_coins=left.astype(jnp.uint8)))


def give_up(context: ActionContext, action: DecodedAction) -> ActionContext:
    """Gives up the rest of the choice that is due."""
    mover, pending = context.mover, context.pending
    is_it = action.is_a(Kind.END)

    def ends(*choices: Due) -> Bool[Array, ""]:
        return is_it & jnp.stack([action.decision == choice for choice in choices]).any()

    specials = ends(Due.SANDSTORM, Due.RIDE, Due.TRADING_POST)
    pending = pending.replace(
        spades=pending.spades * ~ends(Due.SPADES),
        buildable=pending.buildable * ~ends(Due.BUILD),
        priests=pending.priests * ~ends(Due.PRIEST),
        special=pending.special * ~specials,
    )
    spent = ends(Due.CULT_SPADES)
    mover = mover._replace(cult_spades=mover.cult_spades * ~spent)
    return context._replace(mover=mover, pending=pending)
