"""Training settings of My Game, where they differ from the settings for every game."""

from configs import presets

# Where there is no accelerator, a small network that beats random play within minutes.
ALPHAZERO: dict[str, dict] = {
    "cpu": {
        "iterations": 20,
        "network": {"channels": 16, "blocks": 2, "policy_channels": 16, "value_channels": 2},
        "selfplay": {"lanes": 64, "plies": 32, "simulations": 16, "temperature_plies": 6},
        "replay": {"capacity": 32_768},
        "learner": {"batch_size": 256},
        "evaluation": {"games": 32, "simulations": 16},
    }
}

presets.register(
    "my_game", presets.GamePresets(alphazero="my_game.presets:ALPHAZERO", muzero=presets.UNCHANGED)
)
