"""One example for each sentence of the rules, from positions written as text."""

import jax
import numpy as np
import pytest

import jaxgames
from jaxgames.onitama import cards, notation, rules
from jaxgames.onitama.rules import Onitama

RULES = Onitama()
STEP = jax.jit(RULES.step)
LEGAL = jax.jit(RULES.legal_actions)
IS_OVER = jax.jit(RULES.is_over)
RETURNS = jax.jit(RULES.returns)
RED_CARDS = "boar,ox|elephant,horse|cobra"
RED_WINS, BLUE_WINS, NOBODY = [1, -1], [-1, 1], [0, 0]


def play(text: str, *moves: str) -> rules.OnitamaState:
    game = notation.text_to_state(RULES, text)
    for move in moves:
        game = STEP(game, notation.text_to_action(RULES, game, move))
    return game


def after(text: str, *moves: str) -> str:
    return notation.state_to_text(RULES, play(text, *moves))


def legal(text: str) -> set[str]:
    """Returns the legal moves; the mask of the rules and the notation must agree on them."""
    game = notation.text_to_state(RULES, text)
    moves = notation.legal_moves(game)
    assert np.flatnonzero(LEGAL(game)).tolist() == list(moves)
    return set(moves.values())


def result(text: str, *moves: str) -> tuple[bool, list[float]]:
    game = play(text, *moves)
    return bool(IS_OVER(game)), RETURNS(game).tolist()


# Set-up


def deals(num_games: int, **options) -> list[rules.OnitamaState]:
    env = jaxgames.make("onitama", **options)
    return jax.device_get(
        jax.jit(jax.vmap(env.rules.init))(jax.random.split(jax.random.key(0), num_games))
    )


def test_masters_start_on_their_temples_between_four_students():
    deal = "boar,ox|elephant,horse|cobra"
    start = jax.device_get(Onitama(deal=deal).init(jax.random.key(0)))
    assert notation.state_to_text(RULES, start) == f"bbBbb/5/5/5/rrRrr r {deal} 0"


@pytest.mark.parametrize(("side", "seat"), [("mantis", 0), ("tiger", 1), ("turtle", 0)])
def test_stamp_of_the_side_card_decides_who_begins(side, seat):
    env = jaxgames.make("onitama", deck="all", deal=f"boar,ox|elephant,horse|{side}")
    state = env.init(jax.random.key(0))
    assert state.current_player == seat
    hand = notation.hand_ids(int(state.game.own_hand))
    assert [cards.CARDS[card].name for card in hand] == (
        ["boar", "ox"] if seat == 0 else ["elephant", "horse"]
    )


def test_half_of_the_base_cards_let_each_side_begin():
    assert cards.STAMPS[:16].tolist().count(cards.Stamp.BLUE) == 8


@pytest.mark.parametrize(
    ("deck", "first", "size"), [("base", 0, 16), ("expansion", 16, 16), ("all", 0, 32)]
)
def test_deal_draws_five_different_cards_of_the_deck_evenly(deck, first, size):
    num_games = 4096
    games = deals(num_games, deck=deck)
    side = np.uint32(1) << games.side_card.astype(np.uint32)
    together = games.own_hand | games.other_hand | side
    assert (np.bitwise_count(games.own_hand) == 2).all()
    assert (np.bitwise_count(games.other_hand) == 2).all()
    assert (np.bitwise_count(together) == 5).all()
    np.testing.assert_array_equal(games.seat, cards.STAMPS[games.side_card])
    red = np.where(games.seat == 0, games.own_hand, games.other_hand)
    for places, expected in ((red, 2 / size), (side, 1 / size), (together, 5 / size)):
        shares = [(places >> card & 1).mean() for card in range(first, first + size)]
        assert sum(shares) == pytest.approx(size * expected)  # no card of another deck
        deviation = np.sqrt(expected * (1 - expected) / num_games)
        np.testing.assert_allclose(shares, expected, atol=5 * deviation)


def test_own_deck_of_five_cards_is_dealt_in_all_thirty_ways():
    games = deals(1024, deck=["dragon", "elephant", "goose", "rooster", "monkey"])
    red = np.where(games.seat == 0, games.own_hand, games.other_hand)
    assert len(set(zip(red.tolist(), games.side_card.tolist(), strict=True))) == 30


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": "bases"}, "unknown deck 'bases'; available: base, expansion, all"),
        ({"deck": 5}, "got 5"),
        ({"deck": {"boar"}}, "got {'boar'}"),
        ({"deck": (["boar"],)}, "deck must be a name or a tuple of card names"),
        ({"planes": ["moves"]}, "planes must be one of moves, board"),
        ({"max_plies": True}, "max_plies must be an integer"),
        ({"deck": ("boar", "ox", "crab", "horse")}, "at least 5 different cards"),
        ({"deck": ("boar", "ox", "crab", "horse", "ox")}, "at least 5 different cards"),
        ({"deck": ("boar", "ox", "crab", "horse", "rooter")}, "did you mean 'rooster'"),
        ({"deal": "boar,ox|elephant,horse"}, "cards must read"),
        ({"deal": 7}, "cards must read 'card,card|card,card|card', got 7"),
        ({"deal": "boar,ox|elephant,ox|crab"}, "five cards must differ"),
        ({"deal": "boar,ox|elephant,horse|kirin"}, "card 'kirin' is not in the deck"),
        ({"max_plies": 0}, "max_plies must be an integer from 1 to 255, got 0"),
        ({"max_plies": 256}, "got 256"),
        ({"planes": "bord"}, "planes must be one of moves, board, got 'bord'"),
        ({"dek": "all"}, "unknown option 'dek'.*did you mean 'deck'"),
    ],
)
def test_bad_option_is_refused_when_the_game_is_made(options, message):
    with pytest.raises(ValueError, match=message):
        jaxgames.make("onitama", **options)


# Moves


def test_red_moves_up_and_blue_down_the_board():
    # Boar: forward, left, right.
    men = "5/5/1b1r1/5/R3B"
    own = "boar,tiger|crab,goose|ox"
    boar = {move for move in legal(f"{men} r {own} 9") if move.startswith("boar")}
    assert boar == {"boar:a1a2", "boar:a1b1", "boar:d3d4", "boar:d3c3", "boar:d3e3"}
    other = "crab,goose|boar,tiger|ox"
    boar = {move for move in legal(f"{men} b {other} 9") if move.startswith("boar")}
    assert boar == {"boar:e1d1", "boar:b3b2", "boar:b3a3", "boar:b3c3"}


def test_offsets_turn_with_the_side_and_are_not_reflected():
    # Rooster: right and forward, left, right, left and back.
    red = legal("4B/5/2R2/5/5 r rooster,tiger|crab,goose|ox 9")
    assert {m for m in red if m.startswith("r")} == {
        f"rooster:c3{to}" for to in ("d4", "b3", "d3", "b2")
    }
    blue = legal("4R/5/2B2/5/5 b crab,goose|rooster,eel|ox 9")
    assert {m for m in blue if m.startswith("r")} == {
        f"rooster:c3{to}" for to in ("b2", "d3", "b3", "d4")
    }
    # Eel: left and forward, right, left and back.
    assert {m for m in blue if m.startswith("e")} == {f"eel:c3{to}" for to in ("d2", "b3", "d4")}


def test_a_move_is_a_jump():
    assert "tiger:c1c3" in legal("2B2/5/5/2b2/2R2 r ox,tiger|crab,goose|boar 9")
    assert "tiger:c1c3" in legal("2B2/5/5/2r2/2R2 r ox,tiger|crab,goose|boar 9")


def test_target_must_be_on_the_board_and_free_of_own_pieces():
    moves = legal("r1B2/r4/5/5/4R r boar,tiger|crab,goose|ox 9")
    # Boar and tiger from e1 stay on the board, a5 is in the corner, a4 is blocked by a5.
    assert moves == {
        "boar:e1e2",
        "boar:e1d1",
        "tiger:e1e3",
        "boar:a5b5",
        "boar:a4b4",
        "tiger:a4a3",
    }


def test_captured_piece_leaves_the_board():
    text = after("2B2/5/5/2b2/2R2 r boar,tiger|crab,goose|ox 9", "boar:c1c2")
    assert text.split()[0] == "2B2/5/5/2R2/5"


def test_same_shift_with_either_card_is_two_moves():
    position = f"bbBbb/5/5/5/rrRrr r {RED_CARDS} 0"
    assert {"boar:c1c2", "ox:c1c2"} <= legal(position)
    assert after(position, "boar:c1c2") != after(position, "ox:c1c2")


def test_action_number_is_square_then_slot_then_move():
    game = notation.text_to_state(RULES, "5/4B/5/1r3/2R2 r boar,ox|elephant,horse|cobra 4")
    actions = dict(
        zip(notation.legal_moves(game).values(), np.flatnonzero(LEGAL(game)).tolist(), strict=True)
    )
    assert actions == {
        "boar:c1c2": 16,
        "boar:c1b1": 17,
        "boar:c1d1": 18,
        "ox:c1c2": 20,
        "ox:c1d1": 21,
        "boar:b2b3": 48,
        "boar:b2a2": 49,
        "boar:b2c2": 50,
        "ox:b2b3": 52,
        "ox:b2c2": 53,
        "ox:b2b1": 54,
    }


# Cards


def test_used_card_goes_to_the_side_and_the_side_card_to_the_hand():
    text = after(f"bbBbb/5/5/5/rrRrr r {RED_CARDS} 0", "ox:a1a2")
    assert text == "bbBbb/5/5/r4/1rRrr b boar,cobra|elephant,horse|ox 1"


def test_used_card_reaches_the_opponent_after_his_next_move():
    start = f"bbBbb/5/5/5/rrRrr r {RED_CARDS} 0"
    first, second = "ox:a1a2", "horse:e5e4"
    assert not any(move.startswith("ox") for move in legal(after(start, first)))
    assert after(start, first, second).split()[2] == "boar,cobra|elephant,ox|horse"


def test_order_within_a_hand_does_not_matter():
    left = play("2B2/5/5/5/2R2 r ox,boar|horse,elephant|cobra 0", "ox:c1c2")
    right = play("2B2/5/5/5/2R2 r boar,ox|elephant,horse|cobra 0", "ox:c1c2")
    assert jax.tree.all(jax.tree.map(lambda a, b: a == b, left, right))


# No move


STUCK = "Rrrrr/5/1b2b/1B3/5 r boar,crab|eel,frog|mantis 10"


def test_without_a_move_the_player_passes_and_exchanges_a_card():
    assert legal(STUCK) == {"boar:pass", "crab:pass"}
    men = "Rrrrr/5/1b2b/1B3/5"
    assert after(STUCK, "boar:pass") == f"{men} b crab,mantis|eel,frog|boar 11"
    assert after(STUCK, "crab:pass") == f"{men} b boar,mantis|eel,frog|crab 11"
    assert result(STUCK, "crab:pass") == (False, NOBODY)


def test_passing_is_illegal_while_any_piece_can_move_with_any_card():
    # The same pieces, but with eel instead of crab one can retreat.
    moves = legal(STUCK.replace("boar,crab|eel", "boar,eel|crab"))
    assert moves == {f"eel:{a}5{b}4" for a, b in ("ba", "cb", "dc", "ed")}


def test_blue_can_be_stuck_too():
    position = "5/3R1/3r1/5/bbbbB b mantis,frog|boar,elephant|ox 20"
    assert legal(position) == {"boar:pass", "elephant:pass"}
    assert after(position, "elephant:pass").split()[2] == "frog,mantis|boar,ox|elephant"


# The end


def test_way_of_the_stone_wins_by_a_student():
    position = "2B2/1r3/5/5/2R2 r monkey,tiger|crab,goose|ox 9"
    assert result(position) == (False, NOBODY)
    assert result(position, "monkey:b4c5") == (True, RED_WINS)
    assert after(position, "monkey:b4c5").split()[0] == "2r2/5/5/5/2R2"


def test_way_of_the_stone_wins_by_the_master():
    position = "5/5/5/1B3/2R2 b crab,goose|monkey,tiger|ox 9"
    assert result(position, "monkey:b2c1") == (True, BLUE_WINS)
    away = "5/5/3R1/2B2/5 b crab,goose|monkey,tiger|ox 9"
    assert result(away, "monkey:c2d3") == (True, BLUE_WINS)


def test_way_of_the_stream_wins_on_the_enemy_temple():
    assert result("B4/2R2/5/5/5 r boar,ox|crab,goose|tiger 9", "ox:c4c5") == (True, RED_WINS)
    assert result("5/5/5/2B2/R4 b crab,goose|boar,ox|tiger 9", "ox:c2c1") == (True, BLUE_WINS)


def test_master_wins_by_capturing_a_student_on_the_temple():
    assert result("B1b2/2R2/5/5/5 r boar,ox|crab,goose|tiger 9", "ox:c4c5") == (True, RED_WINS)


def test_stone_beats_stream_when_a_master_captures_the_master_on_its_temple():
    game = play("2B2/2R2/5/5/5 r boar,ox|crab,goose|tiger 9", "ox:c4c5")
    assert RETURNS(game).tolist() == RED_WINS
    assert bool(rules.is_stone(game))
    stream = play("B4/2R2/5/5/5 r boar,ox|crab,goose|tiger 9", "ox:c4c5")
    assert not bool(rules.is_stone(stream))


def test_student_on_the_enemy_temple_does_not_win():
    assert result("B4/2r2/5/5/R4 r boar,ox|crab,goose|tiger 9", "ox:c4c5") == (False, NOBODY)


def test_own_student_on_the_enemy_temple_blocks_the_master():
    moves = legal("B1r2/2R2/5/5/5 r boar,ox|crab,goose|tiger 9")
    assert not {"boar:c4c5", "ox:c4c5"} & moves
    assert "ox:c4d4" in moves


def test_master_elsewhere_on_the_last_row_or_on_its_own_temple_does_not_win():
    position = "B4/3R1/5/5/5 r boar,ox|crab,goose|tiger 9"
    assert result(position, "ox:d4d5") == (False, NOBODY)
    home = "4B/5/5/5/1R3 r boar,ox|crab,goose|tiger 9"
    assert result(home, "boar:b1c1") == (False, NOBODY)


def test_one_sided_capture_of_all_students_does_not_end_the_game():
    assert result("2B2/5/5/2b2/2R2 r boar,tiger|crab,goose|ox 9", "boar:c1c2") == (False, NOBODY)


def test_two_hundredth_ply_without_a_winner_draws():
    position = "B4/2R2/5/5/5 r boar,ox|crab,goose|tiger"
    assert result(f"{position} 198", "ox:c4d4") == (False, NOBODY)
    assert result(f"{position} 199", "ox:c4d4") == (True, NOBODY)


def test_two_hundredth_ply_may_still_win():
    assert result("B4/2R2/5/5/5 r boar,ox|crab,goose|tiger 199", "ox:c4c5") == (True, RED_WINS)


def test_pass_counts_as_a_ply():
    assert result(STUCK.replace(" 10", " 199"), "crab:pass") == (True, NOBODY)


def test_own_ply_limit_is_counted_by_the_environment():
    env = jaxgames.make("onitama", max_plies=2, deal=RED_CARDS)
    assert env.max_steps == 2
    step, state = jax.jit(env.step), env.init(jax.random.key(0))
    ended = []
    for move in ("ox:a1a2", "horse:e5e4"):
        state = step(state, env.text_to_action(state, move))
        ended.append((bool(state.terminated), bool(state.truncated), state.rewards.tolist()))
    assert ended == [(False, False, NOBODY), (True, False, NOBODY)]


def test_repeated_position_does_not_end_the_game():
    position = "B4/5/5/5/4R r boar,horse|goose,ox|rooster"
    circle = [
        "horse:e1e2",
        "goose:a5b4",
        "rooster:e2d2",
        "horse:b4b5",
        "goose:d2e1",
        "rooster:b5a5",
    ]
    assert after(f"{position} 0", *circle * 3) == f"{position} 18"
    assert result(f"{position} 0", *circle * 3) == (False, NOBODY)


def test_state_has_twenty_one_bytes():
    game = jax.eval_shape(RULES.init, jax.random.key(0))
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(game)) == 21
