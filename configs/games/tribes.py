"""Training settings of Tribes, where they differ from the settings for every game."""

import dataclasses
from typing import Any

from configs import afterstates, muzero
from configs.alphazero import EvaluationConfig, LearnerConfig, ReplayConfig, SelfPlayConfig
from jaxgames.networks.config import ModelConfig, NetworkConfig

_NETWORK = NetworkConfig(tower="tile", channels=96, blocks=8, value_hidden=256)
# A game takes about 700 actions of two plies. The benefit of a turn shows at its end.
_PLAY = SelfPlayConfig(plies=128, simulations=32, max_considered=16, random_opening_share=0.25)
# The lead in points carries more information than the winner.
_LEARNING: dict[str, Any] = {
    "updates": 64,
    "score_loss_weight": 0.5,
    "score_unit": 500.0,
    "lead_value_share": 0.5,
}
_LEARNER = LearnerConfig(**_LEARNING)
_MATCHES = EvaluationConfig(
    games=64, simulations=16, temperature=1.0, opponents=("random:of=actions",)
)
PRESETS: dict[str, dict] = {
    "cpu": {
        "env_options": "mode=score",  # 30 turns instead of 50
        "iterations": 60,
        "network": NetworkConfig(
            tower="tile",
            channels=24,
            common_channels=32,
            blocks=2,
            policy_channels=24,
            value_channels=2,
            value_hidden=64,
        ),
        "selfplay": dataclasses.replace(
            _PLAY, lanes=32, plies=192, simulations=8, max_considered=8
        ),
        "replay": ReplayConfig(capacity=65_536),
        "learner": dataclasses.replace(_LEARNER, batch_size=128, updates=96, learning_rate=0.001),
        "evaluation": dataclasses.replace(_MATCHES, games=32, simulations=8),
    },
    # With 2,048 games at once, the network takes more than half of the modelled iteration time on
    # an H100; with 512, the many short kernels of the tree and the game do.
    "accelerator": {
        "network": _NETWORK,
        "selfplay": dataclasses.replace(_PLAY, lanes=2048),
        "replay": ReplayConfig(capacity=1_048_576),
        "learner": dataclasses.replace(_LEARNER, batch_size=2048, updates=128),
        "evaluation": _MATCHES,
    },
    "many": {
        "network": _NETWORK,
        "selfplay": dataclasses.replace(_PLAY, lanes=8192),
        "replay": ReplayConfig(capacity=4_194_304),
        "learner": dataclasses.replace(_LEARNER, batch_size=8192, updates=128),
        "evaluation": dataclasses.replace(_MATCHES, games=256),
    },
}

_MODEL_LEARNER = muzero.LearnerConfig(batch_size=512, **_LEARNING)
_LARGE_MODEL = {
    "network": ModelConfig(tower="tile", channels=64, blocks=6, value_hidden=256),
    "replay": ReplayConfig(capacity=262_144),
    "learner": _MODEL_LEARNER,
}
MODEL_PRESETS: dict[str, dict] = {
    "cpu": PRESETS["cpu"]
    | {
        "network": ModelConfig(
            tower="tile",
            channels=16,
            common_channels=32,
            blocks=1,
            dynamics_blocks=0,
            policy_channels=16,
            value_channels=2,
            value_hidden=64,
        ),
        "selfplay": dataclasses.replace(PRESETS["cpu"]["selfplay"], lanes=16),
        "replay": ReplayConfig(capacity=32_768),
        "learner": dataclasses.replace(
            _MODEL_LEARNER, batch_size=64, updates=48, learning_rate=0.001
        ),
    },
    "accelerator": PRESETS["accelerator"]
    | _LARGE_MODEL
    | {"selfplay": dataclasses.replace(_PLAY, lanes=512)},
    "many": PRESETS["many"]
    | _LARGE_MODEL
    | {"selfplay": dataclasses.replace(_PLAY, lanes=2048), "evaluation": _MATCHES},
}

_AFTERSTATE_MATCHES = afterstates.EvaluationConfig(every=10, games=32, opponents=("rule_based",))
# A game takes hundreds of actions, so targets look far ahead.
_AFTERSTATE_LEARNER = afterstates.LearnerConfig(trace=0.95, window=16, updates=60)
# A TPU copies the whole window to read its rows. With 2,048 games on a chip, the window and its
# copy take 12 GB.
_LARGE_AFTERSTATE_LEARNER = dataclasses.replace(
    _AFTERSTATE_LEARNER, batch_size=8192, window=14, updates=120
)
AFTERSTATE_PRESETS: dict[str, dict] = {
    "cpu": {
        "play": afterstates.PlayConfig(lanes=128, plies=384, noise=0.02),
        "learner": _AFTERSTATE_LEARNER,
        "evaluation": _AFTERSTATE_MATCHES,
    },
    "accelerator": {
        "play": afterstates.PlayConfig(lanes=2048, plies=384, noise=0.02),
        "learner": _LARGE_AFTERSTATE_LEARNER,
        "evaluation": dataclasses.replace(_AFTERSTATE_MATCHES, games=256),
    },
    "many": {
        "play": afterstates.PlayConfig(lanes=8192, plies=384, noise=0.02),
        "learner": dataclasses.replace(_LARGE_AFTERSTATE_LEARNER, batch_size=32_768),
        "evaluation": dataclasses.replace(_AFTERSTATE_MATCHES, games=512),
    },
}
