"""Examples of the rules: cult tracks, keys, favor tiles."""

import functools

import jax
import numpy as np
import pytest

from jaxgames.terra_mystica.engine import cults, seats
from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import position, seat

# Four structures of power 8 in a row: an upgrade of A6 founds a town.
ROW = {"D": "A6", "TP": "A7 A8", "SH": "A9"}
FOUND = "upgrade A6 to TP"


@pytest.mark.parametrize("level", range(11))
def test_power_comes_on_the_way_over_3_5_7_and_10(level):
    powers = {3: 1, 5: 2, 7: 2, 10: 3}
    row = seat("witches", D="C3", cult=[level, 0, 0, 0], key=1, pw=[12, 0, 0])
    game = position(row)
    reached = min(level + 3, 10)
    expected = sum(p for at, p in powers.items() if level < at <= reached)
    later = game.play("send FIRE 3")
    assert later.row()["cult"][0] == reached
    assert later.row()["pw"] == [12 - expected, expected, 0]


def test_the_top_takes_a_key():
    game = position(seat("witches", D="C3", cult=[9, 0, 0, 0], key=1))
    assert game.change("send FIRE 1") == {
        **{"p": -1, "cult": [1, 0, 0, 0], "key": -1, "pw": [-2, 1, 1]},
    }
    game = position(seat("witches", D="C3", cult=[8, 0, 0, 0]))
    assert game.change("send FIRE 3") == {"p": -1, "cult": [1, 0, 0, 0]}, "without key"


def test_only_one_stands_on_the_top():
    rows = [
        seat("witches", D="C3", cult=[7, 0, 0, 0], key=1),
        seat("swarmlings", D="D2", cult=[10, 0, 0, 0]),
    ]
    game = position(*rows)
    assert game.change("send FIRE 3") == {"p": -1, "cult": [2, 0, 0, 0]}
    assert game.play("send FIRE 3").row()["key"] == 1


def test_a_step_refused_for_want_of_a_key_is_made_when_one_comes_in_the_same_turn():
    # The favor tile of the temple is worth a step of fire, but there is no key yet.
    row = seat("witches", TP="A6 A7 A8", SH="A9", cult=[9, 0, 0, 0], pw=[9, 0, 0])
    game = position(row).play("upgrade A6 to TE")
    first = game.play("+1 FAV9")
    assert first.row()["cult"] == [9, 0, 0, 0]
    later = first.play("+1 TW1")
    assert (later.row()["cult"], later.row()["key"]) == ([10, 0, 0, 0], 0)
    assert later.row()["pw"] == [6, 3, 0]
    # The other order: the key is there already.
    other = game.play("+1 TW1", "+1 FAV9")
    assert other.row() == later.row()


def test_a_refused_step_is_forgotten_with_the_turn():
    row = seat("witches", **ROW, cult=[9, 0, 0, 0])
    game = position(row).play("send FIRE 1", "end", "send AIR 1", "end", "send AIR 1", "end")
    later = game.play(FOUND, "+1 TW1")
    assert (later.row()["cult"][0], later.row()["key"]) == (9, 1)


def test_with_fewer_keys_than_waiting_tracks_one_chooses():
    row = seat("witches", **ROW, cult=[9, 9, 0, 9], pw=[12, 0, 0])
    game = position(row).play(FOUND, "+1 TW5")
    assert game.decision == Due.KEY
    assert game.those("+") == {"+1 FIRE", "+1 WATER", "+1 AIR"}
    later = game.play("+1 WATER")
    assert later.row()["cult"] == [9, 10, 1, 9]
    assert (later.row()["key"], later.row()["pw"]) == (0, [9, 3, 0])
    assert later.decision == Due.DONE


def test_with_enough_keys_all_waiting_tracks_are_completed():
    row = seat("witches", **ROW, cult=[9, 9, 0, 9], key=2, pw=[12, 0, 0])
    later = position(row).play(FOUND, "+1 TW5")
    assert later.row()["cult"] == [10, 10, 1, 10]
    assert (later.row()["key"], later.row()["pw"]) == (0, [3, 9, 0])


def test_the_tile_s_steps_are_made_on_every_track_with_power():
    row = seat("witches", **ROW, cult=[2, 4, 6, 8], pw=[12, 0, 0])
    later = position(row).play(FOUND, "+1 TW5")
    assert later.row()["cult"] == [3, 5, 7, 9]
    assert later.row()["pw"] == [7, 5, 0]


# --- Pure helpers -------------------------------------------------------------------------------


@functools.cache
def _advance():
    @jax.jit
    def advance(players, levels, keys, steps, tops, refused):
        mover = seats.read_seat(players, np.int32(0), np.int32(0))._replace(cults=levels, keys=keys)
        moved, waiting = cults.advance(mover, steps, tops, refused)
        return moved.cults, moved.keys, waiting, cults.must_choose_track(moved, waiting)

    return advance


@pytest.mark.parametrize(
    ("levels", "keys", "steps", "tops", "refused", "expected"),
    [
        # Levels, keys, waiting tracks, and whether there is a choice.
        ([9, 0, 0, 0], 0, [1, 0, 0, 0], [1] * 4, 0, ([9, 0, 0, 0], 0, 0b1, False)),
        ([9, 0, 0, 0], 0, [0, 0, 0, 0], [1] * 4, 0, ([9, 0, 0, 0], 0, 0, False)),
        ([9, 9, 0, 0], 1, [1, 1, 0, 0], [1] * 4, 0, ([9, 9, 0, 0], 1, 0b11, True)),
        ([9, 9, 0, 0], 1, [1, 1, 0, 0], [0, 1, 1, 1], 0, ([9, 10, 0, 0], 0, 0, False)),
        ([9, 9, 0, 0], 1, [1, 0, 0, 0], [1] * 4, 0b10, ([9, 9, 0, 0], 1, 0b11, True)),
        ([9, 9, 0, 0], 2, [1, 0, 0, 0], [1] * 4, 0b10, ([10, 10, 0, 0], 0, 0, False)),
        ([10, 8, 0, 0], 1, [3, 3, 0, 0], [0, 1, 1, 1], 0, ([10, 10, 0, 0], 0, 0, False)),
    ],
)
def test_keys_wait_and_are_used(levels, keys, steps, tops, refused, expected):
    numbers = (np.int32(keys), np.array(steps), np.array(tops, bool), np.int32(refused))
    players = position(seat("witches", D="C3")).state.players
    found = jax.device_get(_advance()(players, np.array(levels), *numbers))
    assert (found[0].tolist(), *(x.item() for x in found[1:])) == expected


# --- Favor tiles --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "steps"),
    [
        *[(1, [3, 0, 0, 0]), (2, [0, 3, 0, 0]), (3, [0, 0, 3, 0]), (4, [0, 0, 0, 3])],
        *[(5, [2, 0, 0, 0]), (6, [0, 2, 0, 0]), (7, [0, 0, 2, 0]), (8, [0, 0, 0, 2])],
        *[(9, [1, 0, 0, 0]), (10, [0, 1, 0, 0]), (11, [0, 0, 1, 0]), (12, [0, 0, 0, 1])],
    ],
)
def test_favor_tiles_bring_cult_steps(tile, steps):
    game = position(seat("witches", TP="C3", pw=[0, 0, 6])).play("upgrade C3 to TE")
    assert game.change(f"+1 FAV{tile}") == {"cult": steps}
    assert game.play(f"+1 FAV{tile}").row()["fav"] == [f"FAV{tile}"]


def test_a_temple_and_a_sanctuary_bring_one_favor_tile_of_a_kind_not_held_and_left():
    rows = [
        seat("witches", TP="C3", TE="C4", fav="FAV9 FAV10"),
        seat("swarmlings", fav="FAV1 FAV5"),
        seat("giants", fav="FAV5 FAV12"),
    ]
    game = position(*rows)
    # FAV1 has one copy; of FAV5 the third is left.
    expected = {f"+1 FAV{n}" for n in (2, 3, 4, 5, 6, 7, 8, 11, 12)}
    for action in ("upgrade C3 to TE", "upgrade C4 to SA"):
        later = game.play(action)
        assert later.decision == Due.TILE
        assert later.those("+1") == expected
        assert "end" not in later.legal
        assert later.play("+1 FAV11").decision == Due.DONE
    assert game.play("upgrade C3 to SH").decision == Due.DONE, "a stronghold brings none"


def test_without_any_tile_to_take_nothing_happens():
    kinds = " ".join(f"FAV{n}" for n in range(1, 13))
    game = position(seat("witches", TP="C3", fav=kinds)).play("upgrade C3 to TE")
    assert game.decision == Due.DONE


def test_chaos_magicians_take_two_favor_tiles():
    game = position(seat("chaosmagicians", TP="C3", TE="C4"))
    for action in ("upgrade C3 to TE", "upgrade C4 to SA"):
        later = game.play(action, "+1 FAV9")
        assert later.decision == Due.TILE
        assert "+1 FAV9" not in later.legal
        later = later.play("+1 FAV7")
        assert later.row()["fav"] == ["FAV7", "FAV9"]
        assert later.decision == Due.DONE


def test_a_favor_tile_counts_from_the_next_event_on():
    rows = (seat("witches", TP="C3", D="F4"),)
    game = position(*rows, scoring=["SCORE3", *(f"SCORE{n}" for n in (2, 4, 5, 6, 7))])
    later = game.play("upgrade C3 to TE", "+1 FAV10")
    assert later.sources() == {}


@pytest.mark.parametrize(
    ("space", "fields"),
    [("BON2", {"bon": "BON2"}), ("FAV6", {"fav": "FAV6"})],
)
def test_special_actions_of_tiles_bring_a_cult_step_once_a_round(space, fields):
    game = position(seat("witches", D="C3", cult=[2, 0, 0, 0], **fields))
    later = game.play(f"action {space}")
    assert later.decision == Due.CULT
    assert later.those("+", "end") == {"+1 FIRE", "+1 WATER", "+1 EARTH", "+1 AIR"}
    assert game.until(later.play("+1 FIRE")) == {"cult": [1, 0, 0, 0], "pw": [-1, 1, 0]}
    assert game.until(later.play("+1 AIR")) == {"cult": [0, 0, 0, 1]}
    later = later.play("+1 AIR", "end", "send FIRE 1", "end", "send FIRE 1", "end")
    assert later.mover == 0
    assert f"action {space}" not in later.legal


def test_a_favor_tile_taken_this_round_can_be_used_this_round():
    game = position(seat("witches", TP="C3")).play("upgrade C3 to TE", "+1 FAV6", "end")
    game = game.play("send FIRE 1", "end", "send FIRE 1", "end")
    assert "action FAV6" in game.legal
