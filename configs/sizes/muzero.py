"""Sizes of `train.muzero` for every game, by class of devices."""

from configs.alphazero import EvaluationConfig, ReplayConfig, SelfPlayConfig
from configs.muzero import LearnerConfig
from jaxgames.networks.config import ModelConfig

SIZES: dict[str, dict] = {
    "cpu": {
        "iterations": 200,
        "network": ModelConfig(channels=32, blocks=2, policy_channels=32, value_channels=4),
        # Few lanes and many plies: the outcome of most plies is known when the iteration ends. Many
        # random openings: the model must know where moves lead that a search would not play.
        "selfplay": SelfPlayConfig(
            lanes=64,
            plies=128,
            simulations=16,
            temperature_plies=6,
            random_opening_share=0.5,
            random_opening_plies=12,
        ),
        "replay": ReplayConfig(capacity=131_072),
        "learner": LearnerConfig(batch_size=256, updates=48, decay_steps=10_000),
        "evaluation": EvaluationConfig(every=10, games=64, opponents=("random", "minimax:depth=1")),
    },
    "accelerator": {
        "network": ModelConfig(channels=64, blocks=6, dynamics_blocks=2),
        "selfplay": SelfPlayConfig(lanes=2048, plies=32),
        "replay": ReplayConfig(capacity=1_048_576),
        "learner": LearnerConfig(batch_size=2048, updates=64),
        "evaluation": EvaluationConfig(games=512),
    },
    "many": {
        "network": ModelConfig(channels=64, blocks=6, dynamics_blocks=2),
        "selfplay": SelfPlayConfig(lanes=8192, plies=32),
        "replay": ReplayConfig(capacity=4_194_304),
        "learner": LearnerConfig(batch_size=8192, updates=64, learning_rate=4e-3),
        "evaluation": EvaluationConfig(games=1024),
    },
}
