"""A person in the arena and at the clock."""

import jax
import numpy as np
import pytest

import jaxgames
from agents.arena import games, hosted
from agents.clock import players
from agents.clock.human import ClockedHuman
from agents.clock.match import BY_RULES, BY_TIME, play
from agents.terminal.console import Left
from jaxgames import records
from jaxgames.matches.match import match
from jaxgames.players import registry
from tests.agents.terminal.consoles import Scripted

ENV = jaxgames.make("onitama", max_plies=4, deal="boar,ox|elephant,horse|crab")


@pytest.fixture
def scripted(monkeypatch):
    """Answers with the first legal move."""
    console = Scripted()
    asked = []

    def ask_move(env, state, console, name, commands=None, note=""):
        asked.append((name, env.state_to_text(state), note))
        return next(iter(env.legal_moves(state)))

    monkeypatch.setattr("agents.terminal.host_player.ask_move", ask_move)
    monkeypatch.setattr("agents.terminal.asking.ask_move", ask_move)
    monkeypatch.setattr(hosted, "Console", lambda: console)
    return console, asked


def test_a_person_meets_an_agent_in_every_seat(scripted):
    console, asked = scripted
    pair = [registry.make("human:name=Ann", ENV), registry.make("first_legal", ENV)]
    result = hosted.match(ENV, pair, jax.random.key(0), 4, opening_plies=1, record=True)
    assert result.plies.tolist() == [4] * 4
    assert result.returns.tolist() == [[0, 0]] * 4
    assert len(asked) == 6 and {name for name, *_ in asked} == {"Ann"}
    assert "game 4 of 4: first_legal v Ann" in console.text
    for game in games.describe(ENV, 0, ("human:name=Ann", "first_legal"), result, {}):
        records.check(game)


def test_a_match_with_a_person_is_the_match_of_the_agent_that_plays_as_the_person(scripted):
    agent = registry.make("first_legal", ENV)
    person = registry.make("human", ENV)
    batch = match(ENV, [agent, agent], jax.random.key(3), 2, opening_plies=2, record=True)
    host = hosted.match(ENV, [person, agent], jax.random.key(3), 2, opening_plies=2, record=True)
    np.testing.assert_array_equal(batch.record.actions, host.record.actions)
    np.testing.assert_array_equal(batch.action_hashes, host.action_hashes)
    np.testing.assert_array_equal(batch.returns, host.returns)
    np.testing.assert_array_equal(batch.seats, host.seats)


def test_a_person_who_leaves_ends_the_match(monkeypatch):
    monkeypatch.setattr(hosted, "Console", lambda: Scripted("quit"))
    pair = [registry.make("human", ENV), registry.make("first_legal", ENV)]
    with pytest.raises(Left):
        hosted.match(ENV, pair, jax.random.key(0), 2)


def test_a_match_in_a_batch_refuses_a_person():
    pair = [registry.make("human", ENV), registry.make("first_legal", ENV)]
    with pytest.raises(ValueError, match=r"play with python -m agents\.arena"):
        match(ENV, pair, jax.random.key(0), 2)


def test_a_person_cannot_decide_in_a_batch():
    agent = registry.make("human", ENV).agent
    with pytest.raises(ValueError, match="a human decides at the terminal, not in a batch"):
        agent.act((), (), None, jax.random.key(0))


def test_a_person_has_a_clock(scripted):
    _, asked = scripted
    now = iter(range(1000))
    person, opponent = ClockedHuman(ENV, "Ann", scripted[0]), players.make("human", ENV, None)
    game = play(ENV, [person, opponent], 100.0, lambda: next(now))
    assert game.ended_by == BY_RULES and len(game.moves) == 4
    assert [(name, note) for name, _, note in asked] == [
        ("human", "100 seconds left"),  # Blue begins: its colour is on the side card
        ("Ann", "100 seconds left"),
        ("human", "99 seconds left"),
        ("Ann", "99 seconds left"),
    ]
    slow = play(ENV, [person, opponent], 0.5, lambda: next(now))
    assert slow.ended_by == BY_TIME and len(slow.moves) == 1


def test_a_clocked_person_is_made_by_its_spec():
    assert players.make("human:name=Ann", ENV, None).name == "Ann"
    with pytest.raises(ValueError, match="unknown field 'nam'"):
        players.make("human:nam=Ann", ENV, None)
