"""The page about Murus Gallicus in the documentation says what the code does."""

import re

import jaxgames
from jaxgames.murus_gallicus import notation, opening
from jaxgames.murus_gallicus.rules import MurusGallicus
from jaxgames.murus_gallicus.variants import VARIANTS
from tests.jaxgames import pages

PAGE = pages.read("murus_gallicus")


def test_every_variant_has_its_place():
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
    example = pages.run(PAGE)
    stones = example.last_move.as_svg().count('class="stone ')
    assert stones == 32
    assert example.side_by_side.as_svg().count('class="stone ') == 2 * stones
