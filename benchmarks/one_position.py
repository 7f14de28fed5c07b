"""One position in real time: seconds to a move, and how far a search comes in them.

    python -m benchmarks.one_position --game=onitama --agents best negascout:table=16

Every agent decides in the same positions of random games, one after the other, with each number of
seconds, and as its spec says if it takes no time. Its programs are compiled before.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("one_position")

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

import jax

from benchmarks import measuring, positions
from benchmarks.commands import Report
from jaxgames.players import registry
from jaxgames.players.player import Player
from jaxgames.players.real_time import RealTime
from jaxgames.search.agent import GameStates

MOST_PLIES = 20  # of the random games
_compiled: list[str] = []  # an event for each program of this process


class Row(NamedTuple):
    """The decisions of an agent."""

    agent: str
    asked: float | None  # seconds; None: the effort is that of the spec
    median: float  # seconds
    most: float  # seconds
    nodes: float | None  # searched in a second, the median
    programs: int  # compiled for this row


def measure(options: argparse.Namespace) -> Report:
    """Times the agents."""
    env = registry.make_env(options.game, options.env_options)
    games = positions.random_positions(env.rules, options.positions, options.seed, MOST_PLIES)
    jax.monitoring.register_event_duration_secs_listener(_count)
    rows = []
    for spec in options.agents:
        player = registry.make_program(spec, env)
        rows.append(_timed(player, None, games, options.seed))
        for seconds in options.seconds:
            limited = registry.limited(spec, env, seconds)
            if isinstance(limited.agent, RealTime):
                rows.append(_timed(limited, seconds, games, options.seed))
    numbers = {"rows": [row._asdict() for row in rows]}
    return Report(f"One position of {env.id}", render(rows), numbers, {"game": env.id})


def _count(event: str, duration_secs: float, **details: str | int) -> None:
    """Hears of every compilation."""
    if "backend_compile" in event:
        _compiled.append(event)


def _timed(player: Player, asked: float | None, games: GameStates, seed: int) -> Row:
    before = len(_compiled)
    memory = player.agent.reset(1)
    times, speeds = [], []
    size = len(jax.tree.leaves(games)[0])
    for number in range(-1, size):  # the first decision compiles
        game = jax.tree.map(lambda x, number=number: x[max(number, 0)][None], games)
        key = jax.random.fold_in(jax.random.key(seed), number + 1)
        begin = time.perf_counter()
        decision, after = player.act(memory, game, key)
        jax.block_until_ready(decision)
        if number >= 0:
            times.append(time.perf_counter() - begin)
        if isinstance(player.agent, RealTime):
            # The speed is that of the machine; what was searched belongs to another game.
            memory = memory._replace(speed=after.speed)
            speeds.append(float(after.speed[0]))
    speed = statistics.median(speeds) if speeds else None
    programs = len(_compiled) - before
    return Row(player.name, asked, statistics.median(times), max(times), speed, programs)


def render(rows: Sequence[Row]) -> list[str]:
    """Returns the lines of the record."""
    header = ["agent", "asked s", "median s", "most s", "nodes/s", "programs"]
    cells = [
        [
            row.agent,
            "" if row.asked is None else f"{row.asked:g}",
            f"{row.median:.3f}",
            f"{row.most:.3f}",
            "" if row.nodes is None else f"{row.nodes:,.0f}",
            row.programs,
        ]
        for row in rows
    ]
    return measuring.table(header, cells)
