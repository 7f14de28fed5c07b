"""Searches by name: what the settings mean, and which ones are refused."""

import re

import jax
import pytest

import jaxgames
from configs.alphazero import SelfPlayConfig
from jaxgames.players import registry
from jaxgames.search import factories
from jaxgames.search.evaluators.shuffled import SLIGHT, Shuffled
from jaxgames.search.evaluators.uniform import Uniform
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests.gamble import Gamble
from tests.hidden_coin import HiddenCoin
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim
from train import selfplay

RULES = TurnNim()
EVALUATOR = Uniform(RULES)


def tree_search(rules=RULES, **settings):
    return TreeSearch(rules, Uniform(rules), Puct(), **settings)


@pytest.fixture(scope="module")
def onitama():
    return jaxgames.make("onitama")


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        (tree_search, {"simulations": 0}, "simulations must be at least 1, got 0"),
        (tree_search, {"simulations": 2**24 + 1}, "simulations must be at most 16777216, got 1677"),
        (tree_search, {"determinizations": 0}, "determinizations must be at least 1, got 0"),
        (
            tree_search,
            {"determinizations": 99999999999},
            "determinizations must be at most 16777216, got 99999999",
        ),
        (tree_search, {"max_children": 0}, "max_children must be at least 1 or None, got 0"),
        (tree_search, {"max_active": -1}, "max_active must be at least 1 or None, got -1"),
        (tree_search, {"mode": "old"}, "mode must be auto, closed_loop or open_loop, got 'old'"),
        (
            tree_search,
            {"rules": Gamble(), "reuse": True},
            "reuse needs nodes that stand for states; Gamble has chance or hidden information: "
            "choose mode='closed_loop', or no reuse",
        ),
        (tree_search, {"rules": HiddenCoin(), "reuse": True}, "HiddenCoin has chance or hidden"),
        (
            tree_search,
            {"mode": "open_loop", "reuse": True},
            "reuse needs nodes that stand for stat",
        ),
        (Gumbel, {"max_considered": 0}, "max_considered must be at least 1, got 0"),
        (Gumbel, {"gumbel_scale": -1.0}, "gumbel_scale must be at least 0, got -1.0"),
        (Gumbel, {"gumbel_scale": float("nan")}, "gumbel_scale must be at least 0, got nan"),
        (Gumbel, {"value_scale": -0.1}, "value_scale must be at least 0, got -0.1"),
        (Gumbel, {"visit_offset": float("inf")}, "visit_offset must be finite, got inf"),
        (Puct, {"dirichlet_fraction": 1.5}, "dirichlet_fraction must be from 0 to 1, got 1.5"),
        (Puct, {"dirichlet_fraction": float("nan")}, "dirichlet_fraction must be from 0 to 1"),
        (Puct, {"dirichlet_alpha": 0.0}, "dirichlet_alpha must be greater than 0, got 0.0"),
        (Puct, {"c_base": 0.0}, "c_base must be greater than 0, got 0.0"),
        (Puct, {"c_init": -1.0}, "c_init must be at least 0, got -1.0"),
        (Puct, {"temperature": -1.0}, "temperature must be 0 or at least 0.001, got -1.0"),
        (Puct, {"temperature": 1e-40}, "temperature must be 0 or at least 0.001, got 1e-40"),
    ],
)
def test_settings_out_of_range_are_refused(make, settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"engine": "alpha"}, "engine must be tree or mctx, got 'alpha'"),
        ({"engine": "mctx", "reuse": True}, "mctx keeps no subtree: choose engine=tree, or reuse="),
        (
            {"engine": "mctx", "stop_decided": True},
            "mctx makes all simulations: choose engine=tree",
        ),
        ({"engine": "mctx", "simulations": 0}, "simulations must be at least 1, got 0"),
        ({"engine": "mctx", "simulations": 2**31}, "simulations must be at most 16777216, got 21"),
        ({"engine": "mctx", "max_considered": 0}, "max_considered must be at least 1, got 0"),
        ({"engine": "mctx", "gumbel_scale": -1.0}, "gumbel_scale must be at least 0, got -1.0"),
        ({"engine": "mctx", "value_scale": -0.1}, "value_scale must be at least 0, got -0.1"),
        ({"engine": "mctx", "max_children": 0}, "max_children must be at least 1 or None, got 0"),
        ({"simulations": 0}, "simulations must be at least 1, got 0"),
        ({"max_children": -3}, "max_children must be at least 1 or None, got -3"),
        ({"max_considered": 0}, "max_considered must be at least 1, got 0"),
        ({"value_scale": -0.1}, "value_scale must be at least 0, got -0.1"),
    ],
)
def test_gumbel_search_refuses_what_its_engine_cannot_do(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        factories.gumbel_search(RULES, EVALUATOR, **settings)


def test_puct_search_passes_on_what_its_parts_refuse():
    with pytest.raises(ValueError, match="dirichlet_alpha must be greater than 0, got -1"):
        factories.puct_search(RULES, EVALUATOR, dirichlet_alpha=-1.0)
    with pytest.raises(ValueError, match="max_children must be at least 1 or None, got 0"):
        factories.puct_search(RULES, EVALUATOR, max_children=0)


def test_settings_reach_the_search():
    assert factories.gumbel_search(
        RULES, EVALUATOR, simulations=5, max_considered=3, gumbel_scale=0.5, max_children=2
    ) == TreeSearch(RULES, EVALUATOR, Gumbel(3, 0.5), 5, max_children=2)
    assert factories.gumbel_search(RULES, EVALUATOR, stop_decided=True) == TreeSearch(
        RULES, EVALUATOR, Gumbel(), stop_decided=True
    )
    assert factories.puct_search(RULES, EVALUATOR, stop_decided=True) == TreeSearch(
        RULES, EVALUATOR, Puct(), stop_decided=True
    )
    weighed = {"rescale_values": False, "value_scale": 0.03}
    assert factories.gumbel_search(RULES, EVALUATOR, **weighed) == TreeSearch(
        RULES, EVALUATOR, Gumbel(value_scale=0.03, rescale_values=False)
    )
    assert factories.gumbel_search(RULES, EVALUATOR, engine="mctx", **weighed) == MctxGumbel(
        RULES, EVALUATOR, rescale_values=False, value_scale=0.03
    )
    assert factories.gumbel_search(
        RULES, EVALUATOR, engine="mctx", simulations=5, max_considered=3, gumbel_scale=0.5
    ) == MctxGumbel(RULES, EVALUATOR, 5, 3, 0.5, None)
    assert factories.puct_search(
        RULES, EVALUATOR, simulations=5, dirichlet_fraction=0.1, temperature=1.0, reuse=True
    ) == TreeSearch(RULES, EVALUATOR, Puct(0.1, 0.3, 1.0), 5, reuse=True)


@pytest.mark.parametrize("rules", [ThreeNim(), Gamble(), HiddenCoin()])
def test_games_with_three_seats_chance_or_secrets_need_our_tree(rules):
    search = factories.gumbel_search(rules, Uniform(rules), simulations=3)
    state = jax.vmap(rules.init)(jax.random.split(jax.random.key(0), 2))
    decision, _ = jax.eval_shape(search.act, (), search.reset(2), state, jax.random.key(0))
    assert decision.policy.shape == (2, rules.num_actions)
    assert decision.values.shape == (2, rules.num_players)
    if not isinstance(rules, HiddenCoin):
        with pytest.raises(ValueError, match=r"has 3 seats|cannot search Gamble: step draws"):
            factories.gumbel_search(rules, Uniform(rules), engine="mctx")


def test_specs_name_both_searches_and_their_settings(onitama):
    spec = "puct:evaluator=uniform,simulations=9,dirichlet_fraction=0.5,dirichlet_alpha=0.2"
    search = registry.make(
        spec + ",temperature=0.1,c_init=2,max_children=12,reuse=true", onitama
    ).agent
    assert search.policy == Puct(0.5, 0.2, 0.1, c_init=2.0)
    assert (search.simulations, search.max_children, search.reuse) == (9, 12, True)
    # Matches are played without noise unless asked for.
    assert registry.make("puct:evaluator=uniform", onitama).agent.policy == Puct(0.0)
    assert registry.make("gumbel:evaluator=uniform", onitama).agent.policy == Gumbel(16, 0.0)
    spec = "gumbel:evaluator=uniform,rescale_values=false,value_scale=0.03"
    policy = Gumbel(16, 0.0, value_scale=0.03, rescale_values=False)
    assert registry.make(spec, onitama).agent.policy == policy
    spec = "gumbel:engine=mctx,evaluator=uniform,simulations=9,max_considered=4,max_children=12"
    # Without a prior, the order of actions is random.
    evaluator = Shuffled(onitama.rules, Uniform(onitama.rules), SLIGHT)
    assert registry.make(spec, onitama).agent == MctxGumbel(onitama.rules, evaluator, 9, 4, 0.0, 12)
    kept = registry.make("gumbel:evaluator=uniform,reuse=true,max_children=none", onitama).agent
    assert kept.reuse and kept.max_children is None
    for name in ("gumbel", "puct"):
        assert not registry.make(f"{name}:evaluator=uniform", onitama).agent.stop_decided
        assert registry.make(
            f"{name}:evaluator=uniform,stop_decided=true", onitama
        ).agent.stop_decided


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gumbel:engine=alpha,evaluator=uniform", "gumbel:engine: unknown value 'alpha'"),
        ("gumbel:engine=mctx,evaluator=uniform,reuse=true", "mctx keeps no subtree"),
        (
            "gumbel:evaluator=uniform,max_children=0",
            "max_children must be at least 1 or None, got 0",
        ),
        ("gumbel:evaluator=uniform,simulations=0", "simulations must be at least 1, got 0"),
        (
            "puct:evaluator=uniform,temperature=-1",
            "temperature must be 0 or at least 0.001, got -1",
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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"search": "alpha"},
            "selfplay.search: unknown value 'alpha'; available: gumbel, puct, mctx",
        ),
        ({"max_children": 0}, "selfplay.max_children must be at least 1, got 0"),
        ({"dirichlet_fraction": 1.1}, "selfplay.dirichlet_fraction must be from 0.0 to 1.0, got"),
        ({"dirichlet_alpha": 0.0}, "selfplay.dirichlet_alpha must be greater than 0, got 0.0"),
        (
            {"search": "mctx", "reuse_subtree": True},
            "selfplay.search=mctx keeps no subtree: leave reuse_subtree out",
        ),
    ],
)
def test_self_play_refuses_settings_out_of_range(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SelfPlayConfig(**settings)


def test_self_play_searches_as_its_settings_say():
    common = {"simulations": 7, "max_children": 2}
    config = SelfPlayConfig(**common, max_considered_actions=3, gumbel_scale=0.5)
    assert selfplay.make_search(RULES, EVALUATOR, config) == TreeSearch(
        RULES, EVALUATOR, Gumbel(3, 0.5), 7, max_children=2
    )
    noise = {"dirichlet_fraction": 0.1, "dirichlet_alpha": 0.7}
    config = SelfPlayConfig(**common, search="puct", c_init=2.0, **noise, reuse_subtree=True)
    assert selfplay.make_search(RULES, EVALUATOR, config) == TreeSearch(
        RULES, EVALUATOR, Puct(0.1, 0.7, c_init=2.0), 7, max_children=2, reuse=True
    )
    quiet = config.for_matches(simulations=9)
    assert selfplay.make_search(RULES, EVALUATOR, quiet) == TreeSearch(
        RULES, EVALUATOR, Puct(0.0, 0.7, c_init=2.0), 9, max_children=2
    )
    config = SelfPlayConfig(**common, search="mctx")
    assert selfplay.make_search(RULES, EVALUATOR, config) == MctxGumbel(
        RULES, EVALUATOR, 7, 16, 1.0, 2
    )
