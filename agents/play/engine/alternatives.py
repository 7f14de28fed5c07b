"""What the moves of a position lead to, by the learned values of the player that judges it."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames.analysis import afterstate_values
from jaxgames.analysis.afterstate_values import Expectation
from jaxgames.analysis.analysis import Analysis, MoveAnalysis
from jaxgames.env import Env
from jaxgames.players.player import Player
from jaxgames.state import State

MOST_JUDGED = 128  # moves of a position: each is played on the host


def expected_after(
    env: Env[Any], player: Player, state: State[Any], actions: Sequence[int], key: PRNGKeyArray
) -> dict[int, Expectation]:
    """Returns what a player with a network of afterstates expects after each of some actions.

    Args:
        env: the game.
        player: the player.
        state: a game in progress, on the host.
        actions: legal actions.
        key: decides chance in the moves.
    """
    afters = [afterstate_values.after(env, state, action, key) for action in actions]
    seats = [int(state.current_player)] * len(actions)
    found = afterstate_values.expected_or_outcome(env, player, afters, seats)
    return dict(zip(actions, found, strict=True))


def with_alternatives(
    env: Env[Any],
    player: Player,
    state: State[Any],
    analysis: Analysis,
    top: int,
    key: PRNGKeyArray,
) -> tuple[Analysis, dict[int, Expectation]]:
    """Returns an analysis that lists other moves, too, and what is expected after each.

    Players that look one step ahead tell their decision alone. For these, the legal moves are
    judged, at most `MOST_JUDGED`, and the best are listed. Nothing is expected by players
    without learned values of afterstates.

    Args:
        env: the game.
        player: the player that has made the analysis.
        state: the position.
        analysis: the analysis.
        top: the most moves that are listed.
        key: decides chance in the moves.
    """
    if afterstate_values.network_of(player) is None:
        return analysis, {}
    if any(move.value is not None for move in analysis.moves):
        listed = dict.fromkeys([analysis.action, *(move.action for move in analysis.moves)])
        return analysis, expected_after(env, player, state, list(listed), key)
    legal = np.flatnonzero(np.asarray(state.legal_action_mask)).tolist()
    actions = list(dict.fromkeys([analysis.action, *legal]))[:MOST_JUDGED]
    judged = expected_after(env, player, state, actions, key)
    unit = afterstate_values.unit_of(player)

    def rank(action: int) -> tuple[bool, float]:
        return action != analysis.action, -afterstate_values.own(
            judged[action], analysis.seat, unit
        )

    known = {move.action: move for move in analysis.moves}
    moves = []
    for action in sorted(actions, key=rank)[:top]:
        text = env.action_to_text(state, action)
        moves.append(known.get(action) or MoveAnalysis(action, text, variation=(text,)))
    return dataclasses.replace(analysis, moves=tuple(moves)), judged
