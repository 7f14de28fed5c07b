"""Positions and actions of Terra Mystica as text, through whole games."""

import pytest

from jaxgames.terra_mystica.text import notation
from tests.jaxgames.states import same
from tests.jaxgames.terra_mystica.recorded import RULES, states_of


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
