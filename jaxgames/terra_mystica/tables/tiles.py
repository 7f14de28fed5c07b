"""Power actions, bonus cards, favor tiles, town tiles, scoring tiles and the cult board.

Source: the appendix of the rules of Terra Mystica (Drögemüller and Ostertag, 2012); BON10, TW6 to
TW8 and SCORE9 from the published add-ons. Tiles have the names of the online platform.
"""

from typing import NamedTuple

import numpy as np

from jaxgames.terra_mystica.tables.factions import Structure

NUM_CULTS = 4
CULT_NAMES = ("FIRE", "WATER", "EARTH", "AIR")
TOP_LEVEL = 10
# Power for going from one level of a cult track to another is a difference of two entries.
CULT_POWER = np.array([0, 0, 0, 1, 1, 3, 3, 5, 5, 5, 8], np.int32)  # by level
SPOT_STEPS = np.array([3, 2, 2, 2], np.int32)  # steps for a priest on each spot of a cult
NUM_SPOTS = len(SPOT_STEPS)
NUM_ROUNDS = 6


class Gain(NamedTuple):
    """What a player receives at once."""

    coins: int = 0
    workers: int = 0
    priests: int = 0
    power: int = 0


class PowerAction(NamedTuple):
    """A power action of the common board."""

    power: int
    gain: Gain = Gain()
    spades: int = 0
    bridges: int = 0


POWER_ACTIONS = (
    PowerAction(3, bridges=1),
    PowerAction(3, Gain(priests=1)),
    PowerAction(4, Gain(workers=2)),
    PowerAction(4, Gain(coins=7)),
    PowerAction(4, spades=1),
    PowerAction(6, spades=2),
)
NUM_POWER_ACTIONS = len(POWER_ACTIONS)


class BonusCard(NamedTuple):
    """A bonus card: income, and what it is worth at passing."""

    income: Gain
    ship: int = 0
    pass_kinds: tuple[Structure, ...] = ()  # structures that score at passing
    pass_vp: int = 0  # for each of them
    pass_ship_vp: int = 0  # for each ship level


BONUS_CARDS = (
    BonusCard(Gain(coins=2)),  # special action: a spade
    BonusCard(Gain(coins=4)),  # special action: a cult step
    BonusCard(Gain(coins=6)),
    BonusCard(Gain(power=3), ship=1),
    BonusCard(Gain(workers=1, power=3)),
    BonusCard(Gain(workers=2), pass_kinds=(Structure.STRONGHOLD, Structure.SANCTUARY), pass_vp=4),
    BonusCard(Gain(workers=1), pass_kinds=(Structure.TRADING_POST,), pass_vp=2),
    BonusCard(Gain(priests=1)),
    BonusCard(Gain(coins=2), pass_kinds=(Structure.DWELLING,), pass_vp=1),
    BonusCard(Gain(power=3), pass_ship_vp=3),
)
NUM_CARDS = len(BONUS_CARDS)  # with BON10, which only the option `bon10` brings into play
NUM_BASE_CARDS = 9
SPADE_CARD, CULT_CARD = 0, 1
CARD_NAMES = tuple(f"BON{number}" for number in range(1, NUM_CARDS + 1))


class FavorTile(NamedTuple):
    """A favor tile: steps on one cult track, copies, income."""

    cult: int
    steps: int
    copies: int = 3
    income: Gain = Gain()


FAVOR_TILES = (
    *(FavorTile(cult, 3, copies=1) for cult in range(NUM_CULTS)),
    FavorTile(0, 2),  # towns need one power less
    FavorTile(1, 2),  # special action: a cult step
    FavorTile(2, 2, income=Gain(workers=1, power=1)),
    FavorTile(3, 2, income=Gain(power=4)),
    FavorTile(0, 1, income=Gain(coins=3)),
    FavorTile(1, 1),  # points for trading posts
    FavorTile(2, 1),  # points for dwellings
    FavorTile(3, 1),  # points for trading posts at passing
)
NUM_FAVORS = len(FAVOR_TILES)
FAVOR_NAMES = tuple(f"FAV{number}" for number in range(1, NUM_FAVORS + 1))
TOWN_FAVOR, CULT_FAVOR, TRADING_FAVOR, DWELLING_FAVOR, PASS_FAVOR = 4, 5, 9, 10, 11
FAVOR_DWELLING_VP, FAVOR_TRADING_VP = 2, 3
FAVOR_PASS_VP = np.array([0, 2, 3, 3, 4], np.int32)  # by trading posts


class TownTile(NamedTuple):
    """A town tile."""

    vp: int
    gain: Gain = Gain()
    cult_steps: int = 0  # on every track
    ship: int = 0
    keys: int = 1
    copies: int = 2


TOWN_TILES = (
    TownTile(5, Gain(coins=6)),
    TownTile(7, Gain(workers=2)),
    TownTile(9, Gain(priests=1)),
    TownTile(6, Gain(power=8)),
    TownTile(8, cult_steps=1),
    TownTile(2, cult_steps=2, keys=2, copies=1),
    TownTile(4, ship=1),
    TownTile(11, copies=1),
)
NUM_TOWNS = len(TOWN_TILES)
NUM_BASE_TOWNS = 5
TOWN_NAMES = tuple(f"TW{number}" for number in range(1, NUM_TOWNS + 1))
TOWN_SIZE, TOWN_POWER = 4, 7  # structures (a sanctuary counts twice) and power that a town needs


class ScoringTile(NamedTuple):
    """A scoring tile: points during its round, and the cult bonus after it."""

    cult: int  # track that its bonus counts; NUM_CULTS: priests on the cult board
    steps: int  # levels for each bonus
    gain: Gain = Gain()
    spades: int = 0
    spade_vp: int = 0
    town_vp: int = 0
    built: tuple[Structure, ...] = ()  # structures that score
    built_vp: int = 0


SCORING_TILES = (
    ScoringTile(2, 1, Gain(coins=1), spade_vp=2),
    ScoringTile(2, 4, spades=1, town_vp=5),
    ScoringTile(1, 4, Gain(priests=1), built=(Structure.DWELLING,), built_vp=2),
    ScoringTile(
        0, 2, Gain(workers=1), built=(Structure.STRONGHOLD, Structure.SANCTUARY), built_vp=5
    ),
    ScoringTile(0, 4, Gain(power=4), built=(Structure.DWELLING,), built_vp=2),
    ScoringTile(1, 4, spades=1, built=(Structure.TRADING_POST,), built_vp=3),
    ScoringTile(
        3, 2, Gain(workers=1), built=(Structure.STRONGHOLD, Structure.SANCTUARY), built_vp=5
    ),
    ScoringTile(3, 4, spades=1, built=(Structure.TRADING_POST,), built_vp=3),
    ScoringTile(NUM_CULTS, 1, Gain(coins=2), built=(Structure.TEMPLE,), built_vp=4),
)
NUM_SCORING = len(SCORING_TILES)  # with SCORE9, which only the option `score9` brings into play
NUM_BASE_SCORING = 8
SPADE_SCORING = 0  # SCORE1, not allowed in the last two rounds
LAST_SPADE_SCORING_ROUND = 4
SCORING_NAMES = tuple(f"SCORE{number}" for number in range(1, NUM_SCORING + 1))


def by_kind(kinds: tuple[Structure, ...], vp: int) -> list[int]:
    """Returns `[5]` points for each kind of structure."""
    return [vp * (kind in kinds) for kind in Structure]


CARD_INCOME = np.array([card.income for card in BONUS_CARDS], np.int32)  # [10, 4]
CARD_SHIP = np.array([card.ship for card in BONUS_CARDS], np.int32)
CARD_PASS_VP = np.array([by_kind(c.pass_kinds, c.pass_vp) for c in BONUS_CARDS], np.int32)
CARD_PASS_SHIP_VP = np.array([card.pass_ship_vp for card in BONUS_CARDS], np.int32)
FAVOR_CULT = np.array([tile.cult for tile in FAVOR_TILES], np.int32)
FAVOR_STEPS = np.array([tile.steps for tile in FAVOR_TILES], np.int32)
FAVOR_COPIES = np.array([tile.copies for tile in FAVOR_TILES], np.int32)
FAVOR_INCOME = np.array([tile.income for tile in FAVOR_TILES], np.int32)  # [12, 4]
TOWN_VP = np.array([tile.vp for tile in TOWN_TILES], np.int32)
TOWN_GAIN = np.array([tile.gain for tile in TOWN_TILES], np.int32)  # [8, 4]
TOWN_CULT_STEPS = np.array([tile.cult_steps for tile in TOWN_TILES], np.int32)
TOWN_SHIP = np.array([tile.ship for tile in TOWN_TILES], np.int32)
TOWN_KEYS = np.array([tile.keys for tile in TOWN_TILES], np.int32)
TOWN_COPIES = np.array([tile.copies for tile in TOWN_TILES], np.int32)
SCORING_CULT = np.array([tile.cult for tile in SCORING_TILES], np.int32)
SCORING_STEPS = np.array([tile.steps for tile in SCORING_TILES], np.int32)
SCORING_GAIN = np.array([tile.gain for tile in SCORING_TILES], np.int32)  # [9, 4]
SCORING_SPADES = np.array([tile.spades for tile in SCORING_TILES], np.int32)
SCORING_SPADE_VP = np.array([tile.spade_vp for tile in SCORING_TILES], np.int32)
SCORING_TOWN_VP = np.array([tile.town_vp for tile in SCORING_TILES], np.int32)
SCORING_BUILT_VP = np.array([by_kind(t.built, t.built_vp) for t in SCORING_TILES], np.int32)
POWER_ACTION_COST = np.array([action.power for action in POWER_ACTIONS], np.int32)
POWER_ACTION_GAIN = np.array([action.gain for action in POWER_ACTIONS], np.int32)  # [6, 4]
POWER_ACTION_SPADES = np.array([action.spades for action in POWER_ACTIONS], np.int32)
POWER_ACTION_BRIDGES = np.array([action.bridges for action in POWER_ACTIONS], np.int32)

AREA_VP = (18, 12, 6)  # for the largest networks
CULT_VP = (8, 4, 2)  # for the highest levels of each cult
