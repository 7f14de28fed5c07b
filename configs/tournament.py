"""Options of `python -m agents.arena`."""

import dataclasses
import math
import pathlib
from typing import Literal

from configs.training import MOST_CPU_DEVICES
from jaxgames.internal.checks import at_least, within

Format = Literal["round_robin", "gauntlet", "knockout"]


@dataclasses.dataclass(frozen=True)
class TournamentConfig:
    """A tournament between agents, in swapped seats from equal deals.

    With `replay FILE` instead of options, saved games are played again and checked.
    """

    agents: tuple[str, ...]
    """Spec strings of at least two agents, for instance `random minimax:depth=2`; `human` or
    `human:name=Ann` asks on the terminal."""
    format: Format = "round_robin"
    """round_robin: everyone meets everyone; gauntlet: the first agent meets all others; knockout:
    a bracket seeded in the order of the agents, in which a drawn match goes to the better seed."""
    game: str = "onitama"
    """Id of the game; it must have two seats."""
    env_options: str = ""
    """Options of the game, for instance "deck=all"; several are separated by commas."""
    games: int = 200
    """Games of each pairing; an even number."""
    opening_plies: int = 0
    """Plies at the start of each game that are drawn at random, equal for both games of a deal."""
    seconds: float | None = None
    """Time of each searching agent for a move. Games are then played one after the other, at the
    pace of people; agents that decide at once need less. None: as the agents say."""
    seed: int = 0
    """Decides set-ups and choices: the same seed gives the same table."""
    cpu_devices: int = 0
    """On a CPU, devices that play side by side, each on one core: a divisor of half of the games;
    0: as many as the file of a stopped run says, else the largest up to the number of cores.
    Results depend on it where agents draw by chance."""
    anchor: str | None = None
    """Agent whose rating is fixed at 1000; the first one if not given."""
    k_factor: float = 32.0
    """Points at stake in a game for the sequential Elo rating."""
    output: pathlib.Path | None = None
    """JSON file for the results, saved after each pairing, and a long one in a file beside it as it
    is played. A stopped run goes on from there."""
    save_games: pathlib.Path | None = None
    """File for the records of all games (`jaxgames.records`); needs `output`."""
    plot: tuple[pathlib.Path, ...] = ()
    """Pictures of the matrices of scores, net wins and plies (png, svg or pdf)."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        if len(self.agents) < 2:
            raise ValueError(f"agents: a tournament needs at least two, got {list(self.agents)}")
        twice = sorted({spec for spec in self.agents if self.agents.count(spec) > 1})
        if twice:
            raise ValueError(f"agents: {', '.join(twice)} is listed more than once")
        at_least(self, "games", 2)
        if self.games % 2:
            raise ValueError(f"games must be an even number, got {self.games}")
        at_least(self, "opening_plies", 0)
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise ValueError(f"seconds must be more than 0, got {self.seconds}")
        within(self, "cpu_devices", 0, MOST_CPU_DEVICES)
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
        if not (self.k_factor > 0 and math.isfinite(self.k_factor)):
            raise ValueError(f"k_factor must be a positive number, got {self.k_factor}")
        if self.save_games is not None and self.output in (None, self.save_games):
            raise ValueError(
                f"save_games={self.save_games} needs an output of its own, so that a stopped run "
                f"can go on; got output={self.output}"
            )
        if self.anchor is not None and self.anchor not in self.agents:
            raise ValueError(f"anchor {self.anchor!r} is none of {', '.join(self.agents)}")


@dataclasses.dataclass(frozen=True)
class ReplayConfig:
    """Plays the games of a file again and checks moves, results and final positions."""

    file: pathlib.Path
    """A file of game records, whatever program wrote it."""
    show: int | None = None
    """Print the positions and moves of the game with this number, 1 being the first of the file."""

    def __post_init__(self) -> None:
        """Checks the number of the game."""
        if self.show is not None and self.show < 1:
            raise ValueError(f"show must be at least 1, got {self.show}")
