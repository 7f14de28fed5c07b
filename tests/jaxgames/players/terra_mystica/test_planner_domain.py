"""Conversions of Terra Mystica, as the evaluation and the planners see them."""

import itertools
import json

import jax
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
from tests.jaxgames.players.terra_mystica.test_score import RULES, TABLE, with_player

DOMAIN = planner_domain_of(jaxgames.make("terra_mystica"))
TRADES = [
    actions.encode(actions.Kind.CONVERT, trade)
    for trade in (actions.VP_TO_COIN, actions.COINS_TO_VP)
]


@jax.jit
def masks(game):
    """Returns the legal actions, those of a look-ahead, and those that learned values choose."""
    legal = DOMAIN.rules.legal_actions(game)
    return legal, DOMAIN.look_ahead(game), DOMAIN.choices(game, legal)


BY_ROUND = {name: np.asarray(values) for name, values in TABLE.items()}


def worths(faction: int, round_: int) -> np.ndarray:
    """Points that a coin, worker, priest, power and point count for a faction in a round."""
    of_one = [BY_ROUND[name][round_] for name in score.RESOURCES]
    of_one[0] *= score.USUAL_COINS_PER_VP / COLUMNS.final_coins_per_vp[faction]
    return np.array([*of_one, 1.0])


def test_no_conversion_and_its_way_back_both_look_good():
    gained, paid = CONVERSION_GAINS > 0, CONVERSION_PRICES > 0
    for faction, round_ in itertools.product(range(len(FACTIONS)), range(NUM_ROUNDS)):
        gains = (CONVERSION_GAINS - CONVERSION_PRICES) @ worths(faction, round_)
        for one, other in itertools.combinations(range(len(CONVERSIONS)), 2):
            if (gained[one] & paid[other]).any() and (gained[other] & paid[one]).any():
                names = FACTIONS[faction].name, round_, CONVERSIONS[one], CONVERSIONS[other]
                assert gains[one] <= 0 or gains[other] <= 0, names


@pytest.mark.parametrize("faction", ["alchemists", "engineers"])
def test_planners_leave_out_the_trades_of_alchemists_and_nothing_else(faction):
    position = with_player(0, faction=faction, c=6, D=[], TP=[])
    game = notation.text_to_state(RULES, json.dumps(position))
    legal, seen, _ = jax.device_get(masks(game))
    assert legal[TRADES].all() == (faction == "alchemists")
    assert not seen[TRADES].any()
    np.testing.assert_array_equal(np.delete(seen, TRADES), np.delete(legal, TRADES))


def test_learned_values_choose_no_conversion_after_the_action():
    position = with_player(0, faction="engineers", c=6, w=3)
    before = notation.text_to_state(RULES, json.dumps(position))
    after = before.replace(pending=before.pending.replace(actions=np.uint8(0)))
    is_conversion = actions.KIND_OF == actions.Kind.CONVERT
    legal, _, chosen = jax.device_get(masks(after))
    assert legal[is_conversion].any()
    assert chosen[actions.encode(actions.Kind.END)]
    np.testing.assert_array_equal(chosen, legal & ~is_conversion)
    assert np.asarray(masks(before)[2])[is_conversion].any()
