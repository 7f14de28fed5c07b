"""Planners as agents: one step of look-ahead, Monte Carlo, evolution and tree search."""

from typing import Any, Literal

from jaxgames.env import Env
from jaxgames.players import afterstate
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.search.agent import Params
from jaxgames.search.planning.domain import PlannerDomain
from jaxgames.search.planning.monte_carlo import MonteCarlo
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.planner import AfterstateValue
from jaxgames.search.planning.rhea import Evolution
from jaxgames.search.planning.tree import TreePlanner


def make_one_step(env: Env[Any], *, budget: int = 2000, width: int = 8) -> tuple[OneStep, Params]:
    """Returns one step of look-ahead with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, or a setting out of range.
    """
    return OneStep(planner_domain_of(env), budget, width), ()


def make_mc(
    env: Env[Any],
    *,
    budget: int = 2000,
    depth: int = 20,
    choose: Literal["peak", "mean"] = "peak",
    together: int | None = None,
    turn: int | None = None,
    network: str | None = None,
) -> tuple[MonteCarlo, Params]:
    """Returns Monte Carlo search with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, a setting out of range, or a network that is
            missing, damaged or of another kind or game.
    """
    domain, value, params = _judged_by(env, network)
    return MonteCarlo(domain, budget, depth, choose, together, turn, value=value), params


def make_rhea(
    env: Env[Any],
    *,
    budget: int = 2000,
    depth: int = 20,
    mutation: float = 0.1,
    population: int = 1,
    elites: int = 1,
    tournament: int = 3,
    network: str | None = None,
) -> tuple[Evolution, Params]:
    """Returns rolling horizon evolution with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, a setting out of range, or a network that is
            missing, damaged or of another kind or game.
    """
    domain, value, params = _judged_by(env, network)
    settings = budget, depth, mutation, population, elites, tournament
    return Evolution(domain, *settings, value=value), params


def make_oep(
    env: Env[Any],
    *,
    budget: int = 2000,
    depth: int = 20,
    mutation: float = 0.1,
    population: int = 20,
    elites: int = 10,
    tournament: int = 3,
    network: str | None = None,
) -> tuple[Evolution, Params]:
    """Returns online evolutionary planning with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, a setting out of range, or a network that is
            missing, damaged or of another kind or game.
    """
    domain, value, params = _judged_by(env, network)
    settings = budget, depth, mutation, population, elites, tournament
    return Evolution(domain, *settings, whole_turn=True, value=value), params


def make_planning_mcts(
    env: Env[Any],
    *,
    budget: int = 2000,
    depth: int = 20,
    c: float = 2**0.5,
    network: str | None = None,
) -> tuple[TreePlanner, Params]:
    """Returns tree search without playouts, with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, a setting out of range, or a network that is
            missing, damaged or of another kind or game.
    """
    domain, value, params = _judged_by(env, network)
    return TreePlanner(domain, budget, depth, c, value), params


def _judged_by(
    env: Env[Any], network: str | None
) -> tuple[PlannerDomain, AfterstateValue | None, Params]:
    """Returns the domain of planners that judge by a network of afterstate values, or without one.

    Raises:
        ValueError: for a game without heuristic, or if the network is missing, damaged or of
            another kind or game.
    """
    if network is None:
        return planner_domain_of(env), None, ()
    values, params = afterstate.load_values(env, network)
    return afterstate.planner_domain(env, values), values, params
