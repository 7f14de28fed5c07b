"""The 14 faction boards: start, costs, income and abilities, a row each.

Source: the faction boards and the appendix of the rules of Terra Mystica (Drögemüller and
Ostertag, 2012). An ability is a column of this table and a number in a formula of the rules; no
rule asks for the faction itself.
"""

import enum
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Array

from jaxgames.internal.messages import unknown
from jaxgames.terra_mystica.tables.terrain import Colour


class Structure(enum.IntEnum):
    """Kinds of structures."""

    DWELLING = 0
    TRADING_POST = 1
    TEMPLE = 2
    STRONGHOLD = 3
    SANCTUARY = 4


NUM_STRUCTURES = len(Structure)
STRUCTURE_NAMES = ("D", "TP", "TE", "SH", "SA")
STOCK = np.array([8, 4, 3, 1, 1], np.int32)  # pieces of each kind that a player has
POWER_VALUE = np.array([1, 2, 2, 3, 3], np.int32)  # power value of each kind
MAX_COUNT = int(STOCK.max())

BRIDGES_PER_PLAYER = 3
PRIESTS_PER_PLAYER = 7
POWER_TOKENS = 12
START_VP = 20


class Special(enum.IntEnum):
    """Special actions of strongholds."""

    NONE = 0
    CULT_STEPS = 1  # ACTA: two steps on one cult track
    DOUBLE_TURN = 2  # ACTC: two actions in succession
    SPADES = 3  # ACTG: two spades
    SANDSTORM = 4  # ACTN: turn a neighbouring hex into the home terrain, then perhaps build
    TRADING_POST = 5  # ACTS: turn a dwelling into a trading post
    RIDE = 6  # ACTW: a dwelling on any free hex of the home terrain


SPECIAL_NAMES = ("", "ACTA", "ACTC", "ACTG", "ACTN", "ACTS", "ACTW")


class Faction(NamedTuple):
    """One faction board. Defaults are what most factions have."""

    name: str
    colour: Colour
    cults: tuple[int, int, int, int]  # start on fire, water, earth, air
    coins: int = 15
    workers: int = 3
    priests: int = 0
    bowls: tuple[int, int, int] = (5, 7, 0)
    first_dwellings: int = 2
    ship: int = 0
    max_ship: int = 3  # 0: cannot ship
    dig_upgrades: int = 2
    dig_coins: int = 5  # coins of a dig upgrade, besides 2 workers and a priest

    # Costs as (workers, coins).
    dwelling: tuple[int, int] = (1, 2)
    trading_post: tuple[int, int] = (2, 3)  # beside an opponent
    lone_trading_post: tuple[int, int] = (2, 6)
    temple: tuple[int, int] = (2, 5)
    stronghold: tuple[int, int] = (4, 6)
    sanctuary: tuple[int, int] = (4, 6)

    # Income, cumulative by the number of structures on the board.
    dwelling_workers: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 8)  # 0 to 8 dwellings
    trading_coins: tuple[int, ...] = (2, 4, 6, 8)
    trading_power: tuple[int, ...] = (1, 2, 4, 6)
    temple_priests: tuple[int, ...] = (1, 2, 3)
    temple_power: tuple[int, ...] = (0, 0, 0)
    stronghold_income: tuple[int, int, int, int] = (0, 0, 0, 2)  # coins, workers, priests, power
    sanctuary_priests: int = 1

    # Abilities.
    fixed_spades: int = 0  # spades of any terraforming, and only to home; 0: as the wheel says
    pays_spades_with_priests: bool = False
    vp_per_paid_spade: int = 0
    vp_per_spade: int = 0
    spade_power: int = 0  # power for each spade, once the stronghold stands
    tunnel: tuple[int, int] = (0, 0)  # (workers, priests) to skip a hex
    tunnel_workers_saved: int = 0  # once the stronghold stands
    tunnel_vp: int = 0
    range: int = 0  # hexes that may be skipped; 0: cannot
    max_range: int = 0
    favors_per_tile: int = 1  # favor tiles for a temple or sanctuary
    town_vp: int = 0
    town_workers: int = 0
    skips_river: bool = False  # may found a town across one river hex
    bridge_workers: int = 0  # price of a bridge as an action (ACTE); 0: there is none
    bridge_vp: int = 0  # for each own bridge between own structures, at passing with stronghold
    trades_vp: bool = False  # 1 VP for 1 coin, 2 coins for 1 VP
    final_coins_per_vp: int = 3
    reacts_to_leech: bool = False  # cult step when an opponent takes power, power when none does

    # What building the stronghold brings at once.
    stronghold_power: int = 0
    stronghold_vp: int = 0
    stronghold_favors: int = 0
    stronghold_spades: int = 0
    stronghold_ship: int = 0
    stronghold_range: int = 0
    stronghold_priests: int = 0  # workers that may become priests
    special: Special = Special.NONE


FACTIONS = (
    Faction(
        name="alchemists",
        colour=Colour.BLACK,
        cults=(1, 1, 0, 0),
        trading_coins=(2, 4, 7, 11),
        trading_power=(1, 2, 3, 4),
        stronghold_income=(6, 0, 0, 0),
        stronghold_power=12,
        spade_power=2,
        trades_vp=True,
        final_coins_per_vp=2,
    ),
    Faction(
        name="auren",
        colour=Colour.GREEN,
        cults=(0, 1, 0, 1),
        sanctuary=(4, 8),
        stronghold_favors=1,
        special=Special.CULT_STEPS,
    ),
    Faction(
        name="chaosmagicians",
        colour=Colour.RED,
        cults=(2, 0, 0, 0),
        workers=4,
        first_dwellings=1,
        stronghold=(4, 4),
        sanctuary=(4, 8),
        stronghold_income=(0, 2, 0, 0),
        favors_per_tile=2,
        special=Special.DOUBLE_TURN,
    ),
    Faction(
        name="cultists",
        colour=Colour.BROWN,
        cults=(1, 0, 1, 0),
        stronghold=(4, 8),
        sanctuary=(4, 8),
        stronghold_vp=7,
        reacts_to_leech=True,
    ),
    Faction(
        name="darklings",
        colour=Colour.BLACK,
        cults=(0, 1, 1, 0),
        workers=1,
        priests=1,
        dig_upgrades=0,
        sanctuary=(4, 10),
        sanctuary_priests=2,
        pays_spades_with_priests=True,
        vp_per_paid_spade=2,
        stronghold_priests=3,
    ),
    Faction(
        name="dwarves",
        colour=Colour.GRAY,
        cults=(0, 0, 2, 0),
        max_ship=0,
        trading_coins=(3, 5, 7, 10),
        tunnel=(2, 0),
        tunnel_workers_saved=1,
        tunnel_vp=4,
        range=1,
        max_range=1,
    ),
    Faction(
        name="engineers",
        colour=Colour.GRAY,
        cults=(0, 0, 0, 0),
        coins=10,
        workers=2,
        bowls=(3, 9, 0),
        dwelling=(1, 1),
        trading_post=(1, 2),
        lone_trading_post=(1, 4),
        temple=(1, 4),
        stronghold=(3, 6),
        sanctuary=(3, 6),
        dwelling_workers=(0, 1, 2, 2, 3, 4, 4, 5, 6),
        temple_priests=(1, 1, 2),
        temple_power=(0, 5, 5),
        bridge_workers=2,
        bridge_vp=3,
    ),
    Faction(
        name="fakirs",
        colour=Colour.YELLOW,
        cults=(1, 0, 0, 1),
        bowls=(7, 5, 0),
        max_ship=0,
        dig_upgrades=1,
        stronghold=(4, 10),
        stronghold_income=(0, 0, 1, 0),
        tunnel=(0, 1),
        tunnel_vp=4,
        range=1,
        max_range=4,
        stronghold_range=1,
    ),
    Faction(
        name="giants",
        colour=Colour.RED,
        cults=(1, 0, 0, 1),
        stronghold_income=(0, 0, 0, 4),
        fixed_spades=2,
        special=Special.SPADES,
    ),
    Faction(
        name="halflings",
        colour=Colour.BROWN,
        cults=(0, 0, 1, 1),
        bowls=(3, 9, 0),
        dig_coins=1,
        stronghold=(4, 8),
        vp_per_spade=1,
        stronghold_spades=3,
    ),
    Faction(
        name="mermaids",
        colour=Colour.BLUE,
        cults=(0, 2, 0, 0),
        bowls=(3, 9, 0),
        ship=1,
        max_ship=5,
        sanctuary=(4, 8),
        stronghold_income=(0, 0, 0, 4),
        stronghold_ship=1,
        skips_river=True,
    ),
    Faction(
        name="nomads",
        colour=Colour.YELLOW,
        cults=(1, 0, 1, 0),
        workers=2,
        first_dwellings=3,
        stronghold=(4, 8),
        trading_coins=(2, 4, 7, 11),
        trading_power=(1, 2, 3, 4),
        special=Special.SANDSTORM,
    ),
    Faction(
        name="swarmlings",
        colour=Colour.BLUE,
        cults=(1, 1, 1, 1),
        coins=20,
        workers=8,
        bowls=(3, 9, 0),
        dwelling=(2, 3),
        trading_post=(3, 4),
        lone_trading_post=(3, 8),
        temple=(3, 6),
        stronghold=(5, 8),
        sanctuary=(5, 8),
        dwelling_workers=(2, 3, 4, 5, 6, 7, 8, 9, 9),
        trading_coins=(2, 4, 6, 9),
        trading_power=(2, 4, 6, 8),
        stronghold_income=(0, 0, 0, 4),
        sanctuary_priests=2,
        town_workers=3,
        special=Special.TRADING_POST,
    ),
    Faction(
        name="witches",
        colour=Colour.GREEN,
        cults=(0, 0, 0, 2),
        town_vp=5,
        special=Special.RIDE,
    ),
)
NUM_FACTIONS = len(FACTIONS)
FACTION_NAMES = tuple(faction.name for faction in FACTIONS)


def column(name: str) -> np.ndarray:
    """Returns a field of all factions, as `[14]` or `[14, n]` int32."""
    return np.array([getattr(faction, name) for faction in FACTIONS], np.int32)


class Columns(NamedTuple):
    """Columns of `FACTIONS` as `[14]` or `[14, n]` int32 NumPy arrays; also one row of them.

    It has the fields of `Faction` that the rules read unchanged.
    """

    colour: Array
    cults: Array
    coins: Array
    workers: Array
    priests: Array
    bowls: Array
    first_dwellings: Array
    ship: Array
    max_ship: Array
    dig_upgrades: Array
    dig_coins: Array
    pays_spades_with_priests: Array
    vp_per_paid_spade: Array
    vp_per_spade: Array
    spade_power: Array
    tunnel: Array
    tunnel_workers_saved: Array
    tunnel_vp: Array
    range: Array
    max_range: Array
    favors_per_tile: Array
    town_vp: Array
    town_workers: Array
    skips_river: Array
    bridge_workers: Array
    bridge_vp: Array
    trades_vp: Array
    final_coins_per_vp: Array
    reacts_to_leech: Array
    stronghold_power: Array
    stronghold_vp: Array
    stronghold_favors: Array
    stronghold_spades: Array
    stronghold_ship: Array
    stronghold_range: Array
    stronghold_priests: Array
    special: Array


_columns: list[Any] = [column(name) for name in Columns._fields]
COLUMNS = Columns(*_columns)
"""All factions: every field has a leading axis of 14."""


def find_faction(name: str) -> int:
    """Returns the number of a faction.

    Raises:
        ValueError: for a name that no faction has; lists them, and offers the nearest.
    """
    if name not in FACTION_NAMES:
        raise ValueError(unknown("faction", name, FACTION_NAMES))
    return FACTION_NAMES.index(name)
