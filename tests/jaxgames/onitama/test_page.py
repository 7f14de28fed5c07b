"""The page about Onitama in the documentation says what the code does."""

import importlib.util
import re
import types
import xml.etree.ElementTree as ET

import jaxgames
from jaxgames.onitama import cards, notation
from papers.onitama_report.game import notation as report_notation
from tests.locations import CHECKOUT

DOCS = CHECKOUT / "docs"
PAGE = (DOCS / "games" / "onitama.md").read_text()
TITLE = "{http://www.w3.org/2000/svg}title"


def test_table_of_cards_is_the_one_of_the_code():
    rows = re.findall(
        r"^\| (\d+) \| (\w+) \| (\w+)[^|]*\| ([^|]*) \| (\w+) \|$", PAGE, re.MULTILINE
    )
    expected = []
    for number, card in enumerate(cards.CARDS):
        mirror = cards.CARDS[cards.MIRROR_CARD[number]].name
        moves = " ".join(f"({dx},{dy})" for dx, dy in card.moves)
        mirror = "itself" if mirror == card.name else mirror
        expected.append((str(number), card.name, card.stamp.name.title(), moves, mirror))
    assert rows == expected


def test_positions_of_the_page_can_be_read():
    base, report = (jaxgames.make(name).rules for name in ("onitama", "onitama_report"))
    positions = re.findall(r"^ +(\S+/\S+ [rb] \S+ \d+.*)$", PAGE, re.MULTILINE)
    assert len(positions) == 2
    game = notation.text_to_state(base, positions[0])
    assert notation.state_to_text(base, game) == positions[0]
    assert notation.text_to_action(base, game, "tiger:c2c4") > 0
    game = report_notation.text_to_state(report, positions[1])
    assert report_notation.state_to_text(report, game) == positions[1]


def test_examples_of_the_page_run():
    example = types.SimpleNamespace()
    for source in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(source, vars(example))
    assert example.last_move.as_svg().count('class="card"') == 5
    assert example.side_by_side.as_svg().count('class="card"') == 10


def test_pictures_are_those_of_the_script(tmp_path):
    path = DOCS / "assets" / "make_pictures.py"
    spec = importlib.util.spec_from_file_location("make_pictures", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path, ["onitama"])
    # The titles hold the positions; the rest depends on the version of the SVG library.
    for name in ("onitama.svg", "onitama_game.svg"):
        drawn, kept = (
            ET.parse(folder / name).getroot().findtext(TITLE)
            for folder in (tmp_path, DOCS / "assets")
        )
        assert drawn == kept
        assert drawn.startswith(("Onitama: ", "A game of Onitama: "))
