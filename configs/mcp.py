"""Options of `python -m agents.mcp`."""

import dataclasses

from jaxgames.internal.checks import within


@dataclasses.dataclass(frozen=True)
class McpConfig:
    """Offers the games to a language model as tools, by the Model Context Protocol (MCP).

    It is started by the program that talks to the model, and reads and writes its standard streams.
    """

    game: str = "onitama"
    """Id of the game that is begun if the model names no other."""
    most_games: int = 64
    """Games that are kept; of more, the one that was begun first is forgotten."""

    def __post_init__(self) -> None:
        """Checks what can be checked without the game."""
        within(self, "most_games", 1, 10_000)
