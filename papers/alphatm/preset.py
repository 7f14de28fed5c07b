"""Presets of `python -m papers.alphatm.train`, by class of devices."""

from configs.layers import layered

# The paper's search. What the paper leaves open (games at once, replay, learning rate) is as for
# other games.
_ALL = {
    "network": {"tower": "alphatm"},
    "selfplay": {
        "lanes": 128,
        "plies": 128,  # about a game, so that most positions learn of its outcome
        "search": "puct",
        "simulations": 800,
        "c_init": 1.0,
        "temperature_plies": 30,
        "random_opening_share": 0.0,
    },
    "learner": {"batch_size": 128, "search_value_share": 0.0},
    "evaluation": {"games": 32, "opponents": ("random",)},
}
_LARGE = layered(
    _ALL,
    {
        "iterations": 10_000,
        "network": {  # the paper's
            "channels": 256,
            "blocks": 19,
            "policy_channels": 64,
            "value_channels": 32,
            "value_hidden": 264,
        },
        "replay": {"capacity": 262_144},
        "learner": {"updates": 128},
    },
)
PRESETS: dict[str, dict] = {
    # A small network, enough to see it work.
    "cpu": layered(
        _ALL,
        {
            "iterations": 20,
            "network": {
                "channels": 16,
                "blocks": 2,
                "policy_channels": 8,
                "value_channels": 4,
                "value_hidden": 32,
            },
            "selfplay": {"lanes": 8, "simulations": 16},
            "replay": {"capacity": 8192},
            "learner": {"updates": 8},
        },
    ),
    "accelerator": _LARGE,
    "many": layered(_LARGE, {"selfplay": {"lanes": 1024}}),
}
