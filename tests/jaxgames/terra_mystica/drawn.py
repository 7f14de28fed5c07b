"""Positions made by hand, and their pictures. Shared by the tests of the pictures."""

import functools
import xml.etree.ElementTree as ET

import jax
import numpy as np

from jaxgames.boards import hexes
from jaxgames.terra_mystica import render
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import NO_FACTION, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables import terrain
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS, START_VP, Structure
from tests.svg_trees import tree

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


@functools.cache
def zeros(players: int) -> TerraMysticaState:
    """Returns a state whose fields are all zero, without compiling anything."""
    shapes = jax.eval_shape(TerraMystica(num_players=players).init, jax.random.key(0))
    return jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)


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
    state = change(zeros(players), "board", terrain=land, structures=standing)
    state = change(state, "players", faction=rows, vp=[START_VP] * players)
    state = change(state, "players", bowls=[[5, 7, 0]] * players)
    state = change(state, "supply", scoring=range(6), cards=(1 << (players + 3)) - 1)
    state = change(state, "pending", actions=1)
    state = with_fields(state, phase=Phase.ACTIONS, order=range(players), next_start=players)
    return with_fields(state, **fields)


def change(state: TerraMysticaState, part: str, **fields) -> TerraMysticaState:
    return state.replace(**{part: with_fields(getattr(state, part), **fields)})


def draw(state: TerraMysticaState, previous=None, theme="light", **options) -> ET.Element:
    rules = TerraMystica(num_players=len(state.order), **options)
    return tree(render.render(rules, state, previous, theme))
