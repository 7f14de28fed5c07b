"""Observation planes of Onitama, checked against the move notation."""

import jax
import numpy as np
import pytest

from jaxgames.onitama import cards, notation
from jaxgames.onitama.rules import Onitama

RULES, BOARD_ONLY = Onitama(deck="all"), Onitama(deck="all", planes="board")
OBSERVE = jax.jit(RULES.observe)
STEP = jax.jit(RULES.step)
POSITION = "1bB1b/3b1/1b1r1/2R2/rr2r r ox,tiger|boar,rabbit|dragon 14"


def position(text: str = POSITION):
    return notation.text_to_state(RULES, text)


def observe(text: str = POSITION, player: int | None = None) -> np.ndarray:
    game = position(text)
    return np.asarray(OBSERVE(game, int(game.seat) if player is None else player))


def plane(*squares: str) -> np.ndarray:
    """Returns a plane with ones on squares, as Red names and sees them."""
    board = np.zeros((5, 5), np.float32)
    for square in squares:
        board[int(square[1]) - 1, notation.FILES.index(square[0])] = 1
    return board


def test_pieces_of_both_sides():
    seen = observe()
    np.testing.assert_array_equal(seen[..., 0], plane("a1", "b1", "e1", "d3"))
    np.testing.assert_array_equal(seen[..., 1], plane("c2"))
    np.testing.assert_array_equal(seen[..., 2], plane("b5", "e5", "d4", "b3"))
    np.testing.assert_array_equal(seen[..., 3], plane("c5"))


def test_cards_are_drawn_around_the_centre_as_their_owner_moves():
    seen = observe()
    np.testing.assert_array_equal(seen[..., 4], plane("c4", "d3", "c2"))  # ox
    np.testing.assert_array_equal(seen[..., 5], plane("c5", "c2"))  # tiger
    np.testing.assert_array_equal(seen[..., 6], plane("c2", "b3", "d3"))  # boar, turned round
    np.testing.assert_array_equal(seen[..., 7], plane("b2", "a3", "d4"))  # rabbit, turned round
    np.testing.assert_array_equal(seen[..., 8], plane("a4", "e4", "b2", "d2"))  # dragon


def test_progress_is_plies_played_over_two_hundred():
    np.testing.assert_array_equal(observe()[..., 9], np.full((5, 5), 14 / 200, np.float32))


def test_board_planes_are_the_first_ten():
    game = position()
    np.testing.assert_array_equal(jax.jit(BOARD_ONLY.observe)(game, 0), observe()[..., :10])


def test_both_sides_see_the_same_position_from_their_own_side():
    blue = POSITION.replace(" r ox,tiger|boar,rabbit", " b boar,rabbit|ox,tiger")
    ranks, rest = blue.split(" ", 1)
    turned = ranks[::-1].translate(str.maketrans("rbRB", "brBR"))
    np.testing.assert_array_equal(observe(), observe(f"{turned} {rest}"))
    # Blue does not move here, and sees the same as when it does but for the side card.
    waiting, moving = observe(player=1), observe(POSITION.replace(" r ", " b "))
    np.testing.assert_array_equal(waiting, moving)


def expected_move_planes(game) -> np.ndarray:
    """Returns planes 10-43 found by trying each move."""
    planes = np.zeros((25, 34), np.float32)
    seat, enemies = int(game.seat), int(game.other_pieces)
    threats = np.zeros((2, 25))  # in the opponent's frame
    for slot, card in enumerate(notation.hand_ids(int(game.other_hand))):
        for square in range(25):
            if enemies >> square & 1:
                reached = cards.TARGETS[card, square]
                threats[slot, reached[reached >= 0]] = 1
    threats = threats[:, ::-1]
    planes[:, 32:] = threats.T
    for action in notation.legal_moves(game):
        squares = notation.move_squares(game, action)
        if squares is None:
            continue
        target = notation.to_frame(squares[1], seat)
        square, index = divmod(action, 8)
        after = STEP(game, action)
        captures = enemies >> (24 - target) & 1
        wins = RULES.returns(after)[seat] == 1
        risks = threats[:, target].any()
        for block, holds in enumerate((True, captures, wins, risks)):
            planes[square, 8 * block + index] = holds
    return planes.reshape(5, 5, 34)


@pytest.mark.parametrize(
    "text",
    [
        POSITION,
        POSITION.replace(" r ", " b "),
        "2b2/2R2/1B1b1/2r2/5 r ox,tiger|boar,monkey|dragon 9",  # a master beside the temple
        "2B2/1rR2/3b1/5/5 r monkey,elephant|boar,kirin|dragon 9",  # stone and stream
        "5/5/2r2/2B2/R4 b ox,tiger|horse,turtle|dragon 9",
        "Rrrrr/5/1b2b/1B3/5 r boar,crab|eel,frog|mantis 10",  # only passes
    ],
)
def test_move_planes_mark_moves_captures_wins_and_risks(text):
    np.testing.assert_array_equal(observe(text)[..., 10:], expected_move_planes(position(text)))


def test_reflection_of_the_position_reflects_the_planes():
    ((mirror, _),) = RULES.symmetries
    game = position(POSITION.replace("dragon", "eel"))
    image = np.asarray(jax.jit(lambda state: RULES.observe(mirror(state), 0))(game))
    np.testing.assert_array_equal(image[..., :4], np.asarray(OBSERVE(game, 0))[:, ::-1, :4])
    np.testing.assert_array_equal(image[..., 8], plane("d4", "b3", "d2"))  # cobra is eel's mirror
