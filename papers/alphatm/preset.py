"""Presets of `python -m papers.alphatm.train`, by class of devices."""

import dataclasses

from configs.alphazero import (
    EvaluationConfig,
    LearnerConfig,
    ReplayConfig,
    SelfPlayConfig,
)
from jaxgames.networks.config import NetworkConfig

# The paper's network and search. What the paper leaves open (games at once, replay, learning rate)
# is as for other games. On a CPU the network is small, enough to see it work.
_PAPER_NETWORK = NetworkConfig(
    tower="alphatm",
    channels=256,
    blocks=19,
    policy_channels=64,
    value_channels=32,
    value_hidden=264,
)
_PAPER_SEARCH = SelfPlayConfig(
    lanes=128,
    plies=128,  # about a game, so that most positions learn of its outcome
    search="puct",
    simulations=800,
    c_init=1.0,
    temperature_plies=30,
    random_opening_share=0.0,
)
_EVALUATION = EvaluationConfig(games=32, opponents=("random",))
_LARGE = {
    "iterations": 10_000,
    "network": _PAPER_NETWORK,
    "selfplay": _PAPER_SEARCH,
    "replay": ReplayConfig(capacity=262_144),
    "learner": LearnerConfig(batch_size=128, updates=128, search_value_share=0.0),
    "evaluation": _EVALUATION,
}
PRESETS: dict[str, dict] = {
    "cpu": {
        "iterations": 20,
        "network": NetworkConfig(
            tower="alphatm",
            channels=16,
            blocks=2,
            policy_channels=8,
            value_channels=4,
            value_hidden=32,
        ),
        "selfplay": dataclasses.replace(_PAPER_SEARCH, lanes=8, simulations=16),
        "replay": ReplayConfig(capacity=8192),
        "learner": LearnerConfig(batch_size=128, updates=8, search_value_share=0.0),
        "evaluation": _EVALUATION,
    },
    "accelerator": _LARGE,
    "many": _LARGE | {"selfplay": dataclasses.replace(_PAPER_SEARCH, lanes=1024)},
}
