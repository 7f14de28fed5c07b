"""Position texts of Tribes: round trips, and what is refused with which words."""

import json

import jax
import numpy as np
import pytest

from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage
from jaxgames.tribes.tables.buildings import FIRST_TEMPLE
from jaxgames.tribes.text import notation
from tests.jaxgames.states import same
from tests.jaxgames.tribes import recorded

RULES = Tribes()
FOG = Tribes(fog=True)
THREE = Tribes(num_players=3, mode="score")


@pytest.mark.parametrize(
    ("rules", "file", "name", "every"),
    [(RULES, "mixed", "10", 8), (FOG, "fog", "15", 16), (THREE, "multi", "1", 30)],
)
def test_positions_of_a_game_are_read_back_as_they_were(rules, file, name, every):
    number = len(recorded.game(file, name).decisions)
    for decision in [*range(0, number, every), -1]:
        state = recorded.position(file, name, decision)
        text = notation.state_to_text(rules, state)
        assert same(notation.text_to_state(rules, text), state)


def test_what_is_read_has_the_types_of_the_game():
    state = recorded.position("multi", "1", 100)
    start = jax.eval_shape(THREE.init, jax.random.key(0))
    assert jax.tree.structure(state) == jax.tree.structure(start)
    for leaf, expected in zip(jax.tree.leaves(state), jax.tree.leaves(start), strict=True):
        assert (leaf.shape, leaf.dtype) == (expected.shape, expected.dtype)


def test_order_numbers_are_counted_anew_but_their_order_is_kept():
    state = recorded.position("mixed", "10", 300)
    gaps = state.replace(
        units=state.units.replace(joined=state.units.joined * 3 + 7),
        cities=state.cities.replace(joined=state.cities.joined * 2 + 1),
        tiles=state.tiles.replace(built=state.tiles.built * 5),
        counter=np.int16(1000),
    )
    text = notation.state_to_text(RULES, gaps)
    assert text == notation.state_to_text(RULES, state)
    assert same(notation.text_to_state(RULES, text), state)
    backwards = state.replace(units=state.units.replace(joined=-state.units.joined))
    assert notation.state_to_text(RULES, backwards) != text


def test_a_chosen_tile_is_part_of_the_position():
    state = recorded.position("mixed", "10", 50)
    tile = min(notation.playable_moves(RULES, state))
    chosen = state.replace(phase=np.int8(Stage.SUB_ACTION), selected=np.int16(tile))
    text = notation.state_to_text(RULES, chosen)
    assert f'"phase":"sub_action","selected":{tile}' in text
    assert same(notation.text_to_state(RULES, text), chosen)


def test_a_chosen_tile_has_something_to_do():
    position = json.loads(notation.state_to_text(RULES, recorded.position("mixed", "10", 0)))
    position |= {"phase": "sub_action", "selected": 120}
    with pytest.raises(ValueError, match="selected: nothing can be done on tile 120"):
        notation.text_to_state(RULES, json.dumps(position))


def document() -> dict:
    """Returns a position of two tribes with three cities each, in tick 20."""
    return json.loads(notation.state_to_text(RULES, recorded.position("mixed", "10", 300)))


def edited(path: str, value) -> str:
    """Returns its text with the entry at a path, such as `tiles.3.0`, replaced."""
    position = document()
    *parents, last = path.split(".")
    entry = position
    for key in parents:
        entry = entry[int(key)] if isinstance(entry, list) else entry[key]
    entry[int(last) if isinstance(entry, list) else last] = value
    return json.dumps(position)


def test_rows_mean_what_the_game_stores():
    state = notation.text_to_state(RULES, json.dumps(document()))
    assert state.cities.tile[state.cities.tribe == 0].tolist() == [12, 15, 29]
    in_order = state.cities.tile[np.argsort(state.cities.joined)]
    assert in_order[-5:].tolist() == [15, 12, 60, 63, 95]
    giant = {
        name: getattr(state.units, name)[40].item() for name in ("kind", "cargo", "hp", "kills")
    }
    assert giant == {"kind": 11, "cargo": 11, "hp": 38, "kills": 2}
    assert state.cities.tile[state.units.home[40]] == 63
    assert np.argsort(state.tiles.built)[-7:].tolist() == [75, 64, 51, 76, 73, 65, 42]
    assert state.tribes.stars.tolist() == [4, 0]
    assert state.tribes.met.tolist() == [0b11, 0b01]
    assert bin(int(state.tiles.network[12 // 11])) == bin(1 << 12 % 11 | 1 << 15 % 11)


def test_text_that_is_no_object_is_refused():
    for text, message in (
        ("", "position: not JSON"),
        ("[1]", r"expected an object, got \[1\]"),
        ("[" * 100_000, "position: nested too deeply"),
        (None, "position: expected text, got None"),
    ):
        with pytest.raises(ValueError, match=message):
            notation.text_to_state(RULES, text)


def test_nothing_is_chosen_while_a_city_must_level_up():
    position = document()
    tile = next(t for t, city in position["cities"].items() if city[0] == position["active"])
    city = position["cities"][tile]
    city[2] = city[3]
    state = notation.text_to_state(RULES, json.dumps(position))
    assert {"level_up"} == {
        words.split()[0] for words in notation.playable_moves(RULES, state).values()
    }
    position |= {"phase": "sub_action", "selected": int(tile)}
    with pytest.raises(ValueError, match=f"selected: expected null while city {tile} must level"):
        notation.text_to_state(RULES, json.dumps(position))


def test_what_the_rules_do_not_have_is_refused():
    text = json.dumps(document())
    for rules, message in (
        (THREE, "side: expected a number from 14 to 14, got 11"),
        (Tribes(num_players=3, side=11), "tribe_ids: expected 3 tribes, as num_players says"),
        (FOG, "position: key 'vis' is missing"),
        (Tribes(parameters={"unit_max_hp": [12] * 12}), "units, 1, max_hp: expected .* 12 to 12"),
    ):
        with pytest.raises(ValueError, match=message):
            notation.text_to_state(rules, text)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("ticks", 3, "position: unknown key 'ticks'; did you mean 'tick'"),
        ("vis", [], "vis: expected only where the rules have fog"),
        ("tick", -1, "tick: expected a number from 0 to 50, got -1"),
        ("tick", 51, "tick: expected a number from 0 to 50, got 51"),
        ("active", 2, "active: expected a number from 0 to 1, got 2"),
        ("active", True, "active: expected a number from 0 to 1, got True"),
        ("phase", "sub_actions", "phase: unknown name 'sub_actions'; did you mean 'sub_action'"),
        ("selected", 4, "selected: expected null in phase 'source', got 4"),
        ("phase", "sub_action", "selected: expected a number from 0 to 120, got None"),
        ("over", 1, "position: key 'ranking' is missing"),
        ("tribe_ids", ["bardur", "bardur"], "tribe_ids: bardur may occur once, got 2"),
        ("tribe_ids", ["bardur", "omaji"], "unknown name 'omaji'; did you mean 'oumaji'"),
        ("tribes", [], "tribes: expected 2 rows, got 0"),
        ("tiles", {}, r"tiles: expected a list of 121 rows, got \{\}"),
        ("tribes.0", [1, 2], r"tribes\[0\]: expected a list of stars, score, .*; got \[1, 2\]"),
        ("tribes.0.0", -1, r"tribes\[0\], stars: expected a number from 0 to 20000, got -1"),
        ("tribes.0.0", 20001, r"tribes\[0\], stars: expected a number from 0 to 20000, got 20001"),
        ("tribes.0.3", 20001, "kills: expected a number from 0 to 20000, got 20001"),
        ("cities.12.2", 20001, "population: expected a number from -2 to 20000, got 20001"),
        ("tribes.0.2", 1 << 24, r"tribes\[0\], technologies: expected a number from 0 to 16777215"),
        ("tribes.1.6", 63, r"tribes\[1\], capital: expected a city that is .* 29, 60; got 63"),
        ("tribes.1.6", "60", r"tribes\[1\], capital: expected a city that is .* 29, 60; got '60'"),
        ("tribes.1.6", 29, r"capital: expected each of the cities .* \[29, 60\]; got \[29, 29\]"),
        ("tribes.1.7", [0] * 6, "monuments: expected a list of 7 numbers"),
        ("tribes.0.8", [29, 15], r"cities: expected \[12, 15, 29\] in some order, got \[29, 15\]"),
        ("tribes.0.8", [29, 15, 60], "cities: expected its cities, one of 12, 15, 29; got 60"),
        ("tribes.0.9", [16], "connected: expected its cities, one of 12, .*; got 16"),
        ("tribes.0.9", [60], "connected: expected its cities, one of 12, 15, 29; got 60"),
        ("tribes.0.5", 1, r"tribes\[0\], result: expected a number from 2 to 2, got 1"),
        ("tribes.1.5", 0, r"tribes\[1\], result: expected a number from 1 to 2, got 0"),
        ("tiles.29.4", 0, r"tiles\[29\], network .of a city.: expected .* from 1 to 1, got 0"),
        ("tribes.0.10", [1], "units: expected its units without home, one of none; got 1"),
        ("tribes.0.11", [0, 0], "met: 0 may occur once, got 2"),
        ("cities.x", [], "cities: expected keys from 0 to 120, got 'x'"),
        ("cities.12.1", 0, "cities, 12, level: expected a number from 1 to 127, got 0"),
        ("cities.12.1", "x", "cities, 12, level: expected a number from 1 to 127, got 'x'"),
        ("cities.12.2", -3, "cities, 12, population: expected a number from -2 to 20000, got -3"),
        ("cities.12.3", 4, "cities, 12, need: expected a number from 3 to 3, got 4"),
        ("cities.12.6", 2, "cities, 12, radius: expected a number from 1 to 1, got 2"),
        ("cities.12.7", 2**31 - 1, "12, worth: expected a number from -100000000 to 100000000"),
        ("cities.12.9", [5], r"cities, 12, units: expected unit 6 in it, got \[5\]"),
        ("cities.12.9", [5, 6, 7], "12, units: expected units with this home, one of 5, 6; got 7"),
        ("cities.15.10", [], r"cities, 15, buildings: \[14, 1\] of tiles\[14\] is missing"),
        ("cities.15.10", [[14, 2]], r"15, buildings: expected tile and kind .* got \[14, 2\]"),
        ("cities.15.10", [[14, 1, 1, 3]], "level and countdown of temples, and of them only"),
        ("cities.15.10", [14], "cities, 15, buildings: expected a list of 2 numbers, got 14"),
        ("units.0", [], "units: expected keys from 1 to 20000, got '0'"),
        ("units.1.0", 26, r"tiles\[25\], unit: unit 1 stands on tile 26"),
        ("tiles.25.5", 0, r"units, 1, tile: tiles\[25\] says that unit 0 stands there"),
        ("units.1.1", 12, "units, 1, kind: expected a number from 0 to 11, got 12"),
        ("units.1.2", 1, "units, 1, tribe .that of its city.: expected a number from 0 to 0"),
        ("units.1.3", 11, "units, 1, hp: expected a number from 1 to 10, got 11"),
        ("units.1.4", 15, "units, 1, max_hp: expected a number from 10 to 10, got 15"),
        ("units.1.8", 30, "units, 1, home: expected a city's tile, one of -1, 12, .*; got 30"),
        ("units.1.8", -1, r"tribes\[0\], units: expected unit 1 in it, got \[\]"),
        ("cities.29.0", None, "cities, 29, tribe: expected a number from 0 to 1, got None"),
        ("cities.012", [], "cities: expected keys from 0 to 120, got '012'"),
        ("units.1.9", 0, "units, 1, cargo: expected a unit that can be aboard, one of -1; got 0"),
        ("units.1.1", 8, "cargo: expected a unit that can be aboard, one of 0, .*; got -1"),
        ("tiles.25.0", 1, "units, 1, kind: rider on shallow_water; boats and ships are on water"),
        ("tiles.3.0", 7.0, r"tiles\[3\], terrain: expected a number from 0 to 6, got 7.0"),
        ("tiles.3.0", 5, r"tiles\[3\]: terrain 5 and an entry in cities go .* and no entry"),
        ("tiles.3.1", 4, r"tiles\[3\], resource: expected a resource, one of -1, 0, .*; got 4"),
        ("tiles.3.2", 1, r"buildings: \[3, 1\] of tiles\[3\] is missing"),
        ("tiles.3.3", 16, r"tiles\[3\], owner: expected a city's tile, one of -1, 12, .*; got 16"),
        ("tiles.29.3", -1, r"tiles\[29\], owner: expected the city on it, 29; got -1"),
        ("tiles.29.3", 12, r"tiles\[29\], owner: expected the city on it, 29; got 12"),
        ("tiles.3.3", 60, r"tiles\[3\], owner: city 60 owns tiles up to 2 away, this is 5"),
        ("tiles.3.5", 5, r"tiles\[3\], unit: unit 5 stands on tile 6"),
        ("tribes.0.2", 1 << 23, "technologies: philosophy needs meditation, got 8388608"),
        ("tribes.1.5", 1, r"tribes\[1\], result: tribes without .* lost, .*; got 1 with 3 cities"),
        ("tiles.7.4", 1, r"tiles\[7\], network .of water without a port.: .* from 0 to 0, got 1"),
        ("tiles.42.4", 0, r"tiles\[42\], network .of a port.: expected .* from 1 to 1, got 0"),
        ("tiles.42.0", 0, r"tiles\[42\], building: expected a port to be on water, got plain"),
    ],
)  # fmt: skip
def test_contradictions_are_refused_with_place_and_expectation(path, value, message):
    with pytest.raises(ValueError, match=message):
        notation.text_to_state(RULES, edited(path, value))


def conquered(*homeless: str) -> dict:
    """Returns the position, but the first tribe holds all cities, and units but some."""
    position = document()
    one, other = position["tribes"]
    one[8], other[8] = one[8] + other[8], []
    for city in position["cities"].values():
        city[0] = 0
    for number, unit in position["units"].items():
        if number in homeless:
            position["cities"][str(unit[8])][9].remove(int(number))
            other[10].append(int(number))
            unit[8] = -1
        else:
            unit[2] = 0
    other[5] = 1
    return position


def test_who_has_lost_has_nothing_and_who_holds_all_capitals_has_won():
    score = Tribes(mode="score")
    with pytest.raises(ValueError, match="over: expected 1, only tribe 0 has not lost; got 0"):
        notation.text_to_state(score, json.dumps(conquered()))
    with pytest.raises(ValueError, match="over: expected 1, tribe 0 holds all capitals; got 0"):
        notation.text_to_state(RULES, json.dumps(conquered()))
    with pytest.raises(ValueError, match=r"tribes\[1\], result: .* no units, this one has"):
        notation.text_to_state(score, json.dumps(conquered("7")))
    position = conquered()
    position["tribes"][1][5] = 2
    with pytest.raises(ValueError, match=r"tribes\[1\], result: .* got 2 with 0 cities"):
        notation.text_to_state(score, json.dumps(position))


def test_what_a_seat_knows_in_fog_has_no_text():
    state = recorded.position("fog", "15", 0)
    with pytest.raises(ValueError, match="expected a whole position, got one with cities that fog"):
        notation.state_to_text(FOG, jax.jit(FOG.determinize)(state, 0, jax.random.key(0)))


@pytest.mark.parametrize("countdown", [0, 4])
def test_temples_grow_after_one_to_three_turns(countdown):
    position = document()
    owned = next(
        tile
        for tile, row in enumerate(position["tiles"])
        if row[3] == 12 and row[2] < 0 and tile != 12
    )
    position["tiles"][owned][2] = int(FIRST_TEMPLE)
    for turns in (3, 1):
        position["cities"]["12"][10] = [[owned, int(FIRST_TEMPLE), 1, turns]]
        notation.text_to_state(RULES, json.dumps(position))
    position["cities"]["12"][10] = [[owned, int(FIRST_TEMPLE), 1, countdown]]
    message = f"cities, 12, buildings, countdown: expected a number from 1 to 3, got {countdown}"
    with pytest.raises(ValueError, match=message):
        notation.text_to_state(RULES, json.dumps(position))


def test_the_end_of_a_game_has_a_ranking():
    end = recorded.position("mixed", "10", -1)
    text = notation.state_to_text(RULES, end)
    assert '"over":1,"ranking":[1,0]' in text
    with pytest.raises(ValueError, match=r"ranking: expected each tribe once, got \[1, 1\]"):
        notation.text_to_state(RULES, text.replace('[1,0],"tribe_ids', '[1,1],"tribe_ids'))
    with pytest.raises(ValueError, match=r"tribes\[0\], result: expected a number from 0 to 0"):
        notation.text_to_state(RULES, text.replace('[1,0],"tribe_ids', '[0,1],"tribe_ids'))


def test_what_tribes_have_seen_must_cover_the_board():
    text = notation.state_to_text(FOG, recorded.position("fog", "15", 0))
    for seen, message in (
        ("1", r"vis: expected a list of 2 texts, got '1'"),
        (["1" * 121], "vis: expected 2 texts, got 1"),
        (["1", "0"], r"vis\[0\]: expected 121 times 0 or 1, got '1'"),
    ):
        with pytest.raises(ValueError, match=message):
            notation.text_to_state(FOG, json.dumps(json.loads(text) | {"vis": seen}))
