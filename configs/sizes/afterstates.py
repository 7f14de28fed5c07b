"""Sizes of `train.afterstates` for every game, by class of devices."""

from configs.afterstates import EvaluationConfig, LearnerConfig, PlayConfig
from configs.training import CheckpointConfig
from jaxgames.networks.config import AfterstateConfig

SIZES: dict[str, dict] = {
    "cpu": {
        "play": PlayConfig(lanes=256, plies=128),
        "evaluation": EvaluationConfig(every=10, games=64),
        "checkpoint": CheckpointConfig(every=5),
    },
    "accelerator": {
        "network": AfterstateConfig(hidden=(256, 256)),
        "play": PlayConfig(lanes=4096, plies=128),
        "learner": LearnerConfig(batch_size=8192, updates=240),
        "evaluation": EvaluationConfig(every=10, games=512),
    },
    "many": {
        "network": AfterstateConfig(hidden=(256, 256)),
        "play": PlayConfig(lanes=16_384, plies=128),
        "learner": LearnerConfig(batch_size=32_768, updates=240),
        "evaluation": EvaluationConfig(every=10, games=1024),
    },
}
