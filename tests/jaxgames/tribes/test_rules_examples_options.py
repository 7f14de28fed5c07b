"""Options of the rules: other prices, strengths and gains; what is refused."""

import dataclasses

import jax
import numpy as np
import pytest

from jaxgames.boards import notation as board_notation
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.tables import parameters
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.units import UnitKind
from jaxgames.tribes.text import notation
from tests.jaxgames.tribes.examples import TRACES, Game, in_city, in_tribe, start
from tests.jaxgames.tribes.positions import at, unit

DEFAULTS = parameters.DEFAULTS


def values(name: str, **changes: int) -> tuple[int, ...]:
    """Returns the values of a parameter with those of some kinds of units replaced."""
    numbers = getattr(DEFAULTS, name).tolist()
    for kind, value in changes.items():
        numbers[UnitKind[kind.upper()]] = value
    return tuple(numbers)


def ready():
    """Returns a position with a free centre, fruit, a fight and a road to walk."""
    state = at(start("riding roads", stars=5), "tiles", "d3", resource=Resource.FRUIT)
    state = at(state, "units", "c3", kind=-1, tribe=-1)
    state = unit(unit(state, "f6", UnitKind.WARRIOR, 0), "g6", UnitKind.WARRIOR, 1)
    return knowing_fruit(state)


def knowing_fruit(state):
    return in_tribe(state, 0, technologies=state.tribes.technologies[0] | np.uint32(1 << 3))


@pytest.mark.parametrize(
    ("changes", "gone", "new"),
    [
        ({"unit_cost": values("unit_cost", rider=6)}, "c3 spawn rider", None),
        ({"gather_cost": 6}, "d3 gather", None),
        ({"road_cost": 6}, "e4 build_road", None),
        ({"technology_base_cost": 5}, "research fishing", None),
        ({"unit_movement": values("unit_movement", warrior=2)}, None, "f6 move d6"),
        ({"unit_range": values("unit_range", warrior=3)}, None, "f6 attack i9"),
    ],
)
def test_parameters_change_what_is_legal_without_another_compilation(changes, gone, new):
    usual = Game(ready())
    assert usual.legal
    traces = TRACES["options"]
    other = Game(ready(), Tribes(parameters=changes))
    assert gone is None or (gone in usual.legal and gone not in other.legal)
    assert new is None or (new not in usual.legal and new in other.legal)
    assert TRACES["options"] == traces


@pytest.mark.parametrize(
    ("changes", "text", "found"),
    [
        ({"unit_attack": values("unit_attack", warrior=3)}, "f6 attack g6", (6, 2)),
        ({"unit_max_hp": values("unit_max_hp", warrior=20)}, "f6 attack g6", (5, 5)),
        ({"unit_defence": values("unit_defence", warrior=0)}, "f6 attack g6", (10, 1)),
    ],
)
def test_parameters_change_combat(changes, text, found):
    assert Game(ready()).play(text)  # compiles
    traces = TRACES["act"]
    after = Game(ready(), Tribes(parameters=changes)).play(text)
    assert (after.unit("f6").hp, after.unit("g6").hp) == found
    assert TRACES["act"] == traces


def test_parameters_change_gains():
    changes = {"gather_population": 2, "population_points": 7, "level_points": (9, 8, 7, 6)}
    game = Game(ready(), Tribes(parameters=changes))
    after = game.play("d3 gather")
    assert after.city("c3").population == 2 and after.score[0] - game.score[0] == 14
    assert after.play("level_up workshop").score[0] - after.score[0] == 9
    turn = Game(ready(), Tribes(parameters={"capital_stars": 4})).play("end_turn").play("end_turn")
    assert turn.stars[0] == 5 + 1 + 4


def test_large_gains_do_not_overflow():
    rules = Tribes(parameters={"whales_stars": 1000, "clear_stars": 1000, "grow_cost": 0})
    state = at(start("forestry spiritualism", stars=30_000), "tiles", "d4", terrain=Terrain.FOREST)
    game = Game(state, rules)
    for text in ("clear_forest", "grow_forest") * 3:
        game = game.play(f"d4 {text}")
        assert game.stars[0] >= 30_000
    most = Tribes(parameters={"ruins_population": parameters.MAX_POPULATION})
    ruins = at(unit(start(), "f6", UnitKind.RIDER, 0), "tiles", "f6", resource=Resource.RUINS)
    grown = Game(in_city(ruins, "c3", population=1), most).play("f6 examine", (5, 2))
    assert grown.city("c3").population == 1 + parameters.MAX_POPULATION


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 5}, "num_players must be 2 to 4, got 5"),
        ({"side": 12}, "side must be one of 11, 14, 16, got 12"),
        ({"mode": "capital"}, "unknown mode 'capital'.*capitals"),
        ({"rules": "correct"}, "unknown rules 'correct'.*corrected"),
        ({"tribes": "xin_xi,imperus"}, "unknown tribe 'imperus'.*imperius"),
        ({"tribes": "xin_xi,xin_xi"}, "tribes must be 2 different names, got 'xin_xi,xin_xi'"),
        ({"tribes": "xin_xi"}, "tribes must be 2 different names, got 'xin_xi'"),
        ({"parameters": {"road_price": 2}}, "unknown parameter 'road_price'.*road_cost"),
        ({"parameters": {"road_cost": 2.5}}, "road_cost must be whole numbers, got 2.5"),
        ({"parameters": {"road_cost": (1, 2)}}, r"road_cost must be one number, got \(1, 2\)"),
        ({"parameters": {"tier_points": 5}}, "tier_points must be 3 numbers, got 5"),
        ({"parameters": {"road_cost": -1}}, "road_cost must be 0 to 1000, got -1"),
        ({"parameters": {"turn_limit": (50, 121)}}, r"turn_limit\[1\] must be 1 to 120, got 121"),
        ({"parameters": {"turn_limit": (0, 30)}}, r"turn_limit\[0\] must be 1 to 120, got 0"),
        ({"parameters": {"unit_cost": [[1, 2], [3]]}}, "unit_cost must be whole numbers"),
        ({"parameters": {"tier_points": (1, True, 3)}}, "tier_points must be whole numbers"),
        ({"parameters": {1: 3}}, "unknown parameter '1'"),
        ({"parameters": 5}, "parameters must be a mapping from names to values, got 5"),
        ({"parameters": "road_cost"}, "parameters must be a mapping.*got 'road_cost'"),
        ({"fog": "no"}, "fog must be True or False, got 'no'"),
        ({"terrain_defence": None}, "terrain_defence must be True or False, got None"),
        ({"mode": 1}, "unknown mode '1'"),
        ({"rules": None}, "unknown rules 'None'"),
        ({"num_players": 2.0}, "num_players must be 2 to 4, got 2.0"),
        ({"num_players": [2]}, r"num_players must be 2 to 4, got \[2\]"),
        ({"side": 11.0}, "side must be one of 11, 14, 16, got 11.0"),
        ({"tribes": ("xin_xi", "imperius")}, "tribes must be a text.*got .'xin_xi'"),
        ({"tribes": None}, "tribes must be a text.*got None"),
        ({"tribes": "rand"}, "unknown tribe 'rand'.*did you mean 'random'"),
        ({"parameters": {"gather_population": 99}}, "gather_population must be 0 to"),
        (
            {"parameters": {"unit_max_hp": values("unit_max_hp", rider=60)}},
            r"unit_max_hp \(of units on land\) and veteran_hp must add up to 63 at most, got 65",
        ),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Tribes(**options)


def test_rules_are_equal_by_value():
    assert Tribes() == Tribes(parameters={}) == Tribes(parameters={"road_cost": 2})
    assert hash(Tribes()) == hash(Tribes(parameters={"road_cost": 2}))
    others = [
        Tribes(parameters={"road_cost": 3}),
        *(Tribes(**{name: value}) for name, value in OTHERS.items()),
    ]
    assert len({Tribes(), *others}) == 1 + len(others)
    assert Tribes() != "tribes"


OTHERS = {
    "num_players": 3,
    "side": 14,
    "mode": "score",
    "fog": True,
    "rules": "corrected",
    "tribes": "bardur,oumaji",
    "terrain_defence": False,
}


def test_all_options_are_compared():
    assert {field.name for field in dataclasses.fields(Tribes)} == {*OTHERS, "parameters"}


@pytest.mark.parametrize(
    "rules",
    [
        Tribes(),
        Tribes(fog=True, tribes="bardur,oumaji", parameters={"road_cost": 2}),
        Tribes(parameters={"tier_points": (0, 0, 0), "road_cost": 3}),
    ],
)
def test_rules_in_words_are_short_and_make_the_rules_again(rules):
    assert len(repr(rules)) < 250
    assert eval(repr(rules)) == rules


def test_rules_in_words_name_traced_parameters():
    words = []
    jax.jit(lambda rules: words.append(repr(rules)))(Tribes(parameters={"road_cost": 3}))
    assert "'road_cost': " in words[0] and "'tier_points': " in words[0]


@pytest.mark.parametrize(
    ("draws", "got"),
    [
        (np.zeros(32, np.float32), r"float32\[32\]"),
        (np.zeros(0, np.uint32), r"uint32\[0\]"),
        (np.zeros((2, 32), np.uint32), r"uint32\[2, 32\]"),
        ([0] * 32, r"list\[32\]"),
        (None, r"NoneType\[\]"),
    ],
)
def test_recorded_chance_is_a_vector_of_words(draws, got):
    with pytest.raises(ValueError, match=rf"draws must be uint32\[1 to 32\], got {got}"):
        Tribes().step_with_draws(ready(), np.int32(0), draws)


def test_ships_have_no_part_in_how_tough_units_may_be():
    hp = [10] * 8 + [63] * 3 + [40]
    assert Tribes(parameters={"unit_max_hp": hp, "veteran_hp": 23})
    with pytest.raises(ValueError, match=r"unit_max_hp \(of units on land\) .* 63 at most, got 64"):
        Tribes(parameters={"unit_max_hp": hp, "veteran_hp": 24})


def test_tables_share_the_program_that_finds_words_for_actions():
    program = board_notation._of_any_tables
    before = len(program._programs), program._cache_size()
    for cost in (3, 4, 5):
        notation.playable_moves(Tribes(parameters={"road_cost": cost}), ready())
    after = len(program._programs), program._cache_size()
    assert sum(after) - sum(before) <= 1
