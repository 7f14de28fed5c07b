"""Clicks on pictures of Tribes."""

from jaxgames.tribes import render
from jaxgames.tribes.text import commands
from tests.jaxgames.click_areas import areas
from tests.jaxgames.tribes.drawn import RULES
from tests.jaxgames.tribes.positions import begun, seen


def test_tiles_say_what_stands_on_them():
    parts = areas(render.render(RULES, begun()))
    assert parts["tile:c3"].startswith("c3: city; capital of Xin-Xi, level 1")
    assert "warrior of Xin-Xi, 10 of 10 HP" in parts["tile:c3"]
    assert parts["technology:fishing"] == "research fishing"
    assert "technology:climbing" not in parts, "the tribe knows it already"
    assert sum(part.startswith("tile:") for part in parts) == 121


def test_a_picture_of_what_one_seat_knows_tells_no_more_in_its_labels():
    state = seen(begun(), 1, "h8 i8 h9 i9")
    parts = areas(render.render(RULES, state, seat=1))
    assert parts["tile:c3"] == "c3: fog"
    assert not any(part.startswith("technology:") for part in parts), "another tribe is to move"


def test_words_lead_to_tiles_and_technologies():
    assert render._clicked("c4") == ("tile:c4",)
    assert render._clicked("attack d5") == render._clicked("move d5") == ("tile:d5",)
    assert render._clicked("research free_spirit") == ("technology:free_spirit",)
    assert render._clicked("end_turn") == render._clicked("build farm") == ()
    assert commands.TILE.fullmatch("p16")
