"""The agent `best`, and the networks that it plays with."""

import jax
import jax.numpy as jnp
import pytest

import jaxgames
from agents.play import seating
from jaxgames.matches.match import match
from jaxgames.players import levels, plugs, registry
from jaxgames.players.best import first_that_fits, network_by_options
from jaxgames.players.stand_ins import stands_for

GAMES = plugs.games_with("best")
# Their decisions take long to trace.
LARGE = ("terra_mystica", "tribes")
DECIDING = [pytest.param(g, "", marks=pytest.mark.slow if g in LARGE else ()) for g in GAMES]
MORE = [
    pytest.param("terra_mystica", "num_players=4", marks=pytest.mark.slow),
    pytest.param("tribes", "fog=true", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("game", GAMES)
def test_best_is_the_player_that_the_game_names_for_its_number_of_seats(game):
    for seats, specs in plugs.game_agents(game).best.items():
        env = registry.make_env(game, f"num_players={seats}" if seats > 2 else "")
        assert registry.make("best", env).agent == registry.make(specs[0], env).agent


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("murus_gallicus", "pie_rule=true,redistribute_start=true"),
        ("onitama", "planes=board"),
    ],
)
def test_where_options_exclude_the_shipped_network_another_player_takes_its_place(game, options):
    env, plug = registry.make_env(game, options), plugs.game_agents(game)
    reason = f"does not fit {game} with these options|game_version '1', not '2'"
    with pytest.raises(ValueError, match=reason):
        registry.make(plug.best[2][0], env)
    assert registry.make("best", env).agent == registry.make(plug.best[2][1], env).agent
    assert stands_for("best", env) == plug.best[2][1]
    require_analyst_without_network(env, plug)


def test_a_network_of_another_version_of_the_rules_is_passed_over():
    env = jaxgames.make("tribes", terrain_defence=False)
    assert stands_for("best", env) == plugs.game_agents("tribes").best[2][1]


NEW_INPUTS = ("pie_rule=true", "redistribute_start=true")  # which the game's network cannot read
# By network: options that ask for it, in every way in which they can be written.
BY_OPTIONS = {
    "murus_gallicus": (
        "variant=delayed,win_timing=immediate",
        "variant=basic,max_stack=3",
        "max_stack=3,fire_directions=5,win_timing=immediate",
        "variant=fire8",  # other rules, which no network has learned
    ),
    "murus_gallicus_pie_rule": ("pie_rule=true", "pie_rule=true,win_timing=delayed"),
    "murus_gallicus_redistribute_start": ("redistribute_start=true",),
    "murus_gallicus_no_breakthrough": ("breakthrough=false",),
    "murus_gallicus_basic": ("variant=basic", "max_stack=2", "variant=basic,max_stack=2"),
    "murus_gallicus_delayed": (
        "variant=delayed",
        "variant=designer",
        "win_timing=delayed",
        "variant=fire3,fire_directions=5,win_timing=delayed",
    ),
    "onitama": (
        "deck=boar,ox,elephant,horse,crab",
        "deck=all,deal=boar,ox|elephant,horse|crab",  # no card of the expansion is in play
    ),
    "onitama_all": (
        "deck=all",
        "deck=expansion",
        "deck=bear,fox,kirin,dog,giraffe",
        "deck=boar,ox,elephant,horse,giraffe",
        "deck=all,deal=boar,ox|elephant,horse|giraffe",
    ),
}


@pytest.mark.parametrize(
    ("network", "options"),
    [(network, options) for network, ways in BY_OPTIONS.items() for options in ways],
)
def test_the_network_that_plays_is_that_of_the_rules_however_options_are_written(network, options):
    game = next(game for game in GAMES if network.startswith(game))
    env, plug = registry.make_env(game, options), plugs.game_agents(game)
    if not options.startswith(NEW_INPUTS):
        registry.make(plug.best[2][0], env)  # its shapes fit
    expected = plug.best[2][0].replace(f"network={game}", f"network={network}")
    assert stands_for("best", env) == expected
    assert seating.analyst(env) == expected
    assert levels.level_player(env, 1).name.startswith(f"gumbel:network={network},")


@pytest.mark.parametrize("game", plugs.games_with("by_options"))
def test_all_networks_by_options_have_games_above(game):
    entries = plugs.game_agents(game).by_options
    assert {entry.network for entry in entries} <= BY_OPTIONS.keys()


def test_a_network_by_options_counts_where_all_of_its_properties_hold(monkeypatch):
    entries = (
        plugs.OptionsNetwork({"breakthrough": False, "max_stack": 2}, None),
        plugs.OptionsNetwork({"breakthrough": False}, "onitama"),
    )
    plug = plugs.GameAgents(by_options=entries)
    monkeypatch.setitem(plugs._loaded, "murus_gallicus", plug)
    for options, expected in (("breakthrough=false", entries[1]), ("variant=basic", None)):
        assert network_by_options(registry.make_env("murus_gallicus", options)) == expected
    env = registry.make_env("murus_gallicus", "breakthrough=false,variant=basic")
    assert network_by_options(env) == entries[0]
    assert first_that_fits(("network:network=murus_gallicus", "random"), env).name == "random"
    plug = plugs.GameAgents(by_options=(plugs.OptionsNetwork({"fog": True}, None),))
    monkeypatch.setitem(plugs._loaded, "murus_gallicus", plug)
    with pytest.raises(ValueError, match="names 'fog', which its rules do not have"):
        network_by_options(env)


@pytest.mark.slow
def test_best_wins_without_breakthrough_in_murus_gallicus():
    env = registry.make_env("murus_gallicus", "breakthrough=false")
    players = [registry.make("best", env), registry.make("negascout:depth=1", env)]
    assert match(env, players, jax.random.key(0), 12, opening_plies=4).returns[:, 0].mean() > 0.5


def require_analyst_without_network(env, plug):
    person, opponent = seating.seats(env, [])
    assert (person, opponent) == ("human", levels.middle(env))
    # What stands for `best` explains positions, too, where it is a search of a tree.
    assert seating.analyst(env) in (stands_for("best", env), plug.analyst[-1])
    registry.make(seating.analyst(env), env)


def test_a_mistake_in_the_name_of_a_network_is_not_passed_over():
    env = registry.make_env("onitama")
    with pytest.raises(ValueError, match="did you mean 'onitama'"):
        first_that_fits(("gumbel:network=onitame", "random"), env)


def make_around(env):
    """A player that plays by another one."""
    player = registry.make("network:network=onitama", env)
    return player.agent, player.params


def test_a_network_inside_another_player_is_passed_over_too(monkeypatch):
    monkeypatch.setitem(registry._FACTORIES, "around", f"{__name__}:make_around")
    chosen = [
        first_that_fits(("around", "random"), registry.make_env("onitama", options)).name
        for options in ("", "planes=board")
    ]
    assert chosen == ["around", "random"]


@pytest.mark.parametrize(("game", "options"), DECIDING + MORE)
def test_best_decides_in_every_game(game, options):
    env = registry.make_env(game, options)
    player = registry.make("best", env)
    states = jax.eval_shape(jax.vmap(env.rules.init), jax.random.split(jax.random.key(0), 3))
    decision, _ = jax.eval_shape(
        lambda state, key: player.agent.act(player.params, player.agent.reset(3), state, key),
        states,
        jax.random.key(0),
    )
    assert (decision.action.shape, decision.action.dtype) == ((3,), jnp.int32)


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "num_players=4"])
def test_best_wins_in_the_game_that_people_play(options):
    """Its network has learned Terra Mystica without conversions after the action."""
    env = registry.make_env("terra_mystica", options)
    assert env.rules.post_conversions
    players = [registry.make("best", env)] + [registry.make("greedy", env)] * (env.num_players - 1)
    result = match(env, players, jax.random.key(0), 4 * env.num_players)
    assert result.returns[:, 0].mean() > 0.5
    assert result.points[:, 0].mean() > result.points[:, 1:].mean() + 20


def test_a_number_of_seats_without_a_best_player_is_refused(monkeypatch):
    monkeypatch.setitem(plugs._loaded, "onitama", plugs.GameAgents(best={3: ("random",)}))
    with pytest.raises(ValueError, match="best plays onitama with 3 seats, not 2"):
        registry.make("best", registry.make_env("onitama"))


def test_a_shipped_network_is_named_by_its_game():
    env = registry.make_env("terra_mystica", "post_conversions=false")
    by_name = registry.make("afterstate:network=terra_mystica", env)
    shipped, _ = jaxgames.pretrained("terra_mystica")
    assert jax.tree.all(jax.tree.map(jnp.array_equal, by_name.params, shipped))
