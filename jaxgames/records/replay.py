"""Records played by the rules: each position, or the first move that is not legal."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgames import registry
from jaxgames.env import Env
from jaxgames.internal.messages import unknown
from jaxgames.records.record import ILLEGAL, Move, Record
from jaxgames.state import State

GENERATORS = {"threefry2x32": True, "threefry2x32 sequential": False}
"""How keys become random numbers, and whether JAX's `jax_threefry_partitionable` is then set."""
_KEY_WORDS = 2


def make_env(record: Record) -> Env[Any]:
    """Returns the environment that a record was played in.

    Raises:
        ValueError: for an unknown game, option or value, or another version of the rules.
    """
    try:
        env = registry.make(record.game, **record.options)
    except TypeError as error:
        raise ValueError(f"options: {error}") from error
    if len(record.seats) != env.num_players:
        raise ValueError(f"{env.id} has {env.num_players} seats, got {len(record.seats)}")
    return env


def check(record: Record) -> None:
    """Plays a record to its end.

    Raises:
        ValueError: as `make_env` and `positions`.
    """
    for _ in positions(make_env(record), record):
        pass


def positions(env: Env[Any], record: Record) -> Iterator[State[Any]]:
    """Plays the moves of a record, yields every position, and checks how the game ended.

    Args:
        env: the environment, of `make_env`.
        record: the game.

    Raises:
        ValueError: for an illegal move (names its number, from 1, and the nearest legal one), or if
            outcome or final position differ from the record.
    """
    try:
        state = env.text_to_state(record.start)
    except ValueError as error:
        raise ValueError(f"start: {error}") from error
    returns = np.zeros(env.num_players)
    yield state
    for number, move in enumerate(record.moves, start=1):
        if is_over(state):
            raise ValueError(f"the game ends after {number - 1} of {len(record.moves)} moves")
        try:
            _, state = play(env, record.random, state, move)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
        returns += np.asarray(state.rewards)
        yield state
    check_end(env, record, state, tuple(returns.tolist()))


def is_over(state: State[Any]) -> bool:
    """Returns whether a game has ended."""
    return bool(state.terminated) or bool(state.truncated)


def check_end(env: Env[Any], record: Record, state: State[Any], returns: tuple[float, ...]) -> None:
    """Checks how a game ended.

    Args:
        env: the game.
        record: its record.
        state: the position after all of its moves.
        returns: the outcome that the moves give.

    Raises:
        ValueError: if outcome or final position differ from the record.
    """
    count = len(record.moves)
    if record.end and env.state_to_text(state) != record.end:
        raise ValueError(
            f"the {count} moves do not end in the position of the record, but in "
            f"{env.state_to_text(state)}"
        )
    if not is_over(state):
        if record.returns is not None and not record.ending:
            raise ValueError(f"the game is not over after its {count} moves")
        return
    if record.returns != returns:
        said = "no outcome" if record.returns is None else list(record.returns)
        raise ValueError(f"the moves give {list(returns)}, the record says {said}")


def play(env: Env[Any], random: str, state: State[Any], move: Move) -> tuple[int, State[Any]]:
    """Returns the action of a move, and the position after it.

    Args:
        env: the game.
        random: how keys become random numbers, of `GENERATORS`; empty in games without chance.
        state: the position before the move.
        move: the move.

    Raises:
        ValueError: if it is malformed, not legal or lacks its key, or the game is over.
    """
    action = read_move(env, state, move.text)
    if not env.rules.stochastic:
        return action, env.step(state, jnp.int32(action))
    words = jnp.array(key_words(env, move.key), jnp.uint32)
    key = jax.random.wrap_key_data(words, impl="threefry2x32")
    with generator(random):
        return action, env.step(state, jnp.int32(action), key)


def key_words(env: Env[Any], digits: str) -> list[int]:
    """Returns the data of the random key of a step; zeros in games without chance.

    Args:
        env: the game.
        digits: the key as a record writes it.

    Raises:
        ValueError: if it is no such key, in a game with chance.
    """
    if not env.rules.stochastic:
        return [0] * _KEY_WORDS
    if not re.fullmatch(f"[0-9a-f]{{{8 * _KEY_WORDS}}}", digits):
        raise ValueError(
            f"chance takes part in {env.id}: expected a key of {8 * _KEY_WORDS} hexadecimal "
            f"digits, got {digits!r}"
        )
    return [int(digits[at : at + 8], 16) for at in range(0, len(digits), 8)]


def generator(name: str) -> contextlib.AbstractContextManager[Any]:
    """Returns a context in which keys become random numbers as in a record.

    Raises:
        ValueError: for an unknown name.
    """
    if name not in GENERATORS:
        raise ValueError(unknown("generator of random numbers", name, GENERATORS))
    return jax.threefry_partitionable(GENERATORS[name])


def read_move(env: Env[Any], state: State[Any], text: str) -> int:
    """Returns the action that the text of a move in a record means.

    Raises:
        ValueError: if it is malformed or not legal.
    """
    if text.startswith(ILLEGAL):
        number = text.removeprefix(ILLEGAL)
        if not re.fullmatch("-?[0-9]{1,10}", number) or not -(2**31) <= int(number) < 2**31:
            raise ValueError(f"move {text!r}: expected the number of an action after {ILLEGAL!r}")
        return int(number)
    return env.text_to_action(state, text)
