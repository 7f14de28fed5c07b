"""The figures and depths of an iteration against plain lists of the turns that were played."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames.batching.trees import select_rows
from jaxgames.players.registry import make_env
from papers.onitama_report.config import OpponentConfig, PlayConfig
from papers.onitama_report.ddpg.games import Games
from papers.onitama_report.ddpg.steps import make_steps
from papers.onitama_report.game.rules import ACTIONS_PER_PIECE, MASTER
from papers.onitama_report.tests.ddpg.small import CONFIG, FromTheEnd, set_in_its_ways

LEARNERS, LANES, TURNS = 2, 4, 6
WINDOW, WINS, DEEPEST = 4, 2, 3


class Noted(NamedTuple):
    """What a test reads of a turn in a lane."""

    has_acted: Any
    num_legal: Any
    is_valid: Any
    has_ended: Any
    plies: Any
    depth: Any
    reward: Any


class NotedGames(Games):
    """Games that carry the turns of an iteration beside their lanes, where a test can read them."""

    def start(self, depths, keys):
        noted = jnp.zeros((TURNS, len(Noted._fields), LEARNERS * LANES), jnp.int32)
        return super().start(depths, keys), noted

    def play(self, lanes, policy, keys):
        lanes, noted = lanes
        lanes, turn = super().play(lanes, policy, keys)
        values = [getattr(turn, name) for name in Noted._fields if name != "reward"]
        newest = jnp.stack([*values, turn.transition.reward])
        return (lanes, jnp.concatenate([noted[1:], newest[None]])), turn

    def restart(self, lanes, has_ended, depths, keys):
        lanes, noted = lanes
        return select_rows(has_ended, super().start(depths, keys), lanes), noted


def make_small_steps():
    """Returns steps of one architecture against an opponent without chance, in short games."""
    config = dataclasses.replace(
        CONFIG,
        architecture="actions_only",
        seeds=LEARNERS,
        play=PlayConfig(lanes=LANES, turns=TURNS),
        opponent=OpponentConfig(max_depth=DEEPEST, window=WINDOW, wins=WINS),
    )
    env = make_env(config.game, "max_plies=24")
    games = NotedGames(env.rules, FromTheEnd(env.rules), LANES)
    return dataclasses.replace(make_steps(env, config), games=games)


def test_figures_and_depths_are_those_of_lists_of_turns():
    steps = make_small_steps()
    # One that likes to move its master wins, draws and loses here.
    preference = 2.0 * (np.arange(steps.games.rules.num_actions) // ACTIONS_PER_PIECE == MASTER)
    actor = set_in_its_ways(steps.actors[0], preference)
    actors = (jax.tree.map(lambda x: jnp.stack([x] * LEARNERS), actor),)
    state = steps._first_games(actors, jax.random.split(jax.random.key(0), LEARNERS))
    episodes, depths = [0] * LEARNERS, [1] * LEARNERS
    depths_of_games = [[1] * LANES for _ in range(LEARNERS)]
    results = [[] for _ in range(LEARNERS)]  # of the games that count for the next rise
    outcomes = []
    for key in jax.random.split(jax.random.key(1), 12):
        state, stats = steps.play(actors, state, jax.random.split(key, LEARNERS))
        noted = np.asarray(state.lanes[1]).reshape(TURNS, -1, LEARNERS, LANES)
        for learner in range(LEARNERS):
            turns = [[Noted(*lane) for lane in turn.T.tolist()] for turn in noted[:, :, learner]]
            for turn in turns:
                assert [lane.depth for lane in turn] == depths_of_games[learner]
                for lane in turn:
                    if lane.has_ended and lane.depth == depths[learner]:
                        results[learner] = [*results[learner], lane.reward == 1][-WINDOW:]
                if sum(results[learner]) >= WINS and depths[learner] < DEEPEST:
                    depths[learner] += 1
                    results[learner] = []
                depths_of_games[learner] = [
                    depths[learner] if lane.has_ended else lane.depth for lane in turn
                ]
            moves = [lane for turn in turns for lane in turn if lane.has_acted]
            ends = [lane for turn in turns for lane in turn if lane.has_ended]
            rewards = [lane.reward for lane in ends]
            episodes[learner] += len(ends)
            outcomes += rewards
            wanted = {
                "turns": len(moves),
                "legal_actions": sum(lane.num_legal for lane in moves),
                "valid_choices": sum(lane.is_valid for lane in moves),
                "games": len(ends),
                "wins": rewards.count(1),
                "draws": rewards.count(0),
                "plies": sum(lane.plies for lane in ends),
                "episodes": episodes[learner],
                "depth": depths[learner],
            }
            assert {name: int(getattr(stats, name)[learner]) for name in wanted} == wanted
    assert {-1, 0, 1} == set(outcomes) and min(depths) > 1
