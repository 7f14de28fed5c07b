"""The board of Tribes in a terminal, as a whole or as a seat knows it. Host side, on one game."""

from collections.abc import Iterator
from typing import NamedTuple

import jax
import numpy as np

from jaxgames.internal.argument_checks import check_seat
from jaxgames.pictures.ansi import MUTED, Paint
from jaxgames.tribes.engine import knowledge
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import NO_TILE, NO_UNIT, NOBODY, Stage, TribesState
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import TRIBE_NAMES, Tribe
from jaxgames.tribes.tables.units import UnitKind
from jaxgames.tribes.text.commands import tile_name
from jaxgames.tribes.text.position_text import to_host

# Ground of each terrain, and its letter.
GROUNDS = {
    Terrain.PLAIN: ("#5f8700", "."),
    Terrain.SHALLOW_WATER: ("#0087d7", "~"),
    Terrain.DEEP_WATER: ("#005faf", "="),
    Terrain.MOUNTAIN: ("#878787", "^"),
    Terrain.VILLAGE: ("#af8700", "v"),
    Terrain.CITY: ("#af8700", "#"),
    Terrain.FOREST: ("#005f00", "f"),
    Terrain.FOG: ("#303030", "?"),
}
INKS = {
    Tribe.XIN_XI: "#ffafaf",
    Tribe.IMPERIUS: "#afd7ff",
    Tribe.BARDUR: "#ffffff",
    Tribe.OUMAJI: "#ffff5f",
}
UNITS = {
    UnitKind.WARRIOR: "W",
    UnitKind.RIDER: "R",
    UnitKind.DEFENDER: "D",
    UnitKind.SWORDSMAN: "S",
    UnitKind.ARCHER: "A",
    UnitKind.CATAPULT: "C",
    UnitKind.KNIGHT: "K",
    UnitKind.MIND_BENDER: "M",
    UnitKind.BOAT: "b",
    UnitKind.SHIP: "s",
    UnitKind.BATTLESHIP: "B",
    UnitKind.SUPERUNIT: "G",
}
RESOURCES = {
    Resource.FISH: "i",
    Resource.FRUIT: "r",
    Resource.ANIMAL: "a",
    Resource.WHALES: "h",
    Resource.ORE: "o",
    Resource.CROPS: "c",
    Resource.RUINS: "u",
}
BUILDING = "+"
INK = "#ffffff"
_LEGEND = """\
a tile: terrain (. plain, ~ shallow and = deep water, ^ mountain, f forest, v village, # city,
? unknown), resource (i fish, r fruit, a animal, h whales, o ore, c crops, u ruins) or building (+),
seat of the unit and its kind: W warrior, R rider, D defender, S swordsman, A archer, C catapult,
K knight, M mind bender, b boat, s ship, B battleship, G giant"""


def draw(rules: Tribes, game: TribesState, paint: Paint, seat: int | None = None) -> str:
    """Returns the board as lines of text.

    Args:
        rules: the game.
        game: a position.
        paint: colours.
        seat: the tribe whose knowledge is shown; None for everything.

    Raises:
        ValueError: for a seat that does not exist.
    """
    game = to_host(rules.config, game)
    if seat is not None:
        game = jax.device_get(_known(game, check_seat(seat, rules.num_players, "text_board")))
    lines = [f"tick {int(game.tick)} of {int(rules.config.last_tick)}", "", *_board(game, paint)]
    lines += ["", *(_tribe(game, tribe, seat, paint) for tribe in range(rules.num_players)), ""]
    lines += _details(game)
    return "\n".join([*lines, *(paint(line, MUTED) for line in _LEGEND.splitlines())])


def summary(game: TribesState) -> str:
    """Returns the position in a line, which a `State` prints; its text is far longer."""
    ids, scores = game.tribes.tribe_ids.tolist(), game.tribes.score.tolist()
    tribes = [f"{TRIBE_NAMES[kind]} {score}" for kind, score in zip(ids, scores, strict=True)]
    counts = [int(np.count_nonzero(game.units.tribe == seat)) for seat in range(len(ids))]
    return f"tick {int(game.tick)}; points {', '.join(tribes)}; units {counts}"


@jax.jit
def _known(game: TribesState, seat: jax.Array) -> TribesState:
    return knowledge.determinize(game, seat)


def _board(game: TribesState, paint: Paint) -> Iterator[str]:
    side = len(game.tiles.network)
    chosen = int(game.selected) if game.phase == Stage.SUB_ACTION else None
    columns = "   " + "".join(f" {tile_name(column, side)[0]:<4}" for column in range(side))
    yield paint(columns.rstrip(), MUTED)
    for row in range(side):
        name = paint(f"{row + 1:>2} ", MUTED)
        tiles = range(side * row, side * (row + 1))
        yield name + "".join(_tile(game, tile, tile == chosen, paint) for tile in tiles).rstrip()


def _tile(game: TribesState, tile: int, is_chosen: bool, paint: Paint) -> str:
    ground, letter = GROUNDS[Terrain(int(game.tiles.terrain[tile]))]
    resource, building = int(game.tiles.resource[tile]), int(game.tiles.building[tile])
    thing = BUILDING if building >= 0 else RESOURCES.get(resource, " ")  # type: ignore[call-overload]
    kind = int(game.units.kind[tile])
    unit, ink = "  ", INK
    if kind != NO_UNIT:
        tribe = int(game.units.tribe[tile])
        unit, ink = (
            f"{tribe}{UNITS[UnitKind(kind)]}",
            INKS[Tribe(int(game.tribes.tribe_ids[tribe]))],
        )
    edge = "[]" if is_chosen else "  "
    return paint(f"{edge[0]}{letter}{thing}{unit}", ink, ground, kind != NO_UNIT)


def _tribe(game: TribesState, tribe: int, seat: int | None, paint: Paint) -> str:
    kind = Tribe(int(game.tribes.tribe_ids[tribe]))
    name = paint(TRIBE_NAMES[kind], INKS[kind], GROUNDS[Terrain.FOG][0], bold=True)
    mark = ">" if int(game.active) == tribe and not game.over else " "
    words = f"{mark} seat {tribe} {name} {int(game.tribes.score[tribe])} points"
    if seat not in (None, tribe):
        return words
    known = int(game.tribes.technologies[tribe])
    names = [technology.name.lower() for technology in Technology if known >> technology & 1]
    return f"{words}, {int(game.tribes.stars[tribe])} stars; {', '.join(names) or 'no technology'}"


class _Seen(NamedTuple):
    """Something on the board in words, by its tile."""

    tile: int
    words: str


def _details(game: TribesState) -> list[str]:
    """Returns cities, units and buildings in words."""
    side = len(game.tiles.network)
    cities, units = [], []
    for place in np.flatnonzero((game.cities.tribe != NOBODY) & (game.cities.tile != NO_TILE)):
        walls = ", walls" if game.cities.walls[place] else ""
        level, tile = int(game.cities.level[place]), int(game.cities.tile[place])
        words = f"seat {int(game.cities.tribe[place])} level {level}{walls}"
        cities.append(_Seen(tile, words))
    for tile in np.flatnonzero(game.units.kind != NO_UNIT).tolist():
        kind = UnitKind(int(game.units.kind[tile])).name.lower()
        veteran = " veteran" if game.units.veteran[tile] else ""
        words = f"seat {int(game.units.tribe[tile])}{veteran} {kind} {int(game.units.hp[tile])} HP"
        units.append(_Seen(tile, words))
    buildings = [
        _Seen(tile, BuildingKind(int(game.tiles.building[tile])).name.lower())
        for tile in np.flatnonzero(game.tiles.building >= 0).tolist()
    ]
    lines = []
    for title, seen in (("cities", cities), ("units", units), ("buildings", buildings)):
        if seen:
            shown = "; ".join(f"{tile_name(one.tile, side)} {one.words}" for one in sorted(seen))
            lines.append(f"{title}: {shown}")
    return lines
