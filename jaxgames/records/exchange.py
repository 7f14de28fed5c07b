"""Records from and to the formats of other programs, which the table of games names by suffix."""

import importlib
import os
import pathlib
from collections.abc import Iterable
from typing import Any

from jaxgames import registry
from jaxgames.env import Env
from jaxgames.internal import files, texts
from jaxgames.internal.messages import unknown
from jaxgames.records import building, replay
from jaxgames.records.record import ILLEGAL, Record, Seat
from jaxgames.state import State


def import_game(
    env: Env[Any],
    path: str | os.PathLike[str],
    *,
    start: State[Any] | None = None,
    seats: Iterable[Seat | str] | None = None,
) -> Record:
    """Returns the record of a game in the file of another program.

    Args:
        env: the game.
        path: the file; its suffix, for instance `.oni`, says what it is.
        start: the position before the first move, where the format does not say it.
        seats: what played each seat; by default a human.

    Raises:
        ValueError: for another suffix, a file that cannot be read, or a game against the rules;
            names the move at fault.
    """
    path = pathlib.Path(path)
    _module(env.id, path)
    try:
        text = texts.read(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    return import_text(env, path, text, start=start, seats=seats)


def import_text(
    env: Env[Any],
    name: str | os.PathLike[str],
    text: str,
    *,
    start: State[Any] | None = None,
    seats: Iterable[Seat | str] | None = None,
) -> Record:
    """Returns the record of a game in the text of another program; arguments as `import_game`.

    Raises:
        ValueError: as `import_game`; `name` is that of the file, which need not be there.
    """
    path = pathlib.Path(name)
    module = _module(env.id, path)
    try:
        given = None if start is None else env.state_to_text(start)
        begin, moves = module.read(env.rules, texts.plain(text), given)
        taken = [Seat()] * env.num_players if seats is None else seats
        return building.from_moves(env, env.text_to_state(begin), moves, taken)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def options_of(game: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the options of the game in the file of another program, as far as it says them.

    Args:
        game: the id of the game.
        path: the file; its suffix says what it is.

    Raises:
        ValueError: for another suffix, or a file that cannot be read.
    """
    path = pathlib.Path(path)
    _module(game, path)
    try:
        text = texts.read(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    return options_in(game, path, text)


def options_in(game: str, name: str | os.PathLike[str], text: str) -> dict[str, Any]:
    """Returns the options of the game in the text of another program; as `options_of`.

    Raises:
        ValueError: as `options_of`; `name` is that of the file, which need not be there.
    """
    path = pathlib.Path(name)
    read = getattr(_module(game, path), "options", None)
    try:
        return {} if read is None else dict(read(text))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def export_game(env: Env[Any], path: str | os.PathLike[str], record: Record) -> None:
    """Writes a game to a file for another program, which appears complete or not at all.

    Args:
        env: the game.
        path: the file; its suffix, for instance `.oni`, says what it becomes.
        record: the game.

    Raises:
        ValueError: for another suffix, a game against the rules, or what the format lacks.
        OSError: if the file cannot be written.
    """
    path = pathlib.Path(path)
    module = _module(env.id, path)
    states = list(replay.positions(env, record))
    decisions = [
        (int(state.current_player), replay.read_move(env, state, move.text))
        for state, move in zip(states, record.moves, strict=False)
    ]
    moves = [move.text for move in record.moves]
    if illegal := [text for text in moves if text.startswith(ILLEGAL)]:
        raise ValueError(f"{path.suffix} files have no illegal actions, got {illegal[0]!r}")
    files.replace(path, module.write(env.rules, record.start, moves, decisions))


def _module(game: str, path: pathlib.Path) -> Any:
    formats = registry.record_formats(game)
    suffix = path.suffix.casefold()
    if suffix not in formats:
        raise ValueError(f"{path}: {unknown(f'format of {game}', path.suffix, formats)}")
    return importlib.import_module(formats[suffix])
