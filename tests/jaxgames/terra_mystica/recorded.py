"""Positions of recorded games. Shared by the tests of the notation."""

import functools

import jax
import numpy as np

from benchmarks.golden.core.records import read_records
from benchmarks.golden.terra_mystica.recorded_game import faction_numbers, read_game
from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, SCORING_NAMES
from tests.locations import GOLDEN

RULES = TerraMystica(auto_end=False)
step = jax.jit(RULES.step)


@functools.cache
def states_of(name: str) -> list:
    """Returns the states of a recorded game before each decision, and the last one."""
    path = GOLDEN / "terra_mystica" / "selfplay_2p_all_factions.jsonl.gz"
    record = next(record for record in read_records(path, {}) if record["id"] == name)
    scoring = [SCORING_NAMES.index(tile) for tile in record["score"]]
    cards = [CARD_NAMES.index(card) for card in record["cards"]]
    states = [jax.device_get(setup.start(2, faction_numbers(record), scoring, cards))]
    for decision in read_game(record).decisions:
        states.append(jax.device_get(step(states[-1], np.int32(decision.action))))
    return states
