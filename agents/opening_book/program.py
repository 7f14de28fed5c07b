"""The command that builds an opening book."""

import dataclasses

from rich.console import Console

from agents.opening_book import building
from configs.opening_book import BookConfig
from jaxgames.players import registry
from jaxgames.players.opening_book import storage


def run(config: BookConfig) -> None:
    """Builds a book and writes it to its file."""
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
