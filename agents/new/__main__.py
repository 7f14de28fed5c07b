"""`python -m agents.new --game=connect_four`: writes a package with a game of one's own."""

import functools

from agents import command_line
from configs.new import NewConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings,
    programs.command("agents.new"),
    NewConfig,
    "agents.new.package:run",
)

if __name__ == "__main__":
    command_line.run(main)
