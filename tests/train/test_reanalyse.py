"""Reanalyse: some positions of the replay get the targets of a new search, and nothing else."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs.alphazero import AlphaZeroConfig, ReplayConfig, SelfPlayConfig
from jaxgames.search.agent import Decision, Memoryless
from tests import turn_nim
from tests.turn_nim import TurnNim
from train import reanalyse
from train.replay import Replay
from train.targets import Samples

RULES = TurnNim()
POSITIONS = turn_nim.all_positions()
SIZE = 60


class Knowing(Memoryless):
    """Prefers the last legal action, and values a position by the number of its stones."""

    def act(self, params, memory, state, key):
        legal = jax.vmap(RULES.legal_actions)(state)
        last = 5 - legal[:, ::-1].argmax(axis=1)
        stones = state.heaps.sum(axis=1).astype(jnp.float32) / 8
        values = params * jnp.stack([stones, -stones], axis=1)
        return Decision(last, jax.nn.one_hot(last, 6), values), memory


@pytest.fixture(scope="module")
def before():
    samples = Samples(
        game=turn_nim.batch(POSITIONS[:SIZE], 0),
        policy=jnp.full((SIZE, 3), 0.25, jnp.float16),
        search_values=jnp.full((SIZE, 2), 0.9, jnp.float16),
        outcome=jnp.ones((SIZE, 2), jnp.float16),
        outcome_known=jnp.ones(SIZE, bool),
    )
    room = jax.tree.map(lambda x: jnp.concatenate([x, jnp.zeros_like(x)]), samples)
    return Replay(room, jnp.array([SIZE]), jnp.array([SIZE]))


@pytest.mark.parametrize("amount", [reanalyse.Amount(5, 4), reanalyse.Amount(SIZE, 1)])
def test_as_many_positions_as_asked_for_get_the_newest_targets(before, amount):
    after = jax.jit(
        lambda replay, key: reanalyse.renew(RULES, Knowing(), 0.5, replay, amount, key)
    )(before, jax.random.key(1))
    is_new = np.asarray(after.samples.search_values[:, 0] != before.samples.search_values[:, 0])
    assert is_new.sum() == amount.batch_size * amount.batches
    assert not is_new[SIZE:].any()
    for row in np.flatnonzero(is_new):
        heaps, chosen = POSITIONS[row]
        stones = 0.5 * sum(heaps) / 8
        np.testing.assert_allclose(after.samples.search_values[row], [stones, -stones], rtol=1e-2)
        actions = sum(n > 0 for n in heaps) if chosen < 0 else min(heaps[chosen], 3)
        np.testing.assert_array_equal(after.samples.policy[row], np.arange(3) == actions - 1)
    old = ~is_new
    for name in ("policy", "search_values"):
        one, other = (np.asarray(getattr(x.samples, name)) for x in (after, before))
        np.testing.assert_array_equal(one[old], other[old])
    unchanged = [x.samples._replace(policy=None, search_values=None) for x in (after, before)]
    jax.tree.map(np.testing.assert_array_equal, *unchanged)


def test_rows_differ_and_reach_everywhere(before):
    spread = jax.jit(reanalyse.spread, static_argnums=1)
    rows = [np.asarray(spread(before, 7, jax.random.key(i))) for i in range(60)]
    assert all(len(set(found.tolist())) == 7 for found in rows)
    assert set(np.concatenate(rows).tolist()) == set(range(SIZE))


@pytest.mark.parametrize(("share", "plies"), [(0.0, 0), (0.01, 1), (0.5, 4), (1.0, 8)])
def test_the_setting_counts_positions_for_each_position_played(share, plies):
    config = AlphaZeroConfig(
        game="onitama",
        selfplay=SelfPlayConfig(lanes=4, plies=8),
        replay=ReplayConfig(reanalyse=share),
    )
    assert config.reanalysed_plies == plies
