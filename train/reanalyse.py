"""Reanalyse: positions of the replay get fresh targets, from searches with the newest parameters.

Source: J. Schrittwieser et al., "Mastering Atari, Go, chess and shogi by planning with a learned
model", Nature 588, 2020, appendix H. The outcomes of the games stay as they are.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from jaxgames import Rules
from jaxgames.search.agent import Agent, Params
from train.replay import Replay
from train.selfplay import by_slot


class Amount(NamedTuple):
    """How many positions are searched: `batches` times `batch_size`."""

    batch_size: int
    batches: int


def renew(
    rules: Rules[Any],
    agent: Agent,
    params: Params,
    replay: Replay,
    amount: Amount,
    key: PRNGKeyArray,
) -> Replay:
    """Returns the replay with new policies and search values of some positions.

    Args:
        rules: the game.
        agent: the search.
        params: its newest parameters.
        replay: the replay, which holds at least as many positions as are searched.
        amount: the number of positions.
        key: of all chance.
    """
    start_key, search_key = jax.random.split(key)
    index = spread(replay, amount.batch_size * amount.batches, start_key)
    index = index.reshape(amount.batches, amount.batch_size)
    memory = agent.reset(amount.batch_size)

    def one_batch(_: None, work: tuple[Array, PRNGKeyArray]) -> tuple[None, tuple[Array, Array]]:
        rows, search_key = work
        games = jax.tree.map(lambda ring: ring[rows], replay.samples.game)
        decision, _ = agent.act(params, memory, games, search_key)
        mask = jax.vmap(rules.legal_actions)(games)
        return None, (by_slot(decision.policy, mask, rules.max_legal_actions), decision.values)

    keys = jax.random.split(search_key, amount.batches)
    _, found = jax.lax.scan(one_batch, None, (index, keys))
    samples = replay.samples
    policy, values = (
        ring.at[index.reshape(-1)].set(new.reshape(-1, new.shape[-1]).astype(ring.dtype))
        for ring, new in zip((samples.policy, samples.search_values), found, strict=True)
    )
    return replay.replace(samples=samples._replace(policy=policy, search_values=values))


def spread(replay: Replay, count: int, key: PRNGKeyArray) -> Int32[Array, "count"]:
    """Returns rows at equal distances from a random first one: all differ."""
    size = jnp.maximum(replay.size[0], 1)
    start = jax.random.randint(key, (), 0, size)
    return (start + jnp.arange(count) * (size // count)) % size
