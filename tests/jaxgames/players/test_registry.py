import subprocess
import sys

import pytest

import jaxgames
from jaxgames.players import registry
from jaxgames.search.minimax import Minimax


def test_player_carries_the_spec_as_its_name():
    player = registry.make(" minimax:depth=3 ", jaxgames.make("onitama"))
    assert player.name == "minimax:depth=3"
    assert isinstance(player.agent, Minimax)
    assert player.agent.depth == 3
    assert player.params == ()


def test_both_encodings_of_onitama_have_a_heuristic():
    for name in ("onitama", "onitama_report"):
        env = jaxgames.make(name)
        assert registry.make("minimax", env).agent.rules == env.rules


def test_every_listed_agent_can_be_named():
    assert {"first_legal", "minimax", "random"} <= set(registry.available())
    assert list(registry.available()) == sorted(registry.available())


def test_agents_of_other_packages_can_be_registered(monkeypatch):
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))
    registry.register("mine", "jaxgames.players.basic:make_random")
    assert registry.make("mine", jaxgames.make("onitama")).name == "mine"
    with pytest.raises(ValueError, match="'mine' is already registered"):
        registry.register("mine", "jaxgames.players.basic:make_random")
    with pytest.raises(ValueError, match="import path"):
        registry.register("other", "jaxgames.players.basic")
    with pytest.raises(ValueError, match="lower-case"):
        registry.register("Other", "jaxgames.players.basic:make_random")


def test_options_of_a_game_are_read_from_text():
    assert registry.make_env("onitama").rules == jaxgames.make("onitama").rules
    env = registry.make_env("onitama", "deal=ox,boar|horse,elephant|crab,max_plies=20")
    expected = jaxgames.make("onitama", deal="ox,boar|horse,elephant|crab", max_plies=20)
    assert env.rules == expected.rules
    with pytest.raises(ValueError, match=r"unknown field 'dek'; .*did you mean 'deck'"):
        registry.make_env("onitama", "dek=all")


def test_listing_agents_imports_none_of_them():
    code = (
        "import sys; from jaxgames.players import registry; registry.available(); "
        "assert not {'jaxgames.players.basic', 'jaxgames.search.minimax', 'mctx', 'jax'} "
        "& set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
