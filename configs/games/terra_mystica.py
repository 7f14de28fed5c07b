"""Training settings of Terra Mystica, where they differ from the settings for every game."""

from configs.layers import layered
from configs.training import MINUTES

# Few of the hundreds of legal actions matter, so nodes keep 64. The points of a game carry more
# information than the winner, so they are learned too. A game takes 60 to 90 plies: with 128 plies
# an iteration, the outcome of most recorded positions is known.
_GAME = {"env_options": "post_conversions=false"}
_ALL = _GAME | {
    "network": {"tower": "hex", "common_channels": 128},
    "selfplay": {
        "plies": 128,
        "max_children": 64,
        "temperature_plies": 16,
        "random_opening_plies": 6,
    },
    "learner": {
        "learning_rate": 1e-3,
        "score_loss_weight": 0.5,
        "lead_value_share": 0.5,
        "augment": False,
    },
    "evaluation": {"opponents": ("random", "greedy")},
}
_LARGE = layered(_ALL, {"network": {"channels": 96, "blocks": 6, "value_hidden": 256}})

PRESETS: dict[str, dict] = {
    "cpu": layered(
        _ALL,
        {
            "minutes": MINUTES,
            "iterations": 80,
            # A quarter of the work of three blocks of 32 with 64 common features, so twice as many
            # games in the same minutes, which count for more (docs/results.md).
            "network": {
                "channels": 16,
                "blocks": 2,
                "policy_channels": 32,
                "value_channels": 4,
                "value_hidden": 128,
            },
            "selfplay": {"lanes": 64, "plies": 96, "simulations": 16, "max_considered": 8},
            "replay": {"capacity": 98_304},
            "learner": {"batch_size": 256, "updates": 48, "decay_steps": 4_000},
            "evaluation": {"every": 20, "games": 32, "simulations": 16},
        },
    ),
    # The rules are a thousand short kernels, which with 512 games at once take longer than the
    # network on a v5e.
    "accelerator": layered(
        _LARGE,
        {
            "selfplay": {"lanes": 1024},
            "replay": {"capacity": 524_288},
            "learner": {"batch_size": 2048, "updates": 64},
            "evaluation": {"games": 256},
        },
    ),
    "many": layered(
        _LARGE,
        {
            "selfplay": {"lanes": 2048},
            "replay": {"capacity": 2_097_152},
            "learner": {"batch_size": 8192, "learning_rate": 2e-3},
            "evaluation": {"games": 512},
        },
    ),
}

# The search with a learned model has all actions in each node, so it is given few simulations.
_MODEL = {"selfplay": {"max_children": None, "max_considered": 8}}
_LARGE_MODEL = layered(_MODEL, {"network": {"channels": 64, "blocks": 4, "dynamics_blocks": 1}})
MODEL_PRESETS: dict[str, dict] = {
    "cpu": layered(
        PRESETS["cpu"],
        _MODEL,
        {
            "network": {
                "channels": 24,
                "common_channels": 48,
                "dynamics_blocks": 0,
                "policy_channels": 24,
                "value_channels": 2,
                "value_hidden": 64,
            },
            "selfplay": {"lanes": 32, "simulations": 8},
            # The outcomes of 2,500 games: with those of 600, the score fell again after 30 minutes.
            "replay": {"capacity": 196_608},
            "learner": {"batch_size": 64, "updates": 32},
            "evaluation": {"simulations": 8},
        },
    ),
    "accelerator": layered(
        PRESETS["accelerator"],
        _LARGE_MODEL,
        {
            "selfplay": {"lanes": 512},
            "replay": {"capacity": 262_144},
            "learner": {"batch_size": 1024, "updates": 32},
        },
    ),
    "many": layered(
        PRESETS["many"],
        _LARGE_MODEL,
        {"replay": {"capacity": 1_048_576}, "learner": {"batch_size": 4096}},
    ),
}

_MATCHES = {"every": 10, "opponents": ("greedy",)}
AFTERSTATE_PRESETS: dict[str, dict] = {
    "cpu": _GAME
    | {
        "play": {"lanes": 512, "plies": 160, "noise": 0.015},
        "evaluation": _MATCHES | {"games": 64},
    },
    "accelerator": _GAME | {"evaluation": _MATCHES | {"games": 512}},
    "many": _GAME | {"evaluation": _MATCHES | {"games": 1024}},
}
