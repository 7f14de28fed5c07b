"""A run of MuZero: the loop of AlphaZero with another algorithm (`train/loop.py`)."""

from typing import Any

from configs.muzero import MuZeroConfig
from jaxgames import Env
from jaxgames.networks.learned_model import KIND
from train import loop
from train.muzero.algorithm import MuZero, make_muzero


class MuZeroRun(loop.AlphaZero):
    """A run of `python -m train.muzero`."""

    config: MuZeroConfig

    def make_algorithm(self, env: Env[Any]) -> MuZero:
        """Returns MuZero.

        Raises:
            ValueError: for settings that do not fit the game.
        """
        return make_muzero(env, self.config)

    def describe(self) -> dict[str, Any]:
        """Returns what agents must know of the model."""
        return super().describe() | {"kind": KIND}
