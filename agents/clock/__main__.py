"""`python -m agents.clock --players ms1 ms2 --scale=0.01`: a match with clocks."""

import functools

from agents import command_line
from configs.clock import ClockConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings,
    programs.command("agents.clock"),
    ClockConfig,
    "agents.clock.program:run",
)

if __name__ == "__main__":
    command_line.run(main)
