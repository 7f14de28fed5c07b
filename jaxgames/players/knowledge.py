"""Knowledge of a game for players: each function loads one field of its plug (`plugs.py`)."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from jaxgames.env import Env
from jaxgames.internal import imports
from jaxgames.internal.messages import unknown
from jaxgames.players import plugs
from jaxgames.rules import Rules, SeatValues
from jaxgames.search.agent import Agent, Params
from jaxgames.search.depth_first.ordering import Tactics
from jaxgames.search.evaluators.heuristic import Score
from jaxgames.search.evaluators.integer_score import IntegerScore, Rounded
from jaxgames.search.planning.afterstate_domain import AfterstateDomain, ScoredAfterstates
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.retrograde import SolvedPositions


def score_of(env: Env[Any]) -> Score:
    """Returns the scoring function of a game.

    Raises:
        ValueError: if the game has none; lists the games that have one.
    """
    path = plugs.game_agents(env.id).score
    if path is None:
        games = ", ".join(plugs.games_with("score"))
        raise ValueError(f"no heuristic for {env.id!r}; games with one: {games}")
    score: Score = imports.load(path)(env.rules)
    return score


def integer_score_of(env: Env[Any]) -> tuple[IntegerScore, Params]:
    """Returns the integer score of a game and its default parameters, for one game.

    For a game without an integer score, its `Score` is rounded.

    Raises:
        ValueError: if the game has neither; lists the games that have a score.
    """
    path = plugs.game_agents(env.id).integer_score
    if path is None:
        return Rounded(env.rules, score_of(env)), ()
    score, params = imports.load(path)(env.rules)
    return score, params


def tactics_of(env: Env[Any]) -> Tactics | None:
    """Returns the tactics of a game; None if it has none."""
    path = plugs.game_agents(env.id).tactics
    return None if path is None else imports.load(path)(env.rules)


def endgames_of(env: Env[Any]) -> Callable[[Rules[Any], PRNGKeyArray], Any]:
    """Returns the function that draws random endgames of a game.

    Raises:
        ValueError: if the game has none; lists the games that have one.
    """
    path = plugs.game_agents(env.id).endgames
    if path is None:
        games = ", ".join(plugs.games_with("endgames"))
        raise ValueError(f"no endgames of {env.id!r}; games with some: {games}")
    draw: Callable[[Rules[Any], PRNGKeyArray], Any] = imports.load(path)
    return draw


def solved_of(env: Env[Any]) -> Callable[[Rules[Any], int], SolvedPositions]:
    """Returns the function that draws solved positions of a game.

    Raises:
        ValueError: if the game has none; lists the games that have some.
    """
    path = plugs.game_agents(env.id).solved
    if path is None:
        games = ", ".join(plugs.games_with("solved"))
        raise ValueError(f"no solved positions of {env.id!r}; games with some: {games}")
    draw: Callable[[Rules[Any], int], SolvedPositions] = imports.load(path)
    return draw


def planner_domain_of(env: Env[Any]) -> PlannerDomain:
    """Returns the planner domain of a game; by default its score and its plain actions.

    Raises:
        ValueError: if the game has neither domain nor score; lists the games that have a score.
    """
    path = plugs.game_agents(env.id).planner_domain
    if path is None:
        return PlannerDomain(env.rules, score_of(env))
    domain: PlannerDomain = imports.load(path)(env.rules)
    return domain


def action_domain_of(env: Env[Any]) -> PlannerDomain:
    """Returns how actions are put together from plies, for players that judge by themselves."""
    plug = plugs.game_agents(env.id)
    if plug.planner_domain is None and plug.score is None:
        return PlannerDomain(env.rules, NoScore(env.num_players))
    return planner_domain_of(env)


def afterstate_domain_of(env: Env[Any]) -> AfterstateDomain:
    """Returns the afterstate domain of a game; by default its observation, score and returns."""
    plug = plugs.game_agents(env.id)
    if plug.afterstates is not None:
        domain: AfterstateDomain = imports.load(plug.afterstates)(env.rules)
        return domain
    if plug.score is not None and env.rules.perfect_information:
        return ScoredAfterstates(env.rules, score_of(env))
    return AfterstateDomain(env.rules)


def make_rule_based(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that follows the rules of thumb written for a game.

    Raises:
        ValueError: if the game has none; lists the games that have one.
    """
    return _player_of(env, "rule_based"), ()


def make_do_nothing(env: Env[Any]) -> tuple[Agent, Params]:
    """Returns the agent that ends its turn, or takes the first legal action where it must act.

    In Tribes, for instance, it must act where a city levels up.

    Raises:
        ValueError: if the game has none; lists the games that have one.
    """
    return _player_of(env, "do_nothing"), ()


@dataclasses.dataclass(frozen=True)
class NoScore:
    """The score of a game of which only the rules are known: zero for every seat."""

    num_players: int

    def __call__(self, state: Any) -> SeatValues:
        """Returns zeros."""
        del state
        return jnp.zeros((self.num_players,), jnp.float32)


def _player_of(env: Env[Any], field: str) -> Agent:
    path = getattr(plugs.game_agents(env.id), field)
    if path is None:
        games = plugs.games_with(field)
        raise ValueError(unknown(f"game for the agent {field}:", env.id, games))
    player: Agent = imports.load(path)(env.rules)
    return player
