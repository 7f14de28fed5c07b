"""Examples of the rules: how turns end with and without conversions after the action."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from jaxgames.terra_mystica.engine import decoded_action, setup, turns
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Options, Phase
from jaxgames.terra_mystica.text.commands import ACTIONS
from tests.jaxgames.terra_mystica.positions import MAIN, position, seat

SHORT = dataclasses.replace(MAIN, post_conversions=False).options


@functools.partial(jax.jit, static_argnums=3)
def _proceed(state, action, decision, options: Options):
    """What follows from an action by itself."""
    return turns.proceed(state, decoded_action.decode_action(action, decision), options)[0]


def after(game, text: str, decision: Due, options: Options):
    """Returns seat and phase after an action whose effect is in the position already."""
    state = _proceed(game.state, np.int32(ACTIONS[text]), np.int32(decision), options)
    return int(state.seat), Phase(int(state.phase))


def test_without_later_conversions_a_turn_ends_with_its_action():
    game = position(seat("witches", D="C3")).play("send FIRE 1")
    assert game.decision == Due.DONE
    assert after(game, "send FIRE 1", Due.ACTION, SHORT) == (1, Phase.ACTIONS)
    assert after(game, "send FIRE 1", Due.ACTION, MAIN.options) == (0, Phase.ACTIONS)


def test_without_later_conversions_open_choices_come_first():
    game = position(seat("witches", TP="C3")).play("upgrade C3 to TE")
    assert after(game, "upgrade C3 to TE", Due.ACTION, SHORT) == (0, Phase.ACTIONS)
    game = game.play("+1 FAV9")
    assert after(game, "+1 FAV9", Due.TILE, SHORT) == (1, Phase.ACTIONS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, "num_players must be 2 to 5, got 1"),
        ({"num_players": 6}, "num_players must be 2 to 5, got 6"),
        ({"num_players": 2.5}, "num_players must be 2 to 5, got 2.5"),
        ({"num_players": "2"}, "num_players must be 2 to 5, got '2'"),
        ({"post_conversions": "false"}, "post_conversions must be True or False, got 'false'"),
        ({"bon10": 2}, "bon10 must be True or False, got 2"),
        ({"factions": ("witches", "giants")}, r"factions must be 'random', .*got \('witches'"),
        ({"factions": "witchs,giants"}, "did you mean 'witches'?"),
        ({"turn_order": "reverse"}, "turn_order must be 'clockwise' or 'passing', got 'reverse'"),
        ({"factions": "witches"}, "expected a faction for each of 2 seats, got 1"),
        ({"factions": "witches,auren"}, "witches and auren have the same colour"),
        ({"factions": "witches,witches"}, "witches and witches have the same colour"),
        ({"factions": "witches,orcs"}, "unknown faction 'orcs'; available: alchemists, auren"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TerraMystica(**options)


def test_scoring_tiles_and_cards_are_drawn_by_the_rules():
    rules = TerraMystica(num_players=4, score9=True, bon10=True)
    states = jax.device_get(jax.jit(jax.vmap(rules.init))(jax.random.split(jax.random.key(3), 500)))
    scoring, cards = states.supply.scoring, states.supply.cards
    assert all(len(set(row)) == 6 for row in scoring.tolist())
    # SCORE1 may lie in rounds 1 to 4, with equal chance; each lies in a seventh of the games.
    place = (scoring == 0).sum(axis=0)
    assert (place[:4] > 40).all() and (place[4:] == 0).all()
    assert set(np.unique(scoring)) == set(range(9))
    counts = ((cards[:, None] >> np.arange(10, dtype=np.uint16)) & 1).sum(axis=0)
    assert counts.sum() == 500 * 7 and (counts > 300).all()
    colours = states.players.faction
    assert len(np.unique(colours)) == 14


def test_given_scoring_tiles_and_cards_are_checked():
    good = {"players": 2, "factions": [0, 1], "scoring": [0, 1, 2, 3, 4, 5], "cards": range(5)}
    assert setup.start(**good).order.shape == (2,)
    for change, message in (
        ({"scoring": [1, 2, 3, 4, 0, 5]}, "SCORE1 must not be in the last two rounds"),
        ({"scoring": [1, 2, 3, 4, 5, 5]}, "expected 6 different scoring tiles"),
        ({"scoring": [1, 2, 3, 4, 5, 8]}, "scoring tiles are 0 to 7"),
        ({"cards": range(4)}, "expected 5 different bonus cards for 2 players"),
        ({"cards": [0, 1, 2, 3, 9]}, "bonus cards are 0 to 8"),
        ({"factions": [0, 4]}, "alchemists and darklings have the same colour"),
        ({"factions": [0, 14]}, "factions are numbers from 0 to 13, got 14"),
        ({"players": 6}, "players must be 2 to 5, got 6"),
        ({"scoring": [0, 1, 2, 3, 4, 5.5]}, "scoring tiles must be a sequence of whole"),
        ({"scoring": None}, "scoring tiles must be a sequence of whole numbers, got None"),
        ({"factions": 6}, "factions must be a sequence of whole numbers, got 6"),
    ):
        with pytest.raises(ValueError, match=message):
            setup.start(**good | change)
