"""Positions for the examples of the rules, and one way to play on from them.

The step of one rules object takes half a minute to compile. So all examples have three seats and
one of two sets of options, and share one jitted function; seats that an example does not need are
onlookers without structures.
"""

import dataclasses
import functools
import json
from typing import Any

import jax
import numpy as np

from jaxgames.terra_mystica.engine import decisions, seats, setup
from jaxgames.terra_mystica.engine.actions import Kind, encode
from jaxgames.terra_mystica.engine.decisions import Due
from jaxgames.terra_mystica.engine.seats import Source
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.tables.factions import (
    FACTION_NAMES,
    FACTIONS,
    SPECIAL_NAMES,
    STRUCTURE_NAMES,
    find_faction,
)
from jaxgames.terra_mystica.tables.terrain import COLOUR_LETTERS, LAND_NAMES, START_COLOURS
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, CULT_NAMES, SCORING_NAMES
from jaxgames.terra_mystica.text import notation
from jaxgames.terra_mystica.text.commands import ACTIONS, SPECIAL_ACTION, command

SEATS = 3
MAIN = TerraMystica(num_players=SEATS, auto_end=False)
OPTIONS = TerraMystica(
    num_players=SEATS,
    factions="draft",
    turn_order="passing",
    errata_cultists=False,
    mini_towns=True,
    bon10=True,
    score9=True,
)
ONLOOKERS = ("giants", "swarmlings", "witches", "dwarves", "nomads")
HELD = ("BON3", "BON8", "BON5")  # cards of seats whose card does not matter
SCORING = ["SCORE2", "SCORE1", "SCORE4", "SCORE6", "SCORE5", "SCORE3"]
DEFAULTS: dict[str, Any] = {
    **{"c": 20, "w": 10, "p": 3, "vp": 20, "key": 0, "dig": 0, "spades": 0, "passed": 0},
    **{"pw": [2, 4, 6], "cult": [0, 0, 0, 0], "bon": None, "fav": [], "tw": [], "br": []},
    "used": [],
}
NUMBERS = ("c", "w", "p", "vp", "key", "ship", "dig", "range", "spades")
LISTS = ("pw", "cult")


def seat(faction: str, **fields: Any) -> dict[str, Any]:
    """Returns a seat of a position, rich enough for most actions.

    Args:
        faction: its name.
        fields: of the position text that differ from the defaults. Lists of names may be written
            as one text: `D="A1 A5"`.
    """
    terms = FACTIONS[find_faction(faction)]
    row = {"faction": faction, "ship": terms.ship, "range": terms.range, **DEFAULTS}
    row |= dict.fromkeys(STRUCTURE_NAMES, "")
    row |= fields
    for key in (*STRUCTURE_NAMES, "fav", "tw", "br", "used"):
        row[key] = row[key].split() if isinstance(row[key], str) else list(row[key])
    return row


def position(*rows: dict[str, Any], rules: TerraMystica = MAIN, **fields: Any) -> "Game":
    """Returns a position in which seat 0 takes an action of round 1.

    Hexes with structures have the colour of their owner. The round's scoring tile, SCORE2, gives
    points for towns alone.

    Args:
        rows: the first seats, from `seat`.
        rules: `MAIN` or `OPTIONS`.
        fields: of the position text that differ.
    """
    colours = {FACTIONS[find_faction(row["faction"])].colour for row in rows}
    others = [name for name in ONLOOKERS if FACTIONS[find_faction(name)].colour not in colours]
    rows = (*rows, *(seat(name) for name in others[: SEATS - len(rows)]))
    wanted = [row["bon"] for row in rows if row["bon"]]
    free = iter([name for name in HELD if name not in wanted])
    players = [row | {"bon": next(free) if row["bon"] is None else row["bon"]} for row in rows]
    held = [row["bon"] for row in players if row["bon"]]
    rest = [name for name in CARD_NAMES[:9] if name not in held]
    terrain = dict(fields.pop("terrain", {}))
    for row in players:
        home = FACTIONS[find_faction(row["faction"])].colour
        terrain |= {name: COLOUR_LETTERS[home] for key in STRUCTURE_NAMES for name in row[key]}
    document = {
        **{"phase": "actions", "round": 1, "seat": 0, "placed": 0, "next_start": None},
        **{"order": [0, 1, 2], "scoring": SCORING, "actions": [], "towns": [], "skipped": []},
        "cards": dict.fromkeys([*held, *rest][: SEATS + setup.EXTRA_CARDS], 0),
        "spots": {name: [-1] * 4 for name in CULT_NAMES},
        "pending": {"actions": 1},
        "leech": {},
        **fields,
        "players": players,
        "terrain": terrain,
    }
    return Game(rules, notation.text_to_state(rules, json.dumps(document)))


def halflings(**fields: Any) -> dict[str, Any]:
    """Returns halflings on E6. Round it lie D4 red, E5 black, E7 gray, F3 yellow and F4 green."""
    return seat("halflings", D="E6", **fields)


def before_setup(*factions: str, rules: TerraMystica = MAIN) -> "Game":
    """Returns a game before its first decision; without factions, they are to be chosen."""
    rows = [find_faction(name) for name in factions] or None
    tiles = [SCORING_NAMES.index(name) for name in SCORING]
    return Game(rules, jax.device_get(setup.start(SEATS, rows, tiles, range(6))))


@functools.partial(jax.jit, static_argnums=0)
def _look_and_step(rules, state, action):
    """Returns what may be done, by whom, in answer to what; the next state, and the points."""
    mover_seat = rules.to_move(state)
    mover = seats.of_seat(state, mover_seat)
    decision = decisions.due(state, rules.options, mover)
    after, earned = rules.step_with_sources(state, action)
    return rules.legal_actions(state), mover_seat, decision, after, earned


@dataclasses.dataclass(frozen=True)
class Game:
    """A position of a game."""

    rules: TerraMystica
    state: Any
    earned: Any = 0  # `[seats, sources]` points since the position that it was played from

    def _call(self, action: int):
        return jax.device_get(_look_and_step(self.rules, self.state, np.int32(action)))

    @functools.cached_property
    def _seen(self):
        return self._call(encode(Kind.END))[:3]

    @property
    def mover(self) -> int:
        """The seat that decides."""
        return int(self._seen[1])

    @property
    def decision(self) -> Due:
        """What it decides."""
        return Due(int(self._seen[2]))

    @property
    def legal(self) -> set[str]:
        """Commands of all legal actions."""
        number = int(self.state.players.faction[self.mover])
        name = SPECIAL_NAMES[FACTIONS[number].special] if number < len(FACTION_NAMES) else ""
        return {command(int(a), name or SPECIAL_ACTION) for a in np.flatnonzero(self._seen[0])}

    def those(self, *words: str) -> set[str]:
        """Returns the legal commands that begin with some words."""
        return {text for text in self.legal if text.startswith(words)}

    @property
    def targets(self) -> set[str]:
        """Names of the hexes that can be terraformed."""
        return {text.split()[1] for text in self.those("transform")}

    def play(self, *commands: str) -> "Game":
        """Returns the game after commands; each must be legal."""
        game = self
        for text in commands:
            legal, _, _, after, earned = game._call(ACTIONS[text])
            assert legal[ACTIONS[text]], f"{text} is not legal; {sorted(game.legal)} are"
            game = Game(self.rules, after, game.earned + earned)
        return game

    @functools.cached_property
    def text(self) -> dict[str, Any]:
        """The position text, read as JSON."""
        return json.loads(notation.state_to_text(self.rules, self.state))

    def row(self, number: int = 0) -> dict[str, Any]:
        """Returns what a seat has, as in the position text."""
        return self.text["players"][number]

    def change(self, *commands: str, number: int = 0) -> dict[str, Any]:
        """Returns what commands change in the numbers of a seat: differences that are not zero."""
        return self.until(self.play(*commands), number)

    def until(self, later: "Game", number: int = 0) -> dict[str, Any]:
        """Returns the differences of a seat's numbers between this position and a later one."""
        old, new = self.row(number), later.row(number)
        found: dict[str, Any] = {key: new[key] - old[key] for key in NUMBERS}
        for key in LISTS:
            found[key] = [b - a for a, b in zip(old[key], new[key], strict=True)]
        return {key: value for key, value in found.items() if np.any(value)}

    def sources(self, number: int = 0) -> dict[str, int]:
        """Returns the points that a seat has earned since the first position, by source."""
        earned = np.asarray(self.earned)[number]
        return {Source(i).name: int(points) for i, points in enumerate(earned) if points}


def hexes_of(colour: str) -> set[str]:
    """Returns the names of the hexes with a printed colour, given by its letter."""
    number = COLOUR_LETTERS.index(colour)
    return {name for name, c in zip(LAND_NAMES, START_COLOURS, strict=True) if c == number}
