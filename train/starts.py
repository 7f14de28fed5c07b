"""Positions from which games of self-play begin: of a file, or endgames that a game can draw."""

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from configs.alphazero import ENDGAMES
from jaxgames import Env, records
from jaxgames.internal import files, texts
from jaxgames.internal.messages import hint
from jaxgames.players import knowledge, plugs
from jaxgames.records.replay import is_over
from jaxgames.rules import Rules
from jaxgames.search.agent import GameStates

MOST_BYTES = 2**22
"""Of all positions together: they are a part of the compiled self-play."""
MOST_POSITIONS = 2**16
_BEGINNING_OF_RECORDS = '{"record"'


def load(env: Env[Any], setting: str, seed: int) -> GameStates:
    """Returns positions `[N, ...]` in which the game goes on, on the host.

    Args:
        env: the game.
        setting: `endgames`, or a file: of game records, of which every position counts, or with the
            text of a position on each line.
        seed: of random endgames, and of the choice among the positions of a file that are too many.

    Raises:
        ValueError: if the game has no endgames, or the file holds no position, one that is over or
            cannot be read, or a game or position with other options.
    """
    size = max(sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(_shape(env))), 1)
    most = min(MOST_BYTES // size, MOST_POSITIONS)
    if setting == ENDGAMES:
        draw = functools.partial(knowledge.endgames_of(env), env.rules)
        keys = jax.random.split(jax.random.key(seed), most)
        return jax.device_get(jax.jit(jax.vmap(draw))(keys))
    games = list(_read(env, setting))
    if not games:
        raise ValueError(f"selfplay.starts={setting} holds no position")
    if len(games) > most:
        chosen = np.random.default_rng(seed).permutation(len(games))[:most]
        games = [games[index] for index in sorted(chosen)]
    return jax.tree.map(lambda *leaves: np.stack(leaves), *games)


def _shape(env: Env[Any]) -> Any:
    return jax.eval_shape(env.rules.init, jax.random.key(0))


def _read(env: Env[Any], path: str) -> Iterator[Any]:
    """Yields the positions of a file."""
    files.check_local("selfplay.starts", path)
    try:
        text = texts.read(path)
        is_records = text.lstrip().startswith(_BEGINNING_OF_RECORDS)
        yield from _of_records(env, text) if is_records else _of_lines(env, text)
    except OSError as error:
        words = [ENDGAMES] if env.id in plugs.games_with("endgames") else []
        expected = " or ".join(["a file", *words])
        raise ValueError(
            f"selfplay.starts={path}: {error.strerror}; expected {expected}{hint(path, words)}"
        ) from error
    except ValueError as error:
        raise ValueError(f"selfplay.starts={path}: {error}") from error


def _of_records(env: Env[Any], text: str) -> Iterator[Any]:
    for number, record in enumerate(records.from_text(text), start=1):
        try:
            if records.make_env(record).rules != env.rules:
                raise ValueError(
                    f"it is of {record.game} with options {record.options}, another game than the "
                    f"one that is learned, {env.rules}"
                )
            for state in records.positions(env, record):
                if not is_over(state):
                    yield jax.device_get(state.game)
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from error


def _of_lines(env: Env[Any], text: str) -> Iterator[Any]:
    check_options = _check_options(env)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            state = env.text_to_state(line.strip())
            check_options(env.rules, state.game)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
        if is_over(state):
            raise ValueError(f"line {number}: the game is over")
        yield jax.device_get(state.game)


def _check_options(env: Env[Any]) -> Callable[[Rules[Any], Any], None]:
    """Returns the check of a position against the options; it does nothing in games without one.

    Texts are read for analysis, too, where a position may have other options than the game.
    """
    notation = None if env.notation is None else importlib.import_module(env.notation)
    return getattr(notation, "check_options", lambda rules, game: None)
