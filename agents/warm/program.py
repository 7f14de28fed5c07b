"""The command that fills the caches of compiled and of traced programs."""

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
from rich.console import Console

import jaxgames
from agents.play import seating
from agents.play.engine.thinker import Thinker
from agents.play.session import positions
from agents.play.session.session import HUMAN
from configs.warm import WarmConfig
from jaxgames.analysis.analysis import analyse
from jaxgames.analysis.review import Reviewer
from jaxgames.batching import trees
from jaxgames.env import Env
from jaxgames.internal import compilation_cache
from jaxgames.internal.messages import title
from jaxgames.players import plugs, registry
from jaxgames.players.best import NAME as BEST
from jaxgames.state import State

REVIEWED = 8  # positions of which learned values are compiled in their smaller and larger batch


class WarmStep(NamedTuple):
    """A part of the work: the programs of one purpose."""

    name: str
    run: Callable[[], object]


def run(config: WarmConfig) -> None:
    """Compiles the programs of games, and prints what is ready.

    Raises:
        ValueError: for an unknown game, or options that it does not have.
    """
    # Even small programs are kept, as the page does.
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    console = Console()
    games = config.games or tuple(game for game in jaxgames.available() if game in plugs.games())
    envs = [registry.make_env(game, config.env_options) for game in games]
    for number, env in enumerate(envs, 1):
        for step in steps(env):
            begin = time.monotonic()
            with (
                console.status(f"{title(env.id)}: {step.name}"),
                compilation_cache.purpose(f"{step.name} of {title(env.id)}"),
            ):
                step.run()
            line = f"{number}/{len(envs)} {title(env.id)}: {step.name}, {_seconds(begin)} s"
            console.print(line, soft_wrap=True, highlight=False)


def steps(env: Env[Any]) -> Iterator[WarmStep]:
    """Yields what the page of a game needs, in the order in which it will, then other commands."""
    first: list[State[Any]] = []  # a position, once the board is compiled
    yield WarmStep("the board", lambda: first.append(positions.compile_board(env)))
    yield WarmStep("the moves", lambda: positions.compile_moves(env, first[0]))
    specs = [*seating.seats(env, ()), seating.analyst(env)]
    if env.num_players in plugs.game_agents(env.id).best:
        specs.append(BEST)
    for spec in dict.fromkeys(spec for spec in specs if spec != HUMAN):
        yield WarmStep(f"the player {spec}", functools.partial(_think, env, spec, first))
    yield WarmStep("reviews", lambda: _review(env, first[0]))
    if BEST in specs:
        yield WarmStep("the analysis of best", lambda: analyse(env, first[0], BEST))
        yield WarmStep("best in programs", lambda: _act(env, first[0]))


def _think(env: Env[Any], spec: str, first: list[State[Any]]) -> None:
    thinker = Thinker(env, registry.make(spec, env))
    next(iter(thinker.think(first[0], thinker.reset(), jax.random.key(0), patience=0)))


def _review(env: Env[Any], state: State[Any]) -> None:
    reviewer = Reviewer(env, registry.make(seating.analyst(env), env))
    for count in (1, REVIEWED + 1):
        reviewer.expectations([state] * count)


def _act(env: Env[Any], state: State[Any]) -> None:
    player = registry.make(BEST, env)
    games = trees.stack([jax.device_get(state.game)])
    jax.block_until_ready(player.act(player.agent.reset(1), games, jax.random.key(0)))


def _seconds(begin: float) -> str:
    return f"{time.monotonic() - begin:.0f}"
