"""Examples of the rules: the end of the game and its scores."""

import functools

import jax
import numpy as np
import pytest

from jaxgames.terra_mystica.engine import scoring
from tests.jaxgames.terra_mystica.positions import MAIN, position, seat

ranked = jax.jit(scoring.ranked_points, static_argnums=(1, 2))
AREA, CULT = (18, 12, 6), (8, 4, 2)
LAST = {"round": 6, "scoring": ["SCORE2", "SCORE1", "SCORE4", "SCORE6", "SCORE5", "SCORE3"]}


@pytest.mark.parametrize(
    ("sizes", "points"),
    [
        ([7, 9], [12, 18]),
        ([7, 7], [15, 15]),
        ([5, 9, 7], [6, 18, 12]),
        ([9, 9, 7], [15, 15, 6]),
        ([9, 7, 7], [18, 9, 9]),
        ([7, 7, 7], [12, 12, 12]),
        ([9, 8, 7, 6], [18, 12, 6, 0]),
        ([9, 8, 7, 7], [18, 12, 3, 3]),
        ([9, 7, 7, 7], [18, 6, 6, 6]),
        ([7, 7, 7, 7], [9, 9, 9, 9]),
        ([1, 2, 3, 4, 5], [0, 0, 6, 12, 18]),
        ([9, 7, 7, 7, 7], [18, 4, 4, 4, 4]),  # 18 points for four, rounded down
        ([7, 7, 7, 7, 7], [7, 7, 7, 7, 7]),  # 36 for five
        ([9, 9, 7, 7, 7], [15, 15, 2, 2, 2]),
    ],
)
def test_networks_are_ranked_and_ties_share_the_points_of_their_ranks(sizes, points):
    assert np.asarray(ranked(np.array(sizes), AREA, 0)).tolist() == points


@pytest.mark.parametrize(
    ("levels", "points"),
    [
        ([5, 3], [8, 4]),
        ([5, 5], [6, 6]),
        ([5, 0], [8, 0]),
        ([0, 0], [0, 0]),
        ([5, 5, 5], [4, 4, 4]),
        ([0, 2, 0], [0, 8, 0]),
        ([5, 3, 3, 0], [8, 3, 3, 0]),
        ([3, 3, 3, 3], [3, 3, 3, 3]),  # 14 points for four, rounded down
        ([10, 3, 3, 3, 1], [8, 2, 2, 2, 0]),
        ([0, 0, 1, 1, 9], [0, 0, 3, 3, 8]),
    ],
)
def test_cults_are_ranked_and_level_0_scores_nothing(levels, points):
    assert np.asarray(ranked(np.array(levels), CULT, 1)).tolist() == points


def test_the_four_cults_add_up():
    levels = np.array([[5, 0, 3, 9], [3, 0, 3, 10], [0, 1, 3, 0]])
    networks, by_cult = jax.jit(scoring.final_points)(np.array([4, 6, 5]), levels)
    assert networks.tolist() == [6, 18, 12]
    assert by_cult.tolist() == [8 + 0 + 4 + 4, 4 + 0 + 4 + 8, 0 + 8 + 4 + 0]


def end(row, *others):
    """Returns the end of a game in which one seat is the last to pass."""
    others = (*others, seat("giants"), seat("mermaids"))[:2]
    passed = [other | {"passed": 1} for other in others]
    return position(row, *passed, **LAST, next_start=1).play("pass", "end")


@pytest.mark.parametrize(
    ("name", "fields", "points"),
    [
        # Coins, workers, priests, bowl III, and half of bowl II.
        ("witches", {"c": 2, "w": 3, "p": 1, "pw": [1, 5, 4]}, 12 // 3),
        ("witches", {"c": 2, "w": 3, "p": 1, "pw": [1, 4, 3]}, 11 // 3),
        ("alchemists", {"c": 2, "w": 3, "p": 1, "pw": [1, 4, 3]}, 11 // 2),
        ("witches", {"c": 2, "w": 0, "p": 0, "pw": [12, 0, 0]}, 0),
    ],
)
def test_what_is_left_becomes_points(name, fields, points):
    game = end(seat(name, D="C1", **fields))
    assert game.sources().get("RESOURCES", 0) == points


def test_the_game_ends_with_networks_cults_and_resources():
    nothing = {"c": 0, "w": 0, "p": 0, "pw": [5, 0, 0]}
    rows = [
        seat("witches", D="C3 C4", cult=[4, 0, 0, 0], **nothing),
        seat("swarmlings", D="A1 A2 A3", cult=[2, 1, 0, 0], **nothing),
        seat("giants", D="I1", cult=[0, 0, 0, 3], vp=50, **nothing | {"c": 3}),
    ]
    game = end(*rows)
    assert game.text["phase"] == "over"
    # C3 and C4 are not joined without a ship.
    assert game.sources(0) == {"NETWORK": 9, "CULTS": 8}
    assert game.sources(1) == {"NETWORK": 18, "CULTS": 4 + 8}
    assert game.sources(2) == {"NETWORK": 9, "CULTS": 8, "RESOURCES": 1}
    assert [row["vp"] for row in game.text["players"]] == [37, 50, 68]
    assert np.asarray(MAIN.returns(game.state)).tolist() == [-1, 0, 1]
    assert np.asarray(MAIN.score(game.state)).tolist() == [37, 50, 68]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([30, 20], [1, -1]),
        ([25, 25], [0, 0]),
        ([10, 30, 20], [-1, 1, 0]),
        ([30, 30, 20], [0.5, 0.5, -1]),
        ([40, 30, 30, 10], [1, 0, 0, -1]),
        ([50, 40, 30, 20, 10], [1, 0.5, 0, -0.5, -1]),
    ],
)
def test_most_points_win_and_equal_points_are_a_draw(points, expected):
    found = np.asarray(jax.jit(scoring.returns)(np.array(points)))
    np.testing.assert_allclose(found, expected, atol=1e-6)


# --- Networks -----------------------------------------------------------------------------------


@functools.cache
def _networks():
    return jax.jit(MAIN.networks)


def network(name, rows=(), **fields) -> int:
    return int(_networks()(position(seat(name, **fields), *rows).state)[0])


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"D": "C3 D5 D4 A1"}, 3),  # by sides
        ({"D": "C3 C4"}, 1),
        ({"D": "C3 C4", "ship": 1}, 2),  # across r10
        ({"D": "C3 D6", "ship": 1}, 1),
        ({"D": "C3 D6", "ship": 2}, 2),  # across r10 and r16
        ({"D": "C3 C4", "bon": "BON4"}, 1),  # the card's ship does not count
        ({"D": "F2 G1"}, 1),
        ({"D": "F2 G1", "br": "F2:G1"}, 2),
        ({"D": "A1 A2 A3 A5 A6"}, 3),
    ],
)
def test_networks_are_joined_by_sides_bridges_and_ships(fields, size):
    assert network("witches", **fields) == size


def test_bridges_of_others_join_nothing():
    others = (seat("giants", br="F2:G1"),)
    assert network("witches", others, D="F2 G1") == 1


@pytest.mark.parametrize(
    ("name", "fields", "size"),
    [
        ("dwarves", {"D": "F3 G1"}, 2),  # over r21 or r28
        ("dwarves", {"D": "F3 H3"}, 1),
        ("fakirs", {"D": "F3 H3"}, 1),
        ("fakirs", {"D": "F3 H3", "range": 2}, 2),
        ("fakirs", {"D": "F3 C3", "range": 3, "bon": "BON4"}, 2),
        ("fakirs", {"D": "F3 A7", "range": 3}, 1),
    ],
)
def test_tunnels_and_carpets_join_networks_for_nothing(name, fields, size):
    assert network(name, **fields) == size
