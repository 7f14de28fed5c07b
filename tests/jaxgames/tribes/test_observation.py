"""The observation of Tribes: hand-made positions, seats that change places, what is hidden."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.boards import features
from jaxgames.tribes import observation
from jaxgames.tribes.engine.knowledge import determinize
from jaxgames.tribes.observation import plane_slices, scalar_slices
from jaxgames.tribes.state import TribesState
from jaxgames.tribes.tables.buildings import BuildingKind, Monument
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.tables.terrain import Resource, Terrain
from jaxgames.tribes.tables.tribes import Result, Tribe
from jaxgames.tribes.tables.units import Status, UnitKind
from tests.jaxgames.tribes.positions import (
    anything,
    at,
    begun,
    change,
    city,
    config_of,
    seen,
    tile,
    unit,
)

SEATS = 3
SETTING = config_of(SEATS)
OBSERVE = jax.jit(lambda state, viewer: observation.observe(SETTING, state, viewer))
PLANES, SCALARS = plane_slices(SEATS), scalar_slices(SEATS)
CAPITALS = "c3 i3 i9"
PEOPLE = (Tribe.BARDUR, Tribe.XIN_XI, Tribe.OUMAJI)
ME, NEXT, LAST = 1, 2, 0  # seats, from the viewer on


def observe(state: TribesState, viewer: int = ME) -> observation.TribesObservation:
    return jax.device_get(OBSERVE(state, jnp.int32(viewer)))


def position() -> TribesState:
    """A position of three tribes, in the seventh tick, seen by the second."""
    state = begun(CAPITALS, PEOPLE)
    state = city(state, "f6", ME, "e6 f6 e7", level=3, population=2, production=4, walls=True)
    state = city(state, "k11", -1)
    state = at(state, "tiles", "a1 b1", terrain=Terrain.DEEP_WATER)
    state = at(state, "tiles", "b1", resource=Resource.WHALES)
    state = at(state, "tiles", "e1", resource=Resource.FRUIT)
    state = at(state, "tiles", "e6", building=BuildingKind.TEMPLE, temple_level=3)
    state = at(state, "tiles", "e6", temple_countdown=2)
    state = at(state, "tiles", "e7", building=BuildingKind.FARM)
    boat = {"cargo": UnitKind.CATAPULT, "hp": 5, "status": Status.MOVED, "kills": 2, "home": 3}
    state = unit(state, "a1", UnitKind.BOAT, ME, **boat)
    rider = {"hp": 15, "veteran": True, "status": Status.FINISHED, "kills": 9}
    state = unit(state, "f9", UnitKind.RIDER, NEXT, **rider)
    known = 1 << Technology.CLIMBING | 1 << Technology.RIDING | 1 << Technology.SAILING
    monuments = np.zeros((SEATS, 7))
    monuments[ME, Monument.GATE], monuments[ME, Monument.PARK] = 1, 2
    return change(
        state,
        "tribes",
        technologies=[1, known, 1],
        stars=[7, 20, 9],
        score=[500, 1000, 2000],
        kills=[4, 5, 6],
        peace=[1, 2, 3],
        connected=[0, 0b1000, 0],
        monuments=monuments,
        result=[Result.PLAYING, Result.PLAYING, Result.LOSS],
    ).replace(
        tick=np.int16(25),
        active=np.int8(ME),
        phase=np.int8(1),
        selected=np.int16(tile("a1")),
    )


@pytest.fixture(scope="module")
def found():
    """What the second seat sees, by name: planes and numbers."""
    board, scalars = observe(position())
    planes = {name: np.moveaxis(board[..., part], -1, 0) for name, part in PLANES.items()}
    return planes, {name: scalars[part] for name, part in SCALARS.items()}


def cells(names: str) -> np.ndarray:
    """Returns a plane with ones on some tiles."""
    plane = np.zeros(121, np.float32)
    plane[[tile(name) for name in names.split()]] = 1
    return plane.reshape(11, 11)


def value(plane: np.ndarray, name: str) -> float:
    return float(plane.reshape(-1)[tile(name)])


@pytest.mark.parametrize(("players", "side"), [(2, 11), (3, 14), (4, 16)])
def test_layout_names_every_plane_and_number_once(players, side):
    config = config_of(players, side=side)
    shapes = jax.eval_shape(
        lambda state: observation.observe(config, state, jnp.int32(0)),
        anything(0, players, side),
    )
    assert shapes.board.shape == (side, side, 76 + 3 * players)
    assert shapes.scalars.shape == (48 + 9 * players,)
    assert {shapes.board.dtype, shapes.scalars.dtype} == {jnp.dtype("float32")}
    for names, size in (
        (plane_slices, shapes.board.shape[-1]),
        (scalar_slices, shapes.scalars.shape[0]),
    ):
        parts = list(names(players).values())
        assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
        assert (parts[0].start, parts[-1].stop) == (0, size)


def test_ground(found):
    planes, _ = found
    assert (planes["terrain"].sum(axis=0) == 1).all()
    np.testing.assert_array_equal(planes["terrain"][Terrain.DEEP_WATER], cells("a1 b1"))
    np.testing.assert_array_equal(planes["terrain"][Terrain.VILLAGE], cells("k11"))
    np.testing.assert_array_equal(planes["terrain"][Terrain.CITY], cells("c3 f6 i3 i9"))
    # Whales do not show without fishing; fruit is the second resource.
    np.testing.assert_array_equal(planes["resource"].sum(axis=0), planes["resource"][1])
    np.testing.assert_array_equal(planes["resource"][1], cells("e1"))
    np.testing.assert_array_equal(planes["building"][BuildingKind.TEMPLE], cells("e6"))
    np.testing.assert_array_equal(planes["building"].sum(axis=0), cells("e6 e7"))
    np.testing.assert_allclose(planes["temple"][0], cells("e6") * 3 / 5, rtol=1e-6)
    np.testing.assert_allclose(planes["temple"][1], cells("e6") * 2 / 3, rtol=1e-6)
    np.testing.assert_array_equal(planes["network"][0], cells("c3 i3 i9"))


def test_every_resource_has_its_plane():
    state = change(begun(CAPITALS, PEOPLE), "tribes", technologies=[0xFFFFFF] * 3)
    kinds = [kind for kind in Resource if kind != Resource.NONE]
    for column, kind in enumerate(kinds):
        state = at(state, "tiles", f"{'abcdefg'[column]}11", resource=kind)
    planes = observe(state).board[10, :7, PLANES["resource"]]
    np.testing.assert_array_equal(planes, np.eye(7))


def test_cities(found):
    planes, _ = found
    np.testing.assert_allclose(
        planes["city"][0], (cells("c3 i3 i9") + 3 * cells("f6")) / 10, rtol=1e-6
    )
    np.testing.assert_array_equal(planes["walls"][0], cells("f6"))
    population, lacking, income, room = planes["own_city"]
    # The new city needs a population of 4, brings 3 + 4 stars and supports a boat; the capital
    # needs 2, brings 1 + 1 stars and supports its first warrior.
    np.testing.assert_allclose(population, 0.2 * cells("f6"), rtol=1e-6)
    np.testing.assert_allclose(lacking, (2 * cells("f6") + 2 * cells("i3")) / 10, rtol=1e-6)
    np.testing.assert_allclose(income, (7 * cells("f6") + 2 * cells("i3")) / 10, rtol=1e-6)
    np.testing.assert_allclose(room, (3 * cells("f6") + 1 * cells("i3")) / 10, rtol=1e-6)
    np.testing.assert_array_equal(planes["connected"][0], cells("f6"))


def test_units(found):
    planes, _ = found
    kinds = planes["unit"]
    np.testing.assert_array_equal(kinds[UnitKind.WARRIOR], cells("c3 i3"))
    np.testing.assert_array_equal(kinds[UnitKind.RIDER], cells("f9 i9"))
    np.testing.assert_array_equal(kinds[UnitKind.BOAT], cells("a1"))
    assert kinds.sum() == 5
    np.testing.assert_array_equal(planes["cargo"][UnitKind.CATAPULT], cells("a1"))
    assert planes["cargo"].sum() == 1
    share, points = planes["hp"]
    assert (value(share, "a1"), value(points, "a1")) == (0.5, 5 / 40)
    assert (value(share, "f9"), value(points, "f9")) == (1, 15 / 40)  # a veteran has 5 more
    np.testing.assert_array_equal(planes["veteran"][0], cells("f9"))
    np.testing.assert_allclose(planes["kills"][0], cells("a1") * 2 / 3, rtol=1e-6)
    np.testing.assert_array_equal(planes["status"][Status.MOVED], cells("a1"))
    assert value(planes["status"][Status.FINISHED], "f9") == 1
    assert planes["status"].sum() == 5
    np.testing.assert_array_equal(planes["selected"][0], cells("a1"))


def test_kills_count_up_to_what_a_veteran_needs():
    state = unit(begun(CAPITALS, PEOPLE), "a1", UnitKind.RIDER, ME, kills=8)
    np.testing.assert_array_equal(observe(state).board[..., PLANES["kills"]][..., 0], cells("a1"))


def test_no_tile_is_chosen_before_the_first_step():
    board, scalars = observe(position().replace(phase=np.int8(0), selected=np.int16(0)))
    assert board[..., PLANES["selected"]].sum() == scalars[SCALARS["sub_action"]] == 0


def test_superunit_aboard_has_the_last_cargo_plane():
    state = unit(begun(CAPITALS, PEOPLE), "a1", UnitKind.SHIP, ME, cargo=UnitKind.SUPERUNIT)
    np.testing.assert_array_equal(observe(state).board[..., PLANES["cargo"]][..., 8], cells("a1"))


def test_seats_come_in_the_order_of_play(found):
    planes, numbers = found
    borders = "h2 i2 j2 h3 i3 j3 h4 i4 j4 "
    np.testing.assert_array_equal(planes["0/territory"][0], cells(borders + "e6 f6 e7"))
    for seat, units, capital in ((0, "a1 i3", "i3"), (1, "f9 i9", "i9"), (2, "c3", "c3")):
        np.testing.assert_array_equal(planes[f"{seat}/units"][0], cells(units))
        np.testing.assert_array_equal(planes[f"{seat}/capital"][0], cells(capital))
    for name, expected in (
        ("score", [0.1, 0.2, 0.05]),
        ("cities", [2 / 8, 1 / 8, 1 / 8]),
        ("lost", [0, 1, 0]),
        ("acts", [1, 0, 0]),
        ("has_acted", [0, 0, 1]),
    ):
        shown = [numbers[f"{seat}/{name}"][0] for seat in range(SEATS)]
        np.testing.assert_allclose(shown, expected, rtol=1e-6, err_msg=name)
    shown = [numbers[f"{seat}/tribe_ids"].argmax() for seat in range(SEATS)]
    assert shown == [Tribe.XIN_XI, Tribe.OUMAJI, Tribe.BARDUR]


def test_own_numbers(found):
    _, numbers = found
    assert numbers["sub_action"] == 1 and numbers["by_score"] == 0 and numbers["tick"] == 0.5
    assert numbers["stars"] == pytest.approx(np.log(21) / 5)
    assert numbers["income"] == pytest.approx(9 / 30)
    np.testing.assert_allclose(numbers["costs"], np.array([6, 8, 10]) / 30, rtol=1e-6)
    known = np.flatnonzero(numbers["technologies"]).tolist()
    assert known == [Technology.CLIMBING, Technology.RIDING, Technology.SAILING]
    assert np.flatnonzero(numbers["available"]).tolist() == [Monument.GATE]
    assert np.flatnonzero(numbers["built"]).tolist() == [Monument.PARK]
    assert (numbers["kills"], numbers["peace"]) == (0.5, pytest.approx(0.4))


def test_mode_and_its_limit_are_seen():
    config = config_of(2, by_score=True)
    state = begun().replace(tick=np.int16(15))
    see = jax.jit(lambda state: observation.observe(config, state, jnp.int32(0)).scalars)
    scalars = see(state)
    parts = scalar_slices(2)
    assert (scalars[parts["by_score"]], scalars[parts["tick"]]) == (1, 0.5)


def test_fog_hides_everything_but_itself():
    state = seen(position(), ME, "a1 b1 i3 f6 e6")
    planes = observe(state).board
    fog = planes[..., PLANES["terrain"]][..., Terrain.FOG] == 1
    np.testing.assert_array_equal(fog, 1 - cells("a1 b1 i3 f6 e6"))
    assert (planes[fog].sum(axis=-1) == 1).all()


def test_borders_in_sight_are_seen_without_the_centre():
    state = seen(position(), ME, "i3 f6 a1 h8")
    planes = observe(state).board
    assert value(planes[..., PLANES["1/territory"]][..., 0], "h8") == 1
    assert planes[..., PLANES["1/capital"]].sum() == 0


@pytest.mark.parametrize("fog", [False, True])
def test_observation_is_that_of_what_the_seat_knows(fog):
    for seed in range(6):
        state = anything(seed, SEATS, fog=fog)
        for viewer in range(SEATS):
            hidden = jax.jit(determinize)(state, jnp.int32(viewer))
            jax.tree.map(
                np.testing.assert_array_equal, observe(state, viewer), observe(hidden, viewer)
            )


def rotated(state: TribesState, by: int) -> TribesState:
    """Returns the same position with every tribe `by` seats further on."""

    def seats(numbers):
        return np.where(numbers < 0, numbers, (numbers + by) % SEATS)

    tribes = {name: np.roll(field, by, axis=0) for name, field in vars(state.tribes).items()}
    met = tribes["met"].astype(int)
    tribes["met"] = (met << by | met >> (SEATS - by)) & ((1 << SEATS) - 1)
    state = change(state, "units", tribe=seats(state.units.tribe))
    of, capital_of = seats(state.cities.tribe), seats(state.cities.capital_of)
    state = change(state, "cities", tribe=of, capital_of=capital_of)
    active = np.int8((state.active + by) % SEATS)
    return change(state, "tribes", **tribes).replace(active=active)


def test_nothing_depends_on_seat_numbers_but_who_has_acted():
    for seed in range(4):
        state = anything(seed, SEATS)
        for viewer in range(SEATS):
            wanted = observe(state, viewer)
            for by in range(1, SEATS):
                found = observe(rotated(state, by), (viewer + by) % SEATS)
                np.testing.assert_array_equal(wanted.board, found.board)
                for name, part in SCALARS.items():
                    if not name.endswith("has_acted"):
                        np.testing.assert_array_equal(wanted.scalars[part], found.scalars[part])


def test_features_must_be_those_of_their_table():
    table = (features.Feature("one", 1, ""), features.Feature("two", 2, ""))
    right = {"two": jnp.zeros((5, 2)), "one": jnp.ones(5)}
    np.testing.assert_array_equal(features.join(table, right, (5,))[0], [1, 0, 0])
    with pytest.raises(ValueError, match="expected the features one, two; got one"):
        features.join(table, {"one": jnp.ones(5)}, (5,))
    with pytest.raises(ValueError, match=r"feature two must have shape \(5, 2\), got \(2, 5\)"):
        features.join(table, right | {"two": jnp.zeros((2, 5))}, (5,))


def test_one_of_many_planes_is_spread_from_its_index():
    sizes = (30, 5, 1, 40)
    table = tuple(features.Feature(str(size), size, "") for size in sizes)
    index = {size: np.arange(-1, 42) % (size + 2) - 1 for size in sizes}
    parts = {str(size): features.OneHot(index[size]) for size in sizes}
    found = features.join(table, parts, (43,))
    assert found.dtype == jnp.float32
    expected = [index[size][:, None] == np.arange(size) for size in sizes]
    np.testing.assert_array_equal(found, np.concatenate(expected, axis=1))
    with pytest.raises(
        ValueError, match=r"feature 30 must have indices of shape \(42,\), got \(43,\)"
    ):
        features.join(table, parts, (42,))
