"""A guess at the final points of each seat in Terra Mystica, written by hand and not tuned.

Points so far, and for everything that may bring points later a worth in points, which falls from
the first round to the last. It judges what a seat has; it sees no plan beyond the choice at hand.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32

from jaxgames.boards import hex as hexes
from jaxgames.rules import Rules
from jaxgames.terra_mystica import bonuses, cults, income, player, reach, scoring, towns, turns
from jaxgames.terra_mystica.player import Number, Player
from jaxgames.terra_mystica.state import NO_FACTION, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import POWER_VALUE, SPADES, Special, Structure
from jaxgames.terra_mystica.tables.tiles import (
    AREA_VP,
    CARD_INCOME,
    CULT_CARD,
    CULT_FAVOR,
    CULT_VP,
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
from jaxgames.types import SeatValues


class Worth(NamedTuple):
    """Points for one of something, in the first round and in the last."""

    first: float
    last: float
    reason: str


COIN = Worth(0.55, 0.33, "three are a point at the end; two and a worker are a dwelling before")
WORKER = Worth(1.6, 0.33, "the resource that limits building; a coin at the end")
PRIEST = Worth(2.8, 0.9, "a step of digging or shipping, or two on a cult")
POWER = Worth(0.35, 0.17, "one token moved by one bowl; seven coins are four tokens moved by two")
TOKEN = Worth(0.3, 0.0, "a token that is not burned comes round again")
DWELLING = Worth(4.0, 0.7, "a quarter of a town; opponents' buildings beside it bring power")
TRADING_POST = Worth(8.5, 1.2, "the only way to temples and strongholds; counts double in a town")
TEMPLE = Worth(10.0, 1.4, "the way to a sanctuary; its favor tile counts by itself")
STRONGHOLD = Worth(19.0, 1.8, "the ability of the faction; counts three in a town")
SANCTUARY = Worth(20.0, 2.2, "counts as two structures, and three, in a town")
NETWORK = Worth(0.5, 1.0, "a rank in the largest networks is six points, for several structures")
CULT_LEVEL = Worth(0.4, 0.25, "a rank on a cult is two to four points, for several levels")
SHIP = Worth(4.0, 0.3, "more hexes in reach, and networks that join")
DIG = Worth(6.0, 0.2, "every later spade is a worker cheaper")
KEY = Worth(1.0, 0.5, "the top of a cult is three power and the first rank")
HOME_HEX = Worth(3.5, 0.9, "a free home hex in reach: most of what its dwelling will be worth")
TOWN_NEAR = Worth(6.0, 4.0, "a group that is all but a town; the nearer the more")
FREE_SPADE = Worth(2.0, 0.5, "of a bonus card, each time")
CULT_STEP = Worth(0.7, 0.5, "of a card or tile, each time")
DWELLING_TILE = Worth(9.0, 1.0, "two points for each dwelling to come")
TRADING_TILE = Worth(7.0, 1.0, "three points for each trading post to come")
PASS_TILE = Worth(11.0, 2.0, "two to four points in every round")
TOWN_TILE = Worth(3.0, 0.5, "towns need one power less")
CULT_TILE = Worth(4.0, 0.5, "a cult step in every round")
CARD = Worth(3.0, 0.0, "what an average bonus card is worth, for a seat that has not passed")
# Open choices are worth less than the least that they bring, so that no detour looks better.
OPEN_FAVOR = Worth(2.0, 0.7, "a favor tile to choose")
OPEN_TOWN = Worth(6.0, 6.0, "a town tile to choose")
OPEN_CULT_STEP = Worth(0.25, 0.2, "a cult step to choose")
OPEN_SPECIAL = Worth(1.0, 0.5, "a sandstorm, ride or free trading post to carry out")
OPEN_ACTION = Worth(2.0, 1.0, "an action beyond the first")
BUILDABLE = Worth(1.0, 0.5, "a hex just turned home: its dwelling may follow at once")

HEX_SHARE = np.array([1.0, 0.35, 0.1, 0.0])  # of HOME_HEX, by the spades that a hex still needs
NEXT_HEX = 0.6  # each further hex is worth this share of the one before: one is built on at a time
LATER_BONUS = 0.8  # share of a later round's cult bonus that is counted
LEAD_SCALE = 40.0  # points of lead at which a game is nearly decided
STRUCTURES = (DWELLING, TRADING_POST, TEMPLE, STRONGHOLD, SANCTUARY)
TILES = {
    DWELLING_FAVOR: DWELLING_TILE,
    TRADING_FAVOR: TRADING_TILE,
    PASS_FAVOR: PASS_TILE,
    TOWN_FAVOR: TOWN_TILE,
    CULT_FAVOR: CULT_TILE,
}

Points = Float[Array, ""]


def estimate(state: TerraMysticaState) -> Float[Array, "players"]:
    """Returns the guess at the final points of each seat, for a position that is not over."""
    networks = turns.networks_of(state)
    by_network = scoring.ranked_points(networks, AREA_VP)
    levels = state.players.cults.astype(jnp.int32)
    by_cult = jax.vmap(
        lambda track: scoring.ranked_points(track, CULT_VP, least=1), in_axes=1, out_axes=1
    )(levels).sum(axis=1)
    share = _round(state) / (NUM_ROUNDS - 1)  # early ranks say little about the last ones

    def of_seat(seat: Number) -> Points:
        owner = player.take(state.players, seat, cults.priests_on_boards(state.supply.spots, seat))
        parts = (
            owner.vp.astype(jnp.float32),
            _in_hand(state, owner),
            _to_come(state, owner),
            _buildings(state, owner),
            _tiles(state, owner),
            _ground(state, owner, seat),
            _open(state) * (seat == state.seat),
            _at(NETWORK, state) * networks[seat],
        )
        return sum(parts[1:], parts[0]) * (owner.faction < NO_FACTION)

    points = jax.vmap(of_seat)(jnp.arange(networks.shape[0]))
    return points + share * 0.7 * (by_network + by_cult)


@dataclasses.dataclass(frozen=True)
class Lead:
    """The score of the game: the lead over each other seat, from -1 to 1, averaged."""

    def __call__(self, state: TerraMysticaState) -> SeatValues:
        """Returns the guess at each seat's return."""
        points = estimate(state)
        leads = jnp.tanh((points[:, None] - points[None]) / LEAD_SCALE)
        return leads.sum(axis=1) / (points.shape[0] - 1)


def make(rules: Rules) -> Lead:
    """Returns the score, which suits all options of the rules."""
    del rules
    return Lead()


def _round(state: TerraMysticaState) -> Int32[Array, ""]:
    return jnp.minimum(state.round.astype(jnp.int32), NUM_ROUNDS - 1)


def _by_round(worth: Worth) -> np.ndarray:
    return np.linspace(worth.first, worth.last, NUM_ROUNDS).astype(np.float32)


def _at(worth: Worth, state: TerraMysticaState) -> Points:
    return jnp.asarray(_by_round(worth))[_round(state)]


# [6, 4]: coins, workers, priests and power, in each round, and of one more income in each later one
_RESOURCES = np.stack([_by_round(worth) for worth in (COIN, WORKER, PRIEST, POWER)], axis=1)
_INCOMES = np.cumsum(np.append(_RESOURCES[1:], np.zeros((1, 4)), axis=0)[::-1], axis=0)[::-1]


def _in_hand(state: TerraMysticaState, owner: Player) -> Points:
    first, second, third = owner.bowls
    have = jnp.stack([owner.coins, owner.workers, owner.priests, second + 2 * third])
    tokens = _at(TOKEN, state) * (first + second + third)
    return (jnp.asarray(_RESOURCES)[_round(state)] * have).sum() + tokens


def _to_come(state: TerraMysticaState, owner: Player) -> Points:
    """Incomes of later rounds without the bonus card, and cult bonuses."""
    now = _round(state)
    counts = reach.count_structures(state.board, owner.board.colour)
    regular = income.income(owner._replace(card=jnp.zeros_like(owner.card)), counts)
    incomes = (jnp.asarray(_INCOMES.astype(np.float32))[now] * regular).sum()

    tiles = state.supply.scoring.astype(jnp.int32)
    rounds = jnp.arange(NUM_ROUNDS)
    cult = jnp.minimum(jnp.asarray(SCORING_CULT)[tiles], NUM_CULTS - 1)
    levels, steps = owner.cults[cult], jnp.asarray(SCORING_STEPS)[tiles]
    times = jnp.where(rounds == now, levels // steps, LATER_BONUS * levels / steps)
    later = np.append(_RESOURCES[1:], _RESOURCES[-1:], axis=0)
    worth = (jnp.asarray(SCORING_GAIN)[tiles] * later).sum(axis=1)
    worth += jnp.asarray(SCORING_SPADES)[tiles] * _by_round(FREE_SPADE)
    is_to_come = (rounds >= now) & (rounds < NUM_ROUNDS - 1)
    is_cult = jnp.asarray(SCORING_CULT)[tiles] < NUM_CULTS
    return incomes + (times * worth * is_to_come * is_cult).sum()


def _buildings(state: TerraMysticaState, owner: Player) -> Points:
    counts = reach.count_structures(state.board, owner.board.colour)
    worths = jnp.asarray(np.stack([_by_round(worth) for worth in STRUCTURES], axis=1))
    ship = jnp.where(owner.board.max_ship > 0, owner.ship, 0) * _at(SHIP, state)
    return (worths[_round(state)] * counts).sum() + ship + owner.dig * _at(DIG, state)


def _tiles(state: TerraMysticaState, owner: Player) -> Points:
    """Cults, keys, favor tiles that are no income, and the bonus card."""
    points = _at(CULT_LEVEL, state) * owner.cults.sum() + _at(KEY, state) * owner.keys
    for tile, worth in TILES.items():
        points += player.has_favor(owner, tile) * _at(worth, state)
    card = jnp.maximum(owner.card - 1, 0)
    taken = (jnp.asarray(_RESOURCES)[_round(state)] * jnp.asarray(CARD_INCOME)[card]).sum()
    taken += (card == SPADE_CARD) * _at(FREE_SPADE, state) + (card == CULT_CARD) * _at(
        CULT_STEP, state
    )
    # A seat that has not passed has the card's points and an unknown next card before it, so that
    # passing looks no better than an action only because it brings them.
    counts = reach.count_structures(state.board, owner.board.colour)
    passing = bonuses.score_pass(owner, counts, jnp.int32(0), jnp.bool_(True))
    expected = sum(passing.earned) + _at(CARD, state)
    is_chosen = owner.passed | (state.phase <= Phase.CARDS)
    return points + jnp.where(is_chosen, taken * (owner.card > 0), expected)


def _ground(state: TerraMysticaState, owner: Player, seat: Number) -> Points:
    """Free land in reach, and the group that is nearest to a town.

    Free spades count as if they had turned the hex that gains most.
    """
    board = state.board
    reached = reach.reach(board, owner, board.bridges[seat], reach.ship_level(owner))
    near = hexes.count(board.terrain & (reached.direct | reached.tunnelled))  # [7] by terrain
    needed = jnp.asarray(SPADES)[owner.faction, :, owner.board.colour]
    levels = np.arange(len(HEX_SHARE))
    by_need = ((needed[:, None] == levels) * near[:, None]).sum(axis=0)

    pending = state.pending.spades * (seat == state.seat)
    is_cult = state.phase == Phase.CULT_SPADES
    spades = jnp.where(is_cult, owner.cult_spades, pending.astype(jnp.int32))
    after = jnp.maximum(levels - spades, 0)
    moved = by_need + (after[:, None] == levels) - np.eye(len(levels), dtype=np.int32)
    follows = _at(BUILDABLE, state) * ((after == 0) & (spades > 0) & ~is_cult)
    worth = _at(HOME_HEX, state) * _hexes(by_need)
    turned = _at(HOME_HEX, state) * _hexes(moved) + follows
    is_there = (by_need > 0) & (levels > 0) & (spades > 0)
    best = jnp.maximum(worth, jnp.where(is_there, turned, worth).max())
    return best + _at(TOWN_NEAR, state) * _nearest_town(state, owner, seat)


def _hexes(by_need: Int32[Array, "*any 4"]) -> Float[Array, "*any"]:
    """Returns the worth of free hexes, in home hexes, from how many need 0, 1, 2, 3 spades.

    In the order of what they need, each has a share of `NEXT_HEX` of the one before.
    """
    upto = jnp.cumsum(by_need, axis=-1)
    weights = (NEXT_HEX ** (upto - by_need) - NEXT_HEX**upto) / (1 - NEXT_HEX)
    return (weights * HEX_SHARE).sum(axis=-1)


def _nearest_town(state: TerraMysticaState, owner: Player, seat: Number) -> Float[Array, ""]:
    """Returns how near a group is to a town, from 0 to 1: the square, so that one group grows."""
    board = state.board
    own = reach.own_structures(board, owner.board.colour)
    skipped = jnp.where(owner.board.skips_river > 0, board.skipped, jnp.uint16(0))
    ground = towns.Ground(own, board.bridges[seat], skipped)
    power_needed = towns.needed_power(player.has_favor(owner, TOWN_FAVOR))

    def step(carry: tuple[hexes.Cells, Array]) -> tuple[hexes.Cells, Array]:
        left, best = carry
        group = towns.grow(ground, hexes.first(left))
        counts = hexes.count(board.structures & group)
        size = (counts.sum() + counts[Structure.SANCTUARY]) / TOWN_SIZE
        power = (counts * POWER_VALUE).sum() / power_needed
        nearness = jnp.minimum(size, 1.0) * jnp.minimum(power, 1.0)
        is_new = hexes.is_empty(group & board.in_town)
        return left & ~group, jnp.maximum(best, nearness * is_new)

    start = (own & ~board.in_town, jnp.float32(0))
    nearest = jax.lax.while_loop(lambda carry: ~hexes.is_empty(carry[0]), step, start)[1]
    return nearest**2


def _open(state: TerraMysticaState) -> Points:
    """Open choices of the seat whose turn it is."""
    pending = state.pending
    choices = (
        (OPEN_FAVOR, pending.favors),
        (OPEN_TOWN, pending.towns),
        (OPEN_CULT_STEP, pending.cult_steps),
        (OPEN_SPECIAL, pending.special != Special.NONE),
        (OPEN_ACTION, jnp.maximum(pending.actions, 1) - 1),
        (BUILDABLE, ~hexes.is_empty(pending.buildable)),
    )
    return sum((_at(worth, state) * number for worth, number in choices), jnp.float32(0))
