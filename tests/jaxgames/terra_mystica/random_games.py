"""Random games, as decisions. Shared by the tests of ledgers."""

from typing import NamedTuple

import numpy as np

from jaxgames.terra_mystica.engine.actions import Kind, decode
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import Phase, TerraMysticaState
from jaxgames.terra_mystica.text.ledger_replay import Referee

MOST_PASSES = 0.1  # share of the choices in which passing counts: games are longer


class RandomGame(NamedTuple):
    """A game from its start to its end."""

    states: list[TerraMysticaState]
    """Before each decision, and after the last."""
    moves: list[tuple[int, int]]
    """Seat and action of each decision."""


def play(rules: TerraMystica, start: TerraMysticaState, seed: int) -> RandomGame:
    """Returns a game of random legal actions."""
    referee, rng = Referee(rules), np.random.default_rng(seed)
    position = referee.look(start)
    states, moves = [position.state], []
    while position.state.phase != Phase.OVER:
        choices = np.flatnonzero(position.legal)
        others = [c for c in choices if decode(int(c))[0] is not Kind.PASS]
        if others and rng.random() > MOST_PASSES:
            choices = np.array(others)
        action = int(rng.choice(choices))
        moves.append((position.seat, action))
        position = referee.step(position.state, action)
        states.append(position.state)
    return RandomGame(states, moves)
