"""Planners as agents: one step of look-ahead, Monte Carlo, evolution and tree search."""

import dataclasses
import functools
import inspect
from collections.abc import Mapping
from typing import Any

from jaxgames.env import Env
from jaxgames.players import afterstate
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.search.agent import Params
from jaxgames.search.planning.monte_carlo import MonteCarlo
from jaxgames.search.planning.one_step import OneStep
from jaxgames.search.planning.planner import Planner
from jaxgames.search.planning.rhea import Evolution
from jaxgames.search.planning.tree import TreePlanner


def make_one_step(env: Env[Any], *, budget: int = 2000, width: int = 8) -> tuple[OneStep, Params]:
    """Returns one step of look-ahead with the planner domain of the game.

    Raises:
        ValueError: for a game without heuristic, or a setting out of range.
    """
    return OneStep(planner_domain_of(env), budget, width), ()


class PlannerFactory:
    """Makes a planner with the domain of a game; its fields are the settings of the planner.

    With the field `network`, values of afterstates that a network has learned judge positions in
    place of the domain.
    """

    def __init__(self, planner: type[Planner], **defaults: Any) -> None:
        """Keeps the class, and defaults that differ from those of the class."""
        self.planner = planner
        fields: Any = planner
        self.settings = {
            field.name: inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(field.name, field.default),
                annotation=field.type,
            )
            for field in dataclasses.fields(fields)
            if field.name not in ("domain", "value", "whole_turn")
        }
        self.fixed: Mapping[str, Any] = defaults

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of a call."""
        call = inspect.signature(type(self).__call__).parameters
        given = call["env"], *self.settings.values(), call["network"]
        return inspect.Signature(given)

    def __call__(
        self, env: Env[Any], *, network: str | None = None, **settings: Any
    ) -> tuple[Planner, Params]:
        """Returns the planner, and the parameters of the network or `()`.

        Raises:
            ValueError: for a game without heuristic, a setting out of range, or a network that is
                missing, damaged or of another kind or game.
        """
        make: Any = functools.partial(self.planner, **{**self.fixed, **settings})
        if network is None:
            return make(domain=planner_domain_of(env)), ()
        value, params = afterstate.load_values(env, network)
        return make(domain=afterstate.planner_domain(env, value), value=value), params


make_mc = PlannerFactory(MonteCarlo)
make_planning_mcts = PlannerFactory(TreePlanner)
make_rhea = PlannerFactory(Evolution)
make_oep = PlannerFactory(Evolution, whole_turn=True, population=20, elites=10)
