"""`python -m agents.play --game=onitama`: the board in the browser, or on the terminal."""

import os
import pathlib
import sys

from agents import command_line
from configs.play import PlayConfig
from jaxgames.internal import compilation_cache, programs

PROGRAM = programs.command("agents.play")


def main() -> int:
    """Runs what the command line asks for; returns the exit code, 2 for bad input."""
    return command_line.run_settings(PROGRAM, PlayConfig, run)


def run(config: PlayConfig) -> int:
    """Serves the page until it is interrupted, or plays a game on the terminal."""
    # Imported here, since they import jax: the help text and errors in options come at once.
    if config.terminal:
        return play_on_terminal(config)
    try:
        from agents.play import server
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the page needs the package {error.name}: pip install 'jaxgames[play]'"
        ) from error
    compilation_cache.announce_long_compilations()
    return server.serve(config, config.folder or default_folder(config.game))


def play_on_terminal(config: PlayConfig) -> int:
    """Plays a game on the terminal."""
    from agents.play import seating, terminal
    from agents.terminal.console import Console
    from jaxgames.players import registry

    compilation_cache.announce_long_compilations()
    env = registry.make_env(config.game, config.env_options)
    seats = seating.seats(env, config.seats)
    table = terminal.TerminalGame(env, seats, Console(), config.seed)
    if config.load is not None:
        table.load(config.load)
    if config.position is not None:
        table.new(env.text_to_state(config.position))
    return terminal.play(table, config.save)


def default_folder(game: str) -> pathlib.Path:
    """Returns the folder of the games of a user, by the conventions of the operating system."""
    if sys.platform == "win32":
        base = pathlib.Path(os.environ.get("LOCALAPPDATA", pathlib.Path.home() / "AppData/Local"))
    elif sys.platform == "darwin":
        base = pathlib.Path.home() / "Library/Application Support"
    else:
        base = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    return base / "jaxgames" / "games" / game


if __name__ == "__main__":
    command_line.run(main)
