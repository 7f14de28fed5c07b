"""Records of games that are being played: a move at a time, or from the actions of a whole game."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from jaxgames.env import Env
from jaxgames.internal import jax_settings
from jaxgames.internal.version import __version__
from jaxgames.records import replay
from jaxgames.records.record import ILLEGAL, Move, Record, Seat
from jaxgames.state import State


def begin(
    env: Env[Any],
    state: State[Any],
    seats: Iterable[Seat | str],
    *,
    comment: str = "",
    tags: Mapping[str, Any] | None = None,
) -> Record:
    """Returns the record of a game before its first move.

    Args:
        env: the game; it needs a notation.
        state: the position before the first move.
        seats: what plays each seat; a text is an agent spec.
        comment: on the whole game.
        tags: anything else, by name, fit for JSON.

    Raises:
        ValueError: for a game without notation, or another number of seats.
    """
    taken = tuple(Seat(seat) if isinstance(seat, str) else seat for seat in seats)
    if len(taken) != env.num_players:
        raise ValueError(f"{env.id} has {env.num_players} seats, got {len(taken)}")
    start = env.state_to_text(state)
    return Record(
        game=f"{env.id}-v{env.version}",
        options=env.rules.non_default_options,
        seats=taken,
        start=start,
        end=start,
        random=_generator() if env.rules.stochastic else "",
        comment=comment,
        tags=tags or {},
        versions={"jaxgames": __version__, "jax": jax.__version__},
    )


def add(
    env: Env[Any],
    record: Record,
    before: State[Any],
    action: int,
    after: State[Any],
    *,
    key: PRNGKeyArray | None = None,
    values: Sequence[float] = (),
    seconds: float | None = None,
    comment: str = "",
) -> Record:
    """Returns a record with one more move.

    Args:
        env: the game.
        record: the game so far.
        before: the position in which the action was taken.
        action: the action, legal or not.
        after: the position after it.
        key: the key of the step, in a game with chance.
        values: the return that the mover expected for each seat.
        seconds: time that the move took.
        comment: on the move.

    Raises:
        ValueError: in a game with chance, without a key or with one of another generator.
    """
    move = _move(env, before, action, key, values)._replace(seconds=seconds, comment=comment)
    return _at_end(env, record, [*record.moves, move], after)


def shorten(env: Env[Any], record: Record, moves: int, state: State[Any]) -> Record:
    """Returns a record with only its first moves: to take moves back, or to play on from there.

    Args:
        env: the game.
        record: the game.
        moves: the number of moves that stay; fewer than it has.
        state: the position after them.

    Raises:
        ValueError: if it has no more than that number of moves.
    """
    if not 0 <= moves < len(record.moves):
        raise ValueError(f"moves must be from 0 to {len(record.moves) - 1}, got {moves}")
    return record._replace(
        moves=record.moves[:moves], end=env.state_to_text(state), returns=None, ending=""
    )


def finish(record: Record, returns: Sequence[float], ending: str) -> Record:
    """Returns a record that something else than the rules ended.

    Args:
        record: a game that is not over.
        returns: the outcome for each seat.
        ending: what ended the game, in a word: `"time"`, `"resignation"`.

    Raises:
        ValueError: if the game is over, the word is missing, or for another number of outcomes.
    """
    if record.returns is not None:
        raise ValueError("the game is over already")
    if len(returns) != len(record.seats) or not ending:
        raise ValueError(
            f"expected a word for the ending and {len(record.seats)} outcomes, got {ending!r} and "
            f"{list(returns)}"
        )
    return record._replace(returns=tuple(map(float, returns)), ending=ending)


def from_actions(
    env: Env[Any],
    start: State[Any],
    actions: Iterable[int],
    seats: Iterable[Seat | str],
    *,
    keys: Sequence[PRNGKeyArray] | None = None,
    values: Sequence[Sequence[float]] | None = None,
    tags: Mapping[str, Any] | None = None,
) -> Record:
    """Returns the record of a game of which the actions are known.

    Args:
        env: the game.
        start: the position before the first action.
        actions: the actions, legal or not; none after the end of the game.
        seats: what plays each seat; a text is an agent spec.
        keys: the key of each step, in a game with chance.
        values: for each action, the return that the mover expected for each seat.
        tags: anything else, by name, fit for JSON.

    Raises:
        ValueError: as `begin` and `add`.
    """
    record, state = begin(env, start, seats, tags=tags), start
    moves: list[Move] = []
    for index, action in enumerate(actions):
        key = None if keys is None else keys[index]
        after = env.step(state, jnp.int32(action), key)
        moves.append(_move(env, state, action, key, () if values is None else values[index]))
        state = after
    return _at_end(env, record, moves, state)


def from_moves(
    env: Env[Any],
    start: State[Any],
    moves: Iterable[Move | str],
    seats: Iterable[Seat | str],
    *,
    tags: Mapping[str, Any] | None = None,
) -> Record:
    """Returns the record of a game of which the moves are known.

    Args:
        env: the game.
        start: the position before the first move.
        moves: the moves, or in games without chance their texts.
        seats: what plays each seat; a text is an agent spec.
        tags: anything else, by name, fit for JSON.

    Raises:
        ValueError: for a move that is not legal, or comes after the end; names its number, from 1.
    """
    record, state = begin(env, start, seats, tags=tags), start
    played: list[Move] = []
    for number, given in enumerate(moves, start=1):
        move = Move(given) if isinstance(given, str) else given
        try:
            if replay.is_over(state):
                raise ValueError("the game is over")
            action, after = replay.play(env, record.random, state, move)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
        played.append(move._replace(text=_move_text(env, state, action)))
        state = after
    return _at_end(env, record, played, state)


def _at_end(env: Env[Any], record: Record, moves: list[Move], last: State[Any]) -> Record:
    """Returns a record with its moves, given the position after them."""
    returns = None
    if moves and replay.is_over(last):
        returns = tuple(float(reward) + 0.0 for reward in last.rewards)  # no -0.0
    return record._replace(
        moves=tuple(moves), end=env.state_to_text(last), returns=returns, ending=""
    )


def _move(
    env: Env[Any],
    state: State[Any],
    action: int,
    key: PRNGKeyArray | None,
    values: Sequence[float],
) -> Move:
    digits = ""
    if env.rules.stochastic:
        if key is None:
            raise ValueError(f"chance takes part in {env.id}: a move needs the key of its step")
        digits = key_digits(key)
    return Move(_move_text(env, state, int(action)), digits, tuple(map(float, values)))


def key_digits(key: PRNGKeyArray) -> str:
    """Returns the data of a random key as hexadecimal digits.

    Raises:
        ValueError: for a key of another generator than `threefry2x32`: its numbers depend on the
            batch in which they were drawn, so no game could be played again.
    """
    data = np.asarray(jax.random.key_data(key))
    if data.shape != (2,):
        raise ValueError(
            f"records need keys of threefry2x32, got key data of shape {data.shape}; "
            "make keys by jax.random.key(seed, impl='threefry2x32')"
        )
    return "".join(f"{int(word):08x}" for word in data)


def _move_text(env: Env[Any], state: State[Any], action: int) -> str:
    """Returns the text of an action in a record, legal or not."""
    is_legal = 0 <= action < env.num_actions and bool(state.legal_action_mask[action])
    return env.action_to_text(state, action) if is_legal else f"{ILLEGAL}{action}"


def _generator() -> str:
    partitionable = jax_settings.current()["jax_threefry_partitionable"]
    return next(name for name, is_set in replay.GENERATORS.items() if is_set == partitionable)
