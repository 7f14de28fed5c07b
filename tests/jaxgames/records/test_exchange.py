import re

import jax
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jaxgames
from jaxgames import records
from jaxgames.onitama import cards, oni
from tests.jaxgames.records.games import random_game

ONITAMA = jaxgames.make("onitama")
MADE = """
# The masters have gone forward. Nothing of this means anything: 0123 BXLUT
11.11
..3.. # Blue
.....
..2..
00.00
bxlut
BRS lhl
TvL
"""


def test_a_file_is_read_and_played(tmp_path):
    path = tmp_path / "game.oni"
    path.write_text(MADE)
    record = records.import_game(ONITAMA, path, seats=("minimax:depth=2", "human"))
    assert record.start == "bb1bb/2B2/5/2R2/rr1rr r boar,monkey|elephant,rooster|tiger 0"
    assert [move.text for move in record.moves] == [
        "boar:c2d2",
        "elephant:c4b3",
        "tiger:b1b3",
    ]
    assert record.returns == (1.0, -1.0)
    records.check(record)
    other = tmp_path / "other.oni"
    records.export_game(ONITAMA, other, record)
    assert "".join(other.read_text().split()) == ("11.11..3.........2..00.00" + "BXLUTBrsLhlTvl")
    assert records.import_game(ONITAMA, other, seats=record.seats) == record


def test_the_set_up_need_not_be_written(tmp_path):
    path = tmp_path / "game.oni"
    path.write_text("bcdef")
    record = records.import_game(ONITAMA, path)
    assert record.start == "bbBbb/5/5/5/rrRrr r boar,cobra|dragon,eel|frog 0"
    assert record.seats == (records.Seat("human"),) * 2


@given(st.integers(0, 2**31))
def test_random_games_are_written_and_read(tmp_path_factory, seed):
    record = random_game(ONITAMA, seed, 30)
    if any("pass" in move.text for move in record.moves):
        return
    path = tmp_path_factory.mktemp("oni") / "game.oni"
    records.export_game(ONITAMA, path, record)
    read = records.import_game(ONITAMA, path, seats=record.seats)
    is_exchanged = record.start.split()[1] == "b"
    assert path.read_text().startswith("#") == is_exchanged
    if not is_exchanged:
        assert read == record
    elif record.returns:
        assert read.returns == record.returns[::-1]
    assert len(read.moves) == len(record.moves)


def test_every_card_of_the_base_game_has_its_letter():
    assert sorted(oni.CARDS.values()) == sorted(cards.DECKS["base"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected five cards, got 0"),
        ("bcd", "expected five cards, got 3"),
        ("bcdez", "card 5: expected one of BCDEFGHKLMOQRTUX, got 'Z'"),
        ("11211 ... bcdef", "board: expected 25 of [.]0123"),
        (MADE + "b", "move 4, 'B': expected a card and two squares"),
        (MADE + "bz9", "move 4, 'BZ9': expected a square from a to y, got 'Z'"),
        (MADE + "brs", "move 4: the game is over"),
        (MADE.replace("BRS", "BRT"), "move 1: move 'boar:c2e2' is not legal here; did you mean"),
        (MADE.replace("BRS", "ERS"), "move 1: move 'eel:c2d2' is not legal here"),
        ("bbcde", "the five cards must differ, got 'boar,boar"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path, text, message):
    path = tmp_path / "game.oni"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as raised:
        records.import_game(ONITAMA, path)
    assert str(path) in str(raised.value)


def test_what_the_format_lacks_is_refused(tmp_path):
    path = tmp_path / "game.oni"
    state = ONITAMA.text_to_state("bbBbb/5/5/5/rrRrr r fox,ox|elephant,horse|crab 0")
    record = records.begin(ONITAMA, state, ("a", "b"))
    with pytest.raises(ValueError, match="have the cards of the base game only, got 'fox'"):
        records.export_game(ONITAMA, path, record)
    with pytest.raises(ValueError, match="have no passes, got 'ox:pass'"):
        oni.write(None, "bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse|crab 0", ["ox:pass"], [])
    path.write_text("bcdef")
    with pytest.raises(ValueError, match=r"an \.oni file says where its game begins"):
        records.import_game(ONITAMA, path, start=ONITAMA.init(jax.random.key(0)))
    with pytest.raises(ValueError, match=re.escape("unknown format of onitama '.onni'; available")):
        records.export_game(ONITAMA, tmp_path / "x.onni", record)
    with pytest.raises(ValueError, match=re.escape("unknown format of murus_gallicus '.oni'")):
        records.import_game(jaxgames.make("murus_gallicus"), path)


def test_an_illegal_action_cannot_be_written(tmp_path):
    start = ONITAMA.text_to_state("bbBbb/5/5/5/rrRrr r boar,cobra|dragon,eel|frog 0")
    record = records.from_actions(ONITAMA, start, [-1], ("random", "random"))
    assert record.moves[0].text == "illegal:-1"
    with pytest.raises(ValueError, match=r"\.oni files have no illegal actions, got 'illegal:-1'"):
        records.export_game(ONITAMA, tmp_path / "game.oni", record)


def test_a_file_may_say_the_options_of_its_game(tmp_path):
    path = tmp_path / "game.ledger"
    rows = ("option shipping-bonus", "score SCORE8,SCORE2,SCORE3,SCORE4,SCORE5,SCORE6")
    seats = ("witches", "giants", "cultists")
    path.write_text("\n".join([*rows, *(f"setup {name}" for name in seats)]))
    options = records.options_of("terra_mystica", path)
    assert (options["num_players"], options["bon10"], options["score9"]) == (3, True, False)
    assert jaxgames.make("terra_mystica", **options).num_players == 3
    path.unlink()
    with pytest.raises(ValueError, match=r"game\.ledger: .*No such file"):
        records.options_of("terra_mystica", path)
    (tmp_path / "game.oni").write_text("")
    assert records.options_of("onitama", tmp_path / "game.oni") == {}
    with pytest.raises(ValueError, match=r"unknown format of onitama '\.ledger'"):
        records.options_of("onitama", path)
