"""Matches of the network against opponents that do not learn, with search and without."""

from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from agents import registry
from agents.agent import Agent, Params, Player
from agents.arena.match import match
from agents.arena.statistics import score
from agents.evaluators.network import NetworkEvaluator
from agents.network_players import PriorPolicy
from agents.networks.policy_value import Network
from configs.alphazero import AlphaZeroConfig
from jaxgames import Env
from train import selfplay


class Evaluation:
    """The opponents of a run; calling it plays all matches.

    Raises:
        ValueError: if an opponent is unknown or cannot play the game.
    """

    def __init__(self, env: Env[Any], network: Network, config: AlphaZeroConfig):
        """Makes the opponents, so that a wrong spec fails before the training starts."""
        evaluator = NetworkEvaluator(env.rules, network)
        self._env = env
        self._games = config.evaluation.games
        self._opponents = [registry.make(spec, env) for spec in config.evaluation.opponents]
        matches = config.selfplay.for_matches(config.evaluation.simulations)
        self._agents: dict[str, Agent] = {
            "search": selfplay.make_search(env.rules, evaluator, matches),
            "network": PriorPolicy(env.rules, evaluator),
        }

    def __call__(self, params: Params, key: PRNGKeyArray) -> dict[str, float]:
        """Returns `evaluation/PLAYER/OPPONENT -> score` (wins + draws / 2, from 0 to 1)."""
        metrics: dict[str, float] = {}
        for index, opponent in enumerate(self._opponents):
            match_key = jax.random.fold_in(key, index)
            for name, agent in self._agents.items():
                players = (Player(name, agent, params), opponent)
                result = match(self._env, players, match_key, self._games)
                result_score = score(np.asarray(result.returns))
                metrics[f"evaluation/{name}/{opponent.name}"] = result_score.mean
        return metrics
