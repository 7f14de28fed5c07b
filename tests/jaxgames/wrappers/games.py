"""The games that tests of wrappers run on: Onitama always, all games in the slow tests."""

import pytest

import jaxgames

EVERY_GAME = [
    pytest.param(env_id, marks=() if env_id == "onitama" else pytest.mark.slow)
    for env_id in jaxgames.available()
]
EVERY_GAME_SLOWLY = [
    pytest.param(env_id, marks=pytest.mark.slow) for env_id in jaxgames.available()
]
