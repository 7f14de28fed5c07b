"""The fields of a state of Terra Mystica that golden records hold, as arrays: `ComparedState`.

States of the game are brought into this form on the device, recorded states on the host. So whole
games are compared at once, and only a difference is put into words.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from benchmarks.golden.core.records import Difference
from jaxgames.terra_mystica.state import Board, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import COLUMNS, PRIESTS_PER_PLAYER, STRUCTURE_NAMES
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_NAMES,
    COLOUR_LETTERS,
    LAND_COLUMN,
    LAND_NAMES,
    LAND_ROW,
    NUM_BRIDGES,
    NUM_COLOURS,
)
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    CULT_NAMES,
    FAVOR_NAMES,
    NUM_FAVORS,
    TOWN_NAMES,
)

NO_STRUCTURE = len(STRUCTURE_NAMES)
NO_COLOUR = NUM_COLOURS


class ComparedState(NamedTuple):
    """What golden files record of a state: integers, with any leading axes.

    Fields of seats have the name that the files give them.
    """

    c: Any  # [P] coins
    w: Any
    p: Any
    pw: Any  # [P, 3]
    vp: Any
    cult: Any  # [P, 4]
    key: Any
    pmax: Any
    ship: Any
    dig: Any
    range: Any
    bon: Any  # [P] bonus card + 1, 0: none
    fav: Any  # [P, 12]
    tw: Any  # [P, 8] town tiles of each kind
    br: Any  # [P, 29]
    passed: Any
    structures: Any  # [P, 77] kind of structure of the seat on each hex, or NO_STRUCTURE
    hex: Any  # [77] terrain
    coins: Any  # [10] on each bonus card
    spots: Any  # [4, 4] seat + 1 of the priest on each spot, 0: none


SEAT_FIELDS = ComparedState._fields[: ComparedState._fields.index("hex")]


def of_state(state: TerraMysticaState) -> ComparedState:
    """Returns the compared fields of a state; traceable."""
    players, supply = state.players, state.supply
    seats = players.coins.shape[0]
    priests = (supply.spots.reshape(-1) == jnp.arange(1, seats + 1)[:, None]).sum(axis=1)
    favors = (players.favors[:, None] >> jnp.arange(NUM_FAVORS, dtype=jnp.uint16)) & 1
    bridges = (state.board.bridges[:, :, None] == jnp.arange(1, NUM_BRIDGES + 1)).any(axis=1)
    colours = _index_of_hexes(state.board.terrain, NO_COLOUR)
    fields = ComparedState(
        c=players.coins,
        w=players.workers,
        p=players.priests,
        pw=players.bowls,
        vp=players.vp,
        cult=players.cults,
        key=players.keys,
        pmax=PRIESTS_PER_PLAYER - priests,
        ship=players.ship,
        dig=players.dig,
        range=players.range,
        bon=players.card,
        fav=favors,
        tw=players.towns,
        br=bridges,
        passed=players.passed,
        structures=_structures(state.board, colours, players.faction),
        hex=colours,
        coins=supply.card_coins,
        spots=supply.spots,
    )
    return ComparedState(*(field.astype(jnp.int16) for field in fields))


def differences(
    expected: ComparedState, actual: ComparedState, factions: Sequence[str]
) -> Iterator[Difference]:
    """Yields what differs between two states without leading axes, in the order of the fields."""
    for name in ComparedState._fields:
        left, right = getattr(expected, name), getattr(actual, name)
        if name not in SEAT_FIELDS:
            if not np.array_equal(left, right):
                text = _TEXTS[name]
                yield Difference(name, name, text(left, right), text(right, left))
            continue
        for seat in np.flatnonzero((left != right).reshape(len(left), -1).any(axis=1)).tolist():
            text = _TEXTS.get(name, _numbers)
            texts = text(left[seat], right[seat]), text(right[seat], left[seat])
            yield Difference(name, f"{name} of {factions[seat]}", *texts)


def _index_of_hexes(sets: Array, none: int) -> Array:
    """Returns the number of the set that holds each land hex, `none` where there is none."""
    is_in = (sets[:, LAND_ROW] >> LAND_COLUMN.astype(np.uint16)) & 1 != 0
    return jnp.where(is_in.any(axis=0), jnp.argmax(is_in, axis=0), none)


def _structures(board: Board, colours: Array, faction: Array) -> Array:
    kinds = _index_of_hexes(board.structures, NO_STRUCTURE)
    is_own = colours == jnp.asarray(COLUMNS.colour)[faction][:, None]
    return jnp.where(is_own, kinds, NO_STRUCTURE)


def _numbers(value: np.ndarray, other: np.ndarray) -> str:
    del other
    return str(value.tolist())


def _changed_hexes(letters: Sequence[str]) -> Callable[[np.ndarray, np.ndarray], str]:
    def text(value: np.ndarray, other: np.ndarray) -> str:
        changed = np.flatnonzero(value != other).tolist()
        return ", ".join(f"{LAND_NAMES[place]} {letters[value[place]]}" for place in changed)

    return text


def _counted(names: Sequence[str]) -> Callable[[np.ndarray, np.ndarray], str]:
    def text(value: np.ndarray, other: np.ndarray) -> str:
        del other
        held = [name for name, count in zip(names, value, strict=True) for _ in range(count)]
        return "[" + ", ".join(held) + "]"

    return text


def _card(value: np.ndarray, other: np.ndarray) -> str:
    del other
    return CARD_NAMES[value - 1] if value else "none"


def _spots(value: np.ndarray, other: np.ndarray) -> str:
    rows = np.flatnonzero((value != other).any(axis=1)).tolist()
    return ", ".join(f"{CULT_NAMES[row]} {(value[row] - 1).tolist()}" for row in rows)


_TEXTS = {
    "bon": _card,
    "fav": _counted(FAVOR_NAMES),
    "tw": _counted(TOWN_NAMES),
    "br": _counted(BRIDGE_NAMES),
    "structures": _changed_hexes((*STRUCTURE_NAMES, "empty")),
    "hex": _changed_hexes(COLOUR_LETTERS + "?"),
    "coins": _counted(CARD_NAMES),
    "spots": _spots,
}
