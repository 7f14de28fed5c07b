"""Cult tracks: steps, power on the way, and the key that the top needs."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32, UInt8

from jaxgames.batching.arrays import set_cell
from jaxgames.boards import bits
from jaxgames.terra_mystica.engine.seats import Number, PlayerRow, gain_power, priests_on_boards
from jaxgames.terra_mystica.state import PlayerStates
from jaxgames.terra_mystica.tables.factions import PRIESTS_PER_PLAYER
from jaxgames.terra_mystica.tables.tiles import (
    CULT_POWER,
    NUM_CULTS,
    NUM_SPOTS,
    SPOT_STEPS,
    TOP_LEVEL,
)

SENDS_FOR_SPOTS = 2  # choices of a priest that stay on the board: three steps, two steps
RETURNED_STEPS = 1  # steps of a priest that goes back to the stock


def free_tops(players: PlayerStates) -> Bool[Array, "4"]:
    """Returns which tracks have nobody on the top level."""
    return (players.cults < TOP_LEVEL).all(axis=0)


def advance(
    player: PlayerRow, steps: Int32[Array, "4"], tops: Bool[Array, "4"], refused: Number
) -> tuple[PlayerRow, Number]:
    """Moves up the tracks, at most to the level below the top, and then with keys to the top.

    Args:
        player: the seat.
        steps: steps on each track.
        tops: tracks on which nobody has the top level.
        refused: bit for each track whose step to the top waits for a key.

    Returns:
        The player, and the tracks that still wait. They wait until the end of the turn, since a key
        may come later in the turn.
    """
    below = TOP_LEVEL - 1
    wanted = player.cults + steps
    # A seat on the top stays there.
    levels = jnp.where(player.cults == TOP_LEVEL, TOP_LEVEL, jnp.minimum(wanted, below))
    is_refused = (wanted > below) & tops & (levels == below) & (steps > 0)
    waiting = refused | (is_refused * (1 << jnp.arange(NUM_CULTS))).sum()
    return use_keys(_move(player, levels), waiting)


def use_keys(player: PlayerRow, waiting: Number) -> tuple[PlayerRow, Number]:
    """Moves to the top of all waiting tracks if there is a key for each; else of none."""
    number = bits.count(waiting)
    granted = jnp.where(number <= player.keys, waiting, 0)
    player = player._replace(keys=player.keys - bits.count(granted))
    player = _move(player, jnp.where(tracks(granted), TOP_LEVEL, player.cults))
    return player, waiting - granted


def use_key_on(player: PlayerRow, waiting: Number, cult: Number) -> tuple[PlayerRow, Number]:
    """Moves to the top of one waiting track, if there are too few keys for all of them."""
    is_chosen = jnp.arange(NUM_CULTS) == cult
    player = player._replace(keys=player.keys - 1)
    player = _move(player, jnp.where(is_chosen, TOP_LEVEL, player.cults))
    return player, waiting & ~(1 << cult)


def must_choose_track(player: PlayerRow, waiting: Number) -> Bool[Array, ""]:
    """Returns whether a seat has keys, but fewer than tracks wait for one."""
    return (player.keys > 0) & (bits.count(waiting) > player.keys)


def tracks(word: Number) -> Bool[Array, "4"]:
    """Returns the set of tracks in a word of bits."""
    return (word >> jnp.arange(NUM_CULTS)) & 1 != 0


def _move(player: PlayerRow, levels: Int32[Array, "4"]) -> PlayerRow:
    power = jnp.asarray(CULT_POWER)
    gained = (power[levels] - power[player.cults]).sum()
    return gain_power(player._replace(cults=levels), gained)


def steps_on(cult: Number, steps: Number) -> Int32[Array, "4"]:
    """Returns steps on one track."""
    return jnp.where(jnp.arange(NUM_CULTS) == cult, steps, 0)


def sendable(spots: UInt8[Array, "4 4"]) -> Bool[Array, "4 3"]:
    """Returns where a priest of each cult can go: for three steps, for two, back for one."""
    is_free = spots == 0
    stock = jnp.ones((NUM_CULTS,), bool)
    return jnp.stack([is_free[:, 0], is_free[:, 1:].any(axis=1), stock], axis=1)


def send(
    spots: UInt8[Array, "4 4"], cult: Number, choice: Number, seat: Number
) -> tuple[UInt8[Array, "4 4"], Number]:
    """Places a priest, and returns the spots and the steps it brings.

    Args:
        spots: seat + 1 of the priest on each spot of each cult.
        cult: the cult.
        choice: 0: three steps, 1: two steps, 2: one step and back to the stock.
        seat: the owner.
    """
    is_free = spots[cult] == 0
    is_two = is_free & (jnp.arange(NUM_SPOTS) > 0)
    spot = jnp.where(choice == 0, 0, jnp.argmax(is_two))
    stays = choice < SENDS_FOR_SPOTS
    steps = jnp.where(stays, jnp.asarray(SPOT_STEPS)[spot], RETURNED_STEPS)
    return set_cell(spots, cult, spot, seat + 1, stays), steps


def priest_cap(spots: UInt8[Array, "4 4"], seat: Number) -> Number:
    """Returns how many priests a seat may hold."""
    return PRIESTS_PER_PLAYER - priests_on_boards(spots, seat)
