"""Prices, income, spades and ship levels of each faction, as arrays over the faction boards.

Source: the faction boards of Terra Mystica (Drögemüller and Ostertag, 2012).
"""

import enum

import numpy as np

from jaxgames.terra_mystica.tables.factions import (
    FACTIONS,
    MAX_COUNT,
    NUM_FACTIONS,
    NUM_STRUCTURES,
    Structure,
    column,
)
from jaxgames.terra_mystica.tables.terrain import NUM_COLOURS, Colour


class Price(enum.IntEnum):
    """Rows of `PRICES`."""

    DWELLING = 0
    TRADING_POST = 1  # beside an opponent
    LONE_TRADING_POST = 2
    TEMPLE = 3
    STRONGHOLD = 4
    SANCTUARY = 5


PRICES = np.stack([column(price.name.lower()) for price in Price], axis=1)
"""`[14, 6, 2]` workers and coins of each structure."""


class Good(enum.IntEnum):
    """The resources of incomes, prices and gains."""

    COINS = 0
    WORKERS = 1
    PRIESTS = 2
    POWER = 3


NUM_RESOURCES = len(Good)


def _income_table() -> np.ndarray:
    income = np.zeros((NUM_FACTIONS, NUM_STRUCTURES, MAX_COUNT + 1, NUM_RESOURCES), np.int32)
    for row, faction in zip(income, FACTIONS, strict=True):
        row[Structure.DWELLING, :, Good.WORKERS] = faction.dwelling_workers
        row[Structure.TRADING_POST, 1:5, Good.COINS] = faction.trading_coins
        row[Structure.TRADING_POST, 1:5, Good.POWER] = faction.trading_power
        row[Structure.TEMPLE, 1:4, Good.PRIESTS] = faction.temple_priests
        row[Structure.TEMPLE, 1:4, Good.POWER] = faction.temple_power
        row[Structure.STRONGHOLD, 1] = faction.stronghold_income
        row[Structure.SANCTUARY, 1, Good.PRIESTS] = faction.sanctuary_priests
    return income


INCOME = _income_table()
"""`[14, 5, 9, 4]` income of each kind of structure by its number on the board; 0 where unused."""


def _spade_table() -> np.ndarray:
    spades = np.zeros((NUM_FACTIONS, NUM_COLOURS, NUM_COLOURS), np.int32)
    for row, faction in zip(spades, FACTIONS, strict=True):
        home = faction.colour
        for start in Colour:
            for end in Colour:
                if start == end:
                    continue
                clockwise = (end - start) % NUM_COLOURS
                counter = NUM_COLOURS - clockwise
                if faction.fixed_spades:
                    row[start, end] = faction.fixed_spades if end == home else 0
                elif home in (start, end):
                    row[start, end] = min(clockwise, counter)
                else:
                    # Terraforming stops at the home terrain, so the way that avoids it is taken.
                    passes_home = (home - start) % NUM_COLOURS < clockwise
                    row[start, end] = counter if passes_home else clockwise
    return spades


SPADES = _spade_table()
"""`[14, 7, 7]` spades for terraforming, by faction, old and new colour; 0 if it is impossible."""

WORKERS_PER_SPADE = np.array([3, 2, 1], np.int32)  # by dig level
DIG_WORKERS, DIG_PRIESTS, DIG_VP = 2, 1, 6
SHIP_COINS, SHIP_PRIESTS = 4, 1


def _ship_vp() -> np.ndarray:
    table = np.zeros((NUM_FACTIONS, 7), np.int32)
    for row, faction in zip(table, FACTIONS, strict=True):
        levels = range(faction.ship + 1, faction.max_ship + 1)
        for step, level in enumerate(levels):
            row[level] = 2 + step
    return table


SHIP_VP = _ship_vp()
"""`[14, 7]` points for reaching each ship level; 0 where a faction cannot get there."""
