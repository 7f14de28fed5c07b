"""Reads the players of a position of Terra Mystica."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxgames.internal import checks
from jaxgames.internal.checks import Document
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import NO_FACTION, PlayerStates, Supply
from jaxgames.terra_mystica.tables.factions import (
    FACTION_NAMES,
    FACTIONS,
    POWER_TOKENS,
    PRIESTS_PER_PLAYER,
    Faction,
)
from jaxgames.terra_mystica.tables.tiles import (
    CARD_NAMES,
    CULT_NAMES,
    FAVOR_COPIES,
    FAVOR_NAMES,
    NUM_BASE_TOWNS,
    NUM_CULTS,
    NUM_TOWNS,
    SCORING_SPADES,
    SCORING_STEPS,
    TOP_LEVEL,
    TOWN_COPIES,
    TOWN_NAMES,
)
from jaxgames.terra_mystica.text.position_text import NUMBERS, USED_NAMES

MAX_NUMBER = int(np.iinfo(np.uint8).max)
MAX_VP = int(np.iinfo(np.int16).max)
MAX_KEYS = 10  # of all town tiles together
MAX_CULT_SPADES = int((TOP_LEVEL // np.maximum(SCORING_STEPS, 1) * SCORING_SPADES).max())


def bits_of(members: Sequence[int]) -> int:
    """Returns the number whose bits are set as listed."""
    return sum(1 << member for member in members)


def read_factions(rows: list[Document], is_draft: bool) -> list[int]:
    """Returns the faction of each seat, `NO_FACTION` where none is chosen.

    Raises:
        ValueError: for an unknown faction, or two of one colour.
    """
    factions: list[int] = []
    for seat, row in enumerate(rows):
        name, place = row["faction"], f"players[{seat}], faction"
        if name is None and is_draft:
            factions.append(NO_FACTION)
            continue
        number = checks.index(name, FACTION_NAMES, place)
        for other in factions:
            if other != NO_FACTION and FACTIONS[other].colour == FACTIONS[number].colour:
                names = f"{FACTION_NAMES[other]} and {FACTION_NAMES[number]}"
                raise ValueError(f"{place}: {names} have the same colour")
        factions.append(number)
    return factions


def read_players(
    rules: TerraMystica, document: Document, factions: list[int], supply: Supply
) -> PlayerStates:
    """Returns the players of a position.

    Args:
        rules: the rules of the game.
        document: the position.
        factions: of the seats.
        supply: common supply of the position.

    Raises:
        ValueError: for a value that is not allowed, or tiles that are held too often.
    """
    rows: list[Document] = document["players"]
    priests = [int((supply.spots == seat + 1).sum()) for seat in range(len(rows))]
    seats = [
        _player(rules, document, row, faction, sent, f"players[{seat}]")
        for seat, (row, faction, sent) in enumerate(zip(rows, factions, priests, strict=True))
    ]
    types = {"vp": np.int16, "favors": np.uint16, "passed": np.bool_}
    fields: dict[str, Any] = {
        name: np.array([seat[name] for seat in seats], types.get(name, np.uint8))
        for name in seats[0]
    }
    _check_shared(fields)
    return PlayerStates(**fields)


def _player(
    rules: TerraMystica, document: Document, row: Document, faction: int, sent: int, place: str
) -> dict[str, Any]:
    """Returns the fields of one seat.

    Args:
        rules: the rules of the game.
        document: the whole position.
        row: the seat's part of it.
        faction: its faction.
        sent: priests on the cult board.
        place: name of the row.
    """
    terms = (
        FACTIONS[faction] if faction != NO_FACTION else Faction("", FACTIONS[0].colour, (0,) * 4)
    )
    limits = {
        "p": (0, PRIESTS_PER_PLAYER - sent),
        "vp": (0, MAX_VP),
        "key": (0, MAX_KEYS),
        "ship": (terms.ship, max(terms.ship, terms.max_ship)),
        "dig": (0, terms.dig_upgrades),
        "range": (terms.range, terms.max_range),
        "spades": (0, MAX_CULT_SPADES),
    }
    fields: dict[str, Any] = {
        name: checks.number(row[key], *limits.get(key, (0, MAX_NUMBER)), f"{place}, {key}")
        for key, name in NUMBERS.items()
    }
    bowls = checks.numbers(row["pw"], 3, 0, POWER_TOKENS, f"{place}, pw")
    if sum(bowls) > POWER_TOKENS:
        raise ValueError(f"{place}, pw: a player has {POWER_TOKENS} power tokens, got {bowls}")
    tiles = TOWN_NAMES if rules.mini_towns else TOWN_NAMES[:NUM_BASE_TOWNS]
    towns = checks.indices(row["tw"], tiles, f"{place}, tw", repeats=int(TOWN_COPIES.max()))
    card = 0
    if row["bon"] != "":
        card = checks.index(row["bon"], list(document["cards"]), f"{place}, bon")
        card = CARD_NAMES.index(row["bon"]) + 1
    used = checks.indices(row["used"], list(USED_NAMES), f"{place}, used")
    return fields | {
        "faction": faction,
        "bowls": bowls,
        "cults": checks.numbers(row["cult"], NUM_CULTS, 0, TOP_LEVEL, f"{place}, cult"),
        "card": card,
        "favors": bits_of(checks.indices(row["fav"], FAVOR_NAMES, f"{place}, fav")),
        "towns": np.bincount(towns, minlength=NUM_TOWNS),
        "used": sum(list(USED_NAMES.values())[index] for index in used),
        "passed": checks.number(row["passed"], 0, 1, f"{place}, passed"),
    }


def _check_shared(fields: dict[str, Any]) -> None:
    """Checks that the seats together do not hold more than there is.

    Raises:
        ValueError: if they do.
    """
    cards = fields["card"][fields["card"] > 0].tolist()
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"players, bon: {CARD_NAMES[card - 1]} is held twice")
    bits = fields["favors"][:, None] >> np.arange(len(FAVOR_NAMES), dtype=np.uint16) & 1
    for names, key, held, copies in (
        (FAVOR_NAMES, "fav", bits.sum(axis=0), FAVOR_COPIES),
        (TOWN_NAMES, "tw", fields["towns"].sum(axis=0), TOWN_COPIES),
    ):
        for name, count, limit in zip(names, held.tolist(), copies.tolist(), strict=True):
            if count > limit:
                raise ValueError(f"players, {key}: {name} has {limit} copies, {count} are held")
    tops = (fields["cults"] == TOP_LEVEL).sum(axis=0)
    for name, count in zip(CULT_NAMES, tops.tolist(), strict=True):
        if count > 1:
            raise ValueError(f"players, cult: {count} players are at the top of {name}")
