"""Positions from the files of games: records, and the formats of other programs."""

import pathlib
from typing import Any

import jax

import jaxgames
from jaxgames import records
from jaxgames.env import Env
from jaxgames.players import registry
from jaxgames.records.replay import is_over
from jaxgames.registry import record_formats
from jaxgames.state import State


def last_position(path: pathlib.Path, game: str, env_options: str) -> tuple[Env[Any], State[Any]]:
    """Returns the game of a file, and its last position in which somebody is to move.

    Args:
        path: a file of records, of which the last game counts, or a file of another format.
        game: the id of the game if several have this format. A record names its own.
        env_options: options of the game, for files of another format.

    Raises:
        ValueError: if the file cannot be read, or nobody is to move in it.
    """
    if path.suffix in ("", ".jsonl", ".json"):
        record = records.read(path)[-1]
        env = records.make_env(record)
    else:
        games = [name for name in jaxgames.available() if path.suffix in record_formats(name)]
        env = registry.make_env(game if game in games or not games else games[0], env_options)
        record = records.import_game(env, path)
    states = [state for state in records.positions(env, record) if not is_over(state)]
    if not states:
        raise ValueError(f"{path}: the game is over at its start")
    return env, jax.device_get(states[-1])
