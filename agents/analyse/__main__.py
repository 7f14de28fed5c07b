"""`python -m agents.analyse --agent=gumbel:evaluator=rollout`: what an agent thinks of a position.

`--json` answers queries: one JSON object a line, read from the standard input.
"""

import functools

from agents import command_line
from configs.analysis import AnalysisConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings,
    programs.command("agents.analyse"),
    AnalysisConfig,
    "agents.analyse.program:run",
)

if __name__ == "__main__":
    command_line.run(main)
