"""Presets of the training programs: sizes for every game, and the changes for single games."""

import dataclasses
from typing import Any, Literal, NamedTuple

import jaxgames
from configs import afterstates, alphazero, muzero
from configs.layers import with_groups
from configs.training import DEVICE_CLASSES, TrainingConfig
from jaxgames.internal import imports, installed_plugins
from jaxgames.internal.messages import unknown

Program = Literal["alphazero", "muzero", "afterstates"]


@dataclasses.dataclass(frozen=True)
class GamePresets:
    """The settings that one game changes.

    A field is the import path of a mapping from a class of devices (`cpu`, `accelerator`, `many`)
    to fields of the program's settings, and of groups of fields to mappings of their fields; its
    module imports plain values only.
    """

    alphazero: str | None = None
    muzero: str | None = None
    afterstates: str | None = None
    """Without it, `train.afterstates` learns the game with the sizes for every game."""
    plugin: str | None = None
    """Package that registers the game: commands name it after `--plugin`."""


class _Sizes(NamedTuple):
    config: type[TrainingConfig]
    by_device: dict[str, dict]


_SIZES: dict[str, _Sizes] = {
    "afterstates": _Sizes(afterstates.AfterstatesConfig, afterstates.SIZES),
    "alphazero": _Sizes(alphazero.AlphaZeroConfig, alphazero.SIZES),
    "muzero": _Sizes(muzero.MuZeroConfig, muzero.SIZES),
}
UNCHANGED = ""
"""In place of a path, for a game that has the sizes for every game."""

_GAMES: dict[str, GamePresets] = installed_plugins.table(
    {
        "murus_gallicus": GamePresets(alphazero=UNCHANGED, muzero=UNCHANGED),
        "onitama": GamePresets(alphazero=UNCHANGED, muzero=UNCHANGED),
        "terra_mystica": GamePresets(
            alphazero="configs.games.terra_mystica:PRESETS",
            muzero="configs.games.terra_mystica:MODEL_PRESETS",
            afterstates="configs.games.terra_mystica:AFTERSTATE_PRESETS",
        ),
        "tribes": GamePresets(
            alphazero="configs.games.tribes:PRESETS",
            muzero="configs.games.tribes:MODEL_PRESETS",
            afterstates="configs.games.tribes:AFTERSTATE_PRESETS",
        ),
    }
)


def register(game: str, presets: GamePresets) -> None:
    """Adds the presets of another package's game.

    Raises:
        ValueError: if the game has other presets already.
    """
    if _GAMES.setdefault(game, presets) != presets:
        raise ValueError(f"game {game!r} already has presets: {_GAMES[game]}")


def games(program: Program) -> tuple[str, ...]:
    """Returns the games that have a preset of a program, sorted."""
    installed_plugins.load(installed_plugins.PRESETS)
    return tuple(
        sorted(game for game, presets in _GAMES.items() if getattr(presets, program) is not None)
    )


def plugin(game: str) -> str | None:
    """Returns the package that registers a game; None for a game of the library."""
    return _GAMES.get(game, GamePresets()).plugin


def _is_from_outside(game: str) -> bool:
    """Returns whether a game has presets of no program: another package registered it."""
    return game not in _GAMES and game in jaxgames.available()


def preset(program: Program, game: str, device_class: str) -> Any:
    """Returns the settings of a program for a game on `cpu`, one `accelerator` or `many`.

    A game of another package without any presets has the sizes for every game. If the settings of
    a game say how many iterations a run has, then it has no `minutes`, unless they say that too.

    Raises:
        ValueError: for a game or a class of devices without preset; names the nearest choice.
    """
    if game not in _GAMES:
        installed_plugins.load(installed_plugins.PRESETS)
    path = getattr(_GAMES.get(game, GamePresets()), program)
    is_general = program == "afterstates" or _is_from_outside(game)
    if path is None and not is_general:
        raise ValueError(f"no preset: {unknown('game', game, games(program))}")
    config, by_device = _SIZES[program]
    if device_class not in by_device:
        raise ValueError(f"no preset: {unknown('class of devices', device_class, DEVICE_CLASSES)}")
    changes = imports.load(path).get(device_class, {}) if path else {}
    length = {"minutes": None} if "iterations" in changes else {}
    settings = with_groups(config, {**by_device[device_class], **length, **changes})
    return config(game=game, preset=device_class, **settings)
