"""Actions of Tribes as text."""

import numpy as np
import pytest

from jaxgames.tribes.engine.actions import ATTACK_OFFSETS, FIRST_ATTACK, FIRST_LEVEL_UP
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage
from jaxgames.tribes.tables.units import UnitKind
from jaxgames.tribes.text import notation
from jaxgames.tribes.text.commands import PATTERN, command, tile_name
from tests.jaxgames.tribes import recorded

RULES = Tribes()
FILE, GAME = "paper_levels", "33"
TILES = 121


def before(decision: int, tile: int | None = None):
    """Returns a recorded position, with a tile chosen if one is given."""
    state = recorded.position(FILE, GAME, decision)
    if tile is None:
        return state
    return state.replace(phase=np.int8(Stage.SUB_ACTION), selected=np.int16(tile))


def choices():
    """Yields each decision with the tile and number of the action taken."""
    for decision, (tile, number) in enumerate(recorded.game(FILE, GAME).choices):
        yield decision, tile, number


def test_tiles_are_named_by_column_and_row():
    assert [tile_name(tile, 11) for tile in (0, 10, 11, 120)] == ["a1", "k1", "a2", "k11"]
    assert tile_name(255, 16) == "p16"


def test_every_action_of_a_game_has_words_of_its_own():
    words = set()
    for decision, tile, number in choices():
        if decision % 4:
            continue
        state = before(decision, tile if tile >= 0 else None)
        action = number if tile >= 0 else number + TILES
        legal = notation.playable_moves(RULES, state)
        assert len(set(legal.values())) == len(legal)
        assert notation.text_to_action(RULES, state, legal[action]) == action
        assert notation.action_to_text(RULES, state, action) == legal[action]
        words |= {text.split()[0] for text in legal.values()}
        assert all(PATTERN.fullmatch(text) for text in legal.values())
    assert {
        *("move", "attack", "capture", "disband", "examine", "recover", "upgrade", "build"),
        *("build_road", "clear_forest", "destroy", "gather", "grow_forest", "spawn"),
        *("research", "level_up", "end_turn", "c7", "k11"),
    } <= words


@pytest.mark.parametrize(
    ("decision", "tile", "expected"),
    [
        (3, None, {85: "i8", 95: "h9", 123: "research hunting", 147: "end_turn"}),
        (3, 96, {246: "gather"}),
        (5, None, {145: "level_up workshop", 146: "level_up explorer"}),
        (6, 85, {71: "move i7", 72: "move j7", 83: "move h8", 97: "move j9"}),
        (8, 68, {248: "spawn warrior"}),
    ],
)
def test_words_of_the_first_turns(decision, tile, expected):
    legal = notation.playable_moves(RULES, before(decision, tile))
    assert expected.items() <= legal.items()


def test_words_follow_the_unit_the_level_and_the_city():
    state = before(5, 85)
    north = FIRST_ATTACK + 17
    assert ATTACK_OFFSETS[17].tolist() == [-1, 0]
    assert command(state, north) == "attack i7"
    kinds = np.full_like(state.units.kind, UnitKind.MIND_BENDER)
    bender = state.replace(units=state.units.replace(kind=kinds))
    assert command(bender, north) == "convert i7"
    state = before(5)
    names = ["city_wall", "resources", "pop_growth", "border_growth", *("park", "superunit") * 2]
    words = []
    for level in (2, 3, 4, 7):
        grown = np.full_like(state.cities.level, level)
        full = np.full_like(state.cities.population, level + 1)
        state = state.replace(cities=state.cities.replace(level=grown, population=full))
        words += [command(state, TILES + FIRST_LEVEL_UP + option) for option in (0, 1)]
    assert words == [f"level_up {name}" for name in names]


def test_a_game_of_other_rules_is_refused():
    with pytest.raises(ValueError, match="expected 4 tribes on a board of side 16, got 2 on"):
        notation.action_to_text(Tribes(num_players=4), before(0), 0)
