"""The guess at final points in Terra Mystica: what it counts, and for whom."""

import copy
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.players.terra_mystica import score
from jaxgames.players.terra_mystica.score import WORTHS
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.text import notation

RULES = TerraMystica()
ENGINEERS = {
    "faction": "engineers", "c": 3, "w": 2, "p": 0, "vp": 25, "key": 0, "ship": 1, "dig": 0,
    "range": 0, "spades": 0, "pw": [3, 5, 1], "cult": [0, 3, 0, 0], "bon": "BON1", "fav": [],
    "tw": [], "D": ["C5", "F6"], "TP": ["E7"], "TE": [], "SH": [], "SA": [],
    "br": [], "used": [], "passed": 0,
}  # fmt: skip
HALFLINGS = ENGINEERS | {
    "faction": "halflings", "vp": 20, "bon": "BON5", "cult": [0, 0, 3, 1], "ship": 0,
    "fav": ["FAV11"], "D": ["B2"], "TP": [], "TE": ["F5"],
}  # fmt: skip
POSITION = {
    "phase": "actions", "round": 1, "seat": 0, "placed": 0, "order": [0, 1], "next_start": None,
    "scoring": ["SCORE2", "SCORE1", "SCORE3", "SCORE4", "SCORE5", "SCORE6"],
    "cards": {"BON1": 0, "BON2": 1, "BON3": 0, "BON5": 0, "BON9": 0},
    "actions": [], "spots": {cult: [-1] * 4 for cult in ("FIRE", "WATER", "EARTH", "AIR")},
    "terrain": {}, "towns": [], "skipped": [], "players": [ENGINEERS, HALFLINGS],
    "pending": {"actions": 1}, "leech": {},
}  # fmt: skip
ESTIMATE = jax.jit(score.estimate)
TABLE = score.by_round()


def points(position=POSITION, worths=TABLE) -> np.ndarray:
    """Returns the guess for both seats."""
    state = notation.text_to_state(RULES, json.dumps(position))
    return np.asarray(ESTIMATE(jax.tree.map(jnp.asarray, state), worths))


def with_player(seat: int, **fields) -> dict:
    position = copy.deepcopy(POSITION)
    position["players"][seat] |= fields
    return position


def test_points_alone_are_counted_in_full():
    nothing = {name: jnp.zeros_like(worth) for name, worth in TABLE.items()}
    np.testing.assert_allclose(points(worths=nothing), [25, 20])


def test_worths_go_from_the_first_round_to_the_last():
    for name, worth in WORTHS.items():
        assert TABLE[name][0] == pytest.approx(worth.first)
        assert TABLE[name][5] == pytest.approx(worth.last)


@pytest.mark.parametrize(
    ("fields", "gain"),
    [
        ({"c": 5}, 2 * WORTHS["coin"].first),
        ({"w": 3}, WORTHS["worker"].first),
        ({"p": 1}, WORTHS["priest"].first),
        ({"pw": [2, 6, 1]}, WORTHS["power"].first),
        ({"pw": [3, 4, 2]}, WORTHS["power"].first),
        # A burned token is lost, and the other one is worth what both were.
        ({"pw": [3, 3, 2]}, -WORTHS["token"].first),
        ({"key": 1}, WORTHS["key"].first),
        ({"dig": 1}, WORTHS["dig"].first),
        ({"vp": 26}, 1),
    ],
)
def test_things_of_a_seat_count_for_it_alone(fields, gain):
    for seat in (0, 1):
        vp = POSITION["players"][seat]["vp"] - ENGINEERS["vp"]
        changed = fields | ({"vp": 26 + vp} if "vp" in fields else {})
        difference = points(with_player(seat, **changed)) - points()
        assert difference[seat] == pytest.approx(gain, abs=1e-3)
        assert difference[1 - seat] == pytest.approx(0, abs=1e-3)


def test_alchemists_keep_coins_that_they_could_turn_into_points():
    black = {"terrain": dict.fromkeys(("C5", "F6", "E7"), "K")}
    rich = with_player(0, faction="alchemists", c=6) | black
    traded = with_player(0, faction="alchemists", c=4, vp=ENGINEERS["vp"] + 1) | black
    assert points(rich)[0] > points(traded)[0]


def test_free_spade_counts_as_the_hex_that_it_turns_best():
    with_spade = POSITION | {"pending": {"actions": 0, "spades": 1, "source": "single"}}
    assert points(with_spade)[0] > points()[0] + 0.5
    # F4, beside E7, is green: one spade from the gray of the engineers.
    turned = POSITION | {"terrain": {"F4": "S"}, "pending": {"actions": 0, "buildable": ["F4"]}}
    np.testing.assert_allclose(points(with_spade), points(turned), rtol=1e-5)


def test_open_choices_are_worth_less_than_what_they_bring():
    waiting = POSITION | {"pending": {"actions": 0, "favors": 1}}
    for tile in ("FAV5", "FAV8", "FAV9", "FAV10", "FAV12"):
        taken = with_player(0, fav=[tile])
        assert points()[0] < points(waiting)[0] < points(taken)[0]


def points_of_bridges(*bridges: str, round_number: int = 1, pending: dict | None = None) -> float:
    """Returns what the engineers' stronghold adds where nothing but points has a worth."""
    nothing = {name: jnp.zeros_like(worth) for name, worth in TABLE.items()}
    found = []
    for standing in ({"SH": ["F6"], "TP": []}, {"SH": [], "TP": ["F6"]}):
        fields = standing | {"D": ["C5", "D6", "E8"], "br": list(bridges)}
        position = with_player(0, **fields) | {"terrain": {"D6": "S", "E8": "S"}}
        position |= {"round": round_number, "pending": pending or {"actions": 1}}
        found.append(points(position, nothing)[0])
    return found[0] - found[1]


def test_bridges_of_engineers_count_for_every_passing_to_come():
    assert points_of_bridges() == 0
    assert points_of_bridges("C5:D6") == pytest.approx(6 * 3)
    assert points_of_bridges("C5:D6", "D6:E8", round_number=5) == pytest.approx(2 * 2 * 3, abs=1e-4)
    assert points_of_bridges("C5:D6", round_number=6) == pytest.approx(3, abs=1e-4)
    assert points_of_bridges("A11:C5") == 0  # nothing stands on A11


def test_open_bridge_counts_as_placed_where_it_scores():
    is_open = {"actions": 0, "bridges": 1}
    assert points_of_bridges(pending=is_open) == pytest.approx(6 * 3)
    assert points_of_bridges("C5:D6", "D6:E8", pending=is_open) == pytest.approx(12 * 3)


def test_score_is_the_lead_of_each_seat():
    judge = jax.jit(score.make(RULES))
    state = notation.text_to_state(RULES, json.dumps(POSITION))
    values = np.asarray(judge(jax.tree.map(jnp.asarray, state)))
    found = points()
    lead = np.tanh((found[0] - found[1]) / score.LEAD_SCALE)
    np.testing.assert_allclose(values, [lead, -lead], rtol=1e-5)
