"""`python -m agents.opening_book --game=onitama --output=FILE`: builds an opening book."""

import dataclasses

from agents import command_line
from configs.opening_book import BookConfig
from jaxgames.internal import compilation_cache, programs

PROGRAM = programs.command("agents.opening_book")


def main() -> int:
    """Builds what the command line asks for; returns the exit code, 2 for bad input."""
    return command_line.run_settings(PROGRAM, BookConfig, run)


def run(config: BookConfig) -> int:
    """Builds a book and writes it to its file."""
    # Imported here, since they import jax: the help text and errors in options come at once.
    from rich.console import Console

    from agents.opening_book import building
    from jaxgames.players import registry
    from jaxgames.players.opening_book import storage

    compilation_cache.announce_long_compilations()
    console = Console()
    env = registry.make_env(config.game, config.env_options)
    storage.check_target(config.output)

    def report(ply: int, positions: int) -> None:
        console.print(f"ply {ply}: {positions} positions", highlight=False)

    book = building.build(env, config, report)
    settings = dataclasses.asdict(config)
    for name in ("output", "game", "env_options"):  # `describe` says better what the game is
        del settings[name]
    storage.save(config.output, book, storage.describe(env, settings))
    console.print(f"book of {len(book)} positions: {config.output}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    command_line.run(main)
