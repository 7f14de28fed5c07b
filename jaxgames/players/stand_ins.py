"""Specs that stand for other specs: `best`, and the levels of a game.

Results and games of matches say who has played, also after a game names another player.
"""

from collections.abc import Iterable
from typing import Any

from jaxgames.env import Env
from jaxgames.players import best, levels, plugs, spec


def stands_for(text: str, env: Env[Any]) -> str:
    """Returns the spec that `best` or a level stands for in a game; any other text as it is.

    Raises:
        ValueError: for a level that the game does not have.
    """
    name = text.partition(":")[0].strip()
    if name == levels.NAME:
        fields = spec.arguments(spec.parse(text), levels.make_level)
        return levels.level_player(env, **fields).name
    if text.strip() != best.NAME or env.num_players not in plugs.game_agents(env.id).best:
        return text
    return best.best_player(env).name


def meaning(specs: Iterable[str], env: Env[Any]) -> dict[str, str]:
    """Returns what each of the specs stands for, by itself, if it stands for another; for records.

    Raises:
        ValueError: as `stands_for`.
    """
    standing = {text.strip(): stands_for(text, env).strip() for text in specs}
    return {text: meant for text, meant in standing.items() if meant != text}
