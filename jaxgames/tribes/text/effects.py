"""What technologies, units, buildings and tiles of Tribes are good for, in words.

The words come from the tables of the rules and their parameters.
"""

from collections.abc import Callable
from typing import Any

from jaxgames.internal.sentences import count, joined, listed, spaced
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.tables.buildings import (
    BUILT_ON,
    BUILT_WITH,
    FIRST_MONUMENT,
    FIRST_TEMPLE,
    GROUND,
    LAST_TEMPLE,
    OF_PRODUCTION,
    PARTNER,
    TEMPLE_COUNTDOWN,
    BuildingKind,
    Monument,
)
from jaxgames.tribes.tables.rounding import BONUSES
from jaxgames.tribes.tables.sub_actions import (
    BESIDE,
    DISBANDED_WITH,
    DONE_WITH,
    TileSubAction,
    UnitSubAction,
)
from jaxgames.tribes.tables.technologies import PARENTS, TIER, Technology
from jaxgames.tribes.tables.terrain import (
    DEFENDED_WITH,
    ENTERED_WITH,
    GATHERING,
    SEEN_WITH,
    Resource,
    Terrain,
)
from jaxgames.tribes.tables.tribes import (
    FIRST_TECHNOLOGY,
    FIRST_UNIT,
    TITLES,
    LevelUp,
    Tribe,
)
from jaxgames.tribes.tables.units import (
    CLASSES,
    NUM_SPAWNED,
    TRAINED_WITH,
    UPGRADED_WITH,
    WATER_UNITS,
    UnitKind,
)

_TURNS = {
    ("dash", "dash"): "moves, then attacks",
    ("escape", "escape"): "moves, attacks, and moves again",
    ("single", "single"): "moves or attacks",
    ("single", "dash"): "moves or attacks",
    ("dash", "persist"): "moves, then attacks, and again after each kill",
}


def technology(config: GameConfig, kind: Technology) -> str:
    """Returns what a technology allows, what it needs, and its price."""
    allowed = _allowed(config, kind)
    needs = f"needs {spaced(PARENTS[kind].name)}" if kind in PARENTS else ""
    tier = int(TIER[kind])
    base = int(config.p.technology_base_cost)
    price = f"costs {count(base, 'star')} and {tier} more for each of your cities"
    points = count(int(config.p.tier_points[tier - 1]), "point")
    return joined(*allowed, needs, f"{price}; brings {points}")


def unit(config: GameConfig, kind: UnitKind) -> str:
    """Returns the figures of a unit, and what it does in a turn."""
    p = config.p
    figures = [f"attack {p.unit_attack[kind]}", f"defence {p.unit_defence[kind]}"]
    figures += [f"movement {p.unit_movement[kind]}", f"range {p.unit_range[kind]}"]
    figures += [] if kind in WATER_UNITS else [f"{p.unit_max_hp[kind]} HP"]
    if kind == UnitKind.MIND_BENDER:
        turn = f"moves, or converts an enemy unit, or heals all units beside it by {p.heal_hp} HP"
    else:
        turn = _TURNS[CLASSES[kind]]
    return joined(listed(figures), turn, _origin(config, kind))


def building(config: GameConfig, kind: BuildingKind) -> str:
    """Returns what a building brings, where it stands, and what it needs."""
    p = config.p
    cost, bonus = int(p.building_cost[kind]), int(p.building_bonus[kind])
    needed = f"needs {spaced(BUILT_WITH[kind].name)}" if kind in BUILT_WITH else ""
    price = f"costs {count(cost, 'star')}" if cost else "costs nothing"
    return joined(
        _gain(config, kind, bonus),
        _achievement(config, Monument(kind - FIRST_MONUMENT)) if kind >= FIRST_MONUMENT else "",
        f"stands {_place(kind)}",
        listed([price, needed]) if needed else price,
    )


def resource(config: GameConfig, kind: Resource) -> str:
    """Returns what a resource is good for."""
    p = config.p
    if kind == Resource.RUINS:
        return joined(
            "a unit that begins its turn here may examine them and finds one of these: a "
            f"superunit, a technology, {p.ruins_population} population for the capital, an "
            f"explorer, {count(int(p.ruins_stars), 'star')}"
        )
    if kind in GATHERING:
        gain = f"{p.gather_population} population for {count(int(p.gather_cost), 'star')}"
        gain = count(int(p.whales_stars), "star") if kind == Resource.WHALES else gain
        return joined(f"gathered with {spaced(GATHERING[kind].name)}: {gain}")
    builders = [spaced(built.name) for built, on in BUILT_ON.items() if on == kind]
    return joined(f"a {listed(builders, 'or')} can be built on it")


def terrain(config: GameConfig, kind: Terrain) -> str:
    """Returns who may enter a terrain, and what it is good for."""
    entered = (
        f"can be entered with {spaced(ENTERED_WITH[kind].name)}" if kind in ENTERED_WITH else ""
    )
    defended = ""
    if kind in DEFENDED_WITH and config.terrain_defence:
        defended = f"protects units of tribes that know {spaced(DEFENDED_WITH[kind].name)}"
    below_monuments = range(FIRST_MONUMENT)
    built = [spaced(one.name) for one in GROUND if one in below_monuments and kind in GROUND[one]]
    uses = {
        Terrain.VILLAGE: "a unit that begins its turn here may make it a city of its tribe",
        Terrain.CITY: "centre of a city; an enemy unit that begins its turn here may capture it",
        Terrain.FOG: "nobody of your tribe has seen this tile",
        Terrain.FOREST: "a move ends here",
        Terrain.MOUNTAIN: "a move ends here",
    }
    ground = f"ground for: {', '.join(built)}" if built else ""
    return joined(entered, uses.get(kind, ""), defended, ground)


def monument(config: GameConfig, kind: Monument) -> str:
    """Returns what a monument brings, and the achievement that makes it available."""
    return building(config, BuildingKind(FIRST_MONUMENT + kind))


def level_up(config: GameConfig, kind: LevelUp) -> str:
    """Returns what a choice of a city that levels up brings."""
    p = config.p
    words = {
        LevelUp.WORKSHOP: f"{count(int(p.workshop_production), 'star')} more a turn",
        LevelUp.EXPLORER: f"reveals tiles on a walk of {p.explorer_steps} steps",
        LevelUp.CITY_WALL: f"units on its centre defend {BONUSES[-1] / 2:g} times as strongly",
        LevelUp.RESOURCES: f"{count(int(p.level_stars), 'star')} at once",
        LevelUp.POP_GROWTH: f"{p.level_population} population",
        LevelUp.BORDER_GROWTH: "the borders of the city grow by a tile on all sides",
        LevelUp.PARK: count(int(p.park_points), "point"),
        LevelUp.SUPERUNIT: "a superunit on the centre; a unit that stands there is pushed away",
    }
    return joined(words[kind])


def tribe(kind: Tribe) -> str:
    """Returns how a tribe begins."""
    known = spaced(Technology(int(FIRST_TECHNOLOGY[kind])).name)
    first = spaced(UnitKind(int(FIRST_UNIT[kind])).name)
    return joined(f"begins with {known} and a {first}")


def glossary(config: GameConfig) -> dict[str, dict[str, str]]:
    """Returns everything that has a name in moves, with what it does."""

    def all_of(kinds: Any, describe: Callable[[GameConfig, Any], str]) -> dict[str, str]:
        return {kind.name.lower(): describe(config, kind) for kind in kinds if kind >= 0}

    return {
        "Technologies": all_of(Technology, technology),
        "Units": all_of(UnitKind, unit),
        "Buildings": all_of(BuildingKind, building),
        "Resources": all_of(Resource, resource),
        "Terrain": {spaced(kind.name): terrain(config, kind) for kind in Terrain},
        "Cities that grow": all_of(LevelUp, level_up),
        "Actions of units": all_of(UnitSubAction, _unit_action),
        "Actions on tiles": all_of(TileSubAction, _tile_action),
        "Tribes": {TITLES[kind]: tribe(kind) for kind in Tribe},
    }


def _allowed(config: GameConfig, kind: Technology) -> list[str]:
    """Returns what a technology allows, in groups."""
    trained = [_plural(unit.name) for unit, by in TRAINED_WITH.items() if by == kind]
    built = [_article(spaced(one.name)) for one, by in BUILT_WITH.items() if by == kind]
    entered = [_plural(ground.name) for ground, by in ENTERED_WITH.items() if by == kind]
    gathered = [_plural(one.name) for one, by in GATHERING.items() if by == kind]
    seen = [spaced(one.name) for one, by in SEEN_WITH.items() if by == kind]
    upgraded = [spaced(one.name) for one, by in UPGRADED_WITH.items() if by == kind]
    done = [_tile_action(config, action) for action, by in DONE_WITH.items() if by == kind]
    defended = [_plural(ground.name) for ground, by in DEFENDED_WITH.items() if by == kind]
    found = [f"cities train {listed(trained)}"] if trained else []
    found += [f"{listed(built, 'or')} can be built"] if built else []
    found += [f"units may enter {listed(entered)}"] if entered else []
    found += [f"{listed(gathered)} can be gathered"] if gathered else []
    found += [f"shows {listed(seen)}"] if seen else []
    found += [f"a {listed(upgraded)} can be upgraded"] if upgraded else []
    found += done
    if defended and config.terrain_defence:
        found.append(f"{listed(defended)} protect your units")
    if kind == DISBANDED_WITH:
        found.append("units can be disbanded for half their price")
    if kind == Technology.PHILOSOPHY:
        percent = int(config.p.discount_percent)
        paid = 100 - percent if config.corrected_rules else percent
        found.append(f"from then on technologies cost {paid} % of their price")
    return found


def _origin(config: GameConfig, kind: UnitKind) -> str:
    """Returns how a tribe gets a unit of a kind."""
    price = count(int(config.p.unit_cost[kind]), "star")
    if kind < NUM_SPAWNED:
        needs = f", with {spaced(TRAINED_WITH[kind].name)}" if kind in TRAINED_WITH else ""
        return f"cities train it for {price}{needs}"
    if kind in (UnitKind.SHIP, UnitKind.BATTLESHIP):
        before = UnitKind(kind - 1)
        needs = spaced(UPGRADED_WITH[before].name)
        return f"a {spaced(before.name)} becomes one for {price}, with {needs}"
    if kind == UnitKind.BOAT:
        return "a land unit becomes one in a port, and leaves it on land"
    return "large cities and ruins bring one; it cannot be bought"


def _gain(config: GameConfig, kind: BuildingKind, bonus: int) -> str:
    """Returns what a building brings to its city."""
    unit = "production" if kind in OF_PRODUCTION else "population"
    if kind in dict(BESIDE):
        partner = spaced(PARTNER[kind].name)
        unit = "stars a turn" if kind in OF_PRODUCTION else unit
        return f"{bonus} {unit} for each {partner} beside it; one in a city"
    if FIRST_TEMPLE <= kind <= LAST_TEMPLE:
        points = config.p.temple_points.tolist()
        later = ", ".join(map(str, points[1:]))
        return (
            f"{bonus} population and {points[0]} points; it grows every {TEMPLE_COUNTDOWN} turns "
            f"for {later} points"
        )
    if kind >= FIRST_MONUMENT:
        return f"{bonus} population and {config.p.monument_points} points; one for a tribe"
    helper = f"; more with a {spaced(PARTNER[kind].name)} beside it" if kind in PARTNER else ""
    return f"{bonus} population{helper}"


def _achievement(config: GameConfig, kind: Monument) -> str:
    p = config.p
    when = {
        Monument.ALTAR: f"after {p.altar_turns} turns with meditation and without an attack",
        Monument.TOMB: f"with {p.tomb_stars} stars",
        Monument.EYE: "when all tiles are revealed, in fog only",
        Monument.GATE: f"with {p.gate_kills} kills",
        Monument.BAZAR: f"with {p.bazar_cities} cities connected to the capital",
        Monument.PARK: "when a city grows from level 4 or a higher one",
        Monument.TOWER: "when research completes all technologies",
    }
    return f"available {when[kind]}"


def _place(kind: BuildingKind) -> str:
    place = "on " + listed((spaced(ground.name) for ground in GROUND[kind]), "or")
    if kind in BUILT_ON:
        place += f" with {spaced(BUILT_ON[kind].name)}"
    if kind in dict(BESIDE):
        place += f" beside a {spaced(PARTNER[kind].name)}"
    return place


def _unit_action(config: GameConfig, action: UnitSubAction) -> str:
    p = config.p
    words = {
        UnitSubAction.CAPTURE: "takes the village or city on which the unit stands",
        UnitSubAction.DISBAND: "removes the unit for half its price",
        UnitSubAction.EXAMINE: "looks for what the ruins hold",
        UnitSubAction.HEAL_OTHERS: f"gives {p.heal_hp} HP to each own unit beside it",
        UnitSubAction.MAKE_VETERAN: f"{p.veteran_hp} HP more and full health, after "
        f"{p.veteran_kills} kills",
        UnitSubAction.RECOVER: f"{p.recover_hp} HP, and {p.recover_home_hp} more in own borders",
        UnitSubAction.UPGRADE: "makes a ship of a boat, or a battleship of a ship",
    }
    return joined(words[action])


def _tile_action(config: GameConfig, action: TileSubAction) -> str:
    p = config.p
    words = {
        TileSubAction.BURN_FOREST: f"a forest burns for {p.burn_cost} stars, and leaves crops",
        TileSubAction.CLEAR_FOREST: f"a forest can be cleared, which brings {p.clear_stars} stars",
        TileSubAction.DESTROY: "buildings can be destroyed",
        TileSubAction.GROW_FOREST: f"a forest can be grown for {p.grow_cost} stars",
        TileSubAction.GATHER: "takes the resource of the tile for its city",
        TileSubAction.BUILD_ROAD: f"roads cost {p.road_cost} stars; moves along them cost half",
    }
    return joined(words[action])


def _plural(name: str) -> str:
    """Returns the name of a kind for several of it; what cannot be counted stays as it is."""
    name = spaced(name)
    if name.endswith(("water", "fish", "fruit", "s")):
        return name
    return name.removesuffix("man") + "men" if name.endswith("man") else name + "s"


def _article(name: str) -> str:
    return ("an " if name[0] in "aeiou" else "a ") + name
