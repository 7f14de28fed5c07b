"""The levels of a game: the score of each against the one below, and how long it decides.

    python -m benchmarks.levels --game=onitama

Of the games that start from one position, each player plays every seat once. With more than two
seats, the stronger player has one seat, and copies of the weaker one have the rest. Decisions are
timed in games of a level against itself, one game at a time, after the player has been compiled.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("levels")

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames.env import Env
from jaxgames.matches.match import check_match, devices_for, match
from jaxgames.matches.statistics import Score, score
from jaxgames.players import levels, registry
from jaxgames.players.player import Player

WARM_UP = 10  # decisions that are not counted: some of the first ones are compiled for


class Row(NamedTuple):
    """What was measured of one level."""

    number: int
    name: str
    player: str  # its spec
    score: Score | None  # against the level below
    plies: float | None  # mean length of these games
    median: float  # seconds of a decision
    most: float  # the 95th percentile


def measure(options: argparse.Namespace) -> Report:
    """Plays each level against the one below, and times its decisions.

    Raises:
        ValueError: for a game without levels, or numbers that do not fit it.
    """
    started = time.perf_counter()
    env = registry.make_env(options.game, options.env_options)
    found = levels.strengths(env)
    if not found:
        raise ValueError(f"{env.id} has no levels with {env.num_players} seats")
    games_of_best = options.games_of_best or options.games
    for games in (options.games, games_of_best):
        check_match(env, env.num_players, games, options.opening_plies)
    players = [registry.make(strength.stands_for, env) for strength in found]
    key = jax.random.key(options.seed)
    rows: list[Row] = []
    for index, (strength, player) in enumerate(zip(found, players, strict=True)):
        below = players[index - 1] if index else None
        games = games_of_best if index == len(players) - 1 else options.games
        contest_key, time_key = jax.random.split(jax.random.fold_in(key, index))
        result = None
        if below is not None:
            seated = (player, *[below] * (env.num_players - 1))
            devices = devices_for(games, env)
            result = match(
                env, seated, contest_key, games, options.opening_plies, num_devices=devices
            )
        seconds = list(decision_seconds(env, player, options.decisions, time_key))
        rows.append(
            Row(
                strength.number,
                strength.name,
                player.name,
                None if result is None else score(np.asarray(result.returns)),
                None if result is None else float(result.plies.mean()),
                statistics.median(seconds),
                float(np.quantile(seconds, 0.95)),
            )
        )
        print(*map(str, _cells(rows[-1])), file=sys.stderr, flush=True)
    return Report(
        "Levels",
        render(rows),
        {"levels": [_numbers(row) for row in rows]},
        {
            "game": f"{options.game} {options.env_options}".strip(),
            "random plies first": options.opening_plies,
            "decisions timed": options.decisions,
            "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        },
    )


def decision_seconds(env: Env[Any], player: Player, count: int, key: Any) -> Iterator[float]:
    """Yields the seconds of decisions of a player against itself, once it has been compiled."""
    rules = env.rules
    step, begin = jax.jit(jax.vmap(rules.step)), jax.jit(jax.vmap(rules.init))
    is_over, to_move = jax.jit(jax.vmap(rules.is_over)), jax.jit(jax.vmap(rules.to_move))
    hide = jax.jit(jax.vmap(rules.determinize))
    state, memories = None, []
    for number in range(WARM_UP + count):
        keys = jax.random.split(jax.random.fold_in(key, number), 4)
        if state is None or bool(is_over(state)[0]):
            state = begin(keys[:1])
            memories = [player.agent.reset(1)] * env.num_players
        seats = to_move(state)
        seen = state if rules.perfect_information else hide(state, seats, keys[1:2])
        begun = time.perf_counter()
        decision, memory = player.act(memories[int(seats[0])], seen, keys[2])
        action = jax.block_until_ready(decision.action)
        if number >= WARM_UP:
            yield time.perf_counter() - begun
        memories[int(seats[0])] = memory
        state = step(state, action, keys[3:])


def render(rows: Sequence[Row]) -> list[str]:
    """Returns the lines of the record."""
    return [
        "Score against the level below (wins + draws / 2) with its standard error; in brackets "
        "wins, draws and losses. Seconds of a decision in one game: the median and the 95th "
        "percentile.",
        "",
        *measuring.table(
            ["level", "player", "score", "plies", "median s", "95 % s"], list(map(_cells, rows))
        ),
    ]


def _cells(row: Row) -> list[str]:
    found = row.score
    text = "" if found is None else f"{100 * found.mean:.1f} ± {100 * found.standard_error:.1f} % "
    if found is not None:
        text += f"of {found.games} (+{found.wins} ={found.draws} -{found.losses})"
    return [
        row.name,
        row.player,
        text,
        "" if row.plies is None else f"{row.plies:.0f}",
        f"{row.median:.3f}",
        f"{row.most:.3f}",
    ]


def _numbers(row: Row) -> dict[str, Any]:
    return row._asdict() | {"score": None if row.score is None else row.score._asdict()}
