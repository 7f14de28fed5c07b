"""What holds for the pages of all games in the documentation."""

import dataclasses
import importlib.util
import xml.etree.ElementTree as ET

import pytest

import jaxgames
from tests.jaxgames import pages

TITLE = "{http://www.w3.org/2000/svg}title"
LARGE = [pytest.param(game, marks=pytest.mark.slow) for game in ("terra_mystica", "tribes")]


@pytest.mark.parametrize("game", ["murus_gallicus", "terra_mystica", "tribes"])
def test_every_option_has_its_place(game):
    for field in dataclasses.fields(jaxgames.make(game).rules):
        assert f"`{field.name}`" in pages.read(game)


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus", *LARGE])
def test_pictures_are_those_of_the_script(game, tmp_path):
    path = pages.ASSETS / "make_pictures.py"
    spec = importlib.util.spec_from_file_location("make_pictures", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path, [game])
    # The titles hold what is to be seen; the rest depends on the version of the SVG library.
    for name in (f"{game}.svg", f"{game}_game.svg"):
        drawn, shown = (
            ET.parse(folder / name).getroot().findtext(TITLE) for folder in (tmp_path, pages.ASSETS)
        )
        assert drawn == shown
