"""The options of a game, and the types that all parts of the rules share."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int32

from jaxgames.tribes.engine.grid import Grid
from jaxgames.tribes.tables.parameters import TribesParameters

Number = Int32[Array, ""]
Condition = Bool[Array, ""]


class GameConfig(NamedTuple):
    """The options of a game."""

    board: Grid
    players: int
    by_score: bool  # the mode Score instead of Capitals
    fog: bool
    corrected_rules: bool  # without the oddities of the reference
    terrain_defence: bool
    p: TribesParameters

    @property
    def last_tick(self) -> Number:
        """Returns the last tick that is played.

        The first tick is 0, so the reference plays one tick more than the limit of turns.
        """
        return jnp.asarray(self.p.turn_limit)[int(self.by_score)] - int(self.corrected_rules)
