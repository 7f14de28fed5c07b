"""Plays single actions of Tribes in positions made by hand, by the words for them.

The rules are an argument of what is compiled: one program serves all tests with the same options.
"""

import collections
import dataclasses
import functools
from types import SimpleNamespace

import jax
import numpy as np

from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import NO_UNIT, Stage, TribesState
from jaxgames.tribes.tables.technologies import Technology
from jaxgames.tribes.text import commands
from tests.jaxgames.tribes.positions import at, begun, change, mask, tile, tiles

TWO = Tribes(parameters={})  # with all parameters as leaves, as rules with other ones have them
CORRECTED = Tribes(rules="corrected", parameters={})
THREE_IN_FOG = Tribes(num_players=3, fog=True, parameters={})
TRACES: collections.Counter[str] = collections.Counter()


@jax.jit
def options_of(rules: Tribes, state: TribesState):
    TRACES["options"] += 1
    return rules.legal_pairs(state)


@jax.jit
def act(rules: Tribes, state: TribesState, action, words):
    TRACES["act"] += 1
    return rules.step_with_draws(state, action, words)


@dataclasses.dataclass(frozen=True, eq=False)
class Game:
    """A position, and what is done in it."""

    state: TribesState
    rules: Tribes = TWO

    @functools.cached_property
    def legal(self) -> dict[str, tuple[int, int]]:
        """Tile and number of each legal action, by its words: `c4 spawn rider`, `end_turn`."""
        pairs, of_tribe = jax.device_get(options_of(self.rules, self.state))
        number = len(self.state.tiles.terrain)
        found = {}
        for action in np.flatnonzero(of_tribe).tolist():
            found[commands.command(self.state, number + action)] = (-1, number + action)
        for where, sub_action in np.argwhere(pairs).tolist():
            chosen = self._on(where)
            name = commands.tile_name(where, len(chosen.tiles.network))
            found[f"{name} {commands.command(chosen, sub_action)}"] = (where, sub_action)
        return found

    def play(self, text: str, *draws: tuple[int, int]) -> "Game":
        """Returns the game after a legal action; `draws` are pairs of a bound and a value."""
        where, number = self.legal[text]
        words = np.zeros(self.rules.num_draws, np.uint32)
        words[: len(draws)] = [-(-(value << 32) // bound) for bound, value in draws]
        chosen = self.state if where < 0 else self._on(where)
        after = act(self.rules, chosen, np.int32(number), words)
        return Game(jax.device_get(after), self.rules)

    def _on(self, where: int) -> TribesState:
        return self.state.replace(phase=np.int8(Stage.SUB_ACTION), selected=np.int16(where))

    def can(self, start: str) -> set[str]:
        """Returns the rest of all legal words that start so: of `c4 move`, where to."""
        return {text[len(start) :].strip() for text in self.legal if text.startswith(f"{start} ")}

    def tile(self, name: str) -> SimpleNamespace:
        """Returns the fields of a tile."""
        return self._row("tiles", tile(name, self._side), "network")

    def unit(self, name: str) -> SimpleNamespace | None:
        """Returns the fields of the unit on a tile, if there is one."""
        found = self._row("units", tile(name, self._side))
        return None if found.kind == NO_UNIT else found

    def city(self, name: str) -> SimpleNamespace:
        """Returns the fields of the city or village on a tile."""
        return self._row("cities", place(self.state, name))

    @property
    def _side(self) -> int:
        return len(self.state.tiles.network)

    def _row(self, part: str, index: int, *without: str) -> SimpleNamespace:
        fields = vars(getattr(self.state, part)).items()
        return SimpleNamespace(**{k: v[index].item() for k, v in fields if k not in without})

    @property
    def score(self) -> list[int]:
        return self.state.tribes.score.tolist()

    @property
    def stars(self) -> list[int]:
        return self.state.tribes.stars.tolist()

    def knows(self, seat: int, technology: str) -> bool:
        return bool(int(self.state.tribes.technologies[seat]) >> Technology[technology.upper()] & 1)


def place(state: TribesState, name: str) -> int:
    """Returns the place of the city on a tile."""
    (found,) = np.flatnonzero(state.cities.tile == tile(name, len(state.tiles.network)))
    return int(found)


def start(known: str = "", stars: int = 50, tick: int = 3, tribe_ids=(0, 1)) -> TribesState:
    """Returns a plain with capitals on c3 and i9; tribe 0 knows technologies, both have stars."""
    state = begun("c3 i9", tribe_ids)
    state = change(state, "tribes", stars=[stars] * 2).replace(tick=np.int16(tick))
    return knowing(fresh(state, "c3"), 0, known)


def knowing(state: TribesState, seat: int, names: str) -> TribesState:
    """Returns a state in which a seat knows more technologies; `all`: all of them."""
    known = state.tribes.technologies.copy()
    listed = Technology if names == "all" else [Technology[n.upper()] for n in names.split()]
    for technology in listed:
        known[seat] |= np.uint32(1 << technology)
    return change(state, "tribes", technologies=known)


def fresh(state: TribesState, names: str, status: int = 0) -> TribesState:
    """Returns a state in which units have a status, by default that at the start of a turn."""
    return at(state, "units", names, status=status)


def on_network(state: TribesState, names: str) -> TribesState:
    """Returns a state in which tiles have a road, or are marked as a port or a city."""
    side = len(state.tiles.network)
    marked = mask(state.tiles.network)
    marked[tiles(names, side)] = True
    rows = (marked.reshape(side, side) << np.arange(side)).sum(axis=1)
    return change(state, "tiles", network=rows)


def in_row(state: TribesState, part: str, row: int, **fields) -> TribesState:
    """Returns a state in which fields of one row of a part are replaced."""
    changed = {field: getattr(getattr(state, part), field).copy() for field in fields}
    for field, value in fields.items():
        changed[field][row] = value
    return change(state, part, **changed)


def in_city(state: TribesState, name: str, **fields) -> TribesState:
    """Returns a state in which fields of one city are replaced."""
    return in_row(state, "cities", place(state, name), **fields)


def in_tribe(state: TribesState, seat: int, **fields) -> TribesState:
    """Returns a state in which fields of one tribe are replaced."""
    return in_row(state, "tribes", seat, **fields)
