"""From a record of self-play to training samples."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float16, Int32

from jaxgames.search.agent import GameStates
from train.selfplay import Plies


class Transitions(NamedTuple):
    """What sequences of samples need besides the positions."""

    action: Int32[Array, "N"]
    ended: Bool[Array, "N"]  # the game ended with this action
    decided: Bool[Array, "N"]  # it ended by its rules, so `returns` are certain, however it came
    returns: Float16[Array, "N players"]  # of the game that this action ended, else zeros


class Samples(NamedTuple):
    """Positions with their targets. They are small: learning rebuilds the observation."""

    game: GameStates
    policy: Float16[Array, "N K"]  # by slot of the list of legal actions
    search_values: Float16[Array, "N players"]
    outcome: Float16[Array, "N players"]  # return of each seat, zeros where unknown
    outcome_known: Bool[Array, "N"]
    scores: Float16[Array, "N players"] | None = None  # final points, if the game counts any
    moves: Transitions | None = None  # where sequences are learned


class _End(NamedTuple):
    """How the games of all lanes end, as far as the record tells."""

    outcome: Float16[Array, "B players"]
    known: Bool[Array, "B"]
    scores: Float16[Array, "B players"] | None


def make_samples(plies: Plies, with_moves: bool = False) -> Samples:
    """Returns one sample for each ply of a record `[T, B, ...]`, ply by ply.

    So the sample after another one of the same lane comes `B` rows later. A backward scan hands the
    returns and points of a finished game to all of its plies. They stay unknown for games that go
    on after the record, for games cut off at the step cap, and for plies before a random move of
    the same game.
    """
    num_players = plies.returns.shape[-1]
    num_lanes = plies.ended.shape[1]

    def earlier(carry: _End, ply: Plies) -> tuple[_End, _End]:
        scores = None
        if ply.scores is not None and carry.scores is not None:
            scores = jnp.where(ply.ended[:, None], ply.scores, carry.scores)
        end = _End(
            outcome=jnp.where(ply.ended[:, None], ply.returns, carry.outcome),
            known=jnp.where(ply.ended, ply.decided, carry.known) & ~ply.off_policy,
            scores=scores,
        )
        return end, end

    zeros = jnp.zeros((num_lanes, num_players), jnp.float16)
    nothing = _End(zeros, jnp.zeros((num_lanes,), bool), None if plies.scores is None else zeros)
    _, end = jax.lax.scan(earlier, nothing, plies, reverse=True)
    outcome = jnp.where(end.known[..., None], end.outcome, jnp.float16(0))
    moves = None
    if with_moves:
        assert plies.action is not None, "a record of self-play holds the moves"
        ended, decided = plies.ended, plies.ended & plies.decided
        moves = Transitions(plies.action.astype(jnp.int32), ended, decided, plies.returns)
    samples = Samples(
        plies.game, plies.policy, plies.search_values, outcome, end.known, end.scores, moves
    )
    return jax.tree.map(lambda x: x.reshape((-1, *x.shape[2:])), samples)
