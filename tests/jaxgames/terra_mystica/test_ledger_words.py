"""Single lines of ledgers in the writing of the online platform."""

import pytest

from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.commands import command
from tests.jaxgames.terra_mystica.short_ledgers import WITCHES_GIANTS, numbers, read


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("WITCHES: SEND P TO FIRE", ["0 send FIRE 3", "0 end"]),
        ("green: send priest to fire for 2", ["0 send FIRE 2", "0 end"]),
        ("Witches Advance Shipping # far away", ["0 advance ship", "0 end"]),
        ("giants: Leech 2 from GREEN", ["1 leech"]),
        ("red: decline 1 from witches. wait", ["1 decline"]),
        ("giants: DECLINE", ["1 decline"]),
        ("leech 1 from red", ["0 leech"]),
        ("action actw", ["0 action ACTW", "0 end", "0 end"]),
        ("witches: Convert 1PW to 1C.Build C4", ["0 convert 1pw to 1c", "0 build C4", "0 end"]),
        ("witches: convert 2 workers to 2 coins. done", ["0 convert 1w to 1c"] * 2 + ["0 end"]),
        ("witches: upgrade c3 to temple.+FAV11", ["0 upgrade C3 to TE", "0 +1 FAV11", "0 end"]),
        ("witches: upgrade c3 to tp.+tw3.+2fire", ["0 upgrade C3 to TP", "0 +1 TW3", "0 +1 FIRE"]),
        ("witches: dig 2. transform c1 to Green", ["0 transform C1 to G", "0 end"]),
        ("witches: dig 2. transform c1", ["0 transform C1 to G", "0 end"]),
        ("witches: transform C1. -KEY. setup", ["0 transform C1 to G", "0 end"]),
        ("giants: pass bon4", ["1 pass BON4", "1 end"]),
        ("witches\t:\tSEND P\tTO FIRE", ["0 send FIRE 3"]),
        ("\ufeffwitches: send p to FIRE", ["0 send FIRE 3"]),
        ("leech\xa01\tfrom red", ["0 leech"]),
        ("witches: wait", []),
        ("# only a remark. build C4", []),
    ],
)
def test_the_writing_of_the_platform_is_read(line, expected):
    assert read(WITCHES_GIANTS, line)[: len(expected) or None] == expected


@pytest.mark.parametrize("name", ["Chaos Magicians", "chaos-magicians", "CHAOSMAGICIANS"])
def test_a_name_of_two_words_needs_no_colon_and_may_give_power(name):
    factions = ("chaosmagicians", "witches")
    turn = "action BON1. transform C4 to R. build C4"
    assert read(factions, f"{name}\t{turn}") == read(factions, f"{name}: {turn}")
    lines = (f"{name} {turn}", f"leech from {name}")
    assert read(factions, *lines)[-1] == "1 leech"


@pytest.mark.parametrize("line", ["build C4; build C1", "witches: build C4,dig 1"])
def test_another_sign_between_commands_is_named(line):
    with pytest.raises(ValueError, match=r"after 'build C4'. Expected commands separated by dots"):
        read(WITCHES_GIANTS, line)


def test_a_priest_without_a_number_of_steps_goes_to_the_best_spot_that_is_free():
    lines = ["witches: send p to AIR", "giants: send p to AIR"] * 3
    sent = [text for text in read(WITCHES_GIANTS, *lines) if "send" in text]
    steps = [3, 2, 2, 2, 1, 1]
    assert sent == [f"{seat % 2} send AIR {step}" for seat, step in enumerate(steps)]


def test_a_line_without_a_name_goes_on_with_the_turn_of_the_line_before_it():
    lines = ("witches: burn 1. dig 2", "build C1", "convert 1w to 1c")
    assert read(WITCHES_GIANTS, *lines)[1:] == [
        *("0 transform C1 to G", "0 build C1", "0 convert 1w to 1c", "0 end")
    ]


def test_a_river_hex_may_be_named_by_the_hexes_beside_it():
    factions = ("mermaids", "giants")
    setup = ["build A5", "build D4", "build D7", "build F3", "pass BON1", "pass BON2"]
    for words, rivers in (("C4:D5", {"r10", "r16"}), ("D5:C4", {"r10", "r16"}), ("c3:b3", None)):
        lines = [*setup, "mermaids: send FIRE 3", f"connect {words}"]
        decision = ledger.read(numbers(factions), lines)[-2]
        named = {command(action) for action in (decision.action, *decision.others)}
        assert all(text.startswith("connect r") for text in named)
        assert rivers is None or named == {f"connect {river}" for river in rivers}
