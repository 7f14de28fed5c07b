"""Lambda returns, against a plain loop over the games."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxgames.networks.afterstates import Inputs
from train.afterstates.play import Afterstates
from train.afterstates.targets import lambda_returns

PLIES, LANES, SEATS = 40, 6, 3
HEADS = 2 * SEATS  # values and points


def drawn(seed: int) -> tuple[np.ndarray, Afterstates]:
    """Plies of some lanes: about one in three is only a part of an action."""
    draw = np.random.default_rng(seed)
    ended = draw.random((PLIES, LANES)) < 0.15
    record = Afterstates(
        inputs=Inputs(jnp.zeros((PLIES, LANES, 1)), jnp.zeros((PLIES, LANES, SEATS)), None),
        outcome=draw.normal(size=(PLIES, LANES, HEADS)).astype(np.float32),
        seat=draw.integers(SEATS, size=(PLIES, LANES), dtype=np.int32),
        is_action=ended | (draw.random((PLIES, LANES)) < 0.66),
        ended=ended,
        decided=ended & (draw.random((PLIES, LANES)) < 0.8),
        length=np.zeros((PLIES, LANES), np.int32),
    )
    return draw.normal(size=(PLIES, LANES, HEADS)).astype(np.float32), record


def expected(predicted, record, trace, lane, column, own_seats):
    """Returns target by ply, None where there is none, of one number, from the end backwards."""
    found, target, value = {}, None, None
    for ply in reversed(range(PLIES)):
        now = predicted[ply, lane, column]
        is_own = own_seats is None or record.seat[ply, lane] == column % own_seats
        if record.ended[ply, lane]:
            is_decided = record.decided[ply, lane]
            target = value = record.outcome[ply, lane, column] if is_decided else now
            found[ply] = target if is_decided else None
        elif record.is_action[ply, lane]:
            found[ply] = None if target is None else (1 - trace) * value + trace * target
            if is_own:
                target, value = now if target is None else found[ply], now
    return found


@pytest.mark.parametrize("own_seats", [None, SEATS])
@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_targets_are_those_of_a_plain_loop(seed, trace, own_seats):
    predicted, record = drawn(seed)
    targets, has_target = map(
        np.asarray, lambda_returns(jnp.asarray(predicted), record, trace, own_seats)
    )
    for lane in range(LANES):
        wanted = [
            expected(predicted, record, trace, lane, column, own_seats) for column in range(HEADS)
        ]
        for ply in range(PLIES):
            of_ply = [column.get(ply) for column in wanted]
            assert has_target[ply, lane] == any(target is not None for target in of_ply)
            if has_target[ply, lane]:
                kept = zip(of_ply, predicted[ply, lane], strict=True)
                of_ply = [now if target is None else target for target, now in kept]
                np.testing.assert_allclose(targets[ply, lane], of_ply, rtol=1e-5, atol=1e-6)
