"""Training settings of Tribes, where they differ from the settings for every game."""

from configs.layers import layered
from configs.training import MINUTES

_ALL = {
    "network": {"tower": "tile"},
    # A game takes about 700 actions of two plies. The benefit of a turn shows at its end.
    "selfplay": {"plies": 128},
    # The lead in points carries more information than the winner.
    "learner": {
        "updates": 64,
        "score_loss_weight": 0.5,
        "score_unit": 500.0,
        "lead_value_share": 0.5,
    },
    "evaluation": {
        "games": 64,
        "simulations": 16,
        "temperature": 1.0,
        "opponents": ("random:of=actions",),
    },
}
_LARGE = layered(_ALL, {"network": {"channels": 96, "blocks": 8, "value_hidden": 256}})
PRESETS: dict[str, dict] = {
    "cpu": layered(
        _ALL,
        {
            "env_options": "mode=score",  # 30 turns instead of 50
            "minutes": MINUTES,
            "iterations": 60,
            "network": {
                "channels": 24,
                "common_channels": 32,
                "blocks": 2,
                "policy_channels": 24,
                "value_channels": 2,
                "value_hidden": 64,
            },
            "selfplay": {"lanes": 32, "plies": 192, "simulations": 8, "max_considered": 8},
            "replay": {"capacity": 65_536},
            "learner": {"batch_size": 128, "updates": 96, "learning_rate": 0.001},
            "evaluation": {"games": 32, "simulations": 8},
        },
    ),
    # With 4,096 games at once, the network takes 64 % of the modelled time of an iteration on a
    # v5e, with 2,048 half of it: the many short kernels of the tree and the game take the rest.
    "accelerator": layered(
        _LARGE,
        {
            "selfplay": {"lanes": 4096},
            "replay": {"capacity": 1_048_576},
            "learner": {"batch_size": 2048, "updates": 256},
        },
    ),
    "many": layered(
        _LARGE,
        {
            "selfplay": {"lanes": 8192},
            "replay": {"capacity": 4_194_304},
            "learner": {"batch_size": 8192, "updates": 128},
            "evaluation": {"games": 256},
        },
    ),
}

_LARGE_MODEL = layered(
    _ALL,
    {
        "network": {"channels": 64, "blocks": 6, "value_hidden": 256},
        "replay": {"capacity": 262_144},
        "learner": {"batch_size": 512},
    },
)
MODEL_PRESETS: dict[str, dict] = {
    "cpu": layered(
        PRESETS["cpu"],
        {
            "network": {
                "channels": 16,
                "blocks": 1,
                "dynamics_blocks": 0,
                "policy_channels": 16,
            },
            "selfplay": {"lanes": 16},
            "replay": {"capacity": 32_768},
            "learner": {"batch_size": 64, "updates": 48},
        },
    ),
    "accelerator": layered(_LARGE_MODEL, {"selfplay": {"lanes": 512}}),
    "many": layered(_LARGE_MODEL, {"selfplay": {"lanes": 2048}}),
}

# A game takes hundreds of actions, so targets look far ahead.
_LEARNER = {"trace": 0.95, "window": 16, "updates": 60}
# A TPU copies the whole window to read its rows. With 2,048 games on a chip, the window and its
# copy take 12 GB.
_LARGE_LEARNER = _LEARNER | {"batch_size": 8192, "window": 14, "updates": 120}
_PLAY = {"plies": 384, "noise": 0.02}
_MATCHES = {"every": 10, "opponents": ("rule_based",)}
AFTERSTATE_PRESETS: dict[str, dict] = {
    "cpu": {
        "play": _PLAY | {"lanes": 128},
        "learner": _LEARNER,
        "evaluation": _MATCHES | {"games": 32},
    },
    "accelerator": {
        "play": _PLAY | {"lanes": 2048},
        "learner": _LARGE_LEARNER,
        "evaluation": _MATCHES | {"games": 256},
    },
    "many": {
        "play": _PLAY | {"lanes": 8192},
        "learner": _LARGE_LEARNER | {"batch_size": 32_768},
        "evaluation": _MATCHES | {"games": 512},
    },
}
