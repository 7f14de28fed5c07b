"""Presets of `python -m train.evolution`, by game and by the parameters that are tuned."""

import dataclasses
from typing import Any

from agents.games import registry
from configs.evolution import EvolutionConfig, SchemeConfig
from jaxgames import imports
from jaxgames.messages import unknown


def games() -> tuple[str, ...]:
    """Returns the games that have an evaluation to tune, sorted."""
    return registry.games_with("tuning_stages")


def preset(game: str, parameters: str) -> EvolutionConfig:
    """Returns the default settings for tuning some parameters of a game's evaluation.

    Raises:
        ValueError: for a game or parameters without preset; names the nearest choice.
    """
    stages = _stages(game)
    if not stages:
        raise ValueError(f"no evaluation to tune: {unknown('game', game, games())}")
    if parameters not in stages:
        raise ValueError(unknown("value of parameters", parameters, stages))
    return EvolutionConfig(game=game, parameters=parameters, **stages[parameters])


def check_scheme(config: EvolutionConfig) -> None:
    """Checks that a method without a scheme gets the usual one, which it does not read.

    Raises:
        ValueError: if a setting of the scheme was changed.
    """
    if config.method == "scheme":
        return
    usual = _stages(config.game).get(config.parameters, {}).get("scheme", SchemeConfig())
    for field in dataclasses.fields(SchemeConfig):
        value = getattr(config.scheme, field.name)
        if value != getattr(usual, field.name):
            raise ValueError(
                f"scheme.{field.name} belongs to method=scheme, and method={config.method} "
                f"does not read it, got {value}"
            )


def _stages(game: str) -> dict[str, dict[str, Any]]:
    path = registry.game_agents(game).tuning_stages
    return {} if path is None else imports.load(path)
