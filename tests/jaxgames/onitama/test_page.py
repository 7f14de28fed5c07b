"""The page about Onitama in the documentation says what the code does."""

import re

import jaxgames
from jaxgames.onitama import cards, notation
from papers.onitama_report.game import notation as report_notation
from tests.jaxgames import pages

PAGE = pages.read("onitama")


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
    example = pages.run(PAGE)
    assert example.last_move.as_svg().count('class="card"') == 5
    assert example.side_by_side.as_svg().count('class="card"') == 10
