"""How far the chances and points that a player expects are right: by tenths, with mean errors.

    python -m benchmarks.calibration --game=onitama --players gumbel:evaluator=uniform best

Players of different strength meet in pairs. Positions of their games are drawn at random, as many
of each game, and judged as a review judges them: by the move that the judge would make. What it
expects of the seat to move is compared with how the game ended.
"""

from benchmarks import commands

if __name__ == "__main__":
    commands.run("calibration")

import argparse
import itertools
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from benchmarks import measuring
from benchmarks.commands import Report
from jaxgames import records
from jaxgames.analysis import afterstate_values
from jaxgames.analysis.review import Reviewer
from jaxgames.env import Env
from jaxgames.matches import recording
from jaxgames.matches.match import match
from jaxgames.matches.match_loop import MatchResult
from jaxgames.players import registry, stand_ins
from jaxgames.records.replay import is_over

TENTHS = 10


class Judged(NamedTuple):
    """A position of a game: what the judge expects of the seat to move, and what it got."""

    expected: float
    outcome: float


def measure(options: argparse.Namespace) -> Report:
    """Plays the games, judges positions and compares.

    Raises:
        ValueError: for an unknown game or agent, fewer than two players, or too few positions.
    """
    started = time.perf_counter()
    env = registry.make_env(options.game, options.env_options)
    pairs = list(itertools.combinations(options.players, env.num_players))
    if not pairs:
        raise ValueError(f"players: expected at least {env.num_players}, got {options.players}")
    judge = Reviewer(env, registry.make(options.judge, env), top=1)
    of_each = -(-options.positions // len(pairs))
    judged: list[Judged] = []
    for number, pair in enumerate(pairs):
        key = jax.random.fold_in(jax.random.key(options.seed), number)
        found = match(env, pair, key, options.games, record=True)
        judged += judge_positions(env, judge, pair, found, of_each, options.seed)
    judged = judged[: options.positions]
    rows = by_tenths(judged, is_chance=judge.unit == "chance")
    return Report(
        f"Calibration of {judge.unit}",
        [
            *measuring.table(["tenth", "positions", "expected", "outcome", "error"], rows),
            "",
            *summary(judged, rows),
        ],
        {"judged": [list(entry) for entry in judged], "tenths": rows},
        {
            "game": f"{options.game} {options.env_options}".strip(),
            "judge": options.judge,
            "players": " ".join(options.players),
            "games of each pairing": options.games,
            **stand_ins.meaning([options.judge, *options.players], env),
            "seed": options.seed,
            "seconds": round(time.perf_counter() - started),
        },
    )


def judge_positions(
    env: Env[Any],
    judge: Reviewer,
    names: tuple[str, ...],
    result: MatchResult,
    count: int,
    seed: int,
) -> list[Judged]:
    """Returns `count` positions of the games of a match, as many of each game, judged."""
    games = [
        [jax.device_get(state.replace(observation=())) for state in records.positions(env, record)]
        for record in recording.of_match(env, names, result, {})
    ]
    chance = np.random.default_rng(seed)
    of_each = -(-count // len(games))
    found = []
    for states in games:
        over = [is_over(state) for state in states]
        choices = np.flatnonzero(np.logical_not(over))
        drawn = chance.choice(choices, min(of_each, len(choices)), replace=False)
        end = afterstate_values.outcome(env, states[-1], judge.unit)
        line = [states[at] for at in drawn.tolist()]
        found += [
            Judged(expected[seat], end[seat])
            for seat, expected in zip(
                [int(state.current_player) for state in line], judge.expectations(line), strict=True
            )
        ]
    return found[:count]


def by_tenths(judged: Sequence[Judged], *, is_chance: bool) -> list[list[str | int]]:
    """Returns a row for each tenth: its bounds, positions, means expected and reached, error.

    Chances are divided at 10%, 20% and so on; points into ten groups of equal size.
    """
    if not judged:
        raise ValueError("no positions to compare")
    expected = np.array([entry.expected for entry in judged])
    outcome = np.array([entry.outcome for entry in judged])
    if is_chance:
        bounds = np.linspace(0.0, 1.0, TENTHS + 1)
    else:
        bounds = np.quantile(expected, np.linspace(0.0, 1.0, TENTHS + 1))
    tenth = np.clip(np.searchsorted(bounds, expected, side="right") - 1, 0, TENTHS - 1)
    rows: list[list[str | int]] = []
    for number in range(TENTHS):
        is_in = tenth == number
        if not is_in.any():
            continue
        means = expected[is_in].mean(), outcome[is_in].mean()
        low, high = bounds[number], bounds[number + 1]
        scale, digits, unit = (100, 1, "%") if is_chance else (1, 1, "")
        bounds_text = f"{scale * low:.0f} to {scale * high:.0f}{unit}"
        numbers = (means[0], means[1], means[0] - means[1])
        told = [f"{scale * x:.{digits}f}{unit}" for x in numbers]
        rows.append([bounds_text, int(is_in.sum()), *told])
    return rows


def summary(judged: Sequence[Judged], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Returns the mean error over tenths, weighted by their positions, in a sentence."""
    counts = np.array([row[1] for row in rows])
    errors = np.array([float(row[4].rstrip("%")) for row in rows])
    sign = "%" if str(rows[0][4]).endswith("%") else " points"
    mean = float((counts * np.abs(errors)).sum() / counts.sum())
    bias = float(np.mean([entry.expected - entry.outcome for entry in judged]))
    bias *= 100 if sign == "%" else 1
    return [
        f"Mean error of a tenth, weighted by its positions: {mean:.1f}{sign}; mean of all "
        f"{len(judged)} positions: {bias:+.1f}{sign}."
    ]
