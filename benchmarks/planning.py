"""Forward-model calls a second inside planners, compared with random play of the same game.

    python -m benchmarks.planning --game=onitama

A call is one completed action. Planner and random play run in turns, from the same positions of
random games and on the same number of lanes. A lane of a planner is one of the games that its
search plays at once. Some planners play for all decisions of a batch at once, others for some
decisions at a time. Random play is that of `benchmarks/rollouts.py`.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("planning")

import argparse
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from benchmarks import measuring, rollouts
from benchmarks.commands import Report
from benchmarks.positions import random_positions
from jaxgames import Env
from jaxgames.players import registry
from jaxgames.search.planning.monte_carlo import MonteCarlo
from jaxgames.search.planning.rhea import Evolution

STEPS = 512  # of one call of random play; enough that new set-ups cost little


class Speed(NamedTuple):
    """The speed of one planner; rates are of all lanes together, by repeat."""

    agent: str
    games: int  # in the batch, with one decision each
    lanes: int  # games played at once
    calls: int  # for all decisions together
    planning: Sequence[float]  # forward-model calls a second
    random: Sequence[float]  # completed actions a second

    @property
    def ratio(self) -> measuring.Spread:
        """Returns the speed of planning divided by the speed of random play of the same repeat."""
        return measuring.ratios(self.planning, self.random)


def measure(options: argparse.Namespace) -> Report:
    """Measures all planners."""
    env = registry.make_env(options.game, options.env_options)
    speeds = [
        measure_planner(env, name, options.lanes, options.plies, options.repeats, options.seed)
        for name in options.agents
    ]
    return Report(
        "Planning compared with random play",
        render(speeds),
        {"speeds": [speed._asdict() for speed in speeds]},
        {
            "game": options.game,
            "options": options.env_options or "none",
            "seed": options.seed,
            "most random plies before": options.plies,
            "repeats": options.repeats,
        },
    )


def measure_planner(
    env: Env[Any], name: str, lanes: int, plies: int, repeats: int, seed: int
) -> Speed:
    """Returns the speed of the planner of a spec string.

    Raises:
        ValueError: for an agent that does not plan by playing games.
    """
    planner = registry.make(name, env).agent
    if not isinstance(planner, MonteCarlo | Evolution):
        raise ValueError(f"{name!r} does not play games of its own; choose mc, rhea or oep")
    games = next(n for n in itertools.count(1) if planner.lanes(n) >= lanes)
    lanes = planner.lanes(games)
    search_key, play_key = jax.random.split(jax.random.key(seed))
    states = random_positions(env.rules, games, seed, plies)
    starts = jax.tree.map(lambda x: x[jnp.arange(lanes) % games], states)
    needed = ~jax.vmap(env.rules.is_over)(states)
    search = jax.jit(planner.search)
    chunk = jax.jit(rollouts.own_env(env, "lean").chunk(lanes, STEPS))
    work: dict[str, Callable[[], Any]] = {
        "planning": lambda: search((), planner.first_carry(games), states, needed, search_key),
        "random": lambda: chunk(starts, play_key),
    }
    seconds = measuring.time_in_turns(work, repeats)
    calls = int(work["planning"]().calls.sum())
    actions = int(work["random"]()[0])
    return Speed(
        name,
        games,
        lanes,
        calls,
        [calls / time for time in seconds["planning"]],
        [actions / time for time in seconds["random"]],
    )


def render(speeds: Sequence[Speed]) -> list[str]:
    """Returns the lines of the record."""
    rows = [
        [
            speed.agent,
            speed.games,
            speed.lanes,
            f"{speed.calls / speed.games:,.0f}",
            f"{measuring.spread(speed.planning).median:,.0f}",
            f"{measuring.spread(speed.random).median:,.0f}",
            speed.ratio.text(".2f"),
        ]
        for speed in speeds
    ]
    header = ["agent", "decisions", "lanes", "calls each", "calls/s", "random play/s", "ratio"]
    return [
        "Medians of completed actions a second, of all lanes together. A ratio compares planning "
        "and random play of the same repeat: the median, with the lowest and the highest.",
        "",
        *measuring.table(header, rows),
    ]
