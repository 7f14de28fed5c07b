"""Round robin between agents, saved after each pairing.

The file holds the result of every game, so that tables and ratings can be made anew from it. A run
that was stopped goes on after the last pairing in its file; each pairing has a random key of its
own, so the end result is that of an uninterrupted run.
"""

import itertools
import json
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from agents import registry
from agents.agent import Player
from agents.arena.match import check_match, match
from configs.tournament import TournamentConfig
from jaxgames.env import Env

FORMAT = 1


class Pairing(NamedTuple):
    """All games between two agents; games 2k and 2k + 1 start alike with seats swapped."""

    first: str
    second: str
    returns: tuple[float, ...]
    """Outcome of each game for `first`; that for `second` is its opposite."""
    plies: tuple[int, ...]
    """Length of each game."""


class Tournament(NamedTuple):
    """The results so far."""

    agents: tuple[str, ...]
    pairings: tuple[Pairing, ...]


def run(config: TournamentConfig, report: Callable[[Pairing], None] | None = None) -> Tournament:
    """Plays the pairings that the output file does not hold yet, and returns all results.

    Args:
        config: the options.
        report: called with each pairing, also with those read from the file.

    Raises:
        ValueError: for an unknown game or agent, an agent that cannot play the game, or a file that
            is none of this tournament's. Nothing has been played or written then.
    """
    env = registry.make_env(config.game, config.env_options)
    if env.num_players != 2:
        raise ValueError(f"a round robin needs a game of two seats; {env.id} has {env.num_players}")
    check_match(env, 2, config.games, config.opening_plies)
    players = {spec: registry.make(spec, env) for spec in config.agents}
    identity = _identity(config, env)
    done = _load(config.output, identity) if config.output else ()

    pairings: list[Pairing] = []
    for index, names in enumerate(itertools.combinations(config.agents, 2)):
        if index < len(done):
            pairing = done[index]
        else:
            key = jax.random.fold_in(jax.random.key(config.seed), index)
            pairing = _play(config, env, players[names[0]], players[names[1]], key)
        pairings.append(pairing)
        if config.output and index >= len(done):
            _save(config.output, identity, pairings)
        if report:
            report(pairing)
    return Tournament(config.agents, tuple(pairings))


def _play(
    config: TournamentConfig, env: Env[Any], first: Player, second: Player, key: jax.Array
) -> Pairing:
    result = match(env, (first, second), key, config.games, config.opening_plies)
    return Pairing(
        first=first.name,
        second=second.name,
        returns=tuple(np.asarray(result.returns)[:, 0].tolist()),
        plies=tuple(np.asarray(result.plies).tolist()),
    )


def _identity(config: TournamentConfig, env: Env[Any]) -> dict[str, Any]:
    """Returns what must agree for results to belong to the same tournament."""
    return {
        "format": FORMAT,
        "game": f"{env.id}-v{env.version}",
        "env_options": config.env_options,
        "agents": list(config.agents),
        "games": config.games,
        "opening_plies": config.opening_plies,
        "seed": config.seed,
    }


def _load(path: pathlib.Path, identity: dict[str, Any]) -> tuple[Pairing, ...]:
    """Returns the pairings of a results file, none if there is no such file."""
    if not path.exists():
        if not path.parent.is_dir():
            raise ValueError(f"output: there is no directory {path.parent}")
        return ()
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        found = record["tournament"]
        pairings = tuple(
            Pairing(p["first"], p["second"], tuple(p["returns"]), tuple(p["plies"]))
            for p in record["pairings"]
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"output: {path} exists, but is not a tournament's results") from error
    for name, expected in identity.items():
        if not isinstance(found, dict) or found.get(name) != expected:
            value = found.get(name) if isinstance(found, dict) else found
            raise ValueError(
                f"output: {path} belongs to another tournament: its {name} is {value}, "
                f"not {expected}; name another file"
            )
    return pairings


def _save(path: pathlib.Path, identity: dict[str, Any], pairings: list[Pairing]) -> None:
    """Replaces the file in one step, so that it is complete whenever the program is killed."""
    record = {"tournament": identity, "pairings": [pairing._asdict() for pairing in pairings]}
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(record, file)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
