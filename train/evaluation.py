"""Matches of what a run has learned against opponents that do not learn.

In games of more than two seats, copies of one opponent take all seats but the network's.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from configs.alphazero import AlphaZeroConfig
from jaxgames import Env
from jaxgames.matches.match import devices_for, match
from jaxgames.matches.match_loop import MatchResult
from jaxgames.matches.recording import check_game, of_match
from jaxgames.matches.statistics import score
from jaxgames.players import registry
from jaxgames.players.network import PriorPolicy
from jaxgames.players.player import Player
from jaxgames.records import Record
from jaxgames.search.agent import Agent, Params
from train.algorithm import Algorithm
from train.metrics import mean_points


class Matches:
    """Agents with the newest parameters, and the opponents of a run; calling it plays all matches.

    Raises:
        ValueError: if an opponent is unknown or cannot play the game.
    """

    def __init__(
        self,
        env: Env[Any],
        agents: dict[str, Agent],
        opponents: Sequence[str],
        games: int,
        saved_games: int = 0,
    ):
        """Makes the opponents, so that a wrong spec fails before the training starts.

        Args:
            env: the game.
            agents: the agents that play with the newest parameters, by name.
            opponents: agent specs.
            games: games against each, rounded up to a multiple of the number of seats.
            saved_games: games of each match that are kept as records.
        """
        if saved_games:
            check_game(env, "evaluation.saved_games")
        self.specs = tuple(opponents)
        self._saved_games = saved_games
        self._env = env
        self._games = -(-games // env.num_players) * env.num_players
        self._opponents = [registry.make_program(spec, env) for spec in opponents]
        self._agents = agents

    def __call__(
        self, params: Params, key: PRNGKeyArray, records: list[Record] | None = None
    ) -> dict[str, float]:
        """Returns `evaluation/PLAYER/OPPONENT -> score` (wins + draws / 2, from 0 to 1).

        In games that count points there are also `points/PLAYER/OPPONENT`, the network's mean
        points, the same for each role that it played, and `points/of_opponent/PLAYER/OPPONENT`,
        the opponents' mean points.

        Args:
            params: the newest parameters.
            key: of the matches.
            records: the first games of each match are added to it, if games are kept.
        """
        metrics: dict[str, float] = {}
        for index, opponent in enumerate(self._opponents):
            match_key = jax.random.fold_in(key, index)
            for name, agent in self._agents.items():
                opponents = [opponent] * (self._env.num_players - 1)
                players = (Player(name, agent, params), *opponents)
                is_saved = self._saved_games > 0
                result = match(
                    self._env,
                    players,
                    match_key,
                    self._games,
                    record=is_saved,
                    num_devices=devices_for(self._games, self._env),
                )
                result_score = score(np.asarray(result.returns))
                against = f"{name}/{opponent.name}"
                metrics[f"evaluation/{against}"] = result_score.mean
                metrics |= _points(result, against, self._env.rules.roles)
                if is_saved and records is not None:
                    names = tuple(player.name for player in players)
                    tags = {"match": against}
                    records += of_match(self._env, names, result, tags, self._saved_games)
        return metrics


def network_matches(env: Env[Any], algorithm: Algorithm, config: AlphaZeroConfig) -> Matches:
    """Returns the matches of a network that an algorithm learns, with search and without."""
    settings = config.evaluation
    agents: dict[str, Agent] = {
        "search": algorithm.make_search(config.selfplay.for_matches(settings.simulations)),
        "network": PriorPolicy(env.rules, algorithm.evaluator, settings.temperature),
    }
    return Matches(env, agents, settings.opponents, settings.games, settings.saved_games)


def _points(result: MatchResult, against: str, roles: tuple[str, ...]) -> dict[str, float]:
    if result.points is None:
        return {}
    points = np.asarray(result.points)
    numbers = {f"points/of_opponent/{against}": float(points[:, 1:].mean())}
    played = np.zeros(len(points), int) if result.roles is None else np.asarray(result.roles)[:, 0]
    size = max(len(roles), 1)
    totals = np.bincount(played, points[:, 0], size), np.bincount(played, minlength=size)
    return numbers | mean_points(f"points/{against}", *totals, roles)
