"""Specs and settings that make no sense: each is refused by a message that says what is wrong."""

import dataclasses
import re
from typing import ClassVar

import pytest

import jaxgames
from configs.alphazero import SelfPlayConfig
from jaxgames.players import registry
from jaxgames.players.network import PriorPolicy
from jaxgames.players.onitama.score import material
from jaxgames.search import gumbel_search, puct_search
from jaxgames.search.depth_first import transposition_table
from jaxgames.search.depth_first.search import DepthFirst
from jaxgames.search.evaluators.afterstates import AfterstateEvaluator
from jaxgames.search.evaluators.heuristic import Heuristic
from jaxgames.search.evaluators.rollout import Rollout
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.minimax import Minimax
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.model_agent import LearnedSearch, ModelSearch
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from jaxgames.search.tree.uct import Uct
from tests.gamble import Gamble
from tests.hidden_coin import HiddenCoin
from tests.turn_nim import ThreeSeats, TurnNim, WithChance

RULES = TurnNim()
NAN, INFINITE = float("nan"), float("inf")
MODEL = registry.make_env("onitama")  # stands in for a model that is never asked

SPECS = [
    ("random:of=moves", "random:of: unknown value 'moves'; available: plies, actions"),
    ("minmax:depth=2", "unknown agent 'minmax'"),
    ("minmax:depth=2", "did you mean 'minimax'"),
    ("ddgp", "--plugin=my_agents"),
    ("minimax:dept=2", "unknown field 'dept'; available: depth, ties; did you mean"),
    ("best:secnds=1", "available: nodes, seconds; did you mean 'seconds'"),
    ("best:chekpoint=x", "unknown field 'chekpoint'; available: none"),
    ("minimax:depth=0", "from 1 to 500 plies, got 0"),
    ("minimax:depth=501", "from 1 to 500 plies, got 501"),
    ("minimax:ties=last", "minimax:ties: unknown value 'last'; available: random, first"),
    ("negascout:depth=0", "depth must be from 1 to 64 plies, got 0"),
    ("negascout:table=40", "table must be from 1 to 24 bits, got 40"),
    ("negascout:dept=3", "unknown field 'dept'; available: depth, network, quiescence, table; did"),
    ("ms1", "ms1 plays murus_gallicus only, not onitama"),
    ("ms3:depth=2", "ms3 plays murus_gallicus only, not onitama"),
    ("rule_based", "rule_based: 'onitama'; available: tribes"),
    ("do_nothing", "do_nothing: 'onitama'; available: tribes"),
    ("greedy:width=0", "width must be at least 1, got 0"),
    ("osla:budget=0", "budget must be at least 1, got 0"),
    ("mc:budget=0", "budget must be at least 1, got 0"),
    ("mc:depth=0", "depth must be at least 1, got 0"),
    ("mc:together=0", "together must be at least 1, got 0"),
    ("mc:turn=5", "turn=5 is for games whose turns have an end of their own"),
    ("mc:choose=best", "unknown value 'best'; available: peak, mean"),
    ("mc:simulations=3", "mc: unknown field 'simulations'"),
    ("planning_mcts:budget=0", "budget must be at least 1, got 0"),
    ("planning_mcts:depth=0", "depth must be at least 1, got 0"),
    ("planning_mcts:c=-1", "c must be at least 0, got -1.0"),
    ("rhea:budget=0", "budget must be at least 1, got 0"),
    ("rhea:mutation=1.5", "mutation must be from 0 to 1, got 1.5"),
    ("rhea:population=3,elites=3", "elites must be less than population=3, got 3"),
    ("rhea:elites=5", "need a population of 2 at least, got population=1, elites=5, tournament=3"),
    ("rhea:tournament=2", "population=1, elites=1, tournament=2"),
    ("rhea:budget=19", "budget=19 must pay for one generation: 1 plans of depth=20 forward-model"),
    ("rhea:whole_turn=true", "rhea: unknown field 'whole_turn'"),
    ("oep:budget=100", "budget=100 must pay for one generation: 10 plans of depth=20 forward"),
    ("oep:tournament=0", "tournament must be at least 1, got 0"),
    ("mcts:simulations=0", "simulations must be at least 1, got 0"),
    ("mcts:simulations=99999999", "simulations must be at most 16777216, got 99999999"),
    ("mcts:rollouts=99999999", "rollouts must be at most 16777216, got 99999999"),
    ("mcts:c=-1", "c must be at least 0, got -1.0"),
    ("mcts:rollouts=0", "rollouts must be at least 1, got 0"),
    ("mcts:evaluator=heuristic,rollouts=2", "evaluator=heuristic plays no rollouts, got roll"),
    ("mcts:evaluator=rolout", "unknown value 'rolout'; available: rollout, heuristic; did"),
    ("mcts:playouts=3", "mcts: unknown field 'playouts'"),
    ("gumbel", "a search needs a network, for instance 'gumbel:"),
    ("puct", "a search needs a network, for instance"),
    ("gumbel:evaluator=uniform,network=a.npz", "evaluator=uniform reads no network, got 'a.npz'"),
    ("gumbel:engine=alpha,evaluator=uniform", "gumbel:engine: unknown value 'alpha'"),
    ("gumbel:engine=mctx,evaluator=uniform,reuse=true", "mctx keeps no subtree"),
    ("gumbel:evaluator=uniform,max_children=0", "max_children must be at least 1 or None, got 0"),
    ("gumbel:evaluator=uniform,max_children=0", "agent 'gumbel:evaluator=uniform,max_children=0'"),
    ("gumbel:evaluator=uniform,simulations=0", "simulations must be at least 1, got 0"),
    ("gumbel:evaluator=uniform,gumbel_scale=-1", "in onitama: gumbel_scale must be at least 0"),
    ("puct:evaluator=uniform,temperature=-1", "temperature must be 0 or at least 0.001, got -1"),
    ("puct:evaluator=uniform,dirichlet_fraction=2", "dirichlet_fraction must be from 0 to 1"),
    ("puct:evaluator=uniform,engine=mctx", "puct: unknown field 'engine'"),
    ("network", "network needs a value for 'network'"),
    ("network:network=/nowhere.npz", "no network file or run folder at"),
    ("network:network=onitama,temperature=1e-40", "temperature must be 0 or at least 0.001"),
    ("gumbel:network=tribes", "trained for game 'tribes', not 'onitama'"),
    ("afterstate:network=tribes", "trained for game 'tribes', not 'onitama'"),
    ("afterstate:network=onitama", "the agent gumbel:network=onitama plays with it"),
]
IN_OTHER_GAMES = [
    ("murus_gallicus", "ms3:book=nowhere.npz", "nowhere.npz"),
    ("murus_gallicus", "ms3:weights=best", "unknown value 'best'"),
    ("murus_gallicus", "ms3:book_moves=5", "give book=FILE too, got 5"),
    ("terra_mystica", "afterstate:network=onitama", "trained for game 'onitama', not 'terra"),
    ("terra_mystica", "afterstate:network=terra_mistica", "did you mean 'terra_mystica'"),
    ("tribes", "gumbel:network=tribes", "evaluator=afterstates,network=tribes, or play with"),
    ("tribes", "planning_mcts:budget=8388609", "budget must be at most 8388608 in this game, got"),
    (
        "terra_mystica",
        "afterstate:network=terra_mystica_3",
        "trained with num_players=3,post_conversions=false, and this game has the default",
    ),
]


@pytest.mark.parametrize(
    ("game", "spec", "message"), [*(("onitama", *row) for row in SPECS), *IN_OTHER_GAMES]
)
def test_specs_that_make_no_sense_are_refused(game, spec, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        registry.make(spec, jaxgames.make(game))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        *(
            (spec, "no heuristic for 'chess'; games with one: murus_gallicus, onitama")
            for spec in ("minimax", "negascout", "osla")
        ),
        ("best", "unknown game for the agent best: 'chess'"),
    ],
)
def test_a_game_without_what_a_player_needs_is_named(spec, message):
    # What players know of a game is looked up by the id of the environment.
    env = dataclasses.replace(jaxgames.make("onitama"), id="chess")
    with pytest.raises(ValueError, match=message):
        registry.make(spec, env)


def test_a_large_budget_fits_a_game_of_two_plies():
    assert registry.make("planning_mcts:budget=8388608", jaxgames.make("tribes"))


def tree(rules=RULES, **settings):
    return TreeSearch(rules, Uniform(rules), Puct(), **settings)


def gumbel(rules=RULES, **settings):
    return gumbel_search(rules, Uniform(rules), **settings)


def mctx(rules=RULES, **settings):
    return gumbel(rules, engine="mctx", **settings)


def puct(**settings):
    return puct_search(RULES, Uniform(RULES), **settings)


def depth_first(rules=RULES, **settings):
    return DepthFirst(rules, lambda params, state: 0, **settings)


def minimax(rules=RULES, **settings):
    return Minimax(rules, material, **settings)


def model(**settings):
    return ModelSearch(MODEL, Gumbel(), **settings)


def learned(**settings):
    return LearnedSearch(RULES, MODEL, Gumbel(), **settings)


def heuristic(**settings):
    return Heuristic(RULES, material, **settings)


def afterstates(**settings):
    return AfterstateEvaluator(RULES, MODEL, **settings)


def rollout(**settings):
    return Rollout(RULES, **settings)


def prior(temperature):
    return PriorPolicy(RULES, Uniform(RULES), temperature)


class Dice(TurnNim):
    stochastic: ClassVar[bool] = True


SETTINGS = [
    (tree, {"simulations": 0}, "simulations must be at least 1, got 0"),
    (tree, {"simulations": 2**24 + 1}, "simulations must be at most 16777216, got 16777217"),
    (tree, {"determinizations": 0}, "determinizations must be at least 1, got 0"),
    (tree, {"determinizations": 2**31}, "determinizations must be at most 16777216, got 21"),
    (tree, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
    (tree, {"max_active": -1}, "max_active must be at least 1 or None, got -1"),
    (tree, {"mode": "old"}, "mode must be auto, closed_loop or open_loop, got 'old'"),
    (tree, {"budget": 3}, "budget and cost belong together, got budget=3"),
    (tree, {"mode": "open_loop", "reuse": True}, "reuse needs nodes that stand for states"),
    (tree, {"rules": HiddenCoin(), "reuse": True}, "HiddenCoin has chance or hidden"),
    (
        tree,
        {"rules": Gamble(), "reuse": True},
        "reuse needs nodes that stand for states; Gamble has chance or hidden information: "
        "choose mode='closed_loop', or no reuse",
    ),
    (Gumbel, {"max_considered": 0}, "max_considered must be at least 1, got 0"),
    (Gumbel, {"gumbel_scale": -1.0}, "gumbel_scale must be at least 0, got -1.0"),
    (Gumbel, {"gumbel_scale": NAN}, "gumbel_scale must be at least 0, got nan"),
    (Gumbel, {"value_scale": -0.1}, "value_scale must be at least 0, got -0.1"),
    (Gumbel, {"visit_offset": INFINITE}, "visit_offset must be finite, got inf"),
    (Puct, {"dirichlet_fraction": 1.5}, "dirichlet_fraction must be from 0 to 1, got 1.5"),
    (Puct, {"dirichlet_fraction": NAN}, "dirichlet_fraction must be from 0 to 1"),
    (Puct, {"dirichlet_alpha": 0.0}, "dirichlet_alpha must be greater than 0, got 0.0"),
    (Puct, {"c_base": 0.0}, "c_base must be greater than 0, got 0.0"),
    (Puct, {"c_init": -1.0}, "c_init must be at least 0, got -1.0"),
    (Puct, {"temperature": -1.0}, "temperature must be 0 or at least 0.001, got -1.0"),
    (Puct, {"temperature": 1e-40}, "temperature must be 0 or at least 0.001, got 1e-40"),
    (Uct, {"c": -0.1}, "c must be at least 0, got -0.1"),
    (Uct, {"c": NAN}, "c must be at least 0, got nan"),
    (Uct, {"c": INFINITE}, "c must be finite, got inf"),
    (gumbel, {"engine": "alpha"}, "engine must be tree or mctx, got 'alpha'"),
    (gumbel, {"simulations": 0}, "simulations must be at least 1, got 0"),
    (gumbel, {"max_considered": 0}, "max_considered must be at least 1, got 0"),
    (mctx, {"reuse": True}, "mctx keeps no subtree: choose engine=tree, or reuse=false"),
    (mctx, {"stop_decided": True}, "mctx makes all simulations: choose engine=tree"),
    (mctx, {"simulations": 0}, "simulations must be at least 1, got 0"),
    (mctx, {"simulations": 2**31}, "simulations must be at most 16777216, got 21"),
    (mctx, {"value_scale": -0.1}, "value_scale must be at least 0, got -0.1"),
    (mctx, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
    (mctx, {"rules": ThreeSeats()}, "ThreeSeats has 3 seats"),
    (mctx, {"rules": WithChance()}, "mctx cannot search WithChance: step draws chance"),
    (puct, {"dirichlet_alpha": -1.0}, "dirichlet_alpha must be greater than 0, got -1"),
    (puct, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
    (model, {"simulations": 0}, "simulations must be at least 1, got 0"),
    (model, {"max_depth": 0}, "max_depth must be at least 1 or None, got 0"),
    (learned, {"simulations": 0}, "simulations must be at least 1, got 0"),
    (minimax, {"depth": -1}, "from 1 to 500 plies, got -1"),
    (minimax, {"ties": "last"}, "ties must be random or first, got 'last'"),
    (minimax, {"rules": Dice()}, "without chance"),
    (minimax, {"rules": ThreeSeats()}, "two seats, not 3"),
    (depth_first, {"rules": ThreeSeats()}, "needs two seats, this game has 3"),
    (depth_first, {"rules": WithChance()}, "without chance"),
    (depth_first, {"max_depth": 0}, "depth must be from 1 to 64 plies, got 0"),
    (depth_first, {"pruning": "beta"}, "none, alpha_beta or pvs, got 'beta'"),
    (depth_first, {"table_bits": 40}, "table must be from 1 to 24 bits, got 40"),
    (depth_first, {"quiescence": -1}, "quiescence must be from 0"),
    (depth_first, {"quiescence": 2}, "noisy moves"),
    (transposition_table.empty, {"batch_size": 128, "bits": 24}, "128 tables of 2^24 entries are"),
    (heuristic, {"temperature": 0}, "temperature must be above 0 or None, got 0"),
    (afterstates, {"temperature": 0}, "temperature must be above 0, got 0"),
    (rollout, {"rollouts": 0}, "rollouts must be at least 1, got 0"),
    (rollout, {"max_steps": 0}, "max_steps must be at least 1, got 0"),
    (prior, {"temperature": -1.0}, "temperature must be 0 or at least 0.001, got -1.0"),
    (prior, {"temperature": 1e-40}, "temperature must be 0 or at least 0.001, got 1e-40"),
    (prior, {"temperature": INFINITE}, "temperature must be 0 or at least 0.001, got inf"),
    (prior, {"temperature": NAN}, "temperature must be 0 or at least 0.001, got nan"),
    (SelfPlayConfig, {"search": "alpha"}, "selfplay.search: unknown value 'alpha'; available: gu"),
    (SelfPlayConfig, {"max_children": 0}, "selfplay.max_children must be at least 1, got 0"),
    (
        SelfPlayConfig,
        {"dirichlet_fraction": 1.1},
        "selfplay.dirichlet_fraction must be from 0.0 to 1.0, got",
    ),
    (SelfPlayConfig, {"dirichlet_alpha": 0.0}, "selfplay.dirichlet_alpha must be greater than 0"),
    (
        SelfPlayConfig,
        {"search": "mctx", "reuse": True},
        "selfplay.search=mctx keeps no subtree: leave reuse out",
    ),
]


@pytest.mark.parametrize(("make", "settings", "message"), SETTINGS)
def test_settings_out_of_range_are_refused(make, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(**settings)
