"""Games and positions from elsewhere: what a file or a pasted text is, of whichever game.

A text is one of records, a game in the format of another program, or a position. Formats without
the suffix of a file are told apart by reading: only one of them understands a text.
"""

import contextlib
import dataclasses
import importlib
import itertools
import pathlib
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import jaxgames
from agents.play.session import positions, saved_games
from jaxgames.env import Env
from jaxgames.internal import texts
from jaxgames.internal.messages import title
from jaxgames.records.exchange import options_in
from jaxgames.registry import record_formats

FEWEST_SEATS, MOST_SEATS = 2, 5  # tried where a position may be of a game with any number
PASTED = "pasted"  # the name of a text without a file


class ForeignGame(NamedTuple):
    """What a text is."""

    env: Env[Any]
    file: str
    """The name of a file of its format; empty for records and positions."""
    is_position: bool = False


def recognise(text: str, file: str, games: Collection[str], shown: Env[Any] | None) -> ForeignGame:
    """Returns what the content of a file, or a pasted text, is.

    Args:
        text: the content.
        file: the name of the file; empty for a pasted text.
        games: the ids of the games that are played here.
        shown: the environment of the page that sends it; None: a page without a game.

    Raises:
        ValueError: if it is nothing that can be read, or of a game that is not played here.
    """
    suffix = pathlib.PurePath(file).suffix.casefold()
    for game in _shown_first(games, shown):
        if suffix in record_formats(game):
            return ForeignGame(_of_format(game, file, text, shown), file)
    plain = texts.plain(text).strip()
    if not plain:
        raise ValueError("the text is empty")
    if plain.startswith("{") and '"record"' in plain.partition("\n")[0]:
        env = saved_games.environment_of(text)
        if env.id not in games:
            raise ValueError(f"{env.id} is not played here, but {', '.join(sorted(games))}")
        return ForeignGame(env, "")
    for found in (*_by_format(plain, games, shown), *_by_position(plain, games, shown)):
        return found
    formats = [
        f"{title(game)} ({suffix})" for game in sorted(games) for suffix in record_formats(game)
    ]
    raise ValueError(
        "this is no game or position that can be read: expected a record of this program, the "
        f"content of a file of {' or '.join(formats)}, or the text of a position"
    )


def _shown_first(games: Collection[str], shown: Env[Any] | None) -> list[str]:
    """Returns the ids of games, that of the page first."""
    return sorted(games, key=lambda game: (shown is None or game != shown.id, game))


def _of_format(game: str, file: str, text: str, shown: Env[Any] | None) -> Env[Any]:
    """Returns the environment of a game in the format of another program.

    The page's options count where the text does not say others.
    """
    options = dict(shown.rules.non_default_options) if shown and shown.id == game else {}
    return jaxgames.make(game, **{**options, **options_in(game, file, text)})


def _by_format(text: str, games: Collection[str], shown: Env[Any] | None) -> Iterator[ForeignGame]:
    for game in _shown_first(games, shown):
        for suffix, module in record_formats(game).items():
            file = PASTED + suffix
            reader = importlib.import_module(module)
            with contextlib.suppress(ValueError):
                # What says its options is recognised by them; to read it would mean to play it.
                if not hasattr(reader, "options"):
                    reader.read(jaxgames.make(game).rules, text, None)
                elif not options_in(game, file, text):
                    continue
                yield ForeignGame(_of_format(game, file, text, shown), file)


def _by_position(
    text: str, games: Collection[str], shown: Env[Any] | None
) -> Iterator[ForeignGame]:
    for env in _environments(games, shown):
        with contextlib.suppress(ValueError):
            positions.check(env, text)
            yield ForeignGame(env, "", is_position=True)


def _environments(games: Collection[str], shown: Env[Any] | None) -> Iterator[Env[Any]]:
    """Yields the environments in which a position may be, that of the page first.

    A position may need another number of seats, or an option that is on or off, such as fog.
    """
    if shown is not None:
        yield shown
    for game in _shown_first(games, shown):
        rules: Any = jaxgames.make(game).rules
        switches: list[dict[str, Any]] = [
            {field.name: not field.default}
            for field in dataclasses.fields(rules)
            if isinstance(field.default, bool)
        ]
        seats: list[dict[str, Any]] = [
            {},
            *({"num_players": number} for number in range(FEWEST_SEATS, MOST_SEATS + 1)),
        ]
        for switch, number in itertools.product([{}, *switches], seats):
            with contextlib.suppress(ValueError, TypeError):
                yield jaxgames.make(game, **{**switch, **number})
