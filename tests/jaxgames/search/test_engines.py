"""Searches by name: what the settings mean, and which ones are refused."""

import re

import jax
import pytest

import jaxgames
from configs.alphazero import SelfPlayConfig
from jaxgames.players import registry
from jaxgames.search.evaluators.uniform import SLIGHT, Shuffled, Uniform
from jaxgames.search.factories import gumbel_search, puct_search
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests import turn_nim
from tests.gamble import Gamble
from tests.hidden_coin import HiddenCoin
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim
from train import selfplay

RULES = TurnNim()
EVALUATOR = Uniform(RULES)
NAN, INFINITE = float("nan"), float("inf")


def tree(rules=RULES, **settings):
    return TreeSearch(rules, Uniform(rules), Puct(), **settings)


def gumbel(rules=RULES, **settings):
    return gumbel_search(rules, Uniform(rules), **settings)


def mctx(rules=RULES, **settings):
    return gumbel(rules, engine="mctx", **settings)


def puct(**settings):
    return puct_search(RULES, EVALUATOR, **settings)


@pytest.fixture(scope="module")
def onitama():
    return jaxgames.make("onitama")


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        (tree, {"simulations": 0}, "simulations must be at least 1, got 0"),
        (tree, {"simulations": 2**24 + 1}, "simulations must be at most 16777216, got 1677"),
        (tree, {"determinizations": 0}, "determinizations must be at least 1, got 0"),
        (tree, {"determinizations": 2**31}, "determinizations must be at most 16777216, got 21"),
        (tree, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
        (tree, {"max_active": -1}, "max_active must be at least 1 or None, got -1"),
        (tree, {"mode": "old"}, "mode must be auto, closed_loop or open_loop, got 'old'"),
        (
            tree,
            {"rules": Gamble(), "reuse": True},
            "reuse needs nodes that stand for states; Gamble has chance or hidden information: "
            "choose mode='closed_loop', or no reuse",
        ),
        (tree, {"rules": HiddenCoin(), "reuse": True}, "HiddenCoin has chance or hidden"),
        (tree, {"mode": "open_loop", "reuse": True}, "reuse needs nodes that stand for stat"),
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
        (gumbel, {"engine": "alpha"}, "engine must be tree or mctx, got 'alpha'"),
        (gumbel, {"simulations": 0}, "simulations must be at least 1, got 0"),
        (gumbel, {"max_considered": 0}, "max_considered must be at least 1, got 0"),
        (mctx, {"reuse": True}, "mctx keeps no subtree: choose engine=tree, or reuse="),
        (mctx, {"stop_decided": True}, "mctx makes all simulations: choose engine=tree"),
        (mctx, {"simulations": 0}, "simulations must be at least 1, got 0"),
        (mctx, {"simulations": 2**31}, "simulations must be at most 16777216, got 21"),
        (mctx, {"value_scale": -0.1}, "value_scale must be at least 0, got -0.1"),
        (mctx, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
        (mctx, {"rules": turn_nim.ThreeSeats()}, "ThreeSeats has 3 seats"),
        (mctx, {"rules": turn_nim.WithChance()}, "mctx cannot search WithChance: step draws chanc"),
        (puct, {"dirichlet_alpha": -1.0}, "dirichlet_alpha must be greater than 0, got -1"),
        (puct, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
        (
            SelfPlayConfig,
            {"search": "alpha"},
            "selfplay.search: unknown value 'alpha'; available: gumbel, puct, mctx",
        ),
        (SelfPlayConfig, {"max_children": 0}, "selfplay.max_children must be at least 1, got 0"),
        (
            SelfPlayConfig,
            {"dirichlet_fraction": 1.1},
            "selfplay.dirichlet_fraction must be from 0.0 to 1.0, got",
        ),
        (
            SelfPlayConfig,
            {"dirichlet_alpha": 0.0},
            "selfplay.dirichlet_alpha must be greater than 0, got 0.0",
        ),
        (
            SelfPlayConfig,
            {"search": "mctx", "reuse": True},
            "selfplay.search=mctx keeps no subtree: leave reuse out",
        ),
    ],
)
def test_settings_out_of_range_are_refused(make, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(**settings)


WEIGHED = {"rescale_values": False, "value_scale": 0.03}


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (
            gumbel(simulations=5, max_considered=3, gumbel_scale=0.5, max_children=2),
            TreeSearch(RULES, EVALUATOR, Gumbel(3, 0.5), 5, max_children=2),
        ),
        (gumbel(stop_decided=True), TreeSearch(RULES, EVALUATOR, Gumbel(), stop_decided=True)),
        (gumbel(**WEIGHED), TreeSearch(RULES, EVALUATOR, Gumbel(**WEIGHED))),
        (mctx(**WEIGHED), MctxGumbel(RULES, EVALUATOR, Gumbel(**WEIGHED))),
        (
            mctx(simulations=5, max_considered=3, gumbel_scale=0.5),
            MctxGumbel(RULES, EVALUATOR, Gumbel(3, 0.5), 5),
        ),
        (puct(stop_decided=True), TreeSearch(RULES, EVALUATOR, Puct(), stop_decided=True)),
        (
            puct(simulations=5, dirichlet_fraction=0.1, temperature=1.0, reuse=True),
            TreeSearch(RULES, EVALUATOR, Puct(0.1, 0.3, 1.0), 5, reuse=True),
        ),
    ],
)
def test_settings_reach_the_search(search, expected):
    assert search == expected


@pytest.mark.parametrize("rules", [ThreeNim(), Gamble(), HiddenCoin()])
def test_games_with_three_seats_chance_or_secrets_need_our_tree(rules):
    search = gumbel(rules, simulations=3)
    state = jax.vmap(rules.init)(jax.random.split(jax.random.key(0), 2))
    decision, _ = jax.eval_shape(search.act, (), search.reset(2), state, jax.random.key(0))
    assert decision.policy.shape == (2, rules.num_actions)
    assert decision.values.shape == (2, rules.num_players)
    if not isinstance(rules, HiddenCoin):
        with pytest.raises(ValueError, match=r"has 3 seats|cannot search Gamble: step draws"):
            mctx(rules)


# Matches are played without noise unless asked for.
@pytest.mark.parametrize(
    ("spec", "policy", "settings"),
    [
        ("puct", Puct(0.0), {}),
        ("gumbel", Gumbel(16, 0.0), {}),
        (
            "puct:dirichlet_fraction=0.5,dirichlet_alpha=0.2,temperature=0.1,c_init=2",
            Puct(0.5, 0.2, 0.1, c_init=2.0),
            {},
        ),
        ("gumbel:rescale_values=false,value_scale=0.03", Gumbel(16, 0.0, **WEIGHED), {}),
        (
            "puct:simulations=9,max_children=12,reuse=true",
            Puct(0.0),
            {"simulations": 9, "max_children": 12, "reuse": True},
        ),
        ("gumbel:reuse=true,max_children=none", Gumbel(16, 0.0), {"reuse": True}),
        ("gumbel:stop_decided=true", Gumbel(16, 0.0), {"stop_decided": True}),
        ("gumbel:engine=mctx,simulations=9,max_considered=4,max_children=12", Gumbel(4, 0.0), None),
    ],
)
def test_specs_name_both_searches_and_their_settings(onitama, spec, policy, settings):
    spec += ",evaluator=uniform" if ":" in spec else ":evaluator=uniform"
    # Without a prior, the order of actions is random.
    evaluator = Shuffled(onitama.rules, Uniform(onitama.rules), SLIGHT)
    expected = MctxGumbel(onitama.rules, evaluator, policy, 9, 12)
    if settings is not None:
        expected = TreeSearch(onitama.rules, evaluator, policy, **settings)
    assert registry.make(spec, onitama).agent == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gumbel:engine=alpha,evaluator=uniform", "gumbel:engine: unknown value 'alpha'"),
        ("gumbel:engine=mctx,evaluator=uniform,reuse=true", "mctx keeps no subtree"),
        (
            "gumbel:evaluator=uniform,max_children=0",
            "agent 'gumbel:evaluator=uniform,max_children=0' in onitama: max_children must be at "
            "least 1 or None, got 0",
        ),
        ("gumbel:evaluator=uniform,simulations=0", "simulations must be at least 1, got 0"),
        (
            "puct:evaluator=uniform,temperature=-1",
            "agent 'puct:evaluator=uniform,temperature=-1' in onitama: temperature must be 0 or at "
            "least 0.001, got -1",
        ),
        ("puct:evaluator=uniform,dirichlet_fraction=2", "dirichlet_fraction must be from 0 to 1"),
        ("puct:evaluator=uniform,engine=mctx", "puct: unknown field 'engine'"),
        ("puct", "a search needs a network, for instance"),
        ("puct:evaluator=uniform,network=a.npz", "evaluator=uniform reads no network"),
    ],
)
def test_specs_that_make_no_sense_are_refused(onitama, spec, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        registry.make(spec, onitama)


def test_self_play_searches_as_its_settings_say():
    common = {"simulations": 7, "max_children": 2}
    noise = {"dirichlet_fraction": 0.1, "dirichlet_alpha": 0.7}
    drawn = SelfPlayConfig(**common, search="puct", c_init=2.0, **noise, reuse=True)
    of_config = {
        SelfPlayConfig(**common, max_considered=3, gumbel_scale=0.5): TreeSearch(
            RULES, EVALUATOR, Gumbel(3, 0.5), 7, max_children=2
        ),
        drawn: TreeSearch(
            RULES, EVALUATOR, Puct(0.1, 0.7, c_init=2.0), 7, max_children=2, reuse=True
        ),
        drawn.for_matches(simulations=9): TreeSearch(
            RULES, EVALUATOR, Puct(0.0, 0.7, c_init=2.0), 9, max_children=2
        ),
        SelfPlayConfig(**common, search="mctx"): MctxGumbel(RULES, EVALUATOR, Gumbel(), 7, 2),
    }
    for config, expected in of_config.items():
        assert selfplay.make_search(RULES, EVALUATOR, config) == expected
