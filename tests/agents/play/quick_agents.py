"""Agents for tests of the page: `best` and the levels of every game compile in seconds.

A page prepares its analyst and its players as soon as it shows a game. Those of the games have
large networks, and take longer to compile than all else that a test looks at.
"""

import dataclasses

from jaxgames.players import plugs
from jaxgames.players.plugs import GameAgents, Level

ANALYST = "gumbel:evaluator=uniform,simulations=64"


def all_games() -> dict[str, GameAgents]:
    """Returns the plug of every game with quick agents instead of its own."""
    return {game: quick(plugs.game_agents(game)) for game in plugs.games()}


def quick(plug: GameAgents) -> GameAgents:
    """Returns a plug with as many levels, whose agents are quick."""
    return dataclasses.replace(
        plug,
        best=dict.fromkeys(plug.best, (ANALYST,)),
        levels={
            seats: (*[Level(("random",))] * (len(levels) - 1), Level(("best",)))
            for seats, levels in plug.levels.items()
        },
        analyst=(ANALYST,),
    )
