"""The agent `level`: the players of each game from a beginner to `best`."""

import pytest

import jaxgames
from jaxgames.onitama import cards
from jaxgames.players import best, levels, plugs, registry
from jaxgames.players.plugs import GameAgents, Level
from jaxgames.players.stand_ins import meaning, stands_for

# Variants of papers have no levels.
GAMES = [g for g in plugs.games_with("best") if plugs._PLUGS[g].startswith("jaxgames.")]
SEATS = [
    pytest.param(game, seats, marks=[pytest.mark.slow] if seats > 2 else [])
    for game in GAMES
    for seats in plugs.game_agents(game).best
]
NO_NETWORK = [
    ("murus_gallicus", "pie_rule=true,redistribute_start=true"),
    ("onitama", "planes=board"),
    ("tribes", "terrain_defence=false"),
]


def make(game, seats):
    return registry.make_env(game, f"num_players={seats}" if seats > 2 else "")


@pytest.mark.parametrize(("game", "seats"), SEATS)
def test_every_game_has_levels_for_every_number_of_seats_and_the_last_is_best(game, seats):
    env = make(game, seats)
    found = levels.strengths(env)
    assert 4 <= len(found) <= 6
    assert [strength.number for strength in found] == list(range(1, len(found) + 1))
    assert len({strength.stands_for for strength in found}) == len(found)
    for strength in found:
        player = registry.make(strength.spec, env)
        assert player.name == strength.spec
        assert player.agent == registry.make(strength.stands_for, env).agent
    assert found[-1].stands_for == best.best_player(env).name
    assert found[1].name == "Level 2"
    assert found[0].score is None


@pytest.mark.parametrize(("game", "options"), NO_NETWORK)
def test_where_options_exclude_the_network_other_players_make_the_levels(game, options):
    env = registry.make_env(game, options)
    found = levels.strengths(env)
    assert [strength.stands_for for strength in found] == [
        *(level.specs[-1] for level in plugs.game_agents(game).levels[2][:-1]),
        plugs.game_agents(game).best[2][-1],
    ]
    assert len({strength.stands_for for strength in found}) == len(found)
    # What was measured were other players.
    assert {strength.score for strength in found} == {None}


@pytest.mark.parametrize(
    ("game", "options", "is_measured"),
    [
        ("murus_gallicus", "variant=delayed,win_timing=immediate", True),
        ("murus_gallicus", "max_stack=3,fire_directions=5", True),
        ("murus_gallicus", "variant=basic,max_stack=3", True),
        ("onitama", "deck=" + ",".join(reversed(cards.DECKS["base"])), True),
        ("tribes", "side=11", True),
        ("murus_gallicus", "max_stack=2", False),
        ("murus_gallicus", "win_timing=delayed", False),
        ("murus_gallicus", "variant=fire8", False),
        ("murus_gallicus", "max_plies=60", False),
        ("onitama", "deal=boar,ox|elephant,horse|crab", False),
        ("onitama", "deck=boar,ox,elephant,horse,crab", False),
        ("tribes", "mode=score", False),
        ("terra_mystica", "mini_towns=true", False),
    ],
)
def test_scores_count_for_the_rules_in_which_they_were_measured(game, options, is_measured):
    found = levels.strengths(registry.make_env(game, options))
    scores = [strength.score for strength in found]
    usual = [strength.score for strength in levels.strengths(jaxgames.make(game))]
    assert usual[0] is None and None not in usual[1:]
    assert scores == (usual if is_measured else [None] * len(usual))


def test_levels_with_a_network_of_the_options_have_no_measured_scores():
    found = levels.strengths(registry.make_env("murus_gallicus", "breakthrough=false"))
    assert all("network=murus_gallicus_no_breakthrough" in each.stands_for for each in found)
    assert {strength.score for strength in found} == {None}


@pytest.mark.parametrize("game", ["terra_mystica", "tribes"])
def test_levels_that_differ_in_their_noise_share_a_program(game):
    """So another strength is ready at once, once one of them has been compiled."""
    env = jaxgames.make(game)
    first, second = (registry.make(f"level:number={number}", env) for number in (1, 2))
    assert first.agent == second.agent and hash(first.agent) == hash(second.agent)
    assert first.params.noise > second.params.noise


def test_the_middle_level_of_an_even_number_is_the_lower_one(monkeypatch):
    env = jaxgames.make("onitama")
    for count, number in ((4, 2), (5, 3), (6, 3)):
        table = (*[Level(("random",))] * (count - 1), Level(("best",)))
        monkeypatch.setitem(
            plugs._loaded, "onitama", GameAgents(best={2: ("random",)}, levels={2: table})
        )
        assert levels.middle(env) == f"level:number={number}"


def test_games_say_which_player_a_level_stands_for():
    env = jaxgames.make("onitama")
    first, *_, last = levels.strengths(env)
    assert stands_for(f" {first.spec}", env) == first.stands_for
    assert meaning([first.spec, "random", "best"], env) == {
        first.spec: first.stands_for,
        "best": last.stands_for,
    }


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("level", "level needs a value for 'number': 'level:number=...'"),
        ("level:number=0", "onitama has the levels 1 to 6, got number=0; nearest: 1"),
        ("level:number=9", "onitama has the levels 1 to 6, got number=9; nearest: 6"),
        ("level:number=high", "level:number=high is not of type int"),
        ("level:numbr=3", "unknown field 'numbr'"),
    ],
)
def test_a_level_that_does_not_exist_is_refused(spec, message):
    env = jaxgames.make("onitama")
    for make_or_name in (registry.make, stands_for):
        with pytest.raises(ValueError, match=message):
            make_or_name(spec, env)


def test_a_game_without_levels_lists_those_that_have_some(monkeypatch):
    env = jaxgames.make("onitama")
    monkeypatch.setitem(plugs._loaded, "onitama", GameAgents())
    with pytest.raises(ValueError, match="level: 'onitama'; available: murus_gallicus, terra"):
        registry.make("level:number=1", env)
    assert levels.strengths(env) == () and levels.middle(env) is None


def test_a_number_of_seats_without_levels_is_refused(monkeypatch):
    plug = GameAgents(best={3: ("random",)}, levels={3: (Level(("best",)),)})
    monkeypatch.setitem(plugs._loaded, "onitama", plug)
    with pytest.raises(ValueError, match="onitama has levels with 3 seats, not 2"):
        registry.make("level:number=1", jaxgames.make("onitama"))


@pytest.mark.parametrize("table", [(), (Level(("random",)),)])
def test_the_last_level_of_a_plug_is_best(table):
    with pytest.raises(ValueError, match=r"the last level with 2 seats must be \('best',\)"):
        GameAgents(levels={2: table})


def test_a_level_names_several_specs():
    with pytest.raises(ValueError, match="a level must be a tuple of specs, got 'random'"):
        GameAgents(levels={2: (Level("random"), Level(("best",)))})
