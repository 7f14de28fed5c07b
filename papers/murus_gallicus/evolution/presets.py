"""Presets of the evolution of weights, by game and by the parameters that are tuned."""

import dataclasses
from typing import Any

from jaxgames.internal.messages import unknown
from papers.murus_gallicus.evolution.config import EvolutionConfig, SchemeConfig

# By game and group of weights: the fields of `EvolutionConfig` that tuning the group changes.
_STAGES: dict[str, dict[str, dict[str, Any]]] = {
    "murus_gallicus": {
        "material": {},
        "pst": {"scheme": SchemeConfig(mutation="all", mutation_offsets=(200, 200, 200))},
    }
}


def games() -> tuple[str, ...]:
    """Returns the games that have an evaluation to tune, sorted."""
    return tuple(sorted(_STAGES))


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
    return _STAGES.get(game, {})
