"""Pictures of the games that an evaluation kept (`--evaluation.saved-games`), for loggers."""

import functools
import logging
import pathlib
from collections.abc import Iterator

import numpy as np

from jaxgames import records
from jaxgames.pictures import svg

_MOST_POSITIONS = 9  # of a game, in one picture


def games_file(directory: pathlib.Path, iteration: int) -> pathlib.Path:
    """Returns the file with the games that the evaluation after an iteration keeps."""
    return directory / "games" / f"iteration-{iteration:06}.jsonl"


def of_iteration(directory: pathlib.Path, iteration: int) -> Iterator[tuple[str, bytes]]:
    """Yields name and PNG file of a picture of the first kept game of each match.

    Nothing comes without such games, and without the extra `pictures`, of which a warning tells.
    """
    path = games_file(directory, iteration)
    if not path.exists():
        return
    seen: set[str] = set()
    for record in records.read(path):
        match = record.tags.get("match", "")
        if match in seen:
            continue
        seen.add(match)
        try:
            png = picture(record)
        except (ImportError, ValueError) as error:  # ValueError: a game that cannot be drawn
            _warn(str(error))
            return
        yield f"games/{match}", png


def picture(record: records.Record) -> bytes:
    """Returns a PNG file with up to nine positions of a game, the first and the last among them.

    Raises:
        ValueError: if the game cannot be drawn.
        ImportError: without the extra `pictures`.
    """
    from jaxgames.pictures import raster

    env = records.make_env(record)
    positions = list(records.positions(env, record))
    number = min(len(positions), _MOST_POSITIONS)
    chosen = np.linspace(0, len(positions) - 1, number).round().astype(int)
    return raster.png(svg.grid([env.render(positions[index]) for index in chosen]).as_svg())


@functools.cache
def _warn(reason: str) -> None:
    """Warns once of each reason."""
    logging.getLogger(__name__).warning("no pictures of games are logged: %s", reason)
