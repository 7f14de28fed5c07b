"""Positions and actions of Terra Mystica as text, through whole games."""

import functools

import jax
import numpy as np
import pytest

from benchmarks.golden.core.records import read_records
from benchmarks.golden.terra_mystica.recorded_game import faction_numbers, read_game
from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.engine.actions import Kind, encode
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, SCORING_NAMES
from jaxgames.terra_mystica.text import notation
from tests.locations import GOLDEN

COMMITTED = GOLDEN / "terra_mystica"
RULES = TerraMystica(auto_end=False)
step = jax.jit(RULES.step)


@functools.cache
def states_of(name: str) -> list:
    """Returns the states of a recorded game before each decision, and the last one."""
    records = read_records(COMMITTED / "selfplay_2p_all_factions.jsonl.gz", {})
    record = next(record for record in records if record["id"] == name)
    scoring = [SCORING_NAMES.index(tile) for tile in record["score"]]
    cards = [CARD_NAMES.index(card) for card in record["cards"]]
    states = [jax.device_get(setup.start(2, faction_numbers(record), scoring, cards))]
    for decision in read_game(record).decisions:
        states.append(jax.device_get(step(states[-1], np.int32(decision.action))))
    return states


def same(left, right) -> bool:
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True)
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)


@pytest.mark.parametrize("name", ["p2_1250", "p2_1109"])
def test_every_position_of_a_game_is_read_back_as_it_was(name):
    for state in states_of(name):
        assert same(notation.text_to_state(RULES, notation.state_to_text(RULES, state)), state)


def test_every_legal_action_has_a_command_of_its_own():
    for state in states_of("p2_1109")[:-1:4]:
        commands = notation.playable_moves(RULES, state)
        assert len(set(commands.values())) == len(commands)
        for action, text in commands.items():
            assert notation.text_to_action(RULES, state, text) == action
            assert notation.action_to_text(RULES, state, action) == text


def start():
    return states_of("p2_1109")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("biuld E7", "move 'biuld E7' is not of the form build E7 or upgrade D3 to TP; did you"),
        ("build A1", "move 'build A1' is not legal here; did you mean 'build A"),
        ("send FIRE 3", "move 'send FIRE 3' is not legal here[.] Legal moves: build A"),
        ("+1 FAV11", "move '\\+1 FAV11' is not legal here"),
    ],
)
def test_a_bad_command_is_refused_with_the_nearest_legal_one(text, message):
    with pytest.raises(ValueError, match=message):
        notation.text_to_action(RULES, start(), text)


def test_an_illegal_action_number_has_no_text():
    action = encode(Kind.END)
    with pytest.raises(ValueError, match=f"action {action} is not legal here; legal actions: 5"):
        notation.action_to_text(RULES, start(), action)


def test_no_action_is_legal_after_the_end():
    with pytest.raises(ValueError, match=r"the game is over, no .*\"phase\":\"over\""):
        notation.text_to_action(RULES, states_of("p2_1109")[-1], "end")


def test_a_batch_is_refused():
    batch = jax.tree.map(lambda leaf: np.stack([leaf, leaf]), start())
    with pytest.raises(ValueError, match=r"got a batch of shape \(2,\)"):
        notation.action_to_text(RULES, batch, 0)
