"""The critic of DDPG: the value of an action vector in a position.

Source: Dasgupta and Chong, "Mastering the game of Onitama with Reinforcement Learning" (2021).
"""

import dataclasses
from typing import Any

from flax import nnx
from jaxtyping import Array, Float, PRNGKeyArray

from jaxgames.env import Env
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.network import Network, sizes
from papers.onitama_report.ddpg.preprocess import Preprocess, small_weights


class Critic(nnx.Module):
    """The value of an action vector in a position."""

    def __init__(
        self,
        board: tuple[int, int, int],
        numbers: int,
        num_actions: int,
        config: NetworkConfig,
        rngs: nnx.Rngs,
    ):
        self.preprocess = Preprocess(board, (numbers, num_actions), config, rngs)
        self.value = nnx.Linear(config.hidden, 1, kernel_init=small_weights, rngs=rngs)

    def __call__(
        self,
        board: Float[Array, "B planes H W"],
        numbers: Float[Array, "B numbers"],
        action: Float[Array, "B actions"],
    ) -> Float[Array, "B"]:
        """Returns the expected discounted reward of acting so."""
        return self.value(self.preprocess(board, numbers, action))[:, 0]


@dataclasses.dataclass(frozen=True)
class CriticNetwork(Network):
    """The critic as pure functions of its parameters; `apply` returns values `[B]`."""

    def build(self, key: PRNGKeyArray) -> Critic:
        """Returns a critic with fresh parameters."""
        return Critic(self.board, self.numbers, self.num_actions, self.config, nnx.Rngs(key))


def make_critic(env: Env[Any], config: NetworkConfig) -> CriticNetwork:
    """Returns the critic for a game.

    Raises:
        ValueError: for a game whose observation is not a board and a vector.
    """
    return CriticNetwork(*sizes(env), config)
