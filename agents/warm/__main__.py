"""`python -m agents.warm --games onitama tribes`: compiles ahead what other commands will need."""

import functools

from agents import command_line
from configs.warm import WarmConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings,
    programs.command("agents.warm"),
    WarmConfig,
    "agents.warm.program:run",
)

if __name__ == "__main__":
    command_line.run(main)
