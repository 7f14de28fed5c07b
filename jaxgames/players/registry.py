"""The table of agents: spec strings such as `"minimax:depth=2"` become players of a game.

`make_env` makes a game with options written in the same way. Entries of the table are import paths.
`make` loads them, so that listing agents imports none of them.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jaxgames
from jaxgames.internal import imports, installed_plugins
from jaxgames.internal.messages import unknown
from jaxgames.players import spec
from jaxgames.players.plugs import with_players_of_games

if TYPE_CHECKING:
    from jaxgames.env import Env
    from jaxgames.players.player import Player
    from jaxgames.search.agent import Agent

# Each path leads to a factory `factory(env, *, fields...) -> (agent, params)`; see `spec.py`.
_FACTORIES: dict[str, str] = installed_plugins.table(
    {
        "afterstate": "jaxgames.players.afterstate:make_afterstate",
        "alpha_beta": "jaxgames.players.depth_first:make_alpha_beta",
        "best": "jaxgames.players.best:make_best",
        "book": "jaxgames.players.opening_book.player:make_book_then",
        "do_nothing": "jaxgames.players.knowledge:make_do_nothing",
        "first_legal": "jaxgames.players.basic:make_first_legal",
        "greedy": "jaxgames.players.planning:make_one_step",
        "level": "jaxgames.players.levels:make_level",
        "gumbel": "jaxgames.players.network:make_gumbel",
        "mc": "jaxgames.players.planning:make_mc",
        "mcts": "jaxgames.players.mcts:make_mcts",
        "minimax": "jaxgames.players.depth_first:make_minimax",
        "negamax": "jaxgames.players.depth_first:make_negamax",
        "negascout": "jaxgames.players.depth_first:make_negascout",
        "network": "jaxgames.players.network:make_policy",
        "oep": "jaxgames.players.planning:make_oep",
        "osla": "jaxgames.players.planning:make_one_step",
        "planning_mcts": "jaxgames.players.planning:make_planning_mcts",
        "puct": "jaxgames.players.network:make_puct",
        "random": "jaxgames.players.basic:make_random",
        "rhea": "jaxgames.players.planning:make_rhea",
        "rule_based": "jaxgames.players.knowledge:make_rule_based",
    }
)
LIMITS = ("seconds", "nodes", "ponder")
"""Fields of every agent that searches: see `search_limits.limited`."""
_PLUGIN_HINT = (
    "an agent of another package is known once the package is imported, "
    "for instance by --plugin=my_agents"
)


def available() -> tuple[str, ...]:
    """Returns the names of all agents, those of other installed packages included, sorted."""
    installed_plugins.load()
    return tuple(sorted(_factories()))


def register(name: str, factory: str) -> None:
    """Adds an agent of another package, for instance `register("bold", "my_agents.bold:make")`.

    Raises:
        ValueError: if the name is taken or malformed, or `factory` is no import path.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"agent name {name!r}: use lower-case letters, digits and underscores")
    if name in _factories():
        raise ValueError(f"agent {name!r} is already registered")
    imports.check(factory, "package.module:function")
    _FACTORIES[name] = factory


def player(which: "str | Player | Agent", env: "Env[Any] | str") -> "Player":
    """Returns a player of a game: an agent with its parameters and its name.

    Args:
        which: a spec such as `"best"`, `"minimax:depth=2"` or `"gumbel:network=FOLDER"`; an agent
            of your own, which learned nothing; or a `Player`, which is returned as it is.
        env: the game, or its id.

    Returns:
        `Player(name, agent, params)`. Its `act(memory, games, key)` decides for a batch of games by
        a compiled program: the leaves of `games` are those of `state.game`, with a leading axis
        `B`; its result is a `Decision` (`action` `int32[B]`, `policy` `float32[B, actions]`,
        `values` `float32[B, players]`, expected returns from -1 to 1) and the new memory. The first
        memory is `agent.reset(B)`. Inside a program of your own, call `agent.act(params, memory,
        games, key)`.

    Raises:
        ValueError: for an unknown game, agent or field, a value of the wrong type, an agent that
            cannot play this game, or something that is no agent.
    """
    from jaxgames.players.player import Player, of_agent

    env = jaxgames.make(env) if isinstance(env, str) else env
    if not isinstance(env, jaxgames.Env):
        raise ValueError(f"expected a game, made by jaxgames.make, or its id; got {env!r}")
    if isinstance(which, Player):
        rules = getattr(which.agent, "rules", env.rules)
        if type(rules) is not type(env.rules):
            raise ValueError(f"{which.name} was made for another game than {env.id}")
        return which
    return make(which, env) if isinstance(which, str) else of_agent(which)


def make(text: str, env: "Env[Any]") -> "Player":
    """Returns the agent that a spec string describes, ready to play `env`.

    The player's name in tables is the spec itself.

    Raises:
        ValueError: for an unknown agent or field, a value of the wrong type, or an agent that
            cannot play this game.
    """
    return _make(text, env)


def limited(text: str, env: "Env[Any]", seconds: float) -> "Player":
    """Returns the player of a spec with so many seconds for a move, if it searches.

    Limits of the spec itself, and players that decide at once, stay as they are.

    Raises:
        ValueError: as `make`, and for a search that cannot be stopped.
    """
    return _make(text, env, seconds)


def _make(text: str, env: "Env[Any]", seconds: float | None = None) -> "Player":
    parsed, text = spec.parse(text), text.strip()
    name = text
    factory = factory_of(parsed.name)
    parsed, limits = without_limits(parsed)
    arguments = spec.arguments(parsed, factory, LIMITS)
    from jaxgames.players.player import Player

    try:
        agent, params = spec.call(factory, env, arguments)
        if limits or seconds is not None:
            from jaxgames.players import search_limits  # all searches, which few players need

            is_free = seconds is not None and not limits.keys() & {"seconds", "nodes"}
            if is_free and not search_limits.takes_limits(agent):
                search_limits.check_needs_no_limit(agent)
            elif is_free:
                name += f"{',' if parsed.fields or limits else ':'}seconds={seconds}"
                limits = {**limits, "seconds": str(seconds)}
            effort = (arguments.get(field) for field in ("simulations", "depth", "budget"))
            if limits:
                limit = search_limits.limit_of(limits)
                agent = search_limits.limited(agent, limit, *effort)
    except ValueError as error:
        raise ValueError(f"agent {text!r} in {env.id}: {error}") from error
    return Player(name, agent, params)


def without_limits(parsed: spec.Spec) -> tuple[spec.Spec, dict[str, str]]:
    """Returns a spec without the fields of `LIMITS`, and these fields."""
    limits = {name: x for name, x in parsed.fields.items() if name in LIMITS}
    fields = {name: x for name, x in parsed.fields.items() if name not in limits}
    return parsed._replace(fields=fields), limits


def make_program(text: str, env: "Env[Any]") -> "Player":
    """Returns the agent that a spec describes, where nobody can be asked for a move.

    Raises:
        ValueError: as `make`, and for a person.
    """
    player = make(text, env)
    if getattr(player.agent, "is_person", False):
        others = ", ".join(name for name in available() if name != "human")
        raise ValueError(f"nobody can be asked here, so {text.strip()!r} cannot play; use {others}")
    return player


def factory_of(name: str) -> Callable[..., Any]:
    """Returns the factory of an agent, whose keyword-only parameters are the fields of its spec.

    Raises:
        ValueError: for an unknown agent.
    """
    if name not in _factories():
        installed_plugins.load()
    factories = _factories()
    if name not in factories:
        raise ValueError(f"{unknown('agent', name, available())}; {_PLUGIN_HINT}")
    factory: Callable[..., Any] = imports.load(factories[name])
    return factory


def make_env(env_id: str, options: str = "") -> "Env[Any]":
    """Returns a game with options written as text, for instance `make_env("onitama", "deck=all")`.

    Raises:
        ValueError: for an unknown game or option, or a value that does not fit.
    """
    env = jaxgames.make(env_id)
    fields = spec.parse_fields(options)
    if not fields:
        return env
    return jaxgames.make(env_id, **spec.arguments(spec.Spec(env_id, fields), type(env.rules)))


def _factories() -> dict[str, str]:
    """Returns the import paths of all agents by name: for every game, and for one game alone."""
    return with_players_of_games(_FACTORIES)
