"""What a position of My Game is worth, as a person would say it."""

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Float

from my_game.rules import EMPTY, FIRST, SECOND, MyGameRules, MyGameState, lines

SCALE = 0.05  # of a line with one stone, against a won game


@dataclasses.dataclass(frozen=True)
class OpenLines:
    """Counts the lines that only one seat can fill; each further stone makes one worth 4 times."""

    rules: MyGameRules

    def __call__(self, state: MyGameState) -> Float[Array, "players"]:
        """Returns the estimated return of each seat in a position that is not over."""
        on_lines = state.stones.reshape(-1)[lines(self.rules)]
        first, second = (self._worth(on_lines, stone) for stone in (FIRST, SECOND))
        lead = jnp.tanh(SCALE * (first - second))
        return jnp.stack([lead, -lead])

    def _worth(self, on_lines: Array, stone: int) -> Array:
        own = (on_lines == stone).sum(1)
        is_open = (own > 0) & ((on_lines == stone) | (on_lines == EMPTY)).all(1)
        return jnp.where(is_open, 4.0 ** (own - 1), 0.0).sum()


def make_score(rules: MyGameRules) -> OpenLines:
    """Returns the score of these rules."""
    return OpenLines(rules)
