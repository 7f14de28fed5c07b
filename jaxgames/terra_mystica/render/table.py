"""A position on the host, as the pictures need it: who owns what, and what is left."""

import functools
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array

from jaxgames.internal.program_cache import cached_jit
from jaxgames.terra_mystica.engine import leech
from jaxgames.terra_mystica.render import palette
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import NO_BRIDGE, NO_FACTION, Phase, TerraMysticaState
from jaxgames.terra_mystica.tables.factions import FACTIONS, NUM_STRUCTURES, STOCK, Structure
from jaxgames.terra_mystica.tables.terrain import (
    COLUMNS,
    LAND_COLUMN,
    LAND_ROW,
    RIVER_COLUMN,
    RIVER_ROW,
    Colour,
)
from jaxgames.terra_mystica.tables.tiles import (
    FAVOR_COPIES,
    NUM_BASE_TOWNS,
    NUM_FAVORS,
    NUM_TOWNS,
    TOWN_COPIES,
)
from jaxgames.terra_mystica.text.move_words import faction_title
from jaxgames.terra_mystica.text.position_text import colours_of, to_host


class Bridge(NamedTuple):
    """A bridge on the map."""

    seat: int
    place: int  # row of the table of bridges


class TableView:
    """What lies on the table in one position.

    Raises:
        ValueError: if `game` is a batch of games.
    """

    def __init__(self, rules: TerraMystica, game: TerraMysticaState) -> None:
        self.rules = rules
        self.game = to_host(game)
        seat, power = jax.device_get(_due(rules, self.game))
        self.decider = None if self.game.phase == Phase.OVER else int(seat)
        """The seat that decides next; None after the end."""
        self.offered_power = int(power)
        """Power that this seat may take, if that is what it decides about."""

    @functools.cached_property
    def factions(self) -> list[int]:
        """Faction of each seat; `NO_FACTION` if it has not chosen."""
        return self.game.players.faction.tolist()

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.factions)

    @functools.cached_property
    def colours(self) -> list[int]:
        """`[77]` colour of each land hex."""
        return colours_of(self.game).tolist()

    @functools.cached_property
    def structures(self) -> dict[int, Structure]:
        """The structure on each land hex that has one."""
        layers = _bits(self.game.board.structures)[:, LAND_ROW, LAND_COLUMN]
        kinds, hexes = layers.nonzero()
        return {
            h: Structure(k) for h, k in sorted(zip(hexes.tolist(), kinds.tolist(), strict=True))
        }

    @functools.cached_property
    def town_hexes(self) -> list[int]:
        """Land hexes whose structures belong to a town."""
        return _land(self.game.board.in_town)

    @functools.cached_property
    def buildable(self) -> list[int]:
        """Land hexes on which the current action may still build."""
        return _land(self.game.pending.buildable)

    @functools.cached_property
    def skipped(self) -> list[int]:
        """River hexes across which a town was founded."""
        return _bits(self.game.board.skipped)[RIVER_ROW, RIVER_COLUMN].nonzero()[0].tolist()

    @functools.cached_property
    def bridges(self) -> list[Bridge]:
        """All bridges."""
        seats, slots = (self.game.board.bridges != NO_BRIDGE).nonzero()
        places = self.game.board.bridges[seats, slots] - 1
        return [Bridge(*pair) for pair in zip(seats.tolist(), places.tolist(), strict=True)]

    def name(self, seat: int) -> str:
        """Returns the name of a player."""
        number = self.factions[seat]
        if number == NO_FACTION:
            return f"Seat {seat}"
        return faction_title(FACTIONS[number].name)

    def shades(self, seat: int) -> palette.ColourShades:
        """Returns the colours of a player."""
        number = self.factions[seat]
        return (
            palette.NO_SHADES if number == NO_FACTION else palette.SHADES[FACTIONS[number].colour]
        )

    def built(self, seat: int) -> list[int]:
        """Returns `[5]` structures that a player has on the map."""
        number = self.factions[seat]
        counts = [0] * NUM_STRUCTURES
        for hex_, kind in self.structures.items():
            if number != NO_FACTION and self.colours[hex_] == FACTIONS[number].colour:
                counts[kind] += 1
        return counts

    def stock(self, seat: int) -> list[int]:
        """Returns `[5]` structures that a player has left."""
        return [int(total) - built for total, built in zip(STOCK, self.built(seat), strict=True)]

    def favors(self, seat: int) -> list[int]:
        """Returns the favor tiles of a player."""
        bits = int(self.game.players.favors[seat])
        return [favor for favor in range(NUM_FAVORS) if bits >> favor & 1]

    def towns(self, seat: int) -> list[int]:
        """Returns the town tiles of a player, one entry for each copy."""
        counts = self.game.players.towns[seat].tolist()
        return [kind for kind, count in enumerate(counts) for _ in range(count)]

    @functools.cached_property
    def favors_left(self) -> list[int]:
        """`[12]` favor tiles of each kind that nobody has."""
        taken = [favor for seat in range(self.num_players) for favor in self.favors(seat)]
        return [int(n) - taken.count(favor) for favor, n in enumerate(FAVOR_COPIES)]

    @functools.cached_property
    def towns_left(self) -> list[int]:
        """Town tiles of each kind in play that nobody has."""
        kinds = NUM_TOWNS if self.rules.mini_towns else NUM_BASE_TOWNS
        left = TOWN_COPIES - self.game.players.towns.sum(axis=0, dtype=np.int32)
        return left[:kinds].tolist()


@functools.partial(cached_jit.jit, static_argnames="rules")
def _due(rules: TerraMystica, game: TerraMysticaState) -> tuple[Array, Array]:
    return rules.to_move(game), leech.next_decision(game).amount


def _bits(sets: Array) -> np.ndarray:
    """Returns `[..., 9, 13]` bool: the cells of sets of cells."""
    words = np.asarray(sets)
    return (words[..., None] >> np.arange(COLUMNS, dtype=words.dtype) & 1).astype(bool)


def _land(cells: Array) -> list[int]:
    return _bits(cells)[LAND_ROW, LAND_COLUMN].nonzero()[0].tolist()


def colour_name(colour: int) -> str:
    """Returns the name of a terrain colour in lower case."""
    return Colour(colour).name.lower()
