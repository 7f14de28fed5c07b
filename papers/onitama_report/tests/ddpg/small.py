"""Small settings that the tests of DDPG share, so that they compile once."""

import dataclasses

import jax
import jax.numpy as jnp

from jaxgames.rules import Rules
from papers.onitama_report.config import (
    DdpgConfig,
    EvaluationConfig,
    LearnerConfig,
    NetworkConfig,
    OpponentConfig,
    PlayConfig,
)

CONFIG = DdpgConfig(
    game="onitama_report",
    env_options="max_plies=30",
    architecture="actions_only,dual",
    seeds=2,
    episodes=12,
    network=NetworkConfig(channels=2, hidden=8),
    play=PlayConfig(lanes=4, turns=4),
    opponent=OpponentConfig(max_depth=2, window=6, wins=2),
    # A batch is more than the 16 turns of an iteration, so learning begins with the second.
    learner=LearnerConfig(batch_size=20, turns_per_update=8, replay_capacity=40),
    evaluation=EvaluationConfig(every=0, games=2, opponents=("random",)),
)


def set_in_its_ways(actor, preference):
    """Returns parameters with which an actor has the same logits in every position."""
    shapes = jax.eval_shape(actor.init, jax.random.key(0))
    params = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
    bias = jnp.asarray(preference, jnp.float32)
    return params | {"actions": params["actions"] | {"bias": bias}}


@dataclasses.dataclass(frozen=True)
class FromTheEnd:
    """An opponent without chance: with a depth of n, the n-th of the legal actions from the end."""

    rules: Rules

    def __call__(self, games, depth, words):
        del words
        legal = jax.vmap(self.rules.legal_actions)(games)
        wanted = jnp.minimum(depth, legal.sum(axis=1))
        from_the_end = jnp.cumsum(legal[:, ::-1], axis=1) == wanted[:, None]
        return (legal.shape[1] - 1 - from_the_end.argmax(axis=1)).astype(jnp.int32)
