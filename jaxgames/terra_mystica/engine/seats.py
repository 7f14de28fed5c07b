"""One seat while an action is carried out, and the points that it earns by source.

`read_seat` copies a seat out of the state, the rules change the copy, `write_seat` writes it back.
All numbers are int32 scalars on the way.
"""

import enum
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt8

from jaxgames.batching.arrays import set_row
from jaxgames.batching.joined_arrays import JoinedArrays
from jaxgames.boards import bits
from jaxgames.internal import device_kind
from jaxgames.terra_mystica.state import PlayerStates, TerraMysticaState
from jaxgames.terra_mystica.tables.costs import Good
from jaxgames.terra_mystica.tables.factions import (
    COLUMNS,
    NUM_FACTIONS,
    PRIESTS_PER_PLAYER,
    Columns,
)

MAX_RESOURCE = 255  # coins and workers have no limit; more than 60 has not been seen


class Source(enum.IntEnum):
    """Where points come from."""

    SCORING_TILE = 0
    FAVOR = 1
    TOWN = 2
    BONUS_CARD = 3
    ADVANCE = 4
    FACTION = 5
    LEECH = 6
    CONVERSION = 7
    CULTS = 8
    NETWORK = 9
    RESOURCES = 10


NUM_SOURCES = len(Source)

Number = Int32[Array, ""]


class PlayerRow(NamedTuple):
    """A seat: its faction board, the fields of `PlayerStates`, and what it has earned."""

    board: Columns
    priest_cap: Number
    faction: Number
    coins: Number
    workers: Number
    priests: Number
    bowls: tuple[Number, Number, Number]
    vp: Number
    cults: Int32[Array, "4"]
    keys: Number
    ship: Number
    dig: Number
    range: Number
    card: Number
    favors: Number
    towns: Int32[Array, "8"]
    used: Number
    passed: Bool[Array, ""]
    cult_spades: Number
    earned: tuple[Number, ...]  # points by `Source` since `read_seat`, not in `vp` yet


def _matrix() -> tuple[np.ndarray, list[int]]:
    flat = [column.reshape(NUM_FACTIONS, -1) for column in COLUMNS]
    return np.concatenate(flat, axis=1), np.cumsum([c.shape[1] for c in flat]).tolist()


_MATRIX, _ENDS = _matrix()


def board_of(faction: Number) -> Columns:
    """Returns the faction board of a row of the table; the last board if there is no such row."""
    row = bits.computed_once(jnp.asarray(_MATRIX)[faction])
    parts = [row[end - (column[0].size) : end] for column, end in zip(COLUMNS, _ENDS, strict=True)]
    return Columns(*(p if c.ndim > 1 else p[0] for p, c in zip(parts, COLUMNS, strict=True)))


def read_seat(players: PlayerStates, seat: Number, priests_on_boards: Number) -> PlayerRow:
    """Returns one seat; `priests_on_boards` of its priests stand on the cult boards."""
    fields, structure = jax.tree.flatten(players)
    joined = JoinedArrays(fields, axes=1)
    read = bits.computed_once([x[seat] for x in joined.join(fields)])
    return _player_row(jax.tree.unflatten(structure, joined.split(read)), priests_on_boards)


def _player_row(row: PlayerStates, priests_on_boards: Number) -> PlayerRow:
    row = jax.tree.map(lambda x: x if x.dtype == bool else x.astype(jnp.int32), row)
    fields = {name: getattr(row, name) for name in PlayerRow._fields if hasattr(row, name)}
    fields["bowls"] = (row.bowls[0], row.bowls[1], row.bowls[2])
    return PlayerRow(
        board=board_of(row.faction),
        priest_cap=PRIESTS_PER_PLAYER - priests_on_boards,
        earned=(jnp.int32(0),) * NUM_SOURCES,
        **fields,
    )


def of_seat(state: TerraMysticaState, seat: Number) -> PlayerRow:
    """Returns one seat of a game."""
    return read_seat(state.players, seat, priests_on_boards(state.supply.spots, seat))


def priests_on_boards(spots: UInt8[Array, "4 4"], seat: Number) -> Number:
    """Returns the number of priests of a seat on the cult boards."""
    return (spots == seat + 1).sum()


def write_seat(players: PlayerStates, seat: Number, player: PlayerRow) -> PlayerStates:
    """Returns the players with one seat replaced and its earned points counted."""
    values = _columns(player)
    fields = _fields(players)
    if not device_kind.is_cpu():  # where a scatter is a kernel and a copy of its own
        return PlayerStates(**{name: set_row(x, seat, values[name]) for name, x in fields.items()})
    rows = [values[name].astype(field.dtype) for name, field in fields.items()]
    joined = JoinedArrays(rows, axes=0)
    pairs = zip(joined.join(list(fields.values())), joined.join(rows), strict=True)
    written = joined.split([table.at[seat].set(row) for table, row in pairs])
    return PlayerStates(**dict(zip(fields, written, strict=True)))


def for_all(
    state: TerraMysticaState, change: Callable[[PlayerRow, Number], PlayerRow]
) -> tuple[PlayerStates, Int32[Array, "P sources"]]:
    """Changes all seats alike.

    Args:
        state: the game.
        change: maps a seat and its number to the changed seat.

    Returns:
        The changed seats, and the points that each earned by source.
    """

    def changed(row: PlayerStates, seat: Number) -> PlayerRow:
        return change(_player_row(row, priests_on_boards(state.supply.spots, seat)), seat)

    players = state.players
    after = jax.vmap(changed)(players, jnp.arange(players.vp.shape[0]))
    values = _columns(after)
    written = {name: values[name].astype(field.dtype) for name, field in _fields(players).items()}
    return PlayerStates(**written), jnp.stack(after.earned, axis=-1)


def _columns(player: PlayerRow) -> dict[str, Array]:
    """Returns the fields of `PlayerStates` for one seat, or for several at once."""
    fields = player._asdict()
    fields["vp"] = player.vp + sum(player.earned)
    fields["bowls"] = jnp.stack(player.bowls, axis=-1)
    return fields


def _fields(players: PlayerStates) -> dict[str, Array]:
    return {name: getattr(players, name) for name in PlayerStates.__dataclass_fields__}


def award(player: PlayerRow, source: Source, points: Number) -> PlayerRow:
    """Returns the player with points from a source."""
    earned = list(player.earned)
    earned[source] = earned[source] + points
    return player._replace(earned=tuple(earned))


def gain_power(player: PlayerRow, amount: Number) -> PlayerRow:
    """Moves tokens from bowl I to II and then from II to III, as far as there are any."""
    first, second, third = player.bowls
    filled = jnp.minimum(amount, first)
    first, second = first - filled, second + filled
    charged = jnp.minimum(amount - filled, second)
    return player._replace(bowls=(first, second - charged, third + charged))


def spend_power(player: PlayerRow, amount: Number) -> PlayerRow:
    """Moves tokens from bowl III to I; there must be enough."""
    first, second, third = player.bowls
    return player._replace(bowls=(first + amount, second, third - amount))


def burn_power(player: PlayerRow, times: Number) -> PlayerRow:
    """Each time, removes two tokens from bowl II and puts one of them into bowl III."""
    first, second, third = player.bowls
    return player._replace(bowls=(first, second - 2 * times, third + times))


def gain(player: PlayerRow, gained: Int32[Array, "4"]) -> PlayerRow:
    """Adds coins, workers, priests and power (`Good`); priests above the cap are lost."""
    coins, workers, priests, power = (gained[resource] for resource in Good)
    return gain_power(
        player._replace(
            coins=jnp.minimum(player.coins + coins, MAX_RESOURCE),
            workers=jnp.minimum(player.workers + workers, MAX_RESOURCE),
            priests=jnp.minimum(player.priests + priests, player.priest_cap),
        ),
        power,
    )


def pay(player: PlayerRow, price: Int32[Array, "4"]) -> PlayerRow:
    """Removes coins, workers, priests and power; there must be enough."""
    coins, workers, priests, power = (price[resource] for resource in Good)
    player = player._replace(
        coins=player.coins - coins,
        workers=player.workers - workers,
        priests=player.priests - priests,
    )
    return spend_power(player, power)


def can_pay(
    player: PlayerRow, coins: Number | int, workers: Number | int, priests: Number | int
) -> Bool[Array, "*any"]:
    """Returns whether the player has the resources in hand."""
    return (player.coins >= coins) & (player.workers >= workers) & (player.priests >= priests)


def has_favor(player: PlayerRow, tile: int) -> Bool[Array, ""]:
    """Returns whether the player holds a favor tile."""
    return (player.favors >> tile) & 1 != 0
