"""What a file or a pasted text is, of whichever game."""

import pytest

import jaxgames
from agents.play import foreign_games
from jaxgames import records
from jaxgames.records import building
from tests.agents.play import positions

GAMES = ("murus_gallicus", "onitama", "terra_mystica", "tribes")
ONI = "11.11\n..3..\n.....\n..2..\n00.00\nbxlut\nBRS lhl\nTvL\n"
ONITAMA = "2B2/1b3/2R2/5/5 r tiger,crab|ox,horse|crane 8"
MURUS = "tttttt1t/8/3w4/3T4/8/8/TTTTTTT1 r 20"
LEDGER = """score SCORE3,SCORE1,SCORE5,SCORE2,SCORE4,SCORE6
delete BON5
delete BON7
delete BON3
setup witches
setup giants
"""


def found(text, file="", shown=None):
    return foreign_games.recognise(text, file, GAMES, shown)


@pytest.mark.parametrize(
    ("text", "game"),
    [
        (ONITAMA, "onitama"),
        (f"  {ONITAMA}\r\n", "onitama"),
        (MURUS, "murus_gallicus"),
        (positions.TERRA_MYSTICA, "terra_mystica"),
        (positions.TRIBES, "tribes"),
    ],
)
def test_a_position_names_its_game(text, game):
    seen = found(text, shown=jaxgames.make("onitama"))
    assert (seen.env.id, seen.is_position) == (game, True)


@pytest.mark.parametrize("file", ["game.oni", "GAME.ONI", ""])
def test_a_file_of_another_program_is_known_by_its_suffix_or_its_text(file):
    seen = found(ONI, file, jaxgames.make("tribes"))
    assert (seen.env.id, seen.is_position) == ("onitama", False)
    assert seen.file.casefold().endswith(".oni")


@pytest.mark.parametrize("file", ["7.ledger", ""])
def test_a_ledger_says_its_options(file):
    seen = found(LEDGER, file, jaxgames.make("onitama"))
    assert (seen.env.id, seen.env.num_players) == ("terra_mystica", 2)
    assert seen.env.rules.non_default_options == {"errata_cultists": False}


def test_a_record_says_its_game_and_options():
    env = jaxgames.make("onitama", deck="all")
    record = building.begin(env, env.text_to_state(ONITAMA), ["human", "human"])
    seen = found(records.to_text(record), "", jaxgames.make("tribes"))
    assert seen.env == env and not seen.is_position


@pytest.mark.parametrize("text", ["", " \n", "no game", "{", '{"record": 1}', "[" * 1000, "11.11"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"."):
        found(text)


def test_what_is_wrong_with_a_file_of_a_known_suffix_is_told():
    with pytest.raises(ValueError, match=r"x\.ledger"):
        found("score NOTHING\n", "x.ledger")
