"""`GameAgents`: the plug of a game, which holds all that players know of it; the table of plugs.

A plug is found by the id of its game and loaded on first use. The objects that its fields name are
loaded on use (`knowledge.py`).
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from jaxgames.internal import imports, installed_plugins


class Level(NamedTuple):
    """One strength at which a game can be played."""

    specs: tuple[str, ...]
    """The player: the first spec counts whose network fits the options of the game."""
    score: float | None = None
    """The measured score of the first spec against that of the level below, from 0 to 1."""


class OptionsNetwork(NamedTuple):
    """The network that learned a game whose rules have some properties."""

    properties: Mapping[str, Any]
    """Options and other attributes of the rules by name, with their values. All of them hold in
    `Rules.canonical` of the game, so it does not matter in which way its options are written."""
    network: str | None
    """The name of the network; None where none has learned the game: the last specs count."""


@dataclasses.dataclass(frozen=True)
class GameAgents:
    """What players know of one game. Every field is optional.

    A field is the import path `"package.module:name"` of an object that its description gives, or
    a mapping from names to import paths. `best`, `levels` and `analyst` hold specs of agents: of
    the specs in a tuple, the first one counts whose network fits the options of the game.
    """

    score: str | None = None
    """`make(rules) -> Score`: the estimated return of every seat, written by hand. Used by
    `minimax`, `greedy`, the planners and every `evaluator=heuristic`."""
    integer_score: str | None = None
    """`make(rules) -> (IntegerScore, params)`: the score of depth-first searches. A game without
    one has its `score` rounded."""
    tactics: str | None = None
    """`make(rules) -> Tactics`: the order of moves and quiescence in depth-first searches."""
    planner_domain: str | None = None
    """`make(rules) -> PlannerDomain`: actions and values as planners see them. A game without one
    has its `score` and its plain actions."""
    afterstates: str | None = None
    """`make(rules) -> AfterstateDomain`: features, estimate and outcome for values of afterstates.
    A game without one has its observation, its `score` as a start, and its returns."""
    endgames: str | None = None
    """`draw(rules, key) -> game`: a random position near the end of a game that goes on, from which
    games of training may begin (`--selfplay.starts=endgames`)."""
    solved: str | None = None
    """`draw(rules, seed) -> SolvedPositions` (`jaxgames.search.retrograde`): positions with exact
    values, which training may learn from (`--replay.solved`)."""
    best: Mapping[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """For each number of seats the specs of the strongest players that decide quickly, which the
    agent `best` plays. All but the last may need a network that not all options fit."""
    levels: Mapping[int, tuple[Level, ...]] = dataclasses.field(default_factory=dict)
    """For each number of seats the strengths that a person can choose, the weakest first and `best`
    last."""
    by_options: tuple[OptionsNetwork, ...] = ()
    """Networks that take the place of the game's own in `best`, `analyst` and levels where options
    change the game: its play alone, or also what a network sees. The first entry counts whose
    properties the game has."""
    analyst: tuple[str, ...] = ("gumbel:evaluator=rollout,simulations=64",)
    """The specs of the agents that explain positions on the page where `best` shows no values of
    moves: tree searches, which do. In a game without levels, they also play against a person
    unless others are asked for."""
    rule_based: str | None = None
    """`make(rules) -> Agent`: the player `rule_based`, which follows rules of thumb."""
    do_nothing: str | None = None
    """`make(rules) -> Agent`: the player `do_nothing`, which ends its turn."""
    players: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Players of this game alone, by name: factories as in `registry.py`."""

    def __post_init__(self) -> None:
        """Checks the fields that hold several specs, for which a text is easily taken.

        Raises:
            ValueError: if `best`, `analyst` or a level is a text or empty instead of a tuple of
                specs, a spec of `best` is `best` itself, or the last level is not `best`.
        """
        each_level = [level for levels in self.levels.values() for level in levels]
        several = [
            ("analyst", self.analyst),
            *(("best", specs) for specs in self.best.values()),
            *(("a level", level.specs) for level in each_level),
        ]
        for name, specs in several:
            if isinstance(specs, str) or not specs:
                raise ValueError(f"{name} must be a tuple of specs, got {specs!r}")
            if name == "best" and "best" in specs:
                raise ValueError(f"best cannot stand for itself, got {specs!r}")
        for seats, levels in self.levels.items():
            if not levels or levels[-1].specs != ("best",):
                raise ValueError(
                    f"the last level with {seats} seats must be ('best',), got {levels!r}"
                )


# By id of the game: the import path of its plug.
_PLUGS: dict[str, str] = installed_plugins.table(
    {
        "murus_gallicus": "jaxgames.players.murus_gallicus:AGENTS",
        "onitama": "jaxgames.players.onitama:AGENTS",
        "terra_mystica": "jaxgames.players.terra_mystica:AGENTS",
        "tribes": "jaxgames.players.tribes:AGENTS",
    }
)
_loaded: dict[str, GameAgents] = {}


def register(game: str, plug: str) -> None:
    """Adds the plug of another package, for instance `register("nim", "my_package.nim:AGENTS")`.

    Raises:
        ValueError: if the game has a plug already, or the path is not one.
    """
    if game in _PLUGS:
        raise ValueError(f"game {game!r} already has a plug: {_PLUGS[game]}")
    imports.check(plug, "package.module:AGENTS")
    _PLUGS[game] = plug


def games() -> tuple[str, ...]:
    """Returns the ids of all games with a plug, sorted."""
    return tuple(sorted(_PLUGS))


def games_with(field: str) -> tuple[str, ...]:
    """Returns the ids of the games whose plug has a value in a field, sorted."""
    return tuple(game for game in games() if getattr(game_agents(game), field))


def with_players_of_games(general: Mapping[str, str]) -> dict[str, str]:
    """Returns import paths of players by name: those of every game, and those of single games.

    Raises:
        ValueError: if a plug gives another meaning to a name that is taken.
    """
    paths = dict(general)
    for game in games_with("players"):
        for name, path in game_agents(game).players.items():
            if paths.setdefault(name, path) != path:
                raise ValueError(f"{game}: the player {name!r} exists already; choose another name")
    return paths


def game_agents(game: str) -> GameAgents:
    """Returns the plug of a game; an empty one if it has none.

    Raises:
        ValueError: if the registered path does not lead to a `GameAgents`.
    """
    if game not in _PLUGS:
        installed_plugins.load()
    if game not in _loaded:
        _loaded[game] = imports.load(_PLUGS[game]) if game in _PLUGS else GameAgents()
        if not isinstance(_loaded[game], GameAgents):
            plug = _loaded.pop(game)
            raise ValueError(f"{_PLUGS[game]} is no GameAgents, but {plug!r}")
    return _loaded[game]
