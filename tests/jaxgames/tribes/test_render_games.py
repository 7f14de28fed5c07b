"""Games of Tribes as animations."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import jaxgames
from jaxgames.tribes import render
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables.buildings import BuildingKind
from jaxgames.tribes.tables.units import UnitKind
from tests.jaxgames.tribes.drawn import RULES
from tests.jaxgames.tribes.positions import at, begun, change, city, tile, unit
from tests.svg_trees import check_film, having, seen, starts


def moved(state, start: str, end: str):
    """Returns a state in which a unit went from one tile to another."""
    fields = {}
    for name, field in vars(state.units).items():
        fields[name] = field.copy()
        fields[name][tile(end)], fields[name][tile(start)] = field[tile(start)], field[tile("a11")]
    return change(state, "units", **fields)


def test_each_frame_of_an_animation_is_its_position():
    start = unit(unit(begun(), "e5", UnitKind.RIDER, 0), "g5", UnitKind.ARCHER, 1)
    after = moved(start, "e5", "f4")
    games = [
        start,
        after,
        moved(after, "g5", "a11"),
        city(moved(after, "a11", "g5"), "e6", 0, "e6 e7", level=2),
        change(city(after, "e6", 1, level=3), "tribes", stars=[4, 9], score=[1, 2]),
        at(after, "tiles", "a1", building=BuildingKind.PORT).replace(active=np.int8(1)),
    ]
    check_film(render, RULES, games)


def test_units_glide_from_where_they_were_and_killed_ones_stay_until_then():
    start = unit(unit(begun(), "e5", UnitKind.RIDER, 0), "f4", UnitKind.ARCHER, 1)
    text = render.animate(RULES, [start, moved(start, "e5", "f4")]).as_svg()
    assert starts(ET.fromstring(text)) == [(-60, 60)]
    assert len(having(seen(text, 1.1, 2), "archer")) == 1
    assert len(having(seen(text, 1.9, 2), "archer")) == 0


def test_only_games_of_the_rules_are_drawn():
    expected = r"expected 2 tribes on a board of side 11, got 2 on one of side 14"
    with pytest.raises(ValueError, match=expected):
        render.animate(RULES, [begun(), begun(side=14)])
    with pytest.raises(ValueError, match=r"expected 3 tribes on a board of side 14, got 2 on"):
        render.render(Tribes(num_players=3), begun())
    with pytest.raises(ValueError, match="expected a TribesState, got a State"):
        render.render(RULES, jaxgames.make("tribes").wrap(begun()))
