"""Options of `python -m agents.analyse`."""

import dataclasses
import pathlib

from jaxgames.internal.checks import at_least

REVIEW_KINDS = (".html", ".json", ".txt")
"""Suffixes of files for a review."""


@dataclasses.dataclass(frozen=True)
class AnalysisConfig:
    """Prints how an agent judges a position: values of the seats, best moves, variations.

    A file of a game is reviewed: what each move lost against the best one. `--last` analyses its
    last position instead. With `--json`, queries are read from the standard input and answered on
    the standard output, one JSON object a line. The format is in docs/analysis.md.
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
    """File of games, records or an `.oni` or `.ledger` file, whose last game is reviewed. A file of
    records says which game it is."""
    output: tuple[pathlib.Path, ...] = ()
    """Files for the review: .html, a page that needs no server; .json; or .txt."""
    last: bool = False
    """Analyses the last position of the file in which somebody is to move, instead of a review; so
    do `--moves` and `--picture`."""
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

    @property
    def is_review(self) -> bool:
        """Whether a game is reviewed."""
        is_of_position = self.last or self.moves or self.picture is not None
        return self.file is not None and not is_of_position

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
        for path in self.output:
            if path.suffix not in REVIEW_KINDS:
                kinds = ", ".join(REVIEW_KINDS)
                raise ValueError(f"output must end in one of {kinds}, got {path}")
        if self.last and self.file is None:
            raise ValueError("last belongs to a file of a game: give one with --file")
        if self.output and not self.is_review:
            raise ValueError(
                "output takes the review of a game: give its --file, and leave out last, moves and "
                "picture"
            )
        if self.file is not None and self.position is not None:
            raise ValueError("position and file both name a position: give one of them")
