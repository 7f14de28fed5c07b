"""Options of `python -m agents.opening_book`."""

import dataclasses
import math
import pathlib

from jaxgames.internal.checks import at_least


@dataclasses.dataclass(frozen=True)
class BookConfig:
    """Builds an opening book by UCT, breadth first over the likely moves of all seats."""

    output: pathlib.Path
    """File for the book (.npz); it must not exist yet."""
    game: str = "murus_gallicus"
    """Id of the game."""
    env_options: str = ""
    """Options of the game, for instance "variant=basic"; several are separated by commas."""
    moves: int = 3
    """First own moves of each seat that the book covers."""
    simulations: int = 2000
    """Simulations of UCT for each position."""
    c: float = 1.4
    """Weight of exploration in UCT."""
    rollouts: int = 1
    """Random games that judge a position."""
    choices: int = 4
    """Most moves that the book offers in a position."""
    least_share: float = 0.3
    """A move is offered if it has at least this part of the visits of the best one; 0 to 1."""
    replies: int = 32
    """Most moves of a position that are followed where a seat plays without the book."""
    positions: int = 256
    """Most positions that are searched at each ply, those that are most likely to come up."""
    starts: int = 1
    """Starting positions that are drawn; more than one for a game with chance in its set-up."""
    lanes: int = 64
    """Positions that are searched at once."""
    seed: int = 0
    """Decides starting positions and random games."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        for name in (
            *("moves", "simulations", "rollouts", "choices", "replies", "positions"),
            *("starts", "lanes"),
        ):
            at_least(self, name, 1)
        if self.replies < self.choices:
            raise ValueError(
                f"replies must be at least choices={self.choices}, so that the book goes on after "
                f"its own moves, got {self.replies}"
            )
        if not 0 <= self.c < math.inf:
            raise ValueError(f"c must be at least 0, got {self.c}")
        if not 0 <= self.least_share <= 1:
            raise ValueError(f"least_share must be from 0 to 1, got {self.least_share}")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
        if self.output.suffix != ".npz":
            raise ValueError(f"output must end in .npz, got {self.output}")
