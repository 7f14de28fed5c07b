"""Matches: many games at once between players that share the seats fairly.

A group has as many games as there are players. All games of a group start from the same position.
From game to game, the players move on by one seat, so each player plays every seat once.

A match with people is played on the host, one game after the other: `agents.arena.hosted`.

A match of hours can be kept in a file while it is played. If it is stopped, it goes on from the
file to the same end. Its last games can be played in a narrower batch, by a program of their own.
"""

import numbers
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

import jaxgames
from jaxgames.env import Env
from jaxgames.internal import devices, jax_modes, programs
from jaxgames.matches import match_loop, plies, resumable
from jaxgames.matches.match_loop import MatchProgress, MatchResult, Setting, Tally
from jaxgames.players import registry
from jaxgames.players.player import Player, as_key
from jaxgames.players.stand_ins import stands_for
from jaxgames.search.agent import Agent, GameStates

DEFAULT_GROUPS = 100


@jax_modes.standard
def match(
    env: Env[Any] | str,
    players: Sequence[str | Player | Agent],
    key: PRNGKeyArray | int = 0,
    num_games: int | None = None,
    opening_plies: int = 0,
    record: bool = False,
    starts: GameStates | None = None,
    tally: Tally | None = None,
    width: int | None = None,
    checkpoint: resumable.Checkpoint | None = None,
    tail: int | None = None,
    num_devices: int = 1,
) -> MatchResult:
    """Returns the games of a match as NumPy arrays, and each player's score with its error.

    Seats are swapped: of the games that start from one position, each player plays every seat once.
    A player that chooses an illegal action loses. The result prints as a table of the scores.

    Args:
        env: the game, or its id.
        players: one for each seat: specs such as `"minimax:depth=2"`, players made by
            `jaxgames.player`, or agents of your own.
        key: decides set-ups and all choices; the same key, or seed, gives the same match.
        num_games: a multiple of the number of seats; by default 100 for each seat.
        opening_plies: plies at the start of each game that are drawn at random, equal for all games
            of a group. A random ply that would end the game is left out.
        record: whether the result holds the plies.
        starts: position from which each group starts, before its opening; drawn if not given.
        tally: counts something while the games are played.
        width: largest number of games in which a player acts at once; by default the number of
            groups.
        checkpoint: keeps the match in a file while it is played, and continues it from the file.
        tail: width as soon as at most this number of games is left; only with `checkpoint`. It is
            worth its compilation in a match of hours.
        num_devices: devices among which groups and width are divided; see `devices_for`. The same
            key gives other games on another number of devices.

    Raises:
        ValueError: if the numbers do not fit the game, a player cannot play it, or the file is not
            of this match.
    """
    env = jaxgames.make(env) if isinstance(env, str) else env
    key = as_key(key)
    num_games = DEFAULT_GROUPS * env.num_players if num_games is None else num_games
    seated = [registry.player(player, env) for player in players]
    if any(getattr(player.agent, "is_person", False) for player in seated):
        raise ValueError(
            f"a person is asked at the terminal: play with {programs.command('agents.arena')}"
        )
    setting = make_setting(
        env,
        seated,
        num_games,
        opening_plies,
        record=record,
        tally=tally,
        width=width,
        num_devices=num_devices,
    )
    if tail is not None and (checkpoint is None or not 1 <= tail <= setting.width):
        raise ValueError(
            f"tail must be from 1 to the width, {setting.width}, and needs a checkpoint; got {tail}"
        )
    if num_devices > 1 and (tally is not None or tail is not None):
        raise ValueError(f"a match with a tally or a tail needs one device, got {num_devices}")
    num_groups = setting.num_groups
    if starts is not None and {len(x) for x in jax.tree.leaves(starts)} != {num_groups}:
        raise ValueError(f"starts must be {num_groups} positions, one for each group")
    names = tuple(player.name for player in seated)
    params = tuple(player.params for player in seated)
    if checkpoint is None:
        begun = match_loop.begin(setting, key, starts)
        done = match_loop.advance(setting, params, key, begun)
        return match_loop.finish(setting, done)._replace(names=names)
    first = setting._replace(least=tail or 0)
    last = setting._replace(width=tail or setting.width)

    def advance(progress: MatchProgress, ticks: int) -> MatchProgress:
        left = int((~plies.is_over(progress.states)).sum())
        part = first if left > first.least else last
        return match_loop.advance(part, params, key, progress, np.int32(ticks))

    progress = resumable.run(
        lambda: match_loop.begin(setting, key, starts),
        advance,
        lambda progress: plies.is_over(progress.states),
        checkpoint,
        identity(setting, seated, key, starts) | ({} if tail is None else {"tail": tail}),
    )
    return match_loop.finish(setting, progress)._replace(names=names)


def check_kept(
    env: Env[Any],
    players: Sequence[Player],
    key: PRNGKeyArray,
    num_games: int,
    checkpoint: resumable.Checkpoint,
    starts: GameStates | None = None,
    num_devices: int = 1,
) -> None:
    """Checks that the file of a checkpoint, if there is one, is of the match that is to be played.

    The arguments are those of `match`, which has the defaults of all others.

    Raises:
        ValueError: if the file is of another match, or damaged.
    """
    setting = make_setting(env, players, num_games, num_devices=num_devices)
    resumable.check(checkpoint, identity(setting, players, key, starts))


def divide_cpu(groups: int, number: int | None = None, kept: Sequence[int | None] = ()) -> None:
    """Divides a CPU into devices for a match, before the first use of a device.

    Args:
        groups: of games; each device plays as many.
        number: of devices; with 0 or None the first of `kept` that divides the groups, else the
            largest number that divides them and has a core each.
        kept: the numbers of devices of stopped matches, which go on with their number only.

    Raises:
        ValueError: for a number that does not divide the groups; names the nearest below.
    """
    if number and groups % number:
        nearest = devices.largest_divisor([groups], number)
        raise ValueError(
            f"cpu_devices must divide the {groups} groups of games that start alike, got {number}; "
            f"nearest: {nearest}"
        )
    # A kept number that does not divide them is of another match, as its file will say.
    fitting = (other for other in kept if other and groups % other == 0)
    largest = devices.largest_divisor([groups], devices.num_cores())
    devices.use_cpu_devices(number or next(fitting, largest))


def devices_for(num_games: int, env: Env[Any]) -> int:
    """Returns the largest number of this process's devices that divides the groups of a match."""
    return devices.largest_divisor([num_games // env.num_players], jax.local_device_count())


def make_setting(
    env: Env[Any],
    players: Sequence[Player],
    num_games: int,
    opening_plies: int = 0,
    *,
    record: bool = False,
    tally: Tally | None = None,
    width: int | None = None,
    num_devices: int = 1,
) -> Setting:
    """Returns the static options of a match, for arguments as those of `match`.

    Raises:
        ValueError: if the numbers do not fit the game, each other or the devices.
    """
    check_match(env, len(players), num_games, opening_plies)
    groups, here = num_games // len(players), jax.local_device_count()
    if width is not None and not 1 <= width <= groups:
        raise ValueError(f"width must be from 1 to {groups}, the number of groups; got {width}")
    if not 1 <= num_devices <= here or groups % num_devices:
        raise ValueError(
            f"num_devices must be from 1 to {here}, the devices of this process, and divide the "
            f"{groups} groups; got {num_devices}"
        )
    agents = tuple(player.agent for player in players)
    return Setting(
        env,
        agents,
        groups,
        opening_plies,
        record,
        tally,
        width or groups,
        num_devices=num_devices,
    )


def identity(
    setting: Setting,
    players: Sequence[Player],
    key: PRNGKeyArray,
    starts: GameStates | None,
) -> dict[str, Any]:
    """Returns the values that identify a match in the file that keeps it."""
    return {
        "game": f"{setting.env.id}-v{setting.env.version}",
        "rules": repr(setting.env.rules),
        "players": [stands_for(player.name, setting.env) for player in players],
        "networks": [resumable.fingerprint(player.params) for player in players],
        "games": setting.num_lanes,
        "opening_plies": setting.opening_plies,
        "width": setting.width,
        "key": jax.random.key_data(key).tolist(),
        "starts": resumable.fingerprint(starts),
        "devices": setting.num_devices,
    }


def check_match(env: Env[Any], num_players: int, num_games: int, opening_plies: int) -> None:
    """Raises a `ValueError` if a match with these numbers cannot be fair or played."""
    if num_players != env.num_players:
        raise ValueError(f"{env.id} is played by {env.num_players} players, got {num_players}")
    if isinstance(num_games, bool) or not isinstance(num_games, numbers.Integral):
        raise ValueError(f"num_games must be a whole number, after the key; got {num_games!r}")
    if num_games < 1 or num_games % num_players:
        raise ValueError(
            f"num_games must be a positive multiple of {num_players}, so that every player sits in "
            f"every seat equally often; got {num_games}"
        )
    if not 0 <= opening_plies < env.max_steps:
        raise ValueError(
            f"opening_plies must be from 0 to {env.max_steps - 1}, got {opening_plies}"
        )
