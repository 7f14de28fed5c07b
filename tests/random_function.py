"""An evaluator without ties, for comparing searches with each other."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

import jaxgames
from jaxgames.boards.packed_planes import as_floats
from jaxgames.search.evaluators.evaluator import Evaluation


@dataclasses.dataclass(frozen=True)
class RandomFunction:
    """A fixed function of the observation as rugged as random numbers, so no two moves are alike.

    Whole numbers make it exact: the evaluation of a position does not depend on the batch it is in.
    """

    rules: jaxgames.Rules
    spread: float = 4.0  # of the logits

    def __call__(self, params, state, key):
        seat = jax.vmap(self.rules.to_move)(state)
        obs = as_floats(jax.vmap(self.rules.observe)(state, seat))
        words = jax.lax.bitcast_convert_type(obs.reshape(obs.shape[0], -1), jnp.uint32)
        weights = np.random.default_rng(5).integers(2**32, size=words.shape[1], dtype=np.uint32)
        position = _mix((words * (weights | 1)).sum(axis=1, dtype=jnp.uint32))
        num_actions, num_players = self.rules.num_actions, self.rules.num_players
        column = jnp.arange(num_actions + num_players, dtype=jnp.uint32)
        numbers = _mix(position[:, None] + column * np.uint32(0x9E3779B9))
        numbers = (numbers >> 8).astype(jnp.float32) / 2**24
        values = 2 * numbers[:, num_actions:] - 1
        if num_players == 2:
            values = jnp.stack([values[:, 0], -values[:, 0]], axis=-1)
        return Evaluation(self.spread * numbers[:, :num_actions], values)


def _mix(number):
    """Returns another number, each bit of which depends on all bits of the first."""
    number = (number ^ (number >> 16)) * np.uint32(0x7FEB352D)
    number = (number ^ (number >> 15)) * np.uint32(0x846CA68B)
    return number ^ (number >> 16)
