"""The effect of one action on the board, the mover and the open choices.

Every kind of action is a row of prices, gains and changes; rows of kinds that an action is not are
zeros, so that one path serves all. What follows from the action by itself (next seat, end of a
round) is in `turns.py`.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt16

from jaxgames.boards import hex as hexes
from jaxgames.terra_mystica import actions, bonuses, cults, decisions, player, reach, spades, towns
from jaxgames.terra_mystica.actions import ARGUMENT_OF, KIND_OF, NUM_UPGRADES, Kind
from jaxgames.terra_mystica.decisions import Decision
from jaxgames.terra_mystica.player import Number, Player, Source
from jaxgames.terra_mystica.state import (
    Board,
    Leech,
    Options,
    Pending,
    Spades,
    Supply,
    TerraMysticaState,
    Used,
)
from jaxgames.terra_mystica.tables.factions import (
    DIG_PRIESTS,
    DIG_VP,
    DIG_WORKERS,
    NUM_RESOURCES,
    NUM_STRUCTURES,
    POWER_VALUE,
    PRICES,
    SHIP_COINS,
    SHIP_PRIESTS,
    SHIP_VP,
    SPADES,
    Price,
    Resource,
    Special,
    Structure,
)
from jaxgames.terra_mystica.tables.terrain import (
    LAND,
    NEIGHBOURS,
    NUM_COLOURS,
    RIVER_CELLS,
)
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

UPGRADED_FROM = np.array(
    [Structure.DWELLING, Structure.TRADING_POST, Structure.TRADING_POST, Structure.TEMPLE],
    np.int32,
)
_NO_RESOURCES = np.zeros(NUM_RESOURCES, np.int32)
CULT_CARD_STEPS, CULT_FAVOR_STEPS, CULT_SPECIAL_STEPS, REACTION_STEPS = 1, 1, 2, 1
SPECIAL_SPADES = 2


class Deed(NamedTuple):
    """An action taken apart."""

    kind: Number
    argument: Number
    decision: Number  # the decision that it answers
    hex: Number  # land hex of TERRAFORM, BUILD, UPGRADE

    def is_a(self, *kinds: Kind) -> Bool[Array, ""]:
        """Returns whether it is of one of some kinds."""
        return jnp.stack([self.kind == kind for kind in kinds]).any()


def take_apart(action: Number, decision: Number) -> Deed:
    """Returns an action's kind, argument and hex."""
    kind, argument = jnp.asarray(KIND_OF)[action], jnp.asarray(ARGUMENT_OF)[action]
    hex_number = jnp.where(kind == Kind.BUILD, argument, argument // NUM_UPGRADES)
    hex_number = jnp.where(kind == Kind.TERRAFORM, argument // NUM_COLOURS, hex_number)
    return Deed(kind, argument, decision, hex_number)


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


class Work(NamedTuple):
    """The parts of the state that an action changes."""

    board: Board
    supply: Supply
    pending: Pending
    leech: Leech
    mover: Player


def act(state: TerraMysticaState, deed: Deed, seat: Number, mover: Player, options: Options) -> Work:
    """Carries out an action of the seat to move, up to where the next choice or seat is due."""
    work = Work(state.board, state.supply, state.pending, state.leech, mover)
    counts = reach.count_structures(state.board, mover.board.colour)
    scoring = state.supply.scoring[jnp.minimum(state.round, 5)].astype(jnp.int32)
    work = work._replace(pending=_begin(work.pending, deed))
    work = _convert(work, deed)
    work = _terraform(work, deed, state, seat, scoring, counts)
    work = _place(work, deed, state, seat, scoring, counts)
    work = _advance(work, deed, seat)
    work = _take_action_spaces(work, deed, scoring, counts)
    work, steps, joined = _tiles(work, deed, scoring)
    work = _step_on_cults(work, deed, state, seat, steps)
    work = _bridge(work, deed, seat)
    work = _found_towns(work, deed, state, seat, options, joined)
    work = _pass(work, deed, state, seat, counts)
    work = _leech(work, deed, state)
    return _end(work, deed)


def _begin(pending: Pending, deed: Deed) -> Pending:
    """A full action uses up one of the turn's and forgets the last one; passing uses up all."""
    starts = (deed.decision == Decision.ACTION) & deed.is_a(*MAIN_ACTIONS)
    keeps = ~starts
    left = jnp.where(deed.is_a(Kind.PASS), 0, pending.actions - starts)
    return pending.replace(
        actions=left.astype(jnp.uint8),
        source=pending.source * keeps,
        is_elsewhere=pending.is_elsewhere & keeps,
        has_terraformed=pending.has_terraformed & keeps,
        has_tunnelled=pending.has_tunnelled & keeps,
        buildable=pending.buildable * keeps,
    )


def _convert(work: Work, deed: Deed) -> Work:
    """Conversions: priests, workers, power, points; burning."""
    is_it = deed.is_a(Kind.CONVERT)
    row = jnp.where(is_it, deed.argument, 0)
    price = jnp.asarray(actions.CONVERSION_PRICES)[row] * is_it
    gained = jnp.asarray(actions.CONVERSION_GAINS)[row] * is_it
    mover = player.pay(work.mover, price)
    mover = player.gain(mover, gained)
    mover = player.award(mover, Source.CONVERSION, gained[4] - price[4])
    mover = player.burn_power(mover, is_it & (deed.argument == actions.BURN))
    used = is_it & (deed.argument == actions.WORKER_TO_PRIEST)
    pending = work.pending.replace(priests=work.pending.priests - used.astype(jnp.uint8))
    return work._replace(mover=mover, pending=pending)


def _terraform(
    work: Work,
    deed: Deed,
    state: TerraMysticaState,
    seat: Number,
    scoring: Number,
    counts: Int32[Array, "5"],
) -> Work:
    """Moves a hex along the colour wheel; buys the spades that are missing, and tunnels."""
    board, mover, pending = work.board, work.mover, work.pending
    is_it, is_dig = deed.is_a(Kind.TERRAFORM), deed.is_a(Kind.DIG)
    is_storm = deed.decision == Decision.SANDSTORM
    is_cult = deed.decision == Decision.CULT_SPADES
    has_stronghold = spades.has_stronghold(counts)
    target = reach.land(deed.hex)
    old = reach.contains_land(board.terrain, deed.hex)  # [7], one is true
    new = jnp.arange(NUM_COLOURS) == deed.argument % NUM_COLOURS
    in_hand = jnp.where(is_cult, mover.cult_spades, pending.spades.astype(jnp.int32))
    table = jnp.asarray(SPADES)[mover.faction]
    needed = (table * (old[:, None] & new)).sum() * (is_it & ~is_storm)
    count = spades.bought(needed, in_hand) + is_dig
    left = jnp.maximum(in_hand - needed, 0)

    by_action = deed.is_a(Kind.BUILD) & (deed.decision == Decision.ACTION)
    is_walked = (is_it & ~is_storm & ~is_cult) | by_action
    is_near = ~hexes.is_empty(
        reach.adjacent(board, deed.hex) & reach.own_structures(board, mover.board.colour)
    )
    tunnels = is_walked & (mover.range > 0) & ~is_near
    price, tunnel = spades.spade_price(mover), spades.tunnel_price(mover, has_stronghold)
    mover = mover._replace(
        workers=mover.workers - count * price.workers - tunnels * tunnel.workers,
        priests=mover.priests - count * price.priests - tunnels * tunnel.priests,
        cult_spades=jnp.where(is_cult & is_it, left, mover.cult_spades),
    )
    points = tunnels * mover.board.tunnel_vp + count * mover.board.vp_per_paid_spade
    mover = player.award(mover, Source.FACTION, points)
    mover = bonuses.receive_spades(mover, count, scoring, has_stronghold)

    terrain = jnp.where(new[:, None], board.terrain | target, board.terrain & ~target)
    is_home = (deed.argument % NUM_COLOURS) == mover.board.colour
    opens = is_it & is_home & ~is_cult
    in_turn = is_it & ~is_cult
    after_dig = pending.spades + is_dig.astype(jnp.uint8)
    pending = pending.replace(
        spades=jnp.where(in_turn, left, after_dig).astype(jnp.uint8),
        source=jnp.where(is_dig, Spades.BOUGHT, pending.source).astype(jnp.uint8),
        is_elsewhere=pending.is_elsewhere | (in_turn & ~is_home),
        has_terraformed=pending.has_terraformed | in_turn,
        has_tunnelled=pending.has_tunnelled | tunnels,
        buildable=pending.buildable | jnp.where(opens, target, jnp.uint16(0)),
        special=pending.special * ~(is_it & is_storm),
    )
    board = board.replace(terrain=jnp.where(is_it, terrain, board.terrain))
    return work._replace(board=board, mover=mover, pending=pending)


def _place(
    work: Work,
    deed: Deed,
    state: TerraMysticaState,
    seat: Number,
    scoring: Number,
    counts: Int32[Array, "5"],
) -> Work:
    """Builds a dwelling or upgrades a structure, with points, favors, and what strongholds bring."""
    board, mover, pending = work.board, work.mover, work.pending
    is_build, is_upgrade = deed.is_a(Kind.BUILD), deed.is_a(Kind.UPGRADE)
    is_setup = deed.decision == Decision.DWELLING
    is_free = (
        is_setup | (deed.decision == Decision.RIDE) | (deed.decision == Decision.TRADING_POST)
    )
    step = deed.argument % NUM_UPGRADES
    structure = jnp.where(is_upgrade, step + 1, Structure.DWELLING)
    old = jnp.asarray(UPGRADED_FROM)[step]
    counted = (is_build | is_upgrade) & ~is_setup

    target = reach.land(deed.hex)
    near = reach.adjacent(board, deed.hex)
    others = reach.occupied(board) & ~board.terrain[mover.board.colour]
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

    home = board.terrain[_colours(state)]  # [P, 9]
    values = hexes.count(board.structures & home[:, None] & near) * POWER_VALUE
    offered = values.sum(axis=1) * (jnp.arange(home.shape[0]) != seat) * counted
    is_second = (work.leech.amounts[0] > 0).any()
    event = jnp.arange(2) == is_second
    amounts = work.leech.amounts + (event[:, None] * offered).astype(jnp.uint8)

    is_stronghold = is_upgrade & (structure == Structure.STRONGHOLD)
    is_sacred = is_upgrade & (
        (structure == Structure.TEMPLE) | (structure == Structure.SANCTUARY)
    )
    terms = mover.board
    mover = player.gain_power(mover, terms.stronghold_power * is_stronghold)
    mover = player.award(mover, Source.FACTION, terms.stronghold_vp * is_stronghold)
    mover = advance_ship(mover, (terms.stronghold_ship > 0) & is_stronghold)
    longer = jnp.minimum(mover.range + terms.stronghold_range * is_stronghold, terms.max_range)
    mover = mover._replace(range=longer)
    free_spades = terms.stronghold_spades * is_stronghold
    mover = bonuses.receive_spades(mover, free_spades, scoring, jnp.bool_(False))
    favors = terms.stronghold_favors * is_stronghold + terms.favors_per_tile * is_sacred
    is_done = (is_build & (deed.decision != Decision.DWELLING)) | is_upgrade
    pending = pending.replace(
        favors=(pending.favors + favors).astype(jnp.uint8),
        priests=(pending.priests + terms.stronghold_priests * is_stronghold).astype(jnp.uint8),
        spades=(pending.spades + free_spades).astype(jnp.uint8),
        source=jnp.where(free_spades > 0, Spades.STRONGHOLD, pending.source).astype(jnp.uint8),
        buildable=pending.buildable * ~is_build,
        special=pending.special * ~is_done,
    )
    return work._replace(
        board=board.replace(structures=placed),
        mover=mover,
        pending=pending,
        leech=work.leech.replace(amounts=amounts),
    )


def _colours(state: TerraMysticaState) -> Int32[Array, "P"]:
    return jnp.asarray(player.COLUMNS.colour)[state.players.faction]


def advance_ship(mover: Player, is_it: Bool[Array, ""]) -> Player:
    """Raises the ship level with its points, if there is a next one."""
    is_it = is_it & (mover.ship < mover.board.max_ship)
    level = mover.ship + is_it
    points = jnp.asarray(SHIP_VP)[mover.faction, level] * is_it
    return player.award(mover._replace(ship=level), Source.ADVANCE, points)


def _advance(work: Work, deed: Deed, seat: Number) -> Work:
    """Advances shipping or digging."""
    mover = work.mover
    is_ship, is_dig = deed.is_a(Kind.ADVANCE_SHIP), deed.is_a(Kind.ADVANCE_DIG)
    mover = mover._replace(
        coins=mover.coins - SHIP_COINS * is_ship - mover.board.dig_coins * is_dig,
        workers=mover.workers - DIG_WORKERS * is_dig,
        priests=mover.priests - SHIP_PRIESTS * is_ship - DIG_PRIESTS * is_dig,
        dig=mover.dig + is_dig,
    )
    mover = player.award(mover, Source.ADVANCE, DIG_VP * is_dig)
    return work._replace(mover=advance_ship(mover, is_ship))


def _take_action_spaces(
    work: Work, deed: Deed, scoring: Number, counts: Int32[Array, "5"]
) -> Work:
    """Power actions, and the special actions of tiles and strongholds."""
    mover, pending, supply = work.mover, work.pending, work.supply
    is_power = deed.is_a(Kind.POWER)
    space = jnp.where(is_power, deed.argument, 0)
    mover = player.spend_power(mover, jnp.asarray(POWER_ACTION_COST)[space] * is_power)
    mover = player.gain(mover, jnp.asarray(POWER_ACTION_GAIN)[space] * is_power)
    taken = supply.power_actions | (is_power << space).astype(jnp.uint8)

    is_special = deed.is_a(Kind.SPECIAL)
    special = mover.board.special * is_special
    card = deed.is_a(Kind.CARD_SPADE, Kind.CARD_CULT)
    used = Used.CARD * card + Used.FAVOR * deed.is_a(Kind.FAVOR_CULT)
    mover = mover._replace(used=mover.used | used | Used.STRONGHOLD * is_special)
    mover = mover._replace(
        workers=mover.workers - mover.board.bridge_workers * deed.is_a(Kind.BUY_BRIDGE)
    )

    free = jnp.asarray(POWER_ACTION_SPADES)[space] * is_power
    is_double = free > 1
    free = free + deed.is_a(Kind.CARD_SPADE) + SPECIAL_SPADES * (special == Special.SPADES)
    mover = bonuses.receive_spades(mover, free, scoring, spades.has_stronghold(counts))
    source = jnp.where(is_double, Spades.DOUBLE, Spades.SINGLE)
    steps = (
        CULT_CARD_STEPS * deed.is_a(Kind.CARD_CULT)
        + CULT_FAVOR_STEPS * deed.is_a(Kind.FAVOR_CULT)
        + CULT_SPECIAL_STEPS * (special == Special.CULT_STEPS)
    )
    bridges = jnp.asarray(POWER_ACTION_BRIDGES)[space] * is_power + deed.is_a(Kind.BUY_BRIDGE)
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
    return work._replace(mover=mover, pending=pending, supply=supply)


def _tiles(work: Work, deed: Deed, scoring: Number) -> tuple[Work, Int32[Array, "4"], Array]:
    """Takes a favor or town tile; returns its cult steps, and whether towns now need less power."""
    mover, pending = work.mover, work.pending
    is_favor, is_town = deed.is_a(Kind.FAVOR), deed.is_a(Kind.TOWN)
    favor = jnp.where(is_favor, jnp.minimum(deed.argument, NUM_FAVORS - 1), 0)
    steps = cults.steps_on(
        jnp.asarray(FAVOR_CULT)[favor], jnp.asarray(FAVOR_STEPS)[favor] * is_favor
    )
    town = jnp.where(is_town, jnp.minimum(deed.argument, NUM_TOWNS - 1), 0)
    terms = mover.board
    by_tile = jnp.asarray(TOWN_VP)[town] * is_town
    mover = player.award(mover, Source.TOWN, by_tile)
    by_scoring = jnp.asarray(SCORING_TOWN_VP)[scoring] * is_town
    mover = player.award(mover, Source.SCORING_TILE, by_scoring)
    mover = player.award(mover, Source.FACTION, terms.town_vp * is_town)
    mover = player.gain(mover, jnp.asarray(TOWN_GAIN)[town] * is_town)
    sails = jnp.asarray(TOWN_SHIP)[town] * is_town > 0
    # The tile that advances shipping lengthens the carpet of those who cannot ship, but no tunnel:
    # a tunnel is as long as it gets.
    longer = sails & (terms.max_ship == 0)
    mover = mover._replace(
        workers=mover.workers + terms.town_workers * is_town,
        favors=mover.favors | (is_favor << favor),
        towns=mover.towns + (jnp.arange(NUM_TOWNS) == town) * is_town,
        keys=mover.keys + jnp.asarray(TOWN_KEYS)[town] * is_town,
        range=jnp.minimum(mover.range + longer, terms.max_range),
    )
    mover = advance_ship(mover, sails)
    steps = steps + jnp.asarray(TOWN_CULT_STEPS)[town] * is_town
    pending = pending.replace(
        favors=pending.favors - is_favor.astype(jnp.uint8),
        towns=pending.towns - is_town.astype(jnp.uint8),
    )
    joins = is_favor & (favor == TOWN_FAVOR)
    return work._replace(mover=mover, pending=pending), steps, joins


def _step_on_cults(
    work: Work, deed: Deed, state: TerraMysticaState, seat: Number, steps: Int32[Array, "4"]
) -> Work:
    """Sends a priest, or makes the cult steps of a choice or a tile; uses keys."""
    mover, pending, supply = work.mover, work.pending, work.supply
    is_send, is_cult = deed.is_a(Kind.SEND), deed.is_a(Kind.CULT)
    cult = deed.argument // actions.NUM_SENDS
    spots, send_steps = cults.send(supply.spots, cult % 4, deed.argument % 3, seat)
    spots = jnp.where(is_send, spots, supply.spots)
    mover = mover._replace(
        priests=mover.priests - is_send, priest_cap=cults.priest_cap(spots, seat)
    )
    steps = steps + cults.steps_on(cult, send_steps * is_send)

    is_key = is_cult & (deed.decision == Decision.KEY)
    chosen = jnp.where(
        deed.decision == Decision.REACTION, REACTION_STEPS, pending.cult_steps.astype(jnp.int32)
    )
    steps = steps + cults.steps_on(deed.argument, chosen * (is_cult & ~is_key))
    waiting = pending.refused.astype(jnp.int32)
    tops = cults.free_tops(state.players)
    moved, still = cults.advance(mover, steps, tops, waiting)
    keyed, keyed_still = cults.use_key_on(mover, waiting, deed.argument)
    mover = _choose(is_key, keyed, moved)
    waiting = jnp.where(is_key, keyed_still, still)
    pending = pending.replace(
        cult_steps=pending.cult_steps * ~(is_cult & ~is_key), refused=waiting.astype(jnp.uint8)
    )
    return work._replace(mover=mover, pending=pending, supply=supply.replace(spots=spots))


def _choose(condition: Bool[Array, ""], left: Player, right: Player) -> Player:
    """Returns `left` or `right`, which differ in cults, keys and bowls."""
    return right._replace(
        cults=jnp.where(condition, left.cults, right.cults),
        keys=jnp.where(condition, left.keys, right.keys),
        bowls=tuple(
            jnp.where(condition, *pair) for pair in zip(left.bowls, right.bowls, strict=True)
        ),
    )


def _bridge(work: Work, deed: Deed, seat: Number) -> Work:
    """Places a bridge, or skips a river hex."""
    board, pending = work.board, work.pending
    is_it, is_skip = deed.is_a(Kind.BRIDGE), deed.is_a(Kind.CONNECT)
    own = board.bridges[seat]
    place = jnp.argmin(own)  # the first empty one: built ones are above zero
    built = board.bridges.at[seat, place].set((deed.argument + 1).astype(jnp.uint8))
    cell = jnp.asarray(RIVER_CELLS)[jnp.where(is_skip, deed.argument, 0)]
    skipped = hexes.single(cell // 13, cell % 13, 9)
    board = board.replace(
        bridges=jnp.where(is_it, built, board.bridges),
        skipped=board.skipped | jnp.where(is_skip, skipped, jnp.uint16(0)),
    )
    pending = pending.replace(bridges=pending.bridges - is_it.astype(jnp.uint8))
    return work._replace(board=board, pending=pending)


def _found_towns(
    work: Work,
    deed: Deed,
    state: TerraMysticaState,
    seat: Number,
    options: Options,
    joins: Bool[Array, ""],
) -> Work:
    """Finds the towns that the action founds."""
    board, mover, pending = work.board, work.mover, work.pending
    own = reach.own_structures(board, mover.board.colour)
    is_structure = deed.is_a(Kind.BUILD, Kind.UPGRADE) & (deed.decision != Decision.DWELLING)
    none = jnp.zeros_like(own)
    seeds = jnp.where(is_structure, reach.land(deed.hex), none)
    last = reach.across(reach.across(own, board.bridges[seat]), board.bridges[seat])
    seeds = jnp.where(deed.is_a(Kind.BRIDGE), last & own, seeds)
    river = jnp.where(deed.is_a(Kind.CONNECT), deed.argument, 0)
    around = jnp.asarray(NEIGHBOURS[RIVER_CELLS])[river] & LAND & own
    seeds = jnp.where(deed.is_a(Kind.CONNECT), hexes.first(around), seeds)
    seeds = jnp.where(joins, own, seeds) & ~board.in_town
    ground = towns.Ground(own, board.bridges[seat], _skipped(board, mover))
    power = towns.needed_power(player.has_favor(mover, TOWN_FAVOR))
    held = state.players.replace(
        towns=state.players.towns.at[seat].set(mover.towns.astype(jnp.uint8))
    )
    left = towns.tiles_left(held, options.mini_towns).sum() - pending.towns
    in_town, number = towns.found(board, ground, seeds, power, left)
    pending = pending.replace(towns=pending.towns + number.astype(jnp.uint8))
    return work._replace(board=board.replace(in_town=in_town), pending=pending)


def _skipped(board: Board, mover: Player) -> UInt16[Array, "9"]:
    return jnp.where(mover.board.skips_river > 0, board.skipped, jnp.uint16(0))


def _pass(
    work: Work, deed: Deed, state: TerraMysticaState, seat: Number, counts: Int32[Array, "5"]
) -> Work:
    """Scores and passes; takes a bonus card with its coins, also before the first round."""
    mover, supply = work.mover, work.supply
    is_it = deed.is_a(Kind.PASS)
    is_pass = is_it & (deed.decision == Decision.ACTION)
    joined = _joined_bridges(work.board, mover, seat)
    mover = bonuses.score_pass(mover, counts, joined, is_pass)
    takes = is_it & (deed.argument < NUM_CARDS)
    card = jnp.where(takes, deed.argument, 0)
    coins = supply.card_coins[card].astype(jnp.int32) * takes
    left = supply.card_coins * ~((jnp.arange(NUM_CARDS) == card) & takes)
    kept = jnp.where(is_it & ~takes, 0, mover.card)
    mover = mover._replace(
        coins=mover.coins + coins,
        card=jnp.where(takes, card + 1, kept),
        passed=mover.passed | is_pass,
    )
    return work._replace(mover=mover, supply=supply.replace(card_coins=left.astype(jnp.uint8)))


def _joined_bridges(board: Board, mover: Player, seat: Number) -> Number:
    """Returns how many bridges of a seat have own structures at both ends."""
    own = reach.to_hexes(reach.own_structures(board, mover.board.colour))
    ends = jnp.asarray(reach.BRIDGE_ENDS)[jnp.maximum(board.bridges[seat].astype(jnp.int32) - 1, 0)]
    return (own[ends].all(axis=1) & (board.bridges[seat] > 0)).sum()


def _leech(work: Work, deed: Deed, state: TerraMysticaState) -> Work:
    """Takes offered power for one point less, or declines it."""
    offer = decisions.next_leech(state)
    takes, declines = deed.is_a(Kind.TAKE_POWER), deed.is_a(Kind.DECLINE_POWER)
    mover = player.gain_power(work.mover, offer.amount * takes)
    mover = player.award(mover, Source.LEECH, (1 - offer.amount) * takes)
    decided = work.leech.amounts.at[offer.event, offer.seat].set(0)
    leech = work.leech.replace(
        amounts=jnp.where(takes | declines, decided, work.leech.amounts),
        was_taken=work.leech.was_taken | takes,
        was_declined=work.leech.was_declined | declines,
    )
    return work._replace(mover=mover, leech=leech)


def _end(work: Work, deed: Deed) -> Work:
    """Gives up the rest of the choice that is due."""
    mover, pending = work.mover, work.pending
    is_it = deed.is_a(Kind.END)

    def ends(*choices: Decision) -> Bool[Array, ""]:
        return is_it & jnp.stack([deed.decision == choice for choice in choices]).any()

    specials = ends(Decision.SANDSTORM, Decision.RIDE, Decision.TRADING_POST)
    pending = pending.replace(
        spades=pending.spades * ~ends(Decision.SPADES),
        buildable=pending.buildable * ~ends(Decision.BUILD),
        priests=pending.priests * ~ends(Decision.PRIEST),
        special=pending.special * ~specials,
    )
    spent = ends(Decision.CULT_SPADES)
    mover = mover._replace(cult_spades=mover.cult_spades * ~spent)
    return work._replace(mover=mover, pending=pending)
