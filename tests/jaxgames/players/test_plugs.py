"""The table of plugs, and the players that plugs name."""

import re
import subprocess
import sys

import pytest

import jaxgames
import jaxgames.players.registry
from jaxgames.internal import imports
from jaxgames.players import plugs
from jaxgames.players.plugs import GameAgents

HERE = "tests.jaxgames.players.test_plugs"
EMPTY = GameAgents()
WITH_PLAYER = GameAgents(players={"lowest": "jaxgames.players.basic:make_first_legal"})
WITH_TAKEN_NAME = GameAgents(players={"minimax": "jaxgames.players.basic:make_first_legal"})
NOT_A_PLUG = {"score": "nowhere:score"}


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    monkeypatch.setattr(plugs, "_PLUGS", dict(plugs._PLUGS))
    monkeypatch.setattr(plugs, "_loaded", {})


def test_every_game_of_the_project_has_a_plug():
    assert set(plugs.games()) == set(jaxgames.available())


def test_every_path_of_every_plug_leads_to_something():
    texts = {
        "afterstates", "do_nothing", "endgames", "integer_score", "planner_domain", "rule_based",
        "score", "solved", "tactics",
    }  # fmt: skip
    for game in plugs.games():
        plug = plugs.game_agents(game)
        paths = [getattr(plug, name) for name in sorted(texts) if getattr(plug, name)]
        for path in [*paths, *plug.players.values()]:
            assert imports.load(path) is not None


def test_a_game_without_a_plug_has_an_empty_one():
    assert plugs.game_agents("chess") == EMPTY


def test_a_player_of_another_package_is_listed_and_made():
    plugs.register("nim", f"{HERE}:WITH_PLAYER")
    assert plugs.games_with("players") == ("murus_gallicus", "nim")
    assert "lowest" in jaxgames.players.registry.available()
    assert jaxgames.players.registry.make("lowest", jaxgames.make("onitama")).name == "lowest"


def test_a_plug_cannot_change_the_players_of_other_games():
    plugs.register("nim", f"{HERE}:WITH_TAKEN_NAME")
    with pytest.raises(ValueError, match="nim: the player 'minimax' exists already"):
        jaxgames.players.registry.make("minimax", jaxgames.make("onitama"))


def test_a_variant_may_share_the_players_of_its_game():
    plugs.register("small_murus", "jaxgames.players.murus_gallicus:AGENTS")
    assert "ms1" in jaxgames.players.registry.available()


def test_bad_plugs_are_refused():
    with pytest.raises(ValueError, match=r"'onitama' already has a plug: jaxgames\.players"):
        plugs.register("onitama", f"{HERE}:EMPTY")
    with pytest.raises(ValueError, match="'my_package' is not an import path like 'package"):
        plugs.register("nim", "my_package")
    plugs.register("nim", f"{HERE}:NOT_A_PLUG")
    with pytest.raises(ValueError, match=f"{HERE}:NOT_A_PLUG is no GameAgents"):
        plugs.game_agents("nim")
    plugs.register("go", "nowhere.go:AGENTS")
    with pytest.raises(ValueError, match=r"there is no 'nowhere\.go:AGENTS'"):
        plugs.game_agents("go")


def test_reading_all_plugs_imports_no_jax():
    code = (
        "import sys; from jaxgames.players import plugs\n"
        "assert all(plugs.game_agents(game) for game in plugs.games())\n"
        "assert not {'jax', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize("specs", ["mcts", ()])
@pytest.mark.parametrize("field", ["analyst", "best"])
def test_a_text_or_nothing_in_place_of_several_specs_is_refused(field, specs):
    value = {2: specs} if field == "best" else specs
    with pytest.raises(
        ValueError, match=re.escape(f"{field} must be a tuple of specs, got {specs!r}")
    ):
        GameAgents(**{field: value})


def test_best_that_names_itself_is_refused():
    with pytest.raises(ValueError, match="best cannot stand for itself"):
        GameAgents(best={2: ("best",)})


def test_the_default_game_has_its_own_network():
    for game in plugs.games_with("by_options"):
        rules = jaxgames.make(game).rules.canonical
        for properties, _ in plugs.game_agents(game).by_options:
            assert {name: getattr(rules, name) for name in properties} != properties
