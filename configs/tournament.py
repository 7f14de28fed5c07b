"""Options of `python -m agents.arena`."""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class TournamentConfig:
    """A round robin between agents: everyone meets everyone, in swapped seats from equal deals."""

    agents: tuple[str, ...]
    """Spec strings of at least two agents, for instance `random minimax:depth=2`."""
    game: str = "onitama"
    """Id of the game; it must have two seats."""
    env_options: str = ""
    """Options of the game, for instance "deck=all"; several are separated by commas."""
    games: int = 200
    """Games of each pairing; an even number."""
    opening_plies: int = 0
    """Plies at the start of each game that are drawn at random, equal for both games of a deal."""
    seed: int = 0
    """Decides set-ups and choices: the same seed gives the same table."""
    anchor: str | None = None
    """Agent whose rating is fixed at 1000; the first one if not given."""
    output: pathlib.Path | None = None
    """JSON file for the results, saved after each pairing. A stopped run goes on from it."""
    plot: pathlib.Path | None = None
    """Picture of the scores (png, svg or pdf)."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        if len(self.agents) < 2:
            raise ValueError(f"agents: a tournament needs at least two, got {list(self.agents)}")
        twice = sorted({spec for spec in self.agents if self.agents.count(spec) > 1})
        if twice:
            raise ValueError(f"agents: {', '.join(twice)} is listed more than once")
        if self.games < 2 or self.games % 2:
            raise ValueError(f"games must be an even number of at least 2, got {self.games}")
        if self.opening_plies < 0:
            raise ValueError(f"opening_plies must not be negative, got {self.opening_plies}")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
        if self.anchor is not None and self.anchor not in self.agents:
            raise ValueError(f"anchor {self.anchor!r} is none of {', '.join(self.agents)}")
