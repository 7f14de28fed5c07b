"""Writes a position of Terra Mystica as one line of JSON; `position_reading.py` reads it.

| key | value |
| --- | --- |
| `phase`, `round` | a word of `PHASES`; 1 to 6, 7 after the end |
| `seat`, `placed` | whose turn it is; decisions of the set-up phase made so far |
| `order`, `next_start` | seats in turn order; first seat that passed, `null`: none yet |
| `scoring`, `cards` | scoring tile of each round; bonus cards in play, with the coins on them |
| `actions` | power actions taken in this round |
| `spots` | for each cult the seat of the priest on the spots for 3, 2, 2, 2 steps, -1: free |
| `terrain` | colour letter of each hex that is not as printed |
| `towns`, `skipped` | structures in towns; river hexes over which mermaids have founded one |
| `players` | what each seat has, as below |
| `pending`, `leech` | open choices of `seat`, power that it offers the others; without zeros |

| key of a player | value |
| --- | --- |
| `faction` | name; `null`: not chosen yet, then all else is as at the start |
| `c w p pw vp` | coins, workers, priests, power in bowls I to III, points |
| `cult`, `key` | levels on fire, water, earth and air; unused keys |
| `ship dig range` | levels of shipping and digging; hexes that tunnels and carpets skip |
| `bon fav tw` | bonus card, `""`: none; favor tiles; town tiles |
| `D TP TE SH SA` | hexes with each kind of structure |
| `br` | bridges, in the order in which they were built |
| `used`, `passed` | special actions taken in this round: `BON FAV6 SH`; whether it has passed |
| `spades` | spades of the cult bonus not used yet |
"""

import json
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Array

from jaxgames.boards.notation import on_host
from jaxgames.terra_mystica.state import Phase, Spades, TerraMysticaState, Used
from jaxgames.terra_mystica.tables.factions import (
    FACTION_NAMES,
    FACTIONS,
    NUM_FACTIONS,
    STRUCTURE_NAMES,
    Special,
)
from jaxgames.terra_mystica.tables.terrain import (
    BRIDGE_NAMES,
    COLOUR_LETTERS,
    LAND_COLUMN,
    LAND_NAMES,
    LAND_ROW,
    RIVER_COLUMN,
    RIVER_NAMES,
    RIVER_ROW,
    START_COLOURS,
)
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    CULT_NAMES,
    FAVOR_NAMES,
    NUM_POWER_ACTIONS,
    SCORING_NAMES,
    TOWN_NAMES,
)

PHASES = tuple(phase.name.lower() for phase in Phase)
SOURCES = tuple(source.name.lower() for source in Spades)
SPECIALS = tuple(special.name.lower() for special in Special)
USED_NAMES = {"BON": Used.CARD, "FAV6": Used.FAVOR, "SH": Used.STRONGHOLD}
POWER_ACTION_NAMES = tuple(f"ACT{number}" for number in range(1, NUM_POWER_ACTIONS + 1))
# Fields of `PlayerStates` that are plain numbers, by the key of a player.
NUMBERS = {
    "c": "coins",
    "w": "workers",
    "p": "priests",
    "vp": "vp",
    "key": "keys",
    "ship": "ship",
    "dig": "dig",
    "range": "range",
    "spades": "cult_spades",
}
PENDING_NUMBERS = ("actions", "spades", "favors", "towns", "cult_steps", "bridges", "priests")
PENDING_FLAGS = ("is_elsewhere", "has_terraformed")
LEECH_FLAGS = ("was_taken", "was_declined")


def to_host(game: TerraMysticaState) -> TerraMysticaState:
    """Returns the game with host values; refuses a batch of games."""
    return on_host(game, game.seat)


def land_names(cells: Array) -> list[str]:
    """Returns the names of the land hexes of a set, in reading order."""
    return _members(cells, LAND_ROW, LAND_COLUMN, LAND_NAMES)


def colours_of(game: TerraMysticaState) -> np.ndarray:
    """Returns `[77]` terrain of each land hex."""
    is_in = (np.asarray(game.board.terrain)[:, LAND_ROW] >> LAND_COLUMN.astype(np.uint16)) & 1
    return is_in.argmax(axis=0)


def names_of_bits(bits: Any, names: Sequence[str]) -> list[str]:
    """Returns the names whose bit is set."""
    return [name for index, name in enumerate(names) if int(bits) >> index & 1]


def state_to_text(game: TerraMysticaState) -> str:
    """Returns the position text.

    Raises:
        ValueError: if `game` is a batch of games.
    """
    game = to_host(game)
    colours, supply = colours_of(game), game.supply
    seats = game.order.shape[0]
    changed = np.flatnonzero(colours != START_COLOURS).tolist()
    document = {
        "phase": PHASES[game.phase],
        "round": int(game.round) + 1,
        "seat": int(game.seat),
        "placed": int(game.placed),
        "order": game.order.tolist(),
        "next_start": int(game.next_start) if game.next_start < seats else None,
        "scoring": [SCORING_NAMES[tile] for tile in supply.scoring],
        "cards": {
            name: int(supply.card_coins[CARD_NAMES.index(name)])
            for name in names_of_bits(supply.cards, CARD_NAMES)
        },
        "actions": names_of_bits(supply.power_actions, POWER_ACTION_NAMES),
        "spots": {
            name: (row.astype(int) - 1).tolist()
            for name, row in zip(CULT_NAMES, supply.spots, strict=True)
        },
        "terrain": {LAND_NAMES[place]: COLOUR_LETTERS[colours[place]] for place in changed},
        "towns": land_names(game.board.in_town),
        "skipped": _members(game.board.skipped, RIVER_ROW, RIVER_COLUMN, RIVER_NAMES),
        "players": [_player(game, seat) for seat in range(seats)],
        "pending": _pending(game),
        "leech": _leech(game),
    }
    return json.dumps(document, separators=(",", ":"))


def _members(
    cells: Array, rows: np.ndarray, columns: np.ndarray, names: Sequence[str]
) -> list[str]:
    is_in = (np.asarray(cells)[rows] >> columns.astype(np.uint16)) & 1
    return [names[index] for index in np.flatnonzero(is_in).tolist()]


def _player(game: TerraMysticaState, seat: int) -> dict[str, Any]:
    players = game.players
    own = jax.tree.map(lambda field: field[seat], players)
    fields = {key: int(getattr(own, name)) for key, name in NUMBERS.items()}
    structures: dict[str, list[str]] = {name: [] for name in STRUCTURE_NAMES}
    if own.faction < NUM_FACTIONS:
        home = game.board.terrain[FACTIONS[own.faction].colour]
        for name, cells in zip(STRUCTURE_NAMES, game.board.structures, strict=True):
            structures[name] = land_names(cells & home)
    towns = zip(TOWN_NAMES, own.towns.tolist(), strict=True)
    return {
        "faction": FACTION_NAMES[own.faction] if own.faction < NUM_FACTIONS else None,
        **fields,
        "pw": own.bowls.tolist(),
        "cult": own.cults.tolist(),
        "bon": CARD_NAMES[own.card - 1] if own.card else "",
        "fav": names_of_bits(own.favors, FAVOR_NAMES),
        "tw": [name for name, count in towns for _ in range(count)],
        **structures,
        "br": [
            BRIDGE_NAMES[place - 1].replace("-", ":") for place in game.board.bridges[seat] if place
        ],
        "used": [name for name, flag in USED_NAMES.items() if int(own.used) & flag],
        "passed": int(own.passed),
    }


def _pending(game: TerraMysticaState) -> dict[str, Any]:
    pending = game.pending
    document: dict[str, Any] = {name: int(getattr(pending, name)) for name in PENDING_NUMBERS}
    document |= {name: int(getattr(pending, name)) for name in PENDING_FLAGS}
    document |= {
        "source": SOURCES[pending.source] if pending.source else 0,
        "special": SPECIALS[pending.special] if pending.special else 0,
        "tunnelled": LAND_NAMES[pending.tunnelled - 1] if pending.tunnelled else 0,
        "buildable": land_names(pending.buildable),
        "refused": names_of_bits(pending.refused, CULT_NAMES),
    }
    return {name: value for name, value in document.items() if value}


def _leech(game: TerraMysticaState) -> dict[str, Any]:
    document: dict[str, Any] = {name: int(getattr(game.leech, name)) for name in LEECH_FLAGS}
    if game.leech.amounts.any():
        document["amounts"] = game.leech.amounts.tolist()
    return {name: value for name, value in document.items() if value}
