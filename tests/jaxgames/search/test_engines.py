"""Searches by name: what the settings mean."""

import jax
import pytest

import jaxgames
from configs.alphazero import SelfPlayConfig
from jaxgames.players import registry
from jaxgames.search.evaluators.uniform import SLIGHT, Shuffled, Uniform
from jaxgames.search.mctx_adapter import MctxGumbel
from jaxgames.search.tree.gumbel import Gumbel
from jaxgames.search.tree.puct import Puct
from jaxgames.search.tree.search import TreeSearch
from tests.gamble import Gamble
from tests.hidden_coin import HiddenCoin
from tests.jaxgames.players.test_refusals import gumbel, mctx, puct
from tests.three_nim import ThreeNim
from tests.turn_nim import TurnNim
from train import selfplay

RULES = TurnNim()
EVALUATOR = Uniform(RULES)


@pytest.fixture(scope="module")
def onitama():
    return jaxgames.make("onitama")


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
