"""Conversions of Terra Mystica, as the evaluation and the planners see them."""

import itertools
import json

import numpy as np
import pytest

import jaxgames
from jaxgames.players.knowledge import planner_domain_of
from jaxgames.players.terra_mystica import score
from jaxgames.terra_mystica.engine import actions
from jaxgames.terra_mystica.engine.actions import CONVERSION_GAINS, CONVERSION_PRICES, CONVERSIONS
from jaxgames.terra_mystica.tables.factions import COLUMNS, FACTIONS
from jaxgames.terra_mystica.tables.tiles import NUM_ROUNDS
from jaxgames.terra_mystica.text import notation
from tests.jaxgames.players.terra_mystica.test_score import RULES, with_player

DOMAIN = planner_domain_of(jaxgames.make("terra_mystica"))
TRADES = [
    actions.encode(actions.Kind.CONVERT, trade)
    for trade in (actions.VP_TO_COIN, actions.COINS_TO_VP)
]


def worths(faction: int, round_: int) -> np.ndarray:
    """Points that a coin, worker, priest, power and point count for a faction in a round."""
    by_round = {name: np.asarray(values) for name, values in score.by_round().items()}
    of_one = [by_round[name][round_] for name in score.RESOURCES]
    of_one[0] *= score.USUAL_COINS_PER_VP / COLUMNS.final_coins_per_vp[faction]
    return np.array([*of_one, 1.0])


@pytest.mark.parametrize("faction", range(len(FACTIONS)), ids=lambda number: FACTIONS[number].name)
@pytest.mark.parametrize("round_", range(NUM_ROUNDS))
def test_no_conversion_and_its_way_back_both_look_good(faction, round_):
    gains = (CONVERSION_GAINS - CONVERSION_PRICES) @ worths(faction, round_)
    for one, other in itertools.combinations(range(len(CONVERSIONS)), 2):
        there = CONVERSION_GAINS[one] > 0
        back = CONVERSION_PRICES[other] > 0
        closes = (CONVERSION_GAINS[other] > 0) & (CONVERSION_PRICES[one] > 0)
        if (there & back).any() and closes.any():
            assert gains[one] <= 0 or gains[other] <= 0, (CONVERSIONS[one], CONVERSIONS[other])


@pytest.mark.parametrize("faction", ["alchemists", "engineers"])
def test_planners_leave_out_the_trades_of_alchemists_and_nothing_else(faction):
    position = with_player(0, faction=faction, c=6, D=[], TP=[])
    game = notation.text_to_state(RULES, json.dumps(position))
    legal = np.asarray(DOMAIN.rules.legal_actions(game))
    seen = np.asarray(DOMAIN.look_ahead(game))
    assert legal[TRADES].all() == (faction == "alchemists")
    assert not seen[TRADES].any()
    np.testing.assert_array_equal(np.delete(seen, TRADES), np.delete(legal, TRADES))


def test_learned_values_choose_no_conversion_after_the_action():
    position = with_player(0, faction="engineers", c=6, w=3)
    before = notation.text_to_state(RULES, json.dumps(position))
    after = before.replace(pending=before.pending.replace(actions=np.uint8(0)))
    is_conversion = actions.KIND_OF == actions.Kind.CONVERT
    legal, chosen = (np.asarray(f(after)) for f in (DOMAIN.rules.legal_actions, DOMAIN.choices))
    assert legal[is_conversion].any()
    assert chosen[actions.encode(actions.Kind.END)]
    np.testing.assert_array_equal(chosen, legal & ~is_conversion)
    assert np.asarray(DOMAIN.choices(before))[is_conversion].any()
