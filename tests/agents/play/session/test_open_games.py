"""Which games stay in memory, and that all threads use one object of each."""

import types

from agents.play.session import open_games
from agents.play.session.events import Events
from agents.play.session.open_games import OpenGames


class Session(types.SimpleNamespace):
    __hash__ = object.__hash__


def session(name):
    return Session(id=name, move_search=None, analysis=None)


def test_the_game_that_was_used_longest_ago_is_forgotten_unless_a_search_runs_in_it(monkeypatch):
    monkeypatch.setattr(open_games, "MOST_OPEN", 2)
    read = types.SimpleNamespace(load=session)
    games = OpenGames(read, Events())
    first = games.load("first")
    first.analysis = "runs"
    held = games.load("held")
    games.load("third")
    assert games.find("first") is first and not games.is_idle
    assert games.load("held") is held, "a second object of a game that a thread still uses"
    games.load("fourth")
    del held
    assert [name for name in ("first", "held", "third", "fourth") if name in games] == [
        "first",
        "fourth",
    ]
    first.analysis = None
    assert games.is_idle
    games.forget(first)
    assert "first" not in games and games.find("first") is None
