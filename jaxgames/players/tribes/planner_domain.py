"""`TribesDomain`: how planners leave out, group, draw and judge actions of Tribes.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020,
and sections 18.2 and 18.5 to 18.8 of the game's document.
"""

import dataclasses
import functools
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int8, Int32, PRNGKeyArray, UInt16, UInt32

from jaxgames import sampling
from jaxgames.batching.sparse_vmap import where_items_needed
from jaxgames.boards import bits
from jaxgames.players.tribes import score
from jaxgames.rules import Action, LegalMask, SeatValues
from jaxgames.sampling import RandomWord
from jaxgames.search.planning.domain import NO_PLY, DecisionPlies, PlannerDomain
from jaxgames.tribes.engine import legal_actions, leveling, pathfinding
from jaxgames.tribes.engine.actions import (
    END_TURN,
    FIRST_LEVEL_UP,
    FIRST_TILE_SUB_ACTION,
    FIRST_UNIT_SUB_ACTION,
    NUM_GLOBAL,
    NUM_LEVEL_UPS,
    NUM_SUB_ACTIONS,
)
from jaxgames.tribes.engine.candidate_moves import CandidateMoves, candidates_of, target_counts
from jaxgames.tribes.engine.config import GameConfig
from jaxgames.tribes.engine.determinize import learned
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.buildings import NUM_BUILDINGS
from jaxgames.tribes.tables.sub_actions import TileSubAction, UnitSubAction

_DESTROY = np.uint32(1 << (NUM_BUILDINGS + TileSubAction.DESTROY))
_ROAD = np.uint32(1 << (NUM_BUILDINGS + TileSubAction.BUILD_ROAD))
_DISBAND = np.uint32(1 << UnitSubAction.DISBAND)
_WASTE = np.isin(
    np.arange(NUM_SUB_ACTIONS),
    [FIRST_UNIT_SUB_ACTION + UnitSubAction.DISBAND, FIRST_TILE_SUB_ACTION + TileSubAction.DESTROY],
)
_ALL, _NONE = np.uint32(0xFFFFFFFF), np.uint32(0)
_NUMBERS = np.arange(NUM_GLOBAL)
_ENDS = _NUMBERS == END_TURN
_ANYTHING = np.ones_like(_ENDS)
_LEVELS_UP = (_NUMBERS >= FIRST_LEVEL_UP) & (_NUMBERS < FIRST_LEVEL_UP + NUM_LEVEL_UPS)


class _Parts(NamedTuple):
    """Parts of the candidate moves: for each field of `CandidateMoves` the bits of `n` parts."""

    on_tile: UInt32[np.ndarray, "n"]
    spawns: UInt32[np.ndarray, "n"]
    by_unit: UInt32[np.ndarray, "n"]
    attacks: Bool[np.ndarray, "n"]
    moves: Bool[np.ndarray, "n"]
    of_tribe: Bool[np.ndarray, "n 27"]


# Row 0: constructive actions. Row 1: all actions on tiles, and the end of the turn.
_LOOK_AHEAD = _Parts(
    on_tile=np.array([~_DESTROY, _ALL]),
    spawns=np.array([_ALL, _ALL]),
    by_unit=np.array([~_DISBAND, _ALL]),
    attacks=np.array([True, True]),
    moves=np.array([True, True]),
    of_tribe=np.stack([~_ENDS, _ENDS]),
)
# Constructive actions and the end of the turn.
_CHOICES = _Parts(
    on_tile=np.array([~_DESTROY]),
    spawns=np.array([_ALL]),
    by_unit=np.array([~_DISBAND]),
    attacks=np.array([True]),
    moves=np.array([True]),
    of_tribe=_ANYTHING[None],
)
# Cities, units, the whole tribe.
_GROUPS = _Parts(
    on_tile=np.array([~(_DESTROY | _ROAD), _NONE, _ROAD]),
    spawns=np.array([_ALL, _NONE, _NONE]),
    by_unit=np.array([_NONE, _ALL, _NONE]),
    attacks=np.array([False, True, False]),
    moves=np.array([False, True, False]),
    of_tribe=np.stack([_LEVELS_UP, np.zeros_like(_ENDS), ~_LEVELS_UP]),
)


@dataclasses.dataclass(frozen=True)
class TribesDomain(PlannerDomain):
    """Tribes as planners see it.

    An action is a tile with a sub-action there, or one action of the whole tribe.
    """

    rules: Tribes

    decision_plies: ClassVar[int] = 2
    ends_turns: ClassVar[bool] = True
    judges_returns: ClassVar[bool] = False

    def look_ahead(self, state: TribesState) -> LegalMask:
        """Returns the mask of all actions but ending the turn, destroying and disbanding.

        Where only these three are legal, for instance on a tile that is already chosen, the mask
        holds them.
        """
        chosen, rest = self._masks(state, _LOOK_AHEAD)
        is_left = (state.phase == Stage.SUB_ACTION) | (np.arange(len(rest)) == self._end)
        return jnp.where(chosen.any(), chosen, rest & is_left)

    def choices(self, state: TribesState, legal: LegalMask) -> LegalMask:
        """Returns the mask of all actions but destroying and disbanding."""
        chosen = self._masks(state, _CHOICES)[0]
        return jnp.where(chosen.any(), chosen, legal)

    def action_groups(self, state: TribesState, *, passing: bool) -> Bool[Array, "3 actions"]:
        """Returns the masks of three groups: actions of cities, of units and of the whole tribe.

        Destroying is in no group. The end of the turn alone is a group only where all other groups
        are empty.
        """
        groups = self._masks(state, _GROUPS)
        is_end = np.arange(groups.shape[1]) == self._end
        is_end = jnp.where(state.phase == Stage.SOURCE, is_end, False)
        cities, units, tribe = (groups & ~is_end).any(axis=1)
        counts = jnp.where(tribe, passing, ~cities & ~units)
        return groups & (~is_end | counts)

    def count_actions(self, state: TribesState) -> Int32[Array, ""]:
        """Returns the number of legal actions, or of legal sub-actions if a tile is chosen."""
        candidates, is_first = self._candidates(state), state.phase == Stage.SOURCE
        on_tiles = self._sub_actions_on_tiles(state, candidates, is_first).sum()
        all_ = on_tiles + legal_actions.globals_(candidates).sum()
        tile = state.selected.astype(jnp.int32)
        sub_actions = legal_actions.sub_actions(self.rules.config, state, candidates, tile)
        return jnp.where(is_first, all_, sub_actions.sum())

    def random_action(self, state: TribesState, word: RandomWord) -> Action:
        """Returns the next ply of a random action; all legal actions have the same chance."""
        plies, _ = self._draw(state, self._candidates(state), _ANYTHING, jnp.bool_(True), word)
        return plies[0]

    def playout_start(self, state: TribesState, key: PRNGKeyArray) -> TribesState:
        """Returns the position as the seat to move knows it; others have guessed technologies.

        For every two turns, each other tribe has learnt one technology, drawn from the
        technologies that it could learn next.
        """
        seat = self.rules.to_move(state)
        guess = self.rules.determinize(state, seat, key)
        is_other = jnp.arange(self.rules.num_players) != seat
        tribes = guess.tribes
        known = learned(tribes.technologies, is_other, state.tick, key)
        return guess.replace(tribes=tribes.replace(technologies=known))

    def playout_action(self, state: TribesState, word: RandomWord) -> DecisionPlies:
        """Returns a random action; it ends the turn only where no other action is legal."""
        always = jnp.bool_(True)
        plies, is_any = self._draw(state, self._candidates(state), ~_ENDS, always, word)
        return jnp.where(is_any, plies, jnp.array([self._end, NO_PLY]))

    def turn_end(self, state: TribesState) -> DecisionPlies:
        """Returns the end of the turn, unless a city must level up or a tile was chosen."""
        _, levels = leveling.city_to_level(state)
        can_end = (state.phase == Stage.SOURCE) & ~levels & ~state.over
        return jnp.where(can_end, jnp.array([self._end, NO_PLY]), NO_PLY)

    def plan_action(
        self, state: TribesState, wanted: DecisionPlies, redraws: Bool[Array, ""], word: RandomWord
    ) -> DecisionPlies:
        """Returns the wanted action, or a random one if it is illegal or `redraws` is set.

        The random action destroys or disbands only where the chosen tile leaves no other choice.
        """
        candidates = self._candidates(state)
        stays = self._is_legal(state, candidates, wanted) & ~redraws
        plies, _ = self._draw(state, candidates, _ANYTHING, ~stays, word, wastes=False)
        return jnp.where(stays, wanted, plies)

    def first_ply(self, state: TribesState, ply: Action) -> TribesState:
        """Returns the position after the choice of a tile."""
        return state.replace(
            phase=jnp.full_like(state.phase, Stage.SUB_ACTION),
            selected=ply.astype(state.selected.dtype),
        )

    def evaluate(self, state: TribesState) -> SeatValues:
        """Returns the evaluation of the paper; after a conquest, the value of the result."""
        return score.evaluate(self.rules.config, state)

    @property
    def _end(self) -> int:
        return self.rules.config.board.tiles + END_TURN

    def _candidates(self, state: TribesState) -> CandidateMoves:
        return candidates_of(self.rules.config, state)

    def _masks(self, state: TribesState, parts: _Parts) -> Bool[Array, "n actions"]:
        """Returns, for each part of the legal actions, the mask of plies that lead to it."""
        config, candidates = self.rules.config, self._candidates(state)

        def mask(part: _Parts) -> LegalMask:
            names = _Parts._fields[:-1]
            kept = candidates._replace(
                **{n: getattr(candidates, n) & getattr(part, n) for n in names}
            )
            of_tribe = legal_actions.globals_(candidates) & part.of_tribe
            return legal_actions.actions_among(config, state, kept, of_tribe)

        return jax.vmap(mask)(parts)

    def _is_legal(
        self, state: TribesState, candidates: CandidateMoves, plies: DecisionPlies
    ) -> Bool[Array, ""]:
        """Returns whether an action is legal in a position in which no tile has been chosen yet."""
        num_tiles = self.rules.config.board.tiles
        first, second = plies
        tile = jnp.clip(first, 0, num_tiles - 1)
        sub_actions = legal_actions.sub_actions(self.rules.config, state, candidates, tile)
        on_tile = (first < num_tiles) & sub_actions[jnp.maximum(second, 0)] & ~candidates.levels
        by_tribe = legal_actions.globals_(candidates)[
            jnp.clip(first - num_tiles, 0, NUM_GLOBAL - 1)
        ]
        is_legal = jnp.where(second != NO_PLY, on_tile, (first >= num_tiles) & by_tribe)
        return is_legal & (first != NO_PLY) & (state.phase == Stage.SOURCE)

    def _draw(
        self,
        state: TribesState,
        candidates: CandidateMoves,
        of_tribe: Bool[np.ndarray, "27"],
        needed: Bool[Array, ""],
        word: RandomWord,
        *,
        wastes: bool = True,
    ) -> tuple[DecisionPlies, Bool[Array, ""]]:
        """Returns a uniformly random action, and whether there is any action to draw.

        A tile is drawn in proportion to the number of sub-actions on it. The result means nothing
        where `needed` is false.
        """
        config, is_first = self.rules.config, state.phase == Stage.SOURCE
        counted = candidates if wastes else _constructive(candidates)
        counts = self._sub_actions_on_tiles(state, counted, is_first & needed)
        globals_ = legal_actions.globals_(candidates) & of_tribe
        upto = jnp.cumsum(jnp.concatenate([counts, globals_.astype(jnp.int32)]))
        rank = sampling.bounded(word, jnp.maximum(upto[-1], 1))
        first = jnp.minimum((upto <= rank).sum(dtype=jnp.int32), len(upto) - 1)
        before = jnp.where(first > 0, upto[first - 1], 0)
        names_tile = is_first & (first < len(counts))

        selected = state.selected.astype(jnp.int32)
        tile = jnp.where(is_first, jnp.minimum(first, len(counts) - 1), selected)
        sub_actions = legal_actions.sub_actions(config, state, candidates, tile)
        if not wastes:
            kept = sub_actions & ~_WASTE
            sub_actions = jnp.where(kept.any(), kept, sub_actions)
        packed = bits.pack(sub_actions)
        number = sub_actions.sum(dtype=jnp.int32)
        of_sub_actions = sampling.bounded(word, jnp.maximum(number, 1))
        sub_action = bits.select_packed(packed, jnp.where(is_first, rank - before, of_sub_actions))
        plies = [jnp.where(is_first, first, sub_action), jnp.where(names_tile, sub_action, NO_PLY)]
        return jnp.stack(plies), jnp.where(is_first, upto[-1], number) > 0

    def _sub_actions_on_tiles(
        self, state: TribesState, candidates: CandidateMoves, needed: Bool[Array, ""]
    ) -> Int32[Array, "T"]:
        """Returns the number of sub-actions on each tile; without meaning where `needed` is false.

        While a city must level up, the numbers are 0.
        """
        config, kinds = self.rules.config, state.units.kind
        beside, is_all = pathfinding.one_step_counts(config, candidates.ground, kinds)
        # Few units can move further than to a neighbouring tile.
        moves = where_items_needed(
            candidates.moves & ~is_all & needed,
            functools.partial(_count_moves, config),
            jnp.where(candidates.moves, beside, 0),
            pathfinding.packed(candidates.ground),
            kinds,
            share=1 / 256,
        )
        attacks = jnp.where(candidates.attacks, target_counts(config, candidates.targets, kinds), 0)
        words = candidates.on_tile, candidates.spawns, candidates.by_unit
        return jnp.where(candidates.levels, 0, sum(map(bits.count, words), moves + attacks))


def _count_moves(
    config: GameConfig, tile: Int32[Array, ""], ground: UInt16[Array, "T"], kinds: Int8[Array, "T"]
) -> Int32[Array, ""]:
    """Returns the number of moves of the unit on a tile."""
    return pathfinding.destinations(config, tile, ground, kinds).sum(dtype=jnp.int32)


def _constructive(candidates: CandidateMoves) -> CandidateMoves:
    """Returns the candidate moves without destroying and disbanding."""
    return candidates._replace(
        on_tile=candidates.on_tile & ~_DESTROY, by_unit=candidates.by_unit & ~_DISBAND
    )


def make(rules: Tribes) -> TribesDomain:
    """Returns the domain, which suits all options of the rules."""
    return TribesDomain(rules, score.WorthLead(rules))
