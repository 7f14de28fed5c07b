"""Replays recorded games of Terra Mystica on the device, games of the same rules together."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from benchmarks import host_batches
from benchmarks.golden.core.records import Record
from benchmarks.golden.terra_mystica.compared_state import ComparedState, of_state
from benchmarks.golden.terra_mystica.recorded_game import RecordedGame, faction_numbers
from jaxgames.batching import trees
from jaxgames.boards import bits
from jaxgames.terra_mystica.engine import setup
from jaxgames.terra_mystica.engine.seats import NUM_SOURCES
from jaxgames.terra_mystica.rules import TerraMystica
from jaxgames.terra_mystica.state import TerraMysticaState
from jaxgames.terra_mystica.tables.tiles import CARD_NAMES, SCORING_NAMES

GAMES, STEPS = 64, 64  # of one call: a single shape, so that rules are compiled once
NO_ACTION = -1  # after the end of a game
EDITED = ("coins", "workers", "vp")  # fields of `PlayerStates` that a host has corrected


class Trace(NamedTuple):
    """A replayed game; arrays have an axis of steps, and step `t` is before action `t`.

    From the first illegal action on, the state stays as it is.
    """

    state: ComparedState
    to_move: Any
    is_over: Any
    is_legal: Any  # the action taken
    legal: Any  # [steps, words] all legal actions, packed


class Replay(NamedTuple):
    """A replayed game with its outcome."""

    trace: Trace
    final: TerraMysticaState
    earned: Any  # [P, sources] points of each seat by `Source`
    networks: Any  # [P] size of the largest network of each seat


def rules_of(record: Record) -> TerraMystica:
    """Returns the rules that a recorded game follows."""
    options = record["options"]
    return TerraMystica(
        num_players=record["players"],
        mini_towns=options["mini_towns"],
        bon10=options["bon10"],
        score9=options["score9"],
        turn_order=options["turn_order"],
        errata_cultists=options["errata_cultists"],
        post_conversions=True,
        auto_end=False,
    )


def replay(games: Sequence[tuple[Record, RecordedGame]]) -> list[Replay]:
    """Replays games; returns one result for each, in their order."""
    results: dict[int, Replay] = {}
    rules = [rules_of(record) for record, _ in games]
    for own in dict.fromkeys(rules):
        members = [i for i, other in enumerate(rules) if other == own]
        # Games of similar length share a batch, which takes as long as its longest game.
        members.sort(key=lambda i: len(games[i][1].decisions))
        for part in host_batches.slices(len(members), GAMES):
            chosen = members[part]
            results |= zip(chosen, _replay(own, [games[i] for i in chosen]), strict=True)
    return [results[i] for i in range(len(games))]


def start_of(rules: TerraMystica, record: Record) -> TerraMysticaState:
    """Returns the state before the first dwelling of a recorded game."""
    scoring = [SCORING_NAMES.index(name) for name in record["score"]]
    cards = [CARD_NAMES.index(name) for name in record["cards"]]
    return setup.start(
        rules.num_players, faction_numbers(record), scoring, cards, rules.score9, rules.bon10
    )


def _replay(rules: TerraMystica, recorded: Sequence[tuple[Record, RecordedGame]]) -> list[Replay]:
    """Replays at most `GAMES` games of the same rules."""
    starts = [jax.device_get(start_of(rules, record)) for record, _ in recorded]
    games = host_batches.take(trees.stack(starts), np.minimum(np.arange(GAMES), len(starts) - 1))
    longest = max(len(game.decisions) for _, game in recorded)
    steps = STEPS * -(-(longest + 1) // STEPS)
    actions = np.full((GAMES, steps), NO_ACTION, np.int32)
    edits = np.zeros((GAMES, steps, rules.num_players, len(EDITED)), np.int16)
    for row, corrections, (_, game) in zip(actions, edits, recorded, strict=False):
        row[: len(game.decisions)] = [decision.action for decision in game.decisions]
        for edit in game.edits:
            corrections[edit.decision, edit.seat, EDITED.index(edit.field)] += edit.change
    earned = np.zeros((GAMES, rules.num_players, NUM_SOURCES), np.int32)
    parts = []
    for part in host_batches.slices(steps, STEPS):
        (games, earned), trace = _play(rules, (games, earned), actions[:, part], edits[:, part])
        parts.append(jax.device_get(trace))
    trace = jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=1), *parts)
    outcome = jax.device_get((games, earned, _networks(rules, games)))
    return [Replay(*host_batches.take((trace, *outcome), i)) for i in range(len(recorded))]


@functools.partial(jax.jit, static_argnums=0)
def _play(rules: TerraMystica, games: Any, actions: Int32[Array, "B steps"], edits: Any) -> Any:
    """Returns the games and the points earned after some steps, and the trace of the steps."""

    def play(carry: Any, inputs: tuple[Array, Array]) -> tuple[Any, Trace]:
        game, earned = carry
        action, edit = inputs
        game = _corrected(game, edit)
        legal = rules.legal_actions(game)
        is_legal = (action >= 0) & legal[jnp.maximum(action, 0)]
        moved, points = rules.step_with_sources(game, jnp.maximum(action, 0))
        after = jax.tree.map(lambda new, old: jnp.where(is_legal, new, old), moved, game)
        after = after, earned + points * is_legal
        return after, Trace(
            of_state(game), rules.to_move(game), rules.is_over(game), is_legal, bits.pack(legal)
        )

    return jax.vmap(lambda game, *inputs: jax.lax.scan(play, game, inputs))(games, actions, edits)


@functools.partial(jax.jit, static_argnums=0)
def _networks(rules: TerraMystica, games: Any) -> Int32[Array, "B P"]:
    return jax.vmap(rules.networks)(games)


def _corrected(game: TerraMysticaState, edit: Array) -> TerraMysticaState:
    """Returns the game with the host's corrections made."""
    values = {}
    for index, name in enumerate(EDITED):
        field = getattr(game.players, name)
        values[name] = field + edit[:, index].astype(field.dtype)
    return game.replace(players=game.players.replace(**values))
