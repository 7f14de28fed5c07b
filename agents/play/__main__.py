"""`python -m agents.play --game=onitama`: the board in the browser, or on the terminal."""

import functools

from agents import command_line
from configs.play import PlayConfig
from jaxgames.internal import programs


def _work(config: PlayConfig) -> str:
    return "agents.play.terminal:run" if config.terminal else "agents.play.server:run"


main = functools.partial(
    command_line.run_settings, programs.command("agents.play"), PlayConfig, _work
)

if __name__ == "__main__":
    command_line.run(main)
