"""Positions made by hand, and their pictures. Shared by the tests of the pictures."""

import xml.etree.ElementTree as ET

import numpy as np

from jaxgames.boards import hex as hexes
from jaxgames.terra_mystica import render
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import (
    NO_FACTION,
    Board,
    Leech,
    Pending,
    Phase,
    Players,
    Supply,
    TerraMysticaState,
)
from jaxgames.terra_mystica.tables import terrain
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS, Structure

SVG = "{http://www.w3.org/2000/svg}"
TWO = ("engineers", "halflings")
FIVE = ("witches", "fakirs", "darklings", "chaosmagicians", "mermaids")


def cells(names: str) -> np.ndarray:
    """Returns the set of land hexes with some names."""
    numbers = [terrain.LAND_NAMES.index(name) for name in names.split()]
    return hexes.from_cells(terrain.LAND_CELLS[numbers], terrain.ROWS, terrain.COLUMNS)


def with_fields(part, **fields):
    """Returns a part of the state with fields replaced, of the type that they had."""
    cast = {name: np.asarray(value, getattr(part, name).dtype) for name, value in fields.items()}
    return part.replace(**cast)


def start(factions: tuple[str, ...] = TWO, structures: dict[str, str] | None = None, **fields):
    """Returns a position before the first action of round 1.

    Args:
        factions: of the seats.
        structures: names of the hexes on which each kind of structure stands; they are turned into
            the colour of the seat that is named after the kind: `{"DWELLING 0": "A1 B2"}`.
        fields: of the state.
    """
    players = len(factions)
    rows = [NO_FACTION if name == "" else FACTION_NAMES.index(name) for name in factions]
    land, standing = terrain.START_TERRAIN.copy(), np.zeros((5, terrain.ROWS), np.uint16)
    for what, names in (structures or {}).items():
        kind, seat = what.split()
        land &= ~cells(names)
        land[FACTIONS[rows[int(seat)]].colour] |= cells(names)
        standing[Structure[kind]] |= cells(names)
    none, nothing = np.zeros(players, np.uint8), np.zeros(terrain.ROWS, np.uint16)
    byte = np.uint8(0)
    state = TerraMysticaState(
        board=Board(land, standing, nothing, nothing, np.zeros((players, 3), np.uint8)),
        players=Players(
            faction=np.array(rows, np.uint8),
            coins=none,
            workers=none,
            priests=none,
            bowls=np.tile(np.array([5, 7, 0], np.uint8), (players, 1)),
            vp=np.full(players, 20, np.int16),
            cults=np.zeros((players, 4), np.uint8),
            keys=none,
            ship=none,
            dig=none,
            range=none,
            card=none,
            favors=np.zeros(players, np.uint16),
            towns=np.zeros((players, 8), np.uint8),
            used=none,
            passed=np.zeros(players, bool),
            cult_spades=none,
        ),
        supply=Supply(
            spots=np.zeros((4, 4), np.uint8),
            card_coins=np.zeros(10, np.uint8),
            cards=np.uint16((1 << (players + 3)) - 1),
            scoring=np.arange(6, dtype=np.uint8),
            power_actions=byte,
        ),
        pending=Pending(
            actions=np.uint8(1),
            buildable=nothing,
            **dict.fromkeys(("is_elsewhere", "has_terraformed", "has_tunnelled"), np.False_),
            **dict.fromkeys(("spades", "source", "favors", "towns", "cult_steps"), byte),
            **dict.fromkeys(("bridges", "priests", "special", "refused"), byte),
        ),
        leech=Leech(np.zeros((2, players), np.uint8), np.False_, np.False_),
        phase=np.uint8(Phase.ACTIONS),
        round=byte,
        seat=byte,
        placed=byte,
        order=np.arange(players, dtype=np.uint8),
        next_start=np.uint8(players),
    )
    return with_fields(state, **fields)


def change(state: TerraMysticaState, part: str, **fields) -> TerraMysticaState:
    return state.replace(**{part: with_fields(getattr(state, part), **fields)})


def draw(state: TerraMysticaState, previous=None, theme="light", **options) -> ET.Element:
    rules = TerraMystica(num_players=len(state.order), **options)
    return ET.fromstring(render.render(rules, state, previous, theme).as_svg())


def having(root: ET.Element, *classes: str) -> list[ET.Element]:
    """Returns the elements that have all of some classes."""
    return [e for e in root.iter() if set(classes) <= set((e.get("class") or "").split())]


def words(root: ET.Element) -> list[str]:
    return [text.text for text in root.iter(f"{SVG}text") if text.text]
