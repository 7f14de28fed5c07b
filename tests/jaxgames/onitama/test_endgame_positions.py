"""Random endgames: positions by the rules, of all kinds."""

import jax
import numpy as np
import pytest

from jaxgames.batching import trees
from jaxgames.onitama import endgame_positions, notation
from jaxgames.onitama.rules import Onitama

COUNT = 500


@pytest.fixture(scope="module", params=[Onitama(), Onitama(deck="all", max_plies=40)], ids=str)
def drawn(request):
    """Some rules, and random endgames by them."""
    rules = request.param
    keys = jax.random.split(jax.random.key(0), COUNT)
    games = jax.jit(jax.vmap(lambda key: endgame_positions.draw(rules, key)))(keys)
    over = jax.jit(jax.vmap(rules.is_over))(games)
    return rules, jax.device_get(games), np.asarray(over)


def test_the_game_goes_on_and_has_time(drawn):
    rules, games, over = drawn
    assert not over.any()
    assert games.ply.max() == rules.max_plies // 2 and games.ply.min() == 0
    assert set(games.seat.tolist()) == {0, 1}


def test_positions_are_legal_texts(drawn):
    rules, games, _ = drawn
    for index in range(50):
        game = jax.tree.map(lambda x, index=index: x[index], games)
        read = notation.text_to_state(rules, notation.state_to_text(rules, game))
        jax.tree.map(np.testing.assert_array_equal, trees.stack([read]), trees.stack([game]))


def test_each_side_has_up_to_two_students_equally_often(drawn):
    _, games, _ = drawn
    men = [np.bitwise_count(board) for board in (games.own_pieces, games.other_pieces)]
    for own in (1, 2, 3):
        for other in (1, 2, 3):
            share = ((men[0] == own) & (men[1] == other)).mean()
            assert 0.06 < share < 0.17  # 1 / 9 within four standard errors
