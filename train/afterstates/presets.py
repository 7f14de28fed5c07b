"""Presets of `python -m train.afterstates`: shared sizes, and the changes in the plug of a game."""

from agents.games import registry
from configs.afterstates import AfterstatesConfig, EvaluationConfig, LearnerConfig, PlayConfig
from configs.training import DEVICE_CLASSES, CheckpointConfig
from jaxgames import imports
from jaxgames.messages import unknown
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


def preset(game: str, device_class: str) -> AfterstatesConfig:
    """Returns the settings for a game on `cpu`, one `accelerator` or `many`.

    Raises:
        ValueError: for a class of devices without preset; names the nearest choice.
    """
    if device_class not in SIZES:
        raise ValueError(f"no preset: {unknown('class of devices', device_class, DEVICE_CLASSES)}")
    path = registry.game_agents(game).afterstate_presets
    changes = {} if path is None else imports.load(path).get(device_class, {})
    return AfterstatesConfig(game=game, preset=device_class, **{**SIZES[device_class], **changes})
