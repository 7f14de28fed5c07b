import re

import pytest

import jaxgames
from jaxgames import registry


@pytest.fixture
def nim(monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))
    jaxgames.register("nim", "tests.conformance.games:Nim")


def test_ids_are_listed_in_order():
    games = ("murus_gallicus", "onitama", "onitama_report", "terra_mystica")
    assert jaxgames.available() == (*games, "terra_mystica_alphatm", "tribes")


def test_every_game_has_a_line_about_it():
    lines = jaxgames.summaries()
    assert tuple(lines) == jaxgames.available()
    assert all(20 < len(line) < 100 and "\n" not in line for line in lines.values())


@pytest.mark.usefixtures("nim")
def test_registered_game_of_another_package_is_made():
    assert "nim" in jaxgames.available()
    env = jaxgames.make("nim")
    assert (env.id, env.num_actions, env.version) == ("nim", 9, "1")


def test_version_may_be_given():
    assert jaxgames.make("onitama-v1").id == "onitama"


def test_options_reach_the_rules():
    assert jaxgames.make("onitama", deck="all", max_plies=10).rules.max_plies == 10


@pytest.mark.parametrize(
    ("env_id", "options", "message"),
    [
        (
            "onitma",
            {},
            "unknown environment 'onitma'.*available: .*onitama.*did you mean 'onitama'",
        ),
        ("", {}, "unknown environment ''; available: murus_gallicus, onitama, onitama_report"),
        ("go", {}, "unknown environment 'go'"),
        (7, {}, "environment id must be a string, got 7"),
        ("onitama-v9", {}, "onitama has version 1, not 9"),
        ("onitama", {"dek": "all"}, "unknown option 'dek'.*did you mean 'deck'"),
        ("onitama", {"num_players": 3}, "unknown option 'num_players'"),
        ("onitama", {"deck": "bse"}, "unknown deck 'bse'; available: base, expansion, all"),
        ("onitama", {"deck": ("boar", "crab")}, "a deck has at least 5 different cards"),
        ("onitama", {"deck": ("tigre", "ox", "boar", "crab", "eel")}, "did you mean 'tiger'"),
        ("onitama", {"deal": "ox,boar|crab,eel"}, "cards must read"),
        ("onitama", {"deal": "ox,boar|crab,eel|bear"}, "card 'bear' is not in the deck"),
        ("onitama", {"max_plies": 256}, "max_plies must be an integer from 1 to 255, got 256"),
    ],
)
def test_bad_arguments_are_named_with_what_is_allowed(env_id, options, message):
    with pytest.raises(ValueError, match=message):
        jaxgames.make(env_id, **options)


@pytest.mark.parametrize(
    ("env_id", "rules", "message"),
    [
        ("onitama", "a.b:C", "'onitama' is already registered"),
        ("My-Game", "a.b:C", "environment id 'My-Game': use lower-case letters"),
        ("mine", "a.b", "'a.b' is not an import path like 'package.module:Class'"),
    ],
)
def test_bad_registrations_are_refused(env_id, rules, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        jaxgames.register(env_id, rules)


def test_registered_path_that_leads_nowhere_is_named(monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))
    jaxgames.register("lost_game", "no_such_module:Rules")
    with pytest.raises(ValueError, match="there is no 'no_such_module:Rules'"):
        jaxgames.make("lost_game")
