"""Training settings of Terra Mystica, where they differ from the settings for every game."""

import dataclasses
from typing import Any

from configs import afterstates, muzero
from configs.alphazero import EvaluationConfig, LearnerConfig, ReplayConfig, SelfPlayConfig
from jaxgames.networks.config import ModelConfig, NetworkConfig

# Few of the hundreds of legal actions matter, so nodes keep 64. The points of a game carry more
# information than the winner, so they are learned too. A game takes 60 to 90 plies: with 128 plies
# an iteration, the outcome of most recorded positions is known.
_PLAY = SelfPlayConfig(plies=128, max_children=64, temperature_plies=16, random_opening_plies=6)
_LEARNING: dict[str, Any] = {
    "learning_rate": 1e-3,
    "score_loss_weight": 0.5,
    "lead_value_share": 0.5,
    "augment": False,
}
_LEARNER = LearnerConfig(**_LEARNING)
_MATCHES = EvaluationConfig(opponents=("random", "greedy"))
_NETWORK = NetworkConfig(tower="hex", channels=96, blocks=6, common_channels=128, value_hidden=256)

PRESETS: dict[str, dict] = {
    "cpu": {
        "env_options": "post_conversions=false",
        "iterations": 80,
        # A quarter of the work of three blocks of 32 with 64 common features, so twice as many
        # games in the same minutes, which count for more (docs/results.md).
        "network": NetworkConfig(
            tower="hex",
            channels=16,
            common_channels=128,
            blocks=2,
            policy_channels=32,
            value_channels=4,
            value_hidden=128,
        ),
        "selfplay": dataclasses.replace(
            _PLAY, lanes=64, plies=96, simulations=16, max_considered=8
        ),
        "replay": ReplayConfig(capacity=98_304),
        "learner": dataclasses.replace(_LEARNER, batch_size=256, updates=48, decay_steps=4_000),
        "evaluation": dataclasses.replace(_MATCHES, every=20, games=32, simulations=16),
    },
    "accelerator": {
        "env_options": "post_conversions=false",
        "network": _NETWORK,
        "selfplay": dataclasses.replace(_PLAY, lanes=512),
        "replay": ReplayConfig(capacity=524_288),
        "learner": dataclasses.replace(_LEARNER, batch_size=2048),
        "evaluation": dataclasses.replace(_MATCHES, games=256),
    },
    "many": {
        "env_options": "post_conversions=false",
        "network": _NETWORK,
        "selfplay": dataclasses.replace(_PLAY, lanes=2048),
        "replay": ReplayConfig(capacity=2_097_152),
        "learner": dataclasses.replace(_LEARNER, batch_size=8192, learning_rate=2e-3),
        "evaluation": dataclasses.replace(_MATCHES, games=512),
    },
}

# The search with a learned model has all actions in each node, so it is given few simulations.
_MODEL_PLAY = dataclasses.replace(_PLAY, max_children=None, max_considered=8)
_MODEL_LEARNER = muzero.LearnerConfig(**_LEARNING)
_MODEL = ModelConfig(
    tower="hex", channels=64, blocks=4, dynamics_blocks=1, common_channels=128, value_hidden=256
)
MODEL_PRESETS: dict[str, dict] = {
    "cpu": PRESETS["cpu"]
    | {
        "network": ModelConfig(
            tower="hex",
            channels=24,
            common_channels=48,
            blocks=2,
            dynamics_blocks=0,
            policy_channels=24,
            value_channels=2,
            value_hidden=64,
        ),
        "selfplay": dataclasses.replace(_MODEL_PLAY, lanes=32, plies=96, simulations=8),
        # The outcomes of 2,500 games: with those of 600, the score fell again after 30 minutes.
        "replay": ReplayConfig(capacity=196_608),
        "learner": dataclasses.replace(
            _MODEL_LEARNER, batch_size=64, updates=32, decay_steps=4_000
        ),
        "evaluation": dataclasses.replace(PRESETS["cpu"]["evaluation"], simulations=8),
    },
    "accelerator": PRESETS["accelerator"]
    | {
        "network": _MODEL,
        "selfplay": dataclasses.replace(_MODEL_PLAY, lanes=512),
        "replay": ReplayConfig(capacity=262_144),
        "learner": dataclasses.replace(_MODEL_LEARNER, batch_size=1024),
    },
    "many": PRESETS["many"]
    | {
        "network": _MODEL,
        "selfplay": dataclasses.replace(_MODEL_PLAY, lanes=2048),
        "replay": ReplayConfig(capacity=1_048_576),
        "learner": dataclasses.replace(_MODEL_LEARNER, batch_size=4096, learning_rate=2e-3),
    },
}

_AFTERSTATE_MATCHES = afterstates.EvaluationConfig(every=10, games=64, opponents=("greedy",))
AFTERSTATE_PRESETS: dict[str, dict] = {
    "cpu": {
        "env_options": "post_conversions=false",
        "play": afterstates.PlayConfig(lanes=512, plies=160, noise=0.015),
        "evaluation": _AFTERSTATE_MATCHES,
    },
    "accelerator": {
        "env_options": "post_conversions=false",
        "evaluation": dataclasses.replace(_AFTERSTATE_MATCHES, games=512),
    },
    "many": {
        "env_options": "post_conversions=false",
        "evaluation": dataclasses.replace(_AFTERSTATE_MATCHES, games=1024),
    },
}
