"""`RuleBased`: scores all legal actions and plays a random one of the best."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int8, PRNGKeyArray

from jaxgames import sampling
from jaxgames.batching.arrays import has_bit
from jaxgames.players.tribes.rule_based import economy, units
from jaxgames.players.tribes.rule_based.view import TribeView, view_of
from jaxgames.search import action_slots
from jaxgames.search.action_slots import ActionBatch, over_actions
from jaxgames.search.agent import Decision, GameStates, Memory, Memoryless, Params
from jaxgames.tribes.engine import legal_actions
from jaxgames.tribes.engine.actions import FIRST_BUILD, FIRST_SPAWN
from jaxgames.tribes.engine.candidate_moves import CandidateMoves, candidates_of
from jaxgames.tribes.engine.grid import TileMask
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.tables.units import NUM_SPAWNED

ILLEGAL = -128
_MIN_UNITS_AT_ONCE = 8


class ActionScores(NamedTuple):
    """The score of each action; `ILLEGAL` where it cannot be played."""

    sub_actions: Int8[Array, "*B T 256"]
    of_tribe: Int8[Array, "*B 27"]


class _Game(NamedTuple):
    """One position: as it is, as the tribe knows it, and its candidate moves."""

    state: TribesState
    view: TribeView
    candidates: CandidateMoves


@dataclasses.dataclass(frozen=True)
class RuleBased(Memoryless):
    """Plays an action with the highest score; equal actions have the same chance.

    Scores come from the position as the seat to move knows it. The true position only decides which
    actions are legal. The first ply is a tile, drawn in proportion to its number of best
    sub-actions. The second ply is one of these sub-actions. So all best pairs of tile and
    sub-action have the same chance, and the player needs no memory.
    """

    rules: Tribes

    def act(
        self, params: Params, memory: Memory, state: GameStates, key: PRNGKeyArray
    ) -> tuple[Decision, Memory]:
        """Returns one of the best actions of each game; `policy` holds their chances."""
        del params
        best = self.best(state)
        of_tile = best.sub_actions[jnp.arange(len(state.phase)), state.selected.astype(jnp.int32)]
        first = jnp.concatenate([best.sub_actions.sum(axis=-1), best.of_tribe], axis=-1)
        is_second = (state.phase == Stage.SUB_ACTION)[:, None]
        size = self.rules.num_actions
        weights = jnp.where(is_second, _padded(of_tile, size), _padded(first, size))
        upto = jnp.cumsum(weights, axis=-1)
        words = sampling.random_words(key, len(weights))
        rank = sampling.bounded(words, jnp.maximum(upto[:, -1], 1))
        action = jnp.minimum((upto <= rank[:, None]).sum(axis=-1), size - 1).astype(jnp.int32)
        policy = weights / jnp.maximum(upto[:, -1:], 1)
        values = jnp.zeros((len(weights), self.rules.num_players), jnp.float32)
        return Decision(action, policy, values), memory

    def best(self, state: GameStates) -> Any:
        """Returns `ActionScores` of booleans: true for the actions with the highest score."""
        scores = self.score(state)
        highest = jnp.maximum(scores.sub_actions.max(axis=(1, 2)), scores.of_tribe.max(axis=1))
        return jax.tree.map(
            lambda x: (x == highest.reshape(-1, *(1,) * (x.ndim - 1))) & (x > ILLEGAL), scores
        )

    def score(self, state: GameStates) -> ActionScores:
        """Returns the scores of all actions that are legal in the phase of each game."""
        games = jax.vmap(self._look)(state)
        return ActionScores(
            jnp.concatenate([self._of_units(games), jax.vmap(self._on_tiles)(games)], axis=-1),
            jax.vmap(self._of_tribe)(games),
        )

    def _look(self, state: TribesState) -> _Game:
        known = self.rules.determinize(state, self.rules.to_move(state), jax.random.key(0))
        config = self.rules.config
        return _Game(state, view_of(config, known), candidates_of(config, state))

    def _of_units(self, games: _Game) -> Int8[Array, "B T 223"]:
        """Returns the scores of unit actions. The units of all games are processed in one list.

        So the cost depends on the number of units that may act, not on the number of tiles.
        """
        config, num_games = self.rules.config, len(games.state.phase)
        candidates = games.candidates
        acts = candidates.moves | candidates.attacks | (candidates.by_unit != 0)
        words = action_slots.pack(acts & jax.vmap(self._is_open)(games))

        def rate(place: ActionBatch, found: Array) -> Array:
            chosen: _Game = jax.tree.map(lambda x: x[place.game], games)

            def of_unit(game: _Game, tile: Array) -> Array:
                sub_actions = legal_actions.sub_actions(config, game.state, game.candidates, tile)
                scores = units.scores_of(config, game.view, tile)
                return _legal(sub_actions[:FIRST_BUILD], scores)

            row = jnp.where(place.is_there, place.game, num_games)
            return found.at[row, place.bit].set(jax.vmap(of_unit)(chosen, place.bit), mode="drop")

        shape = num_games, config.board.tiles, FIRST_BUILD
        nothing = jnp.full(shape, ILLEGAL, jnp.int8)
        at_once = max(num_games, _MIN_UNITS_AT_ONCE)
        return over_actions(words, shape[1], at_once, rate, nothing)

    def _on_tiles(self, game: _Game) -> Int8[Array, "T 33"]:
        candidates = game.candidates
        is_legal = jnp.concatenate(
            [
                has_bit(candidates.on_tile[:, None], np.arange(FIRST_SPAWN - FIRST_BUILD)),
                has_bit(candidates.spawns[:, None], np.arange(NUM_SPAWNED)),
            ],
            axis=1,
        )
        is_legal &= self._is_open(game)[:, None]
        return _legal(is_legal, economy.scores_on_tiles(self.rules.config, game.view))

    def _of_tribe(self, game: _Game) -> Int8[Array, "27"]:
        is_first = (game.state.phase == Stage.SOURCE) & ~game.state.over
        is_legal = legal_actions.globals_(game.candidates) & is_first
        return _legal(is_legal, economy.scores_of_tribe(game.view))

    def _is_open(self, game: _Game) -> TileMask:
        """Returns the tiles that may be acted on: all tiles, or the chosen tile."""
        state = game.state
        chosen = np.arange(self.rules.config.board.tiles) == state.selected
        is_open = (state.phase == Stage.SOURCE) | chosen
        return is_open & ~game.candidates.levels & ~state.over


def _legal(is_legal: Array, scores: Array) -> Array:
    return jnp.where(is_legal, scores, ILLEGAL).astype(jnp.int8)


def _padded(weights: Array, size: int) -> Array:
    return jnp.pad(weights.astype(jnp.int32), ((0, 0), (0, size - weights.shape[-1])))
