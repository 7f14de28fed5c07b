"""`Network`: an actor or the critic as pure functions of its parameters."""

import abc
import dataclasses
import functools
from typing import Any

import jax
from flax import nnx
from jaxtyping import Array, PRNGKeyArray

from jaxgames.env import Env
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.preprocess import SMALLEST_SIDE

_LEARNED = (nnx.Param, nnx.BatchStat)  # kinds of arrays that parameters hold


@dataclasses.dataclass(frozen=True)
class Network(abc.ABC):
    """The sizes of a network, and its functions. Hashable; holds no parameters."""

    board: tuple[int, int, int]
    """Planes, height and width of the board."""
    numbers: int
    """Length of the vector beside it."""
    num_actions: int
    config: NetworkConfig

    @abc.abstractmethod
    def build(self, key: PRNGKeyArray) -> nnx.Module:
        """Returns the layers with fresh parameters."""

    @functools.cached_property
    def _graph(self) -> Any:
        model = nnx.eval_shape(lambda: self.build(jax.random.key(0)))
        return nnx.split(model, _LEARNED)[0]

    def init(self, key: PRNGKeyArray) -> Any:
        """Returns fresh float32 parameters: a nested dict of arrays."""
        return nnx.to_pure_dict(nnx.split(self.build(key), _LEARNED)[1])

    def apply(self, params: Any, *inputs: Array) -> Any:
        """Returns the output for a batch, normalised by the running averages."""
        model = nnx.merge(self._graph, nnx.State(params))
        model.eval()
        return model(*inputs)

    def train(self, params: Any, *inputs: Array) -> tuple[Any, Any]:
        """Returns the output for a batch, normalised by the batch's own statistics.

        The second value is the parameters with their running averages moved towards these
        statistics.
        """
        model = nnx.merge(self._graph, nnx.State(params))
        model.train()
        return model(*inputs), nnx.to_pure_dict(nnx.state(model, _LEARNED))


def sizes(env: Env[Any]) -> tuple[tuple[int, int, int], int, int]:
    """Returns the shape of the board, the length of the vector and the number of actions.

    Raises:
        ValueError: for a game whose observation is not a board `[planes, height, width]` and a
            vector, or whose board is too small.
    """
    shape = env.observation_shape
    is_pair = isinstance(shape, tuple) and len(shape) == 2
    if not is_pair or [len(part) if isinstance(part, tuple) else 0 for part in shape] != [3, 1]:
        raise ValueError(
            "actor and critic need an observation of a board [planes, height, width] and a vector; "
            f"{env.id} has {shape}"
        )
    board, (numbers,) = shape
    if min(board[1:]) < SMALLEST_SIDE:
        raise ValueError(
            f"actor and critic need a board of at least {SMALLEST_SIDE} x {SMALLEST_SIDE} squares; "
            f"{env.id} has {board[1]} x {board[2]}"
        )
    return tuple(board), numbers, env.num_actions
