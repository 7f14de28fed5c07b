"""The server of the Model Context Protocol: each method of `Games` as a tool."""

import functools
import threading
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from agents.mcp.games import Games
from configs.mcp import McpConfig
from jaxgames.internal.version import __version__
from jaxgames.pictures import raster

INSTRUCTIONS = (
    "Strategy board games. Begin one with new_game, read the board and the legal moves, and play "
    "one of these moves exactly as it is written. The game waits for a move of each seat in turn: "
    "for an opponent, play with the name of an agent instead of a move."
)


def run(config: McpConfig) -> None:
    """Serves the program that has started this one, until it closes the connection."""
    make_server(config).run()


def make_server(config: McpConfig) -> MCPServer:
    """Returns the server.

    Raises:
        ValueError: for an unknown game.
    """
    games = Games(config.game, config.most_games)
    server = MCPServer("jaxgames", instructions=INSTRUCTIONS, version=__version__)

    def render(game_id: str, theme: str = "light") -> Image:
        """Returns a picture of the position as the seat to move sees it, light or dark."""
        return Image(data=raster.png(games.drawing(game_id, theme).as_svg()), format="png")

    lock = threading.Lock()
    tools: tuple[Callable[..., Any], ...] = (
        games.new_game,
        games.position,
        games.legal_moves,
        games.play,
        games.analyse,
        render,
    )
    for tool in tools:
        server.add_tool(_one_at_a_time(tool, lock))
    return server


def _one_at_a_time(tool: Callable[..., Any], lock: threading.Lock) -> Callable[..., Any]:
    """Returns a tool that waits for the others, and tells the model what was wrong."""

    @functools.wraps(tool)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            with lock:
                return tool(*arguments, **options)
        except ValueError as error:
            raise ToolError(str(error)) from error

    return call
