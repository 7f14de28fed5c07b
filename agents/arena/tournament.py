"""Tournaments between agents, saved after each pairing.

The file holds the result of every game, so that tables and ratings can be made anew from it. A run
that was stopped goes on after the last pairing in its file. A pairing that takes minutes goes on
from a second file beside it, which has a game that is played on the host as soon as it is over.
Each pairing has a random key of its own, so the end result is the same as in an uninterrupted run,
but for the seconds of play and for moves that depend on them. Games in notation are written before
the results. Games of a pairing without results are dropped, so no game is lost or kept twice.
"""

import glob
import json
import logging
import math
import pathlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from agents.arena import formats, games, hosted
from configs.tournament import Format, TournamentConfig
from jaxgames import records
from jaxgames.env import Env
from jaxgames.internal import files, jax_settings
from jaxgames.matches import recording, resumable
from jaxgames.matches.match import check_match, devices_for, divide_cpu, match
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.players.stand_ins import meaning

FORMAT = 2  # of the results file
_log = logging.getLogger(__name__)
_OLDER = {"devices": 1, **jax_settings.RECORDED}  # of files that lack these
_STOPPED = ".pairing-"  # between the names of the output and the number of a pairing


class Pairing(NamedTuple):
    """All games between two agents; games 2k and 2k + 1 start alike with seats swapped."""

    first: str
    second: str
    returns: tuple[float, ...]
    """Outcome of each game for `first`; the outcome for `second` is its opposite."""
    plies: tuple[int, ...]
    """Length of each game."""
    seconds: float | None = None
    """Seconds of play, compilation included; None if the file is older than this figure."""
    different: int | None = None
    """Number of different games; None if the file is older than this figure."""


class Tournament(NamedTuple):
    """The results so far."""

    agents: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    format: Format = "round_robin"


def run(config: TournamentConfig, report: Callable[[Pairing], None] | None = None) -> Tournament:
    """Plays the pairings that the output file does not hold yet, and returns all results.

    Args:
        config: the options.
        report: called with each pairing, also with pairings read from the file.

    Raises:
        ValueError: for an unknown game or agent, an agent that cannot play the game, or a file of
            another tournament. Nothing is then played or written.
    """
    env, players, identity, pairings = _open(config)
    if config.save_games:
        recording.check_game(env)
        games.prepare(config.save_games, identity, len(pairings) * config.games)

    if pairings and (last := _checkpoint(config, len(pairings) - 1)):
        last.discard()  # the run may have been killed after writing results
    for pairing in pairings:
        if report:
            report(pairing)
    while names := formats.next_pairing(config.format, config.agents, _net_wins(pairings)):
        index = len(pairings)
        key = jax.random.fold_in(jax.random.key(config.seed), index)
        pair = (players[names[0]], players[names[1]])
        record = config.save_games is not None
        checkpoint = _checkpoint(config, index)
        started = time.perf_counter()
        arguments = env, pair, key, config.games, config.opening_plies, record
        if hosted.is_needed(pair):
            if checkpoint:
                checkpoint.seconds = 0.0  # after each game, which may be hours of a person
            result = hosted.match(*arguments, checkpoint)
        else:
            devices = identity["devices"]
            result = match(*arguments, checkpoint=checkpoint, num_devices=devices)
        seconds = time.perf_counter() - started + (checkpoint.spent if checkpoint else 0)
        returns = tuple(np.asarray(result.returns)[:, 0].tolist())
        plies = tuple(np.asarray(result.plies).tolist())
        pairings.append(Pairing(*names, returns, plies, seconds, result.different))
        if config.save_games:
            played = games.describe(env, index, names, result, identity)
            records.append(config.save_games, *played)
        if config.output:
            _save(config.output, identity, pairings)
        if checkpoint:
            checkpoint.discard()
        if report:
            report(pairings[-1])
    return Tournament(config.agents, tuple(pairings), config.format)


def use_cpu_devices(config: TournamentConfig) -> None:
    """Divides a CPU into as many devices as a stopped tournament has, or as fit a new one.

    Games with time for a move are played one after the other, on all cores.
    """
    if config.seconds is not None:
        return
    divide_cpu(config.games // 2, config.cpu_devices, [_recorded_devices(config.output)])


def _recorded_devices(path: pathlib.Path | None) -> int | None:
    """Returns the number of devices in a results file; None if there is no file that says it."""
    try:
        found = files.parse_json(path.read_bytes())["tournament"] if path else {}
        number = found.get("devices", 1) if found else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # a damaged file is reported when it is read as a whole
    return number if isinstance(number, int) and number > 0 else None


def check(config: TournamentConfig) -> None:
    """Raises the `ValueError` that `run` would raise; plays nothing and writes nothing."""
    _open(config)


def _open(
    config: TournamentConfig,
) -> tuple[Env[Any], dict[str, Player], dict[str, Any], list[Pairing]]:
    """Returns the game, the players by their specs, the identity and the results so far."""
    env = registry.make_env(config.game, config.env_options)
    if env.num_players != 2:
        raise ValueError(f"a tournament needs a game of two seats; {env.id} has {env.num_players}")
    check_match(env, 2, config.games, config.opening_plies)
    players = {
        spec: registry.make(spec, env)
        if config.seconds is None
        else registry.limited(spec, env, config.seconds)
        for spec in config.agents
    }
    identity = _identity(config, env, players)
    if config.output:
        files.check_regular("output", config.output)
    pairings = _load(config, identity)
    _check_stopped(config, len(pairings))
    if config.output and len(pairings) < formats.num_pairings(config.format, len(players)):
        files.check_writable("output", config.output)
    return env, players, identity, pairings


def _checkpoint(config: TournamentConfig, index: int) -> resumable.Checkpoint | None:
    """Returns the checkpoint of a pairing, in a file beside the results."""
    if config.output is None:
        return None
    path = config.output.with_name(f"{config.output.stem}{_STOPPED}{index}.npz")
    return resumable.Checkpoint(path, "output")


def _check_stopped(config: TournamentConfig, played: int) -> None:
    """Raises a `ValueError` if there is a checkpoint of a pairing that is not yet due.

    Such a file is of another tournament, and would stop this one hours later.
    """
    if config.output is None:
        return
    for path in sorted(config.output.parent.glob(f"{glob.escape(config.output.stem)}{_STOPPED}*")):
        number = path.name.removeprefix(config.output.stem + _STOPPED).removesuffix(".npz")
        if number.isdecimal() and int(number) > played:
            raise ValueError(
                f"output: {path} keeps a pairing, but only {played} have been played before it; "
                "remove it or name another file"
            )


def _net_wins(pairings: list[Pairing]) -> list[float]:
    return [sum(pairing.returns) for pairing in pairings]


def _identity(
    config: TournamentConfig, env: Env[Any], players: dict[str, Player]
) -> dict[str, Any]:
    """Returns the values in which all results of one tournament agree."""
    learned = {spec: player.params for spec, player in players.items()}
    return meaning(players, env) | {
        "format": FORMAT,
        "game": f"{env.id}-v{env.version}",
        "env_options": config.env_options,
        "kind": config.format,
        "agents": list(config.agents),
        "networks": {s: resumable.fingerprint(p) for s, p in learned.items() if jax.tree.leaves(p)},
        "games": config.games,
        "opening_plies": config.opening_plies,
        "seed": config.seed,
        "devices": devices_for(config.games, env),
        **({} if config.seconds is None else {"seconds": config.seconds}),
        **jax_settings.current(),
    }


def _save(path: pathlib.Path, identity: dict[str, Any], pairings: list[Pairing]) -> None:
    results = {
        "tournament": identity,
        "xla_flags": jax_settings.xla_flags(),
        "pairings": [pairing._asdict() for pairing in pairings],
    }
    files.deliver({path: json.dumps(results) + "\n"})


def _load(config: TournamentConfig, identity: dict[str, Any]) -> list[Pairing]:
    """Returns the pairings of the results file, none if there is no such file."""
    path = config.output
    if path is None or not path.exists():
        return []
    try:
        record = files.parse_json(path.read_bytes())
        found = record["tournament"]
        saved = [
            Pairing(
                p["first"],
                p["second"],
                tuple(p["returns"]),
                tuple(p["plies"]),
                p.get("seconds"),
                p.get("different"),
            )
            for p in record["pairings"]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"output: {path} exists, but is not a tournament's results") from error
    files.check_identity("output", path, found, identity, _OLDER)
    if change := jax_settings.xla_flags_changed(record.get("xla_flags")):
        _log.warning("%s goes on with a change that may alter results: %s", path, change)
    pairings: list[Pairing] = []
    for pairing in saved:
        problem = _problem(config, pairings, pairing)
        if problem:
            raise ValueError(f"output: {path} is damaged: pairing {len(pairings)} {problem}")
        pairings.append(pairing)
    return pairings


def _problem(config: TournamentConfig, before: list[Pairing], pairing: Pairing) -> str | None:
    """Returns the reason why a pairing cannot follow the pairings before it; None if it can."""
    names = formats.next_pairing(config.format, config.agents, _net_wins(before))
    if names is None:
        return "is one too many"
    if (pairing.first, pairing.second) != names:
        return f"is {pairing.first} v {pairing.second}, expected {names[0]} v {names[1]}"
    for name in ("returns", "plies"):
        count = len(getattr(pairing, name))
        if count != config.games:
            return f"has {count} {name}, expected {config.games}"
    for x in pairing.returns:
        if type(x) not in (int, float) or not -1 <= x <= 1:
            return f"has the return {x!r}, expected a number from -1 to 1"
    for x in pairing.plies:
        if type(x) is not int or x < 0:
            return f"has the number of plies {x!r}, expected a whole number"
    seconds = pairing.seconds
    if seconds is not None and not (type(seconds) in (int, float) and 0 <= seconds < math.inf):
        return f"has the seconds {seconds!r}, expected a positive number"
    different = pairing.different
    if different is not None and not (type(different) is int and 1 <= different <= config.games):
        return f"has {different!r} different games, expected from 1 to {config.games}"
    return None
