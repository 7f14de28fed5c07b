"""The factions of Terra Mystica in words: abilities, strongholds, prices and income.

The words come from the columns of the table of factions, as the rules do.
"""

from jaxgames.internal.sentences import count, joined, listed, spaced
from jaxgames.terra_mystica.tables.costs import (
    DIG_PRIESTS,
    DIG_VP,
    DIG_WORKERS,
    INCOME,
    PRICES,
    SHIP_COINS,
    SHIP_PRIESTS,
    SHIP_VP,
    SPADES,
    WORKERS_PER_SPADE,
    Good,
    Price,
)
from jaxgames.terra_mystica.tables.factions import (
    FACTIONS,
    SPECIAL_NAMES,
    STOCK,
    Faction,
    Special,
    Structure,
)
from jaxgames.terra_mystica.tables.terrain import Colour

TERRAINS = {
    Colour.YELLOW: "desert",
    Colour.BROWN: "plains",
    Colour.BLACK: "swamp",
    Colour.BLUE: "lakes",
    Colour.GREEN: "forest",
    Colour.GRAY: "mountains",
    Colour.RED: "wasteland",
}
_SPECIALS = {
    Special.CULT_STEPS: "2 steps on one cult",
    Special.DOUBLE_TURN: "two actions in succession",
    Special.SPADES: "2 spades",
    Special.SANDSTORM: "a hex beside its own structures becomes home terrain, and may be built on",
    Special.TRADING_POST: "a dwelling becomes a trading post for nothing",
    Special.RIDE: "a dwelling on any free hex of the home terrain, for nothing",
}
_BRIDGE_ACTION = "ACTE"


def stronghold_actions() -> dict[str, str]:
    """Returns the special actions of strongholds by their name in moves."""
    words = {
        SPECIAL_NAMES[special]: joined(_SPECIALS[special], "once a round") for special in _SPECIALS
    }
    workers = max(faction.bridge_workers for faction in FACTIONS)
    return words | {_BRIDGE_ACTION: joined(f"a bridge for {count(workers, 'worker')}, at will")}


def factions() -> dict[str, str]:
    """Returns abilities and stronghold of each faction, by name."""
    return {faction.name: describe(number) for number, faction in enumerate(FACTIONS)}


def describe(number: int) -> str:
    """Returns home terrain, abilities and stronghold of a faction."""
    faction = FACTIONS[number]
    always, later = _abilities(faction), _stronghold(faction)
    return joined(
        f"home terrain: {TERRAINS[faction.colour]} ({faction.colour.name.lower()})",
        *always,
        f"with the stronghold: {'; '.join(later)}" if later else "",
    )


def _abilities(faction: Faction) -> list[str]:
    """Returns what a faction can do from the beginning, a sentence each."""
    found = []
    if faction.fixed_spades:
        found.append(
            f"terraforming takes {count(faction.fixed_spades, 'spade')}, and leads home only"
        )
    if faction.pays_spades_with_priests:
        found.append("spades cost a priest each, not workers, and digging does not advance")
    if faction.vp_per_paid_spade:
        found.append(f"{count(faction.vp_per_paid_spade, 'point')} for each spade that is paid for")
    if faction.vp_per_spade:
        found.append(f"{count(faction.vp_per_spade, 'point')} for each spade")
    if faction.range:
        workers, priests = faction.tunnel
        price = count(workers, "worker") if workers else count(priests, "priest")
        skipped = f"may skip a hex once in an action for {price}"
        found.append(f"{skipped}, which brings {count(faction.tunnel_vp, 'point')}; has no ships")
    if faction.favors_per_tile > 1:
        found.append(f"{count(faction.favors_per_tile, 'favor tile')} for a temple or sanctuary")
    if faction.town_vp:
        found.append(f"{count(faction.town_vp, 'point')} more for each town")
    if faction.town_workers:
        found.append(f"{count(faction.town_workers, 'worker')} for each town")
    if faction.skips_river:
        found.append("may found towns across one river hex")
    if faction.bridge_workers:
        found.append(
            f"may build a bridge for {count(faction.bridge_workers, 'worker')} as an action"
        )
    if faction.trades_vp:
        found.append("may trade a point for a coin, and 2 coins for a point")
    if faction.reacts_to_leech:
        found.append(
            "when an opponent takes power because of them, they take a cult step; when all who "
            "could decline, they gain a power"
        )
    if faction.first_dwellings != Faction._field_defaults["first_dwellings"]:
        found.append(f"{count(faction.first_dwellings, 'dwelling')} at the beginning")
    return found


def _stronghold(faction: Faction) -> list[str]:
    """Returns what the stronghold of a faction brings, besides income."""
    found = [
        f"at once {words}"
        for number, words in (
            (faction.stronghold_power, f"{faction.stronghold_power} power"),
            (faction.stronghold_vp, count(faction.stronghold_vp, "point")),
            (faction.stronghold_favors, count(faction.stronghold_favors, "favor tile")),
            (faction.stronghold_spades, count(faction.stronghold_spades, "spade")),
            (faction.stronghold_ship, f"{count(faction.stronghold_ship, 'level')} of shipping"),
            (
                faction.stronghold_priests,
                f"up to {count(faction.stronghold_priests, 'worker')} may become priests",
            ),
        )
        if number
    ]
    if faction.spade_power:
        found.append(f"{faction.spade_power} power for each spade")
    if faction.tunnel_workers_saved:
        found.append(f"tunnels cost {count(faction.tunnel_workers_saved, 'worker')} less")
    if faction.stronghold_range:
        found.append(f"may skip {count(faction.stronghold_range, 'hex', 'hexes')} more")
    if faction.bridge_vp:
        found.append(
            f"at passing {count(faction.bridge_vp, 'point')} for each bridge "
            "between two of its structures"
        )
    if faction.special:
        name = SPECIAL_NAMES[faction.special]
        found.append(f"{name}, once a round: {_SPECIALS[faction.special]}")
    return found


def built(number: int, kind: Structure) -> str:
    """Returns the price of a kind of structure for a faction, and the income with each number."""
    income = INCOME[number, kind, : int(STOCK[kind]) + 1]
    lines = [
        f"{listed_goods}: {', '.join(map(str, income[:, good].tolist()))}"
        for good, listed_goods in ((good, good.name.lower()) for good in Good)
        if income[:, good].any()
    ]
    counted = f"income with 0 to {STOCK[kind]} of them: {'; '.join(lines)}" if lines else ""
    return joined(f"costs {price(number, kind)}", counted)


def price(number: int, kind: Structure) -> str:
    """Returns the workers and coins of a structure for a faction."""
    prices = PRICES[number].tolist()
    workers, coins = prices[Price[kind.name]]
    words = f"{count(workers, 'worker')} and {count(coins, 'coin')}"
    if kind == Structure.TRADING_POST:
        words += f", {count(prices[Price.LONE_TRADING_POST][1], 'coin')} without a neighbour"
    return words


def terraforming(number: int, colour: int, dig: int) -> str:
    """Returns what a faction needs to make a terrain its home, at a level of digging."""
    faction = FACTIONS[number]
    if colour == faction.colour:
        return joined(f"home terrain of the {faction.name}")
    spades = int(SPADES[number, colour, faction.colour])
    cost = (
        count(spades, "priest")
        if faction.pays_spades_with_priests
        else count(spades * int(WORKERS_PER_SPADE[dig]), "worker")
    )
    return joined(f"{count(spades, 'spade')} ({cost}) make it home for the {faction.name}")


def shipping(number: int, level: int) -> str:
    """Returns what a level of shipping allows, and what the next one costs and brings."""
    reach = (
        f"builds across {count(level, 'river hex', 'river hexes')}" if level else "no shipping yet"
    )
    if level >= FACTIONS[number].max_ship:
        return joined(reach, "this is the highest level")
    cost = f"{count(SHIP_COINS, 'coin')} and {count(SHIP_PRIESTS, 'priest')}"
    points = count(int(SHIP_VP[number, level + 1]), "point")
    return joined(reach, f"next level: {cost}; it brings {points}")


def digging(number: int, level: int) -> str:
    """Returns the price of a spade at a level of digging, and of the next level."""
    faction = FACTIONS[number]
    spade = f"a spade costs {count(int(WORKERS_PER_SPADE[level]), 'worker')}"
    if level >= faction.dig_upgrades:
        return joined(spade, "this is the highest level")
    cost = listed(
        [
            count(faction.dig_coins, "coin"),
            count(DIG_WORKERS, "worker"),
            count(DIG_PRIESTS, "priest"),
        ]
    )
    return joined(spade, f"next level: {cost}; it brings {count(DIG_VP, 'point')}")


def stock_name(kind: Structure, left: int) -> str:
    """Returns a number of structures that are left."""
    plural = {Structure.SANCTUARY: "sanctuaries"}.get(kind, "")
    return count(left, spaced(kind.name), plural)
