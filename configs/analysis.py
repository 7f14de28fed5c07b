"""Options of `python -m agents.analyse`."""

import dataclasses
import pathlib

from jaxgames.internal.checks import at_least


@dataclasses.dataclass(frozen=True)
class AnalysisConfig:
    """Prints how an agent judges a position: values of the seats, best moves, variations.

    With `--json`, queries are read from the standard input and answered on the standard output,
    one JSON object a line. The format is in docs/analysis.md.
    """

    agent: str = "best"
    """Spec string of the agent, for instance "gumbel:evaluator=rollout,simulations=64"."""
    game: str = "onitama"
    """Id of the game."""
    env_options: str = ""
    """Options of the game, for instance "deck=all"; several are separated by commas."""
    position: str | None = None
    """Text of the position; a starting position, drawn with the seed, if not given."""
    file: pathlib.Path | None = None
    """File of games, records or an `.oni` or `.ledger` file: the last position of its last game in
    which somebody is to move. A file of records says which game it is."""
    moves: tuple[str, ...] = ()
    """Moves that are played from the position before it is analysed."""
    top: int = 5
    """Most moves that are listed."""
    picture: pathlib.Path | None = None
    """File for a drawing of the position, .svg or .png."""
    json: bool = False
    """Answers queries instead of analysing one position."""
    batch: int = 32
    """Most positions that are searched at once with `--json`."""
    seed: int = 0
    """Decides the starting position and all chance of the search."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        at_least(self, "top", 1)
        at_least(self, "batch", 1)
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {self.seed}")
        if self.picture is not None and self.picture.suffix.lower() not in (".svg", ".png"):
            raise ValueError(f"picture must end in .svg or .png, got {self.picture}")
        is_given = self.position is not None or self.file is not None
        if self.json and (is_given or self.moves or self.picture is not None):
            raise ValueError(
                "json reads positions from queries: leave out position, file, moves, picture"
            )
        if self.file is not None and self.position is not None:
            raise ValueError("position and file both name a position: give one of them")
