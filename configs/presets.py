"""What `python -m train.alphazero` starts from, by game and devices."""

import dataclasses

from configs.alphazero import (
    DEVICE_CLASSES,
    AlphaZeroConfig,
    EvaluationConfig,
    LearnerConfig,
    NetworkConfig,
    ReplayConfig,
    SelfPlayConfig,
)
from jaxgames.field_checks import unknown

_SIZES = {
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

# Hundreds of legal actions, of which few matter; games whose points say more than who won. A record
# that is longer than a game (60 to 90 plies) knows the outcome of most of its positions.
_MYSTIC_PLAY = SelfPlayConfig(
    plies=128, candidates=64, temperature_plies=16, random_opening_plies=6
)
_MYSTIC_LEARNER = LearnerConfig(
    learning_rate=1e-3, score_loss_weight=0.5, lead_value_share=0.5, augment=False
)
_MYSTIC_MATCHES = EvaluationConfig(opponents=("random", "greedy"))
_MYSTIC_NETWORK = NetworkConfig(
    tower="hex", channels=96, blocks=6, common_channels=128, value_hidden=256
)

# The paper's network and search; in what it leaves open (games at once, replay, learning rate) as
# elsewhere. On a CPU a small one, to see it work.
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
_ALPHATM_EVALUATION = EvaluationConfig(games=32, opponents=("random",))
_ALPHATM_LARGE = {
    "iterations": 10_000,
    "network": _PAPER_NETWORK,
    "selfplay": _PAPER_SEARCH,
    "replay": ReplayConfig(capacity=262_144),
    "learner": LearnerConfig(batch_size=128, updates=128, search_value_share=0.0),
    "evaluation": _ALPHATM_EVALUATION,
}
_ALPHATM = {
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
        "evaluation": _ALPHATM_EVALUATION,
    },
    "accelerator": _ALPHATM_LARGE,
    "many": _ALPHATM_LARGE | {"selfplay": dataclasses.replace(_PAPER_SEARCH, lanes=1024)},
}

_TRIBES_NETWORK = NetworkConfig(tower="tile", channels=96, blocks=8, value_hidden=256)
# A game takes about 700 actions of two steps; what a turn is good for shows at its end.
_TRIBES_PLAY = SelfPlayConfig(
    lanes=512, plies=128, simulations=32, max_considered_actions=16, random_opening_share=0.25
)
# The lead in points tells more of a game than who won it.
_TRIBES_LEARNER = LearnerConfig(
    batch_size=1024, updates=64, score_loss_weight=0.5, score_unit=500.0, lead_value_share=0.5
)
_TRIBES_MATCHES = EvaluationConfig(
    games=64, simulations=16, temperature=1.0, opponents=("random:of=actions",)
)
_TRIBES_LARGE = {
    "network": _TRIBES_NETWORK,
    "selfplay": _TRIBES_PLAY,
    "replay": ReplayConfig(capacity=524_288),
    "learner": _TRIBES_LEARNER,
    "evaluation": _TRIBES_MATCHES,
}
_TRIBES = {
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
            _TRIBES_PLAY, lanes=32, plies=192, simulations=8, max_considered_actions=8
        ),
        "replay": ReplayConfig(capacity=65_536),
        "learner": dataclasses.replace(
            _TRIBES_LEARNER, batch_size=128, updates=96, learning_rate=0.001
        ),
        "evaluation": dataclasses.replace(_TRIBES_MATCHES, games=32, simulations=8),
    },
    "accelerator": _TRIBES_LARGE,
    "many": _TRIBES_LARGE | {"selfplay": dataclasses.replace(_TRIBES_PLAY, lanes=2048)},
}

# What a game changes in the sizes above: game -> device class -> fields of `AlphaZeroConfig`.
_GAMES: dict[str, dict[str, dict]] = {
    "murus_gallicus": {},
    "onitama": {},
    "onitama_report": {size: {"env_options": "observation=planes"} for size in _SIZES},
    "terra_mystica": {
        "cpu": {
            "env_options": "post_conversions=false",
            "iterations": 80,
            "network": NetworkConfig(
                tower="hex",
                channels=32,
                blocks=3,
                policy_channels=32,
                value_channels=4,
                value_hidden=128,
            ),
            "selfplay": dataclasses.replace(
                _MYSTIC_PLAY, lanes=64, plies=96, simulations=16, max_considered_actions=8
            ),
            "replay": ReplayConfig(capacity=98_304),
            "learner": dataclasses.replace(
                _MYSTIC_LEARNER, batch_size=256, updates=48, decay_steps=4_000
            ),
            "evaluation": dataclasses.replace(_MYSTIC_MATCHES, every=20, games=32, simulations=16),
        },
        "accelerator": {
            "env_options": "post_conversions=false",
            "network": _MYSTIC_NETWORK,
            "selfplay": dataclasses.replace(_MYSTIC_PLAY, lanes=512),
            "replay": ReplayConfig(capacity=524_288),
            "learner": dataclasses.replace(_MYSTIC_LEARNER, batch_size=2048),
            "evaluation": dataclasses.replace(_MYSTIC_MATCHES, games=256),
        },
        "many": {
            "env_options": "post_conversions=false",
            "network": _MYSTIC_NETWORK,
            "selfplay": dataclasses.replace(_MYSTIC_PLAY, lanes=2048),
            "replay": ReplayConfig(capacity=2_097_152),
            "learner": dataclasses.replace(_MYSTIC_LEARNER, batch_size=8192, learning_rate=2e-3),
            "evaluation": dataclasses.replace(_MYSTIC_MATCHES, games=512),
        },
    },
    "terra_mystica_alphatm": _ALPHATM,
    "tribes": _TRIBES,
}


def games() -> tuple[str, ...]:
    """Returns the games that have a preset, sorted."""
    return tuple(sorted(_GAMES))


def preset(game: str, device_class: str) -> AlphaZeroConfig:
    """Returns the settings for a game on `cpu`, one `accelerator` or `many`.

    Raises:
        ValueError: for a game or a device class without preset; names the nearest choice.
    """
    if game not in _GAMES:
        raise ValueError(f"no preset for game {unknown(game, games())}")
    if device_class not in _SIZES:
        raise ValueError(f"no preset for devices {unknown(device_class, DEVICE_CLASSES)}")
    fields = {**_SIZES[device_class], **_GAMES[game].get(device_class, {})}
    return AlphaZeroConfig(game=game, preset=device_class, **fields)
