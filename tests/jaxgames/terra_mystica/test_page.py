"""The page about Terra Mystica in the documentation says what the code does."""

import jax

from jaxgames.terra_mystica.engine.actions import COUNTS, NUM_ACTIONS, STARTS, Kind
from jaxgames.terra_mystica.tables.factions import FACTIONS
from jaxgames.terra_mystica.tables.tiles import (
    BONUS_CARDS,
    CARD_NAMES,
    CULT_NAMES,
    FAVOR_NAMES,
    FAVOR_TILES,
    NUM_CULTS,
    SCORING_NAMES,
    SCORING_TILES,
    TOWN_NAMES,
    TOWN_TILES,
    Gain,
)
from tests.jaxgames import pages
from tests.jaxgames.terra_mystica.drawn import FIVE, TWO, start

PAGE = pages.read("terra_mystica")
CULTS = [name.lower() for name in CULT_NAMES]


def gain_text(gain: Gain) -> str:
    words = []
    for name, number in zip(gain._fields, gain, strict=True):
        if number:
            singular = name.removesuffix("s")
            words.append(f"{number} {singular if number == 1 else name}")
    return ", ".join(words)


def test_factions_start_as_the_tables_say():
    found = [row[:6] for row in pages.rows(PAGE, r"\d+") if len(row) == 7]
    expected = [
        [
            str(number),
            faction.name,
            faction.colour.name.lower(),
            f"{faction.coins}, {faction.workers}, {faction.priests}",
            "/".join(map(str, faction.bowls)),
            ", ".join(map(str, faction.cults)),
        ]
        for number, faction in enumerate(FACTIONS)
    ]
    assert found == expected


def test_bonus_cards_have_their_income():
    expected = [
        [name, gain_text(c.income)] for name, c in zip(CARD_NAMES, BONUS_CARDS, strict=True)
    ]
    found = pages.rows(PAGE, r"BON\d+")
    assert [row[:2] for row in found] == expected
    for (_, _, text), entry in zip(found, BONUS_CARDS, strict=True):
        points = entry.pass_vp or entry.pass_ship_vp
        assert text.startswith(f"pass: {points} point") == bool(points)


def test_favor_tiles_have_their_steps_income_and_copies():
    found = pages.rows(PAGE, r"FAV\d+")
    for row, name, tile in zip(found, FAVOR_NAMES, FAVOR_TILES, strict=True):
        assert row[:2] == [name, f"{tile.steps} {CULTS[tile.cult]}"]
        assert row[3] == str(tile.copies)
        income = gain_text(tile.income)
        assert row[2].partition("income: ")[2] == income


def test_town_tiles_have_their_points_gains_and_copies():
    found = pages.rows(PAGE, r"TW\d")
    for row, name, tile in zip(found, TOWN_NAMES, TOWN_TILES, strict=True):
        assert [row[0], row[1], row[3]] == [name, str(tile.vp), str(tile.copies)]
        assert gain_text(tile.gain) in row[2]


def test_scoring_tiles_have_their_points_and_bonus():
    found = pages.rows(PAGE, r"SCORE\d")
    for (name, points, bonus), expected, tile in zip(
        found, SCORING_NAMES, SCORING_TILES, strict=True
    ):
        assert name == expected
        assert points.startswith(f"{tile.built_vp or tile.spade_vp or tile.town_vp} for each ")
        if tile.cult < NUM_CULTS:
            assert bonus.endswith(f" of {CULTS[tile.cult]}")
            assert (f"every {tile.steps} levels" in bonus) == (tile.steps > 1)


def test_numbers_of_actions_are_those_of_the_code():
    assert f"There are {NUM_ACTIONS} actions" in PAGE
    for kind in Kind:
        last = STARTS[kind] + COUNTS[kind] - 1
        numbers = str(last) if COUNTS[kind] == 1 else f"{STARTS[kind]}-{last}"
        assert f"| {numbers} | {kind.name} |" in PAGE


def test_size_of_a_position_is_that_of_the_code():
    sizes = [sum(leaf.nbytes for leaf in jax.tree.leaves(start(who))) for who in (TWO, FIVE)]
    more = (sizes[1] - sizes[0]) // 3
    assert f"A position is {sizes[0]} bytes for two players and {more} more" in PAGE


def test_examples_of_the_page_run():
    example = pages.run(PAGE)
    assert "Witches 20 VP, Nomads 20 VP" in example.dark.title
    assert example.film.title.startswith("A game of Terra Mystica: from Set-up")
