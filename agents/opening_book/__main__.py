"""`python -m agents.opening_book --game=onitama --output=FILE`: builds an opening book."""

import functools

from agents import command_line
from configs.opening_book import BookConfig
from jaxgames.internal import programs

main = functools.partial(
    command_line.run_settings,
    programs.command("agents.opening_book"),
    BookConfig,
    "agents.opening_book.program:run",
)

if __name__ == "__main__":
    command_line.run(main)
