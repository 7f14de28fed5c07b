"""Afterstate values of Tribes: who wins, from the paper's evaluation and counts of what is known.

The features of every seat are sums over its tiles, units and cities, so they do not depend on the
size of the board. How near units are to villages, cities and other units is a sum of
`exp(-distance / NEARNESS)` over all pairs.
"""

import dataclasses
import functools
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32

from jaxgames.boards import bits
from jaxgames.players.tribes import score
from jaxgames.rules import Rules, Seat, SeatValues
from jaxgames.search.planning.afterstate_domain import AfterstateDomain
from jaxgames.tribes.engine import queries, research, turn
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.grid import board_of
from jaxgames.tribes.engine.knowledge import determinize
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import NO_CITY, NO_TILE, Stage, TribesState
from jaxgames.tribes.tables.buildings import NUM_BUILDINGS, MonumentState
from jaxgames.tribes.tables.technologies import NUM_TECHNOLOGIES
from jaxgames.tribes.tables.terrain import NUM_TERRAINS, Resource, Terrain
from jaxgames.tribes.tables.tribes import NUM_TRIBES, Result
from jaxgames.tribes.tables.units import NUM_STATUSES, NUM_UNIT_KINDS

LEAD_UNIT = 120.0  # worth of a lead at which a game is nearly decided
NEARNESS = 2.5  # tiles over which nearness falls to 1 / e
_RESOURCES = np.array([resource for resource in Resource if resource != Resource.NONE])
_STARS_UNIT = 20.0


@dataclasses.dataclass(frozen=True)
class TribesAfterstates(AfterstateDomain):
    """Values are expected returns, in [-1, 1]."""

    rules: Tribes

    points_unit: ClassVar[float] = 2000.0

    def features(self, state: TribesState, seat: Seat) -> Float[Array, "features"]:
        """Returns what `seat` knows: its own numbers, and the counts of every seat, its own first.

        The state may be the whole game or what `seat` knows of it.
        """
        return self.features_and_estimate(state, seat)[0]

    @property
    def num_seat_features(self) -> int:
        """The counts of each seat."""
        state = jax.eval_shape(self.rules.init, jax.random.key(0))
        return jax.eval_shape(functools.partial(_by_seat, self.rules.config), state).shape[1]

    def estimate(self, state: TribesState, seat: Seat) -> SeatValues:
        """Returns the lead of every seat by the paper's evaluation, as far as `seat` knows."""
        return self.features_and_estimate(state, seat)[1]

    def features_and_estimate(
        self, state: TribesState, seat: Seat
    ) -> tuple[Float[Array, "features"], SeatValues]:
        """Returns both, from what `seat` knows."""
        config = self.rules.config
        known = determinize(state, seat)
        common = _common(config, known, seat)
        by_seat = _by_seat(config, known)
        by_seat = jnp.roll(by_seat, -seat, axis=0)
        features = jnp.concatenate([common, by_seat.reshape(-1)])
        return features, score.leads(config, known) / LEAD_UNIT


@functools.lru_cache(maxsize=8)
def _nearness(side: int) -> Float[np.ndarray, "T T"]:
    """Returns `exp(-distance / NEARNESS)` of each pair of tiles; moves may be diagonal."""
    board = board_of(side)
    rows = np.abs(board.row[:, None] - board.row)
    columns = np.abs(board.column[:, None] - board.column)
    return np.exp(-np.maximum(rows, columns) / NEARNESS).astype(np.float32)


def _common(
    config: GameConfig, known: TribesState, seat: Int32[Array, ""]
) -> Float[Array, "common"]:
    """Returns numbers of the game and of the seat that looks."""
    tribes = known.tribes
    monuments = tribes.monuments[seat]
    limit = jnp.asarray(config.p.turn_limit)[int(config.by_score)]
    numbers = [
        known.tick / jnp.maximum(limit, 1),
        known.active == seat,
        known.phase == Stage.SUB_ACTION,
        tribes.stars[seat] / _STARS_UNIT,
        jnp.minimum(tribes.stars[seat], 10) / 10,
        bits.count(tribes.connected[seat]) / 5,
        bits.count(tribes.visible[seat].astype(jnp.uint32)).sum() / config.board.tiles,
        tribes.peace[seat] / 5,
        tribes.kills[seat] / 10,
    ]
    groups = [
        jnp.stack([jnp.asarray(number, jnp.float32) for number in numbers]),
        research.costs(config, known, seat) / 30,
        bits.to_mask(tribes.technologies[seat], NUM_TECHNOLOGIES),
        monuments == MonumentState.AVAILABLE,
        monuments == MonumentState.BUILT,
    ]
    return jnp.concatenate([group.astype(jnp.float32) for group in groups])


def _by_seat(config: GameConfig, known: TribesState) -> Float[Array, "P numbers"]:
    """Returns the counts of every seat, by number of the seat."""
    tiles, units, cities, board = known.tiles, known.units, known.cities, config.board
    seats = jnp.arange(config.players)
    kernel = jnp.asarray(_nearness(board.side))
    owner = jnp.where(tiles.owner == NO_CITY, -1, cities.tribe[tiles.owner])
    health = units.hp / jnp.maximum(queries.max_hp(units, config.p), 1)
    incomes = turn.incomes(config, known)
    lacking = queries.needed_population(cities) - cities.population
    centre = jnp.where(cities.tile == NO_TILE, board.tiles, cities.tile).astype(jnp.int32)
    is_village = tiles.terrain == Terrain.VILLAGE
    capital = cities.capital_of

    def at_centres(chosen: Bool[Array, "C"]) -> Float[Array, "T"]:
        return jnp.zeros((board.tiles,)).at[centre].add(chosen.astype(jnp.float32), mode="drop")

    def of_seat(seat: Int32[Array, ""]) -> Float[Array, "numbers"]:
        has_unit = units.tribe == seat
        within = owner == seat
        owned, other = cities.tribe == seat, (cities.tribe != seat) & (cities.tribe >= 0)
        enemies = (units.tribe != seat) & (units.tribe >= 0)
        # [T, 6]: what it may be near to.
        targets = jnp.stack(
            [
                is_village.astype(jnp.float32),
                at_centres(owned),
                at_centres(other),
                at_centres(other & (capital >= 0)),
                enemies * health,
                (tiles.resource == Resource.RUINS).astype(jnp.float32),
            ],
            axis=1,
        )
        near = kernel @ targets
        kinds = units.kind[:, None] == np.arange(NUM_UNIT_KINDS)
        strength = has_unit * health
        lists = [
            (has_unit[:, None] & kinds).sum(axis=0) / 3,
            (strength[:, None] * kinds).sum(axis=0) / 3,
            (has_unit[:, None] & (units.status[:, None] == np.arange(NUM_STATUSES))).sum(axis=0)
            / 5,
            strength @ near / 3,
            at_centres(owned) @ near / 3,
            (within[:, None] & (tiles.terrain[:, None] == np.arange(NUM_TERRAINS))).sum(axis=0)
            / 10,
            (within[:, None] & (tiles.resource[:, None] == _RESOURCES)).sum(axis=0) / 5,
            (within[:, None] & (tiles.building[:, None] == np.arange(NUM_BUILDINGS))).sum(axis=0)
            / 3,
            known.tribes.tribe_ids[seat] == np.arange(NUM_TRIBES),
        ]
        numbers = [
            (has_unit & units.veteran).sum() / 3,
            owned.sum() / 5,
            (owned & (capital >= 0)).sum(),
            (owned & (capital == seat)).any(),
            (owned & cities.walls).sum() / 3,
            jnp.where(owned, cities.level, 0).sum() / 10,
            jnp.where(owned, cities.level, 0).max() / 5,
            jnp.where(owned, lacking, 0).sum() / 10,
            jnp.where(owned, cities.population, 0).sum() / 10,
            jnp.where(owned, incomes, 0).sum() / 20,
            jnp.where(owned, queries.units_at_home(known), 0).sum() / 5,
            known.tribes.score[seat] / 5000,
            known.tribes.result[seat] == Result.LOSS,
            seat < known.active,
        ]
        lists.append(jnp.stack([jnp.asarray(number, jnp.float32) for number in numbers]))
        return jnp.concatenate([group.astype(jnp.float32) for group in lists])

    return jax.vmap(of_seat)(seats)


def make(rules: Rules) -> TribesAfterstates:
    """Returns the domain, which suits all options of the rules."""
    assert isinstance(rules, Tribes)
    return TribesAfterstates(rules)
