"""Matches of the actors against opponents that do not learn."""

from typing import Any

import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames import Env
from jaxgames.matches.match import match
from jaxgames.matches.statistics import score
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.search.agent import Params
from papers.onitama_report.config import EvaluationConfig
from papers.onitama_report.ddpg.actor import ActorNetwork
from papers.onitama_report.ddpg.players import MaskedActor


class Evaluation:
    """The opponents of a run.

    Raises:
        ValueError: if an opponent is unknown or cannot play the game.
    """

    def __init__(self, env: Env[Any], config: EvaluationConfig):
        """Makes the opponents, so that a wrong spec fails before the training starts."""
        self._env = env
        self._games = config.games
        self._opponents = [registry.make_program(spec, env) for spec in config.opponents]

    def __call__(
        self, name: str, network: ActorNetwork, params: Params, key: PRNGKeyArray
    ) -> dict[str, float]:
        """Returns `evaluation/NAME/OPPONENT -> score` (wins + draws / 2, from 0 to 1)."""
        player = Player(name, MaskedActor(self._env.rules, network), params)
        scores = {}
        for opponent in self._opponents:
            result = match(self._env, (player, opponent), key, self._games)
            scores[f"evaluation/{name}/{opponent.name}"] = score(np.asarray(result.returns)).mean
        return scores
