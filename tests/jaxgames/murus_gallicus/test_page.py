"""The page about Murus Gallicus in the documentation says what the code does."""

import dataclasses
import importlib.util
import re
import types
import xml.etree.ElementTree as ET

import jaxgames
from jaxgames.murus_gallicus import notation, opening
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS
from tests.locations import CHECKOUT

DOCS = CHECKOUT / "docs"
PAGE = (DOCS / "games" / "murus_gallicus.md").read_text()
TITLE = "{http://www.w3.org/2000/svg}title"


def test_every_option_and_variant_has_its_place():
    for field in dataclasses.fields(MurusGallicus):
        assert f"`{field.name}`" in PAGE
    for name in VARIANTS:
        assert f'`"{name}"`' in PAGE


def test_numbers_of_actions_are_those_of_the_code():
    rules = MurusGallicus()
    assert f"There are {rules.num_actions} actions" in PAGE
    ids = opening.TAKE, opening.PUT - 1, opening.PUT, opening.SWAP - 1, opening.SWAP
    assert "{} to {} take the tower off that file, {} to {} put\na wall".format(*ids[:4]) in PAGE
    assert f"{opening.SWAP} swaps" in PAGE
    basic = MurusGallicus(variant="basic")
    assert f"At most {rules.max_legal_actions}\nare legal" in PAGE
    assert f"({basic.max_legal_actions}\nwithout catapults" in PAGE


def test_position_and_moves_of_the_page_can_be_read():
    rules = jaxgames.make("murus_gallicus").rules
    (text,) = re.findall(r"^    (\S+/\S+ [rg] \d+)$", PAGE, re.MULTILINE)
    game = notation.text_to_state(rules, text)
    assert notation.state_to_text(rules, game) == text
    assert notation.text_to_action(rules, game, "d5-b3") > 0


def test_examples_of_the_page_run():
    example = types.SimpleNamespace()
    for source in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(source, vars(example))
    stones = example.last_move.as_svg().count('class="stone ')
    assert stones == 32
    assert example.side_by_side.as_svg().count('class="stone ') == 2 * stones


def test_pictures_are_those_of_the_script(tmp_path):
    path = DOCS / "assets" / "make_pictures.py"
    spec = importlib.util.spec_from_file_location("make_pictures", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path, ["murus_gallicus"])
    # The titles hold the positions; the rest depends on the version of the SVG library.
    for name in ("murus_gallicus.svg", "murus_gallicus_game.svg"):
        drawn, kept = (
            ET.parse(folder / name).getroot().findtext(TITLE)
            for folder in (tmp_path, DOCS / "assets")
        )
        assert drawn == kept
        assert drawn.startswith(("Murus Gallicus: ", "A game of Murus Gallicus: "))
