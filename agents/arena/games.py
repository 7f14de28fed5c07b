"""Games of a tournament as text: saved in the game's notation, read back and checked.

The file has one JSON object a line. The first object identifies the tournament, as the results file
does. Every other object is a game:

- `pairing` and `number`: which game of which pairing, both counted from 0;
- `seats`: the agents in the order of the seats;
- `start` and `end`: the positions before the first and after the last move;
- `moves`: random opening plies included; `illegal:17` is an illegal action, which loses;
- `returns`: the outcome for each seat;
- `checksum`: the first 16 digits of the SHA-256 digest of the line without this last entry; files
  of older versions have none.
"""

import functools
import hashlib
import json
import logging
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32

from agents import registry
from agents.arena.match import MatchResult
from jaxgames import files, jax_settings
from jaxgames.env import Env, State

ILLEGAL = "illegal:"
_log = logging.getLogger(__name__)


class SavedGame(NamedTuple):
    """One line of the file."""

    pairing: int
    number: int
    seats: tuple[str, ...]
    start: str
    moves: tuple[str, ...]
    returns: tuple[float, ...]
    end: str


def check_game(env: Env[Any]) -> None:
    """Raises a `ValueError` if games cannot be written or followed from their moves."""
    if env.notation is None:
        raise ValueError(f"save_games: {env.id} has no notation")
    if env.rules.stochastic:
        raise ValueError(f"save_games: moves alone do not determine a game of {env.id}")


def describe(
    env: Env[Any], pairing: int, names: tuple[str, ...], result: MatchResult
) -> list[SavedGame]:
    """Returns the games of a match that was played with `record=True`."""
    assert result.record is not None
    saved = []
    for number, plies in enumerate(result.plies.tolist()):
        group = number // len(names)
        start = _at(result.record.starts, group)
        actions = result.record.actions[number]
        states = jax.device_get(_states(env, start, actions))
        moves = tuple(_move_text(env, _at(states, t), int(actions[t])) for t in range(plies))
        seats = result.seats[number].tolist()
        saved.append(
            SavedGame(
                pairing=pairing,
                number=number,
                seats=tuple(names[seats.index(seat)] for seat in range(len(names))),
                start=env.state_to_text(_at(states, 0)),
                moves=moves,
                returns=tuple(float(result.returns[number][seats.index(s)]) for s in sorted(seats)),
                end=env.state_to_text(_at(states, plies)),
            )
        )
    return saved


def prepare(path: pathlib.Path, identity: dict[str, Any], num_games: int) -> None:
    """Makes a file that holds the first `num_games` games of the tournament and no others.

    Games of a pairing that was interrupted are dropped: the pairing is played again.

    Raises:
        ValueError: if the file is of another tournament or lacks games; it is then not changed.
    """
    files.check_writable("save_games", path)
    header = _line({"tournament": identity})
    if not path.exists() and num_games == 0:
        files.replace(path, header)
        return
    found, *lines = _lines(path) if path.exists() else [{"tournament": identity}]
    found_identity = found.get("tournament")
    files.check_identity("save_games", path, found_identity, identity, jax_settings.RECORDED)
    if len(lines) < num_games:
        raise ValueError(
            f"save_games: {path} holds {len(lines)} of the {num_games} games played so far; "
            "name the file of this tournament, or begin anew with another output"
        )
    if len(lines) > num_games or not path.read_text(encoding="utf-8").endswith("\n"):
        files.replace(path, header + "".join(map(_line, lines[:num_games])))


def append(path: pathlib.Path, games: list[SavedGame]) -> None:
    """Adds games to a file that `prepare` made."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(_line(game._asdict()) for game in games)
        file.flush()
        os.fsync(file.fileno())


def read(path: pathlib.Path) -> tuple[Env[Any], list[SavedGame]]:
    """Returns the game of a file with its options, and the games that were played.

    Raises:
        ValueError: if the file is not a file of games.
    """
    if not path.is_file():
        raise ValueError(f"replay: there is no file {path}")
    header, *lines = _lines(path)
    try:
        identity = header["tournament"]
        env = registry.make_env(identity["game"], identity["env_options"])
        agents = [str(name) for name in identity["agents"]]
        saved = [_saved_game(line) for line in lines]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is not a file of saved games") from error
    for game in saved:
        _check_texts(env, agents, game)
    return env, saved


def positions(env: Env[Any], game: SavedGame) -> Iterator[State[Any]]:
    """Plays the moves of a saved game, yields every position, and checks how it ended.

    Raises:
        ValueError: for an illegal move, or if result or final position differ from the file.
    """
    step = _compiled_step(env)
    state = env.text_to_state(game.start)
    returns = np.zeros(env.num_players)
    yield state
    for ply, move in enumerate(game.moves):
        if state.terminated or state.truncated:
            raise ValueError(f"{_name(game)}: the game ends after {ply} of {len(game.moves)} moves")
        try:
            action = _read_move(env, state, move)
        except ValueError as error:
            raise ValueError(f"{_name(game)}, ply {ply}: {error}") from error
        state = jax.device_get(step(state, np.int32(action)))
        returns += state.rewards
        yield state
    if not (state.terminated or state.truncated):
        raise ValueError(f"{_name(game)}: the game is not over after {len(game.moves)} moves")
    if tuple(returns.tolist()) != game.returns:
        raise ValueError(f"{_name(game)}: the moves give {returns.tolist()}, not {game.returns}")
    if env.state_to_text(state) != game.end:
        raise ValueError(f"{_name(game)}: the moves end in {env.state_to_text(state)}")


def _saved_game(line: dict[str, Any]) -> SavedGame:
    numbers = (line["pairing"], line["number"], *line["returns"])
    if any(type(number) not in (int, float) for number in numbers):
        raise TypeError(f"not numbers: {numbers}")
    return SavedGame(
        pairing=line["pairing"],
        number=line["number"],
        seats=tuple(line["seats"]),
        start=line["start"],
        moves=tuple(line["moves"]),
        returns=tuple(line["returns"]),
        end=line["end"],
    )


def _check_texts(env: Env[Any], agents: list[str], game: SavedGame) -> None:
    """Raises a `ValueError` if a field is no text, or if the seats are not taken by the agents."""
    for name, texts in (
        ("start", (game.start,)),
        ("end", (game.end,)),
        ("seats", game.seats),
        ("moves", game.moves),
    ):
        for text in texts:
            if not isinstance(text, str):
                raise ValueError(f"{_name(game)}: {name} must be text, got {text!r}")
    if len({*game.seats} & {*agents}) != env.num_players or len(game.seats) != env.num_players:
        raise ValueError(
            f"{_name(game)}: seats must be {env.num_players} of {', '.join(agents)}, "
            f"got {', '.join(game.seats)}"
        )


def _name(game: SavedGame) -> str:
    return f"pairing {game.pairing}, game {game.number}"


def _line(content: dict[str, Any]) -> str:
    """Returns a line of a file, with its checksum as the last entry."""
    text = json.dumps(content)
    return f'{text[:-1]}, "checksum": "{_digest(text)}"}}\n'


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _content(line: str) -> Any:
    """Returns the content of a line without its checksum.

    Raises:
        ValueError: if the line is no JSON, or not as its checksum says.
    """
    content = files.parse_json(line)
    if isinstance(content, dict) and "checksum" in content:
        del content["checksum"]
        if _line(content) != line + "\n":
            raise ValueError("a line is not as its checksum says")
    return content


def _lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """Returns the complete lines; a kill may have left the last one unfinished."""
    try:
        *complete, rest = path.read_bytes().decode().split("\n")
        lines = [_content(line) for line in complete]
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is not a file of saved games, or damaged: {error}") from error
    if rest:
        _log.warning("%s ends in an unfinished line, which is left out", path)
    if not lines or not all(isinstance(line, dict) for line in lines):
        raise ValueError(f"{path} is not a file of saved games")
    if unknown := set[str]().union(*lines) - {"tournament", *SavedGame._fields}:
        raise ValueError(f"{path} is damaged: unknown {', '.join(sorted(unknown))}")
    return lines


@functools.partial(jax.jit, static_argnames="env")
def _states(env: Env[Any], start: Any, actions: Int32[Array, "plies"]) -> State[Any]:
    """Returns the positions before each action and after the last; the end repeats."""

    def step(state: State[Any], action: Int32[Array, ""]) -> tuple[State[Any], State[Any]]:
        after = env.step(state, action).replace(observation=())
        return after, after

    first = env.wrap(start).replace(observation=())
    _, later = jax.lax.scan(step, first, actions)
    return jax.tree.map(lambda x, rest: jnp.concatenate([x[None], rest]), first, later)


@functools.cache
def _compiled_step(env: Env[Any]) -> Any:
    return jax.jit(lambda state, action: env.step(state, action))


def _at(states: Any, index: int) -> Any:
    """Returns one of a batch of states."""
    return jax.tree.map(lambda x: x[index], states)


def _move_text(env: Env[Any], state: State[Any], action: int) -> str:
    is_legal = 0 <= action < env.num_actions and bool(state.legal_action_mask[action])
    return env.action_to_text(state, action) if is_legal else f"{ILLEGAL}{action}"


def _read_move(env: Env[Any], state: State[Any], text: str) -> int:
    if text.startswith(ILLEGAL):
        number = text.removeprefix(ILLEGAL)
        if not re.fullmatch("-?[0-9]{1,10}", number) or not -(2**31) <= int(number) < 2**31:
            raise ValueError(f"move {text!r}: expected the number of an action after {ILLEGAL!r}")
        return int(number)
    return env.text_to_action(state, text)
