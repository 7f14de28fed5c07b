"""Which actions are legal."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt16

from jaxgames.boards import bits, hexes
from jaxgames.terra_mystica.engine import (
    actions,
    cults,
    decisions,
    reachability,
    seats,
    spades,
    towns,
)
from jaxgames.terra_mystica.engine.actions import Kind
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.reachability import Reach
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import Options, Phase, Spades, TerraMysticaState, Used
from jaxgames.terra_mystica.tables.costs import (
    DIG_PRIESTS,
    DIG_WORKERS,
    PRICES,
    SHIP_COINS,
    SHIP_PRIESTS,
    Price,
)
from jaxgames.terra_mystica.tables.factions import (
    BRIDGES_PER_PLAYER,
    COLUMNS,
    NUM_FACTIONS,
    STOCK,
    Special,
    Structure,
)
from jaxgames.terra_mystica.tables.terrain import BRIDGE_ENDS, LAND, NUM_BRIDGES
from jaxgames.terra_mystica.tables.tiles import (
    CULT_CARD,
    CULT_FAVOR,
    NUM_CARDS,
    NUM_ROUNDS,
    POWER_ACTION_BRIDGES,
    POWER_ACTION_COST,
    SPADE_CARD,
    TOWN_FAVOR,
)

_MAY_CONNECT = (Due.SPADES, Due.BUILD, Due.ACTION, Due.DONE)
_MAY_END = (
    Due.PRIEST,
    Due.SANDSTORM,
    Due.RIDE,
    Due.TRADING_POST,
    Due.SPADES,
    Due.BUILD,
    Due.DONE,
    Due.CULT_SPADES,
)


class LegalView(NamedTuple):
    """The parts of a state on which the legality of all kinds of actions depends."""

    state: TerraMysticaState
    options: Options
    seat: Number
    mover: PlayerRow
    decision: Number
    counts: Int32[Array, "5"]  # structures of the mover
    reach: Reach

    def is_due(self, *choices: Due) -> Bool[Array, ""]:
        """Returns whether one of the given decisions is due."""
        return jnp.stack([self.decision == choice for choice in choices]).any()

    @property
    def has_stronghold(self) -> Bool[Array, ""]:
        """Whether the mover's stronghold stands."""
        return spades.has_stronghold(self.counts)

    @property
    def own(self) -> UInt16[Array, "9"]:
        """Hexes with a structure of the mover."""
        return reachability.own_structures(self.state.board, self.mover.board.colour)

    @property
    def beside_others(self) -> UInt16[Array, "9"]:
        """Hexes with a structure of an opponent beside them, bridges included."""
        board = self.state.board
        others = reachability.occupied(board) & ~self.own
        return hexes.neighbours(others) | reachability.across(others, board.bridges.reshape(-1))


def view(state: TerraMysticaState, options: Options) -> LegalView:
    """Returns the view of the seat to move."""
    seat = decisions.to_move(state)
    mover = seats.of_seat(state, seat)
    decision = decisions.due(state, options, mover)
    is_cult = decision == Due.CULT_SPADES
    # The bonus card's ship, tunnels and carpets do not count for the spades of the cult bonus.
    ship = jnp.where(
        is_cult, mover.ship * (mover.board.max_ship > 0), reachability.ship_level(mover)
    )
    walker = mover._replace(range=jnp.where(is_cult, 0, mover.range))
    return LegalView(
        state=state,
        options=options,
        seat=seat,
        mover=mover,
        decision=decision,
        counts=reachability.count_structures(state.board, mover.board.colour),
        reach=reachability.reach(state.board, walker, state.board.bridges[seat], ship),
    )


def legal_actions(state: TerraMysticaState, options: Options) -> Bool[Array, "1077"]:
    """Returns the mask of legal actions."""
    seen = view(state, options)
    is_action = seen.is_due(Due.ACTION)
    mover = seen.mover
    can_bridge = bridge_places(seen).any()
    parts = {
        Kind.TERRAFORM: _hexes(_terraform(seen)).T,
        Kind.BUILD: _hexes(_build(seen)),
        Kind.UPGRADE: _hexes(_upgrade(seen)).T,
        Kind.BRIDGE: bridge_places(seen) & seen.is_due(Due.BRIDGE),
        Kind.CONNECT: _connect(seen),
        Kind.SEND: cults.sendable(state.supply.spots) & is_action & (mover.priests > 0),
        Kind.ADVANCE_SHIP: is_action
        & (mover.ship < mover.board.max_ship)
        & seats.can_pay(mover, SHIP_COINS, 0, SHIP_PRIESTS),
        Kind.ADVANCE_DIG: is_action
        & (mover.dig < mover.board.dig_upgrades)
        & seats.can_pay(mover, mover.board.dig_coins, DIG_WORKERS, DIG_PRIESTS),
        Kind.POWER: _power(seen, can_bridge) & is_action,
        Kind.CARD_SPADE: is_action & _has_card(mover, SPADE_CARD),
        Kind.CARD_CULT: is_action & _has_card(mover, CULT_CARD),
        Kind.FAVOR_CULT: is_action
        & seats.has_favor(mover, CULT_FAVOR)
        & (mover.used & Used.FAVOR == 0),
        Kind.BUY_BRIDGE: is_action
        & (mover.board.bridge_workers > 0)
        & (mover.workers >= mover.board.bridge_workers)
        & can_bridge,
        Kind.SPECIAL: is_action & _special(seen),
        Kind.CULT: _cult(seen),
        Kind.FAVOR: decisions.choosable_favors(state, mover)
        & seen.is_due(Due.TILE)
        & (state.pending.favors > 0),
        Kind.TOWN: (towns.tiles_left(state.players, options.mini_towns) > 0)
        & seen.is_due(Due.TILE)
        & (state.pending.towns > 0),
        Kind.PASS: _pass(seen),
        Kind.TAKE_POWER: seen.is_due(Due.LEECH),
        Kind.DECLINE_POWER: seen.is_due(Due.LEECH),
        Kind.CONVERT: convertible(mover, seen.decision)
        & (seen.decision >= decisions.OWN_TURN[0])
        & (seen.decision <= decisions.OWN_TURN[1]),
        Kind.END: seen.is_due(*_MAY_END)
        & ~((seen.decision == Due.SPADES) & (state.pending.source == Spades.BOUGHT)),
        Kind.FACTION: _faction(seen),
        Kind.DIG: seen.is_due(Due.ACTION, Due.SPADES)
        & spades.can_dig(state.board, mover, state.pending, seen.reach, seen.has_stronghold),
    }
    return jnp.concatenate([jnp.atleast_1d(parts[kind]).reshape(-1) for kind in Kind])


def _hexes(cells: UInt16[Array, "*sets 9"]) -> Bool[Array, "*sets 77"]:
    # Without `computed_once` the sets are recomputed for each of the 77 hexes, ten times as slow.
    return reachability.to_hexes(bits.computed_once(cells))


def _terraform(seen: LegalView) -> UInt16[Array, "7 9"]:
    board, mover, pending = seen.state.board, seen.mover, seen.state.pending
    is_cult = seen.is_due(Due.CULT_SPADES)
    is_action = seen.is_due(Due.ACTION)
    source = jnp.where(is_cult, Spades.CULT, jnp.where(is_action, Spades.NONE, pending.source))
    fresh = ~(is_action | is_cult)  # a new action ignores the flags of the turn's last action
    pending = pending.replace(
        spades=jnp.where(is_cult, mover.cult_spades, pending.spades),
        source=source,
        is_elsewhere=pending.is_elsewhere & fresh,
        has_terraformed=pending.has_terraformed & fresh,
        tunnelled=pending.tunnelled * fresh,
    )
    targets = spades.terraform_targets(board, mover, pending, seen.reach, seen.has_stronghold)
    beside = hexes.neighbours(seen.own) & LAND & ~reachability.occupied(board)
    storm = spades.sandstorm_targets(board, mover, beside)
    may_dig = seen.is_due(Due.ACTION, Due.SPADES, Due.CULT_SPADES)
    is_storm = seen.is_due(Due.SANDSTORM)
    return jnp.where(may_dig, targets, jnp.where(is_storm, storm, jnp.uint16(0)))


def _build(seen: LegalView) -> UInt16[Array, "9"]:
    board, mover, state = seen.state.board, seen.mover, seen.state
    home = board.terrain[mover.board.colour]
    free_home = home & ~reachability.occupied(board)
    workers, coins = jnp.asarray(PRICES)[mover.faction, Price.DWELLING]
    tunnel = spades.tunnel_price(mover, seen.has_stronghold)
    in_stock = seen.counts[Structure.DWELLING] < STOCK[Structure.DWELLING]
    is_paid = seats.can_pay(mover, coins, workers, 0)
    is_tunnel_paid = seats.can_pay(mover, coins, workers + tunnel.workers, tunnel.priests)
    by_action = jnp.where(is_paid, seen.reach.direct, jnp.uint16(0))
    by_action = by_action | jnp.where(is_tunnel_paid, seen.reach.tunnelled, jnp.uint16(0))
    targets = jnp.where(seen.is_due(Due.ACTION), by_action & home, jnp.uint16(0))
    is_turned = seen.is_due(Due.BUILD) & is_paid
    targets = jnp.where(is_turned, state.pending.buildable & free_home, targets)
    is_anywhere = seen.is_due(Due.DWELLING, Due.RIDE)
    targets = jnp.where(is_anywhere, free_home, targets)
    return jnp.where(in_stock, targets, jnp.uint16(0))


def _upgrade(seen: LegalView) -> UInt16[Array, "4 9"]:
    board, mover = seen.state.board, seen.mover
    own = board.structures & board.terrain[mover.board.colour]
    prices = jnp.asarray(PRICES)[mover.faction]
    is_paid = seats.can_pay(mover, prices[:, 1], prices[:, 0], 0)
    in_stock = seen.counts < STOCK
    near = seen.beside_others

    def where(condition: Bool[Array, ""], cells: UInt16[Array, "9"]) -> UInt16[Array, "9"]:
        return jnp.where(condition, cells, jnp.uint16(0))

    dwellings, posts = own[Structure.DWELLING], own[Structure.TRADING_POST]
    cheap = where(is_paid[Price.TRADING_POST], dwellings & near)
    dear = where(is_paid[Price.LONE_TRADING_POST], dwellings & ~near)
    is_free = seen.is_due(Due.TRADING_POST)
    is_action = seen.is_due(Due.ACTION)
    to_post = where(is_free, dwellings) | where(is_action, cheap | dear)
    others_paid = (
        (posts, Price.TEMPLE, Structure.TEMPLE),
        (posts, Price.STRONGHOLD, Structure.STRONGHOLD),
        (own[Structure.TEMPLE], Price.SANCTUARY, Structure.SANCTUARY),
    )
    targets = [where(in_stock[Structure.TRADING_POST], to_post)]
    for cells, price, structure in others_paid:
        targets.append(where(is_action & is_paid[price] & in_stock[structure], cells))
    return jnp.stack(targets)


def bridge_places(seen: LegalView) -> Bool[Array, "29"]:
    """Returns the places where the mover can place a bridge, whatever the price."""
    bridges = seen.state.board.bridges
    is_taken = (bridges.reshape(-1)[:, None] == jnp.arange(1, NUM_BRIDGES + 1)).any(axis=0)
    stock = (bridges[seen.seat] > 0).sum() < BRIDGES_PER_PLAYER
    is_own = reachability.to_hexes(seen.own)
    return ~is_taken & is_own[BRIDGE_ENDS].any(axis=1) & stock


def _connect(seen: LegalView) -> Bool[Array, "36"]:
    board = seen.state.board
    ground = towns.ground_of(board, seen.mover, seen.seat)
    power = towns.needed_power(seats.has_favor(seen.mover, TOWN_FAVOR))
    tiles = towns.tiles_left(seen.state.players, seen.options.mini_towns)
    left = tiles.sum() > seen.state.pending.towns
    may = seen.is_due(*_MAY_CONNECT) & (seen.mover.board.skips_river > 0) & left
    return towns.connectable(board, ground, power, may)


def _power(seen: LegalView, can_bridge: Bool[Array, ""]) -> Bool[Array, "6"]:
    index = np.arange(len(POWER_ACTION_COST))
    is_free = (seen.state.supply.power_actions >> index.astype(np.uint8)) & 1 == 0
    is_paid = seen.mover.bowls[2] >= POWER_ACTION_COST
    return is_free & is_paid & (can_bridge | (POWER_ACTION_BRIDGES == 0))


def _has_card(mover: PlayerRow, card: int) -> Bool[Array, ""]:
    return (mover.card == card + 1) & (mover.used & Used.CARD == 0)


def _special(seen: LegalView) -> Bool[Array, ""]:
    mover = seen.mover
    is_unused = mover.used & Used.STRONGHOLD == 0
    return (mover.board.special != Special.NONE) & seen.has_stronghold & is_unused


def _cult(seen: LegalView) -> Bool[Array, "4"]:
    waiting = cults.tracks(seen.state.pending.refused.astype(jnp.int32))
    any_track = seen.is_due(Due.CULT, Due.REACTION)
    return any_track | (waiting & seen.is_due(Due.KEY))


def _pass(seen: LegalView) -> Bool[Array, "11"]:
    state = seen.state
    index = np.arange(NUM_CARDS)
    in_play = (state.supply.cards >> index.astype(np.uint16)) & 1 != 0
    is_held = (state.players.card[:, None] == index + 1).any(axis=0)
    is_last = state.round >= NUM_ROUNDS - 1
    is_action = seen.is_due(Due.ACTION)
    takes_card = (is_action & ~is_last) | seen.is_due(Due.CARD)
    return jnp.append(in_play & ~is_held & takes_card, is_action & is_last)


def convertible(mover: PlayerRow, decision: Number) -> Bool[Array, "10"]:
    """Returns which conversions the mover can carry out once."""
    prices, gains = actions.CONVERSION_PRICES, actions.CONVERSION_GAINS
    in_hand = jnp.stack([mover.coins, mover.workers, mover.priests, mover.bowls[2], mover.vp])
    is_paid = (in_hand >= prices).all(axis=1)
    has_room = (mover.priests < mover.priest_cap) | (gains[:, 2] == 0)
    index = np.arange(len(prices))
    trades_vp = (index == actions.VP_TO_COIN) | (index == actions.COINS_TO_VP)
    is_known = ~trades_vp | (mover.board.trades_vp > 0)
    is_asked = (index != actions.WORKER_TO_PRIEST) | (decision == Due.PRIEST)
    burns = (index != actions.BURN) | (mover.bowls[1] >= 2)
    return is_paid & has_room & is_known & is_asked & burns


def _faction(seen: LegalView) -> Bool[Array, "14"]:
    chosen = seen.state.players.faction
    colours = jnp.where(chosen < NUM_FACTIONS, jnp.asarray(COLUMNS.colour)[chosen], -1)
    is_taken = (colours[:, None] == COLUMNS.colour).any(axis=0)
    return ~is_taken & (seen.state.phase == Phase.FACTIONS)
