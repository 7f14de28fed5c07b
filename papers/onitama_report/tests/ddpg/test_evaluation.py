"""An evaluation whose result is known: actors that do the same in every position."""

import jax
import numpy as np

from jaxgames.onitama.cards import MAX_MOVES
from jaxgames.players.registry import make_env
from papers.onitama_report.config import EvaluationConfig
from papers.onitama_report.ddpg.actor import make_actor
from papers.onitama_report.ddpg.evaluation import Evaluation
from papers.onitama_report.game.rules import ACTIONS_PER_PIECE, MASTER
from papers.onitama_report.tests.ddpg.small import CONFIG, set_in_its_ways


def test_evaluation_gives_the_score_of_the_actor_and_not_of_its_opponent():
    """Whoever steps aside and back loses to first_legal; a master that runs ahead beats it."""
    env = make_env(CONFIG.game, CONFIG.env_options)
    evaluation = Evaluation(env, EvaluationConfig(games=4, opponents=("first_legal",)))
    network = make_actor(env, "dual", CONFIG.network)
    action = np.arange(env.num_actions)
    is_master, move = action // ACTIONS_PER_PIECE == MASTER, action % MAX_MOVES

    def score(preference):
        params = set_in_its_ways(network, preference)
        scores = evaluation("me", network, params, jax.random.key(0))
        return scores["evaluation/me/first_legal"]

    assert score(4 * (move == 2) + 8 * (move == 3)) < 0.5
    assert score(12 * is_master + 4 * (move == 1) + 2 * (move == 0)) > 0.5
