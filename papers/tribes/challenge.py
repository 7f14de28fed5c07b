"""An agent of your own on the paper's 25 levels, against the paper's players.

    python -m papers.tribes.challenge --agent best --opponents RB RHEA MCTS

Two games make a group: both seats on one level. The groups take the levels in turn. A pair is kept
in a file beside the output while it is played: the same command goes on from there.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from agents import command_line
from benchmarks import environment, measuring
from configs.training import MOST_CPU_DEVICES
from jaxgames.matches.match import check_kept, devices_for, divide_cpu, match
from jaxgames.matches.resumable import Checkpoint, kept_devices
from jaxgames.matches.statistics import Mean, over_groups
from jaxgames.players import registry
from jaxgames.players.stand_ins import stands_for
from papers import studies
from papers.tribes.study import games, paper


class Result(NamedTuple):
    """What an agent reached against one player of the paper."""

    opponent: str
    games: int
    wins: int
    score: Mean  # wins and half of the draws, as a share of the games
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Plays all pairs and writes the record."""
    parser = _parser()
    options = parser.parse(arguments)
    groups = -(-options.games // 2)
    names = tuple(dict.fromkeys(options.opponents))
    checkpoints = [studies.checkpoint("--output", options.output, name) for name in names]
    with measuring.user_errors(parser):
        if options.cpu_devices > MOST_CPU_DEVICES:
            raise ValueError(
                f"--cpu-devices must be from 0 to {MOST_CPU_DEVICES}, got {options.cpu_devices}"
            )
        kept = [kept_devices(checkpoint) for checkpoint in checkpoints]
        divide_cpu(groups, options.cpu_devices, kept)
        measuring.prepare_output(options.output, [])
        env = games.make_env(options.env_options)
        agent = registry.make_program(options.agent, env)
        specs = [paper.PLAYERS[name].format(calls=options.calls) for name in names]
        opponents = [registry.make(spec, env) for spec in specs]
        key = jax.random.key(options.seed)
        starts = games.first_positions(env, range(groups))
        num_devices = devices_for(2 * groups, env)
        for opponent, checkpoint in zip(opponents, checkpoints, strict=True):
            check_kept(env, (agent, opponent), key, 2 * groups, checkpoint, starts, num_devices)
        entries = {
            "agent": stands_for(options.agent, env),
            "options": options.env_options or "those of the paper",
            "calls of a decision": options.calls,
            "devices that play": num_devices,
            "seed": options.seed,
        }
        results: list[Result] = []
        for name, opponent, checkpoint in zip(names, opponents, checkpoints, strict=True):
            result = play(env, (agent, opponent), starts, key, checkpoint, num_devices)
            results.append(result._replace(opponent=name))
            print(f"{name}: {_percent(result.score)} of {result.games} games", flush=True)
            rows = [
                [row.opponent, row.games, row.wins, _percent(row.score), round(row.seconds)]
                for row in results
            ]
            lines = measuring.table(["opponent", "games", "won", "score", "seconds"], rows)
            title = f"{options.agent} on the levels of the Tribes paper"
            numbers = {"results": [row._asdict() for row in results]}
            record = environment.record() | entries
            studies.write(options.output, "tribes", title, record, lines, numbers, {})
    for checkpoint in checkpoints:  # until now, so that no pair is played again after a stop
        checkpoint.discard()


def play(
    env: Any,
    players: tuple[Any, Any],
    starts: Any,
    key: Any,
    checkpoint: Checkpoint,
    num_devices: int,
) -> Result:
    """Returns the result of a match, the first player's.

    Args:
        env: the paper's game.
        players: the agent and its opponent.
        starts: the first position of each pair of games, in which both seats play one level.
        key: of the match.
        checkpoint: keeps the match while it is played.
        num_devices: devices among which the pairs of games are divided.

    Raises:
        ValueError: if the file of the checkpoint is of another match, or damaged.
    """
    began, num_games = time.perf_counter(), 2 * len(jax.tree.leaves(starts)[0])
    result = match(
        env,
        players,
        key,
        num_games,
        starts=starts,
        checkpoint=checkpoint,
        num_devices=num_devices,
    )
    returns = np.asarray(result.returns)[:, 0]
    return Result(
        opponent=players[1].name,
        games=len(returns),
        wins=int((returns > 0).sum()),
        score=over_groups((returns + 1) / 2, 2),
        seconds=checkpoint.spent + time.perf_counter() - began,
    )


def _percent(mean: Mean) -> str:
    return f"{100 * mean.value:.1f} ± {100 * mean.error:.1f} %"


def _parser() -> measuring.Parser:
    parser = measuring.Parser(
        "papers.tribes.challenge",
        description="An agent against the players of the Tribes paper, on its levels.",
    )
    add, names, usual = parser.add_argument, list(paper.PLAYERS), ["RB", "RHEA", "MCTS"]
    add("--agent", metavar="SPEC", default="best")
    add("--env-options", default="", help="options of the game, such as fog=true")
    players = "players by the names of the paper (default: %(default)s)"
    add("--opponents", nargs="+", choices=names, default=usual, help=players)
    calls = "of the forward model, for one decision (default: %(default)s)"
    add("--calls", type=measuring.positive, default=paper.CALLS, help=calls)
    number = "against each opponent, rounded up to both seats (default: %(default)s)"
    add("--games", type=measuring.positive, default=100, help=number)
    add("--seed", type=measuring.seed, default=0)
    devices = (
        "devices into which a CPU is divided, a divisor of the pairs of games; 0: the largest one "
        "up to the number of cores, or that of a stopped run (default: %(default)s)"
    )
    add("--cpu-devices", type=measuring.natural, default=0, help=devices)
    measuring.add_output(parser, "strength/tribes_levels")
    return parser


if __name__ == "__main__":
    command_line.run(main)
