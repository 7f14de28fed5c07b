"""What tiles, cards, action spaces and cults of Terra Mystica do, in words.

The words come from the tables of the rules, so that a change of a number changes the words.
"""

from jaxgames.internal.sentences import count, joined, listed, spaced
from jaxgames.terra_mystica.engine.actions import CONVERSIONS
from jaxgames.terra_mystica.tables.factions import POWER_VALUE, STRUCTURE_NAMES, Structure
from jaxgames.terra_mystica.tables.tiles import (
    BONUS_CARDS,
    CARD_NAMES,
    CULT_CARD,
    CULT_FAVOR,
    CULT_NAMES,
    CULT_POWER,
    CULT_VP,
    DWELLING_FAVOR,
    FAVOR_DWELLING_VP,
    FAVOR_NAMES,
    FAVOR_PASS_VP,
    FAVOR_TILES,
    FAVOR_TRADING_VP,
    NUM_CULTS,
    PASS_FAVOR,
    POWER_ACTIONS,
    SCORING_NAMES,
    SCORING_TILES,
    SPADE_CARD,
    SPOT_STEPS,
    TOP_LEVEL,
    TOWN_FAVOR,
    TOWN_NAMES,
    TOWN_POWER,
    TOWN_SIZE,
    TOWN_TILES,
    TRADING_FAVOR,
    Gain,
)
from jaxgames.terra_mystica.text.faction_words import factions, stronghold_actions

_CULT_STEP = "special action, once a round: one step on a cult"
_SPADE = "special action, once a round: one spade"
_GOODS = ("coin", "worker", "priest")
_POWER = len(_GOODS)  # place of power in the price of a conversion

_MOVES = {
    "transform": "turns a hex into another terrain, by spades",
    "build": "puts a dwelling on a hex of the home terrain",
    "upgrade": "replaces a structure by a larger one",
    "connect": "founds a town across a river hex",
    "send": "a priest goes to a cult for this many steps",
    "advance": "raises the level of shipping or digging for good",
    "pass": "ends the round for you: you get the points of your card and take another one",
    "leech": "takes the power that a structure of an opponent offers, for one point less",
    "decline": "leaves the power that is offered, and keeps the points",
    "burn": "moves a token from bowl II to III and takes another one out of the game",
    "convert": "exchanges goods, at any time in your turn",
    "dig": "buys a spade before the hex is named",
    "end": "ends the turn, or gives up the rest of a choice",
}


def _conversions() -> str:
    """Returns what power is converted to: `1 power for a coin`."""
    found = [one for one in CONVERSIONS if one.price[_POWER]]
    names = [good for one in found for good, n in zip(_GOODS, one.gain, strict=False) if n]
    return listed(
        (f"{one.price[_POWER]} for a {name}" for one, name in zip(found, names, strict=True)), "or"
    )


def gains(gain: Gain, sign: str = "+") -> list[str]:
    """Returns what a player receives, in words: `+2 workers`, `+4 power`."""
    words = [sign + count(n, good) for n, good in zip(gain[:3], _GOODS, strict=True) if n]
    return words + ([f"{sign}{gain.power} power"] if gain.power else [])


def power_action(number: int) -> str:
    """Returns what a power action costs and gives."""
    action = POWER_ACTIONS[number]
    effect = gains(action.gain)
    effect += [count(action.spades, "spade")] if action.spades else []
    effect += [count(action.bridges, "bridge")] if action.bridges else []
    return joined(
        f"{action.power} power: {listed(effect)}", "once a round for all players together"
    )


def bonus_card(number: int) -> str:
    """Returns the income of a bonus card, its action, and its points at passing."""
    card = BONUS_CARDS[number]
    action = {SPADE_CARD: _SPADE, CULT_CARD: _CULT_STEP}.get(number, "")
    ship = f"+{card.ship} shipping while you hold it" if card.ship else ""
    points = ""
    if card.pass_vp:
        points = f"at passing: {_points(card.pass_vp)} for each {_kinds(card.pass_kinds)}"
    if card.pass_ship_vp:
        points = f"at passing: {_points(card.pass_ship_vp)} for each level of shipping"
    return joined(f"income: {listed(gains(card.income))}", action, ship, points)


def favor_tile(number: int) -> str:
    """Returns the steps of a favor tile on its cult, and its effect."""
    tile = FAVOR_TILES[number]
    low_to_high = ", ".join(str(vp) for vp in FAVOR_PASS_VP[1:].tolist())
    effects = {
        TOWN_FAVOR: f"towns need a power of {TOWN_POWER - 1} only, not {TOWN_POWER}",
        CULT_FAVOR: _CULT_STEP,
        TRADING_FAVOR: f"{_points(FAVOR_TRADING_VP)} for each trading post that you build",
        DWELLING_FAVOR: f"{_points(FAVOR_DWELLING_VP)} for each dwelling that you build",
        PASS_FAVOR: f"at passing: {low_to_high} points for 1, 2, 3, 4 trading posts",
    }
    income = gains(tile.income)
    return joined(
        f"{_steps(tile.steps)} on the {CULT_NAMES[tile.cult].lower()} cult",
        f"income: {listed(income)}" if income else "",
        effects.get(number, ""),
    )


def town_tile(number: int) -> str:
    """Returns what a town tile brings at once."""
    tile = TOWN_TILES[number]
    effect = [_points(tile.vp), *gains(tile.gain)]
    effect += [f"{_steps(tile.cult_steps)} on every cult"] if tile.cult_steps else []
    effect += ["a level of shipping"] if tile.ship else []
    effect.append(count(tile.keys, "key"))
    return joined(f"for founding a town: {listed(effect)}")


def scoring_tile(number: int) -> str:
    """Returns the points of a scoring tile during its round, and the cult bonus after it."""
    tile = SCORING_TILES[number]
    if tile.spade_vp:
        during = f"{_points(tile.spade_vp)} for each spade"
    elif tile.town_vp:
        during = f"{_points(tile.town_vp)} for each town"
    else:
        during = f"{_points(tile.built_vp)} for each {_kinds(tile.built)} that is built"
    bonus = gains(tile.gain) + ([count(tile.spades, "spade")] if tile.spades else [])
    if tile.cult == NUM_CULTS:
        per = "each priest on the cult board"
    else:
        levels = "each level" if tile.steps == 1 else f"every {tile.steps} levels"
        per = f"{levels} on the {CULT_NAMES[tile.cult].lower()} cult"
    return joined(f"in this round: {during}", f"at its end: {listed(bonus)} for {per}")


def cult(number: int) -> str:
    """Returns what steps on a cult bring, and its points at the end of the game."""
    del number  # all four are alike
    power = CULT_POWER.tolist()
    rising = [n for n in range(1, TOP_LEVEL + 1) if power[n] > power[n - 1]]
    reached = listed(f"{power[n] - power[n - 1]} at {n}" for n in rising)
    spots = SPOT_STEPS.tolist()
    return joined(
        f"power for reaching a level: {reached}",
        f"level {TOP_LEVEL} needs a key and has room for one player",
        f"a priest who stays brings {spots[0]} steps on the first spot and {spots[1]} on the "
        "others; one who returns brings 1",
        f"at the end of the game: {listed(map(str, CULT_VP))} points for the highest levels",
    )


def structure(kind: Structure) -> str:
    """Returns what a kind of structure is good for, whoever owns it."""
    uses = {
        Structure.DWELLING: "brings workers; it can become a trading post",
        Structure.TRADING_POST: "brings coins and power; it can become a temple or the stronghold, "
        "and costs less beside an opponent",
        Structure.TEMPLE: "brings priests, and a favor tile at once; it can become the sanctuary",
        Structure.STRONGHOLD: "brings the special ability of its faction",
        Structure.SANCTUARY: "brings priests, and a favor tile at once; it counts as two "
        "structures of a town",
    }
    return joined(uses[kind], f"power value {POWER_VALUE[kind]}")


TOWN = joined(
    f"{TOWN_SIZE} connected structures with a power value of {TOWN_POWER} in all found a town: "
    "its owner takes a town tile"
)
POWER = joined(
    "gained power moves from bowl I to II, and from II to III once I is empty",
    f"in bowl III it can be spent: {_conversions()}",
    "burning moves a token from II to III and takes another one out of the game",
)
RIVER = joined("nobody builds here; shipping leads across it, and bridges from side to side")
BRIDGE = joined("joins two hexes across the river, which are then adjacent for all players")


def glossary() -> dict[str, dict[str, str]]:
    """Returns everything that has a name in moves, with what it does."""
    structures = {
        STRUCTURE_NAMES[kind]: f"{spaced(kind.name).capitalize()}: {structure(kind)}"
        for kind in Structure
    }
    return {
        "Power actions": {f"ACT{n + 1}": power_action(n) for n in range(len(POWER_ACTIONS))},
        "Actions of strongholds": stronghold_actions(),
        "Bonus cards": {name: bonus_card(number) for number, name in enumerate(CARD_NAMES)},
        "Favor tiles": {name: favor_tile(number) for number, name in enumerate(FAVOR_NAMES)},
        "Town tiles": {name: town_tile(number) for number, name in enumerate(TOWN_NAMES)},
        "Scoring tiles": {name: scoring_tile(number) for number, name in enumerate(SCORING_NAMES)},
        "Cults": {name: cult(number) for number, name in enumerate(CULT_NAMES)},
        "Structures": {**structures, "town": TOWN, "bridge": BRIDGE},
        "Factions": factions(),
        "Moves": {name: joined(words) for name, words in _MOVES.items()},
    }


def _points(number: int) -> str:
    return count(int(number), "point")


def _steps(number: int) -> str:
    return count(number, "step")


def _kinds(kinds: tuple[Structure, ...]) -> str:
    return listed((spaced(kind.name) for kind in kinds), "and each")
