"""From a record of self-play to training samples."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float16

from agents.agent import GameStates
from train.selfplay import Plies


class Samples(NamedTuple):
    """Positions with what is known about them. Small: the observation is rebuilt when learning."""

    game: GameStates
    policy: Float16[Array, "N K"]  # by slot of the list of legal actions
    search_values: Float16[Array, "N players"]
    outcome: Float16[Array, "N players"]  # return of each seat, zeros where unknown
    outcome_known: Bool[Array, "N"]


def make_samples(plies: Plies) -> Samples:
    """Returns one sample for each ply of a record `[T, B, ...]`.

    A backward scan hands the returns of a finished game to all of its plies. The outcome stays
    unknown for games that go on after the record, for games cut off at the step cap, and for plies
    before a random move of the same game.
    """
    num_players = plies.returns.shape[-1]
    num_lanes = plies.ended.shape[1]

    def earlier(carry: tuple[Array, Array], ply: Plies) -> tuple[tuple[Array, Array], tuple]:
        outcome = jnp.where(ply.ended[:, None], ply.returns, carry[0])
        known = jnp.where(ply.ended, ply.decided, carry[1]) & ~ply.off_policy
        return (outcome, known), (outcome, known)

    nothing = (jnp.zeros((num_lanes, num_players), jnp.float16), jnp.zeros((num_lanes,), bool))
    _, (outcome, known) = jax.lax.scan(earlier, nothing, plies, reverse=True)
    outcome = jnp.where(known[..., None], outcome, jnp.float16(0))
    samples = Samples(plies.game, plies.policy, plies.search_values, outcome, known)
    return jax.tree.map(lambda x: x.reshape((-1, *x.shape[2:])), samples)
