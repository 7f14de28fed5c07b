"""The command that compiles ahead: what it compiles, in which order, and what it says."""

import sys

import pytest

import jaxgames
from agents.warm import __main__, program
from configs.warm import WarmConfig
from jaxgames.players import registry


def status():
    """Returns the status with which the command ends."""
    try:
        return __main__.main()
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize("game", ["onitama", "murus_gallicus", "terra_mystica", "tribes"])
def test_the_page_comes_first_and_every_player_exists(game):
    env = jaxgames.make(game)
    names = [step.name for step in program.steps(env)]
    assert names[:2] == ["the board", "the moves"]
    assert names[-3:] == ["reviews", "the analysis of best", "best in programs"]
    players = [name.removeprefix("the player ") for name in names[2:-3]]
    assert "best" in players
    assert len(set(players)) == len(players)
    for spec in players:
        registry.make(spec, env)


def test_each_step_is_told(monkeypatch, capsys):
    begun = []
    kinds = [program.WarmStep(name, lambda name=name: begun.append(name)) for name in "ab"]
    monkeypatch.setattr(program, "steps", lambda env: iter(kinds))
    monkeypatch.setattr(sys, "argv", ["warm", "--games", "onitama", "tribes"])
    assert __main__.main() == 0
    assert begun == ["a", "b", "a", "b"]
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition(",")[0] for line in lines] == [
        *("1/2 Onitama: a", "1/2 Onitama: b", "2/2 Tribes: a", "2/2 Tribes: b")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--games", "onitma"], "did you mean 'onitama'"), (["--env-options=deck=all"], "one game")],
)
def test_mistakes_are_told_before_any_work(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["warm", *arguments])
    assert status() == 2
    assert message in capsys.readouterr().err


def test_without_games_all_of_the_library_are_prepared(monkeypatch):
    found = []
    monkeypatch.setattr(program, "steps", lambda env: found.append(env.id) or iter(()))
    program.run(WarmConfig())
    assert {"onitama", "murus_gallicus", "terra_mystica", "tribes"} <= set(found)
