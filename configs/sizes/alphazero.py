"""Sizes of `train.alphazero` for every game, by class of devices."""

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
    # With 8,192 games at once, the network takes more than half of the modelled iteration time
    # on an H100; with 2,048, the many short kernels of tree and game do.
    "accelerator": {
        "network": NetworkConfig(channels=64, blocks=6),
        "selfplay": SelfPlayConfig(lanes=8192, plies=32),
        "replay": ReplayConfig(capacity=2_097_152),
        "learner": LearnerConfig(batch_size=2048, updates=128, decay_steps=40_000),
        "evaluation": EvaluationConfig(games=512),
    },
    "many": {
        "network": NetworkConfig(channels=64, blocks=6),
        "selfplay": SelfPlayConfig(lanes=32_768, plies=32),
        "replay": ReplayConfig(capacity=8_388_608),
        "learner": LearnerConfig(
            batch_size=8192, updates=128, learning_rate=4e-3, decay_steps=40_000
        ),
        "evaluation": EvaluationConfig(games=1024),
    },
}
