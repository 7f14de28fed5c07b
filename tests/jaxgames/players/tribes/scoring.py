"""Scores of the rule-based agent of Tribes, in words. What the tests of it share."""

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from benchmarks import host_batches
from benchmarks.golden.tribes.actions import GLOBAL
from benchmarks.golden.tribes.recorded_game import RecordedGame
from jaxgames.batching import trees
from jaxgames.players.tribes.rule_based.player import ILLEGAL, RuleBased
from jaxgames.tribes.rules import Tribes
from jaxgames.tribes.state import Stage, TribesState
from jaxgames.tribes.text.commands import command, tile_name

RULE_BASED = "RB"
TWO = Tribes()
LANES = 64  # one shape for all tests, so that scores compile once


class Seen(NamedTuple):
    """One decision of a recorded rule-based agent."""

    name: str
    decision: int
    is_best: bool  # the recorded action is among those that ours scores highest
    num_best: int


def score(states: Sequence[TribesState], rules: Tribes) -> Any:
    """Returns the scores of at most `LANES` positions."""
    lanes = np.minimum(np.arange(LANES), len(states) - 1)
    scores = _score(RuleBased(rules), host_batches.take(trees.stack(states), lanes))
    return host_batches.take(jax.device_get(scores), slice(len(states)))


@functools.partial(jax.jit, static_argnums=0)
def _score(agent: RuleBased, states: Any) -> Any:
    return agent.score(states)


def scored(state: TribesState, rules: Tribes = TWO) -> dict[str, int]:
    """Returns the score of each legal action, such as `c4 move d5` or `end_turn`."""
    sub_actions, of_tribe = host_batches.take(score([state], rules), 0)
    side, number = len(state.tiles.network), len(state.tiles.terrain)
    found = {
        command(state, number + action): int(of_tribe[action])
        for action in np.flatnonzero(of_tribe > ILLEGAL).tolist()
    }
    for tile, action in np.argwhere(sub_actions > ILLEGAL).tolist():
        chosen = state.replace(phase=np.int8(Stage.SUB_ACTION), selected=np.int16(tile))
        words = f"{tile_name(tile, side)} {command(chosen, action)}"
        found[words] = int(sub_actions[tile, action])
    return found


def decisions(
    recorded_games: Sequence[RecordedGame], rules: Tribes, every: int = 1
) -> Iterator[Seen]:
    """Yields decisions of rule-based agents in recorded games with the same rules."""
    rows = [
        (recorded_game, number)
        for recorded_game in recorded_games
        for number, line in enumerate(recorded_game.decisions)
        if recorded_game.head["agents"][line["p"]] == RULE_BASED
    ][::every]
    for part in host_batches.slices(len(rows), LANES):
        chosen = rows[part]
        states = [
            host_batches.take(recorded_game.states, number) for recorded_game, number in chosen
        ]
        for (recorded_game, number), sub_actions, of_tribe in zip(
            chosen, *score(states, rules), strict=True
        ):
            tile, action = recorded_game.choices[number]
            own = of_tribe[action] if tile == GLOBAL else sub_actions[tile, action]
            highest = max(sub_actions.max(), of_tribe.max())
            count = int((sub_actions == highest).sum() + (of_tribe == highest).sum())
            yield Seen(str(recorded_game.head["id"]), number, bool(own == highest), count)
