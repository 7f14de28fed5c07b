"""From a record of plies to samples, computed by hand."""

import jax
import jax.numpy as jnp
import numpy as np

from train.selfplay import Plies
from train.targets import make_samples


def record(ended, decided, off_policy, returns):
    """Returns a record of plies; arguments are `[T, B]`, returns `[T, B, players]`."""
    ended = jnp.array(ended, bool)
    number = jnp.arange(ended.size).reshape(ended.shape)
    return Plies(
        game={"number": number},
        policy=(number[..., None] + jnp.array([0.0, 0.25])).astype(jnp.float16),
        search_values=(number[..., None] * jnp.array([0.125, -0.125])).astype(jnp.float16),
        returns=jnp.array(returns, jnp.float16),
        ended=ended,
        decided=jnp.array(decided, bool),
        length=jnp.ones(ended.shape, jnp.int32),
        off_policy=jnp.array(off_policy, bool),
    )


def column(*rows):
    """Returns rows of one lane as `[T, 1, ...]`."""
    return np.array(rows)[:, None]


def outcomes(plies):
    samples = jax.jit(make_samples)(plies)
    return np.asarray(samples.outcome), np.asarray(samples.outcome_known)


WIN, LOSS, NONE = (1, -1), (-1, 1), (0, 0)


def test_result_of_a_game_reaches_all_its_plies_and_no_other_ones():
    outcome, known = outcomes(
        record(
            ended=column(0, 0, 1, 0, 1, 0, 0),
            decided=column(0, 0, 1, 0, 1, 0, 0),
            off_policy=column(0, 0, 0, 0, 0, 0, 0),
            returns=column(NONE, NONE, WIN, NONE, LOSS, NONE, NONE),
        )
    )
    # The third game is unfinished when the record ends.
    np.testing.assert_array_equal(outcome, [WIN, WIN, WIN, LOSS, LOSS, NONE, NONE])
    np.testing.assert_array_equal(known, [1, 1, 1, 1, 1, 0, 0])


def test_draw_is_known_and_game_cut_off_is_not():
    outcome, known = outcomes(
        record(
            ended=column(0, 1, 0, 1, 1),
            decided=column(0, 1, 0, 0, 1),
            off_policy=column(0, 0, 0, 0, 0),
            returns=column(NONE, NONE, NONE, NONE, WIN),
        )
    )
    np.testing.assert_array_equal(outcome, [NONE, NONE, NONE, NONE, WIN])
    np.testing.assert_array_equal(known, [1, 1, 0, 0, 1])


def test_plies_up_to_a_random_move_of_the_same_game_have_no_outcome():
    outcome, known = outcomes(
        record(
            ended=column(0, 1, 0, 0, 0, 1, 1),
            decided=column(0, 1, 0, 0, 0, 1, 1),
            off_policy=column(0, 0, 1, 1, 0, 0, 1),
            returns=column(NONE, WIN, NONE, NONE, NONE, LOSS, WIN),
        )
    )
    np.testing.assert_array_equal(known, [1, 1, 0, 0, 1, 1, 0])
    np.testing.assert_array_equal(outcome, [WIN, WIN, NONE, NONE, LOSS, LOSS, NONE])


def test_lanes_and_three_seats_stay_apart_and_everything_else_is_passed_on():
    first, second = (1, -1, 0), (-0.5, 0.25, 0.25)
    none = (0, 0, 0)
    plies = record(
        ended=[[0, 1], [1, 0]],
        decided=[[0, 1], [1, 0]],
        off_policy=[[0, 0], [0, 0]],
        returns=[[none, second], [first, none]],
    )
    samples = jax.jit(make_samples)(plies)
    # One sample a ply: time first, then lanes.
    np.testing.assert_array_equal(samples.outcome, [first, second, first, none])
    np.testing.assert_array_equal(samples.outcome_known, [1, 1, 1, 0])
    np.testing.assert_array_equal(samples.game["number"], np.arange(4))
    np.testing.assert_array_equal(samples.policy, plies.policy.reshape(4, 2))
    np.testing.assert_array_equal(samples.search_values, plies.search_values.reshape(4, 2))
    assert samples.policy.dtype == samples.outcome.dtype == jnp.float16


def test_points_of_a_game_reach_its_plies_where_the_game_counts_any():
    plies = record(
        ended=column(0, 1, 0, 1, 0),
        decided=column(0, 1, 0, 1, 0),
        off_policy=column(0, 0, 0, 0, 0),
        returns=column(NONE, WIN, NONE, LOSS, NONE),
    )
    assert jax.eval_shape(make_samples, plies).scores is None
    points = jnp.array(column((1, 2), (40, 30), (3, 4), (50, 60), (5, 6)), jnp.float16)
    samples = jax.jit(make_samples)(plies._replace(scores=points))
    np.testing.assert_array_equal(samples.outcome_known, [1, 1, 1, 1, 0])
    np.testing.assert_array_equal(samples.scores[:4], [(40, 30)] * 2 + [(50, 60)] * 2)
