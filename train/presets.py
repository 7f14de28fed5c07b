"""Presets of `python -m train.alphazero`: shared sizes, and the changes in the plug of a game."""

from agents.games import registry
from configs.alphazero import DEVICE_CLASSES, AlphaZeroConfig
from configs.presets import SIZES
from jaxgames import imports
from jaxgames.messages import unknown


def games() -> tuple[str, ...]:
    """Returns the games that have a preset, sorted."""
    return registry.games_with("presets")


def preset(game: str, device_class: str) -> AlphaZeroConfig:
    """Returns the settings for a game on `cpu`, one `accelerator` or `many`.

    Raises:
        ValueError: for a game or a class of devices without preset; names the nearest choice.
    """
    path = registry.game_agents(game).presets
    if path is None:
        raise ValueError(f"no preset: {unknown('game', game, games())}")
    if device_class not in SIZES:
        raise ValueError(f"no preset: {unknown('class of devices', device_class, DEVICE_CLASSES)}")
    changes = imports.load(path).get(device_class, {})
    return AlphaZeroConfig(game=game, preset=device_class, **{**SIZES[device_class], **changes})
