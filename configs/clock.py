"""Options of `python -m agents.clock`."""

import dataclasses
import math
import pathlib

from jaxgames.internal.checks import at_least


@dataclasses.dataclass(frozen=True)
class ClockConfig:
    """A match between two players with clocks; whoever needs longer than it has loses."""

    players: tuple[str, str]
    """Spec strings of two agents, for instance `best ms2`; `human` asks on the terminal."""
    game: str = "murus_gallicus"
    """Id of the game; it must have two seats."""
    env_options: str = ""
    """Options of the game, for instance "variant=delayed"; several are separated by commas."""
    games: int = 2
    """Number of games, an even number: each position is played with both seats."""
    opening_plies: int = 4
    """Plies at the start of each game that are drawn at random, equal for both games of a pair; 0
    for players with a book."""
    seconds: float = 120.0
    """Time of a player for all moves of a game."""
    scale: float = 1.0
    """Real seconds of a second of the clock; 0.01 plays games of 120 seconds in 1.2."""
    seed: int = 0
    """Decides set-ups, openings, and how players choose between equal moves or moves of a book."""
    output: pathlib.Path | None = None
    """JSON file for the results: outcome, seconds left and searches of each game, and sums."""
    save_games: pathlib.Path | None = None
    """File for the records of all games (`jaxgames.records`), with the seconds of each move."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        at_least(self, "games", 2)
        if self.games % 2:
            raise ValueError(f"games must be an even number, got {self.games}")
        at_least(self, "opening_plies", 0)
        for name in ("seconds", "scale"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(
                    f"{name} must be more than 0 and finite, got {getattr(self, name)}"
                )
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
