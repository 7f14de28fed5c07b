"""Position texts of Terra Mystica: round trips, and what is refused with which words."""

import copy
import json

import jax
import numpy as np
import pytest

from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Used
from jaxgames.terra_mystica.text import notation, position_text

RULES = TerraMystica()
ENGINEERS = {
    "faction": "engineers", "c": 3, "w": 2, "p": 0, "vp": 25, "key": 0, "ship": 1, "dig": 0,
    "range": 0, "spades": 0, "pw": [3, 5, 1], "cult": [0, 3, 0, 9], "bon": "BON1", "fav": [],
    "tw": ["TW1", "TW1"], "D": ["C5", "F4"], "TP": ["E7"], "TE": [], "SH": [], "SA": [],
    "br": ["D6:E8", "C5:D6"], "used": ["BON"], "passed": 0,
}  # fmt: skip
HALFLINGS = ENGINEERS | {
    "faction": "halflings", "c": 5, "p": 1, "key": 1, "ship": 0, "dig": 2,
    "pw": [3, 9, 0], "cult": [0, 0, 10, 3], "bon": "", "fav": ["FAV8", "FAV11"], "tw": [],
    "D": ["B2"], "TP": [], "TE": ["F5"], "SH": ["A1"], "br": [], "used": [], "passed": 1,
}  # fmt: skip
POSITION = {
    "phase": "actions", "round": 2, "seat": 0, "placed": 0, "order": [1, 0], "next_start": 1,
    "scoring": ["SCORE2", "SCORE1", "SCORE3", "SCORE4", "SCORE5", "SCORE6"],
    "cards": {"BON1": 0, "BON2": 1, "BON3": 0, "BON5": 2, "BON9": 0},
    "actions": ["ACT5"],
    "spots": {"FIRE": [-1] * 4, "WATER": [0, -1, 1, -1], "EARTH": [-1] * 4, "AIR": [-1] * 4},
    "terrain": {"E8": "U", "E10": "S", "F4": "S"},
    "towns": ["F4"],
    "skipped": [],
    "players": [ENGINEERS, HALFLINGS],
    "pending": {
        "actions": 1, "spades": 1, "is_elsewhere": 1, "has_terraformed": 1, "source": "double",
        "buildable": ["E10"], "refused": ["AIR"],
    },
    "leech": {"amounts": [[0, 3], [0, 0]]},
}  # fmt: skip
NOTHING = {
    "bon": "",
    "fav": [],
    "tw": [],
    "D": [],
    "TP": [],
    "TE": [],
    "SH": [],
    "SA": [],
    "br": [],
}
NOTHING |= {"used": [], "passed": 0}
SET_UP = POSITION | {"towns": [], "next_start": None, "pending": {}, "leech": {}}
WAITING = POSITION | {"pending": {}, "leech": {}}


def text_of(position=POSITION) -> str:
    return json.dumps(position, separators=(",", ":"))


def read(position=POSITION, rules=RULES):
    return notation.text_to_state(rules, text_of(position))


def edited(path: str, value, position=POSITION) -> dict:
    """Returns a position with the entry at a path, such as `players.0.c`, replaced."""
    position = copy.deepcopy(position)
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    entry = position
    for key in parents:
        entry = entry[key]
    entry[last] = value
    return position


def test_reading_and_writing_is_a_round_trip():
    assert notation.state_to_text(RULES, read()) == text_of()


def of_faction(name: str, colour: str, **fields) -> dict:
    """Returns the position with another faction in the first seat, nothing open but an action."""
    row = ENGINEERS | {"faction": name, "ship": 0} | fields
    terrain = dict.fromkeys(("F4",) if colour == "S" else ("C5", "E7", "F4"), colour)
    return WAITING | {"players": [row, HALFLINGS], "terrain": terrain, "pending": {"actions": 1}}


NOMADS = of_faction("nomads", "Y")
DWARVES = of_faction("dwarves", "S", range=1)
MERMAIDS = of_faction("mermaids", "B", ship=1)
CULTISTS = WAITING | {
    "players": [ENGINEERS, HALFLINGS | NOTHING | {"faction": "cultists"}],
    "phase": "reaction", "seat": 1, "next_start": None,
}  # fmt: skip
BONUS = edited("players.1.spades", 2, WAITING | {"phase": "cult_spades", "seat": 1})
BONUS["players"][0]["passed"] = 1


@pytest.mark.parametrize(
    "position",
    [
        edited("pending.special", "sandstorm", NOMADS),
        edited("pending.tunnelled", "F4", DWARVES),
        edited("skipped", ["r3"], MERMAIDS),
        edited("pending.actions", 2, of_faction("chaosmagicians", "R")),
        WAITING | {"phase": "leech", "leech": {"was_taken": 1, "amounts": [[0, 3], [0, 0]]}},
        CULTISTS,
        BONUS,
    ],
    ids=["special", "tunnel", "river", "two actions", "leech", "reaction", "cult spades"],
)
def test_what_only_some_have_is_a_round_trip_too(position):
    assert notation.state_to_text(RULES, read(position)) == text_of(position)


def test_what_is_read_has_the_types_of_the_game():
    game = read()
    start = jax.eval_shape(RULES.init, jax.eval_shape(lambda: jax.random.key(0)))
    assert jax.tree.structure(game) == jax.tree.structure(start)
    for leaf, expected in zip(jax.tree.leaves(game), jax.tree.leaves(start), strict=True):
        assert (leaf.shape, leaf.dtype) == (expected.shape, expected.dtype)


def test_fields_mean_what_the_game_stores():
    game, desert = read(), read(edited("terrain.E8", "Y"))
    assert (int(game.round), int(game.seat), int(game.next_start)) == (1, 0, 1)
    assert position_text.land_names(game.board.structures[0]) == ["B2", "C5", "F4"]
    assert position_text.land_names(game.board.terrain[1] & ~desert.board.terrain[1]) == ["E8"]
    assert game.players.card.tolist() == [1, 0]
    assert game.players.favors.tolist() == [0, 1 << 7 | 1 << 10]
    assert game.players.towns[:, 0].tolist() == [2, 0]
    assert game.players.used.tolist() == [Used.CARD, 0]
    assert game.supply.spots[1].tolist() == [1, 0, 2, 0]
    assert game.supply.card_coins.tolist() == [0, 1, 0, 0, 2, 0, 0, 0, 0, 0]
    assert int(game.supply.cards) == 0b100010111
    assert int(game.supply.power_actions) == 1 << 4
    assert game.leech.amounts.tolist() == [[0, 3], [0, 0]]


def test_bridges_keep_their_order():
    backwards = read(edited("players.0.br", ["C5:D6", "D6:E8"]))
    assert backwards.board.bridges[0].tolist() == read().board.bridges[0, [1, 0, 2]].tolist()
    assert json.loads(notation.state_to_text(RULES, backwards))["players"][0]["br"] == [
        *("C5:D6", "D6:E8")
    ]


def test_seats_without_faction_can_be_read_while_factions_are_chosen():
    chosen = ENGINEERS | NOTHING | {"ship": 0}
    nobody = chosen | dict.fromkeys(("c", "w"), 0) | {"faction": None, "pw": [0, 0, 0]}
    draft = SET_UP | {"phase": "factions", "placed": 1, "players": [chosen, nobody]}
    assert notation.state_to_text(RULES, read(draft)) == text_of(draft)
    with pytest.raises(ValueError, match=r"players\[1\], faction: unknown name None"):
        read(draft | {"phase": "actions"})
    with pytest.raises(ValueError, match=r"placed 0: .* see players\[0\], faction"):
        read(draft | {"placed": 0})


def test_text_that_is_no_object_is_refused():
    for text, message in (
        ("", "position: not JSON"),
        ("[1]", r"expected an object, got \[1\]"),
        ("[" * 100_000, "position: nested too deeply"),
        (None, "position: expected text, got None"),
    ):
        with pytest.raises(ValueError, match=message):
            notation.text_to_state(RULES, text)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rounds", 3, "position: unknown key 'rounds'; did you mean 'round'"),
        ("phase", "action", "phase: unknown name 'action'; did you mean 'actions'"),
        ("round", 0, "round: expected a number from 1 to 7, got 0"),
        ("round", 7, "round 7: the game is over in round 7 and only then, .* 'actions'"),
        ("phase", "over", "round 2: the game is over in round 7 and only then"),
        ("seat", 2, "seat: expected a number from 0 to 1, got 2"),
        ("seat", True, "seat: expected a number from 0 to 1, got True"),
        ("order", [0, 0], r"order: expected each seat once, got \[0, 0\]"),
        ("order", [0], "order: expected a list of 2 numbers"),
        ("next_start", 2, "next_start: expected a number from 0 to 1"),
        ("scoring", ["SCORE1"], "scoring: expected a tile for 6 rounds, got 1"),
        ("scoring.0", "SCORE9", "scoring: unknown name 'SCORE9'"),
        ("scoring.0", "SCORE1", "scoring: SCORE1 may occur once, got 2"),
        (
            "scoring",
            [f"SCORE{n}" for n in (2, 3, 4, 5, 6, 1)],
            "SCORE1 must not be in the last two",
        ),
        ("placed", 1, "placed: expected a number from 0 to 0, got 1"),
        ("cards.BON7", 0, "cards: expected 5 for 2 players, got 6"),
        ("cards.BON10", 0, "cards: unknown key 'BON10'"),
        ("cards.BON1", -1, "cards, BON1: expected a number from 0 to 255, got -1"),
        ("actions", ["ACT7"], "actions: unknown name 'ACT7'"),
        ("spots.AIR", [-1, -1, -1, 2], "spots, AIR: expected a number from -1 to 1, got 2"),
        ("terrain.J1", "S", "terrain: unknown key 'J1'"),
        ("terrain.E8", "~", "terrain, E8: unknown name '~'"),
        ("towns", ["A2"], "towns: there is no structure on A2"),
        ("skipped", ["r36"], "skipped: unknown name 'r36'"),
        ("players", [ENGINEERS], "players: expected a list of 2, as num_players says"),
        ("players.0.coins", 3, r"players\[0\]: unknown key 'coins'"),
        ("players.0.faction", "engineer", r"players\[0\], faction: .* did you mean 'engineers'"),
        ("players.0.faction", "cultists", "cultists and halflings have the same colour"),
        ("players.0.c", 256, r"players\[0\], c: expected a number from 0 to 255"),
        ("players.0.vp", -1, r"players\[0\], vp: expected a number from 0 to"),
        ("players.0.p", 7, r"players\[0\], p: expected a number from 0 to 6, got 7"),
        ("players.0.pw", [3, 9, 1], r"players\[0\], pw: a player has 12 power tokens"),
        ("players.0.ship", 4, r"players\[0\], ship: expected a number from 0 to 3"),
        ("players.1.dig", 3, r"players\[1\], dig: expected a number from 0 to 2"),
        ("players.0.range", 1, r"players\[0\], range: expected a number from 0 to 0"),
        ("players.0.cult", [0, 0, 0, 11], r"players\[0\], cult: expected a number from 0 to 10"),
        ("players.0.cult", [0, 0, 10, 9], "2 players are at the top of EARTH"),
        ("players.0.bon", "BON4", r"players\[0\], bon: unknown name 'BON4'"),
        ("players.1.bon", "BON1", "players, bon: BON1 is held twice"),
        ("players.0.fav", ["FAV8", "FAV8"], "fav: FAV8 may occur once, got 2"),
        ("players.0.tw", ["TW1"] * 3, "tw: TW1 may occur 2 times, got 3"),
        ("players.1.tw", ["TW1"], "players, tw: TW1 has 2 copies, 3 are held"),
        ("players.0.tw", ["TW6"], "tw: unknown name 'TW6'"),
        ("players.0.D", ["C5", "C5"], r"players\[0\], D: C5 may occur once"),
        ("players.0.TP", ["C5"], r"players\[0\], TP: there are two structures on C5"),
        ("players.0.D", ["F4", "B2"], "the terrain of B2 is U, but the engineers build on S"),
        ("players.1.SH", ["A1", "E5"], r"players\[1\], SH: a player has 1 pieces, got 2"),
        ("players.0.br", ["C5:D7"], r"players\[0\], br: unknown name 'C5:D7'"),
        ("players.1.br", ["C5:D6"], r"players\[1\], br: there are two bridges C5:D6"),
        ("players.1.used", ["FAV5"], "used: unknown name 'FAV5'; did you mean 'FAV6'"),
        ("players.1.passed", 2, "passed: expected a number from 0 to 1"),
        ("pending.favours", 1, "pending: unknown key 'favours'; did you mean 'favors'"),
        ("pending.special", "rides", "pending, special: unknown name 'rides'"),
        ("pending.tunnelled", "F8", "pending, tunnelled: unknown name 'F8'"),
        ("leech.amounts", [[0, 0]], "leech, amounts: expected a list of 2 lists"),
        ("leech.amounts", [[0, 0], [0]], "leech, amounts: expected a list of 2 numbers"),
    ],
)
def test_a_bad_position_names_the_part_at_fault(path, value, message):
    with pytest.raises(ValueError, match=message):
        read(edited(path, value))


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (edited("leech.amounts", [[2, 3], [0, 0]]), "leech, amounts: seat 0 builds, so .* 0, got"),
        (edited("leech.was_taken", 1), "leech, was_taken: expected 0 in phase 'actions', got 1"),
        (WAITING | {"phase": "leech"}, "leech, amounts: in phase 'leech' somebody is offered"),
        (BONUS | {"leech": {"amounts": [[3, 0], [0, 0]]}}, "amounts: expected none in phase 'cult"),
        (WAITING | {"phase": "reaction"}, "seat 0: in phase 'reaction' cultists .* engineers"),
        (edited("players.1.spades", 0, BONUS), r"seat 1: .* but players\[1\], spades is 0"),
        (
            edited("players.1.spades", 2),
            r"players\[1\], spades: expected 0 in phase 'actions', got",
        ),
        (edited("players.1.spades", 3, BONUS), "spades: expected a number from 0 to 2, got 3"),
        (edited("players.0.passed", 1), "seat 0: has passed, .* actions: expected 0, got 1"),
        (edited("players.1.passed", 0), "next_start 1: this seat has not passed"),
        (edited("next_start", None), "next_start: expected the seat that has passed first"),
        (edited("players.0.passed", 0, BONUS), r"players\[0\], passed: expected 1 in phase 'cult"),
        (SET_UP | {"phase": "cards"}, r"players\[1\], passed: expected 0 in phase 'cards'"),
        (edited("pending.actions", 2), "pending, actions: expected a number from 0 to 1, got 2"),
        (edited("pending.spades", 6), "pending, spades: expected a number from 0 to 5, got 6"),
        (edited("pending.favors", 200), "pending, favors: expected a number from 0 to 1, got 200"),
        (edited("pending.towns", 9), "pending, towns: expected a number from 0 to 8, got 9"),
        (edited("pending.cult_steps", 2), "cult_steps: expected a number from 0 to 1, got 2"),
        (edited("pending.bridges", 2), "pending, bridges: expected a number from 0 to 1, got 2"),
        (edited("pending.priests", 1), "pending, priests: expected a number from 0 to 0, got 1"),
        (edited("pending.special", "ride"), "pending, special: expected none, got ride"),
        (edited("pending.special", "ride", NOMADS), "special: expected none or sandstorm, got"),
        (edited("pending.source", "none"), "pending, source: expected single or double, got none"),
        (edited("pending.source", "cult"), "pending, source: expected single or double, got cult"),
        (edited("pending.tunnelled", "F4"), "tunnelled: engineers have neither tunnels nor"),
        (edited("pending.has_terraformed", 0), "pending: is_elsewhere without has_terraformed"),
        (edited("pending.buildable", ["E8", "C5"]), "buildable: expected free hexes, got C5"),
        (edited("pending.refused", ["FIRE"]), "refused: .* FIRE waits on level 9, .* on 0"),
        (BONUS | {"pending": {"favors": 1}}, "pending, favors: nothing is open in phase 'cult_sp"),
        (CULTISTS | {"pending": {"actions": 1}}, "pending, actions: nothing is open in phase 'rea"),
        (edited("skipped", ["r3"]), "skipped: only mermaids skip river hexes"),
        (edited("players.0.bon", "BON3"), r"players\[0\], used: BON needs BON1 or BON2"),
        (edited("players.1.used", ["FAV6"]), r"players\[1\], used: FAV6 needs that tile"),
        (edited("players.1.used", ["SH"]), "used: SH needs a stronghold with a special action"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(position, message):
    with pytest.raises(ValueError, match=message):
        read(position)


def test_choices_of_the_set_up_are_as_many_as_placed():
    rows = [ENGINEERS | NOTHING | {"D": ["C5"]}, HALFLINGS | NOTHING]
    dwellings = SET_UP | {"phase": "dwellings", "placed": 1, "players": rows}
    assert notation.state_to_text(RULES, read(dwellings)) == text_of(dwellings)
    with pytest.raises(ValueError, match="placed 2: there are 1 structures on the board"):
        read(dwellings | {"placed": 2})
    cards = edited("players.1.bon", "BON3", dwellings | {"phase": "cards"})
    assert notation.state_to_text(RULES, read(cards)) == text_of(cards)
    with pytest.raises(ValueError, match=r"players\[1\], bon: .* from the last seat on"):
        read(cards | {"placed": 0})


def test_a_missing_key_is_named():
    for part, place in ((POSITION, "position"), (POSITION["players"][0], r"players\[0\]")):
        for key in part:
            rest = {name: value for name, value in part.items() if name != key}
            position = rest if part is POSITION else edited("players.0", rest)
            with pytest.raises(ValueError, match=rf"{place}: key '{key}' is missing"):
                read(position)


def test_options_allow_what_they_bring_into_play():
    rules = TerraMystica(mini_towns=True, bon10=True, score9=True)
    position = edited("players.0.tw", ["TW6"])
    position["scoring"][0] = "SCORE9"
    position["cards"] = {"BON1": 0, "BON2": 1, "BON3": 0, "BON5": 2, "BON10": 0}
    assert notation.state_to_text(rules, read(position, rules)) == text_of(position)
    assert np.flatnonzero(read(position, rules).players.towns[0]).tolist() == [5]


def test_a_position_of_other_factions_than_the_option_names_is_refused():
    message = "players: expected witches, giants, as the option factions says"
    with pytest.raises(ValueError, match=message):
        read(POSITION, TerraMystica(factions="witches,giants"))
