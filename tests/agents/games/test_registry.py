"""The table of plugs, and the players that plugs name."""

import re
import subprocess
import sys

import pytest

import agents.registry
import jaxgames
from agents.clock import players
from agents.games import knowledge, registry
from agents.games.registry import GameAgents
from jaxgames import imports

HERE = "tests.agents.games.test_registry"
EMPTY = GameAgents()
WITH_PLAYER = GameAgents(players={"lowest": "agents.players.basic:make_first_legal"})
WITH_TAKEN_NAME = GameAgents(players={"minimax": "agents.players.basic:make_first_legal"})
WITH_TAKEN_CLOCK = GameAgents(clock_players={"ms1": "agents.clock.players:_alpha_beta"})
NOT_A_PLUG = {"score": "nowhere:score"}


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    monkeypatch.setattr(registry, "_PLUGS", dict(registry._PLUGS))
    monkeypatch.setattr(registry, "_loaded", {})


def test_every_game_of_the_project_has_a_plug():
    assert registry.games() == jaxgames.available()


def test_every_path_of_every_plug_leads_to_something():
    texts = {"score", "integer_score", "tactics", "planner_domain", "rule_based", "do_nothing"}
    texts |= {"tunable", "presets", "tuning_stages"}
    for game in registry.games():
        plug = registry.game_agents(game)
        paths = [getattr(plug, name) for name in sorted(texts) if getattr(plug, name)]
        for path in [*paths, *plug.players.values(), *plug.clock_players.values()]:
            assert imports.load(path) is not None


def test_a_game_without_a_plug_has_an_empty_one():
    assert registry.game_agents("chess") == EMPTY


def test_a_player_of_another_package_is_listed_and_made():
    registry.register("nim", f"{HERE}:WITH_PLAYER")
    assert registry.games_with("players") == ("murus_gallicus", "nim")
    assert "lowest" in agents.registry.available()
    assert agents.registry.make("lowest", jaxgames.make("onitama")).name == "lowest"


def test_a_plug_cannot_change_the_players_of_other_games():
    registry.register("nim", f"{HERE}:WITH_TAKEN_NAME")
    with pytest.raises(ValueError, match="nim: the player 'minimax' exists already"):
        agents.registry.make("minimax", jaxgames.make("onitama"))


def test_nor_their_players_with_a_clock():
    registry.register("nim", f"{HERE}:WITH_TAKEN_CLOCK")
    with pytest.raises(ValueError, match="nim: the player 'ms1' exists already"):
        players.make("ms1", jaxgames.make("murus_gallicus"), lambda: 0.0)


def test_a_variant_may_share_the_players_of_its_game():
    registry.register("small_murus", "agents.games.murus_gallicus:AGENTS")
    assert "ms1" in agents.registry.available()


def test_bad_plugs_are_refused():
    with pytest.raises(ValueError, match=r"'onitama' already has a plug: agents\.games\.onitama"):
        registry.register("onitama", f"{HERE}:EMPTY")
    with pytest.raises(ValueError, match="'my_package' is not an import path like 'package"):
        registry.register("nim", "my_package")
    registry.register("nim", f"{HERE}:NOT_A_PLUG")
    with pytest.raises(ValueError, match=f"{HERE}:NOT_A_PLUG is no GameAgents"):
        registry.game_agents("nim")
    registry.register("go", "nowhere.go:AGENTS")
    with pytest.raises(ValueError, match=r"there is no 'nowhere\.go:AGENTS'"):
        registry.game_agents("go")


def test_extend_fills_empty_fields_only():
    registry.extend("terra_mystica_alphatm", presets="papers.alphatm.preset:PRESETS")
    plug = registry.game_agents("terra_mystica_alphatm")
    assert plug.presets == "papers.alphatm.preset:PRESETS"
    assert plug.score == "agents.games.terra_mystica.score:make"
    registry.extend("terra_mystica_alphatm", presets="papers.alphatm.preset:PRESETS")
    with pytest.raises(ValueError, match=r"onitama: score is 'agents\.games\.onitama\.score"):
        registry.extend("onitama", score="nowhere:score")
    with pytest.raises(ValueError, match=r"unknown field of a plug 'scor'.*did you mean 'score'"):
        registry.extend("onitama", scor="nowhere:score")


def test_questions_without_an_answer_list_the_games_that_have_one():
    env = jaxgames.make("onitama")
    with pytest.raises(ValueError, match="rule_based: 'onitama'; available: tribes"):
        knowledge.rule_based_player_of(env)
    with pytest.raises(ValueError, match="do_nothing: 'onitama'; available: tribes"):
        knowledge.do_nothing_player_of(env)
    with pytest.raises(ValueError, match="score to tune 'onitama'; available: murus_gallicus"):
        knowledge.tunable_of(env)


def test_an_unknown_agent_is_answered_with_the_way_to_add_agents():
    with pytest.raises(ValueError, match=r"unknown agent 'ddgp'.*--plugin=papers\.onitama_report"):
        agents.registry.make("ddgp", jaxgames.make("onitama_report"))


def test_reading_all_plugs_imports_no_jax():
    code = (
        "import sys; from agents.games import registry\n"
        "from jaxgames import imports\n"
        "for game in registry.games():\n"
        "    plug = registry.game_agents(game)\n"
        "    for path in filter(None, (plug.presets, plug.tuning_stages)):\n"
        "        imports.load(path)\n"
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


def test_options_that_change_the_aim_of_a_game_exist():
    for game in registry.games_with("other_aim"):
        options = registry.game_agents(game).other_aim
        rules = jaxgames.make(game, **options).rules
        assert {name: getattr(rules, name) for name in options} == options
        assert jaxgames.make(game).rules != rules
