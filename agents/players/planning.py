"""Planners as agents: one step of look-ahead, Monte Carlo, evolution and tree search."""

from typing import Any, Literal

from agents.games.knowledge import planner_domain_of
from jaxgames.env import Env
from jaxgames.search.agent import Params
from jaxgames.search.planning.monte_carlo import MonteCarlo
from jaxgames.search.planning.one_step import OneStep
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
) -> tuple[MonteCarlo, Params]:
    """Returns Monte Carlo search with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, or a setting out of range.
    """
    return MonteCarlo(planner_domain_of(env), budget, depth, choose, together, turn), ()


def make_rhea(
    env: Env[Any],
    *,
    budget: int = 2000,
    depth: int = 20,
    mutation: float = 0.1,
    population: int = 1,
    elites: int = 1,
    tournament: int = 3,
) -> tuple[Evolution, Params]:
    """Returns rolling horizon evolution with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, or a setting out of range.
    """
    domain = planner_domain_of(env)
    return Evolution(domain, budget, depth, mutation, population, elites, tournament), ()


def make_oep(
    env: Env[Any],
    *,
    budget: int = 2000,
    depth: int = 20,
    mutation: float = 0.1,
    population: int = 20,
    elites: int = 10,
    tournament: int = 3,
) -> tuple[Evolution, Params]:
    """Returns online evolutionary planning with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, or a setting out of range.
    """
    domain = planner_domain_of(env)
    settings = budget, depth, mutation, population, elites, tournament
    return Evolution(domain, *settings, whole_turn=True), ()


def make_planning_mcts(
    env: Env[Any], *, budget: int = 2000, depth: int = 20, c: float = 2**0.5
) -> tuple[TreePlanner, Params]:
    """Returns tree search without playouts, with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, or a setting out of range.
    """
    return TreePlanner(planner_domain_of(env), budget, depth, c), ()
