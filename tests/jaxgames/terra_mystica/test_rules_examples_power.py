"""Examples of the rules: power bowls, conversions, power actions, priests."""

import pytest

from jaxgames.terra_mystica.engine.decisions import Due
from tests.jaxgames.terra_mystica.positions import OPTIONS, before_setup, position, seat

CONVERSIONS = {
    "burn 1": {"pw": [0, -2, 1]},
    "convert 1pw to 1c": {"c": 1, "pw": [1, 0, -1]},
    "convert 3pw to 1w": {"w": 1, "pw": [3, 0, -3]},
    "convert 5pw to 1p": {"p": 1, "pw": [5, 0, -5]},
    "convert 1p to 1w": {"p": -1, "w": 1},
    "convert 1p to 1c": {"p": -1, "c": 1},
    "convert 1w to 1c": {"w": -1, "c": 1},
}


def converting(game) -> set[str]:
    return game.those("burn", "convert")


def witches(**fields):
    return seat("witches", D="C3", **fields)


@pytest.mark.parametrize(
    ("bowls", "change"),
    [
        ([5, 7, 0], [-3, 3, 0]),  # from bowl I first
        ([2, 1, 0], [-2, 1, 1]),  # then from bowl II
        ([0, 2, 4], [0, -2, 2]),  # what has no room is lost
        ([0, 0, 9], [0, 0, 0]),
        ([1, 0, 11], [-1, 0, 1]),
    ],
)
def test_power_fills_bowl_2_and_then_bowl_3(bowls, change):
    # Three steps from level 2 pass levels 3 and 5: three power.
    game = position(witches(pw=bowls, cult=[2, 0, 0, 0]))
    assert game.change("send FIRE 3").get("pw", [0, 0, 0]) == change


def test_conversions_have_their_prices():
    game = position(witches())
    assert converting(game) == set(CONVERSIONS)
    for text, change in CONVERSIONS.items():
        assert game.change(text) == change


@pytest.mark.parametrize(
    ("fields", "possible"),
    [
        ({"pw": [3, 1, 0], "w": 0, "p": 0}, set()),
        ({"pw": [3, 2, 0], "w": 0, "p": 0}, {"burn 1"}),
        ({"pw": [3, 1, 2], "w": 0, "p": 0}, {"convert 1pw to 1c"}),
        ({"pw": [3, 1, 4], "w": 0, "p": 0}, {"convert 1pw to 1c", "convert 3pw to 1w"}),
        ({"pw": [3, 0, 0], "w": 1, "p": 0}, {"convert 1w to 1c"}),
        ({"pw": [3, 0, 0], "w": 0, "p": 1}, {"convert 1p to 1w", "convert 1p to 1c"}),
    ],
)
def test_conversions_need_what_they_cost(fields, possible):
    assert converting(position(witches(**fields))) == possible


def test_no_priest_is_had_for_power_at_the_cap():
    assert "convert 5pw to 1p" in position(witches(p=6)).legal
    assert "convert 5pw to 1p" not in position(witches(p=7)).legal
    spots = {"FIRE": [0, 0, -1, -1], "WATER": [-1] * 4, "EARTH": [1, 0, -1, -1], "AIR": [-1] * 4}
    assert "convert 5pw to 1p" in position(witches(p=3), spots=spots).legal
    assert "convert 5pw to 1p" not in position(witches(p=4), spots=spots).legal


def test_alchemists_trade_points_and_coins():
    game = position(seat("alchemists", D="C1"))
    assert game.change("convert 1vp to 1c") == {"vp": -1, "c": 1}
    later = game.play("convert 2c to 1vp")
    assert game.until(later) == {"vp": 1, "c": -2}
    assert later.sources() == {"CONVERSION": 1}
    poor = position(seat("alchemists", D="C1", vp=0, c=1))
    assert not poor.those("convert 1vp", "convert 2c")


def test_conversions_are_free_before_and_after_the_action_and_while_choices_are_open():
    game = position(witches(TP="C4")).play("convert 1w to 1c")
    assert game.decision == Due.ACTION
    game = game.play("upgrade C4 to TE", "convert 1w to 1c")
    assert game.decision == Due.TILE
    game = game.play("+1 FAV8", "convert 1w to 1c", "burn 1")
    assert (game.mover, game.decision) == (0, Due.DONE)
    assert game.legal - converting(game) == {"end"}
    assert game.play("end").mover == 1


def test_conversions_are_not_open_before_the_game_or_in_others_turns():
    assert not converting(before_setup("witches", "giants", "nomads"))
    game = position(witches(), seat("swarmlings", D="D5", vp=20)).play("upgrade C3 to TP", "end")
    assert (game.mover, game.decision) == (1, Due.LEECH)
    assert game.legal == {"leech", "decline"}


# --- Power actions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("space", "change"),
    [
        ("ACT2", {"p": 1, "pw": [3, 0, -3]}),
        ("ACT3", {"w": 2, "pw": [4, 0, -4]}),
        ("ACT4", {"c": 7, "pw": [4, 0, -4]}),
        ("ACT5", {"pw": [4, 0, -4]}),
        ("ACT6", {"pw": [6, 0, -6]}),
    ],
)
def test_power_actions_have_their_prices_and_gains(space, change):
    game = position(witches())
    later = game.play(f"action {space}")
    assert game.until(later) == change
    too_little = [2, 4, change["pw"][0] - 1]
    assert f"action {space}" not in position(witches(pw=too_little)).legal
    assert later.text["actions"] == [space]


def test_power_action_2_at_the_cap_is_legal_but_brings_nothing():
    assert position(witches(p=7)).change("action ACT2") == {"pw": [3, 0, -3]}


# --- Priests ------------------------------------------------------------------------------------


def test_a_priest_goes_to_any_free_spot_or_back_to_the_stock():
    game = position(witches())
    sends = {f"send {cult} {n}" for cult in ("FIRE", "WATER", "EARTH", "AIR") for n in (1, 2, 3)}
    assert game.those("send") == sends
    assert game.change("send WATER 3") == {"p": -1, "cult": [0, 3, 0, 0], "pw": [-1, 1, 0]}
    assert game.change("send EARTH 2") == {"p": -1, "cult": [0, 0, 2, 0]}
    assert game.change("send AIR 1") == {"p": -1, "cult": [0, 0, 0, 1]}
    assert not position(witches(p=0)).those("send")


def test_priests_on_spots_stay_and_lower_the_cap():
    game = position(witches(p=6))
    assert game.play("send FIRE 3").text["spots"]["FIRE"] == [0, -1, -1, -1]
    assert game.play("send FIRE 2").text["spots"]["FIRE"] == [-1, 0, -1, -1]
    # Six of seven are left after it: five in hand, so one more fits.
    later = game.play("send FIRE 2", "convert 5pw to 1p")
    assert later.row()["p"] == 6
    later = game.play("send FIRE 1")
    assert later.text["spots"]["FIRE"] == [-1] * 4


def test_each_cult_has_one_spot_for_three_steps_and_three_for_two():
    spots = {"FIRE": [1, -1, -1, -1], "WATER": [-1, 1, 1, 2], "EARTH": [1, 1, 2, 2]}
    others = (seat("swarmlings", p=0), seat("giants", p=0))
    game = position(witches(), *others, spots=spots | {"AIR": [-1, -1, 1, -1]})
    assert game.those("send FIRE") == {"send FIRE 2", "send FIRE 1"}
    assert game.those("send WATER") == {"send WATER 3", "send WATER 1"}
    assert game.those("send EARTH") == {"send EARTH 1"}
    assert len(game.those("send AIR")) == 3


def test_a_priest_may_be_sent_where_no_step_results():
    game = position(witches(cult=[10, 0, 0, 0]))
    assert game.change("send FIRE 3") == {"p": -1}


# --- The end of a turn --------------------------------------------------------------------------


def test_a_turn_is_one_action():
    game = position(witches()).play("send FIRE 1")
    assert game.decision == Due.DONE
    assert game.legal - converting(game) == {"end"}


def test_turns_end_by_themselves_where_nothing_can_be_converted():
    poor = {"c": 9, "w": 0, "p": 1, "pw": [3, 1, 0]}
    game = position(witches(**poor), rules=OPTIONS)
    assert game.play("send FIRE 1").mover == 1
    assert position(witches(**poor)).play("send FIRE 1").mover == 0
    rich = position(witches(**poor | {"p": 2}), rules=OPTIONS).play("send FIRE 1")
    assert (rich.mover, rich.decision) == (0, Due.DONE)


def test_mermaids_turns_do_not_end_while_they_can_found_a_town_across_the_river():
    # B3 and C2 lie on one side of r9, C3 and D4 on the other; after the upgrade they have power 7.
    row = seat("mermaids", D="C3 C2", TP="B3", TE="D4", w=2, c=6, p=0, pw=[3, 1, 0])
    game = position(row, rules=OPTIONS).play("upgrade C2 to TP")
    assert game.legal == {"connect r2", "connect r9", "connect r15", "end"}
