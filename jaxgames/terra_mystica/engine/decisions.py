"""Which decision is due: what the seat to move has to choose among."""

import enum

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32

from jaxgames.boards import bits, hexes
from jaxgames.terra_mystica.engine import cults, leech, towns
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow
from jaxgames.terra_mystica.state import Options, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import COLUMNS, Special
from jaxgames.terra_mystica.tables.tiles import FAVOR_COPIES, NUM_FAVORS


class Due(enum.IntEnum):
    """Kinds of decisions. The decisions of a turn are asked for in the order of their numbers."""

    FACTION = 0
    DWELLING = 1  # first dwellings
    CARD = 2  # first bonus card
    KEY = 3  # which cult track a key is for
    TILE = 4  # favor and town tiles, in any order
    PRIEST = 5  # workers into priests
    CULT = 6
    BRIDGE = 7
    SANDSTORM = 8
    RIDE = 9
    TRADING_POST = 10  # the free one of swarmlings
    SPADES = 11  # free spades
    BUILD = 12  # on a hex that was terraformed
    ACTION = 13
    DONE = 14  # conversions after the action
    LEECH = 15
    REACTION = 16  # cult step of cultists
    CULT_SPADES = 17
    OVER = 18


NUM_DECISIONS = len(Due)
OWN_TURN = (Due.KEY, Due.DONE)  # first and last decision in which conversions are open


def favors_left(state: TerraMysticaState) -> Int32[Array, "12"]:
    """Returns the copies of each favor tile that nobody holds."""
    held = (state.players.favors[:, None] >> jnp.arange(NUM_FAVORS, dtype=jnp.uint16)) & 1
    return jnp.asarray(FAVOR_COPIES) - held.astype(jnp.int32).sum(axis=0)


def choosable_favors(state: TerraMysticaState, chooser: PlayerRow) -> Bool[Array, "12"]:
    """Returns the favor tiles that are left and that the seat does not hold."""
    is_held = (chooser.favors >> jnp.arange(NUM_FAVORS)) & 1 != 0
    return (favors_left(state) > 0) & ~is_held


def setup_seat(state: TerraMysticaState) -> Number:
    """Returns the seat that places the next first dwelling.

    Each seat but chaos magicians places one dwelling in seat order and one in reverse order. Then
    nomads place their third, and chaos magicians their only one.
    """
    seats = np.arange(state.order.shape[0])
    turns = np.concatenate([seats, seats[::-1], seats, seats])
    fewest, most = (np.repeat(limits, len(seats)) for limits in ([2, 2, 3, 1], [3, 3, 3, 1]))
    number = jnp.asarray(COLUMNS.first_dwellings)[state.players.faction][turns]
    counts = (number >= fewest) & (number <= most)
    before = (np.tri(len(turns), k=-1, dtype=np.int32) * counts).sum(axis=1)
    return (turns * (counts & (before == state.placed.astype(jnp.int32)))).sum()


def first_dwellings(state: TerraMysticaState) -> Number:
    """Returns the number of dwellings that all seats together place before the game."""
    return jnp.asarray(COLUMNS.first_dwellings)[state.players.faction].sum()


def to_move(state: TerraMysticaState) -> Number:
    """Returns the seat that must decide."""
    placed = state.placed.astype(jnp.int32)
    last = state.order.shape[0] - 1
    seat = state.seat.astype(jnp.int32)
    choices = {
        Phase.FACTIONS: placed,
        Phase.DWELLINGS: setup_seat(state),
        Phase.CARDS: last - placed,
        Phase.LEECH: leech.next_decision(state).seat,
    }
    for phase, who in choices.items():
        seat = jnp.where(state.phase == phase, who, seat)
    return bits.computed_once(seat)


def open_decision(state: TerraMysticaState, mover: PlayerRow, tiles: Int32[Array, "8"]) -> Number:
    """Returns the decision that is due within a turn, after all automatic effects.

    Args:
        state: the game, in the phase of actions.
        mover: the seat whose turn it is.
        tiles: town tiles left.
    """
    pending = state.pending
    special = pending.special
    has_favor = (pending.favors > 0) & choosable_favors(state, mover).any()
    has_town = (pending.towns > 0) & (tiles > 0).any()
    order = (
        (cults.must_choose_track(mover, pending.refused.astype(jnp.int32)), Due.KEY),
        (has_favor | has_town, Due.TILE),
        (pending.priests > 0, Due.PRIEST),
        (pending.cult_steps > 0, Due.CULT),
        (pending.bridges > 0, Due.BRIDGE),
        (special == Special.SANDSTORM, Due.SANDSTORM),
        (special == Special.RIDE, Due.RIDE),
        (special == Special.TRADING_POST, Due.TRADING_POST),
        (pending.spades > 0, Due.SPADES),
        (~hexes.is_empty(pending.buildable), Due.BUILD),
        (pending.actions > 0, Due.ACTION),
    )
    due = jnp.int32(Due.DONE)
    for is_open, decision in reversed(order):
        due = jnp.where(is_open, decision, due)
    return due


def due(state: TerraMysticaState, options: Options, mover: PlayerRow) -> Number:
    """Returns the decision that the seat to move has to make.

    Args:
        state: the game.
        options: the rules that it follows.
        mover: the seat to move.
    """
    tiles = towns.tiles_left(state.players, options.mini_towns)
    phases = {
        Phase.FACTIONS: Due.FACTION,
        Phase.DWELLINGS: Due.DWELLING,
        Phase.CARDS: Due.CARD,
        Phase.LEECH: Due.LEECH,
        Phase.REACTION: Due.REACTION,
        Phase.CULT_SPADES: Due.CULT_SPADES,
        Phase.OVER: Due.OVER,
    }
    decision = open_decision(state, mover, tiles)
    for phase, fixed in phases.items():
        decision = jnp.where(state.phase == phase, fixed, decision)
    return bits.computed_once(decision)
