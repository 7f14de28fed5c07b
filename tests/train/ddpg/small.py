"""Small settings that the tests of DDPG share, so that they compile once."""

import dataclasses

import jax
import jax.numpy as jnp

from configs.ddpg import (
    DdpgConfig,
    EvaluationConfig,
    LearnerConfig,
    NetworkConfig,
    OpponentConfig,
    PlayConfig,
)
from jaxgames.rules import Rules

CONFIG = DdpgConfig(
    game="onitama_report",
    env_options="max_plies=30",
    architecture="actions_only,dual",
    seeds=2,
    episodes=12,
    network=NetworkConfig(channels=2, hidden=8),
    play=PlayConfig(lanes=4, turns=4),
    opponent=OpponentConfig(max_depth=2, window=6, wins=2),
    learner=LearnerConfig(batch_size=8, turns_per_update=8, replay_capacity=40),
    evaluation=EvaluationConfig(every=0, games=2, opponents=("random",)),
)


@dataclasses.dataclass(frozen=True)
class LastLegal:
    """An opponent without chance: it plays the legal action of highest number."""

    rules: Rules

    def __call__(self, games, depth, words):
        del depth, words
        legal = jax.vmap(self.rules.legal_actions)(games)
        return (legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)).astype(jnp.int32)
