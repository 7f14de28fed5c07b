"""Ledgers of Terra Mystica: what commands mean, and what is refused."""

import pathlib

import pytest

from benchmarks.golden.core import runner
from benchmarks.golden.core.records import read_records
from benchmarks.golden.terra_mystica.recorded_game import read_game
from jaxgames.terra_mystica.tables.factions import FACTION_NAMES
from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.commands import command
from jaxgames.terra_mystica.text.ledger_rows import ROWS_ARE_TURNS
from tests.jaxgames.terra_mystica.short_ledgers import SETUP, WITCHES_GIANTS, numbers, read
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "terra_mystica"
DECISIONS = "decisions.jsonl.gz"


def test_the_set_up_is_read_as_it_stands():
    decisions = ledger.read(numbers(WITCHES_GIANTS), SETUP[WITCHES_GIANTS])
    assert [command(d.action) for d in decisions] == [
        *("build C3", "build D4", "build D7", "build F4", "pass BON1", "pass BON2")
    ]
    assert [d.seat for d in decisions] == [0, 1, 1, 0, 1, 0]
    assert all(d.is_last for d in decisions)


def test_a_turn_ends_before_the_line_of_another_faction_and_at_the_end():
    lines = ("witches: advance ship", "giants: leech 2 witches. send FIRE 3")
    assert read(WITCHES_GIANTS, *lines) == [
        *("0 advance ship", "0 end", "1 leech", "1 send FIRE 3", "1 end")
    ]


def test_a_turn_may_take_one_line_or_many():
    one = read(WITCHES_GIANTS, "witches: burn 2. action ACT5. transform D2 to G. build D2")
    commands = ("burn 2", "action ACT5", "transform D2 to G", "build D2")
    assert read(WITCHES_GIANTS, *(f"witches: {text}" for text in commands)) == one
    assert one == [
        *("0 burn 1", "0 burn 1", "0 action ACT5", "0 transform D2 to G", "0 build D2", "0 end")
    ]


def test_a_ledger_may_say_that_each_row_is_a_turn():
    lines = ("witches: dig 1. transform D2 to G", "witches: build D2")
    assert read(WITCHES_GIANTS, *lines)[1:] == ["0 build D2", "0 end"]
    assert read(WITCHES_GIANTS, ROWS_ARE_TURNS, *lines)[1:] == ["0 end", "0 build D2", "0 end"]


def test_a_line_knows_the_decisions_that_it_caused():
    lines = [*SETUP[WITCHES_GIANTS], "witches: burn 1", "", "witches: send AIR 2", "giants: pass"]
    decisions = ledger.read(numbers(WITCHES_GIANTS), lines)[len(SETUP[WITCHES_GIANTS]) :]
    assert [(command(d.action), d.line, d.is_last) for d in decisions] == [
        ("burn 1", 7, False),
        ("send AIR 2", 9, False),
        ("end", 9, True),
        ("pass", 10, False),
        ("end", 10, True),
    ]


def test_conversions_are_taken_apart():
    line = "witches: convert 2pw to 2c. convert 6pw to 2w. convert 2p to 2w. burn 0. send FIRE 1"
    assert read(WITCHES_GIANTS, line)[:-2] == [
        *["0 convert 1pw to 1c"] * 2,
        *["0 convert 3pw to 1w"] * 2,
        *["0 convert 1p to 1w"] * 2,
    ]


def test_building_with_spades_at_hand_terraforms_first():
    for line in ("witches: dig 2. build C1", "witches: action ACT6. build C1"):
        assert read(WITCHES_GIANTS, line)[-3:] == ["0 transform C1 to G", "0 build C1", "0 end"]


def test_building_on_home_terrain_is_an_action_of_its_own():
    lines = ("witches: build C4", "witches: build D1")
    assert read(WITCHES_GIANTS, *lines) == ["0 build C4", "0 end", "0 build D1", "0 end"]


def test_digging_is_part_of_the_terraforming_that_it_pays():
    lines = ("giants: action BON1. dig 1. transform E2 to R", "giants: dig 2. build E8")
    assert read(WITCHES_GIANTS, *lines) == [
        *("1 action BON1", "1 transform E2 to R", "1 end"),
        *("1 transform E8 to R", "1 build E8", "1 end"),
    ]


def test_alchemists_with_a_stronghold_dig_spade_by_spade():
    factions = ("alchemists", "halflings")
    before = read(factions, "alchemists: dig 1. build F5")
    assert before == ["0 transform F5 to K", "0 build F5", "0 end"]
    lines = ("alchemists: upgrade C1 to SH", "alchemists: dig 2. build D3")
    assert read(factions, *lines)[2:] == [
        *("0 dig 1", "0 dig 1", "0 transform D3 to K", "0 build D3", "0 end")
    ]


def test_spades_of_a_stronghold_are_used_one_after_the_other():
    factions = ("alchemists", "halflings")
    line = "halflings: upgrade D8 to SH. transform D7 to U. -1 SPADE. build D7"
    # Two of the three spades reach the home terrain of this hex.
    assert read(factions, line) == [
        *("1 upgrade D8 to SH", "1 transform D7 to U", "1 end", "1 build D7", "1 end")
    ]


def test_what_is_open_at_the_end_of_a_turn_is_given_up():
    factions = ("darklings", "halflings")
    line = "darklings: upgrade C1 to SH. convert 2w to 2p"
    assert read(factions, line)[-3:] == ["0 convert 1w to 1p", "0 end", "0 end"]
    assert read(factions, line.replace("2", "3"))[-3:] == ["0 convert 1w to 1p"] * 2 + ["0 end"]
    written = read(factions, f"{line}. -1 CONVERT_W_TO_P")
    assert written == read(factions, line)


def test_two_actions_of_one_turn_do_not_end_it():
    factions = ("chaosmagicians", "cultists")
    line = "chaosmagicians: action ACTC. send FIRE 3. dig 2. build E2. pass BON3"
    assert read(factions, line) == [
        *("0 action ACTC", "0 send FIRE 3", "0 transform E2 to R", "0 build E2", "0 end"),
        *("0 pass BON3", "0 end"),
    ]


def test_cultists_react_between_turns():
    factions = ("chaosmagicians", "cultists")
    lines = ("cultists: upgrade D8 to TP", "chaosmagicians: leech 2 cultists", "cultists: +1 AIR")
    assert read(factions, *lines) == ["1 upgrade D8 to TP", "1 end", "0 leech", "1 +1 AIR"]


def test_specials_of_strongholds_lead_to_what_they_allow():
    factions = ("nomads", "swarmlings")
    lines = ("nomads: action ACTN. build D2", "swarmlings: action ACTS. upgrade D5 to TP")
    assert read(factions, *lines) == [
        *("0 action ACTN", "0 transform D2 to Y", "0 build D2", "0 end"),
        *("1 action ACTS", "1 upgrade D5 to TP", "1 end"),
    ]
    assert read(WITCHES_GIANTS, "witches: action ACTW. build I11")[1:] == ["0 build I11", "0 end"]
    given_up = ["0 action ACTW", "0 end", "0 end"]
    assert read(WITCHES_GIANTS, "witches: action ACTW. -1 FREE_D") == given_up
    assert read(WITCHES_GIANTS, "witches: action ACTW") == given_up


def test_spades_between_rounds_are_no_turn():
    lines = (
        *("witches: pass BON3", "giants: pass BON2"),
        *("giants: -1 SPADE", "witches: transform D4 to Y. transform C2 to G"),
        "witches: dig 1. transform D2 to G",
    )
    passes = ["0 pass BON3", "0 end", "1 pass BON2", "1 end"]
    spades = ["1 end", "0 transform D4 to Y", "0 transform C2 to G"]
    assert read(WITCHES_GIANTS, *lines) == [*passes, *spades, "0 transform D2 to G", "0 end"]


def test_conversions_belong_to_the_turn_of_their_row_unless_that_is_ended():
    first, second = "witches: send FIRE 3. convert 1w to 1c", "witches: send AIR 3"
    assert read(WITCHES_GIANTS, first, second)[1:3] == ["0 convert 1w to 1c", "0 end"]
    rows = ("witches: send FIRE 3", "witches: convert 1w to 1c. send AIR 3")
    assert read(WITCHES_GIANTS, *rows)[1:3] == ["0 end", "0 convert 1w to 1c"]
    rows = ("witches: send FIRE 3", "witches: convert 1w to 1c", second)
    assert read(WITCHES_GIANTS, *rows)[1:3] == ["0 convert 1w to 1c", "0 end"]
    ended = "witches: send FIRE 3. end. convert 1w to 1c. done"
    assert read(WITCHES_GIANTS, ended, second)[1:3] == ["0 end", "0 convert 1w to 1c"]


def test_several_towns_and_steps_are_one_choice_each():
    assert read(WITCHES_GIANTS, "witches: upgrade C3 to TE. +1 FAV5. +2 TW3. +2 FIRE")[2:] == [
        *("0 +1 TW3", "0 +1 TW3", "0 +1 FIRE", "0 end")
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("build C4", "expected a line to begin with one of witches, giants and a colon"),
        ("auren: build C4", "begin with one of witches, giants"),
        ("wiches: build C4", "and a colon; did you mean 'witches'?"),
        ("witches: -1 SPAD", "unknown command '-1 SPAD'; did you mean '-1 SPADE'?"),
        ("witches: biuld C4", "unknown command 'biuld C4'; did you mean 'build C4'?"),
        ("witches: build J1", "unknown command 'build J1'; did you mean 'build"),
        ("witches: convert 4pw to 1w", "'convert 4pw to 1w' is not a multiple of '3pw to 1w'"),
        ("witches: convert 1c to 1w", "unknown conversion .*; available: 1pw to 1c, 3pw to 1w"),
        ("witches: burn 100", "unknown command 'burn 100'"),
        ("witches: end", "no turn is in progress that could end"),
        ("witches: dig 1. transform C4 to G", "the witches cannot turn this hex into that terrain"),
        ("giants: dig 2. transform A1 to S", "the giants cannot turn this hex"),
        ("witches: dig 1. build A1", "this terraforming takes 3 spades, not 1"),
        ("witches: dig 1. send FIRE 3", "1 spades of the turn before it were not used"),
        ("witches: dig 1", "1 spades .* were not used"),
        ("send FIRE 3", "it is not clear whose line this is"),
        ("wiches send FIRE 3", "and a colon; did you mean 'witches'?"),
        ("gren: send FIRE 3", "and a colon; did you mean 'green'?"),
        ("witches: send p to FYRE", "unknown cult 'FYRE'; available: .* did you mean 'FIRE'?"),
        ("witches: send p to FIRE for 4", "'send p to FIRE for 4': expected 1 to 3 steps, got 4"),
        ("witches: connect A1:I1", "'connect A1:I1': these hexes have no river hex in common"),
        ("witches: connect A1:Z9", "unknown command 'connect A1:Z9'.* Expected connect r10 or"),
        ("witches: connect A1:I99", "there is no hex I99; expected a name as C4"),
        ("witches: build e99", "unknown command 'build e99'; did you mean 'build E.* build E7"),
        ("witches: fly to A1", "unknown command 'fly to A1'.* Expected one of action, advance"),
        ("witches: dig 1. build A1", "'build A1': this terraforming takes 3 spades"),
        ("giants: leech 1 from blue", "'leech 1 from blue': power comes from one of witches"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_the_reason(line, message):
    with pytest.raises(ValueError, match=message) as error:
        read(WITCHES_GIANTS, line)
    assert "line 7" in str(error.value) and repr(line) in str(error.value)


def test_numbers_that_are_no_factions_are_refused():
    for factions, message in (
        ([13, 99], "factions are numbers from 0 to 13, got 99"),
        (["witches", 8], "factions are numbers from 0 to 13, got 'witches'"),
        ([6, 5], "engineers and dwarves have the same colour"),
    ):
        with pytest.raises(ValueError, match=message):
            ledger.read(factions, [])


def test_one_text_and_seats_that_there_are_not_are_refused():
    with pytest.raises(ValueError, match="expected a list of lines, got one text of 17 letters"):
        ledger.read(numbers(WITCHES_GIANTS), "witches: build C3")
    with pytest.raises(ValueError, match="line 2: expected a text, got 7"):
        ledger.read(numbers(WITCHES_GIANTS), ["witches: build C3", 7])


def test_factions_may_be_chosen_before_the_set_up():
    lines = ["witches: faction witches", "giants: faction giants", *SETUP[WITCHES_GIANTS]]
    decisions = [d[:2] for d in ledger.read(numbers(WITCHES_GIANTS), lines)]
    assert [command(action) for _, action in decisions[:3]] == [
        *("faction witches", "faction giants", "build C3")
    ]


def test_the_set_up_must_be_complete():
    with pytest.raises(
        ValueError, match=r"line 2, .*: expected BUILD in the set-up, got 'pass BON1'"
    ):
        ledger.read(numbers(WITCHES_GIANTS), ["witches: build C3", "giants: pass BON1"])


def games_with_decisions(directory: pathlib.Path):
    """Yields each game whose decisions are recorded, with them."""
    rows = read_records(directory / DECISIONS, {})
    for file in dict.fromkeys(row["file"] for row in rows):
        games = {game["id"]: game for game in read_records(directory / f"{file}.jsonl.gz", {})}
        yield from ((games[row["id"]], row) for row in rows if row["file"] == file)


def check_recorded_games(directory: pathlib.Path) -> int:
    """Compares ledgers with action numbers; returns how many games."""
    number = 0
    for game, row in games_with_decisions(directory):
        moves = [(d.seat, d.action) for d in read_game(game).decisions]
        assert moves == [tuple(decision[:2]) for decision in row["decisions"]], game["id"]
        number += 1
    return number


def test_committed_games_are_read_as_the_recorded_numbers():
    assert check_recorded_games(COMMITTED) == 14
    factions = {name for game, _ in games_with_decisions(COMMITTED) for name in game["factions"]}
    assert factions == set(FACTION_NAMES)


def test_shared_games_are_read_as_the_recorded_numbers():
    directory = runner.shared_directory("terra_mystica")
    if not (directory / DECISIONS).exists():
        pytest.skip(f"no shared golden data in {directory}; {runner.VARIABLE} names another place")
    assert check_recorded_games(directory) == 108


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("giants: action ACTW", "giants have ACTG"),
        ("witches: action ACTS", "witches have ACTW"),
        ("witches: leech 2 nobody", "power comes from one of giants"),
        ("witches: leech 2 witches", "power comes from one of giants"),
        ("witches: upgrade C3 to TE. +2 FAV5", r"'\+2 FAV5': expected \+1 to \+1, got \+2"),
        ("witches: upgrade C3 to TE. +0 FIRE", r"'\+0 FIRE': expected \+1"),
        ("witches: upgrade C3 to TE. +9 TW3", r"'\+9 TW3': expected \+1"),
    ],
)
def test_what_a_faction_cannot_have_is_refused(line, message):
    with pytest.raises(ValueError, match=message):
        read(WITCHES_GIANTS, line)
