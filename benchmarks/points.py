"""The final points of agents that play against themselves, by role.

    python -m benchmarks.points --game=terra_mystica --agents greedy random

The same agent plays all seats, so this compares how many points agents make. `benchmarks.strength`
and the arena compare how often they win against each other.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("points")

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames.batching.trees import select_rows
from jaxgames.matches import scheduling
from jaxgames.players import registry, stand_ins
from jaxgames.players.player import Player

PLIES_PER_CALL = 32  # between two looks at whether all games are over


class Points(NamedTuple):
    """Mean final points of one role in games that an agent played against itself."""

    agent: str
    role: str
    mean: float
    error: float  # of the mean
    seats: int  # with this role, in all games


def measure(options: argparse.Namespace) -> Report:
    """Lets each agent play against itself.

    Raises:
        ValueError: for an unknown game or agent, or a game that counts no points.
    """
    started = time.perf_counter()
    env = registry.make_env(options.game, options.env_options)
    if not env.rules.counts_points:
        raise ValueError(f"{env.id} counts no points")
    players = [registry.make_program(spec, env) for spec in options.agents]
    deal_key, play_key = jax.random.split(jax.random.key(options.seed))
    starts = jax.jit(jax.vmap(env.rules.init))(jax.random.split(deal_key, options.games))
    rows = [row for player in players for row in by_role(env, player, starts, play_key)]
    return Report(
        "Final points in self-play",
        measuring.table(
            ["agent", "plays", "mean points", "standard error", "seats"],
            [[*row[:2], f"{row.mean:.1f}", f"{row.error:.1f}", row.seats] for row in rows],
        ),
        {"points": [row._asdict() for row in rows]},
        {
            "game": f"{options.game} {options.env_options}".strip(),
            "games of each agent": options.games,
            **stand_ins.meaning(options.agents, env),
            "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        },
    )


def by_role(env: Any, player: Player, starts: Any, key: Any) -> list[Points]:
    """Returns the mean points of each role that was played, in the order of the roles."""
    points = final_points(env, player, starts, key).reshape(-1)
    roles = np.asarray(jax.vmap(env.rules.role)(starts)).reshape(-1)
    names = env.rules.roles or ("all seats",)
    return [
        _summary(player.name, name, points[roles == role].tolist())
        for role, name in enumerate(names)
        if (roles == role).any()
    ]


def _summary(agent: str, role: str, points: Sequence[float]) -> Points:
    error = statistics.stdev(points) / len(points) ** 0.5 if len(points) > 1 else 0.0
    return Points(agent, role, statistics.fmean(points), error, len(points))


def final_points(env: Any, player: Player, starts: Any, key: Any) -> Any:
    """Returns `[games, seats]` final points of games that a player plays against itself.

    Args:
        env: the game.
        player: plays all seats; a decision sees the knowledge of the seat to move.
        starts: a batch of game states.
        key: of all chance.

    Raises:
        RuntimeError: if a game does not end within the steps that its rules allow.
    """
    rules, agent = env.rules, player.agent

    @jax.jit
    def advance(params: Any, carry: tuple[Any, Any], key: Any) -> tuple[Any, Any, Any]:
        def ply(carry: tuple[Any, Any], key: Any) -> tuple[tuple[Any, Any], None]:
            states, memory = carry
            act_key, hide_key, step_key, instead_key = jax.random.split(key, 4)
            seats = jax.vmap(rules.to_move)(states)
            games = seats.shape[0]
            hide_keys, step_keys = (jax.random.split(k, games) for k in (hide_key, step_key))
            known = jax.vmap(rules.determinize)(states, seats, hide_keys)
            decision, memory = agent.act(params, memory, known, act_key)
            action = decision.action
            if not rules.perfect_information:
                action, memory = scheduling.played(
                    rules, agent, action, memory, states, known, instead_key
                )
            after = jax.vmap(rules.step)(states, action, step_keys)
            over = jax.vmap(rules.is_over)(states)
            return (select_rows(over, states, after), memory), None

        carry, _ = jax.lax.scan(ply, carry, jax.random.split(key, PLIES_PER_CALL))
        return carry, jax.vmap(rules.is_over)(carry[0]).all(), jax.vmap(rules.score)(carry[0])

    games = jax.tree.leaves(starts)[0].shape[0]
    carry = (starts, agent.reset(games))
    for call in range(-(-rules.max_steps // PLIES_PER_CALL)):
        carry, is_over, points = advance(player.params, carry, jax.random.fold_in(key, call))
        if is_over:
            return np.asarray(points)
    raise RuntimeError(f"a game is not over after {rules.max_steps} decisions")
