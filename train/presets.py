"""Presets of `python -m train.alphazero`: shared sizes, and the changes in the plug of a game."""

from agents.games import registry
from configs.alphazero import AlphaZeroConfig
from configs.presets import SIZES
from configs.training import DEVICE_CLASSES
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
    plug = registry.game_agents(game)
    if plug.presets is None and plug.plugin is not None:
        raise ValueError(
            f"no preset: {game} is trained with a plugin, `python -m train.alphazero "
            f"--plugin={plug.plugin} --game={game}`"
        )
    if plug.presets is None:
        raise ValueError(f"no preset: {unknown('game', game, games())}")
    if device_class not in SIZES:
        raise ValueError(f"no preset: {unknown('class of devices', device_class, DEVICE_CLASSES)}")
    changes = imports.load(plug.presets).get(device_class, {})
    return AlphaZeroConfig(game=game, preset=device_class, **{**SIZES[device_class], **changes})
