"""`python -m agents.mcp`: the games as tools for a language model."""

import functools

from agents import command_line
from configs.mcp import McpConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings, programs.command("agents.mcp"), McpConfig, "agents.mcp.server:run"
)

if __name__ == "__main__":
    command_line.run(main)
