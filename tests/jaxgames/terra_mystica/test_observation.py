"""The observation of Terra Mystica: hand-made positions, seats that change places."""

import copy
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.boards import hexes
from jaxgames.boards.packed_planes import as_floats
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.observation import plane_slices, vector_slices
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES
from jaxgames.terra_mystica.tables.terrain import (
    COLUMNS,
    LAND_COLUMN,
    LAND_NAMES,
    LAND_ROW,
    RIVER_CELLS,
    ROWS,
    Colour,
)
from jaxgames.terra_mystica.text import notation

SEATS = 3
RULES = TerraMystica(num_players=SEATS)
OBSERVE = jax.jit(lambda state, seat: as_floats(RULES.observe(state, seat)))
PLANES, NUMBERS = plane_slices(SEATS), vector_slices(SEATS)

ENGINEERS = {
    "faction": "engineers", "c": 10, "w": 5, "p": 0, "vp": 25, "key": 0, "ship": 1, "dig": 0,
    "range": 0, "spades": 0, "pw": [3, 5, 1], "cult": [0, 3, 0, 0], "bon": "BON4", "fav": ["FAV6"],
    "tw": ["TW1", "TW1"], "D": ["C5", "F6"], "TP": ["E7"], "TE": [], "SH": [], "SA": [],
    "br": ["D6:E8", "C5:D6"], "used": ["FAV6"], "passed": 0,
}  # fmt: skip
HALFLINGS = ENGINEERS | {
    "faction": "halflings", "c": 4, "p": 1, "key": 1, "ship": 0, "dig": 2,
    "pw": [3, 9, 0], "cult": [0, 0, 3, 10], "bon": "", "fav": ["FAV8", "FAV11"], "tw": [],
    "D": ["B2"], "TP": [], "TE": ["F5"], "SH": ["A1"], "br": [], "used": [], "passed": 1,
}  # fmt: skip
FAKIRS = HALFLINGS | {
    "faction": "fakirs", "range": 1, "bon": "BON5", "fav": ["FAV1"], "D": ["H1"], "TE": [],
    "SH": [], "key": 0, "dig": 0, "cult": [5, 2, 1, 1], "passed": 0,
}  # fmt: skip
POSITION = {
    "phase": "actions", "round": 2, "seat": 0, "placed": 0, "order": [1, 2, 0], "next_start": 1,
    "scoring": ["SCORE2", "SCORE1", "SCORE3", "SCORE4", "SCORE5", "SCORE6"],
    "cards": {"BON1": 0, "BON2": 1, "BON3": 0, "BON4": 0, "BON5": 0, "BON9": 3},
    "actions": ["ACT5"],
    "spots": {"FIRE": [-1] * 4, "WATER": [0, -1, 1, -1], "EARTH": [-1] * 4, "AIR": [-1] * 4},
    "terrain": {"E8": "U", "F4": "S"},
    "towns": ["F5"],
    "skipped": [],
    "players": [ENGINEERS, HALFLINGS, FAKIRS],
    "pending": {"actions": 1, "spades": 1, "source": "single", "buildable": ["F4"]},
    "leech": {},
}  # fmt: skip


def rotated(position: dict, by: int) -> dict:
    """Returns the same position with everybody `by` seats further on."""
    turned = copy.deepcopy(position)

    def seat(old: int) -> int:
        return (old + by) % SEATS

    turned["players"] = [position["players"][(new - by) % SEATS] for new in range(SEATS)]
    turned["seat"], turned["next_start"] = seat(position["seat"]), seat(position["next_start"])
    turned["order"] = [seat(old) for old in position["order"]]
    for cult, owners in position["spots"].items():
        turned["spots"][cult] = [owner if owner < 0 else seat(owner) for owner in owners]
    if "amounts" in position["leech"]:
        turned["leech"]["amounts"] = [
            [row[(new - by) % SEATS] for new in range(SEATS)]
            for row in position["leech"]["amounts"]
        ]
    return turned


def state(position: dict):
    return notation.text_to_state(RULES, json.dumps(position))


@pytest.fixture(scope="module")
def seen():
    """What the engineers see, by name: planes and numbers."""
    game = state(POSITION)
    river = hexes.from_cells(RIVER_CELLS[[2]], ROWS, COLUMNS)  # as if there had been mermaids
    game = game.replace(board=game.board.replace(skipped=river))
    grid, vector = jax.device_get(OBSERVE(game, jnp.int32(0)))
    planes = {name: np.moveaxis(grid[..., part], -1, 0) for name, part in PLANES.items()}
    return planes, {name: vector[part] for name, part in NUMBERS.items()}


def cells(names: str) -> np.ndarray:
    """Returns a plane with ones on land hexes."""
    plane = np.zeros((9, 13), np.float32)
    for name in names.split():
        plane[at(name)] = 1
    return plane


def at(name: str) -> tuple[int, int]:
    index = LAND_NAMES.index(name)
    return int(LAND_ROW[index]), int(LAND_COLUMN[index])


def test_layout_names_every_plane_and_number_once():
    for seats in range(2, 6):
        rules = TerraMystica(num_players=seats)
        game = jax.eval_shape(rules.init, jax.eval_shape(lambda: jax.random.key(0)))
        found = jax.eval_shape(lambda game, rules=rules: rules.observe(game, jnp.int32(0)), game)
        sizes = (found.grid.shape, found.vector.shape)
        assert sizes == ((9, 13, 11 + 10 * seats), (170 + 123 * seats,))
        for names, (*_, size) in zip((plane_slices, vector_slices), sizes, strict=True):
            parts = list(names(seats).values())
            assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
            assert (parts[0].start, parts[-1].stop) == (0, size)


def test_map(seen):
    planes, _ = seen
    assert planes["valid"].sum() == 113 and planes["river"].sum() == 36
    assert (planes["terrain"].sum(axis=0) + planes["river"] == planes["valid"]).all()
    for colour, name in ((Colour.GRAY, "F4"), (Colour.BROWN, "E8"), (Colour.BROWN, "A1")):
        assert planes["terrain"][colour][at(name)] == 1
    np.testing.assert_array_equal(planes["buildable"][0], cells("F4"))
    assert planes["skipped"].sum() == 1
    assert (planes["valid"][0, 1::2, 12] == 0).all()


def test_structures_are_seen_with_their_owner(seen):
    planes, _ = seen
    standing = [(0, 0, "C5 F6"), (0, 1, "E7"), (0, 2, ""), (1, 0, "B2"), (1, 2, "F5"), (1, 3, "A1")]
    for seat, kind, names in [*standing, (2, 0, "H1")]:
        np.testing.assert_array_equal(planes[f"{seat}/structures"][kind], cells(names))
    np.testing.assert_array_equal(planes["1/in_town"][0], cells("F5"))
    assert planes["0/in_town"].sum() == 0


def test_reach_of_ships_bridges_and_carpets(seen):
    planes, _ = seen
    # E7 touches E6, D5 and D6, F4 and E8; the bridge C5-D6 and two levels of shipping add more.
    direct = planes["0/direct"][0]
    assert all(direct[at(name)] for name in ["E6", "D5", "D6", "F4", "E8"])
    assert not direct[at("E7")] and not direct[at("A1")] and not direct[at("I1")]
    assert planes["0/tunnelled"].sum() == 0
    # Fakirs on H1 do not ship: G is river there, so H2, I1 and I2 are direct.
    np.testing.assert_array_equal(planes["2/direct"][0], cells("H2 I1 I2"))
    carpet = planes["2/tunnelled"][0]
    assert carpet[at("I3")] and carpet[at("H3")] and carpet[at("F1")] and not carpet[at("H2")]


def test_spades_count_the_way_home_from_free_land(seen):
    planes, _ = seen
    spades = planes["0/spades"][0]
    # Home is gray; green and red lie beside it on the wheel, yellow and blue two away.
    for name, needed in (("A2", 0), ("A3", 1), ("A6", 1), ("A5", 2), ("A4", 2), ("A8", 3)):
        assert spades[at(name)] == pytest.approx(needed / 3)
    assert spades[at("B2")] == 0  # a dwelling of the halflings


def test_bridges_are_seen_at_their_ends_and_by_number(seen):
    planes, numbers = seen
    np.testing.assert_allclose(
        planes["0/bridge_ends"][0], cells("D6") * 2 / 3 + cells("C5 E8") / 3, rtol=1e-6
    )
    assert numbers["0/bridges"].sum() == 2 and numbers["1/bridges"].sum() == 0
    assert numbers["0/bridges_left"] == pytest.approx(1 / 3)


def test_numbers_of_seats(seen):
    _, numbers = seen
    for seat, name in enumerate(("engineers", "halflings", "fakirs")):
        faction = numbers[f"{seat}/faction"]
        assert faction.argmax() == FACTION_NAMES.index(name) and faction.sum() == 1
    np.testing.assert_allclose(numbers["0/resources"], [0.5, 0.5, 0])
    np.testing.assert_allclose(numbers["0/bowls"], np.array([3, 5, 1]) / 12, rtol=1e-6)
    np.testing.assert_allclose(numbers["1/cults"], [0, 0, 0.3, 1], rtol=1e-6)
    # Level 1 and the ship of BON4; workers for a spade; two dwellings, BON4 and a trading post.
    assert numbers["0/ship"] == pytest.approx(2 / 6)
    np.testing.assert_allclose(numbers["0/spade_price"], [1, 0])
    np.testing.assert_allclose(numbers["1/spade_price"], [1 / 3, 0], rtol=1e-6)
    np.testing.assert_allclose(numbers["0/income"], [2 / 20, 2 / 10, 0, 4 / 12], rtol=1e-6)
    assert numbers["0/card"].argmax() == 3 and numbers["1/card"].sum() == 0
    np.testing.assert_array_equal(np.flatnonzero(numbers["1/favors"]), [7, 10])
    assert numbers["0/towns"][0] == 1 and numbers["1/towns"].sum() == 0
    np.testing.assert_array_equal(numbers["0/used"], [0, 1, 0])
    np.testing.assert_allclose(numbers["0/stock"], [6 / 8, 3 / 4, 1, 1, 1])
    assert numbers["1/priest_cap"] == pytest.approx(6 / 7)
    assert [float(numbers[f"{seat}/place"][0]) for seat in range(3)] == [0.5, 0, 0.25]
    assert [float(numbers[f"{seat}/passed"][0]) for seat in range(3)] == [0, 1, 0]
    assert [float(numbers[f"{seat}/decides"][0]) for seat in range(3)] == [1, 0, 0]
    assert [float(numbers[f"{seat}/starts_next"][0]) for seat in range(3)] == [0, 1, 0]


def test_numbers_of_the_table(seen):
    _, numbers = seen
    assert numbers["round"].argmax() == 1 and numbers["scoring_now"].argmax() == 0
    np.testing.assert_array_equal(
        numbers["scoring"].reshape(6, 9).argmax(axis=1), [1, 0, 2, 3, 4, 5]
    )
    # BON4 and BON5 are held.
    np.testing.assert_array_equal(np.flatnonzero(numbers["cards"]), [0, 1, 2, 8])
    np.testing.assert_allclose(numbers["card_coins"][[1, 8]], [1 / 6, 3 / 6], rtol=1e-6)
    np.testing.assert_array_equal(numbers["power_actions"], [0, 0, 0, 0, 1, 0])
    assert numbers["favors_left"][0] == 0 and numbers["favors_left"][10] == pytest.approx(2 / 3)
    assert numbers["towns_left"][0] == 0 and numbers["towns_left"][1] == 1
    np.testing.assert_allclose(numbers["spots"], [1, 0, 1, 1, 1, 2 / 3, 1, 1], rtol=1e-6)
    assert numbers["decision"].argmax() == Due.SPADES
    assert numbers["pending_spades"] == 0.25


LEECHING = POSITION | {
    "phase": "leech",
    "pending": {},
    "leech": {"amounts": [[0, 3, 1], [0, 0, 0]]},
}


@pytest.mark.parametrize("position", [POSITION, LEECHING], ids=["spades", "leech"])
def test_nothing_depends_on_seat_numbers(position):
    for viewer in range(SEATS):
        wanted = OBSERVE(state(position), jnp.int32(viewer))
        for by in range(1, SEATS):
            found = OBSERVE(state(rotated(position, by)), jnp.int32((viewer + by) % SEATS))
            jax.tree.map(np.testing.assert_array_equal, wanted, found)


def test_viewers_see_the_same_seats_in_another_order():
    game = state(LEECHING)
    first, second = (jax.device_get(OBSERVE(game, jnp.int32(viewer))) for viewer in (0, 1))
    for seat in range(SEATS):
        before = (seat - 1) % SEATS
        for name in ("structures", "direct", "spades"):
            here, there = PLANES[f"{seat}/{name}"], PLANES[f"{before}/{name}"]
            np.testing.assert_array_equal(first.grid[..., here], second.grid[..., there])
        for name in ("faction", "resources", "offered", "decides"):
            here, there = NUMBERS[f"{seat}/{name}"], NUMBERS[f"{before}/{name}"]
            np.testing.assert_array_equal(first.vector[here], second.vector[there])
    assert first.vector[NUMBERS["1/decides"]] == 1
    np.testing.assert_allclose(first.vector[NUMBERS["1/offered"]], [3 / 12, 0])


def test_seats_without_faction_are_seen_as_such():
    rules = TerraMystica(num_players=SEATS, factions="draft")
    seen = jax.device_get(OBSERVE(jax.jit(rules.init)(jax.random.key(0)), jnp.int32(1)))
    for seat in range(SEATS):
        for name in ("faction", "home", "income"):
            assert (seen.vector[NUMBERS[f"{seat}/{name}"]] == 0).all()
        assert (seen.grid[..., PLANES[f"{seat}/spades"]] == 0).all()
    assert seen.vector[NUMBERS["decision"]].argmax() == Due.FACTION
    assert seen.vector[NUMBERS["2/decides"]] == 1
