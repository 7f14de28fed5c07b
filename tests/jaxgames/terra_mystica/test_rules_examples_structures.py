"""Examples of the rules: prices of structures, points for them, stocks, bridges, income."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.terra_mystica.engine import income, seats
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES, FACTIONS, Structure, find_faction
from jaxgames.terra_mystica.tables.terrain import COLOUR_LETTERS
from tests.jaxgames.terra_mystica.positions import OPTIONS, position, seat

# Workers and coins of a dwelling, a trading post beside an opponent and alone, a temple, a
# stronghold, a sanctuary.
USUAL = ((1, 2), (2, 3), (2, 6), (2, 5), (4, 6), (4, 6))
PRICES = dict.fromkeys(FACTION_NAMES, USUAL) | {
    "auren": (*USUAL[:5], (4, 8)),
    "chaosmagicians": (*USUAL[:4], (4, 4), (4, 8)),
    "cultists": (*USUAL[:4], (4, 8), (4, 8)),
    "darklings": (*USUAL[:5], (4, 10)),
    "engineers": ((1, 1), (1, 2), (1, 4), (1, 4), (3, 6), (3, 6)),
    "fakirs": (*USUAL[:4], (4, 10), USUAL[5]),
    "halflings": (*USUAL[:4], (4, 8), USUAL[5]),
    "mermaids": (*USUAL[:5], (4, 8)),
    "nomads": (*USUAL[:4], (4, 8), USUAL[5]),
    "swarmlings": ((2, 3), (3, 4), (3, 8), (3, 6), (5, 8), (5, 8)),
}


@pytest.mark.parametrize("name", FACTION_NAMES)
def test_structures_cost_what_the_faction_board_says(name):
    opponent = "witches" if name not in ("witches", "auren") else "giants"
    home = COLOUR_LETTERS[FACTIONS[find_faction(name)].colour]
    game = position(
        seat(name, D="E6 A1", TP="I4", TE="A13"), seat(opponent, D="E7"), terrain={"E5": home}
    )
    actions = (
        *("build E5", "upgrade E6 to TP", "upgrade A1 to TP"),
        *("upgrade I4 to TE", "upgrade I4 to SH", "upgrade A13 to SA"),
    )
    for action, (workers, coins) in zip(actions, PRICES[name], strict=True):
        change = game.change(action)
        assert (action, change["w"], change["c"]) == (action, -workers, -coins)


@pytest.mark.parametrize(
    ("action", "workers", "coins"),
    [
        ("upgrade E6 to TP", 2, 3),
        ("upgrade A1 to TP", 2, 6),
        ("upgrade I4 to TE", 2, 5),
        ("upgrade I4 to SH", 4, 6),
        ("upgrade A13 to SA", 4, 6),
        ("advance ship", 0, 4),
        ("advance dig", 2, 5),
    ],
)
def test_nothing_is_had_on_credit(action, workers, coins):
    opponent = seat("swarmlings", D="E7")
    structures = {"D": "E6 A1", "TP": "I4", "TE": "A13"}
    assert action in position(seat("witches", **structures, w=workers, c=coins), opponent).legal
    poor = position(seat("witches", **structures, w=workers, c=coins - 1), opponent)
    assert action not in poor.legal
    if workers:
        poor = position(seat("witches", **structures, w=workers - 1, c=coins), opponent)
        assert action not in poor.legal


def test_upgrades_go_one_step_up_and_free_the_lower_piece():
    game = position(seat("witches", D="A3", TP="C3", TE="C4", SH="D1", SA="F2"))
    assert game.those("upgrade") == {"upgrade A3 to TP", "upgrade C3 to TE"}
    game = position(seat("witches", D="A3", TP="C3", TE="C4"))
    assert game.those("upgrade") == {
        *("upgrade A3 to TP", "upgrade C3 to TE", "upgrade C3 to SH", "upgrade C4 to SA"),
    }
    row = game.play("upgrade C3 to TE", "+1 FAV9").row()
    assert (row["D"], row["TP"], row["TE"]) == (["A3"], [], ["C3", "C4"])


def test_pieces_are_limited():
    game = position(seat("witches", D="A3", TP="C3 C4 D1 F2", TE="F4 G3 E9"))
    assert game.those("upgrade A3", "upgrade C3") == {"upgrade C3 to SH"}


def test_a_neighbour_across_anybody_s_bridge_makes_a_trading_post_cheaper():
    # C3 and D4 are neighbours, C3 and A7 only by the bridge of the nomads.
    rows = [seat("witches", D="C3"), seat("nomads", D="A7")]
    assert position(*rows).change("upgrade C3 to TP") == {"w": -2, "c": -6}
    rows[1] = seat("nomads", D="A7", br="A7:C3")
    assert position(*rows).change("upgrade C3 to TP") == {"w": -2, "c": -3}
    rows[0] = seat("witches", D="C3", c=3)
    assert "upgrade C3 to TP" in position(*rows).legal
    rows[1] = seat("nomads", D="A7")
    assert "upgrade C3 to TP" not in position(*rows).legal


# --- Points -------------------------------------------------------------------------------------


def with_tile(tile, row, **fields):
    rest = [f"SCORE{n}" for n in range(2, 9) if f"SCORE{n}" != tile]
    return position(row, scoring=[tile, *rest][:6], terrain={"E5": "G"}, **fields)


@pytest.mark.parametrize(
    ("tile", "dwelling", "post", "stronghold", "sanctuary"),
    [
        ("SCORE1", 0, 0, 0, 0),
        ("SCORE2", 0, 0, 0, 0),
        ("SCORE3", 2, 0, 0, 0),
        ("SCORE4", 0, 0, 5, 5),
        ("SCORE5", 2, 0, 0, 0),
        ("SCORE6", 0, 3, 0, 0),
        ("SCORE7", 0, 0, 5, 5),
        ("SCORE8", 0, 3, 0, 0),
    ],
)
def test_scoring_tiles_give_points_for_structures(tile, dwelling, post, stronghold, sanctuary):
    game = with_tile(tile, seat("witches", D="E6", TP="I4", TE="A13"))
    points = {
        "build E5": dwelling,
        "upgrade E6 to TP": post,
        "upgrade I4 to TE": 0,
        "upgrade I4 to SH": stronghold,
        "upgrade A13 to SA": sanctuary,
    }
    for action, expected in points.items():
        later = game.play(action)
        assert later.sources() == ({"SCORING_TILE": expected} if expected else {}), action


def test_score_9_gives_points_for_temples():
    game = with_tile("SCORE9", seat("witches", TP="I4", TE="A13"), rules=OPTIONS)
    assert game.play("upgrade I4 to TE").sources() == {"SCORING_TILE": 4}
    assert game.play("upgrade A13 to SA").sources() == {}


def test_scoring_tiles_count_in_their_own_round():
    tiles = ["SCORE2", "SCORE1", "SCORE3", "SCORE4", "SCORE5", "SCORE6"]
    row = seat("witches", D="E6")
    for number, expected in ((1, 0), (3, 2), (4, 0), (5, 2)):
        game = position(row, round=number, scoring=tiles, terrain={"E5": "G"})
        assert game.change("build E5").get("vp", 0) == expected


def test_favors_10_and_11_give_points_for_trading_posts_and_dwellings():
    game = with_tile("SCORE2", seat("witches", D="E6", TP="I4", fav="FAV10 FAV11"))
    assert game.play("build E5").sources() == {"FAVOR": 2}
    assert game.play("upgrade E6 to TP").sources() == {"FAVOR": 3}
    assert game.play("upgrade I4 to TE").sources() == {}


def test_points_of_tile_and_favor_add_up():
    game = with_tile("SCORE3", seat("witches", D="E6", fav="FAV11"))
    later = game.play("build E5")
    assert later.sources() == {"FAVOR": 2, "SCORING_TILE": 2}
    assert game.until(later)["vp"] == 4


# --- Advancing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "levels"),
    [("witches", {0: 2, 1: 3, 2: 4}), ("mermaids", {1: 2, 2: 3, 3: 4, 4: 5})],
)
def test_shipping_advances_for_coins_and_a_priest(name, levels):
    for level, points in levels.items():
        game = position(seat(name, D="C3", ship=level))
        later = game.play("advance ship")
        assert game.until(later) == {"c": -4, "p": -1, "ship": 1, "vp": points}
        assert later.sources() == {"ADVANCE": points}
    assert "advance ship" not in position(seat(name, D="C3", ship=max(levels) + 1)).legal


def test_dwarves_and_fakirs_cannot_advance_shipping():
    assert "advance ship" not in position(seat("dwarves", D="C2")).legal
    assert "advance ship" not in position(seat("fakirs", D="C2")).legal


@pytest.mark.parametrize(
    ("name", "coins", "upgrades"),
    [("witches", 5, 2), ("halflings", 1, 2), ("fakirs", 5, 1), ("darklings", 5, 0)],
)
def test_digging_advances_for_coins_workers_and_a_priest(name, coins, upgrades):
    for level in range(upgrades):
        game = position(seat(name, D="C3", dig=level))
        assert game.change("advance dig") == {"c": -coins, "w": -2, "p": -1, "dig": 1, "vp": 6}
    assert "advance dig" not in position(seat(name, D="C3", dig=upgrades)).legal


# --- Bridges ------------------------------------------------------------------------------------


def test_power_action_1_places_a_bridge_at_an_own_structure():
    game = position(seat("witches", D="F2")).play("action ACT1")
    # Only one end needs a structure.
    assert game.legal - game.those("convert", "burn") == {"bridge F2:G1", "bridge F2:H2"}
    later = game.play("bridge F2:H2")
    assert later.row()["br"] == ["F2:H2"]
    assert later.those("bridge") == set()


def test_a_place_takes_one_bridge_of_anybody():
    rows = [seat("witches", D="F2"), seat("giants", D="G1", br="F2:G1")]
    assert position(*rows).play("action ACT1").those("bridge") == {"bridge F2:H2"}
    rows[1] = seat("giants", D="G1", br="F2:G1 F2:H2")
    assert "action ACT1" not in position(*rows).legal


def test_a_player_has_three_bridges():
    three = "F2:G1 F2:H2 E4:G1"
    assert "action ACT1" not in position(seat("witches", D="F2 C3", br=three)).legal
    assert "action ACT1" in position(seat("witches", D="F2 C3", br=three[:11])).legal


def test_engineers_buy_bridges_with_workers_any_number_of_times():
    game = position(seat("engineers", D="F2", w=4))
    for place in ("bridge F2:G1", "bridge F2:H2"):
        later = game.play("action ACTE", place)
        assert game.until(later) == {"w": -2}
        game = later.play("end", "send FIRE 1", "end", "send FIRE 1", "end")
    assert "action ACTE" not in game.legal, "the workers are spent"
    assert "action ACTE" not in position(seat("witches", D="F2")).legal


# --- Income -------------------------------------------------------------------------------------


@functools.cache
def _income():
    """Returns a function of faction, structures, favor tiles and card: coins to power."""
    players = position(seat("witches")).state.players
    base = seats.read_seat(players, jnp.int32(0), jnp.int32(0))

    def collected(faction, counts, favors, card):
        return income.income(base._replace(faction=faction, favors=favors, card=card), counts)

    return jax.jit(collected)


def collected(name, structure=Structure.DWELLING, number=0, favor=0, card=0):
    counts = np.zeros(5, np.int32)
    counts[structure] = number
    favors = np.int32(1 << (favor - 1) if favor else 0)
    found = _income()(np.int32(find_faction(name)), counts, favors, np.int32(card))
    return tuple(np.asarray(found).tolist())


DWELLINGS = dict.fromkeys(FACTION_NAMES, (1, 2, 3, 4, 5, 6, 7, 8, 8)) | {
    "engineers": (0, 1, 2, 2, 3, 4, 4, 5, 6),
    "swarmlings": (2, 3, 4, 5, 6, 7, 8, 9, 9),
}
POSTS = dict.fromkeys(FACTION_NAMES, ((2, 1), (4, 2), (6, 4), (8, 6))) | {
    "alchemists": ((2, 1), (4, 2), (7, 3), (11, 4)),
    "nomads": ((2, 1), (4, 2), (7, 3), (11, 4)),
    "dwarves": ((3, 1), (5, 2), (7, 4), (10, 6)),
    "swarmlings": ((2, 2), (4, 4), (6, 6), (9, 8)),
}
TEMPLES = dict.fromkeys(FACTION_NAMES, ((1, 0), (2, 0), (3, 0))) | {
    "engineers": ((1, 0), (1, 5), (2, 5)),
}
STRONGHOLDS = dict.fromkeys(FACTION_NAMES, (0, 0, 0, 2)) | {
    **{"alchemists": (6, 0, 0, 0), "chaosmagicians": (0, 2, 0, 0), "fakirs": (0, 0, 1, 0)},
    **dict.fromkeys(("giants", "mermaids", "swarmlings"), (0, 0, 0, 4)),
}
SANCTUARIES = dict.fromkeys(FACTION_NAMES, 1) | {"darklings": 2, "swarmlings": 2}


@pytest.mark.parametrize("name", FACTION_NAMES)
def test_structures_bring_the_income_of_the_faction_board(name):
    base = DWELLINGS[name][0]  # workers without any dwelling
    for number, workers in enumerate(DWELLINGS[name]):
        assert collected(name, Structure.DWELLING, number) == (0, workers, 0, 0)
    for number, (coins, power) in enumerate(POSTS[name], 1):
        assert collected(name, Structure.TRADING_POST, number) == (coins, base, 0, power)
    for number, (priests, power) in enumerate(TEMPLES[name], 1):
        assert collected(name, Structure.TEMPLE, number) == (0, base, priests, power)
    coins, workers, priests, power = STRONGHOLDS[name]
    expected = (coins, base + workers, priests, power)
    assert collected(name, Structure.STRONGHOLD, 1) == expected
    assert collected(name, Structure.SANCTUARY, 1) == (0, base, SANCTUARIES[name], 0)


def test_favor_tiles_and_bonus_cards_bring_income():
    favors = {7: (0, 1, 0, 1), 8: (0, 0, 0, 4), 9: (3, 0, 0, 0)}
    cards = {
        **{1: (2, 0, 0, 0), 2: (4, 0, 0, 0), 3: (6, 0, 0, 0), 4: (0, 0, 0, 3), 5: (0, 1, 0, 3)},
        **{6: (0, 2, 0, 0), 7: (0, 1, 0, 0), 8: (0, 0, 1, 0), 9: (2, 0, 0, 0), 10: (0, 0, 0, 3)},
    }
    for tile in range(1, 13):
        assert collected("engineers", favor=tile) == favors.get(tile, (0, 0, 0, 0))
    for card, expected in cards.items():
        assert collected("engineers", card=card) == expected
