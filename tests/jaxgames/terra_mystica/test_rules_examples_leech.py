"""Examples of the rules: power from neighbours' structures, and how cultists react."""

import pytest

from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import MAIN, OPTIONS, position, seat

# Round D5 lie C3, D4, E7 and E8.
BUILDS = ("upgrade D5 to TP", "end")


def beside(rules=MAIN, builder="swarmlings", first=None, second=None, **fields):
    """Returns a game in which the witches have power 3 beside D5, the giants power 4."""
    rows = [
        seat(builder, D="D5"),
        seat("witches", D="C3", TP="E7", **(first or {})),
        seat("giants", SH="D4", D="E8 I1", **(second or {})),
    ]
    return position(*rows, rules=rules, **fields)


def test_neighbours_are_offered_the_power_of_their_own_structures():
    game = beside().play(*BUILDS)
    assert game.text["leech"]["amounts"] == [[0, 3, 4], [0, 0, 0]]
    assert (game.mover, game.decision) == (1, Due.LEECH)
    assert game.legal == {"leech", "decline"}


def test_power_costs_one_point_less_than_it_is():
    game = beside().play(*BUILDS)
    later = game.play("leech")
    assert game.until(later, 1) == {"vp": -2, "pw": [-2, 1, 1]}
    assert later.sources(1) == {"LEECH": -2}
    assert later.mover == 2
    assert later.change("leech", number=2) == {"vp": -3, "pw": [-2, 0, 2]}


def test_declining_changes_nothing():
    game = beside().play(*BUILDS)
    later = game.play("decline", "decline")
    assert [game.until(later, number) for number in range(3)] == [{}, {}, {}]
    assert (later.mover, later.decision) == (1, Due.ACTION)


@pytest.mark.parametrize(
    ("fields", "change"),
    [
        ({"pw": [0, 2, 10]}, {"vp": -1, "pw": [0, -2, 2]}),
        ({"pw": [1, 0, 11]}, {"vp": -1, "pw": [-1, 0, 1]}),
        ({"pw": [0, 1, 11]}, {"pw": [0, -1, 1]}),
        ({"vp": 1}, {"vp": -1, "pw": [-2, 2, 0]}),
        ({"vp": 0}, {"pw": [-1, 1, 0]}),
    ],
)
def test_power_is_limited_by_room_and_by_points(fields, change):
    game = beside(first=fields).play(*BUILDS)
    assert game.mover == 1
    assert game.change("leech", number=1) == change


def test_who_has_no_room_is_not_asked():
    game = beside(first={"pw": [0, 0, 12]}).play(*BUILDS)
    assert (game.mover, game.decision) == (2, Due.LEECH)
    game = beside(first={"pw": [0, 0, 12]}, second={"pw": [0, 0, 9]}).play(*BUILDS)
    assert (game.mover, game.decision) == (1, Due.ACTION)


def test_a_new_dwelling_gives_power_and_terraforming_does_not():
    rows = [seat("swarmlings", D="D2"), seat("witches", D="D1")]
    game = position(*rows, terrain={"E2": "B"}).play("build E2", "end")
    assert game.text["leech"]["amounts"][0] == [0, 1, 0]
    game = position(*rows).play("transform E2 to B", "end")
    assert game.decision == Due.ACTION


def test_neighbours_across_a_bridge_are_asked_whosever_it_is():
    rows = [seat("swarmlings", D="D5"), seat("giants", TP="C4", br="C4:D5")]
    game = position(*rows).play(*BUILDS)
    assert game.text["leech"]["amounts"][0] == [0, 2, 0]
    rows = [seat("swarmlings", D="D5", br="C4:D5", ship=3), seat("giants", TP="C4 D6")]
    game = position(*rows).play(*BUILDS)
    assert game.text["leech"]["amounts"][0] == [0, 2, 0], "D6 lies across the river"


def test_decisions_go_clockwise_from_the_builder():
    rows = [seat("witches", D="C3"), seat("swarmlings", D="D5"), seat("giants", D="D4")]
    game = position(*rows, seat=1).play(*BUILDS)
    assert game.mover == 2
    assert game.play("decline").mover == 0


@pytest.mark.parametrize(("order", "movers"), [([0, 2, 1], [2, 1]), ([1, 0, 2], [2, 1])])
def test_in_passing_order_they_go_along_the_running_list(order, movers):
    game = beside(rules=OPTIONS, order=order).play(*BUILDS)
    assert [game.mover, game.play("decline").mover] == movers


def test_decisions_come_after_the_whole_turn():
    game = beside().play("upgrade D5 to TP", "convert 1w to 1c")
    assert (game.mover, game.decision) == (0, Due.DONE)
    game = position(seat("swarmlings", TP="D5"), seat("witches", D="C3"))
    game = game.play("upgrade D5 to TE", "+1 FAV9", "burn 1")
    assert game.mover == 0
    assert game.play("end").mover == 1


def test_two_structures_of_a_turn_are_two_events():
    rows = [
        seat("chaosmagicians", SH="A12", D="D5 C3"),
        seat("nomads", TP="D4"),
        seat("dwarves", D="E7"),
    ]
    game = position(*rows).play("action ACTC", "upgrade D5 to TP", "upgrade C3 to TP", "end")
    assert game.text["leech"]["amounts"] == [[0, 2, 1], [0, 2, 0]]
    movers = []
    for _ in range(3):
        movers.append(game.mover)
        game = game.play("leech")
    assert movers == [1, 2, 1]
    assert (game.mover, game.decision) == (1, Due.ACTION)
    # The cap of the second event is that of the moment: one power is left.
    rows[1] = seat("nomads", TP="D4", pw=[0, 3, 9])
    game = position(*rows).play("action ACTC", "upgrade D5 to TP", "upgrade C3 to TP", "end")
    assert game.change("leech", "leech", "leech", number=1) == {"vp": -1, "pw": [0, -3, 3]}


def test_the_halflings_stronghold_and_its_dwelling_are_two_events():
    rows = [seat("halflings", TP="E6"), seat("nomads", D="F3"), seat("witches", D="E7")]
    game = position(*rows).play("upgrade E6 to SH", "transform E5 to U", "end", "build E5", "end")
    assert game.text["leech"]["amounts"] == [[0, 1, 1], [0, 1, 0]]


# --- Cultists -----------------------------------------------------------------------------------


def cultists(rules=MAIN, **fields):
    return beside(rules, "cultists", **fields).play(*BUILDS)


def test_cultists_take_one_cult_step_after_all_decisions_if_anybody_takes_power():
    game = cultists()
    for answers in (("leech", "decline"), ("decline", "leech"), ("leech", "leech")):
        later = game.play(answers[0])
        assert (later.mover, later.decision) == (2, Due.LEECH)
        later = later.play(answers[1])
        assert (later.mover, later.decision) == (0, Due.REACTION)
        assert later.legal == {"+1 FIRE", "+1 WATER", "+1 EARTH", "+1 AIR"}
        done = later.play("+1 EARTH")
        assert game.until(done) == {"cult": [0, 0, 1, 0]}
        assert (done.mover, done.decision) == (1, Due.ACTION)


def test_cultists_gain_a_power_if_all_decline():
    game = cultists()
    later = game.play("decline", "decline")
    assert game.until(later) == {"pw": [-1, 1, 0]}
    assert (later.mover, later.decision) == (1, Due.ACTION)


def test_only_those_who_can_take_power_count():
    full = {"pw": [0, 0, 12]}
    game = cultists(second=full)
    assert game.until(game.play("decline")) == {"pw": [-1, 1, 0]}
    game = cultists(first=full, second=full)
    assert (game.mover, game.row()["pw"]) == (1, [2, 4, 6]), "nobody was asked"


def test_the_power_of_cultists_is_an_erratum():
    game = cultists(OPTIONS)
    assert game.until(game.play("decline", "decline")) == {}
    assert game.play("decline", "leech").decision == Due.REACTION


def test_others_do_not_react():
    later = beside().play(*BUILDS, "leech", "leech")
    assert (later.mover, later.decision) == (1, Due.ACTION)
