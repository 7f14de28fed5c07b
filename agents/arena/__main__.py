"""`python -m agents.arena --agents random minimax:depth=2`: a tournament and its tables.

`python -m agents.arena replay games.jsonl` plays the games of a file of records again.
"""

import functools

from agents import command_line
from configs.tournament import ReplayConfig, TournamentConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings,
    programs.command("agents.arena"),
    TournamentConfig,
    "agents.arena.program:run",
    subcommands={"replay": (ReplayConfig, "agents.arena.program:replay")},
)

if __name__ == "__main__":
    command_line.run(main)
