"""Position and move text of Onitama: round trips, and what is refused with which words."""

import jax
import pytest

from jaxgames.onitama import notation
from jaxgames.onitama.rules import Onitama
from tests.jaxgames.states import same

RULES = Onitama(deck="all")
CARDS = "boar,ox|elephant,horse|crab"
START = f"bbBbb/5/5/5/rrRrr r {CARDS} 0"


def position(text: str):
    return notation.text_to_state(RULES, text)


def test_start_position_reads_as_the_one_that_is_dealt():
    dealt = jax.device_get(Onitama(deal=CARDS).init(jax.random.key(0)))
    assert notation.state_to_text(RULES, dealt) == START.replace(" r ", " b ")  # crab is blue
    assert same(position(START.replace(" r ", " b ")), dealt)


def test_squares_are_named_from_the_side_of_red():
    game = position(f"4b/1B3/5/3R1/r4 b {CARDS} 7")
    assert int(game.other_pieces) == 1 << 0 | 1 << 8  # a1 and d2, as Red counts
    assert int(game.other_master) == 8
    assert int(game.own_pieces) == 1 << 0 | 1 << 8  # e5 and b4, as Blue counts
    assert int(game.own_master) == 8
    assert (int(game.seat), int(game.ply)) == (1, 7)


def test_hands_are_read_in_any_order_and_written_with_the_lower_id_first():
    shuffled = START.replace("boar,ox", "ox,boar").replace("elephant,horse", "horse,elephant")
    assert same(position(shuffled), position(START))
    assert notation.state_to_text(RULES, position(shuffled)) == START


def test_fields_may_be_parted_by_any_blanks():
    assert same(position("  " + START.replace(" ", " \t")), position(START))


@pytest.mark.parametrize(
    "text",
    [
        f"5/5/2R2/5/5 b {CARDS} 12",  # Red has captured Blue's master
        f"2R2/5/2B2/5/5 b {CARDS} 12",  # Red's master is in the temple
        f"2B2/5/2R2/5/5 r {CARDS} 200",  # ply limit
        "2B2/5/2R2/5/5 r sea_snake,viper|bear,turtle|kirin 3",
    ],
)
def test_finished_games_and_any_cards_can_be_read(text):
    assert notation.state_to_text(Onitama(), notation.text_to_state(Onitama(), text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 4 fields .board, side to move, cards, ply., got 0"),
        (f"{START} x", "got 5"),
        (f"bbBbb/5/5/rrRrr r {CARDS} 0", "expected 5 ranks, got 4"),
        (f"bbBbb/5/5/6/rrRrr r {CARDS} 0", "rank 2 '6': '6' is not one of rRbB12345"),
        (f"bbBbb/5/0/5/rrRrr r {CARDS} 0", "rank 3 '0': '0' is not one of"),
        (f"bbBbx/5/5/5/rrRrr r {CARDS} 0", "rank 5 'bbBbx': 'x' is not one of"),
        (f"bbBbb/5/4/5/rrRrr r {CARDS} 0", "rank 3 '4': expected 5 squares, got 4"),
        (f"bbBbb/5/5/5/rrRrrr r {CARDS} 0", "rank 1 'rrRrrr': expected 5 squares, got 6"),
        (f"bbBbb/5/5/55555/rrRrr r {CARDS} 0", "rank 2 '55555': expected 5 squares, got 25"),
        (f"bbBbb/5/b4/5/rrRrr r {CARDS} 0", "at most 4 students 'b', got 5"),
        (f"bbBbb/5/5/4R/rrRrr r {CARDS} 0", "more than one master 'R'"),
        (f"bbbb1/5/5/5/rrrr1 r {CARDS} 0", "master 'B' is missing"),
        (f"bbbb1/5/5/5/rrRrr r {CARDS} 0", "master 'B' is missing, but only the side to move"),
        (f"bbBbb/5/5/5/rr1rr b {CARDS} 0", "master 'R' is missing"),
        (f"2R2/5/2B2/5/5 r {CARDS} 9", "master 'R' is on the enemy temple"),
        (f"5/5/2R2/5/2B2 b {CARDS} 9", "master 'B' is on the enemy temple"),
        (f"bbBbb/5/5/5/rrRrr w {CARDS} 0", "side to move 'w': expected 'r' or 'b'"),
        (f"bbBbb/5/5/5/rrRrr rb {CARDS} 0", "side to move 'rb': expected"),
        ("bbBbb/5/5/5/rrRrr r boar,ox|elephant,horse 0", "cards must read"),
        ("bbBbb/5/5/5/rrRrr r boar|elephant,horse|crab 0", "cards must read"),
        ("bbBbb/5/5/5/rrRrr r boar,ox|elephant,boar|crab 0", "five cards must differ"),
        ("bbBbb/5/5/5/rrRrr r boar,ox|elefant,horse|crab 0", "did you mean 'elephant'"),
        (f"bbBbb/5/5/5/rrRrr r {CARDS} -1", "ply '-1': expected a number from 0 to 200"),
        (f"bbBbb/5/5/5/rrRrr r {CARDS} 201", "ply '201': expected a number from 0 to 200"),
        (f"bbBbb/5/5/5/rrRrr r {CARDS} ²", "ply '²'"),
    ],
)
def test_bad_position_names_the_part_at_fault(text, message):
    with pytest.raises(ValueError, match=message):
        position(text)


def test_move_text_gives_card_and_squares_as_red_names_them():
    red, blue = position(START), position(START.replace(" r ", " b "))
    assert notation.action_to_text(RULES, red, (2 * 2 + 1) * 4 + 0) == "ox:c1c2"
    # Blue sees its e5 as square 0; elephant's move 1 leads right and forward, to d4.
    assert notation.action_to_text(RULES, blue, (0 * 2 + 0) * 4 + 1) == "elephant:e5d4"
    assert notation.text_to_action(RULES, blue, "elephant:e5d4") == 1
    assert notation.move_squares(blue, 1) == (24, 18)
    assert notation.move_squares(blue, 200) is None


def test_pass_is_written_with_its_card():
    stuck = position("Rrrrr/5/1b2b/1B3/5 r boar,crab|eel,frog|mantis 10")
    assert notation.legal_moves(stuck) == {200: "boar:pass", 201: "crab:pass"}
    assert notation.text_to_action(RULES, stuck, "crab:pass") == 201
