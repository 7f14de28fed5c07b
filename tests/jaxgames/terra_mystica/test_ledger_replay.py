"""Ledgers that are played by the rules."""

import jax
import numpy as np
import pytest

from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.text import ledger
from jaxgames.terra_mystica.text.ledger_replay import replay

RULES = TerraMystica(factions="witches,giants")
FACTIONS = [list(RULES.fixed_factions or ())[seat] for seat in range(2)]
START = jax.jit(RULES.init)(jax.random.key(5))


@pytest.fixture(scope="module")
def game():
    """Decisions of a random game, as pairs of seat and action, and its last position."""
    step = jax.jit(RULES.step)
    look = jax.jit(lambda state: (RULES.to_move(state), RULES.legal_actions(state)))
    rng, state, moves = np.random.default_rng(0), START, []
    while not RULES.is_over(state):
        seat, legal = look(state)
        action = int(rng.choice(np.flatnonzero(legal)))
        moves.append((int(seat), action))
        state = step(state, np.int32(action))
    return moves, jax.device_get(state)


def test_a_game_that_was_written_is_played_again(game):
    moves, end = game
    played = replay(RULES, START, ledger.write(FACTIONS, moves))
    assert [decision[:2] for decision in played.decisions] == moves
    assert len(played.states) == len(moves) + 1
    jax.tree.map(np.testing.assert_array_equal, played.states[-1], end)


def test_the_first_command_that_is_not_legal_is_named(game):
    lines = ledger.write(FACTIONS, game[0])
    with pytest.raises(ValueError, match=r"line 3, .*is not legal; legal for the giants: build"):
        replay(RULES, START, [*lines[:2], "giants: build A1"])
    with pytest.raises(ValueError, match=r"line 2, .* is out of turn: the giants decide"):
        replay(RULES, START, [lines[0], lines[0]])
    extra = f"{lines[-1].partition(':')[0]}: end. send FIRE 3"
    with pytest.raises(ValueError, match="comes after the end of the game"):
        replay(RULES, START, [*lines, extra])
