"""Training settings for every game, by class of devices.

The changes for each game are in its plug (`agents/games/<game>/preset.py`).
"""

from configs.alphazero import EvaluationConfig, LearnerConfig, ReplayConfig, SelfPlayConfig
from jaxgames.networks.config import NetworkConfig

SIZES: dict[str, dict] = {
    "cpu": {
        "iterations": 160,
        "network": NetworkConfig(channels=32, blocks=2, policy_channels=32, value_channels=4),
        "selfplay": SelfPlayConfig(lanes=128, plies=64, simulations=16, temperature_plies=6),
        "replay": ReplayConfig(capacity=131_072),
        "learner": LearnerConfig(batch_size=512, updates=32, decay_steps=5_000),
        "evaluation": EvaluationConfig(games=64),
    },
    "accelerator": {
        "network": NetworkConfig(channels=64, blocks=6),
        "selfplay": SelfPlayConfig(lanes=2048, plies=32),
        "replay": ReplayConfig(capacity=1_048_576),
        "learner": LearnerConfig(batch_size=2048, updates=64),
        "evaluation": EvaluationConfig(games=512),
    },
    "many": {
        "network": NetworkConfig(channels=64, blocks=6),
        "selfplay": SelfPlayConfig(lanes=8192, plies=32),
        "replay": ReplayConfig(capacity=4_194_304),
        "learner": LearnerConfig(batch_size=8192, updates=64, learning_rate=4e-3),
        "evaluation": EvaluationConfig(games=1024),
    },
}
