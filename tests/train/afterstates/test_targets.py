"""Lambda returns, against a plain loop over the games."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.networks.afterstates import Inputs
from train.afterstates.play import Afterstates
from train.afterstates.targets import lambda_returns

PLIES, LANES, HEADS = 40, 6, 2


def drawn(seed: int) -> tuple[np.ndarray, Afterstates]:
    """Plies of some lanes: about one in three is only a part of an action."""
    draw = np.random.default_rng(seed)
    ended = draw.random((PLIES, LANES)) < 0.15
    record = Afterstates(
        inputs=Inputs(jnp.zeros((PLIES, LANES, 1)), jnp.zeros((PLIES, LANES, 2)), None),
        outcome=draw.normal(size=(PLIES, LANES, HEADS)).astype(np.float32),
        seat=np.zeros((PLIES, LANES), np.int32),
        is_action=ended | (draw.random((PLIES, LANES)) < 0.66),
        ended=ended,
        decided=ended & (draw.random((PLIES, LANES)) < 0.8),
        length=np.zeros((PLIES, LANES), np.int32),
    )
    return draw.normal(size=(PLIES, LANES, HEADS)).astype(np.float32), record


def expected(predicted, record, trace, lane):
    """Returns target by ply, None where there is none, of one lane, from the end backwards."""
    found, target, value = {}, None, None
    for ply in reversed(range(PLIES)):
        if record.ended[ply, lane]:
            is_decided = record.decided[ply, lane]
            target = (record.outcome if is_decided else predicted)[ply, lane]
            value = target
            found[ply] = target if is_decided else None
        elif record.is_action[ply, lane]:
            if target is None:
                found[ply], target = None, predicted[ply, lane]
            else:
                found[ply] = target = (1 - trace) * value + trace * target
            value = predicted[ply, lane]
    return found


@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_targets_are_those_of_a_plain_loop(seed, trace):
    predicted, record = drawn(seed)
    targets, has_target = map(np.asarray, lambda_returns(jnp.asarray(predicted), record, trace))
    for lane in range(LANES):
        wanted = expected(predicted, record, trace, lane)
        for ply in range(PLIES):
            target = wanted.get(ply)
            assert has_target[ply, lane] == (target is not None)
            if target is not None:
                np.testing.assert_allclose(targets[ply, lane], target, rtol=1e-5, atol=1e-6)
