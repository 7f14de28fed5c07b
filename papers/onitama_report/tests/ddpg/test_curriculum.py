"""The curriculum against lists of results."""

import jax
import jax.numpy as jnp
import numpy as np

from papers.onitama_report.config import OpponentConfig
from papers.onitama_report.ddpg import curriculum

LEARNERS, LANES = 3, 4


def test_windows_and_rises_are_those_of_lists_of_results():
    config = OpponentConfig(max_depth=3, window=5, wins=4)
    record = jax.jit(lambda stages, *games: curriculum.record(config, stages, *games))
    stages = curriculum.start(config, LEARNERS)
    rng = np.random.default_rng(0)
    results, depths, rises = [[] for _ in range(LEARNERS)], [1] * LEARNERS, 0
    for _ in range(120):
        ended = rng.random((LEARNERS, LANES)) < 0.4
        won = rng.random((LEARNERS, LANES)) < [[0.2], [0.5], [0.9]]
        depth = rng.integers(1, 4, (LEARNERS, LANES))  # of the opponent each game began with
        arrays = (jnp.asarray(ended), jnp.asarray(won), jnp.asarray(depth, jnp.int8))
        stages = record(stages, *arrays)
        for learner in range(LEARNERS):
            for lane in np.flatnonzero(ended[learner] & (depth[learner] == depths[learner])):
                results[learner] = [*results[learner], won[learner, lane]][-5:]
            if sum(results[learner]) >= 4 and depths[learner] < 3:
                depths[learner] += 1
                results[learner] = []
                rises += 1
        assert stages.depth.tolist() == depths
        assert np.asarray(stages.has_won).sum(axis=1).tolist() == [sum(r) for r in results]
    assert rises >= 4 and depths[0] < 3


def test_sixty_wins_of_the_last_hundred_raise_the_depth_and_fifty_nine_do_not():
    config = OpponentConfig()
    record = jax.jit(lambda stages, won: curriculum.record(config, stages, one, won, depth))
    one, depth = jnp.ones((1, 1), bool), jnp.ones((1, 1), jnp.int8)
    for wins, wanted in ((59, 1), (60, 2)):
        stages = curriculum.start(config, 1)
        # Wins that have left the window by the end do not count.
        for won in [True] * 30 + [False] * (100 - wins) + [True] * wins:
            stages = record(stages, jnp.array([[won]]))
        assert stages.depth.tolist() == [wanted]


def test_random_opponent_never_gets_deeper():
    config = OpponentConfig(kind="random", window=2, wins=1)
    won = jnp.ones((1, 2), bool)
    stages = curriculum.record(
        config, curriculum.start(config, 1), won, won, jnp.ones((1, 2), jnp.int8)
    )
    assert stages.depth.tolist() == [1]
