"""Tournaments between agents, saved after each pairing.

The file holds the result of every game, so that tables and ratings can be made anew from it. A run
that was stopped goes on after the last pairing in its file; each pairing has a random key of its
own, so the end result is that of an uninterrupted run. Games in notation are written before the
results, and those of a pairing without results are dropped, so that none is lost or kept twice.
"""

import hashlib
import json
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from agents import registry
from agents.agent import Params, Player
from agents.arena import files, formats, games
from agents.arena.match import MatchResult, check_match, match
from configs.tournament import Format, TournamentConfig
from jaxgames.env import Env

FORMAT = 2  # of the results file


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
    format: Format = "round_robin"


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
        raise ValueError(f"a tournament needs a game of two seats; {env.id} has {env.num_players}")
    check_match(env, 2, config.games, config.opening_plies)
    players = {spec: registry.make(spec, env) for spec in config.agents}
    identity = _identity(config, env, players)
    pairings = list(_load(config.output, identity)) if config.output else []
    if config.save_games:
        games.check_game(env)
        games.prepare(config.save_games, identity, len(pairings) * config.games)

    for pairing in pairings:
        if report:
            report(pairing)
    while names := formats.next_pairing(config.format, config.agents, _net_wins(pairings)):
        index = len(pairings)
        key = jax.random.fold_in(jax.random.key(config.seed), index)
        pair = (players[names[0]], players[names[1]])
        record = config.save_games is not None
        result = match(env, pair, key, config.games, config.opening_plies, record)
        pairings.append(_pairing(names, result))
        if config.save_games:
            games.append(config.save_games, games.describe(env, index, names, result))
        if config.output:
            results = {"tournament": identity, "pairings": [p._asdict() for p in pairings]}
            files.replace(config.output, json.dumps(results) + "\n")
        if report:
            report(pairings[-1])
    return Tournament(config.agents, tuple(pairings), config.format)


def _net_wins(pairings: list[Pairing]) -> list[float]:
    return [sum(pairing.returns) for pairing in pairings]


def _pairing(names: tuple[str, str], result: MatchResult) -> Pairing:
    return Pairing(
        first=names[0],
        second=names[1],
        returns=tuple(np.asarray(result.returns)[:, 0].tolist()),
        plies=tuple(np.asarray(result.plies).tolist()),
    )


def _identity(
    config: TournamentConfig, env: Env[Any], players: dict[str, Player]
) -> dict[str, Any]:
    """Returns what must agree for results to belong to the same tournament."""
    learned = {spec: player.params for spec, player in players.items()}
    return {
        "format": FORMAT,
        "game": f"{env.id}-v{env.version}",
        "env_options": config.env_options,
        "kind": config.format,
        "agents": list(config.agents),
        "networks": {s: _fingerprint(p) for s, p in learned.items() if jax.tree.leaves(p)},
        "games": config.games,
        "opening_plies": config.opening_plies,
        "seed": config.seed,
    }


def _fingerprint(params: Params) -> str:
    """Returns a hash of parameters: a checkpoint may be written anew under its old name."""
    digest = hashlib.sha256()
    for path, leaf in jax.tree.leaves_with_path(params):
        values = np.asarray(leaf)
        digest.update(f"{jax.tree_util.keystr(path)} {values.dtype} {values.shape}".encode())
        digest.update(values.tobytes())
    return digest.hexdigest()[:16]


def _load(path: pathlib.Path, identity: dict[str, Any]) -> tuple[Pairing, ...]:
    """Returns the pairings of a results file, none if there is no such file."""
    if not path.exists():
        files.check_directory("output", path)
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
    files.check_identity("output", path, found, identity)
    return pairings
