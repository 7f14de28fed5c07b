"""The estimated final points of each seat in Terra Mystica.

The estimate is the points so far, plus a worth in points for everything that may bring points
later. Worths change from the first round to the last. The estimate counts what a seat has and the
choice at hand; it sees no further plan.

The worths were set by hand. An evolution strategy then tuned those of the first round: ten
generations of 14 individuals, 16 games of two random factions each. The mean points of greedy
self-play rose from about 88 to about 99.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32

from jaxgames.boards import hexes
from jaxgames.rules import Rules, SeatValues
from jaxgames.terra_mystica.engine import (
    bonuses,
    build,
    income,
    reachability,
    scoring,
    seats,
    towns,
    turns,
)
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import NO_FACTION, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import SPADES
from jaxgames.terra_mystica.tables.factions import POWER_VALUE, Special, Structure
from jaxgames.terra_mystica.tables.terrain import BRIDGE_ENDS, NUM_BRIDGES
from jaxgames.terra_mystica.tables.tiles import (
    CARD_INCOME,
    CULT_CARD,
    CULT_FAVOR,
    DWELLING_FAVOR,
    NUM_CULTS,
    NUM_ROUNDS,
    PASS_FAVOR,
    SCORING_CULT,
    SCORING_GAIN,
    SCORING_SPADES,
    SCORING_STEPS,
    SPADE_CARD,
    TOWN_FAVOR,
    TOWN_SIZE,
    TRADING_FAVOR,
)


class Worth(NamedTuple):
    """Points for one of something, in the first round and in the last."""

    first: float
    last: float
    reason: str


WORTHS = {
    "coin": Worth(
        0.35, 0.33, "three are a point at the end; there are mostly enough of them before"
    ),
    "worker": Worth(1.4, 0.33, "the resource that limits building; a coin at the end"),
    "priest": Worth(3.2, 0.9, "a step of digging or shipping, or two on a cult"),
    "power": Worth(
        0.4, 0.17, "one token moved by one bowl; seven coins are four tokens moved by two"
    ),
    "token": Worth(0.25, 0.0, "a token that is not burned comes round again"),
    "dwelling": Worth(5.7, 0.7, "a quarter of a town; opponents' buildings beside it bring power"),
    "trading_post": Worth(
        8.7, 1.2, "the only way to temples and strongholds; counts double in a town"
    ),
    "temple": Worth(
        15.0, 1.4, "priests, and the way to a sanctuary; its favor tile counts by itself"
    ),
    "stronghold": Worth(12.5, 1.8, "the ability of the faction; counts three in a town"),
    "sanctuary": Worth(19.5, 2.2, "counts as two structures, and three, in a town"),
    "network": Worth(
        0.5, 1.0, "a rank in the largest networks is six points, for several structures"
    ),
    "cult_level": Worth(0.45, 0.25, "a rank on a cult is two to four points, for several levels"),
    "ship": Worth(3.0, 0.3, "more hexes in reach, and networks that join"),
    "dig": Worth(4.5, 0.2, "every later spade is a worker cheaper"),
    "key": Worth(1.2, 0.5, "the top of a cult is three power and the first rank"),
    "home_hex": Worth(
        2.0, 0.9, "a free home hex in reach: most of what its dwelling will be worth"
    ),
    "town_near": Worth(6.5, 4.0, "a group that is all but a town; the nearer the more"),
    "free_spade": Worth(2.2, 0.5, "of a bonus card, each time"),
    "cult_step": Worth(0.6, 0.5, "of a card or tile, each time"),
    "dwelling_tile": Worth(10.0, 1.0, "two points for each dwelling to come"),
    "trading_tile": Worth(6.3, 1.0, "three points for each trading post to come"),
    "pass_tile": Worth(8.8, 2.0, "two to four points in every round"),
    "town_tile": Worth(2.7, 0.5, "towns need one power less"),
    "cult_tile": Worth(6.0, 0.5, "a cult step in every round"),
    "card": Worth(4.0, 0.0, "what an average bonus card is worth, for a seat that has not passed"),
    # An open choice has a lower worth than its worst outcome, so that choosing never loses.
    "open_favor": Worth(1.8, 0.7, "a favor tile to choose"),
    "open_town": Worth(4.1, 6.0, "a town tile to choose"),
    "open_cult_step": Worth(0.25, 0.2, "a cult step to choose"),
    "open_special": Worth(1.1, 0.5, "a sandstorm, ride or free trading post to carry out"),
    "open_action": Worth(2.2, 1.0, "an action beyond the first"),
    "buildable": Worth(1.5, 0.5, "a hex just turned home: its dwelling may follow at once"),
}

# Share of the worth of a home hex, by the spades that a hex still needs.
HEX_SHARE = np.array([1.0, 0.35, 0.1, 0.0])
# Dwellings are built one at a time, so each further hex counts this share of the hex before it.
NEXT_HEX = 0.6
LATER_BONUS = 0.8  # share of a later round's cult bonus that is counted
USUAL_COINS_PER_VP = 3
RANK_WORTH = 0.7  # of points for ranks, were the game to end now: others may overtake
LEAD_SCALE = 40.0  # points of lead at which a game is nearly decided
STRUCTURES = ("dwelling", "trading_post", "temple", "stronghold", "sanctuary")
RESOURCES = ("coin", "worker", "priest", "power")
TILES = {
    DWELLING_FAVOR: "dwelling_tile",
    TRADING_FAVOR: "trading_tile",
    PASS_FAVOR: "pass_tile",
    TOWN_FAVOR: "town_tile",
    CULT_FAVOR: "cult_tile",
}

Points = Float[Array, ""]
Worths = dict[str, Float[Array, "6"]]
"""Worth of everything in `WORTHS` in each round."""


def by_round() -> Worths:
    """Returns the worths of the table."""
    return {
        name: jnp.linspace(worth.first, worth.last, NUM_ROUNDS) for name, worth in WORTHS.items()
    }


class SeatView(NamedTuple):
    """A seat in a position, with the worths."""

    state: TerraMysticaState
    owner: PlayerRow
    seat: Number
    round: Number
    worths: Worths

    def worth(self, name: str) -> Points:
        """Returns the worth of something in this round."""
        return self.worths[name][self.round]

    @property
    def resources(self) -> Float[Array, "6 4"]:
        """Worth of a coin, worker, priest and power in each round."""
        by_round = jnp.stack([self.worths[name] for name in RESOURCES], axis=1)
        # Alchemists turn coins into points at a better rate, at any time. If coins were worth less
        # than these points, the player would turn all coins into points at once.
        return by_round.at[:, 0].multiply(USUAL_COINS_PER_VP / self.owner.board.final_coins_per_vp)

    @property
    def counts(self) -> Int32[Array, "5"]:
        """Structures of each kind."""
        return reachability.count_structures(self.state.board, self.owner.board.colour)


class Estimate(NamedTuple):
    """The parts of the estimated final points; all are float32 and in points."""

    parts: Float[Array, "players 7"]
    """Worth in hand, to come, of buildings, tiles, ground, open choices and the largest network;
    zeros for seats without a faction."""
    ranks: Float[Array, "players 2"]
    """Points for networks and for cults, were the game to end now."""
    points: Float[Array, "players"]
    """Estimated final points."""


def estimate(state: TerraMysticaState, worths: Worths | None = None) -> Float[Array, "players"]:
    """Returns the estimated final points of each seat, for a position that is not over.

    Args:
        state: the position.
        worths: the worths to use; None: those of `WORTHS`.
    """
    return estimate_in_parts(state, worths).points


def estimate_in_parts(state: TerraMysticaState, worths: Worths | None = None) -> Estimate:
    """Returns `estimate` and its parts."""
    worths = by_round() if worths is None else worths
    now = jnp.minimum(state.round.astype(jnp.int32), NUM_ROUNDS - 1)
    networks = turns.networks_of(state)
    by_network, by_cult = scoring.final_points(networks, state.players.cults.astype(jnp.int32))
    share = now / (NUM_ROUNDS - 1)  # early ranks say little about final ranks

    def of_seat(seat: Number) -> tuple[Float[Array, "7"], Points]:
        owner = seats.of_seat(state, seat)
        seen = SeatView(state, owner, seat, now, worths)
        judged = [part(seen) for part in (_in_hand, _to_come, _buildings, _tiles, _ground)]
        judged.append(_open(seen) * (seat == state.seat))
        judged.append(seen.worth("network") * networks[seat])
        has_faction = owner.faction < NO_FACTION
        points = sum(judged, owner.vp.astype(jnp.float32)) * has_faction
        return jnp.stack([jnp.asarray(part, jnp.float32) for part in judged]) * has_faction, points

    parts, points = jax.vmap(of_seat)(jnp.arange(networks.shape[0]))
    ranks = jnp.stack([by_network, by_cult], axis=1).astype(jnp.float32)
    return Estimate(parts, ranks, points + share * RANK_WORTH * (by_network + by_cult))


@dataclasses.dataclass(frozen=True)
class PointsLead:
    """The score of the game: the lead over each other seat, from -1 to 1, averaged."""

    def __call__(self, state: TerraMysticaState) -> SeatValues:
        """Returns the estimated return of each seat."""
        points = estimate(state)
        leads = jnp.tanh((points[:, None] - points[None]) / LEAD_SCALE)
        return leads.sum(axis=1) / (points.shape[0] - 1)


def make(rules: Rules) -> PointsLead:
    """Returns the score, which suits all options of the rules."""
    del rules
    return PointsLead()


def _in_hand(seen: SeatView) -> Points:
    """Returns the worth of resources and power tokens."""
    owner = seen.owner
    first, second, third = owner.bowls
    have = jnp.stack([owner.coins, owner.workers, owner.priests, second + 2 * third])
    return (seen.resources[seen.round] * have).sum() + seen.worth("token") * (
        first + second + third
    )


def _to_come(seen: SeatView) -> Points:
    """Returns the worth of later incomes, without the bonus card, and of later cult bonuses."""
    owner, now, rounds = seen.owner, seen.round, jnp.arange(NUM_ROUNDS)
    by_round = seen.resources
    regular = income.income(owner._replace(card=jnp.zeros_like(owner.card)), seen.counts)
    incomes = ((rounds > now) * (by_round * regular).sum(axis=1)).sum()

    tiles = seen.state.supply.scoring.astype(jnp.int32)
    track = jnp.asarray(SCORING_CULT)[tiles]
    levels, steps = (
        owner.cults[jnp.minimum(track, NUM_CULTS - 1)],
        jnp.asarray(SCORING_STEPS)[tiles],
    )
    times = jnp.where(rounds == now, levels // steps, LATER_BONUS * levels / steps)
    # The gain of a round's tile is spent in the next round; the last round's tile gains nothing.
    worth = (jnp.asarray(SCORING_GAIN)[tiles] * jnp.roll(by_round, -1, axis=0)).sum(axis=1)
    worth += jnp.asarray(SCORING_SPADES)[tiles] * seen.worths["free_spade"]
    is_to_come = (rounds >= now) & (rounds < NUM_ROUNDS - 1) & (track < NUM_CULTS)
    return incomes + (times * worth * is_to_come).sum()


def _buildings(seen: SeatView) -> Points:
    """Returns the worth of structures, shipping and digging."""
    owner = seen.owner
    structures = (jnp.stack([seen.worth(name) for name in STRUCTURES]) * seen.counts).sum()
    ship = jnp.where(owner.board.max_ship > 0, owner.ship, 0)
    return structures + ship * seen.worth("ship") + owner.dig * seen.worth("dig")


def _tiles(seen: SeatView) -> Points:
    """Returns the worth of cults, keys, favor tiles without income, bridges and the bonus card."""
    owner = seen.owner
    points = seen.worth("cult_level") * owner.cults.sum() + seen.worth("key") * owner.keys
    for tile, name in TILES.items():
        points += seats.has_favor(owner, tile) * seen.worth(name)
    card = jnp.maximum(owner.card - 1, 0)
    taken = (seen.resources[seen.round] * jnp.asarray(CARD_INCOME)[card]).sum()
    taken += (card == SPADE_CARD) * seen.worth("free_spade")
    taken += (card == CULT_CARD) * seen.worth("cult_step")
    # A seat that has not passed will still get points for its card and then an unknown next card.
    # Both count already, so that passing gains nothing by them.
    bridges = _bridges(seen)
    passing = bonuses.score_pass(owner, seen.counts, bridges, jnp.bool_(True))
    expected = sum(passing.earned) + seen.worth("card")
    points += (NUM_ROUNDS - 1 - seen.round) * bonuses.bridge_points(owner, seen.counts, bridges)
    is_chosen = owner.passed | (seen.state.phase <= Phase.CARDS)
    return points + jnp.where(is_chosen, taken * (owner.card > 0), expected)


def _bridges(seen: SeatView) -> Number:
    """Returns the number of bridges with own structures at both ends.

    A bridge that the seat may place now counts if such a place is free.
    """
    board, owner = seen.state.board, seen.owner
    is_taken = (board.bridges.reshape(-1)[:, None] == np.arange(1, NUM_BRIDGES + 1)).any(axis=0)
    own = reachability.to_hexes(reachability.own_structures(board, owner.board.colour))
    places = (own[BRIDGE_ENDS].all(axis=1) & ~is_taken).sum()
    is_open = (seen.state.pending.bridges > 0) & (seen.seat == seen.state.seat)
    return build.joined_bridges(board, owner, seen.seat) + jnp.minimum(places, is_open)


def _ground(seen: SeatView) -> Points:
    """Returns the worth of free land in reach, and of the group that is nearest to a town.

    Free spades count as if spent on the hex whose worth rises most.
    """
    board, owner = seen.state.board, seen.owner
    reached = reachability.reach(
        board, owner, board.bridges[seen.seat], reachability.ship_level(owner)
    )
    near = hexes.count(board.terrain & (reached.direct | reached.tunnelled))  # [7] by terrain
    needed = jnp.asarray(SPADES)[owner.faction, :, owner.board.colour]
    levels = np.arange(len(HEX_SHARE))
    by_need = ((needed[:, None] == levels) * near[:, None]).sum(axis=0)

    pending = seen.state.pending.spades * (seen.seat == seen.state.seat)
    is_cult = seen.state.phase == Phase.CULT_SPADES
    spades = jnp.where(is_cult, owner.cult_spades, pending.astype(jnp.int32))
    after = jnp.maximum(levels - spades, 0)
    moved = by_need + (after[:, None] == levels) - np.eye(len(levels), dtype=np.int32)
    follows = seen.worth("buildable") * ((after == 0) & ~is_cult)
    worth = seen.worth("home_hex") * _hexes(by_need)
    turned = seen.worth("home_hex") * _hexes(moved) + follows
    is_there = (by_need > 0) & (levels > 0) & (spades > 0)
    best = jnp.maximum(worth, jnp.where(is_there, turned, worth).max())
    return best + seen.worth("town_near") * _nearest_town(seen)


def _hexes(by_need: Int32[Array, "*any 4"]) -> Float[Array, "*any"]:
    """Returns the worth of free hexes, in units of one home hex.

    `by_need` is the number of hexes that need 0, 1, 2 and 3 spades. In this order each hex counts
    the share of its need times a factor, which falls by `NEXT_HEX` from hex to hex.
    """
    upto = jnp.cumsum(by_need, axis=-1)
    weights = (NEXT_HEX ** (upto - by_need) - NEXT_HEX**upto) / (1 - NEXT_HEX)
    return (weights * HEX_SHARE).sum(axis=-1)


def _nearest_town(seen: SeatView) -> Float[Array, ""]:
    """Returns the square of the nearness to a town, from 0 to 1, of the nearest group.

    The square favours one group that grows over several that start.
    """
    board, owner = seen.state.board, seen.owner
    ground = towns.ground_of(board, owner, seen.seat)
    power_needed = towns.needed_power(seats.has_favor(owner, TOWN_FAVOR))

    found = towns.groups_of(board, ground)
    counts = towns.counts_of(found, found.joined)
    size = (counts.sum(axis=1) + counts[:, Structure.SANCTUARY]) / TOWN_SIZE
    power = (counts * POWER_VALUE).sum(axis=1) / power_needed
    nearness = jnp.minimum(size, 1.0) * jnp.minimum(power, 1.0)
    nearest = (nearness * (found.joined & found.in_town == 0)).max()
    return nearest**2


def _open(seen: SeatView) -> Points:
    """Returns the worth of open choices of the seat to move."""
    pending = seen.state.pending
    choices = (
        ("open_favor", pending.favors),
        ("open_town", pending.towns),
        ("open_cult_step", pending.cult_steps),
        ("open_special", pending.special != Special.NONE),
        ("open_action", jnp.maximum(pending.actions, 1) - 1),
        ("buildable", ~hexes.is_empty(pending.buildable)),
    )
    return sum((seen.worth(name) * number for name, number in choices), jnp.float32(0))
