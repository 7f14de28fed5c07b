import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgames
from jaxgames.players.knowledge import integer_score_of, score_of
from jaxgames.players.onitama.score import Mobile, material
from jaxgames.search.evaluators.integer_score import UNITS, Rounded
from papers.onitama_report.game.rules import to_base
from papers.onitama_report.game.score import ReportMobile
from tests.jaxgames.players.murus_gallicus import boards

CARDS = "boar,ox|elephant,horse|crab"


def test_every_game_has_a_hashable_integer_score():
    for name in jaxgames.available():
        env = jaxgames.make(name)
        score, params = integer_score_of(env)
        assert hash(score) == hash(integer_score_of(env)[0])
        key = jax.eval_shape(lambda: jax.random.key(0))
        value = jax.eval_shape(score, params, jax.eval_shape(env.rules.init, key))
        assert value.shape == () and value.dtype == jnp.int32


@pytest.mark.parametrize("seat", ["r", "b"])
def test_onitama_counts_students_and_moves(seat):
    env = jaxgames.make("onitama")
    game = env.text_to_state(f"1bBbb/5/2r2/5/rrR1r {seat} {CARDS} 0").game
    waiting = game.replace(
        own_pieces=game.other_pieces,
        other_pieces=game.own_pieces,
        own_hand=game.other_hand,
        other_hand=game.own_hand,
    )
    moves = [int(env.rules.legal_actions(each).sum()) for each in (game, waiting)]
    students = {"r": 1, "b": -1}[seat]
    assert moves[0] != moves[1]
    assert int(Mobile()((), game)) == 10 * students + moves[0] - moves[1]


def test_both_encodings_of_onitama_have_the_same_score():
    game = jaxgames.make("onitama_report").rules.init(jax.random.key(3))
    assert int(ReportMobile()((), game)) == int(Mobile()((), to_base(game)))


def test_rounded_score_is_that_of_the_seat_to_move():
    env = jaxgames.make("onitama")
    texts = [f"b1Bb1/5/5/5/rrRr1 {seat} {CARDS} 0" for seat in "rb"]
    games = [env.text_to_state(text).game for text in texts]
    found = [int(Rounded(env.rules, material)((), game)) for game in games]
    assert found == [UNITS // 4, -UNITS // 4]


def test_guess_of_murus_gallicus_is_a_return_of_both_seats():
    env = jaxgames.make("murus_gallicus")
    games = boards.games()
    guess = np.asarray(jax.jit(jax.vmap(score_of(env)))(games))
    np.testing.assert_array_equal(guess[:, 0], -guess[:, 1])
    assert abs(guess).max() < 1
    score, params = integer_score_of(env)
    exact = np.asarray(jax.jit(jax.vmap(score, in_axes=(None, 0)))(params, games))
    own = guess[np.arange(len(guess)), np.asarray(games.seat)]
    np.testing.assert_array_equal(np.sign(own), np.sign(exact))
    order = np.argsort(exact)
    assert (np.diff(own[order]) >= 0).all()
