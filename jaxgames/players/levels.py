"""The agent `level`: the players of each game by strength, from a beginner to `best`.

A person chooses a level by its number or on the page. Each level knows its measured score against
the one below; `benchmarks/levels.py` measures.
"""

from typing import Any, NamedTuple

from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.players import best, plugs
from jaxgames.players.player import Player
from jaxgames.players.plugs import Level
from jaxgames.search.agent import Agent, Params

NAME = "level"


class Strength(NamedTuple):
    """A level of a game with its options."""

    number: int
    """From 1, the weakest."""
    name: str
    """For people: `Level 1` and so on."""
    spec: str
    """That an agent is made by, for instance `level:number=2`."""
    stands_for: str
    """The spec of the player that plays at this level."""
    score: float | None
    """The measured score against the level below, from 0 to 1; None for the first level, and where
    options change the rules or let other players take part than those measured."""


def strengths(env: Env[Any]) -> tuple[Strength, ...]:
    """Returns the levels of a game, the weakest first; none if the game names none."""
    levels = _levels_of(env)
    players = [_player_at(level, env).name for level in levels]
    has_measured_rules = _has_measured_rules(env)
    is_measured = [
        has_measured_rules and player == _specs_of(level, env)[0]
        for level, player in zip(levels, players, strict=True)
    ]
    return tuple(
        Strength(
            number,
            f"Level {number}",
            f"{NAME}:number={number}",
            player,
            level.score if all(is_measured[max(0, number - 2) : number]) else None,
        )
        for number, (level, player) in enumerate(zip(levels, players, strict=True), start=1)
    )


def middle(env: Env[Any]) -> str | None:
    """Returns the spec of the level in the middle, of two the lower one; None without levels."""
    count = len(_levels_of(env))
    return f"{NAME}:number={(count + 1) // 2}" if count else None


def level_player(env: Env[Any], number: int) -> Player:
    """Returns the player of a level; its name is its own spec.

    Raises:
        ValueError: if the game has no levels, none for this number of seats, or none of this
            number.
    """
    levels = _levels_of(env)
    if not levels:
        named = plugs.game_agents(env.id).levels
        if not named:
            raise ValueError(
                unknown("game for the agent level:", env.id, plugs.games_with("levels"))
            )
        seats = ", ".join(map(str, sorted(named)))
        raise ValueError(f"{env.id} has levels with {seats} seats, not {env.num_players}")
    if not 1 <= number <= len(levels):
        nearest = min(max(number, 1), len(levels))
        raise ValueError(
            f"{env.id} has the levels 1 to {len(levels)}, got number={number}; nearest: {nearest}"
        )
    return _player_at(levels[number - 1], env)


def make_level(env: Env[Any], *, number: int) -> tuple[Agent, Params]:
    """Returns the player of a level.

    Args:
        env: the game.
        number: of the level, from 1, the weakest.

    Raises:
        ValueError: as `level_player`.
    """
    player = level_player(env, number)
    return player.agent, player.params


def _levels_of(env: Env[Any]) -> tuple[Level, ...]:
    return plugs.game_agents(env.id).levels.get(env.num_players, ())


def _has_measured_rules(env: Env[Any]) -> bool:
    """Returns whether a game has the rules of the measured scores: the defaults for its seats."""
    return env.rules.canonical.non_default_options.keys() <= {"num_players"}


def _player_at(level: Level, env: Env[Any]) -> Player:
    return best.first_that_fits(_specs_of(level, env), env)


def _specs_of(level: Level, env: Env[Any]) -> tuple[str, ...]:
    """Returns the specs of a level, those of `best` for the last one."""
    is_best = level.specs == (best.NAME,)
    return plugs.game_agents(env.id).best[env.num_players] if is_best else level.specs
