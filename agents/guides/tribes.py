"""The guide of planners to Tribes: what they leave out, how they group, draw and judge actions.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020,
and sections 18.2 and 18.5 to 18.8 of the game's document.
"""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, UInt32

from agents.evaluators import tribes as evaluation
from agents.rule_based.tribes.view import distances
from agents.search.planning.guide import Guide
from jaxgames import sampling
from jaxgames.boards import bits
from jaxgames.tribes import legal as legality
from jaxgames.tribes import movement
from jaxgames.tribes.actions import (
    END_TURN,
    FIRST_LEVEL_UP,
    NUM_GLOBAL,
    NUM_LEVEL_UPS,
    TileDeed,
    UnitDeed,
)
from jaxgames.tribes.legal import Options
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Phase, TribesState
from jaxgames.tribes.tables.buildings import NUM_BUILDINGS
from jaxgames.types import Action, LegalMask, RandomWord, SeatValues

_DESTROY = np.uint32(1 << (NUM_BUILDINGS + TileDeed.DESTROY))
_ROAD = np.uint32(1 << (NUM_BUILDINGS + TileDeed.BUILD_ROAD))
_DISBAND = np.uint32(1 << UnitDeed.DISBAND)
_ALL = np.uint32(0xFFFFFFFF)
_NO_OPTIONS: dict[str, Any] = {
    **dict.fromkeys(("on_tile", "spawns", "by_unit"), np.uint32(0)),
    **dict.fromkeys(("attacks", "moves"), False),
}
_NUMBERS = np.arange(NUM_GLOBAL)
_ENDS = _NUMBERS == END_TURN
_LEVELS_UP = (_NUMBERS >= FIRST_LEVEL_UP) & (_NUMBERS < FIRST_LEVEL_UP + NUM_LEVEL_UPS)
_UNITS_AT_ONCE = 4  # whose moves are counted together


@dataclasses.dataclass(frozen=True)
class TribesGuide(Guide):
    """The guide. An action is a tile and what to do there, or a thing of the whole tribe."""

    rules: Tribes

    plies: ClassVar[int] = 2

    def look_ahead(self, state: TribesState) -> LegalMask:
        """Returns all but the end of the turn, destroying and disbanding, if there is anything.

        On a tile where only those can be done, chosen by somebody else, they remain.
        """
        chosen = self._mask(state, _constructive(self._options(state)), ~_ENDS)
        is_left = (state.phase == Phase.DEED) | (np.arange(len(chosen)) == self._end)
        return jnp.where(chosen.any(), chosen, self.rules.legal_actions(state) & is_left)

    def root_groups(self, state: TribesState, *, passing: bool) -> Bool[Array, "3 actions"]:
        """Returns the actions of cities without destroying, of units, and of the whole tribe.

        The end of the turn alone is no group, unless there is no other.
        """
        options = self._options(state)
        of_cities = _only(options, on_tile=~(_DESTROY | _ROAD), spawns=_ALL)
        of_units = _only(options, by_unit=_ALL, attacks=True, moves=True)
        cities = self._mask(state, of_cities, _LEVELS_UP)
        units = self._mask(state, of_units, np.zeros_like(_ENDS))
        tribe = self._mask(state, _only(options, on_tile=_ROAD), ~_ENDS & ~_LEVELS_UP)
        others = (cities | units).any()
        counts = jnp.where(tribe.any(), passing, ~others)
        end = self._mask(state, _only(options), _ENDS)
        return jnp.stack([cities, units, tribe | (end & counts)])

    def playout_action(self, state: TribesState, word: RandomWord) -> Action:
        """Returns a ply of a random action; the turn only ends where nothing else can be done."""
        action, is_any = self._draw(state, self._options(state), ~_ENDS, word)
        return jnp.where(is_any, action, self._end)

    def plan_action(
        self, state: TribesState, legal: UInt32[Array, "words"], word: RandomWord
    ) -> Action:
        """Returns a ply of a random action other than destroying and disbanding."""
        options = _constructive(self._options(state))
        action, is_any = self._draw(state, options, np.ones_like(_ENDS), word)
        return jnp.where(is_any, action, sampling.sample_packed(legal, word))

    def worth(self, state: TribesState) -> SeatValues:
        """Returns the evaluation of the paper, also for games that are over."""
        return evaluation.worth(self.rules.setting, state)

    @property
    def _end(self) -> int:
        return self.rules.setting.board.tiles + END_TURN

    def _options(self, state: TribesState) -> Options:
        return legality.options_of(self.rules.setting, state)

    def _mask(
        self, state: TribesState, options: Options, of_tribe: Bool[np.ndarray, "27"]
    ) -> LegalMask:
        """Returns the plies that lead to some of the legal options."""
        setting = self.rules.setting
        tiles = legality.sources(setting, state, options) & ~options.levels
        first = jnp.concatenate([tiles, legality.globals_(state, options) & of_tribe])
        second = legality.deeds(setting, state, options, state.selected.astype(jnp.int32))
        is_first = state.phase == Phase.SOURCE
        return jnp.where(is_first, self._padded(first), self._padded(second)) & ~state.over

    def _draw(
        self,
        state: TribesState,
        options: Options,
        of_tribe: Bool[np.ndarray, "27"],
        word: RandomWord,
    ) -> tuple[Action, Bool[Array, ""]]:
        """Returns a ply such that all options have the same chance, and whether there are any.

        A tile is drawn by the number of deeds on it.
        """
        counts = jnp.where(options.levels, 0, self._deeds_on_tiles(state, options))
        globals_ = legality.globals_(state, options) & of_tribe
        first = jnp.concatenate([counts, globals_])
        tile = state.selected.astype(jnp.int32)
        second = legality.deeds(self.rules.setting, state, options, tile).astype(jnp.int32)
        is_first = state.phase == Phase.SOURCE
        upto = jnp.cumsum(jnp.where(is_first, self._padded(first), self._padded(second)))
        rank = sampling.bounded(word, jnp.maximum(upto[-1], 1))
        action = jnp.minimum((upto <= rank).sum(), len(upto) - 1)
        return action.astype(jnp.int32), upto[-1] > 0

    def _deeds_on_tiles(self, state: TribesState, options: Options) -> Int32[Array, "T"]:
        """Returns the number of deeds on each tile."""
        setting, kind = self.rules.setting, jnp.maximum(state.units.kind, 0).astype(jnp.int32)
        reach = jnp.asarray(setting.p.unit_range)[kind]
        is_near = distances(setting.board.side) <= reach[:, None]
        targets = (is_near & options.targets).sum(axis=1)
        words = options.on_tile, options.spawns, options.by_unit
        counts = sum(map(bits.count, words), jnp.where(options.attacks, targets, 0))

        # Only units that can move are looked at, some at a time.
        number = len(counts)
        size = number + _UNITS_AT_ONCE
        (movers,) = jnp.nonzero(options.moves, size=size, fill_value=number)
        last = jnp.where(state.phase == Phase.SOURCE, options.moves.sum(), 0)

        def count(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            done, counts = carry
            tiles = jax.lax.dynamic_slice(movers, (done,), (_UNITS_AT_ONCE,))
            ways = jax.vmap(
                lambda tile: movement.destinations(setting, options.ground, tile, kind[tile])
            )(jnp.minimum(tiles, number - 1))
            return done + _UNITS_AT_ONCE, counts.at[tiles].add(ways.sum(axis=1), mode="drop")

        return jax.lax.while_loop(lambda carry: carry[0] < last, count, (jnp.int32(0), counts))[1]

    def _padded(self, values: Array) -> Array:
        return jnp.pad(values, (0, self.rules.num_actions - len(values)))


def _constructive(options: Options) -> Options:
    """Returns the options without destroying and disbanding."""
    return options._replace(
        on_tile=options.on_tile & ~_DESTROY, by_unit=options.by_unit & ~_DISBAND
    )


def _only(options: Options, **kept: Any) -> Options:
    """Returns some of the options: of each field that is named, the bits that are given."""
    fields = {
        name: getattr(options, name) & kept.get(name, nothing)
        for name, nothing in _NO_OPTIONS.items()
    }
    return options._replace(**fields)


def make(rules: Tribes) -> TribesGuide:
    """Returns the guide, which suits all options of the rules."""
    return TribesGuide(rules, evaluation.Lead(rules))
