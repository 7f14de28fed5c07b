"""The rules of My Game: a row of stones in any direction wins.

The seats take turns to put a stone on an empty square. Action `a` puts it on the square of rank
`a // files` and file `a % files`; the first rank is the nearest, and square 0 is `a1`.
"""

import dataclasses
import functools
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jaxtyping import Array, Bool, Float, Int8, Int32, PRNGKeyArray

from jaxgames.rules import Rules, Symmetry

EMPTY, FIRST, SECOND = 0, 1, 2  # what a square holds: nothing, or a stone of seat 0 or of seat 1
MOST = 19  # ranks or files
# Ranks and files from one stone of a row to the next.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class MyGameState(struct.PyTreeNode):
    """A position. Whose turn it is follows from the number of stones."""

    stones: Int8[Array, "ranks files"]


@dataclasses.dataclass(frozen=True)
class MyGameRules(Rules[MyGameState]):
    """The rules; a field is an option, as in `jaxgames.make("my_game", ranks=8)`."""

    ranks: int = 6
    """Squares from the near edge to the far one, 2 to 19."""
    files: int = 7
    """Squares from the left edge to the right one, 2 to 19."""
    row: int = 4
    """Stones in a row that win, from 2 to the length of the longer edge."""

    num_players: ClassVar[int] = 2
    seats_alternate: ClassVar[bool] = True
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        """Checks the options."""
        for name in ("ranks", "files", "row"):
            value = getattr(self, name)
            most = max(self.ranks, self.files) if name == "row" else MOST
            if not isinstance(value, int) or not 2 <= value <= most:
                raise ValueError(f"{name} must be an integer from 2 to {most}, got {value!r}")

    @property
    def num_actions(self) -> int:
        """One action for each square."""
        return self.ranks * self.files

    max_legal_actions = max_steps = num_actions

    def init(self, key: PRNGKeyArray) -> MyGameState:
        """Returns the empty board."""
        del key  # no chance in the set-up
        return MyGameState(jnp.zeros((self.ranks, self.files), jnp.int8))

    def to_move(self, state: MyGameState) -> Int32[Array, ""]:
        """Returns the seat that must act."""
        return (state.stones != EMPTY).sum(dtype=jnp.int32) % 2

    def legal_actions(self, state: MyGameState) -> Bool[Array, "actions"]:
        """A stone is put on an empty square."""
        return (state.stones == EMPTY).reshape(-1)

    def step(
        self, state: MyGameState, action: Int32[Array, ""], key: PRNGKeyArray | None = None
    ) -> MyGameState:
        """Puts a stone of the seat to move on a square."""
        del key  # no chance in the play
        here = (jnp.arange(self.num_actions) == action).reshape(state.stones.shape)
        stone = (self.to_move(state) + FIRST).astype(jnp.int8)
        return MyGameState(jnp.where(here, stone, state.stones))

    def is_over(self, state: MyGameState) -> Bool[Array, ""]:
        """The game ends with a row, or when the board is full."""
        return self.has_row(state).any() | (state.stones != EMPTY).all()

    def returns(self, state: MyGameState) -> Float[Array, "players"]:
        """Returns 1 for the seat with a row and -1 for the other; zeros for a draw."""
        rows = self.has_row(state).astype(jnp.float32)
        return rows - rows[::-1]

    def observe(
        self, state: MyGameState, player: Int32[Array, ""]
    ) -> Float[Array, "ranks files 2"]:
        """Returns two planes: the own stones and those of the other seat."""
        own = state.stones == player + FIRST
        return jnp.stack([own, (state.stones != EMPTY) & ~own], axis=-1).astype(jnp.float32)

    def has_row(self, state: MyGameState) -> Bool[Array, "players"]:
        """Returns which seats have a row of stones."""
        on_lines = state.stones.reshape(-1)[lines(self)]
        return jnp.stack([(on_lines == stone).all(1).any() for stone in (FIRST, SECOND)])

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """Returns the reflections of the board, by which training sees a game in several ways."""
        return tuple(_reflection(self, axis) for axis in (0, 1))


@functools.cache
def lines(rules: MyGameRules) -> np.ndarray:
    """Returns the squares of each line on which a row fits: int32 `[lines, row]`."""
    found = []
    for rank, file in np.ndindex(rules.ranks, rules.files):
        for up, right in DIRECTIONS:
            squares = [(rank + up * i, file + right * i) for i in range(rules.row)]
            if all(0 <= r < rules.ranks and 0 <= f < rules.files for r, f in squares):
                found.append([r * rules.files + f for r, f in squares])
    return np.array(found, np.int32)


def _reflection(rules: MyGameRules, axis: int) -> Symmetry:
    squares = np.arange(rules.num_actions, dtype=np.int32).reshape(rules.ranks, rules.files)
    return Symmetry(
        lambda state: MyGameState(jnp.flip(state.stones, axis)),
        lambda state: jnp.asarray(np.flip(squares, axis).reshape(-1)),
    )
