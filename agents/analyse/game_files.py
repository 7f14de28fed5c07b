"""Positions from the files of games: records, and the formats of other programs."""

import pathlib
from typing import Any

import jax

import jaxgames
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.players import registry
from jaxgames.records import Record
from jaxgames.records.replay import is_over
from jaxgames.registry import record_formats
from jaxgames.state import State

RECORDS = ("", ".jsonl", ".json", ".record")
"""Suffixes of files of records; any other is a format of another program."""


def is_of_records(path: pathlib.Path, game: str) -> bool:
    """Returns whether a file is one of records, and not in another format of a game.

    Raises:
        ValueError: if its suffix is neither.
    """
    suffix, formats = path.suffix.casefold(), record_formats(game)
    if suffix not in (*RECORDS, *formats):
        known = (*RECORDS[1:], *formats)
        raise ValueError(f"{path}: {unknown(f'format of {game}', path.suffix, known)}")
    return suffix in RECORDS


def read(
    path: pathlib.Path, game: str, env_options: str, which: int = 0
) -> tuple[Env[Any], Record]:
    """Returns a game of a file, and the environment that it was played in.

    Args:
        path: a file of records, or a file of another format.
        game: the id of the game if several have this format. A record names its own.
        env_options: options of the game, where a file of another format does not say them. A
            record names its own.
        which: the number of the game in a file of records; negative numbers count from the end.

    Raises:
        ValueError: if the file cannot be read.
    """
    suffix = path.suffix.casefold()
    games = [name for name in jaxgames.available() if suffix in record_formats(name)]
    game = game if game in games or not games else games[0]
    if is_of_records(path, game):
        record = records.read(path)[which]
        return records.make_env(record), record
    env = registry.make_env(game, env_options)
    if said := records.options_of(env.id, path):
        env = jaxgames.make(env.id, **{**env.rules.non_default_options, **said})
    return env, records.import_game(env, path)


def last_position(path: pathlib.Path, game: str, env_options: str) -> tuple[Env[Any], State[Any]]:
    """Returns the game of a file, and its last position in which somebody is to move.

    Args:
        path: a file of records, of which the last game counts, or a file of another format.
        game: the id of the game if several have this format. A record names its own.
        env_options: options of the game, for files of another format.

    Raises:
        ValueError: if the file cannot be read, or nobody is to move in it.
    """
    env, record = read(path, game, env_options, which=-1)
    states = [state for state in records.positions(env, record) if not is_over(state)]
    if not states:
        raise ValueError(f"{path}: the game is over at its start")
    return env, jax.device_get(states[-1])
